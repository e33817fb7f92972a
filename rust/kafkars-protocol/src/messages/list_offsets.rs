// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ListOffsets (API key 2): versions 1 to 11, flexible since version 6.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ListOffsetsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListOffsetsRequest {
    /// `ReplicaId`.
    pub replica_id: i32,
    /// `IsolationLevel`; since version 2.
    pub isolation_level: i8,
    /// `Topics`.
    pub topics: Vec<ListOffsetsTopic>,
    /// `TimeoutMs`, in milliseconds; since version 10.
    pub timeout_ms: i32,
}

impl Element for ListOffsetsRequest {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            replica_id: reader.i32("ReplicaId")?,
            isolation_level: if version >= 2 {
                reader.i8("IsolationLevel")?
            } else {
                0
            },
            topics: reader.array(version, flexible, "Topics")?,
            timeout_ms: if version >= 10 {
                reader.i32("TimeoutMs")?
            } else {
                0
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.replica_id);
        if version >= 2 {
            writer.i8(self.isolation_level);
        } else if self.isolation_level != 0 {
            return Err(writer.absent(version, "IsolationLevel"));
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        if version >= 10 {
            writer.i32(self.timeout_ms);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ListOffsetsRequest { "replica_id": replica_id, "isolation_level": isolation_level, "topics": topics, "timeout_ms": timeout_ms });

/// `ListOffsetsTopic` of `ListOffsetsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListOffsetsTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<ListOffsetsPartition>,
}

impl Element for ListOffsetsTopic {
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

describe!(ListOffsetsTopic { "name": name, "partitions": partitions });

/// `ListOffsetsPartition` of `ListOffsetsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ListOffsetsPartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `CurrentLeaderEpoch`; since version 4, default -1.
    pub current_leader_epoch: i32,
    /// `Timestamp`.
    pub timestamp: i64,
}

impl Default for ListOffsetsPartition {
    fn default() -> Self {
        Self {
            partition_index: 0,
            current_leader_epoch: -1,
            timestamp: 0,
        }
    }
}

impl Element for ListOffsetsPartition {
    const MINIMUM_SIZE: usize = 12;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            current_leader_epoch: if version >= 4 {
                reader.i32("CurrentLeaderEpoch")?
            } else {
                -1
            },
            timestamp: reader.i64("Timestamp")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        if version >= 4 {
            writer.i32(self.current_leader_epoch);
        }
        writer.i64(self.timestamp);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ListOffsetsPartition { "partition_index": partition_index, "current_leader_epoch": current_leader_epoch, "timestamp": timestamp });

impl Message for ListOffsetsRequest {
    const NAME: &'static str = "ListOffsetsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 11 };
    const FLEXIBLE_FROM: Option<i16> = Some(6);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ListOffsetsRequest {
    const API_KEY: ApiKey = ApiKey::ListOffsets;
    type Response = ListOffsetsResponse;
}

/// Kafka's `ListOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListOffsetsResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 2.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<ListOffsetsTopicResponse>,
}

impl Element for ListOffsetsResponse {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 2 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 2 {
            writer.i32(self.throttle_time_ms);
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ListOffsetsTopicResponse` of `ListOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListOffsetsTopicResponse {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<ListOffsetsPartitionResponse>,
}

impl Element for ListOffsetsTopicResponse {
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

/// `ListOffsetsPartitionResponse` of `ListOffsetsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ListOffsetsPartitionResponse {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Timestamp`; default -1.
    pub timestamp: i64,
    /// `Offset`; default -1.
    pub offset: i64,
    /// `LeaderEpoch`; since version 4, default -1.
    pub leader_epoch: i32,
}

impl Default for ListOffsetsPartitionResponse {
    fn default() -> Self {
        Self {
            partition_index: 0,
            error_code: 0,
            timestamp: -1,
            offset: -1,
            leader_epoch: -1,
        }
    }
}

impl Element for ListOffsetsPartitionResponse {
    const MINIMUM_SIZE: usize = 22;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
            timestamp: reader.i64("Timestamp")?,
            offset: reader.i64("Offset")?,
            leader_epoch: if version >= 4 {
                reader.i32("LeaderEpoch")?
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
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        writer.i64(self.timestamp);
        writer.i64(self.offset);
        if version >= 4 {
            writer.i32(self.leader_epoch);
        } else if self.leader_epoch != -1 {
            return Err(writer.absent(version, "LeaderEpoch"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ListOffsetsResponse {
    const NAME: &'static str = "ListOffsetsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 11 };
    const FLEXIBLE_FROM: Option<i16> = Some(6);

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
