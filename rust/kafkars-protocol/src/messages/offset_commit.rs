// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! OffsetCommit (API key 8): versions 2 to 10, flexible since version 8.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `OffsetCommitRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetCommitRequest {
    /// `GroupId`.
    pub group_id: String,
    /// `GenerationIdOrMemberEpoch`; default -1.
    pub generation_id_or_member_epoch: i32,
    /// `MemberId`.
    pub member_id: String,
    /// `GroupInstanceId`; since version 7, may be null.
    pub group_instance_id: Option<String>,
    /// `RetentionTimeMs`, in milliseconds; up to version 4, default -1.
    pub retention_time_ms: i64,
    /// `Topics`.
    pub topics: Vec<OffsetCommitRequestTopic>,
}

impl Default for OffsetCommitRequest {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            generation_id_or_member_epoch: -1,
            member_id: String::new(),
            group_instance_id: None,
            retention_time_ms: -1,
            topics: Vec::new(),
        }
    }
}

impl Element for OffsetCommitRequest {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            generation_id_or_member_epoch: reader.i32("GenerationIdOrMemberEpoch")?,
            member_id: reader.string(flexible, "MemberId")?,
            group_instance_id: if version >= 7 {
                reader.nullable_string(flexible, "GroupInstanceId")?
            } else {
                None
            },
            retention_time_ms: if version <= 4 {
                reader.i64("RetentionTimeMs")?
            } else {
                -1
            },
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.i32(self.generation_id_or_member_epoch);
        writer.string(flexible, "MemberId", &self.member_id)?;
        if version >= 7 {
            writer.nullable_string(
                flexible,
                "GroupInstanceId",
                self.group_instance_id.as_deref(),
            )?;
        } else if self.group_instance_id.is_some() {
            return Err(writer.absent(version, "GroupInstanceId"));
        }
        if version <= 4 {
            writer.i64(self.retention_time_ms);
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetCommitRequest { "group_id": group_id, "generation_id_or_member_epoch": generation_id_or_member_epoch, "member_id": member_id, "group_instance_id": group_instance_id, "retention_time_ms": retention_time_ms, "topics": topics });

/// `OffsetCommitRequestTopic` of `OffsetCommitRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetCommitRequestTopic {
    /// `Name`; up to version 9.
    pub name: String,
    /// `TopicId`; since version 10.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<OffsetCommitRequestPartition>,
}

impl Element for OffsetCommitRequestTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: if version <= 9 {
                reader.string(flexible, "Name")?
            } else {
                String::new()
            },
            topic_id: if version >= 10 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 9 {
            writer.string(flexible, "Name", &self.name)?;
        }
        if version >= 10 {
            writer.uuid(self.topic_id);
        }
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetCommitRequestTopic { "name": name, "topic_id": topic_id, "partitions": partitions });

/// `OffsetCommitRequestPartition` of `OffsetCommitRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetCommitRequestPartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `CommittedOffset`.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`; since version 6, default -1.
    pub committed_leader_epoch: i32,
    /// `CommittedMetadata`; default empty, may be null.
    pub committed_metadata: Option<String>,
}

impl Default for OffsetCommitRequestPartition {
    fn default() -> Self {
        Self {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            committed_metadata: Some(String::new()),
        }
    }
}

impl Element for OffsetCommitRequestPartition {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            committed_offset: reader.i64("CommittedOffset")?,
            committed_leader_epoch: if version >= 6 {
                reader.i32("CommittedLeaderEpoch")?
            } else {
                -1
            },
            committed_metadata: reader.nullable_string(flexible, "CommittedMetadata")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.committed_offset);
        if version >= 6 {
            writer.i32(self.committed_leader_epoch);
        }
        writer.nullable_string(
            flexible,
            "CommittedMetadata",
            self.committed_metadata.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetCommitRequestPartition { "partition_index": partition_index, "committed_offset": committed_offset, "committed_leader_epoch": committed_leader_epoch, "committed_metadata": committed_metadata });

impl Message for OffsetCommitRequest {
    const NAME: &'static str = "OffsetCommitRequest";
    const VERSIONS: VersionRange = VersionRange { min: 2, max: 10 };
    const FLEXIBLE_FROM: Option<i16> = Some(8);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for OffsetCommitRequest {
    const API_KEY: ApiKey = ApiKey::OffsetCommit;
    type Response = OffsetCommitResponse;
}

/// Kafka's `OffsetCommitResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetCommitResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 3.
    pub throttle_time_ms: i32,
    /// `Topics`.
    pub topics: Vec<OffsetCommitResponseTopic>,
}

impl Element for OffsetCommitResponse {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 3 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 3 {
            writer.i32(self.throttle_time_ms);
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OffsetCommitResponseTopic` of `OffsetCommitResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetCommitResponseTopic {
    /// `Name`; up to version 9.
    pub name: String,
    /// `TopicId`; since version 10.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<OffsetCommitResponsePartition>,
}

impl Element for OffsetCommitResponseTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: if version <= 9 {
                reader.string(flexible, "Name")?
            } else {
                String::new()
            },
            topic_id: if version >= 10 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 9 {
            writer.string(flexible, "Name", &self.name)?;
        }
        if version >= 10 {
            writer.uuid(self.topic_id);
        }
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OffsetCommitResponsePartition` of `OffsetCommitResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetCommitResponsePartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for OffsetCommitResponsePartition {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for OffsetCommitResponse {
    const NAME: &'static str = "OffsetCommitResponse";
    const VERSIONS: VersionRange = VersionRange { min: 2, max: 10 };
    const FLEXIBLE_FROM: Option<i16> = Some(8);

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
