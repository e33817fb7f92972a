// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeGroups (API key 15): versions 0 to 6, flexible since version 5.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeGroupsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeGroupsRequest {
    /// `Groups`.
    pub groups: Vec<String>,
    /// `IncludeAuthorizedOperations`; since version 3.
    pub include_authorized_operations: bool,
}

impl Element for DescribeGroupsRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            groups: reader.array(version, flexible, "Groups")?,
            include_authorized_operations: if version >= 3 {
                reader.bool("IncludeAuthorizedOperations")?
            } else {
                false
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Groups", &self.groups)?;
        if version >= 3 {
            writer.bool(self.include_authorized_operations);
        } else if self.include_authorized_operations {
            return Err(writer.absent(version, "IncludeAuthorizedOperations"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeGroupsRequest { "groups": groups, "include_authorized_operations": include_authorized_operations });

impl Message for DescribeGroupsRequest {
    const NAME: &'static str = "DescribeGroupsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 6 };
    const FLEXIBLE_FROM: Option<i16> = Some(5);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeGroupsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeGroups;
    type Response = DescribeGroupsResponse;
}

/// Kafka's `DescribeGroupsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeGroupsResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `Groups`.
    pub groups: Vec<DescribedGroup>,
}

impl Element for DescribeGroupsResponse {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
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
        writer.array(version, flexible, "Groups", &self.groups)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribedGroup` of `DescribeGroupsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedGroup {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; since version 6, may be null.
    pub error_message: Option<String>,
    /// `GroupId`.
    pub group_id: String,
    /// `GroupState`.
    pub group_state: String,
    /// `ProtocolType`.
    pub protocol_type: String,
    /// `ProtocolData`.
    pub protocol_data: String,
    /// `Members`.
    pub members: Vec<DescribedGroupMember>,
    /// `AuthorizedOperations`; since version 3, default -2147483648.
    pub authorized_operations: i32,
}

impl Default for DescribedGroup {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: None,
            group_id: String::new(),
            group_state: String::new(),
            protocol_type: String::new(),
            protocol_data: String::new(),
            members: Vec::new(),
            authorized_operations: i32::MIN,
        }
    }
}

impl Element for DescribedGroup {
    const MINIMUM_SIZE: usize = 12;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: if version >= 6 {
                reader.nullable_message(flexible, "ErrorMessage")?
            } else {
                None
            },
            group_id: reader.string(flexible, "GroupId")?,
            group_state: reader.string(flexible, "GroupState")?,
            protocol_type: reader.string(flexible, "ProtocolType")?,
            protocol_data: reader.string(flexible, "ProtocolData")?,
            members: reader.array(version, flexible, "Members")?,
            authorized_operations: if version >= 3 {
                reader.i32("AuthorizedOperations")?
            } else {
                i32::MIN
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        if version >= 6 {
            writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        } else if self.error_message.is_some() {
            return Err(writer.absent(version, "ErrorMessage"));
        }
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.string(flexible, "GroupState", &self.group_state)?;
        writer.string(flexible, "ProtocolType", &self.protocol_type)?;
        writer.string(flexible, "ProtocolData", &self.protocol_data)?;
        writer.array(version, flexible, "Members", &self.members)?;
        if version >= 3 {
            writer.i32(self.authorized_operations);
        } else if self.authorized_operations != i32::MIN {
            return Err(writer.absent(version, "AuthorizedOperations"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribedGroupMember` of `DescribeGroupsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribedGroupMember {
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; since version 4, may be null.
    pub group_instance_id: Option<String>,
    /// `ClientId`.
    pub client_id: String,
    /// `ClientHost`.
    pub client_host: String,
    /// `MemberMetadata`.
    pub member_metadata: Bytes,
    /// `MemberAssignment`.
    pub member_assignment: Bytes,
}

impl Element for DescribedGroupMember {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: if version >= 4 {
                reader.nullable_string(flexible, "GroupInstanceId")?
            } else {
                None
            },
            client_id: reader.string(flexible, "ClientId")?,
            client_host: reader.string(flexible, "ClientHost")?,
            member_metadata: reader.bytes(flexible, "MemberMetadata")?,
            member_assignment: reader.bytes(flexible, "MemberAssignment")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "MemberId", &self.member_id)?;
        if version >= 4 {
            writer.nullable_string(
                flexible,
                "GroupInstanceId",
                self.group_instance_id.as_deref(),
            )?;
        }
        writer.string(flexible, "ClientId", &self.client_id)?;
        writer.string(flexible, "ClientHost", &self.client_host)?;
        writer.bytes(flexible, "MemberMetadata", &self.member_metadata)?;
        writer.bytes(flexible, "MemberAssignment", &self.member_assignment)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeGroupsResponse {
    const NAME: &'static str = "DescribeGroupsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 6 };
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
