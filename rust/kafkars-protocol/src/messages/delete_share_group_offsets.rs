// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DeleteShareGroupOffsets (API key 92): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `DeleteShareGroupOffsetsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteShareGroupOffsetsRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<DeleteShareGroupOffsetsRequestTopic>,
}

impl Element for DeleteShareGroupOffsetsRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteShareGroupOffsetsRequest { "group_id": group_id, "topics": topics });

/// `DeleteShareGroupOffsetsRequestTopic` of `DeleteShareGroupOffsetsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteShareGroupOffsetsRequestTopic {
    /// `TopicName`.
    pub topic_name: String,
}

impl Element for DeleteShareGroupOffsetsRequestTopic {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteShareGroupOffsetsRequestTopic { "topic_name": topic_name });

impl Message for DeleteShareGroupOffsetsRequest {
    const NAME: &'static str = "DeleteShareGroupOffsetsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DeleteShareGroupOffsetsRequest {
    const API_KEY: ApiKey = ApiKey::DeleteShareGroupOffsets;
    type Response = DeleteShareGroupOffsetsResponse;
}

/// Kafka's `DeleteShareGroupOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteShareGroupOffsetsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `Responses`.
    pub responses: Vec<DeleteShareGroupOffsetsResponseTopic>,
}

impl Element for DeleteShareGroupOffsetsResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            responses: reader.array(version, flexible, "Responses")?,
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
        writer.array(version, flexible, "Responses", &self.responses)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DeleteShareGroupOffsetsResponseTopic` of `DeleteShareGroupOffsetsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteShareGroupOffsetsResponseTopic {
    /// `TopicName`.
    pub topic_name: String,
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
}

impl Element for DeleteShareGroupOffsetsResponseTopic {
    const MINIMUM_SIZE: usize = 21;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_name: reader.string(flexible, "TopicName")?,
            topic_id: reader.uuid("TopicId")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.uuid(self.topic_id);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DeleteShareGroupOffsetsResponse {
    const NAME: &'static str = "DeleteShareGroupOffsetsResponse";
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
