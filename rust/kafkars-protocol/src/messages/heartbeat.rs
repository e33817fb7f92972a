// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! Heartbeat (API key 12): versions 0 to 4, flexible since version 4.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `HeartbeatRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct HeartbeatRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `GenerationId`.
    pub generation_id: i32,
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; since version 3, may be null.
    pub group_instance_id: Option<String>,
}

impl Element for HeartbeatRequest {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            generation_id: reader.i32("GenerationId")?,
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: if version >= 3 {
                reader.nullable_string(flexible, "GroupInstanceId")?
            } else {
                None
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.i32(self.generation_id);
        writer.string(flexible, "MemberId", &self.member_id)?;
        if version >= 3 {
            writer.nullable_string(
                flexible,
                "GroupInstanceId",
                self.group_instance_id.as_deref(),
            )?;
        } else if self.group_instance_id.is_some() {
            return Err(writer.absent(version, "GroupInstanceId"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(HeartbeatRequest { "group_id": group_id, "generation_id": generation_id, "member_id": member_id, "group_instance_id": group_instance_id });

impl Message for HeartbeatRequest {
    const NAME: &'static str = "HeartbeatRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for HeartbeatRequest {
    const API_KEY: ApiKey = ApiKey::Heartbeat;
    type Response = HeartbeatResponse;
}

/// Kafka's `HeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct HeartbeatResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for HeartbeatResponse {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            error_code: reader.i16("ErrorCode")?,
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
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for HeartbeatResponse {
    const NAME: &'static str = "HeartbeatResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 4 };
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
