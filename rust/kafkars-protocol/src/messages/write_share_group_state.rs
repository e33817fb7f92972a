// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! WriteShareGroupState (API key 85): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `WriteShareGroupStateRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WriteShareGroupStateRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<WriteStateData>,
}

impl Element for WriteShareGroupStateRequest {
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

describe!(WriteShareGroupStateRequest { "group_id": group_id, "topics": topics });

/// `WriteStateData` of `WriteShareGroupStateRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WriteStateData {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionData>,
}

impl Element for WriteStateData {
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

describe!(WriteStateData { "topic_id": topic_id, "partitions": partitions });

/// `PartitionData` of `WriteShareGroupStateRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionData {
    /// `Partition`.
    pub partition: i32,
    /// `StateEpoch`.
    pub state_epoch: i32,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
    /// `StartOffset`.
    pub start_offset: i64,
    /// `DeliveryCompleteCount`; since version 1, default -1.
    pub delivery_complete_count: i32,
    /// `StateBatches`.
    pub state_batches: Vec<StateBatch>,
}

impl Default for PartitionData {
    fn default() -> Self {
        Self {
            partition: 0,
            state_epoch: 0,
            leader_epoch: 0,
            start_offset: 0,
            delivery_complete_count: -1,
            state_batches: Vec::new(),
        }
    }
}

impl Element for PartitionData {
    const MINIMUM_SIZE: usize = 22;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition: reader.i32("Partition")?,
            state_epoch: reader.i32("StateEpoch")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
            start_offset: reader.i64("StartOffset")?,
            delivery_complete_count: if version >= 1 {
                reader.i32("DeliveryCompleteCount")?
            } else {
                -1
            },
            state_batches: reader.array(version, flexible, "StateBatches")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition);
        writer.i32(self.state_epoch);
        writer.i32(self.leader_epoch);
        writer.i64(self.start_offset);
        if version >= 1 {
            writer.i32(self.delivery_complete_count);
        }
        writer.array(version, flexible, "StateBatches", &self.state_batches)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(PartitionData { "partition": partition, "state_epoch": state_epoch, "leader_epoch": leader_epoch, "start_offset": start_offset, "delivery_complete_count": delivery_complete_count, "state_batches": state_batches });

/// `StateBatch` of `WriteShareGroupStateRequest`.
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

describe!(StateBatch { "first_offset": first_offset, "last_offset": last_offset, "delivery_state": delivery_state, "delivery_count": delivery_count });

impl Message for WriteShareGroupStateRequest {
    const NAME: &'static str = "WriteShareGroupStateRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for WriteShareGroupStateRequest {
    const API_KEY: ApiKey = ApiKey::WriteShareGroupState;
    type Response = WriteShareGroupStateResponse;
}

/// Kafka's `WriteShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WriteShareGroupStateResponse {
    /// `Results`.
    pub results: Vec<WriteStateResult>,
}

impl Element for WriteShareGroupStateResponse {
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

/// `WriteStateResult` of `WriteShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WriteStateResult {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionResult>,
}

impl Element for WriteStateResult {
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

/// `PartitionResult` of `WriteShareGroupStateResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionResult {
    /// `Partition`.
    pub partition: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
}

impl Element for PartitionResult {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition: reader.i32("Partition")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for WriteShareGroupStateResponse {
    const NAME: &'static str = "WriteShareGroupStateResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
