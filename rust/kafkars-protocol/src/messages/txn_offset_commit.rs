// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! TxnOffsetCommit (API key 28): versions 0 to 5, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `TxnOffsetCommitRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct TxnOffsetCommitRequest {
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `GroupId`.
    pub group_id: String,
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `GenerationId`; since version 3, default -1.
    pub generation_id: i32,
    /// `MemberId`; since version 3.
    pub member_id: String,
    /// `GroupInstanceId`; since version 3, may be null.
    pub group_instance_id: Option<String>,
    /// `Topics`.
    pub topics: Vec<TxnOffsetCommitRequestTopic>,
}

impl Default for TxnOffsetCommitRequest {
    fn default() -> Self {
        Self {
            transactional_id: String::new(),
            group_id: String::new(),
            producer_id: 0,
            producer_epoch: 0,
            generation_id: -1,
            member_id: String::new(),
            group_instance_id: None,
            topics: Vec::new(),
        }
    }
}

impl Element for TxnOffsetCommitRequest {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.string(flexible, "TransactionalId")?,
            group_id: reader.string(flexible, "GroupId")?,
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            generation_id: if version >= 3 {
                reader.i32("GenerationId")?
            } else {
                -1
            },
            member_id: if version >= 3 {
                reader.string(flexible, "MemberId")?
            } else {
                String::new()
            },
            group_instance_id: if version >= 3 {
                reader.nullable_string(flexible, "GroupInstanceId")?
            } else {
                None
            },
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TransactionalId", &self.transactional_id)?;
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.i64(self.producer_id);
        writer.i16(self.producer_epoch);
        if version >= 3 {
            writer.i32(self.generation_id);
        } else if self.generation_id != -1 {
            return Err(writer.absent(version, "GenerationId"));
        }
        if version >= 3 {
            writer.string(flexible, "MemberId", &self.member_id)?;
        } else if !self.member_id.is_empty() {
            return Err(writer.absent(version, "MemberId"));
        }
        if version >= 3 {
            writer.nullable_string(
                flexible,
                "GroupInstanceId",
                self.group_instance_id.as_deref(),
            )?;
        } else if self.group_instance_id.is_some() {
            return Err(writer.absent(version, "GroupInstanceId"));
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TxnOffsetCommitRequest { "transactional_id": transactional_id, "group_id": group_id, "producer_id": producer_id, "producer_epoch": producer_epoch, "generation_id": generation_id, "member_id": member_id, "group_instance_id": group_instance_id, "topics": topics });

/// `TxnOffsetCommitRequestTopic` of `TxnOffsetCommitRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TxnOffsetCommitRequestTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<TxnOffsetCommitRequestPartition>,
}

impl Element for TxnOffsetCommitRequestTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TxnOffsetCommitRequestTopic { "name": name, "partitions": partitions });

/// `TxnOffsetCommitRequestPartition` of `TxnOffsetCommitRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct TxnOffsetCommitRequestPartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `CommittedOffset`.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`; since version 2, default -1.
    pub committed_leader_epoch: i32,
    /// `CommittedMetadata`; default empty, may be null.
    pub committed_metadata: Option<String>,
}

impl Default for TxnOffsetCommitRequestPartition {
    fn default() -> Self {
        Self {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            committed_metadata: Some(String::new()),
        }
    }
}

impl Element for TxnOffsetCommitRequestPartition {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            committed_offset: reader.i64("CommittedOffset")?,
            committed_leader_epoch: if version >= 2 {
                reader.i32("CommittedLeaderEpoch")?
            } else {
                -1
            },
            committed_metadata: reader.nullable_string(flexible, "CommittedMetadata")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.committed_offset);
        if version >= 2 {
            writer.i32(self.committed_leader_epoch);
        }
        writer.nullable_string(
            flexible,
            "CommittedMetadata",
            self.committed_metadata.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TxnOffsetCommitRequestPartition { "partition_index": partition_index, "committed_offset": committed_offset, "committed_leader_epoch": committed_leader_epoch, "committed_metadata": committed_metadata });

impl Message for TxnOffsetCommitRequest {
    const NAME: &'static str = "TxnOffsetCommitRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for TxnOffsetCommitRequest {
    const API_KEY: ApiKey = ApiKey::TxnOffsetCommit;
    type Response = TxnOffsetCommitResponse;
}

/// Kafka's `TxnOffsetCommitResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TxnOffsetCommitResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<TxnOffsetCommitResponseTopic>,
}

impl Element for TxnOffsetCommitResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TxnOffsetCommitResponseTopic` of `TxnOffsetCommitResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TxnOffsetCommitResponseTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<TxnOffsetCommitResponsePartition>,
}

impl Element for TxnOffsetCommitResponseTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TxnOffsetCommitResponsePartition` of `TxnOffsetCommitResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TxnOffsetCommitResponsePartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for TxnOffsetCommitResponsePartition {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for TxnOffsetCommitResponse {
    const NAME: &'static str = "TxnOffsetCommitResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

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
