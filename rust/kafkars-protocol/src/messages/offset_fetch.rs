// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! OffsetFetch (API key 9): versions 1 to 10, flexible since version 6.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `OffsetFetchRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetFetchRequest {
    /// `GroupId`; up to version 7.
    pub group_id: String,
    /// `Topics`; up to version 7, default empty, may be null since version 2.
    pub topics: Option<Vec<OffsetFetchRequestTopic>>,
    /// `Groups`; since version 8.
    pub groups: Vec<OffsetFetchRequestGroup>,
    /// `RequireStable`; since version 7.
    pub require_stable: bool,
}

impl Default for OffsetFetchRequest {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            topics: Some(Vec::new()),
            groups: Vec::new(),
            require_stable: false,
        }
    }
}

impl Element for OffsetFetchRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: if version <= 7 {
                reader.string(flexible, "GroupId")?
            } else {
                String::new()
            },
            topics: if version <= 7 {
                if version >= 2 {
                    reader.nullable_array(version, flexible, "Topics")?
                } else {
                    Some(reader.array(version, flexible, "Topics")?)
                }
            } else {
                Some(Vec::new())
            },
            groups: if version >= 8 {
                reader.array(version, flexible, "Groups")?
            } else {
                Vec::new()
            },
            require_stable: if version >= 7 {
                reader.bool("RequireStable")?
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
        if version <= 7 {
            writer.string(flexible, "GroupId", &self.group_id)?;
        } else if !self.group_id.is_empty() {
            return Err(writer.absent(version, "GroupId"));
        }
        if version <= 7 {
            if version >= 2 {
                writer.nullable_array(version, flexible, "Topics", self.topics.as_deref())?;
            } else {
                let value = writer.required(version, "Topics", &self.topics)?;
                writer.array(version, flexible, "Topics", value)?;
            }
        } else if self.topics.as_ref().is_none_or(|value| !value.is_empty()) {
            return Err(writer.absent(version, "Topics"));
        }
        if version >= 8 {
            writer.array(version, flexible, "Groups", &self.groups)?;
        } else if !self.groups.is_empty() {
            return Err(writer.absent(version, "Groups"));
        }
        if version >= 7 {
            writer.bool(self.require_stable);
        } else if self.require_stable {
            return Err(writer.absent(version, "RequireStable"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetFetchRequest { "group_id": group_id, "topics": topics, "groups": groups, "require_stable": require_stable });

/// `OffsetFetchRequestTopic` of `OffsetFetchRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetFetchRequestTopic {
    /// `Name`.
    pub name: String,
    /// `PartitionIndexes`.
    pub partition_indexes: Vec<i32>,
}

impl Element for OffsetFetchRequestTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partition_indexes: reader.array(version, flexible, "PartitionIndexes")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(
            version,
            flexible,
            "PartitionIndexes",
            &self.partition_indexes,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetFetchRequestTopic { "name": name, "partition_indexes": partition_indexes });

/// `OffsetFetchRequestGroup` of `OffsetFetchRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetFetchRequestGroup {
    /// `GroupId`.
    pub group_id: String,
    /// `MemberId`; since version 9, may be null.
    pub member_id: Option<String>,
    /// `MemberEpoch`; since version 9, default -1.
    pub member_epoch: i32,
    /// `Topics`; default empty, may be null.
    pub topics: Option<Vec<OffsetFetchRequestTopics>>,
}

impl Default for OffsetFetchRequestGroup {
    fn default() -> Self {
        Self {
            group_id: String::new(),
            member_id: None,
            member_epoch: -1,
            topics: Some(Vec::new()),
        }
    }
}

impl Element for OffsetFetchRequestGroup {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            member_id: if version >= 9 {
                reader.nullable_string(flexible, "MemberId")?
            } else {
                None
            },
            member_epoch: if version >= 9 {
                reader.i32("MemberEpoch")?
            } else {
                -1
            },
            topics: reader.nullable_array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        if version >= 9 {
            writer.nullable_string(flexible, "MemberId", self.member_id.as_deref())?;
        }
        if version >= 9 {
            writer.i32(self.member_epoch);
        }
        writer.nullable_array(version, flexible, "Topics", self.topics.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetFetchRequestGroup { "group_id": group_id, "member_id": member_id, "member_epoch": member_epoch, "topics": topics });

/// `OffsetFetchRequestTopics` of `OffsetFetchRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetFetchRequestTopics {
    /// `Name`; up to version 9.
    pub name: String,
    /// `TopicId`; since version 10.
    pub topic_id: Uuid,
    /// `PartitionIndexes`.
    pub partition_indexes: Vec<i32>,
}

impl Element for OffsetFetchRequestTopics {
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
            partition_indexes: reader.array(version, flexible, "PartitionIndexes")?,
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
        writer.array(
            version,
            flexible,
            "PartitionIndexes",
            &self.partition_indexes,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(OffsetFetchRequestTopics { "name": name, "topic_id": topic_id, "partition_indexes": partition_indexes });

impl Message for OffsetFetchRequest {
    const NAME: &'static str = "OffsetFetchRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 10 };
    const FLEXIBLE_FROM: Option<i16> = Some(6);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for OffsetFetchRequest {
    const API_KEY: ApiKey = ApiKey::OffsetFetch;
    type Response = OffsetFetchResponse;
}

/// Kafka's `OffsetFetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetFetchResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 3.
    pub throttle_time_ms: i32,
    /// `Topics`; up to version 7.
    pub topics: Vec<OffsetFetchResponseTopic>,
    /// `ErrorCode`; versions 2 to 7.
    pub error_code: i16,
    /// `Groups`; since version 8.
    pub groups: Vec<OffsetFetchResponseGroup>,
}

impl Element for OffsetFetchResponse {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 3 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            topics: if version <= 7 {
                reader.array(version, flexible, "Topics")?
            } else {
                Vec::new()
            },
            error_code: if (2..=7).contains(&version) {
                reader.i16("ErrorCode")?
            } else {
                0
            },
            groups: if version >= 8 {
                reader.array(version, flexible, "Groups")?
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
        if version >= 3 {
            writer.i32(self.throttle_time_ms);
        }
        if version <= 7 {
            writer.array(version, flexible, "Topics", &self.topics)?;
        } else if !self.topics.is_empty() {
            return Err(writer.absent(version, "Topics"));
        }
        if (2..=7).contains(&version) {
            writer.i16(self.error_code);
        }
        if version >= 8 {
            writer.array(version, flexible, "Groups", &self.groups)?;
        } else if !self.groups.is_empty() {
            return Err(writer.absent(version, "Groups"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OffsetFetchResponseTopic` of `OffsetFetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetFetchResponseTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<OffsetFetchResponsePartition>,
}

impl Element for OffsetFetchResponseTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OffsetFetchResponsePartition` of `OffsetFetchResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetFetchResponsePartition {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `CommittedOffset`.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`; since version 5, default -1.
    pub committed_leader_epoch: i32,
    /// `Metadata`; default empty, may be null.
    pub metadata: Option<String>,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Default for OffsetFetchResponsePartition {
    fn default() -> Self {
        Self {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            metadata: Some(String::new()),
            error_code: 0,
        }
    }
}

impl Element for OffsetFetchResponsePartition {
    const MINIMUM_SIZE: usize = 16;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            committed_offset: reader.i64("CommittedOffset")?,
            committed_leader_epoch: if version >= 5 {
                reader.i32("CommittedLeaderEpoch")?
            } else {
                -1
            },
            metadata: reader.nullable_string(flexible, "Metadata")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.committed_offset);
        if version >= 5 {
            writer.i32(self.committed_leader_epoch);
        }
        writer.nullable_string(flexible, "Metadata", self.metadata.as_deref())?;
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OffsetFetchResponseGroup` of `OffsetFetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetFetchResponseGroup {
    /// `GroupId`.
    pub group_id: String,
    /// `Topics`.
    pub topics: Vec<OffsetFetchResponseTopics>,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for OffsetFetchResponseGroup {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            group_id: reader.string(flexible, "GroupId")?,
            topics: reader.array(version, flexible, "Topics")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `OffsetFetchResponseTopics` of `OffsetFetchResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct OffsetFetchResponseTopics {
    /// `Name`; up to version 9.
    pub name: String,
    /// `TopicId`; since version 10.
    pub topic_id: Uuid,
    /// `Partitions`.
    pub partitions: Vec<OffsetFetchResponsePartitions>,
}

impl Element for OffsetFetchResponseTopics {
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

/// `OffsetFetchResponsePartitions` of `OffsetFetchResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct OffsetFetchResponsePartitions {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `CommittedOffset`.
    pub committed_offset: i64,
    /// `CommittedLeaderEpoch`; default -1.
    pub committed_leader_epoch: i32,
    /// `Metadata`; default empty, may be null.
    pub metadata: Option<String>,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Default for OffsetFetchResponsePartitions {
    fn default() -> Self {
        Self {
            partition_index: 0,
            committed_offset: 0,
            committed_leader_epoch: -1,
            metadata: Some(String::new()),
            error_code: 0,
        }
    }
}

impl Element for OffsetFetchResponsePartitions {
    const MINIMUM_SIZE: usize = 20;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            committed_offset: reader.i64("CommittedOffset")?,
            committed_leader_epoch: reader.i32("CommittedLeaderEpoch")?,
            metadata: reader.nullable_string(flexible, "Metadata")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i64(self.committed_offset);
        writer.i32(self.committed_leader_epoch);
        writer.nullable_string(flexible, "Metadata", self.metadata.as_deref())?;
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for OffsetFetchResponse {
    const NAME: &'static str = "OffsetFetchResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 10 };
    const FLEXIBLE_FROM: Option<i16> = Some(6);

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
