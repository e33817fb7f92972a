// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! JoinGroup (API key 11): versions 0 to 9, flexible since version 6.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `JoinGroupRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinGroupRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `SessionTimeoutMs`, in milliseconds.
    pub session_timeout_ms: i32,
    /// `RebalanceTimeoutMs`, in milliseconds; since version 1, default -1.
    pub rebalance_timeout_ms: i32,
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; since version 5, may be null.
    pub group_instance_id: Option<String>,
    /// `ProtocolType`.
    pub protocol_type: String,
    /// `Protocols`.
    pub protocols: Vec<JoinGroupRequestProtocol>,
    /// `Reason`; since version 8, may be null.
    pub reason: Option<String>,
}

impl Default for JoinGroupRequest {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            session_timeout_ms: 0,
            rebalance_timeout_ms: -1,
            member_id: String::new(),
            group_instance_id: None,
            protocol_type: String::new(),
            protocols: Vec::new(),
            reason: None,
        }
    }
}

impl Element for JoinGroupRequest {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            session_timeout_ms: reader.i32("SessionTimeoutMs")?,
            rebalance_timeout_ms: if version >= 1 {
                reader.i32("RebalanceTimeoutMs")?
            } else {
                -1
            },
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: if version >= 5 {
                reader.nullable_string(flexible, "GroupInstanceId")?
            } else {
                None
            },
            protocol_type: reader.string(flexible, "ProtocolType")?,
            protocols: reader.array(version, flexible, "Protocols")?,
            reason: if version >= 8 {
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
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.i32(self.session_timeout_ms);
        if version >= 1 {
            writer.i32(self.rebalance_timeout_ms);
        }
        writer.string(flexible, "MemberId", &self.member_id)?;
        if version >= 5 {
            writer.nullable_string(
                flexible,
                "GroupInstanceId",
                self.group_instance_id.as_deref(),
            )?;
        } else if self.group_instance_id.is_some() {
            return Err(writer.absent(version, "GroupInstanceId"));
        }
        writer.string(flexible, "ProtocolType", &self.protocol_type)?;
        writer.array(version, flexible, "Protocols", &self.protocols)?;
        if version >= 8 {
            writer.nullable_string(flexible, "Reason", self.reason.as_deref())?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(JoinGroupRequest { "group_id": group_id, "session_timeout_ms": session_timeout_ms, "rebalance_timeout_ms": rebalance_timeout_ms, "member_id": member_id, "group_instance_id": group_instance_id, "protocol_type": protocol_type, "protocols": protocols, "reason": reason });

/// `JoinGroupRequestProtocol` of `JoinGroupRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct JoinGroupRequestProtocol {
    /// `Name`.
    pub name: String,
    /// `Metadata`.
    pub metadata: Bytes,
}

impl Element for JoinGroupRequestProtocol {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            metadata: reader.bytes(flexible, "Metadata")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.bytes(flexible, "Metadata", &self.metadata)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(JoinGroupRequestProtocol { "name": name, "metadata": metadata });

impl Message for JoinGroupRequest {
    const NAME: &'static str = "JoinGroupRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 9 };
    const FLEXIBLE_FROM: Option<i16> = Some(6);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for JoinGroupRequest {
    const API_KEY: ApiKey = ApiKey::JoinGroup;
    type Response = JoinGroupResponse;
}

/// Kafka's `JoinGroupResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinGroupResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 2.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `GenerationId`; default -1.
    pub generation_id: i32,
    /// `ProtocolType`; since version 7, may be null.
    pub protocol_type: Option<String>,
    /// `ProtocolName`; default empty, may be null since version 7.
    pub protocol_name: Option<String>,
    /// `Leader`.
    pub leader: String,
    /// `SkipAssignment`; since version 9.
    pub skip_assignment: bool,
    /// `MemberId`.
    pub member_id: String,
    /// `Members`.
    pub members: Vec<JoinGroupResponseMember>,
}

impl Default for JoinGroupResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            generation_id: -1,
            protocol_type: None,
            protocol_name: Some(String::new()),
            leader: String::new(),
            skip_assignment: false,
            member_id: String::new(),
            members: Vec::new(),
        }
    }
}

impl Element for JoinGroupResponse {
    const MINIMUM_SIZE: usize = 15;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 2 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            error_code: reader.i16("ErrorCode")?,
            generation_id: reader.i32("GenerationId")?,
            protocol_type: if version >= 7 {
                reader.nullable_string(flexible, "ProtocolType")?
            } else {
                None
            },
            protocol_name: if version >= 7 {
                reader.nullable_string(flexible, "ProtocolName")?
            } else {
                Some(reader.string(flexible, "ProtocolName")?)
            },
            leader: reader.string(flexible, "Leader")?,
            skip_assignment: if version >= 9 {
                reader.bool("SkipAssignment")?
            } else {
                false
            },
            member_id: reader.string(flexible, "MemberId")?,
            members: reader.array(version, flexible, "Members")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 2 {
            writer.i32(self.throttle_time_ms);
        }
        writer.i16(self.error_code);
        writer.i32(self.generation_id);
        if version >= 7 {
            writer.nullable_string(flexible, "ProtocolType", self.protocol_type.as_deref())?;
        }
        if version >= 7 {
            writer.nullable_string(flexible, "ProtocolName", self.protocol_name.as_deref())?;
        } else {
            let value = writer.required(version, "ProtocolName", &self.protocol_name)?;
            writer.string(flexible, "ProtocolName", value)?;
        }
        writer.string(flexible, "Leader", &self.leader)?;
        if version >= 9 {
            writer.bool(self.skip_assignment);
        } else if self.skip_assignment {
            return Err(writer.absent(version, "SkipAssignment"));
        }
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.array(version, flexible, "Members", &self.members)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `JoinGroupResponseMember` of `JoinGroupResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct JoinGroupResponseMember {
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; since version 5, may be null.
    pub group_instance_id: Option<String>,
    /// `Metadata`.
    pub metadata: Bytes,
}

impl Element for JoinGroupResponseMember {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: if version >= 5 {
                reader.nullable_string(flexible, "GroupInstanceId")?
            } else {
                None
            },
            metadata: reader.bytes(flexible, "Metadata")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "MemberId", &self.member_id)?;
        if version >= 5 {
            writer.nullable_string(
                flexible,
                "GroupInstanceId",
                self.group_instance_id.as_deref(),
            )?;
        }
        writer.bytes(flexible, "Metadata", &self.metadata)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for JoinGroupResponse {
    const NAME: &'static str = "JoinGroupResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 9 };
    const FLEXIBLE_FROM: Option<i16> = Some(6);

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
