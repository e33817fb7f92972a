// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! OffsetDelete (API key 47): version 0, never flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `OffsetDeleteRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetDeleteRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<OffsetDeleteRequestTopic>,
}

impl Element for OffsetDeleteRequest {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            group_id: reader.string(false, "GroupId")?,
            topics: reader.array(version, false, "Topics")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.string(false, "GroupId", &self.group_id)?;
        writer.array(version, false, "Topics", &self.topics)?;
        Ok(())
    }
}

describe!(OffsetDeleteRequest { "group_id": group_id, "topics": topics });

/// `OffsetDeleteRequestTopic` of `OffsetDeleteRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetDeleteRequestTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<OffsetDeleteRequestPartition>,
}

impl Element for OffsetDeleteRequestTopic {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            name: reader.string(false, "Name")?,
            partitions: reader.array(version, false, "Partitions")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.string(false, "Name", &self.name)?;
        writer.array(version, false, "Partitions", &self.partitions)?;
        Ok(())
    }
}

describe!(OffsetDeleteRequestTopic { "name": name, "partitions": partitions });

/// `OffsetDeleteRequestPartition` of `OffsetDeleteRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetDeleteRequestPartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
}

impl Element for OffsetDeleteRequestPartition {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, _: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            partition_index: reader.i32("PartitionIndex")?,
        })
    }

    fn write(&self, writer: &mut Writer, _: i16, _: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        Ok(())
    }
}

describe!(OffsetDeleteRequestPartition { "partition_index": partition_index });

impl Message for OffsetDeleteRequest {
    const NAME: &'static str = "OffsetDeleteRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = None;

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for OffsetDeleteRequest {
    const API_KEY: ApiKey = ApiKey::OffsetDelete;
    type Response = OffsetDeleteResponse;
}

/// Kafka's `OffsetDeleteResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetDeleteResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<OffsetDeleteResponseTopic>,
}

impl Element for OffsetDeleteResponse {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            error_code: reader.i16("ErrorCode")?,
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            topics: reader.array(version, false, "Topics")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.i32(self.throttle_time_ms);
        writer.array(version, false, "Topics", &self.topics)?;
        Ok(())
    }
}

/// `OffsetDeleteResponseTopic` of `OffsetDeleteResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetDeleteResponseTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<OffsetDeleteResponsePartition>,
}

impl Element for OffsetDeleteResponseTopic {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            name: reader.string(false, "Name")?,
            partitions: reader.array(version, false, "Partitions")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.string(false, "Name", &self.name)?;
        writer.array(version, false, "Partitions", &self.partitions)?;
        Ok(())
    }
}

/// `OffsetDeleteResponsePartition` of `OffsetDeleteResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetDeleteResponsePartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for OffsetDeleteResponsePartition {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
        })
    }

    fn write(&self, writer: &mut Writer, _: i16, _: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        Ok(())
    }
}

impl Message for OffsetDeleteResponse {
    const NAME: &'static str = "OffsetDeleteResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = None;

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
