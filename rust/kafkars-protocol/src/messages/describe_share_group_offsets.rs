// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeShareGroupOffsets (API key 90): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `DescribeShareGroupOffsetsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeShareGroupOffsetsRequest {
    /// `Groups`.
    pub groups: Vec<DescribeShareGroupOffsetsRequestGroup>,
}

impl Element for DescribeShareGroupOffsetsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            groups: reader.array(version, flexible, "Groups")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Groups", &self.groups)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeShareGroupOffsetsRequest { "groups": groups });

/// `DescribeShareGroupOffsetsRequestGroup` of `DescribeShareGroupOffsetsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeShareGroupOffsetsRequestGroup {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`; default empty, may be null.
    pub topics: Option<Vec<DescribeShareGroupOffsetsRequestTopic>>,
}

impl Default for DescribeShareGroupOffsetsRequestGroup {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            topics: Some(Vec::new()),
        }
    }
}

impl Element for DescribeShareGroupOffsetsRequestGroup {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            topics: reader.nullable_array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.nullable_array(version, flexible, "Topics", self.topics.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeShareGroupOffsetsRequestGroup { "group_id": group_id, "topics": topics });

/// `DescribeShareGroupOffsetsRequestTopic` of `DescribeShareGroupOffsetsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeShareGroupOffsetsRequestTopic {
    /// `TopicName`.
    pub topic_name: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for DescribeShareGroupOffsetsRequestTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeShareGroupOffsetsRequestTopic { "topic_name": topic_name, "partitions": partitions });

impl Message for DescribeShareGroupOffsetsRequest {
    const NAME: &'static str = "DescribeShareGroupOffsetsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeShareGroupOffsetsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeShareGroupOffsets;
    type Response = DescribeShareGroupOffsetsResponse;
}

/// Kafka's `DescribeShareGroupOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeShareGroupOffsetsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Groups`.
    pub groups: Vec<DescribeShareGroupOffsetsResponseGroup>,
}

impl Element for DescribeShareGroupOffsetsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            groups: reader.array(version, flexible, "Groups")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Groups", &self.groups)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeShareGroupOffsetsResponseGroup` of `DescribeShareGroupOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeShareGroupOffsetsResponseGroup {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<DescribeShareGroupOffsetsResponseTopic>,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
}

impl Element for DescribeShareGroupOffsetsResponseGroup {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            topics: reader.array(version, flexible, "Topics")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeShareGroupOffsetsResponseTopic` of `DescribeShareGroupOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeShareGroupOffsetsResponseTopic {
    /// `TopicName`.
    pub topic_name: String,
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<DescribeShareGroupOffsetsResponsePartition>,
}

impl Element for DescribeShareGroupOffsetsResponseTopic {
    const MINIMUM_SIZE: usize = 19;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
            topic_id: reader.uuid("TopicId")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.uuid(self.topic_id);
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeShareGroupOffsetsResponsePartition` of `DescribeShareGroupOffsetsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeShareGroupOffsetsResponsePartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `StartOffset`.
    pub start_offset: i64,
    /// `LeaderEpoch`.
    pub leader_epoch: i32,
    /// `Lag`; since version 1, default -1.
    pub lag: i64,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
}

impl Default for DescribeShareGroupOffsetsResponsePartition {
    fn default() -> Self {
        Self {
            partition_index: 0,
            start_offset: 0,
            leader_epoch: 0,
            lag: -1,
            error_code: 0,
            error_message: None,
        }
    }
}

impl Element for DescribeShareGroupOffsetsResponsePartition {
    const MINIMUM_SIZE: usize = 20;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            start_offset: reader.i64("StartOffset")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
            lag: if version >= 1 { reader.i64("Lag")? } else { -1 },
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.start_offset);
        writer.i32(self.leader_epoch);
        if version >= 1 {
            writer.i64(self.lag);
        }
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeShareGroupOffsetsResponse {
    const NAME: &'static str = "DescribeShareGroupOffsetsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
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
