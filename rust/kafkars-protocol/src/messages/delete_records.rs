// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DeleteRecords (API key 21): versions 0 to 2, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DeleteRecordsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteRecordsRequest {
    /// `Topics`.
    pub topics: Vec<DeleteRecordsTopic>,
    /// `TimeoutMs`, in milliseconds.
    pub timeout_ms: i32,
}

impl Element for DeleteRecordsRequest {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: reader.array(version, flexible, "Topics")?,
            timeout_ms: reader.i32("TimeoutMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.i32(self.timeout_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteRecordsRequest { "topics": topics, "timeout_ms": timeout_ms });

/// `DeleteRecordsTopic` of `DeleteRecordsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteRecordsTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<DeleteRecordsPartition>,
}

impl Element for DeleteRecordsTopic {
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

describe!(DeleteRecordsTopic { "name": name, "partitions": partitions });

/// `DeleteRecordsPartition` of `DeleteRecordsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteRecordsPartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `Offset`.
    pub offset: i64,
}

impl Element for DeleteRecordsPartition {
    const MINIMUM_SIZE: usize = 12;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            offset: reader.i64("Offset")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.offset);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteRecordsPartition { "partition_index": partition_index, "offset": offset });

impl Message for DeleteRecordsRequest {
    const NAME: &'static str = "DeleteRecordsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DeleteRecordsRequest {
    const API_KEY: ApiKey = ApiKey::DeleteRecords;
    type Response = DeleteRecordsResponse;
}

/// Kafka's `DeleteRecordsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteRecordsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<DeleteRecordsTopicResult>,
}

impl Element for DeleteRecordsResponse {
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

/// `DeleteRecordsTopicResult` of `DeleteRecordsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteRecordsTopicResult {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<DeleteRecordsPartitionResult>,
}

impl Element for DeleteRecordsTopicResult {
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

/// `DeleteRecordsPartitionResult` of `DeleteRecordsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteRecordsPartitionResult {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `LowWatermark`.
    pub low_watermark: i64,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for DeleteRecordsPartitionResult {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            low_watermark: reader.i64("LowWatermark")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.low_watermark);
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DeleteRecordsResponse {
    const NAME: &'static str = "DeleteRecordsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

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
