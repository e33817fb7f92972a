// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ConsumerGroupHeartbeat (API key 68): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ConsumerGroupHeartbeatRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumerGroupHeartbeatRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `MemberId`.
    pub member_id: String,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `InstanceId`; may be null.
    pub instance_id: Option<String>,
    /// `RackId`; may be null.
    pub rack_id: Option<String>,
    /// `RebalanceTimeoutMs`, in milliseconds; default -1.
    pub rebalance_timeout_ms: i32,
    /// `SubscribedTopicNames`; may be null.
    pub subscribed_topic_names: Option<Vec<String>>,
    /// `SubscribedTopicRegex`; since version 1, may be null.
    pub subscribed_topic_regex: Option<String>,
    /// `ServerAssignor`; may be null.
    pub server_assignor: Option<String>,
    /// `TopicPartitions`; may be null.
    pub topic_partitions: Option<Vec<TopicPartitions>>,
}

impl Default for ConsumerGroupHeartbeatRequest {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            member_id: String::new(),
            member_epoch: 0,
            instance_id: None,
            rack_id: None,
            rebalance_timeout_ms: -1,
            subscribed_topic_names: None,
            subscribed_topic_regex: None,
            server_assignor: None,
            topic_partitions: None,
        }
    }
}

impl Element for ConsumerGroupHeartbeatRequest {
    const MINIMUM_SIZE: usize = 16;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            member_id: reader.string(flexible, "MemberId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            instance_id: reader.nullable_string(flexible, "InstanceId")?,
            rack_id: reader.nullable_string(flexible, "RackId")?,
            rebalance_timeout_ms: reader.i32("RebalanceTimeoutMs")?,
            subscribed_topic_names: reader.nullable_array(
                version,
                flexible,
                "SubscribedTopicNames",
            )?,
            subscribed_topic_regex: if version >= 1 {
                reader.nullable_string(flexible, "SubscribedTopicRegex")?
            } else {
                None
            },
            server_assignor: reader.nullable_string(flexible, "ServerAssignor")?,
            topic_partitions: reader.nullable_array(version, flexible, "TopicPartitions")?,
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
        writer.nullable_string(flexible, "InstanceId", self.instance_id.as_deref())?;
        writer.nullable_string(flexible, "RackId", self.rack_id.as_deref())?;
        writer.i32(self.rebalance_timeout_ms);
        writer.nullable_array(
            version,
            flexible,
            "SubscribedTopicNames",
            self.subscribed_topic_names.as_deref(),
        )?;
        if version >= 1 {
            writer.nullable_string(
                flexible,
                "SubscribedTopicRegex",
                self.subscribed_topic_regex.as_deref(),
            )?;
        } else if self.subscribed_topic_regex.is_some() {
            return Err(writer.absent(version, "SubscribedTopicRegex"));
        }
        writer.nullable_string(flexible, "ServerAssignor", self.server_assignor.as_deref())?;
        writer.nullable_array(
            version,
            flexible,
            "TopicPartitions",
            self.topic_partitions.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ConsumerGroupHeartbeatRequest { "group_id": group_id, "member_id": member_id, "member_epoch": member_epoch, "instance_id": instance_id, "rack_id": rack_id, "rebalance_timeout_ms": rebalance_timeout_ms, "subscribed_topic_names": subscribed_topic_names, "subscribed_topic_regex": subscribed_topic_regex, "server_assignor": server_assignor, "topic_partitions": topic_partitions });

/// `TopicPartitions` of `ConsumerGroupHeartbeatRequest`.
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

describe!(TopicPartitions { "topic_id": topic_id, "partitions": partitions });

impl Message for ConsumerGroupHeartbeatRequest {
    const NAME: &'static str = "ConsumerGroupHeartbeatRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ConsumerGroupHeartbeatRequest {
    const API_KEY: ApiKey = ApiKey::ConsumerGroupHeartbeat;
    type Response = ConsumerGroupHeartbeatResponse;
}

/// Kafka's `ConsumerGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ConsumerGroupHeartbeatResponse {
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

impl Element for ConsumerGroupHeartbeatResponse {
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

/// `Assignment` of `ConsumerGroupHeartbeatResponse`.
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

impl Message for ConsumerGroupHeartbeatResponse {
    const NAME: &'static str = "ConsumerGroupHeartbeatResponse";
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
