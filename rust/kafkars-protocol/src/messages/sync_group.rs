// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! SyncGroup (API key 14): versions 0 to 5, flexible since version 4.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `SyncGroupRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SyncGroupRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `GenerationId`.
    pub generation_id: i32,
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; since version 3, may be null.
    pub group_instance_id: Option<String>,
    /// `ProtocolType`; since version 5, may be null.
    pub protocol_type: Option<String>,
    /// `ProtocolName`; since version 5, may be null.
    pub protocol_name: Option<String>,
    /// `Assignments`.
    pub assignments: Vec<SyncGroupRequestAssignment>,
}

impl Element for SyncGroupRequest {
    const MINIMUM_SIZE: usize = 9;

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
            protocol_type: if version >= 5 {
                reader.nullable_string(flexible, "ProtocolType")?
            } else {
                None
            },
            protocol_name: if version >= 5 {
                reader.nullable_string(flexible, "ProtocolName")?
            } else {
                None
            },
            assignments: reader.array(version, flexible, "Assignments")?,
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
        if version >= 5 {
            writer.nullable_string(flexible, "ProtocolType", self.protocol_type.as_deref())?;
        }
        if version >= 5 {
            writer.nullable_string(flexible, "ProtocolName", self.protocol_name.as_deref())?;
        }
        writer.array(version, flexible, "Assignments", &self.assignments)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(SyncGroupRequest { "group_id": group_id, "generation_id": generation_id, "member_id": member_id, "group_instance_id": group_instance_id, "protocol_type": protocol_type, "protocol_name": protocol_name, "assignments": assignments });

/// `SyncGroupRequestAssignment` of `SyncGroupRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SyncGroupRequestAssignment {
    /// `MemberId`.
    pub member_id: String,
    /// `Assignment`.
    pub assignment: Bytes,
}

impl Element for SyncGroupRequestAssignment {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            assignment: reader.bytes(flexible, "Assignment")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.bytes(flexible, "Assignment", &self.assignment)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(SyncGroupRequestAssignment { "member_id": member_id, "assignment": assignment });

impl Message for SyncGroupRequest {
    const NAME: &'static str = "SyncGroupRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for SyncGroupRequest {
    const API_KEY: ApiKey = ApiKey::SyncGroup;
    type Response = SyncGroupResponse;
}

/// Kafka's `SyncGroupResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SyncGroupResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ProtocolType`; since version 5, may be null.
    pub protocol_type: Option<String>,
    /// `ProtocolName`; since version 5, may be null.
    pub protocol_name: Option<String>,
    /// `Assignment`.
    pub assignment: Bytes,
}

impl Element for SyncGroupResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            error_code: reader.i16("ErrorCode")?,
            protocol_type: if version >= 5 {
                reader.nullable_string(flexible, "ProtocolType")?
            } else {
                None
            },
            protocol_name: if version >= 5 {
                reader.nullable_string(flexible, "ProtocolName")?
            } else {
                None
            },
            assignment: reader.bytes(flexible, "Assignment")?,
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
        if version >= 5 {
            writer.nullable_string(flexible, "ProtocolType", self.protocol_type.as_deref())?;
        }
        if version >= 5 {
            writer.nullable_string(flexible, "ProtocolName", self.protocol_name.as_deref())?;
        }
        writer.bytes(flexible, "Assignment", &self.assignment)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for SyncGroupResponse {
    const NAME: &'static str = "SyncGroupResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
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
