// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ReadShareGroupState (API key 84): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ReadShareGroupStateRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadShareGroupStateRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<ReadStateData>,
}

impl Element for ReadShareGroupStateRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ReadShareGroupStateRequest { "group_id": group_id, "topics": topics });

/// `ReadStateData` of `ReadShareGroupStateRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadStateData {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionData>,
}

impl Element for ReadStateData {
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

describe!(ReadStateData { "topic_id": topic_id, "partitions": partitions });

/// `PartitionData` of `ReadShareGroupStateRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionData {
    /// `Partition`.
    pub partition: i32,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
}

impl Element for PartitionData {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition: reader.i32("Partition")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition);
        writer.i32(self.leader_epoch);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(PartitionData { "partition": partition, "leader_epoch": leader_epoch });

impl Message for ReadShareGroupStateRequest {
    const NAME: &'static str = "ReadShareGroupStateRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ReadShareGroupStateRequest {
    const API_KEY: ApiKey = ApiKey::ReadShareGroupState;
    type Response = ReadShareGroupStateResponse;
}

/// Kafka's `ReadShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadShareGroupStateResponse {
    /// `Results`.
    pub results: Vec<ReadStateResult>,
}

impl Element for ReadShareGroupStateResponse {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            results: reader.array(version, flexible, "Results")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Results", &self.results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ReadStateResult` of `ReadShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadStateResult {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionResult>,
}

impl Element for ReadStateResult {
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

/// `PartitionResult` of `ReadShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionResult {
    /// `Partition`.
    pub partition: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `StateEpoch`.
    pub state_epoch: i32,
    /// `StartOffset`.
    pub start_offset: i64,
    /// `StateBatches`.
    pub state_batches: Vec<StateBatch>,
}

impl Element for PartitionResult {
    const MINIMUM_SIZE: usize = 21;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition: reader.i32("Partition")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            state_epoch: reader.i32("StateEpoch")?,
            start_offset: reader.i64("StartOffset")?,
            state_batches: reader.array(version, flexible, "StateBatches")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.i32(self.state_epoch);
        writer.i64(self.start_offset);
        writer.array(version, flexible, "StateBatches", &self.state_batches)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `StateBatch` of `ReadShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct StateBatch {
    /// `FirstOffset`.
    pub first_offset: i64,
    /// `LastOffset`.
    pub last_offset: i64,
    /// `DeliveryState`.
    pub delivery_state: i8,
    /// `DeliveryCount`.
    pub delivery_count: i16,
}

impl Element for StateBatch {
    const MINIMUM_SIZE: usize = 20;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            first_offset: reader.i64("FirstOffset")?,
            last_offset: reader.i64("LastOffset")?,
            delivery_state: reader.i8("DeliveryState")?,
            delivery_count: reader.i16("DeliveryCount")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i64(self.first_offset);
        writer.i64(self.last_offset);
        writer.i8(self.delivery_state);
        writer.i16(self.delivery_count);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ReadShareGroupStateResponse {
    const NAME: &'static str = "ReadShareGroupStateResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
