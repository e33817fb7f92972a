// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ListPartitionReassignments (API key 46): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ListPartitionReassignmentsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPartitionReassignmentsRequest {
    /// `TimeoutMs`, in milliseconds; default 60000.
    pub timeout_ms: i32,
    /// `Topics`; may be null.
    pub topics: Option<Vec<ListPartitionReassignmentsTopics>>,
}

impl Default for ListPartitionReassignmentsRequest {
    fn default() -> Self {
        Self {
            timeout_ms: 60000,
            topics: None,
        }
    }
}

impl Element for ListPartitionReassignmentsRequest {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            timeout_ms: reader.i32("TimeoutMs")?,
            topics: reader.nullable_array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.timeout_ms);
        writer.nullable_array(version, flexible, "Topics", self.topics.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ListPartitionReassignmentsRequest { "timeout_ms": timeout_ms, "topics": topics });

/// `ListPartitionReassignmentsTopics` of `ListPartitionReassignmentsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListPartitionReassignmentsTopics {
    /// `Name`.
    pub name: String,
    /// `PartitionIndexes`.
    pub partition_indexes: Vec<i32>,
}

impl Element for ListPartitionReassignmentsTopics {
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

describe!(ListPartitionReassignmentsTopics { "name": name, "partition_indexes": partition_indexes });

impl Message for ListPartitionReassignmentsRequest {
    const NAME: &'static str = "ListPartitionReassignmentsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ListPartitionReassignmentsRequest {
    const API_KEY: ApiKey = ApiKey::ListPartitionReassignments;
    type Response = ListPartitionReassignmentsResponse;
}

/// Kafka's `ListPartitionReassignmentsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ListPartitionReassignmentsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `Topics`.
    pub topics: Vec<OngoingTopicReassignment>,
}

impl Default for ListPartitionReassignmentsResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
            topics: Vec::new(),
        }
    }
}

impl Element for ListPartitionReassignmentsResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OngoingTopicReassignment` of `ListPartitionReassignmentsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OngoingTopicReassignment {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<OngoingPartitionReassignment>,
}

impl Element for OngoingTopicReassignment {
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

/// `OngoingPartitionReassignment` of `ListPartitionReassignmentsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OngoingPartitionReassignment {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `Replicas`.
    pub replicas: Vec<i32>,
    /// `AddingReplicas`.
    pub adding_replicas: Vec<i32>,
    /// `RemovingReplicas`.
    pub removing_replicas: Vec<i32>,
}

impl Element for OngoingPartitionReassignment {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            replicas: reader.array(version, flexible, "Replicas")?,
            adding_replicas: reader.array(version, flexible, "AddingReplicas")?,
            removing_replicas: reader.array(version, flexible, "RemovingReplicas")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.array(version, flexible, "Replicas", &self.replicas)?;
        writer.array(version, flexible, "AddingReplicas", &self.adding_replicas)?;
        writer.array(
            version,
            flexible,
            "RemovingReplicas",
            &self.removing_replicas,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ListPartitionReassignmentsResponse {
    const NAME: &'static str = "ListPartitionReassignmentsResponse";
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
