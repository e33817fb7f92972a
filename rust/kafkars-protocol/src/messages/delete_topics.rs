// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DeleteTopics (API key 20): versions 1 to 6, flexible since version 4.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `DeleteTopicsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteTopicsRequest {
    /// `Topics`; since version 6.
    pub topics: Vec<DeleteTopicState>,
    /// `TopicNames`; up to version 5.
    pub topic_names: Vec<String>,
    /// `TimeoutMs`, in milliseconds.
    pub timeout_ms: i32,
}

impl Element for DeleteTopicsRequest {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: if version >= 6 {
                reader.array(version, flexible, "Topics")?
            } else {
                Vec::new()
            },
            topic_names: if version <= 5 {
                reader.array(version, flexible, "TopicNames")?
            } else {
                Vec::new()
            },
            timeout_ms: reader.i32("TimeoutMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 6 {
            writer.array(version, flexible, "Topics", &self.topics)?;
        } else if !self.topics.is_empty() {
            return Err(writer.absent(version, "Topics"));
        }
        if version <= 5 {
            writer.array(version, flexible, "TopicNames", &self.topic_names)?;
        }
        writer.i32(self.timeout_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteTopicsRequest { "topics": topics, "topic_names": topic_names, "timeout_ms": timeout_ms });

/// `DeleteTopicState` of `DeleteTopicsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteTopicState {
    /// `Name`; may be null.
    pub name: Option<String>,
    /// `TopicId`.
    pub topic_id: Uuid,
}

impl Element for DeleteTopicState {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.nullable_string(flexible, "Name")?,
            topic_id: reader.uuid("TopicId")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_string(flexible, "Name", self.name.as_deref())?;
        writer.uuid(self.topic_id);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteTopicState { "name": name, "topic_id": topic_id });

impl Message for DeleteTopicsRequest {
    const NAME: &'static str = "DeleteTopicsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 6 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DeleteTopicsRequest {
    const API_KEY: ApiKey = ApiKey::DeleteTopics;
    type Response = DeleteTopicsResponse;
}

/// Kafka's `DeleteTopicsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteTopicsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Responses`.
    pub responses: Vec<DeletableTopicResult>,
}

impl Element for DeleteTopicsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            responses: reader.array(version, flexible, "Responses")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Responses", &self.responses)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DeletableTopicResult` of `DeleteTopicsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeletableTopicResult {
    /// `Name`; default empty, may be null since version 6.
    pub name: Option<String>,
    /// `TopicId`; since version 6.
    pub topic_id: Uuid,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; since version 5, may be null.
    pub error_message: Option<String>,
}

impl Default for DeletableTopicResult {
    fn default() -> Self {
        Self {
            name: Some(String::new()),
            topic_id: Uuid::ZERO,
            error_code: 0,
            error_message: None,
        }
    }
}

impl Element for DeletableTopicResult {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: if version >= 6 {
                reader.nullable_string(flexible, "Name")?
            } else {
                Some(reader.string(flexible, "Name")?)
            },
            topic_id: if version >= 6 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            error_code: reader.i16("ErrorCode")?,
            error_message: if version >= 5 {
                reader.nullable_message(flexible, "ErrorMessage")?
            } else {
                None
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 6 {
            writer.nullable_string(flexible, "Name", self.name.as_deref())?;
        } else {
            let value = writer.required(version, "Name", &self.name)?;
            writer.string(flexible, "Name", value)?;
        }
        if version >= 6 {
            writer.uuid(self.topic_id);
        }
        writer.i16(self.error_code);
        if version >= 5 {
            writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DeleteTopicsResponse {
    const NAME: &'static str = "DeleteTopicsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 6 };
    const FLEXIBLE_FROM: Option<i16> = Some(4);

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
