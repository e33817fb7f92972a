// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeTopicPartitions (API key 75): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `DescribeTopicPartitionsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTopicPartitionsRequest {
    /// `Topics`.
    pub topics: Vec<TopicRequest>,
    /// `ResponsePartitionLimit`; default 2000.
    pub response_partition_limit: i32,
    /// `Cursor`; may be null.
    pub cursor: Option<Cursor>,
}

impl Default for DescribeTopicPartitionsRequest {
    fn default() -> Self {
        Self {
            topics: Vec::new(),
            response_partition_limit: 2000,
            cursor: None,
        }
    }
}

impl Element for DescribeTopicPartitionsRequest {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: reader.array(version, flexible, "Topics")?,
            response_partition_limit: reader.i32("ResponsePartitionLimit")?,
            cursor: reader.nullable_struct(version, flexible, "Cursor")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.i32(self.response_partition_limit);
        writer.nullable_struct(version, flexible, self.cursor.as_ref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeTopicPartitionsRequest { "topics": topics, "response_partition_limit": response_partition_limit, "cursor": cursor });

/// `TopicRequest` of `DescribeTopicPartitionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicRequest {
    /// `Name`.
    pub name: String,
}

impl Element for TopicRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TopicRequest { "name": name });

/// `Cursor` of `DescribeTopicPartitionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Cursor {
    /// `TopicName`.
    pub topic_name: String,
    /// `PartitionIndex`.
    pub partition_index: i32,
}

impl Element for Cursor {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
            partition_index: reader.i32("PartitionIndex")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.i32(self.partition_index);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(Cursor { "topic_name": topic_name, "partition_index": partition_index });

impl Message for DescribeTopicPartitionsRequest {
    const NAME: &'static str = "DescribeTopicPartitionsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeTopicPartitionsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeTopicPartitions;
    type Response = DescribeTopicPartitionsResponse;
}

/// Kafka's `DescribeTopicPartitionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeTopicPartitionsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<DescribeTopicPartitionsResponseTopic>,
    /// `NextCursor`; may be null.
    pub next_cursor: Option<Cursor>,
}

impl Element for DescribeTopicPartitionsResponse {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            topics: reader.array(version, flexible, "Topics")?,
            next_cursor: reader.nullable_struct(version, flexible, "NextCursor")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.nullable_struct(version, flexible, self.next_cursor.as_ref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeTopicPartitionsResponseTopic` of `DescribeTopicPartitionsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTopicPartitionsResponseTopic {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Name`; default empty, may be null.
    pub name: Option<String>,
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `IsInternal`.
    pub is_internal: bool,
    /// `Partitions`.
    pub partitions: Vec<DescribeTopicPartitionsResponsePartition>,
    /// `TopicAuthorizedOperations`; default -2147483648.
    pub topic_authorized_operations: i32,
}

impl Default for DescribeTopicPartitionsResponseTopic {
    fn default() -> Self {
        Self {
            error_code: 0,
            name: Some(String::new()),
            topic_id: Uuid::ZERO,
            is_internal: false,
            partitions: Vec::new(),
            topic_authorized_operations: i32::MIN,
        }
    }
}

impl Element for DescribeTopicPartitionsResponseTopic {
    const MINIMUM_SIZE: usize = 26;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            name: reader.nullable_string(flexible, "Name")?,
            topic_id: reader.uuid("TopicId")?,
            is_internal: reader.bool("IsInternal")?,
            partitions: reader.array(version, flexible, "Partitions")?,
            topic_authorized_operations: reader.i32("TopicAuthorizedOperations")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "Name", self.name.as_deref())?;
        writer.uuid(self.topic_id);
        writer.bool(self.is_internal);
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.i32(self.topic_authorized_operations);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeTopicPartitionsResponsePartition` of `DescribeTopicPartitionsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeTopicPartitionsResponsePartition {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `LeaderId`.
    pub leader_id: i32,
    /// `LeaderEpoch`; default -1.
    pub leader_epoch: i32,
    /// `ReplicaNodes`.
    pub replica_nodes: Vec<i32>,
    /// `IsrNodes`.
    pub isr_nodes: Vec<i32>,
    /// `EligibleLeaderReplicas`; may be null.
    pub eligible_leader_replicas: Option<Vec<i32>>,
    /// `LastKnownElr`; may be null.
    pub last_known_elr: Option<Vec<i32>>,
    /// `OfflineReplicas`.
    pub offline_replicas: Vec<i32>,
}

impl Default for DescribeTopicPartitionsResponsePartition {
    fn default() -> Self {
        Self {
            error_code: 0,
            partition_index: 0,
            leader_id: 0,
            leader_epoch: -1,
            replica_nodes: Vec::new(),
            isr_nodes: Vec::new(),
            eligible_leader_replicas: None,
            last_known_elr: None,
            offline_replicas: Vec::new(),
        }
    }
}

impl Element for DescribeTopicPartitionsResponsePartition {
    const MINIMUM_SIZE: usize = 20;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            partition_index: reader.i32("PartitionIndex")?,
            leader_id: reader.i32("LeaderId")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
            replica_nodes: reader.array(version, flexible, "ReplicaNodes")?,
            isr_nodes: reader.array(version, flexible, "IsrNodes")?,
            eligible_leader_replicas: reader.nullable_array(
                version,
                flexible,
                "EligibleLeaderReplicas",
            )?,
            last_known_elr: reader.nullable_array(version, flexible, "LastKnownElr")?,
            offline_replicas: reader.array(version, flexible, "OfflineReplicas")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.i32(self.partition_index);
        writer.i32(self.leader_id);
        writer.i32(self.leader_epoch);
        writer.array(version, flexible, "ReplicaNodes", &self.replica_nodes)?;
        writer.array(version, flexible, "IsrNodes", &self.isr_nodes)?;
        writer.nullable_array(
            version,
            flexible,
            "EligibleLeaderReplicas",
            self.eligible_leader_replicas.as_deref(),
        )?;
        writer.nullable_array(
            version,
            flexible,
            "LastKnownElr",
            self.last_known_elr.as_deref(),
        )?;
        writer.array(version, flexible, "OfflineReplicas", &self.offline_replicas)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeTopicPartitionsResponse {
    const NAME: &'static str = "DescribeTopicPartitionsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
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
