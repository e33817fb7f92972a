// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeClientQuotas (API key 48): versions 0 to 1, flexible since version 1.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeClientQuotasRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeClientQuotasRequest {
    /// `Components`.
    pub components: Vec<ComponentData>,
    /// `Strict`.
    pub strict: bool,
}

impl Element for DescribeClientQuotasRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            components: reader.array(version, flexible, "Components")?,
            strict: reader.bool("Strict")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Components", &self.components)?;
        writer.bool(self.strict);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeClientQuotasRequest { "components": components, "strict": strict });

/// `ComponentData` of `DescribeClientQuotasRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentData {
    /// `EntityType`.
    pub entity_type: String,
    /// `MatchType`.
    pub match_type: i8,
    /// `Match`; default empty, may be null.
    pub r#match: Option<String>,
}

impl Default for ComponentData {
    fn default() -> Self {
        Self {
            entity_type: String::new(),
            match_type: 0,
            r#match: Some(String::new()),
        }
    }
}

impl Element for ComponentData {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            entity_type: reader.string(flexible, "EntityType")?,
            match_type: reader.i8("MatchType")?,
            r#match: reader.nullable_string(flexible, "Match")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "EntityType", &self.entity_type)?;
        writer.i8(self.match_type);
        writer.nullable_string(flexible, "Match", self.r#match.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ComponentData { "entity_type": entity_type, "match_type": match_type, "match": r#match });

impl Message for DescribeClientQuotasRequest {
    const NAME: &'static str = "DescribeClientQuotasRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeClientQuotasRequest {
    const API_KEY: ApiKey = ApiKey::DescribeClientQuotas;
    type Response = DescribeClientQuotasResponse;
}

/// Kafka's `DescribeClientQuotasResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeClientQuotasResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `Entries`; default empty, may be null.
    pub entries: Option<Vec<EntryData>>,
}

impl Default for DescribeClientQuotasResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
            entries: Some(Vec::new()),
        }
    }
}

impl Element for DescribeClientQuotasResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            entries: reader.nullable_array(version, flexible, "Entries")?,
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
        writer.nullable_array(version, flexible, "Entries", self.entries.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `EntryData` of `DescribeClientQuotasResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct EntryData {
    /// `Entity`.
    pub entity: Vec<EntityData>,
    /// `Values`.
    pub values: Vec<ValueData>,
}

impl Element for EntryData {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            entity: reader.array(version, flexible, "Entity")?,
            values: reader.array(version, flexible, "Values")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Entity", &self.entity)?;
        writer.array(version, flexible, "Values", &self.values)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `EntityData` of `DescribeClientQuotasResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityData {
    /// `EntityType`.
    pub entity_type: String,
    /// `EntityName`; default empty, may be null.
    pub entity_name: Option<String>,
}

impl Default for EntityData {
    fn default() -> Self {
        Self {
            entity_type: String::new(),
            entity_name: Some(String::new()),
        }
    }
}

impl Element for EntityData {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            entity_type: reader.string(flexible, "EntityType")?,
            entity_name: reader.nullable_string(flexible, "EntityName")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "EntityType", &self.entity_type)?;
        writer.nullable_string(flexible, "EntityName", self.entity_name.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ValueData` of `DescribeClientQuotasResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ValueData {
    /// `Key`.
    pub key: String,
    /// `Value`.
    pub value: f64,
}

impl Element for ValueData {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            key: reader.string(flexible, "Key")?,
            value: reader.f64("Value")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Key", &self.key)?;
        writer.f64(self.value);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeClientQuotasResponse {
    const NAME: &'static str = "DescribeClientQuotasResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

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
