// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ListGroups (API key 16): versions 0 to 5, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ListGroupsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListGroupsRequest {
    /// `StatesFilter`; since version 4.
    pub states_filter: Vec<String>,
    /// `TypesFilter`; since version 5.
    pub types_filter: Vec<String>,
}

impl Element for ListGroupsRequest {
    const MINIMUM_SIZE: usize = 1;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            states_filter: if version >= 4 {
                reader.array(version, flexible, "StatesFilter")?
            } else {
                Vec::new()
            },
            types_filter: if version >= 5 {
                reader.array(version, flexible, "TypesFilter")?
            } else {
                Vec::new()
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 4 {
            writer.array(version, flexible, "StatesFilter", &self.states_filter)?;
        } else if !self.states_filter.is_empty() {
            return Err(writer.absent(version, "StatesFilter"));
        }
        if version >= 5 {
            writer.array(version, flexible, "TypesFilter", &self.types_filter)?;
        } else if !self.types_filter.is_empty() {
            return Err(writer.absent(version, "TypesFilter"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ListGroupsRequest { "states_filter": states_filter, "types_filter": types_filter });

impl Message for ListGroupsRequest {
    const NAME: &'static str = "ListGroupsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ListGroupsRequest {
    const API_KEY: ApiKey = ApiKey::ListGroups;
    type Response = ListGroupsResponse;
}

/// Kafka's `ListGroupsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListGroupsResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Groups`.
    pub groups: Vec<ListedGroup>,
}

impl Element for ListGroupsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            error_code: reader.i16("ErrorCode")?,
            groups: reader.array(version, flexible, "Groups")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 1 {
            writer.i32(self.throttle_time_ms);
        }
        writer.i16(self.error_code);
        writer.array(version, flexible, "Groups", &self.groups)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `ListedGroup` of `ListGroupsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ListedGroup {
    /// `GroupId`.
    pub group_id: String,
    /// `ProtocolType`.
    pub protocol_type: String,
    /// `GroupState`; since version 4.
    pub group_state: String,
    /// `GroupType`; since version 5.
    pub group_type: String,
}

impl Element for ListedGroup {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            protocol_type: reader.string(flexible, "ProtocolType")?,
            group_state: if version >= 4 {
                reader.string(flexible, "GroupState")?
            } else {
                String::new()
            },
            group_type: if version >= 5 {
                reader.string(flexible, "GroupType")?
            } else {
                String::new()
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.string(flexible, "ProtocolType", &self.protocol_type)?;
        if version >= 4 {
            writer.string(flexible, "GroupState", &self.group_state)?;
        }
        if version >= 5 {
            writer.string(flexible, "GroupType", &self.group_type)?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ListGroupsResponse {
    const NAME: &'static str = "ListGroupsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

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
