// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DeleteGroups (API key 42): versions 0 to 2, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DeleteGroupsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteGroupsRequest {
    /// `GroupsNames`.
    pub groups_names: Vec<String>,
}

impl Element for DeleteGroupsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            groups_names: reader.array(version, flexible, "GroupsNames")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "GroupsNames", &self.groups_names)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DeleteGroupsRequest { "groups_names": groups_names });

impl Message for DeleteGroupsRequest {
    const NAME: &'static str = "DeleteGroupsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DeleteGroupsRequest {
    const API_KEY: ApiKey = ApiKey::DeleteGroups;
    type Response = DeleteGroupsResponse;
}

/// Kafka's `DeleteGroupsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeleteGroupsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Results`.
    pub results: Vec<DeletableGroupResult>,
}

impl Element for DeleteGroupsResponse {
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

/// `DeletableGroupResult` of `DeleteGroupsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DeletableGroupResult {
    /// `GroupId`.
    pub group_id: String,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for DeletableGroupResult {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DeleteGroupsResponse {
    const NAME: &'static str = "DeleteGroupsResponse";
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
