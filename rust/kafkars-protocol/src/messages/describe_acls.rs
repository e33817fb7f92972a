// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeAcls (API key 29): versions 1 to 3, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeAclsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeAclsRequest {
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

impl Default for DescribeAclsRequest {
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

impl Element for DescribeAclsRequest {
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

describe!(DescribeAclsRequest { "resource_type_filter": resource_type_filter, "resource_name_filter": resource_name_filter, "pattern_type_filter": pattern_type_filter, "principal_filter": principal_filter, "host_filter": host_filter, "operation": operation, "permission_type": permission_type });

impl Message for DescribeAclsRequest {
    const NAME: &'static str = "DescribeAclsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeAclsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeAcls;
    type Response = DescribeAclsResponse;
}

/// Kafka's `DescribeAclsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeAclsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `Resources`.
    pub resources: Vec<DescribeAclsResource>,
}

impl Default for DescribeAclsResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
            resources: Vec::new(),
        }
    }
}

impl Element for DescribeAclsResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            resources: reader.array(version, flexible, "Resources")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.array(version, flexible, "Resources", &self.resources)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeAclsResource` of `DescribeAclsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeAclsResource {
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
    /// `PatternType`; default 3.
    pub pattern_type: i8,
    /// `Acls`.
    pub acls: Vec<AclDescription>,
}

impl Default for DescribeAclsResource {
    fn default() -> Self {
        Self {
            resource_type: 0,
            resource_name: String::new(),
            pattern_type: 3,
            acls: Vec::new(),
        }
    }
}

impl Element for DescribeAclsResource {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_type: reader.i8("ResourceType")?,
            resource_name: reader.string(flexible, "ResourceName")?,
            pattern_type: reader.i8("PatternType")?,
            acls: reader.array(version, flexible, "Acls")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i8(self.resource_type);
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        writer.i8(self.pattern_type);
        writer.array(version, flexible, "Acls", &self.acls)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AclDescription` of `DescribeAclsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AclDescription {
    /// `Principal`.
    pub principal: String,
    /// `Host`.
    pub host: String,
    /// `Operation`.
    pub operation: i8,
    /// `PermissionType`.
    pub permission_type: i8,
}

impl Element for AclDescription {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
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
        writer.string(flexible, "Principal", &self.principal)?;
        writer.string(flexible, "Host", &self.host)?;
        writer.i8(self.operation);
        writer.i8(self.permission_type);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeAclsResponse {
    const NAME: &'static str = "DescribeAclsResponse";
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
