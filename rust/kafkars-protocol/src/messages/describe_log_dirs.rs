// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeLogDirs (API key 35): versions 1 to 5, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeLogDirsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeLogDirsRequest {
    /// `Topics`; default empty, may be null.
    pub topics: Option<Vec<DescribableLogDirTopic>>,
}

impl Default for DescribeLogDirsRequest {
    fn default() -> Self {
        Self {
            topics: Some(Vec::new()),
        }
    }
}

impl Element for DescribeLogDirsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: reader.nullable_array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_array(version, flexible, "Topics", self.topics.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeLogDirsRequest { "topics": topics });

/// `DescribableLogDirTopic` of `DescribeLogDirsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribableLogDirTopic {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for DescribableLogDirTopic {
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

describe!(DescribableLogDirTopic { "topic": topic, "partitions": partitions });

impl Message for DescribeLogDirsRequest {
    const NAME: &'static str = "DescribeLogDirsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeLogDirsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeLogDirs;
    type Response = DescribeLogDirsResponse;
}

/// Kafka's `DescribeLogDirsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeLogDirsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`; since version 3.
    pub error_code: i16,
    /// `Results`.
    pub results: Vec<DescribeLogDirsResult>,
}

impl Element for DescribeLogDirsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: if version >= 3 {
                reader.i16("ErrorCode")?
            } else {
                0
            },
            results: reader.array(version, flexible, "Results")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        if version >= 3 {
            writer.i16(self.error_code);
        }
        writer.array(version, flexible, "Results", &self.results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeLogDirsResult` of `DescribeLogDirsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeLogDirsResult {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `LogDir`.
    pub log_dir: String,
    /// `Topics`.
    pub topics: Vec<DescribeLogDirsTopic>,
    /// `TotalBytes`; since version 4, default -1.
    pub total_bytes: i64,
    /// `UsableBytes`; since version 4, default -1.
    pub usable_bytes: i64,
    /// `IsCordoned`; since version 5.
    pub is_cordoned: bool,
}

impl Default for DescribeLogDirsResult {
    fn default() -> Self {
        Self {
            error_code: 0,
            log_dir: String::new(),
            topics: Vec::new(),
            total_bytes: -1,
            usable_bytes: -1,
            is_cordoned: false,
        }
    }
}

impl Element for DescribeLogDirsResult {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            log_dir: reader.string(flexible, "LogDir")?,
            topics: reader.array(version, flexible, "Topics")?,
            total_bytes: if version >= 4 {
                reader.i64("TotalBytes")?
            } else {
                -1
            },
            usable_bytes: if version >= 4 {
                reader.i64("UsableBytes")?
            } else {
                -1
            },
            is_cordoned: if version >= 5 {
                reader.bool("IsCordoned")?
            } else {
                false
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.string(flexible, "LogDir", &self.log_dir)?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        if version >= 4 {
            writer.i64(self.total_bytes);
        }
        if version >= 4 {
            writer.i64(self.usable_bytes);
        }
        if version >= 5 {
            writer.bool(self.is_cordoned);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeLogDirsTopic` of `DescribeLogDirsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeLogDirsTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<DescribeLogDirsPartition>,
}

impl Element for DescribeLogDirsTopic {
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

/// `DescribeLogDirsPartition` of `DescribeLogDirsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeLogDirsPartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `PartitionSize`.
    pub partition_size: i64,
    /// `OffsetLag`.
    pub offset_lag: i64,
    /// `IsFutureKey`.
    pub is_future_key: bool,
}

impl Element for DescribeLogDirsPartition {
    const MINIMUM_SIZE: usize = 21;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            partition_size: reader.i64("PartitionSize")?,
            offset_lag: reader.i64("OffsetLag")?,
            is_future_key: reader.bool("IsFutureKey")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.partition_size);
        writer.i64(self.offset_lag);
        writer.bool(self.is_future_key);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeLogDirsResponse {
    const NAME: &'static str = "DescribeLogDirsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 5 };
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
