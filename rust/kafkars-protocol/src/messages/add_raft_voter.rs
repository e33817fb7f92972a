// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AddRaftVoter (API key 80): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `AddRaftVoterRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct AddRaftVoterRequest {
    /// `ClusterId`; default empty, may be null.
    pub cluster_id: Option<String>,
    /// `TimeoutMs`, in milliseconds.
    pub timeout_ms: i32,
    /// `VoterId`.
    pub voter_id: i32,
    /// `VoterDirectoryId`.
    pub voter_directory_id: Uuid,
    /// `Listeners`.
    pub listeners: Vec<Listener>,
    /// `AckWhenCommitted`; since version 1, default true.
    pub ack_when_committed: bool,
}

impl Default for AddRaftVoterRequest {
    fn default() -> Self {
        Self {
            cluster_id: Some(String::new()),
            timeout_ms: 0,
            voter_id: 0,
            voter_directory_id: Uuid::ZERO,
            listeners: Vec::new(),
            ack_when_committed: true,
        }
    }
}

impl Element for AddRaftVoterRequest {
    const MINIMUM_SIZE: usize = 27;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            cluster_id: reader.nullable_string(flexible, "ClusterId")?,
            timeout_ms: reader.i32("TimeoutMs")?,
            voter_id: reader.i32("VoterId")?,
            voter_directory_id: reader.uuid("VoterDirectoryId")?,
            listeners: reader.array(version, flexible, "Listeners")?,
            ack_when_committed: if version >= 1 {
                reader.bool("AckWhenCommitted")?
            } else {
                true
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_string(flexible, "ClusterId", self.cluster_id.as_deref())?;
        writer.i32(self.timeout_ms);
        writer.i32(self.voter_id);
        writer.uuid(self.voter_directory_id);
        writer.array(version, flexible, "Listeners", &self.listeners)?;
        if version >= 1 {
            writer.bool(self.ack_when_committed);
        } else if !self.ack_when_committed {
            return Err(writer.absent(version, "AckWhenCommitted"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AddRaftVoterRequest { "cluster_id": cluster_id, "timeout_ms": timeout_ms, "voter_id": voter_id, "voter_directory_id": voter_directory_id, "listeners": listeners, "ack_when_committed": ack_when_committed });

/// `Listener` of `AddRaftVoterRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Listener {
    /// `Name`.
    pub name: String,
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: u16,
}

impl Element for Listener {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            host: reader.string(flexible, "Host")?,
            port: reader.u16("Port")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.string(flexible, "Host", &self.host)?;
        writer.u16(self.port);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(Listener { "name": name, "host": host, "port": port });

impl Message for AddRaftVoterRequest {
    const NAME: &'static str = "AddRaftVoterRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AddRaftVoterRequest {
    const API_KEY: ApiKey = ApiKey::AddRaftVoter;
    type Response = AddRaftVoterResponse;
}

/// Kafka's `AddRaftVoterResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct AddRaftVoterResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for AddRaftVoterResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for AddRaftVoterResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for AddRaftVoterResponse {
    const NAME: &'static str = "AddRaftVoterResponse";
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
