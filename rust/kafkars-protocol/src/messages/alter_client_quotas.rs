// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AlterClientQuotas (API key 49): versions 0 to 1, flexible since version 1.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `AlterClientQuotasRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterClientQuotasRequest {
    /// `Entries`.
    pub entries: Vec<EntryData>,
    /// `ValidateOnly`.
    pub validate_only: bool,
}

impl Element for AlterClientQuotasRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            entries: reader.array(version, flexible, "Entries")?,
            validate_only: reader.bool("ValidateOnly")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Entries", &self.entries)?;
        writer.bool(self.validate_only);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterClientQuotasRequest { "entries": entries, "validate_only": validate_only });

/// `EntryData` of `AlterClientQuotasRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct EntryData {
    /// `Entity`.
    pub entity: Vec<EntityData>,
    /// `Ops`.
    pub ops: Vec<OpData>,
}

impl Element for EntryData {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            entity: reader.array(version, flexible, "Entity")?,
            ops: reader.array(version, flexible, "Ops")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Entity", &self.entity)?;
        writer.array(version, flexible, "Ops", &self.ops)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(EntryData { "entity": entity, "ops": ops });

/// `EntityData` of `AlterClientQuotasRequest`.
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

describe!(EntityData { "entity_type": entity_type, "entity_name": entity_name });

/// `OpData` of `AlterClientQuotasRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OpData {
    /// `Key`.
    pub key: String,
    /// `Value`.
    pub value: f64,
    /// `Remove`.
    pub remove: bool,
}

impl Element for OpData {
    const MINIMUM_SIZE: usize = 11;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            key: reader.string(flexible, "Key")?,
            value: reader.f64("Value")?,
            remove: reader.bool("Remove")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Key", &self.key)?;
        writer.f64(self.value);
        writer.bool(self.remove);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OpData { "key": key, "value": value, "remove": remove });

impl Message for AlterClientQuotasRequest {
    const NAME: &'static str = "AlterClientQuotasRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AlterClientQuotasRequest {
    const API_KEY: ApiKey = ApiKey::AlterClientQuotas;
    type Response = AlterClientQuotasResponse;
}

/// Kafka's `AlterClientQuotasResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterClientQuotasResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Entries`.
    pub entries: Vec<ResponseEntryData>,
}

impl Element for AlterClientQuotasResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            entries: reader.array(version, flexible, "Entries")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Entries", &self.entries)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `EntryData` of `AlterClientQuotasResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseEntryData {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `Entity`.
    pub entity: Vec<EntityData>,
}

impl Default for ResponseEntryData {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            entity: Vec::new(),
        }
    }
}

impl Element for ResponseEntryData {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            entity: reader.array(version, flexible, "Entity")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.array(version, flexible, "Entity", &self.entity)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for AlterClientQuotasResponse {
    const NAME: &'static str = "AlterClientQuotasResponse";
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
