// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeQuorum (API key 55): versions 0 to 2, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `DescribeQuorumRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeQuorumRequest {
    /// `Topics`.
    pub topics: Vec<TopicData>,
}

impl Element for DescribeQuorumRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeQuorumRequest { "topics": topics });

/// `TopicData` of `DescribeQuorumRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicData {
    /// `TopicName`.
    pub topic_name: String,
    /// `Partitions`.
    pub partitions: Vec<PartitionData>,
}

impl Element for TopicData {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TopicData { "topic_name": topic_name, "partitions": partitions });

/// `PartitionData` of `DescribeQuorumRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionData {
    /// `PartitionIndex`.
    pub partition_index: i32,
}

impl Element for PartitionData {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(PartitionData { "partition_index": partition_index });

impl Message for DescribeQuorumRequest {
    const NAME: &'static str = "DescribeQuorumRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeQuorumRequest {
    const API_KEY: ApiKey = ApiKey::DescribeQuorum;
    type Response = DescribeQuorumResponse;
}

/// Kafka's `DescribeQuorumResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeQuorumResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; since version 2, default empty, may be null.
    pub error_message: Option<String>,
    /// `Topics`.
    pub topics: Vec<ResponseTopicData>,
    /// `Nodes`; since version 2.
    pub nodes: Vec<Node>,
}

impl Default for DescribeQuorumResponse {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            topics: Vec::new(),
            nodes: Vec::new(),
        }
    }
}

impl Element for DescribeQuorumResponse {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: if version >= 2 {
                reader.nullable_message(flexible, "ErrorMessage")?
            } else {
                Some(String::new())
            },
            topics: reader.array(version, flexible, "Topics")?,
            nodes: if version >= 2 {
                reader.array(version, flexible, "Nodes")?
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
        writer.i16(self.error_code);
        if version >= 2 {
            writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        if version >= 2 {
            writer.array(version, flexible, "Nodes", &self.nodes)?;
        } else if !self.nodes.is_empty() {
            return Err(writer.absent(version, "Nodes"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TopicData` of `DescribeQuorumResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ResponseTopicData {
    /// `TopicName`.
    pub topic_name: String,
    /// `Partitions`.
    pub partitions: Vec<ResponsePartitionData>,
}

impl Element for ResponseTopicData {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `PartitionData` of `DescribeQuorumResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponsePartitionData {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; since version 2, default empty, may be null.
    pub error_message: Option<String>,
    /// `LeaderId`.
    pub leader_id: i32,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
    /// `HighWatermark`.
    pub high_watermark: i64,
    /// `CurrentVoters`.
    pub current_voters: Vec<ReplicaState>,
    /// `Observers`.
    pub observers: Vec<ReplicaState>,
}

impl Default for ResponsePartitionData {
    fn default() -> Self {
        Self {
            partition_index: 0,
            error_code: 0,
            error_message: Some(String::new()),
            leader_id: 0,
            leader_epoch: 0,
            high_watermark: 0,
            current_voters: Vec::new(),
            observers: Vec::new(),
        }
    }
}

impl Element for ResponsePartitionData {
    const MINIMUM_SIZE: usize = 25;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: if version >= 2 {
                reader.nullable_message(flexible, "ErrorMessage")?
            } else {
                Some(String::new())
            },
            leader_id: reader.i32("LeaderId")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
            high_watermark: reader.i64("HighWatermark")?,
            current_voters: reader.array(version, flexible, "CurrentVoters")?,
            observers: reader.array(version, flexible, "Observers")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        if version >= 2 {
            writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        }
        writer.i32(self.leader_id);
        writer.i32(self.leader_epoch);
        writer.i64(self.high_watermark);
        writer.array(version, flexible, "CurrentVoters", &self.current_voters)?;
        writer.array(version, flexible, "Observers", &self.observers)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Node` of `DescribeQuorumResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Node {
    /// `NodeId`.
    pub node_id: i32,
    /// `Listeners`.
    pub listeners: Vec<Listener>,
}

impl Element for Node {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            node_id: reader.i32("NodeId")?,
            listeners: reader.array(version, flexible, "Listeners")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.node_id);
        writer.array(version, flexible, "Listeners", &self.listeners)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Listener` of `DescribeQuorumResponse`.
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

/// `ReplicaState` of `DescribeQuorumResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaState {
    /// `ReplicaId`.
    pub replica_id: i32,
    /// `ReplicaDirectoryId`; since version 2.
    pub replica_directory_id: Uuid,
    /// `LogEndOffset`.
    pub log_end_offset: i64,
    /// `LastFetchTimestamp`; since version 1, default -1.
    pub last_fetch_timestamp: i64,
    /// `LastCaughtUpTimestamp`; since version 1, default -1.
    pub last_caught_up_timestamp: i64,
}

impl Default for ReplicaState {
    fn default() -> Self {
        Self {
            replica_id: 0,
            replica_directory_id: Uuid::ZERO,
            log_end_offset: 0,
            last_fetch_timestamp: -1,
            last_caught_up_timestamp: -1,
        }
    }
}

impl Element for ReplicaState {
    const MINIMUM_SIZE: usize = 13;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            replica_id: reader.i32("ReplicaId")?,
            replica_directory_id: if version >= 2 {
                reader.uuid("ReplicaDirectoryId")?
            } else {
                Uuid::ZERO
            },
            log_end_offset: reader.i64("LogEndOffset")?,
            last_fetch_timestamp: if version >= 1 {
                reader.i64("LastFetchTimestamp")?
            } else {
                -1
            },
            last_caught_up_timestamp: if version >= 1 {
                reader.i64("LastCaughtUpTimestamp")?
            } else {
                -1
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.replica_id);
        if version >= 2 {
            writer.uuid(self.replica_directory_id);
        } else if self.replica_directory_id != Uuid::ZERO {
            return Err(writer.absent(version, "ReplicaDirectoryId"));
        }
        writer.i64(self.log_end_offset);
        if version >= 1 {
            writer.i64(self.last_fetch_timestamp);
        }
        if version >= 1 {
            writer.i64(self.last_caught_up_timestamp);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeQuorumResponse {
    const NAME: &'static str = "DescribeQuorumResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
