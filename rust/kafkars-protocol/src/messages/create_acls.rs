// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! CreateAcls (API key 30): versions 1 to 3, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `CreateAclsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreateAclsRequest {
    /// `Creations`.
    pub creations: Vec<AclCreation>,
}

impl Element for CreateAclsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            creations: reader.array(version, flexible, "Creations")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Creations", &self.creations)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreateAclsRequest { "creations": creations });

/// `AclCreation` of `CreateAclsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct AclCreation {
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
    /// `ResourcePatternType`; default 3.
    pub resource_pattern_type: i8,
    /// `Principal`.
    pub principal: String,
    /// `Host`.
    pub host: String,
    /// `Operation`.
    pub operation: i8,
    /// `PermissionType`.
    pub permission_type: i8,
}

impl Default for AclCreation {
    fn default() -> Self {
        Self {
            resource_type: 0,
            resource_name: String::new(),
            resource_pattern_type: 3,
            principal: String::new(),
            host: String::new(),
            operation: 0,
            permission_type: 0,
        }
    }
}

impl Element for AclCreation {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_type: reader.i8("ResourceType")?,
            resource_name: reader.string(flexible, "ResourceName")?,
            resource_pattern_type: reader.i8("ResourcePatternType")?,
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
        writer.i8(self.resource_type);
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        writer.i8(self.resource_pattern_type);
        writer.string(flexible, "Principal", &self.principal)?;
        writer.string(flexible, "Host", &self.host)?;
        writer.i8(self.operation);
        writer.i8(self.permission_type);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AclCreation { "resource_type": resource_type, "resource_name": resource_name, "resource_pattern_type": resource_pattern_type, "principal": principal, "host": host, "operation": operation, "permission_type": permission_type });

impl Message for CreateAclsRequest {
    const NAME: &'static str = "CreateAclsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for CreateAclsRequest {
    const API_KEY: ApiKey = ApiKey::CreateAcls;
    type Response = CreateAclsResponse;
}

/// Kafka's `CreateAclsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreateAclsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Results`.
    pub results: Vec<AclCreationResult>,
}

impl Element for CreateAclsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            results: reader.array(version, flexible, "Results")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Results", &self.results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AclCreationResult` of `CreateAclsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct AclCreationResult {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for AclCreationResult {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for AclCreationResult {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for CreateAclsResponse {
    const NAME: &'static str = "CreateAclsResponse";
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
