// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ConsumerGroupDescribe (API key 69): versions 0 to 1, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ConsumerGroupDescribeRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ConsumerGroupDescribeRequest {
    /// `GroupIds`.
    pub group_ids: Vec<String>,
    /// `IncludeAuthorizedOperations`.
    pub include_authorized_operations: bool,
}

impl Element for ConsumerGroupDescribeRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_ids: reader.array(version, flexible, "GroupIds")?,
            include_authorized_operations: reader.bool("IncludeAuthorizedOperations")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "GroupIds", &self.group_ids)?;
        writer.bool(self.include_authorized_operations);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ConsumerGroupDescribeRequest { "group_ids": group_ids, "include_authorized_operations": include_authorized_operations });

impl Message for ConsumerGroupDescribeRequest {
    const NAME: &'static str = "ConsumerGroupDescribeRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ConsumerGroupDescribeRequest {
    const API_KEY: ApiKey = ApiKey::ConsumerGroupDescribe;
    type Response = ConsumerGroupDescribeResponse;
}

/// Kafka's `ConsumerGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ConsumerGroupDescribeResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Groups`.
    pub groups: Vec<DescribedGroup>,
}

impl Element for ConsumerGroupDescribeResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            groups: reader.array(version, flexible, "Groups")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Groups", &self.groups)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribedGroup` of `ConsumerGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedGroup {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `GroupId`.
    pub group_id: String,
    /// `GroupState`.
    pub group_state: String,
    /// `GroupEpoch`.
    pub group_epoch: i32,
    /// `AssignmentEpoch`.
    pub assignment_epoch: i32,
    /// `AssignorName`.
    pub assignor_name: String,
    /// `Members`.
    pub members: Vec<Member>,
    /// `AuthorizedOperations`; default -2147483648.
    pub authorized_operations: i32,
}

impl Default for DescribedGroup {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: None,
            group_id: String::new(),
            group_state: String::new(),
            group_epoch: 0,
            assignment_epoch: 0,
            assignor_name: String::new(),
            members: Vec::new(),
            authorized_operations: i32::MIN,
        }
    }
}

impl Element for DescribedGroup {
    const MINIMUM_SIZE: usize = 20;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            group_id: reader.string(flexible, "GroupId")?,
            group_state: reader.string(flexible, "GroupState")?,
            group_epoch: reader.i32("GroupEpoch")?,
            assignment_epoch: reader.i32("AssignmentEpoch")?,
            assignor_name: reader.string(flexible, "AssignorName")?,
            members: reader.array(version, flexible, "Members")?,
            authorized_operations: reader.i32("AuthorizedOperations")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.string(flexible, "GroupState", &self.group_state)?;
        writer.i32(self.group_epoch);
        writer.i32(self.assignment_epoch);
        writer.string(flexible, "AssignorName", &self.assignor_name)?;
        writer.array(version, flexible, "Members", &self.members)?;
        writer.i32(self.authorized_operations);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Member` of `ConsumerGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// `MemberId`.
    pub member_id: String,
    /// `InstanceId`; may be null.
    pub instance_id: Option<String>,
    /// `RackId`; may be null.
    pub rack_id: Option<String>,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `ClientId`.
    pub client_id: String,
    /// `ClientHost`.
    pub client_host: String,
    /// `SubscribedTopicNames`.
    pub subscribed_topic_names: Vec<String>,
    /// `SubscribedTopicRegex`; may be null.
    pub subscribed_topic_regex: Option<String>,
    /// `Assignment`.
    pub assignment: Assignment,
    /// `TargetAssignment`.
    pub target_assignment: Assignment,
    /// `MemberType`; since version 1, default -1.
    pub member_type: i8,
}

impl Default for Member {
    fn default() -> Self {
        Self {
            member_id: String::new(),
            instance_id: None,
            rack_id: None,
            member_epoch: 0,
            client_id: String::new(),
            client_host: String::new(),
            subscribed_topic_names: Vec::new(),
            subscribed_topic_regex: None,
            assignment: Assignment::default(),
            target_assignment: Assignment::default(),
            member_type: -1,
        }
    }
}

impl Element for Member {
    const MINIMUM_SIZE: usize = 16;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            instance_id: reader.nullable_string(flexible, "InstanceId")?,
            rack_id: reader.nullable_string(flexible, "RackId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            client_id: reader.string(flexible, "ClientId")?,
            client_host: reader.string(flexible, "ClientHost")?,
            subscribed_topic_names: reader.array(version, flexible, "SubscribedTopicNames")?,
            subscribed_topic_regex: reader.nullable_string(flexible, "SubscribedTopicRegex")?,
            assignment: Assignment::read(reader, version, flexible)?,
            target_assignment: Assignment::read(reader, version, flexible)?,
            member_type: if version >= 1 {
                reader.i8("MemberType")?
            } else {
                -1
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.nullable_string(flexible, "InstanceId", self.instance_id.as_deref())?;
        writer.nullable_string(flexible, "RackId", self.rack_id.as_deref())?;
        writer.i32(self.member_epoch);
        writer.string(flexible, "ClientId", &self.client_id)?;
        writer.string(flexible, "ClientHost", &self.client_host)?;
        writer.array(
            version,
            flexible,
            "SubscribedTopicNames",
            &self.subscribed_topic_names,
        )?;
        writer.nullable_string(
            flexible,
            "SubscribedTopicRegex",
            self.subscribed_topic_regex.as_deref(),
        )?;
        self.assignment.write(writer, version, flexible)?;
        self.target_assignment.write(writer, version, flexible)?;
        if version >= 1 {
            writer.i8(self.member_type);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TopicPartitions` of `ConsumerGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicPartitions {
    /// `TopicId`.
    pub topic_id: Uuid,
    /// `TopicName`.
    pub topic_name: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TopicPartitions {
    const MINIMUM_SIZE: usize = 19;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_id: reader.uuid("TopicId")?,
            topic_name: reader.string(flexible, "TopicName")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.uuid(self.topic_id);
        writer.string(flexible, "TopicName", &self.topic_name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Assignment` of `ConsumerGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Assignment {
    /// `TopicPartitions`.
    pub topic_partitions: Vec<TopicPartitions>,
}

impl Element for Assignment {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_partitions: reader.array(version, flexible, "TopicPartitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "TopicPartitions", &self.topic_partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ConsumerGroupDescribeResponse {
    const NAME: &'static str = "ConsumerGroupDescribeResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
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
