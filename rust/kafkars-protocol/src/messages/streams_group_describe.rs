// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! StreamsGroupDescribe (API key 89): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `StreamsGroupDescribeRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct StreamsGroupDescribeRequest {
    /// `GroupIds`.
    pub group_ids: Vec<String>,
    /// `IncludeAuthorizedOperations`.
    pub include_authorized_operations: bool,
}

impl Element for StreamsGroupDescribeRequest {
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

describe!(StreamsGroupDescribeRequest { "group_ids": group_ids, "include_authorized_operations": include_authorized_operations });

impl Message for StreamsGroupDescribeRequest {
    const NAME: &'static str = "StreamsGroupDescribeRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for StreamsGroupDescribeRequest {
    const API_KEY: ApiKey = ApiKey::StreamsGroupDescribe;
    type Response = StreamsGroupDescribeResponse;
}

/// Kafka's `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct StreamsGroupDescribeResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Groups`.
    pub groups: Vec<DescribedGroup>,
}

impl Element for StreamsGroupDescribeResponse {
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

/// `DescribedGroup` of `StreamsGroupDescribeResponse`.
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
    /// `Topology`; may be null.
    pub topology: Option<Topology>,
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
            topology: None,
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
            topology: reader.nullable_struct(version, flexible, "Topology")?,
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
        writer.nullable_struct(version, flexible, self.topology.as_ref())?;
        writer.array(version, flexible, "Members", &self.members)?;
        writer.i32(self.authorized_operations);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Topology` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Topology {
    /// `Epoch`.
    pub epoch: i32,
    /// `Subtopologies`; may be null.
    pub subtopologies: Option<Vec<Subtopology>>,
}

impl Element for Topology {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            epoch: reader.i32("Epoch")?,
            subtopologies: reader.nullable_array(version, flexible, "Subtopologies")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.epoch);
        writer.nullable_array(
            version,
            flexible,
            "Subtopologies",
            self.subtopologies.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Subtopology` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Subtopology {
    /// `SubtopologyId`.
    pub subtopology_id: String,
    /// `SourceTopics`.
    pub source_topics: Vec<String>,
    /// `RepartitionSinkTopics`.
    pub repartition_sink_topics: Vec<String>,
    /// `StateChangelogTopics`.
    pub state_changelog_topics: Vec<TopicInfo>,
    /// `RepartitionSourceTopics`.
    pub repartition_source_topics: Vec<TopicInfo>,
}

impl Element for Subtopology {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            subtopology_id: reader.string(flexible, "SubtopologyId")?,
            source_topics: reader.array(version, flexible, "SourceTopics")?,
            repartition_sink_topics: reader.array(version, flexible, "RepartitionSinkTopics")?,
            state_changelog_topics: reader.array(version, flexible, "StateChangelogTopics")?,
            repartition_source_topics: reader.array(
                version,
                flexible,
                "RepartitionSourceTopics",
            )?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "SubtopologyId", &self.subtopology_id)?;
        writer.array(version, flexible, "SourceTopics", &self.source_topics)?;
        writer.array(
            version,
            flexible,
            "RepartitionSinkTopics",
            &self.repartition_sink_topics,
        )?;
        writer.array(
            version,
            flexible,
            "StateChangelogTopics",
            &self.state_changelog_topics,
        )?;
        writer.array(
            version,
            flexible,
            "RepartitionSourceTopics",
            &self.repartition_source_topics,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Member` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Member {
    /// `MemberId`.
    pub member_id: String,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `InstanceId`; may be null.
    pub instance_id: Option<String>,
    /// `RackId`; may be null.
    pub rack_id: Option<String>,
    /// `ClientId`.
    pub client_id: String,
    /// `ClientHost`.
    pub client_host: String,
    /// `TopologyEpoch`.
    pub topology_epoch: i32,
    /// `ProcessId`.
    pub process_id: String,
    /// `UserEndpoint`; may be null.
    pub user_endpoint: Option<Endpoint>,
    /// `ClientTags`.
    pub client_tags: Vec<KeyValue>,
    /// `TaskOffsets`.
    pub task_offsets: Vec<TaskOffset>,
    /// `TaskEndOffsets`.
    pub task_end_offsets: Vec<TaskOffset>,
    /// `Assignment`.
    pub assignment: Assignment,
    /// `TargetAssignment`.
    pub target_assignment: Assignment,
    /// `IsClassic`.
    pub is_classic: bool,
}

impl Element for Member {
    const MINIMUM_SIZE: usize = 28;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            member_id: reader.string(flexible, "MemberId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            instance_id: reader.nullable_string(flexible, "InstanceId")?,
            rack_id: reader.nullable_string(flexible, "RackId")?,
            client_id: reader.string(flexible, "ClientId")?,
            client_host: reader.string(flexible, "ClientHost")?,
            topology_epoch: reader.i32("TopologyEpoch")?,
            process_id: reader.string(flexible, "ProcessId")?,
            user_endpoint: reader.nullable_struct(version, flexible, "UserEndpoint")?,
            client_tags: reader.array(version, flexible, "ClientTags")?,
            task_offsets: reader.array(version, flexible, "TaskOffsets")?,
            task_end_offsets: reader.array(version, flexible, "TaskEndOffsets")?,
            assignment: Assignment::read(reader, version, flexible)?,
            target_assignment: Assignment::read(reader, version, flexible)?,
            is_classic: reader.bool("IsClassic")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.i32(self.member_epoch);
        writer.nullable_string(flexible, "InstanceId", self.instance_id.as_deref())?;
        writer.nullable_string(flexible, "RackId", self.rack_id.as_deref())?;
        writer.string(flexible, "ClientId", &self.client_id)?;
        writer.string(flexible, "ClientHost", &self.client_host)?;
        writer.i32(self.topology_epoch);
        writer.string(flexible, "ProcessId", &self.process_id)?;
        writer.nullable_struct(version, flexible, self.user_endpoint.as_ref())?;
        writer.array(version, flexible, "ClientTags", &self.client_tags)?;
        writer.array(version, flexible, "TaskOffsets", &self.task_offsets)?;
        writer.array(version, flexible, "TaskEndOffsets", &self.task_end_offsets)?;
        self.assignment.write(writer, version, flexible)?;
        self.target_assignment.write(writer, version, flexible)?;
        writer.bool(self.is_classic);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Endpoint` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Endpoint {
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: u16,
}

impl Element for Endpoint {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            host: reader.string(flexible, "Host")?,
            port: reader.u16("Port")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Host", &self.host)?;
        writer.u16(self.port);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TaskOffset` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TaskOffset {
    /// `SubtopologyId`.
    pub subtopology_id: String,
    /// `Partition`.
    pub partition: i32,
    /// `Offset`.
    pub offset: i64,
}

impl Element for TaskOffset {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            subtopology_id: reader.string(flexible, "SubtopologyId")?,
            partition: reader.i32("Partition")?,
            offset: reader.i64("Offset")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "SubtopologyId", &self.subtopology_id)?;
        writer.i32(self.partition);
        writer.i64(self.offset);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Assignment` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Assignment {
    /// `ActiveTasks`.
    pub active_tasks: Vec<TaskIds>,
    /// `StandbyTasks`.
    pub standby_tasks: Vec<TaskIds>,
    /// `WarmupTasks`.
    pub warmup_tasks: Vec<TaskIds>,
}

impl Element for Assignment {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            active_tasks: reader.array(version, flexible, "ActiveTasks")?,
            standby_tasks: reader.array(version, flexible, "StandbyTasks")?,
            warmup_tasks: reader.array(version, flexible, "WarmupTasks")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "ActiveTasks", &self.active_tasks)?;
        writer.array(version, flexible, "StandbyTasks", &self.standby_tasks)?;
        writer.array(version, flexible, "WarmupTasks", &self.warmup_tasks)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TaskIds` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TaskIds {
    /// `SubtopologyId`.
    pub subtopology_id: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TaskIds {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            subtopology_id: reader.string(flexible, "SubtopologyId")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "SubtopologyId", &self.subtopology_id)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `KeyValue` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct KeyValue {
    /// `Key`.
    pub key: String,
    /// `Value`.
    pub value: String,
}

impl Element for KeyValue {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            key: reader.string(flexible, "Key")?,
            value: reader.string(flexible, "Value")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Key", &self.key)?;
        writer.string(flexible, "Value", &self.value)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TopicInfo` of `StreamsGroupDescribeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicInfo {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: i32,
    /// `ReplicationFactor`.
    pub replication_factor: i16,
    /// `TopicConfigs`.
    pub topic_configs: Vec<KeyValue>,
}

impl Element for TopicInfo {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partitions: reader.i32("Partitions")?,
            replication_factor: reader.i16("ReplicationFactor")?,
            topic_configs: reader.array(version, flexible, "TopicConfigs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i32(self.partitions);
        writer.i16(self.replication_factor);
        writer.array(version, flexible, "TopicConfigs", &self.topic_configs)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for StreamsGroupDescribeResponse {
    const NAME: &'static str = "StreamsGroupDescribeResponse";
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
