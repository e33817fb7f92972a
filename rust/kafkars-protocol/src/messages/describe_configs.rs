// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeConfigs (API key 32): versions 1 to 4, flexible since version 4.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeConfigsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeConfigsRequest {
    /// `Resources`.
    pub resources: Vec<DescribeConfigsResource>,
    /// `IncludeSynonyms`.
    pub include_synonyms: bool,
    /// `IncludeDocumentation`; since version 3.
    pub include_documentation: bool,
}

impl Element for DescribeConfigsRequest {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resources: reader.array(version, flexible, "Resources")?,
            include_synonyms: reader.bool("IncludeSynonyms")?,
            include_documentation: if version >= 3 {
                reader.bool("IncludeDocumentation")?
            } else {
                false
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Resources", &self.resources)?;
        writer.bool(self.include_synonyms);
        if version >= 3 {
            writer.bool(self.include_documentation);
        } else if self.include_documentation {
            return Err(writer.absent(version, "IncludeDocumentation"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeConfigsRequest { "resources": resources, "include_synonyms": include_synonyms, "include_documentation": include_documentation });

/// `DescribeConfigsResource` of `DescribeConfigsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeConfigsResource {
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
    /// `ConfigurationKeys`; default empty, may be null.
    pub configuration_keys: Option<Vec<String>>,
}

impl Default for DescribeConfigsResource {
    fn default() -> Self {
        Self {
            resource_type: 0,
            resource_name: String::new(),
            configuration_keys: Some(Vec::new()),
        }
    }
}

impl Element for DescribeConfigsResource {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            resource_type: reader.i8("ResourceType")?,
            resource_name: reader.string(flexible, "ResourceName")?,
            configuration_keys: reader.nullable_array(version, flexible, "ConfigurationKeys")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i8(self.resource_type);
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        writer.nullable_array(
            version,
            flexible,
            "ConfigurationKeys",
            self.configuration_keys.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeConfigsResource { "resource_type": resource_type, "resource_name": resource_name, "configuration_keys": configuration_keys });

impl Message for DescribeConfigsRequest {
    const NAME: &'static str = "DescribeConfigsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeConfigsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeConfigs;
    type Response = DescribeConfigsResponse;
}

/// Kafka's `DescribeConfigsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeConfigsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Results`.
    pub results: Vec<DescribeConfigsResult>,
}

impl Element for DescribeConfigsResponse {
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

/// `DescribeConfigsResult` of `DescribeConfigsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeConfigsResult {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `ResourceType`.
    pub resource_type: i8,
    /// `ResourceName`.
    pub resource_name: String,
    /// `Configs`.
    pub configs: Vec<DescribeConfigsResourceResult>,
}

impl Default for DescribeConfigsResult {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            resource_type: 0,
            resource_name: String::new(),
            configs: Vec::new(),
        }
    }
}

impl Element for DescribeConfigsResult {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
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
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.i8(self.resource_type);
        writer.string(flexible, "ResourceName", &self.resource_name)?;
        writer.array(version, flexible, "Configs", &self.configs)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeConfigsResourceResult` of `DescribeConfigsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeConfigsResourceResult {
    /// `Name`.
    pub name: String,
    /// `Value`; default empty, may be null.
    pub value: Option<String>,
    /// `ReadOnly`.
    pub read_only: bool,
    /// `ConfigSource`; default -1.
    pub config_source: i8,
    /// `IsSensitive`.
    pub is_sensitive: bool,
    /// `Synonyms`.
    pub synonyms: Vec<DescribeConfigsSynonym>,
    /// `ConfigType`; since version 3.
    pub config_type: i8,
    /// `Documentation`; since version 3, default empty, may be null.
    pub documentation: Option<String>,
}

impl Default for DescribeConfigsResourceResult {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: Some(String::new()),
            read_only: false,
            config_source: -1,
            is_sensitive: false,
            synonyms: Vec::new(),
            config_type: 0,
            documentation: Some(String::new()),
        }
    }
}

impl Element for DescribeConfigsResourceResult {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            value: reader.nullable_string(flexible, "Value")?,
            read_only: reader.bool("ReadOnly")?,
            config_source: reader.i8("ConfigSource")?,
            is_sensitive: reader.bool("IsSensitive")?,
            synonyms: reader.array(version, flexible, "Synonyms")?,
            config_type: if version >= 3 {
                reader.i8("ConfigType")?
            } else {
                0
            },
            documentation: if version >= 3 {
                reader.nullable_string(flexible, "Documentation")?
            } else {
                Some(String::new())
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.nullable_string(flexible, "Value", self.value.as_deref())?;
        writer.bool(self.read_only);
        writer.i8(self.config_source);
        writer.bool(self.is_sensitive);
        writer.array(version, flexible, "Synonyms", &self.synonyms)?;
        if version >= 3 {
            writer.i8(self.config_type);
        }
        if version >= 3 {
            writer.nullable_string(flexible, "Documentation", self.documentation.as_deref())?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeConfigsSynonym` of `DescribeConfigsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeConfigsSynonym {
    /// `Name`.
    pub name: String,
    /// `Value`; default empty, may be null.
    pub value: Option<String>,
    /// `Source`.
    pub source: i8,
}

impl Default for DescribeConfigsSynonym {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: Some(String::new()),
            source: 0,
        }
    }
}

impl Element for DescribeConfigsSynonym {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            value: reader.nullable_string(flexible, "Value")?,
            source: reader.i8("Source")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.nullable_string(flexible, "Value", self.value.as_deref())?;
        writer.i8(self.source);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeConfigsResponse {
    const NAME: &'static str = "DescribeConfigsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

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
