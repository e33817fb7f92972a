// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! LeaveGroup (API key 13): versions 0 to 5, flexible since version 4.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `LeaveGroupRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LeaveGroupRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `MemberId`; up to version 2.
    pub member_id: String,
    /// `Members`; since version 3.
    pub members: Vec<MemberIdentity>,
}

impl Element for LeaveGroupRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            member_id: if version <= 2 {
                reader.string(flexible, "MemberId")?
            } else {
                String::new()
            },
            members: if version >= 3 {
                reader.array(version, flexible, "Members")?
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
        writer.string(flexible, "GroupId", &self.group_id)?;
        if version <= 2 {
            writer.string(flexible, "MemberId", &self.member_id)?;
        } else if !self.member_id.is_empty() {
            return Err(writer.absent(version, "MemberId"));
        }
        if version >= 3 {
            writer.array(version, flexible, "Members", &self.members)?;
        } else if !self.members.is_empty() {
            return Err(writer.absent(version, "Members"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(LeaveGroupRequest { "group_id": group_id, "member_id": member_id, "members": members });

/// `MemberIdentity` of `LeaveGroupRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MemberIdentity {
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; may be null.
    pub group_instance_id: Option<String>,
    /// `Reason`; since version 5, may be null.
    pub reason: Option<String>,
}

impl Element for MemberIdentity {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: reader.nullable_string(flexible, "GroupInstanceId")?,
            reason: if version >= 5 {
                reader.nullable_string(flexible, "Reason")?
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
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.nullable_string(
            flexible,
            "GroupInstanceId",
            self.group_instance_id.as_deref(),
        )?;
        if version >= 5 {
            writer.nullable_string(flexible, "Reason", self.reason.as_deref())?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(MemberIdentity { "member_id": member_id, "group_instance_id": group_instance_id, "reason": reason });

impl Message for LeaveGroupRequest {
    const NAME: &'static str = "LeaveGroupRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for LeaveGroupRequest {
    const API_KEY: ApiKey = ApiKey::LeaveGroup;
    type Response = LeaveGroupResponse;
}

/// Kafka's `LeaveGroupResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LeaveGroupResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Members`; since version 3.
    pub members: Vec<MemberResponse>,
}

impl Element for LeaveGroupResponse {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            error_code: reader.i16("ErrorCode")?,
            members: if version >= 3 {
                reader.array(version, flexible, "Members")?
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
        writer.i16(self.error_code);
        if version >= 3 {
            writer.array(version, flexible, "Members", &self.members)?;
        } else if !self.members.is_empty() {
            return Err(writer.absent(version, "Members"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `MemberResponse` of `LeaveGroupResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct MemberResponse {
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; default empty, may be null.
    pub group_instance_id: Option<String>,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Default for MemberResponse {
    fn default() -> Self {
        Self {
            member_id: String::new(),
            group_instance_id: Some(String::new()),
            error_code: 0,
        }
    }
}

impl Element for MemberResponse {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: reader.nullable_string(flexible, "GroupInstanceId")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.nullable_string(
            flexible,
            "GroupInstanceId",
            self.group_instance_id.as_deref(),
        )?;
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for LeaveGroupResponse {
    const NAME: &'static str = "LeaveGroupResponse";
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
