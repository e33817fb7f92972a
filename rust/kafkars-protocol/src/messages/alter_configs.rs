// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AlterConfigs (API key 33): versions 0 to 2, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `AlterConfigsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterConfigsRequest {
    /// `Resources`.
    pub resources: Vec<AlterConfigsResource>,
    /// `ValidateOnly`.
    pub validate_only: bool,
}

impl Element for AlterConfigsRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resources: reader.array(version, flexible, "Resources")?,
            validate_only: reader.bool("ValidateOnly")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Resources", &self.resources)?;
        writer.bool(self.validate_only);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterConfigsRequest { "resources": resources, "validate_only": validate_only });

/// `AlterConfigsResource` of `AlterConfigsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterConfigsResource {
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
    /// `Configs`.
    pub configs: Vec<AlterableConfig>,
}

impl Element for AlterConfigsResource {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_type: reader.i8("ResourceType")?,
            resource_name: reader.string(flexible, "ResourceName")?,
            configs: reader.array(version, flexible, "Configs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i8(self.resource_type);
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        writer.array(version, flexible, "Configs", &self.configs)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterConfigsResource { "resource_type": resource_type, "resource_name": resource_name, "configs": configs });

/// `AlterableConfig` of `AlterConfigsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterableConfig {
    /// `Name`.
    pub name: String,
    /// `Value`; default empty, may be null.
    pub value: Option<String>,
}

impl Default for AlterableConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: Some(String::new()),
        }
    }
}

impl Element for AlterableConfig {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            value: reader.nullable_string(flexible, "Value")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.nullable_string(flexible, "Value", self.value.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterableConfig { "name": name, "value": value });

impl Message for AlterConfigsRequest {
    const NAME: &'static str = "AlterConfigsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AlterConfigsRequest {
    const API_KEY: ApiKey = ApiKey::AlterConfigs;
    type Response = AlterConfigsResponse;
}

/// Kafka's `AlterConfigsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterConfigsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Responses`.
    pub responses: Vec<AlterConfigsResourceResponse>,
}

impl Element for AlterConfigsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            responses: reader.array(version, flexible, "Responses")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Responses", &self.responses)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AlterConfigsResourceResponse` of `AlterConfigsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterConfigsResourceResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
}

impl Default for AlterConfigsResourceResponse {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            resource_type: 0,
            resource_name: String::new(),
        }
    }
}

impl Element for AlterConfigsResourceResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            resource_type: reader.i8("ResourceType")?,
            resource_name: reader.string(flexible, "ResourceName")?,
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
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for AlterConfigsResponse {
    const NAME: &'static str = "AlterConfigsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
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
