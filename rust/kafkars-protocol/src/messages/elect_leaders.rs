// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ElectLeaders (API key 43): versions 0 to 2, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ElectLeadersRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ElectLeadersRequest {
    /// `ElectionType`; since version 1.
    pub election_type: i8,
    /// `TopicPartitions`; default empty, may be null.
    pub topic_partitions: Option<Vec<TopicPartitions>>,
    /// `TimeoutMs`, in milliseconds; default 60000.
    pub timeout_ms: i32,
}

impl Default for ElectLeadersRequest {
    fn default() -> Self {
        Self {
            election_type: 0,
            topic_partitions: Some(Vec::new()),
            timeout_ms: 60000,
        }
    }
}

impl Element for ElectLeadersRequest {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            election_type: if version >= 1 {
                reader.i8("ElectionType")?
            } else {
                0
            },
            topic_partitions: reader.nullable_array(version, flexible, "TopicPartitions")?,
            timeout_ms: reader.i32("TimeoutMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 1 {
            writer.i8(self.election_type);
        } else if self.election_type != 0 {
            return Err(writer.absent(version, "ElectionType"));
        }
        writer.nullable_array(
            version,
            flexible,
            "TopicPartitions",
            self.topic_partitions.as_deref(),
        )?;
        writer.i32(self.timeout_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ElectLeadersRequest { "election_type": election_type, "topic_partitions": topic_partitions, "timeout_ms": timeout_ms });

/// `TopicPartitions` of `ElectLeadersRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicPartitions {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TopicPartitions {
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

describe!(TopicPartitions { "topic": topic, "partitions": partitions });

impl Message for ElectLeadersRequest {
    const NAME: &'static str = "ElectLeadersRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ElectLeadersRequest {
    const API_KEY: ApiKey = ApiKey::ElectLeaders;
    type Response = ElectLeadersResponse;
}

/// Kafka's `ElectLeadersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ElectLeadersResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`; since version 1.
    pub error_code: i16,
    /// `ReplicaElectionResults`.
    pub replica_election_results: Vec<ReplicaElectionResult>,
}

impl Element for ElectLeadersResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: if version >= 1 {
                reader.i16("ErrorCode")?
            } else {
                0
            },
            replica_election_results: reader.array(version, flexible, "ReplicaElectionResults")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        if version >= 1 {
            writer.i16(self.error_code);
        } else if self.error_code != 0 {
            return Err(writer.absent(version, "ErrorCode"));
        }
        writer.array(
            version,
            flexible,
            "ReplicaElectionResults",
            &self.replica_election_results,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ReplicaElectionResult` of `ElectLeadersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ReplicaElectionResult {
    /// `Topic`.
    pub topic: String,
    /// `PartitionResult`.
    pub partition_result: Vec<PartitionResult>,
}

impl Element for ReplicaElectionResult {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: reader.string(flexible, "Topic")?,
            partition_result: reader.array(version, flexible, "PartitionResult")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Topic", &self.topic)?;
        writer.array(version, flexible, "PartitionResult", &self.partition_result)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `PartitionResult` of `ElectLeadersResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionResult {
    /// `PartitionId`.
    pub partition_id: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for PartitionResult {
    fn default() -> Self {
        Self {
            partition_id: 0,
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for PartitionResult {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_id: reader.i32("PartitionId")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_id);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ElectLeadersResponse {
    const NAME: &'static str = "ElectLeadersResponse";
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
