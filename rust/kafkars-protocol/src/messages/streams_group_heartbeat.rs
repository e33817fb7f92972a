// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! StreamsGroupHeartbeat (API key 88): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `StreamsGroupHeartbeatRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamsGroupHeartbeatRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `MemberId`.
    pub member_id: String,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `EndpointInformationEpoch`.
    pub endpoint_information_epoch: i32,
    /// `InstanceId`; may be null.
    pub instance_id: Option<String>,
    /// `RackId`; may be null.
    pub rack_id: Option<String>,
    /// `RebalanceTimeoutMs`, in milliseconds; default -1.
    pub rebalance_timeout_ms: i32,
    /// `Topology`; may be null.
    pub topology: Option<Topology>,
    /// `ActiveTasks`; may be null.
    pub active_tasks: Option<Vec<TaskIds>>,
    /// `StandbyTasks`; may be null.
    pub standby_tasks: Option<Vec<TaskIds>>,
    /// `WarmupTasks`; may be null.
    pub warmup_tasks: Option<Vec<TaskIds>>,
    /// `ProcessId`; may be null.
    pub process_id: Option<String>,
    /// `UserEndpoint`; may be null.
    pub user_endpoint: Option<Endpoint>,
    /// `ClientTags`; may be null.
    pub client_tags: Option<Vec<KeyValue>>,
    /// `TaskOffsets`; may be null.
    pub task_offsets: Option<Vec<TaskOffset>>,
    /// `TaskEndOffsets`; may be null.
    pub task_end_offsets: Option<Vec<TaskOffset>>,
    /// `ShutdownApplication`.
    pub shutdown_application: bool,
}

impl Default for StreamsGroupHeartbeatRequest {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            member_id: String::new(),
            member_epoch: 0,
            endpoint_information_epoch: 0,
            instance_id: None,
            rack_id: None,
            rebalance_timeout_ms: -1,
            topology: None,
            active_tasks: None,
            standby_tasks: None,
            warmup_tasks: None,
            process_id: None,
            user_endpoint: None,
            client_tags: None,
            task_offsets: None,
            task_end_offsets: None,
            shutdown_application: false,
        }
    }
}

impl Element for StreamsGroupHeartbeatRequest {
    const MINIMUM_SIZE: usize = 27;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            member_id: reader.string(flexible, "MemberId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            endpoint_information_epoch: reader.i32("EndpointInformationEpoch")?,
            instance_id: reader.nullable_string(flexible, "InstanceId")?,
            rack_id: reader.nullable_string(flexible, "RackId")?,
            rebalance_timeout_ms: reader.i32("RebalanceTimeoutMs")?,
            topology: reader.nullable_struct(version, flexible, "Topology")?,
            active_tasks: reader.nullable_array(version, flexible, "ActiveTasks")?,
            standby_tasks: reader.nullable_array(version, flexible, "StandbyTasks")?,
            warmup_tasks: reader.nullable_array(version, flexible, "WarmupTasks")?,
            process_id: reader.nullable_string(flexible, "ProcessId")?,
            user_endpoint: reader.nullable_struct(version, flexible, "UserEndpoint")?,
            client_tags: reader.nullable_array(version, flexible, "ClientTags")?,
            task_offsets: reader.nullable_array(version, flexible, "TaskOffsets")?,
            task_end_offsets: reader.nullable_array(version, flexible, "TaskEndOffsets")?,
            shutdown_application: reader.bool("ShutdownApplication")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.i32(self.member_epoch);
        writer.i32(self.endpoint_information_epoch);
        writer.nullable_string(flexible, "InstanceId", self.instance_id.as_deref())?;
        writer.nullable_string(flexible, "RackId", self.rack_id.as_deref())?;
        writer.i32(self.rebalance_timeout_ms);
        writer.nullable_struct(version, flexible, self.topology.as_ref())?;
        writer.nullable_array(
            version,
            flexible,
            "ActiveTasks",
            self.active_tasks.as_deref(),
        )?;
        writer.nullable_array(
            version,
            flexible,
            "StandbyTasks",
            self.standby_tasks.as_deref(),
        )?;
        writer.nullable_array(
            version,
            flexible,
            "WarmupTasks",
            self.warmup_tasks.as_deref(),
        )?;
        writer.nullable_string(flexible, "ProcessId", self.process_id.as_deref())?;
        writer.nullable_struct(version, flexible, self.user_endpoint.as_ref())?;
        writer.nullable_array(version, flexible, "ClientTags", self.client_tags.as_deref())?;
        writer.nullable_array(
            version,
            flexible,
            "TaskOffsets",
            self.task_offsets.as_deref(),
        )?;
        writer.nullable_array(
            version,
            flexible,
            "TaskEndOffsets",
            self.task_end_offsets.as_deref(),
        )?;
        writer.bool(self.shutdown_application);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(StreamsGroupHeartbeatRequest { "group_id": group_id, "member_id": member_id, "member_epoch": member_epoch, "endpoint_information_epoch": endpoint_information_epoch, "instance_id": instance_id, "rack_id": rack_id, "rebalance_timeout_ms": rebalance_timeout_ms, "topology": topology, "active_tasks": active_tasks, "standby_tasks": standby_tasks, "warmup_tasks": warmup_tasks, "process_id": process_id, "user_endpoint": user_endpoint, "client_tags": client_tags, "task_offsets": task_offsets, "task_end_offsets": task_end_offsets, "shutdown_application": shutdown_application });

/// `Topology` of `StreamsGroupHeartbeatRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Topology {
    /// `Epoch`.
    pub epoch: i32,
    /// `Subtopologies`.
    pub subtopologies: Vec<Subtopology>,
}

impl Element for Topology {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            epoch: reader.i32("Epoch")?,
            subtopologies: reader.array(version, flexible, "Subtopologies")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.epoch);
        writer.array(version, flexible, "Subtopologies", &self.subtopologies)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(Topology { "epoch": epoch, "subtopologies": subtopologies });

/// `Subtopology` of `StreamsGroupHeartbeatRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Subtopology {
    /// `SubtopologyId`.
    pub subtopology_id: String,
    /// `SourceTopics`.
    pub source_topics: Vec<String>,
    /// `SourceTopicRegex`.
    pub source_topic_regex: Vec<String>,
    /// `StateChangelogTopics`.
    pub state_changelog_topics: Vec<TopicInfo>,
    /// `RepartitionSinkTopics`.
    pub repartition_sink_topics: Vec<String>,
    /// `RepartitionSourceTopics`.
    pub repartition_source_topics: Vec<TopicInfo>,
    /// `CopartitionGroups`.
    pub copartition_groups: Vec<CopartitionGroup>,
}

impl Element for Subtopology {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            subtopology_id: reader.string(flexible, "SubtopologyId")?,
            source_topics: reader.array(version, flexible, "SourceTopics")?,
            source_topic_regex: reader.array(version, flexible, "SourceTopicRegex")?,
            state_changelog_topics: reader.array(version, flexible, "StateChangelogTopics")?,
            repartition_sink_topics: reader.array(version, flexible, "RepartitionSinkTopics")?,
            repartition_source_topics: reader.array(
                version,
                flexible,
                "RepartitionSourceTopics",
            )?,
            copartition_groups: reader.array(version, flexible, "CopartitionGroups")?,
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
            "SourceTopicRegex",
            &self.source_topic_regex,
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
            "RepartitionSinkTopics",
            &self.repartition_sink_topics,
        )?;
        writer.array(
            version,
            flexible,
            "RepartitionSourceTopics",
            &self.repartition_source_topics,
        )?;
        writer.array(
            version,
            flexible,
            "CopartitionGroups",
            &self.copartition_groups,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(Subtopology { "subtopology_id": subtopology_id, "source_topics": source_topics, "source_topic_regex": source_topic_regex, "state_changelog_topics": state_changelog_topics, "repartition_sink_topics": repartition_sink_topics, "repartition_source_topics": repartition_source_topics, "copartition_groups": copartition_groups });

/// `CopartitionGroup` of `StreamsGroupHeartbeatRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CopartitionGroup {
    /// `SourceTopics`.
    pub source_topics: Vec<i16>,
    /// `SourceTopicRegex`.
    pub source_topic_regex: Vec<i16>,
    /// `RepartitionSourceTopics`.
    pub repartition_source_topics: Vec<i16>,
}

impl Element for CopartitionGroup {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            source_topics: reader.array(version, flexible, "SourceTopics")?,
            source_topic_regex: reader.array(version, flexible, "SourceTopicRegex")?,
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
        writer.array(version, flexible, "SourceTopics", &self.source_topics)?;
        writer.array(
            version,
            flexible,
            "SourceTopicRegex",
            &self.source_topic_regex,
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

describe!(CopartitionGroup { "source_topics": source_topics, "source_topic_regex": source_topic_regex, "repartition_source_topics": repartition_source_topics });

/// `KeyValue` of `StreamsGroupHeartbeatRequest`.
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

describe!(KeyValue { "key": key, "value": value });

/// `TopicInfo` of `StreamsGroupHeartbeatRequest`.
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

describe!(TopicInfo { "name": name, "partitions": partitions, "replication_factor": replication_factor, "topic_configs": topic_configs });

/// `Endpoint` of `StreamsGroupHeartbeatRequest`.
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

describe!(Endpoint { "host": host, "port": port });

/// `TaskOffset` of `StreamsGroupHeartbeatRequest`.
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

describe!(TaskOffset { "subtopology_id": subtopology_id, "partition": partition, "offset": offset });

/// `TaskIds` of `StreamsGroupHeartbeatRequest`.
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

describe!(TaskIds { "subtopology_id": subtopology_id, "partitions": partitions });

impl Message for StreamsGroupHeartbeatRequest {
    const NAME: &'static str = "StreamsGroupHeartbeatRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for StreamsGroupHeartbeatRequest {
    const API_KEY: ApiKey = ApiKey::StreamsGroupHeartbeat;
    type Response = StreamsGroupHeartbeatResponse;
}

/// Kafka's `StreamsGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamsGroupHeartbeatResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `MemberId`.
    pub member_id: String,
    /// `MemberEpoch`.
    pub member_epoch: i32,
    /// `HeartbeatIntervalMs`, in milliseconds.
    pub heartbeat_interval_ms: i32,
    /// `AcceptableRecoveryLag`.
    pub acceptable_recovery_lag: i32,
    /// `TaskOffsetIntervalMs`, in milliseconds.
    pub task_offset_interval_ms: i32,
    /// `Status`; default empty, may be null.
    pub status: Option<Vec<Status>>,
    /// `ActiveTasks`; may be null.
    pub active_tasks: Option<Vec<TaskIds>>,
    /// `StandbyTasks`; may be null.
    pub standby_tasks: Option<Vec<TaskIds>>,
    /// `WarmupTasks`; may be null.
    pub warmup_tasks: Option<Vec<TaskIds>>,
    /// `EndpointInformationEpoch`.
    pub endpoint_information_epoch: i32,
    /// `PartitionsByUserEndpoint`; may be null.
    pub partitions_by_user_endpoint: Option<Vec<EndpointToPartitions>>,
}

impl Default for StreamsGroupHeartbeatResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: None,
            member_id: String::new(),
            member_epoch: 0,
            heartbeat_interval_ms: 0,
            acceptable_recovery_lag: 0,
            task_offset_interval_ms: 0,
            status: Some(Vec::new()),
            active_tasks: None,
            standby_tasks: None,
            warmup_tasks: None,
            endpoint_information_epoch: 0,
            partitions_by_user_endpoint: None,
        }
    }
}

impl Element for StreamsGroupHeartbeatResponse {
    const MINIMUM_SIZE: usize = 34;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            member_id: reader.string(flexible, "MemberId")?,
            member_epoch: reader.i32("MemberEpoch")?,
            heartbeat_interval_ms: reader.i32("HeartbeatIntervalMs")?,
            acceptable_recovery_lag: reader.i32("AcceptableRecoveryLag")?,
            task_offset_interval_ms: reader.i32("TaskOffsetIntervalMs")?,
            status: reader.nullable_array(version, flexible, "Status")?,
            active_tasks: reader.nullable_array(version, flexible, "ActiveTasks")?,
            standby_tasks: reader.nullable_array(version, flexible, "StandbyTasks")?,
            warmup_tasks: reader.nullable_array(version, flexible, "WarmupTasks")?,
            endpoint_information_epoch: reader.i32("EndpointInformationEpoch")?,
            partitions_by_user_endpoint: reader.nullable_array(
                version,
                flexible,
                "PartitionsByUserEndpoint",
            )?,
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
        writer.string(flexible, "MemberId", &self.member_id)?;
        writer.i32(self.member_epoch);
        writer.i32(self.heartbeat_interval_ms);
        writer.i32(self.acceptable_recovery_lag);
        writer.i32(self.task_offset_interval_ms);
        writer.nullable_array(version, flexible, "Status", self.status.as_deref())?;
        writer.nullable_array(
            version,
            flexible,
            "ActiveTasks",
            self.active_tasks.as_deref(),
        )?;
        writer.nullable_array(
            version,
            flexible,
            "StandbyTasks",
            self.standby_tasks.as_deref(),
        )?;
        writer.nullable_array(
            version,
            flexible,
            "WarmupTasks",
            self.warmup_tasks.as_deref(),
        )?;
        writer.i32(self.endpoint_information_epoch);
        writer.nullable_array(
            version,
            flexible,
            "PartitionsByUserEndpoint",
            self.partitions_by_user_endpoint.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `EndpointToPartitions` of `StreamsGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct EndpointToPartitions {
    /// `UserEndpoint`.
    pub user_endpoint: Endpoint,
    /// `ActivePartitions`.
    pub active_partitions: Vec<TopicPartition>,
    /// `StandbyPartitions`.
    pub standby_partitions: Vec<TopicPartition>,
}

impl Element for EndpointToPartitions {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            user_endpoint: Endpoint::read(reader, version, flexible)?,
            active_partitions: reader.array(version, flexible, "ActivePartitions")?,
            standby_partitions: reader.array(version, flexible, "StandbyPartitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        self.user_endpoint.write(writer, version, flexible)?;
        writer.array(
            version,
            flexible,
            "ActivePartitions",
            &self.active_partitions,
        )?;
        writer.array(
            version,
            flexible,
            "StandbyPartitions",
            &self.standby_partitions,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `Status` of `StreamsGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Status {
    /// `StatusCode`.
    pub status_code: i8,
    /// `StatusDetail`.
    pub status_detail: String,
}

impl Element for Status {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            status_code: reader.i8("StatusCode")?,
            status_detail: reader.string(flexible, "StatusDetail")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i8(self.status_code);
        writer.string(flexible, "StatusDetail", &self.status_detail)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TopicPartition` of `StreamsGroupHeartbeatResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicPartition {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TopicPartition {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic: reader.string(flexible, "Topic")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Topic", &self.topic)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for StreamsGroupHeartbeatResponse {
    const NAME: &'static str = "StreamsGroupHeartbeatResponse";
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
