// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! Fetch (API key 1): versions 4 to 18, flexible since version 12.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `FetchRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchRequest {
    /// `ClusterId`; since version 12, may be null, tag 0.
    pub cluster_id: Option<String>,
    /// `ReplicaId`; up to version 14, default -1.
    pub replica_id: i32,
    /// `ReplicaState`; since version 15, tag 1.
    pub replica_state: ReplicaState,
    /// `MaxWaitMs`, in milliseconds.
    pub max_wait_ms: i32,
    /// `MinBytes`.
    pub min_bytes: i32,
    /// `MaxBytes`; default 0x7fffffff.
    pub max_bytes: i32,
    /// `IsolationLevel`.
    pub isolation_level: i8,
    /// `SessionId`; since version 7.
    pub session_id: i32,
    /// `SessionEpoch`; since version 7, default -1.
    pub session_epoch: i32,
    /// `Topics`.
    pub topics: Vec<FetchTopic>,
    /// `ForgottenTopicsData`; since version 7.
    pub forgotten_topics_data: Vec<ForgottenTopic>,
    /// `RackId`; since version 11.
    pub rack_id: String,
}

impl Default for FetchRequest {
    fn default() -> Self {
        Self {
            cluster_id: None,
            replica_id: -1,
            replica_state: ReplicaState::default(),
            max_wait_ms: 0,
            min_bytes: 0,
            max_bytes: i32::MAX,
            isolation_level: 0,
            session_id: 0,
            session_epoch: -1,
            topics: Vec::new(),
            forgotten_topics_data: Vec::new(),
            rack_id: String::new(),
        }
    }
}

impl Element for FetchRequest {
    const MINIMUM_SIZE: usize = 21;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            replica_id: if version <= 14 {
                reader.i32("ReplicaId")?
            } else {
                -1
            },
            max_wait_ms: reader.i32("MaxWaitMs")?,
            min_bytes: reader.i32("MinBytes")?,
            max_bytes: reader.i32("MaxBytes")?,
            isolation_level: reader.i8("IsolationLevel")?,
            session_id: if version >= 7 {
                reader.i32("SessionId")?
            } else {
                0
            },
            session_epoch: if version >= 7 {
                reader.i32("SessionEpoch")?
            } else {
                -1
            },
            topics: reader.array(version, flexible, "Topics")?,
            forgotten_topics_data: if version >= 7 {
                reader.array(version, flexible, "ForgottenTopicsData")?
            } else {
                Vec::new()
            },
            rack_id: if version >= 11 {
                reader.string(flexible, "RackId")?
            } else {
                String::new()
            },
            cluster_id: None,
            replica_state: ReplicaState::default(),
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 => value.cluster_id = reader.nullable_string(flexible, "ClusterId")?,
                    1 if version >= 15 => {
                        value.replica_state = ReplicaState::read(reader, version, flexible)?
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 14 {
            writer.i32(self.replica_id);
        } else if self.replica_id != -1 {
            return Err(writer.absent(version, "ReplicaId"));
        }
        writer.i32(self.max_wait_ms);
        writer.i32(self.min_bytes);
        writer.i32(self.max_bytes);
        writer.i8(self.isolation_level);
        if version >= 7 {
            writer.i32(self.session_id);
        }
        if version >= 7 {
            writer.i32(self.session_epoch);
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        if version >= 7 {
            writer.array(
                version,
                flexible,
                "ForgottenTopicsData",
                &self.forgotten_topics_data,
            )?;
        } else if !self.forgotten_topics_data.is_empty() {
            return Err(writer.absent(version, "ForgottenTopicsData"));
        }
        if version >= 11 {
            writer.string(flexible, "RackId", &self.rack_id)?;
        }
        if version < 15 && self.replica_state != ReplicaState::default() {
            return Err(writer.absent(version, "ReplicaState"));
        }
        if flexible {
            writer.tags(|tags| {
                if self.cluster_id.is_some() {
                    tags.add(0, |writer| {
                        writer.nullable_string(
                            flexible,
                            "ClusterId",
                            self.cluster_id.as_deref(),
                        )?;
                        Ok(())
                    })?;
                }
                if version >= 15 && self.replica_state != ReplicaState::default() {
                    tags.add(1, |writer| {
                        self.replica_state.write(writer, version, flexible)?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

describe!(FetchRequest { "cluster_id": cluster_id, "replica_id": replica_id, "replica_state": replica_state, "max_wait_ms": max_wait_ms, "min_bytes": min_bytes, "max_bytes": max_bytes, "isolation_level": isolation_level, "session_id": session_id, "session_epoch": session_epoch, "topics": topics, "forgotten_topics_data": forgotten_topics_data, "rack_id": rack_id });

/// `ReplicaState` of `FetchRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplicaState {
    /// `ReplicaId`; default -1.
    pub replica_id: i32,
    /// `ReplicaEpoch`; default -1.
    pub replica_epoch: i64,
}

impl Default for ReplicaState {
    fn default() -> Self {
        Self {
            replica_id: -1,
            replica_epoch: -1,
        }
    }
}

impl Element for ReplicaState {
    const MINIMUM_SIZE: usize = 13;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            replica_id: reader.i32("ReplicaId")?,
            replica_epoch: reader.i64("ReplicaEpoch")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.replica_id);
        writer.i64(self.replica_epoch);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ReplicaState { "replica_id": replica_id, "replica_epoch": replica_epoch });

/// `FetchTopic` of `FetchRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FetchTopic {
    /// `Topic`; up to version 12.
    pub topic: String,
    /// `TopicId`; since version 13.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<FetchPartition>,
}

impl Element for FetchTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: if version <= 12 {
                reader.string(flexible, "Topic")?
            } else {
                String::new()
            },
            topic_id: if version >= 13 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 12 {
            writer.string(flexible, "Topic", &self.topic)?;
        }
        if version >= 13 {
            writer.uuid(self.topic_id);
        }
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(FetchTopic { "topic": topic, "topic_id": topic_id, "partitions": partitions });

/// `FetchPartition` of `FetchRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct FetchPartition {
    /// `Partition`.
    pub partition: i32,
    /// `CurrentLeaderEpoch`; since version 9, default -1.
    pub current_leader_epoch: i32,
    /// `FetchOffset`.
    pub fetch_offset: i64,
    /// `LastFetchedEpoch`; since version 12, default -1.
    pub last_fetched_epoch: i32,
    /// `LogStartOffset`; since version 5, default -1.
    pub log_start_offset: i64,
    /// `PartitionMaxBytes`.
    pub partition_max_bytes: i32,
    /// `ReplicaDirectoryId`; since version 17, tag 0.
    pub replica_directory_id: Uuid,
    /// `HighWatermark`; since version 18, default 9223372036854775807, tag 1.
    pub high_watermark: i64,
}

impl Default for FetchPartition {
    fn default() -> Self {
        Self {
            partition: 0,
            current_leader_epoch: -1,
            fetch_offset: 0,
            last_fetched_epoch: -1,
            log_start_offset: -1,
            partition_max_bytes: 0,
            replica_directory_id: Uuid::ZERO,
            high_watermark: i64::MAX,
        }
    }
}

impl Element for FetchPartition {
    const MINIMUM_SIZE: usize = 16;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            partition: reader.i32("Partition")?,
            current_leader_epoch: if version >= 9 {
                reader.i32("CurrentLeaderEpoch")?
            } else {
                -1
            },
            fetch_offset: reader.i64("FetchOffset")?,
            last_fetched_epoch: if version >= 12 {
                reader.i32("LastFetchedEpoch")?
            } else {
                -1
            },
            log_start_offset: if version >= 5 {
                reader.i64("LogStartOffset")?
            } else {
                -1
            },
            partition_max_bytes: reader.i32("PartitionMaxBytes")?,
            replica_directory_id: Uuid::ZERO,
            high_watermark: i64::MAX,
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 if version >= 17 => {
                        value.replica_directory_id = reader.uuid("ReplicaDirectoryId")?
                    }
                    1 if version >= 18 => value.high_watermark = reader.i64("HighWatermark")?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition);
        if version >= 9 {
            writer.i32(self.current_leader_epoch);
        }
        writer.i64(self.fetch_offset);
        if version >= 12 {
            writer.i32(self.last_fetched_epoch);
        } else if self.last_fetched_epoch != -1 {
            return Err(writer.absent(version, "LastFetchedEpoch"));
        }
        if version >= 5 {
            writer.i64(self.log_start_offset);
        }
        writer.i32(self.partition_max_bytes);
        if flexible {
            writer.tags(|tags| {
                if version >= 17 && self.replica_directory_id != Uuid::ZERO {
                    tags.add(0, |writer| {
                        writer.uuid(self.replica_directory_id);
                        Ok(())
                    })?;
                }
                if version >= 18 && self.high_watermark != i64::MAX {
                    tags.add(1, |writer| {
                        writer.i64(self.high_watermark);
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

describe!(FetchPartition { "partition": partition, "current_leader_epoch": current_leader_epoch, "fetch_offset": fetch_offset, "last_fetched_epoch": last_fetched_epoch, "log_start_offset": log_start_offset, "partition_max_bytes": partition_max_bytes, "replica_directory_id": replica_directory_id, "high_watermark": high_watermark });

/// `ForgottenTopic` of `FetchRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ForgottenTopic {
    /// `Topic`; up to version 12.
    pub topic: String,
    /// `TopicId`; since version 13.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for ForgottenTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: if version <= 12 {
                reader.string(flexible, "Topic")?
            } else {
                String::new()
            },
            topic_id: if version >= 13 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 12 {
            writer.string(flexible, "Topic", &self.topic)?;
        }
        if version >= 13 {
            writer.uuid(self.topic_id);
        }
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ForgottenTopic { "topic": topic, "topic_id": topic_id, "partitions": partitions });

impl Message for FetchRequest {
    const NAME: &'static str = "FetchRequest";
    const VERSIONS: VersionRange = VersionRange { min: 4, max: 18 };
    const FLEXIBLE_FROM: Option<i16> = Some(12);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for FetchRequest {
    const API_KEY: ApiKey = ApiKey::Fetch;
    type Response = FetchResponse;
}

/// Kafka's `FetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FetchResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`; since version 7.
    pub error_code: i16,
    /// `SessionId`; since version 7.
    pub session_id: i32,
    /// `Responses`.
    pub responses: Vec<FetchableTopicResponse>,
    /// `NodeEndpoints`; since version 16, tag 0.
    pub node_endpoints: Vec<NodeEndpoint>,
}

impl Element for FetchResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: if version >= 7 {
                reader.i16("ErrorCode")?
            } else {
                0
            },
            session_id: if version >= 7 {
                reader.i32("SessionId")?
            } else {
                0
            },
            responses: reader.array(version, flexible, "Responses")?,
            node_endpoints: Vec::new(),
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 if version >= 16 => {
                        value.node_endpoints = reader.array(version, flexible, "NodeEndpoints")?
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        if version >= 7 {
            writer.i16(self.error_code);
        }
        if version >= 7 {
            writer.i32(self.session_id);
        } else if self.session_id != 0 {
            return Err(writer.absent(version, "SessionId"));
        }
        writer.array(version, flexible, "Responses", &self.responses)?;
        if version < 16 && !self.node_endpoints.is_empty() {
            return Err(writer.absent(version, "NodeEndpoints"));
        }
        if flexible {
            writer.tags(|tags| {
                if version >= 16 && !self.node_endpoints.is_empty() {
                    tags.add(0, |writer| {
                        writer.array(version, flexible, "NodeEndpoints", &self.node_endpoints)?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// `FetchableTopicResponse` of `FetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FetchableTopicResponse {
    /// `Topic`; up to version 12.
    pub topic: String,
    /// `TopicId`; since version 13.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionData>,
}

impl Element for FetchableTopicResponse {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: if version <= 12 {
                reader.string(flexible, "Topic")?
            } else {
                String::new()
            },
            topic_id: if version >= 13 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 12 {
            writer.string(flexible, "Topic", &self.topic)?;
        }
        if version >= 13 {
            writer.uuid(self.topic_id);
        }
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `PartitionData` of `FetchResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionData {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `HighWatermark`.
    pub high_watermark: i64,
    /// `LastStableOffset`; default -1.
    pub last_stable_offset: i64,
    /// `LogStartOffset`; since version 5, default -1.
    pub log_start_offset: i64,
    /// `DivergingEpoch`; since version 12, tag 0.
    pub diverging_epoch: EpochEndOffset,
    /// `CurrentLeader`; since version 12, tag 1.
    pub current_leader: LeaderIdAndEpoch,
    /// `SnapshotId`; since version 12, tag 2.
    pub snapshot_id: SnapshotId,
    /// `AbortedTransactions`; default empty, may be null.
    pub aborted_transactions: Option<Vec<AbortedTransaction>>,
    /// `PreferredReadReplica`; since version 11, default -1.
    pub preferred_read_replica: i32,
    /// `Records`; may be null.
    pub records: Option<Bytes>,
}

impl Default for PartitionData {
    fn default() -> Self {
        Self {
            partition_index: 0,
            error_code: 0,
            high_watermark: 0,
            last_stable_offset: -1,
            log_start_offset: -1,
            diverging_epoch: EpochEndOffset::default(),
            current_leader: LeaderIdAndEpoch::default(),
            snapshot_id: SnapshotId::default(),
            aborted_transactions: Some(Vec::new()),
            preferred_read_replica: -1,
            records: None,
        }
    }
}

impl Element for PartitionData {
    const MINIMUM_SIZE: usize = 30;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
            high_watermark: reader.i64("HighWatermark")?,
            last_stable_offset: reader.i64("LastStableOffset")?,
            log_start_offset: if version >= 5 {
                reader.i64("LogStartOffset")?
            } else {
                -1
            },
            aborted_transactions: reader.nullable_array(
                version,
                flexible,
                "AbortedTransactions",
            )?,
            preferred_read_replica: if version >= 11 {
                reader.i32("PreferredReadReplica")?
            } else {
                -1
            },
            records: reader.nullable_bytes(flexible, "Records")?,
            diverging_epoch: EpochEndOffset::default(),
            current_leader: LeaderIdAndEpoch::default(),
            snapshot_id: SnapshotId::default(),
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 => value.diverging_epoch = EpochEndOffset::read(reader, version, flexible)?,
                    1 => value.current_leader = LeaderIdAndEpoch::read(reader, version, flexible)?,
                    2 => value.snapshot_id = SnapshotId::read(reader, version, flexible)?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        writer.i64(self.high_watermark);
        writer.i64(self.last_stable_offset);
        if version >= 5 {
            writer.i64(self.log_start_offset);
        }
        writer.nullable_array(
            version,
            flexible,
            "AbortedTransactions",
            self.aborted_transactions.as_deref(),
        )?;
        if version >= 11 {
            writer.i32(self.preferred_read_replica);
        } else if self.preferred_read_replica != -1 {
            return Err(writer.absent(version, "PreferredReadReplica"));
        }
        writer.nullable_bytes(flexible, "Records", self.records.as_ref())?;
        if version < 12 && self.diverging_epoch != EpochEndOffset::default() {
            return Err(writer.absent(version, "DivergingEpoch"));
        }
        if version < 12 && self.current_leader != LeaderIdAndEpoch::default() {
            return Err(writer.absent(version, "CurrentLeader"));
        }
        if version < 12 && self.snapshot_id != SnapshotId::default() {
            return Err(writer.absent(version, "SnapshotId"));
        }
        if flexible {
            writer.tags(|tags| {
                if self.diverging_epoch != EpochEndOffset::default() {
                    tags.add(0, |writer| {
                        self.diverging_epoch.write(writer, version, flexible)?;
                        Ok(())
                    })?;
                }
                if self.current_leader != LeaderIdAndEpoch::default() {
                    tags.add(1, |writer| {
                        self.current_leader.write(writer, version, flexible)?;
                        Ok(())
                    })?;
                }
                if self.snapshot_id != SnapshotId::default() {
                    tags.add(2, |writer| {
                        self.snapshot_id.write(writer, version, flexible)?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// `EpochEndOffset` of `FetchResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochEndOffset {
    /// `Epoch`; default -1.
    pub epoch: i32,
    /// `EndOffset`; default -1.
    pub end_offset: i64,
}

impl Default for EpochEndOffset {
    fn default() -> Self {
        Self {
            epoch: -1,
            end_offset: -1,
        }
    }
}

impl Element for EpochEndOffset {
    const MINIMUM_SIZE: usize = 13;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            epoch: reader.i32("Epoch")?,
            end_offset: reader.i64("EndOffset")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.epoch);
        writer.i64(self.end_offset);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `LeaderIdAndEpoch` of `FetchResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`; default -1.
    pub leader_id: i32,
    /// `LeaderEpoch`; default -1.
    pub leader_epoch: i32,
}

impl Default for LeaderIdAndEpoch {
    fn default() -> Self {
        Self {
            leader_id: -1,
            leader_epoch: -1,
        }
    }
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

/// `SnapshotId` of `FetchResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct SnapshotId {
    /// `EndOffset`; default -1.
    pub end_offset: i64,
    /// `Epoch`; default -1.
    pub epoch: i32,
}

impl Default for SnapshotId {
    fn default() -> Self {
        Self {
            end_offset: -1,
            epoch: -1,
        }
    }
}

impl Element for SnapshotId {
    const MINIMUM_SIZE: usize = 13;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            end_offset: reader.i64("EndOffset")?,
            epoch: reader.i32("Epoch")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i64(self.end_offset);
        writer.i32(self.epoch);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AbortedTransaction` of `FetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AbortedTransaction {
    /// `ProducerId`.
    pub producer_id: i64,
    /// `FirstOffset`.
    pub first_offset: i64,
}

impl Element for AbortedTransaction {
    const MINIMUM_SIZE: usize = 16;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            producer_id: reader.i64("ProducerId")?,
            first_offset: reader.i64("FirstOffset")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i64(self.producer_id);
        writer.i64(self.first_offset);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `NodeEndpoint` of `FetchResponse`.
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

impl Message for FetchResponse {
    const NAME: &'static str = "FetchResponse";
    const VERSIONS: VersionRange = VersionRange { min: 4, max: 18 };
    const FLEXIBLE_FROM: Option<i16> = Some(12);

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
