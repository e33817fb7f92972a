// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ListConfigResources (API key 74): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ListConfigResourcesRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListConfigResourcesRequest {
    /// `ResourceTypes`; since version 1.
    pub resource_types: Vec<i8>,
}

impl Element for ListConfigResourcesRequest {
    const MINIMUM_SIZE: usize = 1;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_types: if version >= 1 {
                reader.array(version, flexible, "ResourceTypes")?
            } else {
                Vec::new()
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 1 {
            writer.array(version, flexible, "ResourceTypes", &self.resource_types)?;
        } else if !self.resource_types.is_empty() {
            return Err(writer.absent(version, "ResourceTypes"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ListConfigResourcesRequest { "resource_types": resource_types });

impl Message for ListConfigResourcesRequest {
    const NAME: &'static str = "ListConfigResourcesRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ListConfigResourcesRequest {
    const API_KEY: ApiKey = ApiKey::ListConfigResources;
    type Response = ListConfigResourcesResponse;
}

/// Kafka's `ListConfigResourcesResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListConfigResourcesResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ConfigResources`.
    pub config_resources: Vec<ConfigResource>,
}

impl Element for ListConfigResourcesResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            config_resources: reader.array(version, flexible, "ConfigResources")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.array(version, flexible, "ConfigResources", &self.config_resources)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ConfigResource` of `ListConfigResourcesResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigResource {
    /// `ResourceName`.
    pub resource_name: String,
    /// `ResourceType`; since version 1, default 16.
    pub resource_type: i8,
}

impl Default for ConfigResource {
    fn default() -> Self {
        Self {
            resource_name: String::new(),
            resource_type: 16,
        }
    }
}

impl Element for ConfigResource {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_name: reader.string(flexible, "ResourceName")?,
            resource_type: if version >= 1 {
                reader.i8("ResourceType")?
            } else {
                16
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        if version >= 1 {
            writer.i8(self.resource_type);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ListConfigResourcesResponse {
    const NAME: &'static str = "ListConfigResourcesResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

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
