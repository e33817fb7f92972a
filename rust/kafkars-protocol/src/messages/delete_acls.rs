// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DeleteAcls (API key 31): versions 1 to 3, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DeleteAclsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteAclsRequest {
    /// `Filters`.
    pub filters: Vec<DeleteAclsFilter>,
}

impl Element for DeleteAclsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            filters: reader.array(version, flexible, "Filters")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Filters", &self.filters)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteAclsRequest { "filters": filters });

/// `DeleteAclsFilter` of `DeleteAclsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteAclsFilter {
    /// `ResourceTypeFilter`.
    pub resource_type_filter: i8,
    /// `ResourceNameFilter`; default empty, may be null.
    pub resource_name_filter: Option<String>,
    /// `PatternTypeFilter`; default 3.
    pub pattern_type_filter: i8,
    /// `PrincipalFilter`; default empty, may be null.
    pub principal_filter: Option<String>,
    /// `HostFilter`; default empty, may be null.
    pub host_filter: Option<String>,
    /// `Operation`.
    pub operation: i8,
    /// `PermissionType`.
    pub permission_type: i8,
}

impl Default for DeleteAclsFilter {
    fn default() -> Self {
        Self {
            resource_type_filter: 0,
            resource_name_filter: Some(String::new()),
            pattern_type_filter: 3,
            principal_filter: Some(String::new()),
            host_filter: Some(String::new()),
            operation: 0,
            permission_type: 0,
        }
    }
}

impl Element for DeleteAclsFilter {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_type_filter: reader.i8("ResourceTypeFilter")?,
            resource_name_filter: reader.nullable_string(flexible, "ResourceNameFilter")?,
            pattern_type_filter: reader.i8("PatternTypeFilter")?,
            principal_filter: reader.nullable_string(flexible, "PrincipalFilter")?,
            host_filter: reader.nullable_string(flexible, "HostFilter")?,
            operation: reader.i8("Operation")?,
            permission_type: reader.i8("PermissionType")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i8(self.resource_type_filter);
        writer.nullable_string(
            flexible,
            "ResourceNameFilter",
            self.resource_name_filter.as_deref(),
        )?;
        writer.i8(self.pattern_type_filter);
        writer.nullable_string(
            flexible,
            "PrincipalFilter",
            self.principal_filter.as_deref(),
        )?;
        writer.nullable_string(flexible, "HostFilter", self.host_filter.as_deref())?;
        writer.i8(self.operation);
        writer.i8(self.permission_type);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteAclsFilter { "resource_type_filter": resource_type_filter, "resource_name_filter": resource_name_filter, "pattern_type_filter": pattern_type_filter, "principal_filter": principal_filter, "host_filter": host_filter, "operation": operation, "permission_type": permission_type });

impl Message for DeleteAclsRequest {
    const NAME: &'static str = "DeleteAclsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DeleteAclsRequest {
    const API_KEY: ApiKey = ApiKey::DeleteAcls;
    type Response = DeleteAclsResponse;
}

/// Kafka's `DeleteAclsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteAclsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `FilterResults`.
    pub filter_results: Vec<DeleteAclsFilterResult>,
}

impl Element for DeleteAclsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            filter_results: reader.array(version, flexible, "FilterResults")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "FilterResults", &self.filter_results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DeleteAclsFilterResult` of `DeleteAclsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteAclsFilterResult {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `MatchingAcls`.
    pub matching_acls: Vec<DeleteAclsMatchingAcl>,
}

impl Default for DeleteAclsFilterResult {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            matching_acls: Vec::new(),
        }
    }
}

impl Element for DeleteAclsFilterResult {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            matching_acls: reader.array(version, flexible, "MatchingAcls")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.array(version, flexible, "MatchingAcls", &self.matching_acls)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DeleteAclsMatchingAcl` of `DeleteAclsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeleteAclsMatchingAcl {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
    /// `PatternType`; default 3.
    pub pattern_type: i8,
    /// `Principal`.
    pub principal: String,
    /// `Host`.
    pub host: String,
    /// `Operation`.
    pub operation: i8,
    /// `PermissionType`.
    pub permission_type: i8,
}

impl Default for DeleteAclsMatchingAcl {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            resource_type: 0,
            resource_name: String::new(),
            pattern_type: 3,
            principal: String::new(),
            host: String::new(),
            operation: 0,
            permission_type: 0,
        }
    }
}

impl Element for DeleteAclsMatchingAcl {
    const MINIMUM_SIZE: usize = 11;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            resource_type: reader.i8("ResourceType")?,
            resource_name: reader.string(flexible, "ResourceName")?,
            pattern_type: reader.i8("PatternType")?,
            principal: reader.string(flexible, "Principal")?,
            host: reader.string(flexible, "Host")?,
            operation: reader.i8("Operation")?,
            permission_type: reader.i8("PermissionType")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.i8(self.resource_type);
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        writer.i8(self.pattern_type);
        writer.string(flexible, "Principal", &self.principal)?;
        writer.string(flexible, "Host", &self.host)?;
        writer.i8(self.operation);
        writer.i8(self.permission_type);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DeleteAclsResponse {
    const NAME: &'static str = "DeleteAclsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }

    fn throttle_time_ms(&self) -> i32 {
        self.throttle_time_ms
    }

    fn set_throttle_time_ms(&mut self, time: i32) {
        self.throttle_time_ms = time
    }
}
