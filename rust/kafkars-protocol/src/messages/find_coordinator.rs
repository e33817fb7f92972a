// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! FindCoordinator (API key 10): versions 0 to 6, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `FindCoordinatorRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FindCoordinatorRequest {
    /// `Key`; up to version 3.
    pub key: String,
    /// `KeyType`; since version 1.
    pub key_type: i8,
    /// `CoordinatorKeys`; since version 4.
    pub coordinator_keys: Vec<String>,
}

impl Element for FindCoordinatorRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            key: if version <= 3 {
                reader.string(flexible, "Key")?
            } else {
                String::new()
            },
            key_type: if version >= 1 {
                reader.i8("KeyType")?
            } else {
                0
            },
            coordinator_keys: if version >= 4 {
                reader.array(version, flexible, "CoordinatorKeys")?
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
        if version <= 3 {
            writer.string(flexible, "Key", &self.key)?;
        } else if !self.key.is_empty() {
            return Err(writer.absent(version, "Key"));
        }
        if version >= 1 {
            writer.i8(self.key_type);
        } else if self.key_type != 0 {
            return Err(writer.absent(version, "KeyType"));
        }
        if version >= 4 {
            writer.array(version, flexible, "CoordinatorKeys", &self.coordinator_keys)?;
        } else if !self.coordinator_keys.is_empty() {
            return Err(writer.absent(version, "CoordinatorKeys"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(FindCoordinatorRequest { "key": key, "key_type": key_type, "coordinator_keys": coordinator_keys });

impl Message for FindCoordinatorRequest {
    const NAME: &'static str = "FindCoordinatorRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 6 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for FindCoordinatorRequest {
    const API_KEY: ApiKey = ApiKey::FindCoordinator;
    type Response = FindCoordinatorResponse;
}

/// Kafka's `FindCoordinatorResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct FindCoordinatorResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`; up to version 3.
    pub error_code: i16,
    /// `ErrorMessage`; versions 1 to 3, default empty, may be null.
    pub error_message: Option<String>,
    /// `NodeId`; up to version 3.
    pub node_id: i32,
    /// `Host`; up to version 3.
    pub host: String,
    /// `Port`; up to version 3.
    pub port: i32,
    /// `Coordinators`; since version 4.
    pub coordinators: Vec<Coordinator>,
}

impl Default for FindCoordinatorResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
            node_id: 0,
            host: String::new(),
            port: 0,
            coordinators: Vec::new(),
        }
    }
}

impl Element for FindCoordinatorResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            error_code: if version <= 3 {
                reader.i16("ErrorCode")?
            } else {
                0
            },
            error_message: if (1..=3).contains(&version) {
                reader.nullable_message(flexible, "ErrorMessage")?
            } else {
                Some(String::new())
            },
            node_id: if version <= 3 {
                reader.i32("NodeId")?
            } else {
                0
            },
            host: if version <= 3 {
                reader.string(flexible, "Host")?
            } else {
                String::new()
            },
            port: if version <= 3 { reader.i32("Port")? } else { 0 },
            coordinators: if version >= 4 {
                reader.array(version, flexible, "Coordinators")?
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
            writer.i32(self.throttle_time_ms);
        }
        if version <= 3 {
            writer.i16(self.error_code);
        } else if self.error_code != 0 {
            return Err(writer.absent(version, "ErrorCode"));
        }
        if (1..=3).contains(&version) {
            writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        }
        if version <= 3 {
            writer.i32(self.node_id);
        } else if self.node_id != 0 {
            return Err(writer.absent(version, "NodeId"));
        }
        if version <= 3 {
            writer.string(flexible, "Host", &self.host)?;
        } else if !self.host.is_empty() {
            return Err(writer.absent(version, "Host"));
        }
        if version <= 3 {
            writer.i32(self.port);
        } else if self.port != 0 {
            return Err(writer.absent(version, "Port"));
        }
        if version >= 4 {
            writer.array(version, flexible, "Coordinators", &self.coordinators)?;
        } else if !self.coordinators.is_empty() {
            return Err(writer.absent(version, "Coordinators"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Coordinator` of `FindCoordinatorResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinator {
    /// `Key`.
    pub key: String,
    /// `NodeId`.
    pub node_id: i32,
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for Coordinator {
    fn default() -> Self {
        Self {
            key: String::new(),
            node_id: 0,
            host: String::new(),
            port: 0,
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for Coordinator {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            key: reader.string(flexible, "Key")?,
            node_id: reader.i32("NodeId")?,
            host: reader.string(flexible, "Host")?,
            port: reader.i32("Port")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Key", &self.key)?;
        writer.i32(self.node_id);
        writer.string(flexible, "Host", &self.host)?;
        writer.i32(self.port);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for FindCoordinatorResponse {
    const NAME: &'static str = "FindCoordinatorResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 6 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

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
