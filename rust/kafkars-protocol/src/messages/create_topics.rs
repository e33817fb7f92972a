// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! CreateTopics (API key 19): versions 2 to 7, flexible since version 5.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `CreateTopicsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTopicsRequest {
    /// `Topics`.
    pub topics: Vec<CreatableTopic>,
    /// `timeoutMs`, in milliseconds; default 60000.
    pub timeout_ms: i32,
    /// `validateOnly`.
    pub validate_only: bool,
}

impl Default for CreateTopicsRequest {
    fn default() -> Self {
        Self {
            topics: Vec::new(),
            timeout_ms: 60000,
            validate_only: false,
        }
    }
}

impl Element for CreateTopicsRequest {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: reader.array(version, flexible, "Topics")?,
            timeout_ms: reader.i32("timeoutMs")?,
            validate_only: reader.bool("validateOnly")?,
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

describe!(CreateTopicsRequest { "topics": topics, "timeout_ms": timeout_ms, "validate_only": validate_only });

/// `CreatableTopic` of `CreateTopicsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatableTopic {
    /// `Name`.
    pub name: String,
    /// `NumPartitions`.
    pub num_partitions: i32,
    /// `ReplicationFactor`.
    pub replication_factor: i16,
    /// `Assignments`.
    pub assignments: Vec<CreatableReplicaAssignment>,
    /// `Configs`.
    pub configs: Vec<CreatableTopicConfig>,
}

impl Element for CreatableTopic {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            num_partitions: reader.i32("NumPartitions")?,
            replication_factor: reader.i16("ReplicationFactor")?,
            assignments: reader.array(version, flexible, "Assignments")?,
            configs: reader.array(version, flexible, "Configs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i32(self.num_partitions);
        writer.i16(self.replication_factor);
        writer.array(version, flexible, "Assignments", &self.assignments)?;
        writer.array(version, flexible, "Configs", &self.configs)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreatableTopic { "name": name, "num_partitions": num_partitions, "replication_factor": replication_factor, "assignments": assignments, "configs": configs });

/// `CreatableReplicaAssignment` of `CreateTopicsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatableReplicaAssignment {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `BrokerIds`.
    pub broker_ids: Vec<i32>,
}

impl Element for CreatableReplicaAssignment {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            broker_ids: reader.array(version, flexible, "BrokerIds")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.array(version, flexible, "BrokerIds", &self.broker_ids)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreatableReplicaAssignment { "partition_index": partition_index, "broker_ids": broker_ids });

/// `CreatableTopicConfig` of `CreateTopicsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatableTopicConfig {
    /// `Name`.
    pub name: String,
    /// `Value`; default empty, may be null.
    pub value: Option<String>,
}

impl Default for CreatableTopicConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: Some(String::new()),
        }
    }
}

impl Element for CreatableTopicConfig {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            value: reader.nullable_string(flexible, "Value")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.nullable_string(flexible, "Value", self.value.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreatableTopicConfig { "name": name, "value": value });

impl Message for CreateTopicsRequest {
    const NAME: &'static str = "CreateTopicsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 2, max: 7 };
    const FLEXIBLE_FROM: Option<i16> = Some(5);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for CreateTopicsRequest {
    const API_KEY: ApiKey = ApiKey::CreateTopics;
    type Response = CreateTopicsResponse;
}

/// Kafka's `CreateTopicsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreateTopicsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<CreatableTopicResult>,
}

impl Element for CreateTopicsResponse {
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

/// `CreatableTopicResult` of `CreateTopicsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatableTopicResult {
    /// `Name`.
    pub name: String,
    /// `TopicId`; since version 7.
    pub topic_id: Uuid,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `TopicConfigErrorCode`; since version 5, tag 0.
    pub topic_config_error_code: i16,
    /// `NumPartitions`; since version 5, default -1.
    pub num_partitions: i32,
    /// `ReplicationFactor`; since version 5, default -1.
    pub replication_factor: i16,
    /// `Configs`; since version 5, default empty, may be null.
    pub configs: Option<Vec<CreatableTopicConfigs>>,
}

impl Default for CreatableTopicResult {
    fn default() -> Self {
        Self {
            name: String::new(),
            topic_id: Uuid::ZERO,
            error_code: 0,
            error_message: Some(String::new()),
            topic_config_error_code: 0,
            num_partitions: -1,
            replication_factor: -1,
            configs: Some(Vec::new()),
        }
    }
}

impl Element for CreatableTopicResult {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            name: reader.string(flexible, "Name")?,
            topic_id: if version >= 7 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            num_partitions: if version >= 5 {
                reader.i32("NumPartitions")?
            } else {
                -1
            },
            replication_factor: if version >= 5 {
                reader.i16("ReplicationFactor")?
            } else {
                -1
            },
            configs: if version >= 5 {
                reader.nullable_array(version, flexible, "Configs")?
            } else {
                Some(Vec::new())
            },
            topic_config_error_code: 0,
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 => value.topic_config_error_code = reader.i16("TopicConfigErrorCode")?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        if version >= 7 {
            writer.uuid(self.topic_id);
        }
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        if version >= 5 {
            writer.i32(self.num_partitions);
        }
        if version >= 5 {
            writer.i16(self.replication_factor);
        }
        if version >= 5 {
            writer.nullable_array(version, flexible, "Configs", self.configs.as_deref())?;
        }
        if flexible {
            writer.tags(|tags| {
                if self.topic_config_error_code != 0 {
                    tags.add(0, |writer| {
                        writer.i16(self.topic_config_error_code);
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// `CreatableTopicConfigs` of `CreateTopicsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreatableTopicConfigs {
    /// `Name`.
    pub name: String,
    /// `Value`; default empty, may be null.
    pub value: Option<String>,
    /// `ReadOnly`.
    pub read_only: bool,
    /// `ConfigSource`; default -1.
    pub config_source: i8,
    /// `IsSensitive`.
    pub is_sensitive: bool,
}

impl Default for CreatableTopicConfigs {
    fn default() -> Self {
        Self {
            name: String::new(),
            value: Some(String::new()),
            read_only: false,
            config_source: -1,
            is_sensitive: false,
        }
    }
}

impl Element for CreatableTopicConfigs {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            value: reader.nullable_string(flexible, "Value")?,
            read_only: reader.bool("ReadOnly")?,
            config_source: reader.i8("ConfigSource")?,
            is_sensitive: reader.bool("IsSensitive")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.nullable_string(flexible, "Value", self.value.as_deref())?;
        writer.bool(self.read_only);
        writer.i8(self.config_source);
        writer.bool(self.is_sensitive);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for CreateTopicsResponse {
    const NAME: &'static str = "CreateTopicsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 2, max: 7 };
    const FLEXIBLE_FROM: Option<i16> = Some(5);

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
