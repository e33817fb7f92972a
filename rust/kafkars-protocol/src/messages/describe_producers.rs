// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeProducers (API key 61): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeProducersRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeProducersRequest {
    /// `Topics`.
    pub topics: Vec<TopicRequest>,
}

impl Element for DescribeProducersRequest {
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

describe!(DescribeProducersRequest { "topics": topics });

/// `TopicRequest` of `DescribeProducersRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicRequest {
    /// `Name`.
    pub name: String,
    /// `PartitionIndexes`.
    pub partition_indexes: Vec<i32>,
}

impl Element for TopicRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partition_indexes: reader.array(version, flexible, "PartitionIndexes")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(
            version,
            flexible,
            "PartitionIndexes",
            &self.partition_indexes,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TopicRequest { "name": name, "partition_indexes": partition_indexes });

impl Message for DescribeProducersRequest {
    const NAME: &'static str = "DescribeProducersRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeProducersRequest {
    const API_KEY: ApiKey = ApiKey::DescribeProducers;
    type Response = DescribeProducersResponse;
}

/// Kafka's `DescribeProducersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeProducersResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<TopicResponse>,
}

impl Element for DescribeProducersResponse {
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

/// `TopicResponse` of `DescribeProducersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicResponse {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<PartitionResponse>,
}

impl Element for TopicResponse {
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

/// `PartitionResponse` of `DescribeProducersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionResponse {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `ActiveProducers`.
    pub active_producers: Vec<ProducerState>,
}

impl Element for PartitionResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            active_producers: reader.array(version, flexible, "ActiveProducers")?,
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
        writer.array(version, flexible, "ActiveProducers", &self.active_producers)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ProducerState` of `DescribeProducersResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ProducerState {
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i32,
    /// `LastSequence`; default -1.
    pub last_sequence: i32,
    /// `LastTimestamp`; default -1.
    pub last_timestamp: i64,
    /// `CoordinatorEpoch`.
    pub coordinator_epoch: i32,
    /// `CurrentTxnStartOffset`; default -1.
    pub current_txn_start_offset: i64,
}

impl Default for ProducerState {
    fn default() -> Self {
        Self {
            producer_id: 0,
            producer_epoch: 0,
            last_sequence: -1,
            last_timestamp: -1,
            coordinator_epoch: 0,
            current_txn_start_offset: -1,
        }
    }
}

impl Element for ProducerState {
    const MINIMUM_SIZE: usize = 37;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i32("ProducerEpoch")?,
            last_sequence: reader.i32("LastSequence")?,
            last_timestamp: reader.i64("LastTimestamp")?,
            coordinator_epoch: reader.i32("CoordinatorEpoch")?,
            current_txn_start_offset: reader.i64("CurrentTxnStartOffset")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i64(self.producer_id);
        writer.i32(self.producer_epoch);
        writer.i32(self.last_sequence);
        writer.i64(self.last_timestamp);
        writer.i32(self.coordinator_epoch);
        writer.i64(self.current_txn_start_offset);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeProducersResponse {
    const NAME: &'static str = "DescribeProducersResponse";
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
