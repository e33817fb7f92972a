// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! CreatePartitions (API key 37): versions 0 to 3, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `CreatePartitionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatePartitionsRequest {
    /// `Topics`.
    pub topics: Vec<CreatePartitionsTopic>,
    /// `TimeoutMs`, in milliseconds.
    pub timeout_ms: i32,
    /// `ValidateOnly`.
    pub validate_only: bool,
}

impl Element for CreatePartitionsRequest {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: reader.array(version, flexible, "Topics")?,
            timeout_ms: reader.i32("TimeoutMs")?,
            validate_only: reader.bool("ValidateOnly")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.i32(self.timeout_ms);
        writer.bool(self.validate_only);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreatePartitionsRequest { "topics": topics, "timeout_ms": timeout_ms, "validate_only": validate_only });

/// `CreatePartitionsTopic` of `CreatePartitionsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatePartitionsTopic {
    /// `Name`.
    pub name: String,
    /// `Count`.
    pub count: i32,
    /// `Assignments`; default empty, may be null.
    pub assignments: Option<Vec<CreatePartitionsAssignment>>,
}

impl Default for CreatePartitionsTopic {
    fn default() -> Self {
        Self {
            name: String::new(),
            count: 0,
            assignments: Some(Vec::new()),
        }
    }
}

impl Element for CreatePartitionsTopic {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            count: reader.i32("Count")?,
            assignments: reader.nullable_array(version, flexible, "Assignments")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i32(self.count);
        writer.nullable_array(
            version,
            flexible,
            "Assignments",
            self.assignments.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreatePartitionsTopic { "name": name, "count": count, "assignments": assignments });

/// `CreatePartitionsAssignment` of `CreatePartitionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatePartitionsAssignment {
    /// `BrokerIds`.
    pub broker_ids: Vec<i32>,
}

impl Element for CreatePartitionsAssignment {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            broker_ids: reader.array(version, flexible, "BrokerIds")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "BrokerIds", &self.broker_ids)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreatePartitionsAssignment { "broker_ids": broker_ids });

impl Message for CreatePartitionsRequest {
    const NAME: &'static str = "CreatePartitionsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for CreatePartitionsRequest {
    const API_KEY: ApiKey = ApiKey::CreatePartitions;
    type Response = CreatePartitionsResponse;
}

/// Kafka's `CreatePartitionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatePartitionsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Results`.
    pub results: Vec<CreatePartitionsTopicResult>,
}

impl Element for CreatePartitionsResponse {
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

/// `CreatePartitionsTopicResult` of `CreatePartitionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatePartitionsTopicResult {
    /// `Name`.
    pub name: String,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
}

impl Element for CreatePartitionsTopicResult {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for CreatePartitionsResponse {
    const NAME: &'static str = "CreatePartitionsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 3 };
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
