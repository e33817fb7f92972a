// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ShareGroupHeartbeat (API key 76): version 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ShareGroupHeartbeatRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShareGroupHeartbeatRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `MemberId`.
    pub member_id: String,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `RackId`; may be null.
    pub rack_id: Option<String>,
    /// `SubscribedTopicNames`; may be null.
    pub subscribed_topic_names: Option<Vec<String>>,
}

impl Element for ShareGroupHeartbeatRequest {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            member_id: reader.string(flexible, "MemberId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            rack_id: reader.nullable_string(flexible, "RackId")?,
            subscribed_topic_names: reader.nullable_array(
                version,
                flexible,
                "SubscribedTopicNames",
            )?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.i32(self.member_epoch);
        writer.nullable_string(flexible, "RackId", self.rack_id.as_deref())?;
        writer.nullable_array(
            version,
            flexible,
            "SubscribedTopicNames",
            self.subscribed_topic_names.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ShareGroupHeartbeatRequest { "group_id": group_id, "member_id": member_id, "member_epoch": member_epoch, "rack_id": rack_id, "subscribed_topic_names": subscribed_topic_names });

impl Message for ShareGroupHeartbeatRequest {
    const NAME: &'static str = "ShareGroupHeartbeatRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ShareGroupHeartbeatRequest {
    const API_KEY: ApiKey = ApiKey::ShareGroupHeartbeat;
    type Response = ShareGroupHeartbeatResponse;
}

/// Kafka's `ShareGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShareGroupHeartbeatResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `MemberId`; may be null.
    pub member_id: Option<String>,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `HeartbeatIntervalMs`, in milliseconds.
    pub heartbeat_interval_ms: i32,
    /// `Assignment`; may be null.
    pub assignment: Option<Assignment>,
}

impl Element for ShareGroupHeartbeatResponse {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            member_id: reader.nullable_string(flexible, "MemberId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            heartbeat_interval_ms: reader.i32("HeartbeatIntervalMs")?,
            assignment: reader.nullable_struct(version, flexible, "Assignment")?,
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
        writer.nullable_string(flexible, "MemberId", self.member_id.as_deref())?;
        writer.i32(self.member_epoch);
        writer.i32(self.heartbeat_interval_ms);
        writer.nullable_struct(version, flexible, self.assignment.as_ref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Assignment` of `ShareGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Assignment {
    /// `TopicPartitions`.
    pub topic_partitions: Vec<TopicPartitions>,
}

impl Element for Assignment {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_partitions: reader.array(version, flexible, "TopicPartitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "TopicPartitions", &self.topic_partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TopicPartitions` of `ShareGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicPartitions {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TopicPartitions {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_id: reader.uuid("TopicId")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.uuid(self.topic_id);
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ShareGroupHeartbeatResponse {
    const NAME: &'static str = "ShareGroupHeartbeatResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 1 };
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
