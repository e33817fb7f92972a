// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! RemoveRaftVoter (API key 81): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `RemoveRaftVoterRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveRaftVoterRequest {
    /// `ClusterId`; default empty, may be null.
    pub cluster_id: Option<String>,
    /// `VoterId`.
    pub voter_id: i32,
    /// `VoterDirectoryId`.
    pub voter_directory_id: Uuid,
}

impl Default for RemoveRaftVoterRequest {
    fn default() -> Self {
        Self {
            cluster_id: Some(String::new()),
            voter_id: 0,
            voter_directory_id: Uuid::ZERO,
        }
    }
}

impl Element for RemoveRaftVoterRequest {
    const MINIMUM_SIZE: usize = 22;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            cluster_id: reader.nullable_string(flexible, "ClusterId")?,
            voter_id: reader.i32("VoterId")?,
            voter_directory_id: reader.uuid("VoterDirectoryId")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_string(flexible, "ClusterId", self.cluster_id.as_deref())?;
        writer.i32(self.voter_id);
        writer.uuid(self.voter_directory_id);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(RemoveRaftVoterRequest { "cluster_id": cluster_id, "voter_id": voter_id, "voter_directory_id": voter_directory_id });

impl Message for RemoveRaftVoterRequest {
    const NAME: &'static str = "RemoveRaftVoterRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for RemoveRaftVoterRequest {
    const API_KEY: ApiKey = ApiKey::RemoveRaftVoter;
    type Response = RemoveRaftVoterResponse;
}

/// Kafka's `RemoveRaftVoterResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct RemoveRaftVoterResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for RemoveRaftVoterResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for RemoveRaftVoterResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for RemoveRaftVoterResponse {
    const NAME: &'static str = "RemoveRaftVoterResponse";
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
