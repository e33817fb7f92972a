// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! OffsetForLeaderEpoch (API key 23): versions 2 to 4, flexible since version 4.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `OffsetForLeaderEpochRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetForLeaderEpochRequest {
    /// `ReplicaId`; since version 3, default -2.
    pub replica_id: i32,
    /// `Topics`.
    pub topics: Vec<OffsetForLeaderTopic>,
}

impl Default for OffsetForLeaderEpochRequest {
    fn default() -> Self {
        Self {
            replica_id: -2,
            topics: Vec::new(),
        }
    }
}

impl Element for OffsetForLeaderEpochRequest {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            replica_id: if version >= 3 {
                reader.i32("ReplicaId")?
            } else {
                -2
            },
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 3 {
            writer.i32(self.replica_id);
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetForLeaderEpochRequest { "replica_id": replica_id, "topics": topics });

/// `OffsetForLeaderTopic` of `OffsetForLeaderEpochRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetForLeaderTopic {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<OffsetForLeaderPartition>,
}

impl Element for OffsetForLeaderTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: reader.string(flexible, "Topic")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Topic", &self.topic)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetForLeaderTopic { "topic": topic, "partitions": partitions });

/// `OffsetForLeaderPartition` of `OffsetForLeaderEpochRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetForLeaderPartition {
    /// `Partition`.
    pub partition: i32,
    /// `CurrentLeaderEpoch`; default -1.
    pub current_leader_epoch: i32,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
}

impl Default for OffsetForLeaderPartition {
    fn default() -> Self {
        Self {
            partition: 0,
            current_leader_epoch: -1,
            leader_epoch: 0,
        }
    }
}

impl Element for OffsetForLeaderPartition {
    const MINIMUM_SIZE: usize = 12;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition: reader.i32("Partition")?,
            current_leader_epoch: reader.i32("CurrentLeaderEpoch")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition);
        writer.i32(self.current_leader_epoch);
        writer.i32(self.leader_epoch);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetForLeaderPartition { "partition": partition, "current_leader_epoch": current_leader_epoch, "leader_epoch": leader_epoch });

impl Message for OffsetForLeaderEpochRequest {
    const NAME: &'static str = "OffsetForLeaderEpochRequest";
    const VERSIONS: VersionRange = VersionRange { min: 2, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for OffsetForLeaderEpochRequest {
    const API_KEY: ApiKey = ApiKey::OffsetForLeaderEpoch;
    type Response = OffsetForLeaderEpochResponse;
}

/// Kafka's `OffsetForLeaderEpochResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetForLeaderEpochResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<OffsetForLeaderTopicResult>,
}

impl Element for OffsetForLeaderEpochResponse {
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

/// `OffsetForLeaderTopicResult` of `OffsetForLeaderEpochResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetForLeaderTopicResult {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<EpochEndOffset>,
}

impl Element for OffsetForLeaderTopicResult {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: reader.string(flexible, "Topic")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Topic", &self.topic)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `EpochEndOffset` of `OffsetForLeaderEpochResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct EpochEndOffset {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Partition`.
    pub partition: i32,
    /// `LeaderEpoch`; default -1.
    pub leader_epoch: i32,
    /// `EndOffset`; default -1.
    pub end_offset: i64,
}

impl Default for EpochEndOffset {
    fn default() -> Self {
        Self {
            error_code: 0,
            partition: 0,
            leader_epoch: -1,
            end_offset: -1,
        }
    }
}

impl Element for EpochEndOffset {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            partition: reader.i32("Partition")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
            end_offset: reader.i64("EndOffset")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.i32(self.partition);
        writer.i32(self.leader_epoch);
        writer.i64(self.end_offset);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for OffsetForLeaderEpochResponse {
    const NAME: &'static str = "OffsetForLeaderEpochResponse";
    const VERSIONS: VersionRange = VersionRange { min: 2, max: 4 };
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
