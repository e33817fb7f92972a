// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! Metadata (API key 3): versions 0 to 13, flexible since version 9.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `MetadataRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataRequest {
    /// `Topics`; default empty, may be null since version 1.
    pub topics: Option<Vec<MetadataRequestTopic>>,
    /// `AllowAutoTopicCreation`; since version 4, default true.
    pub allow_auto_topic_creation: bool,
    /// `IncludeClusterAuthorizedOperations`; versions 8 to 10.
    pub include_cluster_authorized_operations: bool,
    /// `IncludeTopicAuthorizedOperations`; since version 8.
    pub include_topic_authorized_operations: bool,
}

impl Default for MetadataRequest {
    fn default() -> Self {
        Self {
            topics: Some(Vec::new()),
            allow_auto_topic_creation: true,
            include_cluster_authorized_operations: false,
            include_topic_authorized_operations: false,
        }
    }
}

impl Element for MetadataRequest {
    const MINIMUM_SIZE: usize = 4;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topics: if version >= 1 {
                reader.nullable_array(version, flexible, "Topics")?
            } else {
                Some(reader.array(version, flexible, "Topics")?)
            },
            allow_auto_topic_creation: if version >= 4 {
                reader.bool("AllowAutoTopicCreation")?
            } else {
                true
            },
            include_cluster_authorized_operations: if (8..=10).contains(&version) {
                reader.bool("IncludeClusterAuthorizedOperations")?
            } else {
                false
            },
            include_topic_authorized_operations: if version >= 8 {
                reader.bool("IncludeTopicAuthorizedOperations")?
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
        if version >= 1 {
            writer.nullable_array(version, flexible, "Topics", self.topics.as_deref())?;
        } else {
            let value = writer.required(version, "Topics", &self.topics)?;
            writer.array(version, flexible, "Topics", value)?;
        }
        if version >= 4 {
            writer.bool(self.allow_auto_topic_creation);
        } else if !self.allow_auto_topic_creation {
            return Err(writer.absent(version, "AllowAutoTopicCreation"));
        }
        if (8..=10).contains(&version) {
            writer.bool(self.include_cluster_authorized_operations);
        } else if self.include_cluster_authorized_operations {
            return Err(writer.absent(version, "IncludeClusterAuthorizedOperations"));
        }
        if version >= 8 {
            writer.bool(self.include_topic_authorized_operations);
        } else if self.include_topic_authorized_operations {
            return Err(writer.absent(version, "IncludeTopicAuthorizedOperations"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(MetadataRequest { "topics": topics, "allow_auto_topic_creation": allow_auto_topic_creation, "include_cluster_authorized_operations": include_cluster_authorized_operations, "include_topic_authorized_operations": include_topic_authorized_operations });

/// `MetadataRequestTopic` of `MetadataRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataRequestTopic {
    /// `TopicId`; since version 10.
    pub topic_id: Uuid,
    /// `Name`; default empty, may be null since version 10.
    pub name: Option<String>,
}

impl Default for MetadataRequestTopic {
    fn default() -> Self {
        Self {
            topic_id: Uuid::ZERO,
            name: Some(String::new()),
        }
    }
}

impl Element for MetadataRequestTopic {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            topic_id: if version >= 10 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            name: if version >= 10 {
                reader.nullable_string(flexible, "Name")?
            } else {
                Some(reader.string(flexible, "Name")?)
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 10 {
            writer.uuid(self.topic_id);
        }
        if version >= 10 {
            writer.nullable_string(flexible, "Name", self.name.as_deref())?;
        } else {
            let value = writer.required(version, "Name", &self.name)?;
            writer.string(flexible, "Name", value)?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(MetadataRequestTopic { "topic_id": topic_id, "name": name });

impl Message for MetadataRequest {
    const NAME: &'static str = "MetadataRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 13 };
    const FLEXIBLE_FROM: Option<i16> = Some(9);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for MetadataRequest {
    const API_KEY: ApiKey = ApiKey::Metadata;
    type Response = MetadataResponse;
}

/// Kafka's `MetadataResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataResponse {
    /// `ThrottleTimeMs`, in milliseconds; since version 3.
    pub throttle_time_ms: i32,
    /// `Brokers`.
    pub brokers: Vec<MetadataResponseBroker>,
    /// `ClusterId`; since version 2, may be null.
    pub cluster_id: Option<String>,
    /// `ControllerId`; since version 1, default -1.
    pub controller_id: i32,
    /// `Topics`.
    pub topics: Vec<MetadataResponseTopic>,
    /// `ClusterAuthorizedOperations`; versions 8 to 10, default -2147483648.
    pub cluster_authorized_operations: i32,
    /// `ErrorCode`; since version 13.
    pub error_code: i16,
}

impl Default for MetadataResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            brokers: Vec::new(),
            cluster_id: None,
            controller_id: -1,
            topics: Vec::new(),
            cluster_authorized_operations: i32::MIN,
            error_code: 0,
        }
    }
}

impl Element for MetadataResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: if version >= 3 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            brokers: reader.array(version, flexible, "Brokers")?,
            cluster_id: if version >= 2 {
                reader.nullable_string(flexible, "ClusterId")?
            } else {
                None
            },
            controller_id: if version >= 1 {
                reader.i32("ControllerId")?
            } else {
                -1
            },
            topics: reader.array(version, flexible, "Topics")?,
            cluster_authorized_operations: if (8..=10).contains(&version) {
                reader.i32("ClusterAuthorizedOperations")?
            } else {
                i32::MIN
            },
            error_code: if version >= 13 {
                reader.i16("ErrorCode")?
            } else {
                0
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
        writer.array(version, flexible, "Brokers", &self.brokers)?;
        if version >= 2 {
            writer.nullable_string(flexible, "ClusterId", self.cluster_id.as_deref())?;
        }
        if version >= 1 {
            writer.i32(self.controller_id);
        }
        writer.array(version, flexible, "Topics", &self.topics)?;
        if (8..=10).contains(&version) {
            writer.i32(self.cluster_authorized_operations);
        } else if self.cluster_authorized_operations != i32::MIN {
            return Err(writer.absent(version, "ClusterAuthorizedOperations"));
        }
        if version >= 13 {
            writer.i16(self.error_code);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `MetadataResponseBroker` of `MetadataResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MetadataResponseBroker {
    /// `NodeId`.
    pub node_id: i32,
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: i32,
    /// `Rack`; since version 1, may be null.
    pub rack: Option<String>,
}

impl Element for MetadataResponseBroker {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            node_id: reader.i32("NodeId")?,
            host: reader.string(flexible, "Host")?,
            port: reader.i32("Port")?,
            rack: if version >= 1 {
                reader.nullable_string(flexible, "Rack")?
            } else {
                None
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.node_id);
        writer.string(flexible, "Host", &self.host)?;
        writer.i32(self.port);
        if version >= 1 {
            writer.nullable_string(flexible, "Rack", self.rack.as_deref())?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `MetadataResponseTopic` of `MetadataResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataResponseTopic {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Name`; default empty, may be null since version 12.
    pub name: Option<String>,
    /// `TopicId`; since version 10.
    pub topic_id: Uuid,
    /// `IsInternal`; since version 1.
    pub is_internal: bool,
    /// `Partitions`.
    pub partitions: Vec<MetadataResponsePartition>,
    /// `TopicAuthorizedOperations`; since version 8, default -2147483648.
    pub topic_authorized_operations: i32,
}

impl Default for MetadataResponseTopic {
    fn default() -> Self {
        Self {
            error_code: 0,
            name: Some(String::new()),
            topic_id: Uuid::ZERO,
            is_internal: false,
            partitions: Vec::new(),
            topic_authorized_operations: i32::MIN,
        }
    }
}

impl Element for MetadataResponseTopic {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            name: if version >= 12 {
                reader.nullable_string(flexible, "Name")?
            } else {
                Some(reader.string(flexible, "Name")?)
            },
            topic_id: if version >= 10 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            is_internal: if version >= 1 {
                reader.bool("IsInternal")?
            } else {
                false
            },
            partitions: reader.array(version, flexible, "Partitions")?,
            topic_authorized_operations: if version >= 8 {
                reader.i32("TopicAuthorizedOperations")?
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
        if version >= 12 {
            writer.nullable_string(flexible, "Name", self.name.as_deref())?;
        } else {
            let value = writer.required(version, "Name", &self.name)?;
            writer.string(flexible, "Name", value)?;
        }
        if version >= 10 {
            writer.uuid(self.topic_id);
        }
        if version >= 1 {
            writer.bool(self.is_internal);
        }
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        if version >= 8 {
            writer.i32(self.topic_authorized_operations);
        } else if self.topic_authorized_operations != i32::MIN {
            return Err(writer.absent(version, "TopicAuthorizedOperations"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `MetadataResponsePartition` of `MetadataResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetadataResponsePartition {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `LeaderId`.
    pub leader_id: i32,
    /// `LeaderEpoch`; since version 7, default -1.
    pub leader_epoch: i32,
    /// `ReplicaNodes`.
    pub replica_nodes: Vec<i32>,
    /// `IsrNodes`.
    pub isr_nodes: Vec<i32>,
    /// `OfflineReplicas`; since version 5.
    pub offline_replicas: Vec<i32>,
}

impl Default for MetadataResponsePartition {
    fn default() -> Self {
        Self {
            error_code: 0,
            partition_index: 0,
            leader_id: 0,
            leader_epoch: -1,
            replica_nodes: Vec::new(),
            isr_nodes: Vec::new(),
            offline_replicas: Vec::new(),
        }
    }
}

impl Element for MetadataResponsePartition {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            partition_index: reader.i32("PartitionIndex")?,
            leader_id: reader.i32("LeaderId")?,
            leader_epoch: if version >= 7 {
                reader.i32("LeaderEpoch")?
            } else {
                -1
            },
            replica_nodes: reader.array(version, flexible, "ReplicaNodes")?,
            isr_nodes: reader.array(version, flexible, "IsrNodes")?,
            offline_replicas: if version >= 5 {
                reader.array(version, flexible, "OfflineReplicas")?
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
        writer.i16(self.error_code);
        writer.i32(self.partition_index);
        writer.i32(self.leader_id);
        if version >= 7 {
            writer.i32(self.leader_epoch);
        }
        writer.array(version, flexible, "ReplicaNodes", &self.replica_nodes)?;
        writer.array(version, flexible, "IsrNodes", &self.isr_nodes)?;
        if version >= 5 {
            writer.array(version, flexible, "OfflineReplicas", &self.offline_replicas)?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for MetadataResponse {
    const NAME: &'static str = "MetadataResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 13 };
    const FLEXIBLE_FROM: Option<i16> = Some(9);

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
