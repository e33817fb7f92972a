// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AlterReplicaLogDirs (API key 34): versions 1 to 2, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `AlterReplicaLogDirsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterReplicaLogDirsRequest {
    /// `Dirs`.
    pub dirs: Vec<AlterReplicaLogDir>,
}

impl Element for AlterReplicaLogDirsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            dirs: reader.array(version, flexible, "Dirs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Dirs", &self.dirs)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterReplicaLogDirsRequest { "dirs": dirs });

/// `AlterReplicaLogDir` of `AlterReplicaLogDirsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterReplicaLogDir {
    /// `Path`.
    pub path: String,
    /// `Topics`.
    pub topics: Vec<AlterReplicaLogDirTopic>,
}

impl Element for AlterReplicaLogDir {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            path: reader.string(flexible, "Path")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Path", &self.path)?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterReplicaLogDir { "path": path, "topics": topics });

/// `AlterReplicaLogDirTopic` of `AlterReplicaLogDirsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterReplicaLogDirTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for AlterReplicaLogDirTopic {
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

describe!(AlterReplicaLogDirTopic { "name": name, "partitions": partitions });

impl Message for AlterReplicaLogDirsRequest {
    const NAME: &'static str = "AlterReplicaLogDirsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AlterReplicaLogDirsRequest {
    const API_KEY: ApiKey = ApiKey::AlterReplicaLogDirs;
    type Response = AlterReplicaLogDirsResponse;
}

/// Kafka's `AlterReplicaLogDirsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterReplicaLogDirsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Results`.
    pub results: Vec<AlterReplicaLogDirTopicResult>,
}

impl Element for AlterReplicaLogDirsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            results: reader.array(version, flexible, "Results")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Results", &self.results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AlterReplicaLogDirTopicResult` of `AlterReplicaLogDirsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterReplicaLogDirTopicResult {
    /// `TopicName`.
    pub topic_name: String,
    /// `Partitions`.
    pub partitions: Vec<AlterReplicaLogDirPartitionResult>,
}

impl Element for AlterReplicaLogDirTopicResult {
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

/// `AlterReplicaLogDirPartitionResult` of `AlterReplicaLogDirsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterReplicaLogDirPartitionResult {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for AlterReplicaLogDirPartitionResult {
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

impl Message for AlterReplicaLogDirsResponse {
    const NAME: &'static str = "AlterReplicaLogDirsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
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
