// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ShareAcknowledge (API key 79): versions 1 to 2, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ShareAcknowledgeRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ShareAcknowledgeRequest {
    /// `GroupId`; may be null.
    pub group_id: Option<String>,
    /// `MemberId`; default empty, may be null.
    pub member_id: Option<String>,
    /// `ShareSessionEpoch`.
    pub share_session_epoch: i32,
    /// `IsRenewAck`; since version 2.
    pub is_renew_ack: bool,
    /// `Topics`.
    pub topics: Vec<AcknowledgeTopic>,
}

impl Default for ShareAcknowledgeRequest {
    fn default() -> Self {
        Self {
            group_id: None,
            member_id: Some(String::new()),
            share_session_epoch: 0,
            is_renew_ack: false,
            topics: Vec::new(),
        }
    }
}

impl Element for ShareAcknowledgeRequest {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.nullable_string(flexible, "GroupId")?,
            member_id: reader.nullable_string(flexible, "MemberId")?,
            share_session_epoch: reader.i32("ShareSessionEpoch")?,
            is_renew_ack: if version >= 2 {
                reader.bool("IsRenewAck")?
            } else {
                false
            },
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_string(flexible, "GroupId", self.group_id.as_deref())?;
        writer.nullable_string(flexible, "MemberId", self.member_id.as_deref())?;
        writer.i32(self.share_session_epoch);
        if version >= 2 {
            writer.bool(self.is_renew_ack);
        } else if self.is_renew_ack {
            return Err(writer.absent(version, "IsRenewAck"));
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ShareAcknowledgeRequest { "group_id": group_id, "member_id": member_id, "share_session_epoch": share_session_epoch, "is_renew_ack": is_renew_ack, "topics": topics });

/// `AcknowledgeTopic` of `ShareAcknowledgeRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AcknowledgeTopic {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<AcknowledgePartition>,
}

impl Element for AcknowledgeTopic {
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

describe!(AcknowledgeTopic { "topic_id": topic_id, "partitions": partitions });

/// `AcknowledgePartition` of `ShareAcknowledgeRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AcknowledgePartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `AcknowledgementBatches`.
    pub acknowledgement_batches: Vec<AcknowledgementBatch>,
}

impl Element for AcknowledgePartition {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            acknowledgement_batches: reader.array(version, flexible, "AcknowledgementBatches")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.array(
            version,
            flexible,
            "AcknowledgementBatches",
            &self.acknowledgement_batches,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AcknowledgePartition { "partition_index": partition_index, "acknowledgement_batches": acknowledgement_batches });

/// `AcknowledgementBatch` of `ShareAcknowledgeRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AcknowledgementBatch {
    /// `FirstOffset`.
    pub first_offset: i64,
    /// `LastOffset`.
    pub last_offset: i64,
    /// `AcknowledgeTypes`.
    pub acknowledge_types: Vec<i8>,
}

impl Element for AcknowledgementBatch {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            first_offset: reader.i64("FirstOffset")?,
            last_offset: reader.i64("LastOffset")?,
            acknowledge_types: reader.array(version, flexible, "AcknowledgeTypes")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i64(self.first_offset);
        writer.i64(self.last_offset);
        writer.array(
            version,
            flexible,
            "AcknowledgeTypes",
            &self.acknowledge_types,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AcknowledgementBatch { "first_offset": first_offset, "last_offset": last_offset, "acknowledge_types": acknowledge_types });

impl Message for ShareAcknowledgeRequest {
    const NAME: &'static str = "ShareAcknowledgeRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ShareAcknowledgeRequest {
    const API_KEY: ApiKey = ApiKey::ShareAcknowledge;
    type Response = ShareAcknowledgeResponse;
}

/// Kafka's `ShareAcknowledgeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShareAcknowledgeResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `AcquisitionLockTimeoutMs`, in milliseconds; since version 2.
    pub acquisition_lock_timeout_ms: i32,
    /// `Responses`.
    pub responses: Vec<ShareAcknowledgeTopicResponse>,
    /// `NodeEndpoints`.
    pub node_endpoints: Vec<NodeEndpoint>,
}

impl Element for ShareAcknowledgeResponse {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            acquisition_lock_timeout_ms: if version >= 2 {
                reader.i32("AcquisitionLockTimeoutMs")?
            } else {
                0
            },
            responses: reader.array(version, flexible, "Responses")?,
            node_endpoints: reader.array(version, flexible, "NodeEndpoints")?,
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
        if version >= 2 {
            writer.i32(self.acquisition_lock_timeout_ms);
        }
        writer.array(version, flexible, "Responses", &self.responses)?;
        writer.array(version, flexible, "NodeEndpoints", &self.node_endpoints)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ShareAcknowledgeTopicResponse` of `ShareAcknowledgeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ShareAcknowledgeTopicResponse {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionData>,
}

impl Element for ShareAcknowledgeTopicResponse {
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

/// `PartitionData` of `ShareAcknowledgeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionData {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `CurrentLeader`.
    pub current_leader: LeaderIdAndEpoch,
}

impl Element for PartitionData {
    const MINIMUM_SIZE: usize = 17;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            current_leader: LeaderIdAndEpoch::read(reader, version, flexible)?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        self.current_leader.write(writer, version, flexible)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `LeaderIdAndEpoch` of `ShareAcknowledgeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`.
    pub leader_id: i32,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
}

impl Element for LeaderIdAndEpoch {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            leader_id: reader.i32("LeaderId")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.leader_id);
        writer.i32(self.leader_epoch);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `NodeEndpoint` of `ShareAcknowledgeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodeEndpoint {
    /// `NodeId`.
    pub node_id: i32,
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: i32,
    /// `Rack`; may be null.
    pub rack: Option<String>,
}

impl Element for NodeEndpoint {
    const MINIMUM_SIZE: usize = 11;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            node_id: reader.i32("NodeId")?,
            host: reader.string(flexible, "Host")?,
            port: reader.i32("Port")?,
            rack: reader.nullable_string(flexible, "Rack")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.node_id);
        writer.string(flexible, "Host", &self.host)?;
        writer.i32(self.port);
        writer.nullable_string(flexible, "Rack", self.rack.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ShareAcknowledgeResponse {
    const NAME: &'static str = "ShareAcknowledgeResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
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
