// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ReadShareGroupStateSummary (API key 87): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ReadShareGroupStateSummaryRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadShareGroupStateSummaryRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<ReadStateSummaryData>,
}

impl Element for ReadShareGroupStateSummaryRequest {
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

describe!(ReadShareGroupStateSummaryRequest { "group_id": group_id, "topics": topics });

/// `ReadStateSummaryData` of `ReadShareGroupStateSummaryRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadStateSummaryData {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionData>,
}

impl Element for ReadStateSummaryData {
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

describe!(ReadStateSummaryData { "topic_id": topic_id, "partitions": partitions });

/// `PartitionData` of `ReadShareGroupStateSummaryRequest`.
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

impl Message for ReadShareGroupStateSummaryRequest {
    const NAME: &'static str = "ReadShareGroupStateSummaryRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ReadShareGroupStateSummaryRequest {
    const API_KEY: ApiKey = ApiKey::ReadShareGroupStateSummary;
    type Response = ReadShareGroupStateSummaryResponse;
}

/// Kafka's `ReadShareGroupStateSummaryResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadShareGroupStateSummaryResponse {
    /// `Results`.
    pub results: Vec<ReadStateSummaryResult>,
}

impl Element for ReadShareGroupStateSummaryResponse {
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

/// `ReadStateSummaryResult` of `ReadShareGroupStateSummaryResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReadStateSummaryResult {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<PartitionResult>,
}

impl Element for ReadStateSummaryResult {
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

/// `PartitionResult` of `ReadShareGroupStateSummaryResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionResult {
    /// `Partition`.
    pub partition: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `StateEpoch`.
    pub state_epoch: i32,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
    /// `StartOffset`.
    pub start_offset: i64,
    /// `DeliveryCompleteCount`; since version 1, default -1.
    pub delivery_complete_count: i32,
}

impl Default for PartitionResult {
    fn default() -> Self {
        Self {
            partition: 0,
            error_code: 0,
            error_message: None,
            state_epoch: 0,
            leader_epoch: 0,
            start_offset: 0,
            delivery_complete_count: -1,
        }
    }
}

impl Element for PartitionResult {
    const MINIMUM_SIZE: usize = 24;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition: reader.i32("Partition")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            state_epoch: reader.i32("StateEpoch")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
            start_offset: reader.i64("StartOffset")?,
            delivery_complete_count: if version >= 1 {
                reader.i32("DeliveryCompleteCount")?
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
        writer.i32(self.partition);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.i32(self.state_epoch);
        writer.i32(self.leader_epoch);
        writer.i64(self.start_offset);
        if version >= 1 {
            writer.i32(self.delivery_complete_count);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ReadShareGroupStateSummaryResponse {
    const NAME: &'static str = "ReadShareGroupStateSummaryResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
