// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! Produce (API key 0): versions 3 to 13, flexible since version 9.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `ProduceRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProduceRequest {
    /// `TransactionalId`; may be null.
    pub transactional_id: Option<String>,
    /// `Acks`.
    pub acks: i16,
    /// `TimeoutMs`, in milliseconds.
    pub timeout_ms: i32,
    /// `TopicData`.
    pub topic_data: Vec<TopicProduceData>,
}

impl Element for ProduceRequest {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.nullable_string(flexible, "TransactionalId")?,
            acks: reader.i16("Acks")?,
            timeout_ms: reader.i32("TimeoutMs")?,
            topic_data: reader.array(version, flexible, "TopicData")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_string(
            flexible,
            "TransactionalId",
            self.transactional_id.as_deref(),
        )?;
        writer.i16(self.acks);
        writer.i32(self.timeout_ms);
        writer.array(version, flexible, "TopicData", &self.topic_data)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ProduceRequest { "transactional_id": transactional_id, "acks": acks, "timeout_ms": timeout_ms, "topic_data": topic_data });

/// `TopicProduceData` of `ProduceRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicProduceData {
    /// `Name`; up to version 12.
    pub name: String,
    /// `TopicId`; since version 13.
    pub topic_id: Uuid,
    /// `PartitionData`.
    pub partition_data: Vec<PartitionProduceData>,
}

impl Element for TopicProduceData {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: if version <= 12 {
                reader.string(flexible, "Name")?
            } else {
                String::new()
            },
            topic_id: if version >= 13 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partition_data: reader.array(version, flexible, "PartitionData")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 12 {
            writer.string(flexible, "Name", &self.name)?;
        }
        if version >= 13 {
            writer.uuid(self.topic_id);
        }
        writer.array(version, flexible, "PartitionData", &self.partition_data)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(TopicProduceData { "name": name, "topic_id": topic_id, "partition_data": partition_data });

/// `PartitionProduceData` of `ProduceRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PartitionProduceData {
    /// `Index`.
    pub index: i32,
    /// `Records`; may be null.
    pub records: Option<Bytes>,
}

impl Element for PartitionProduceData {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            index: reader.i32("Index")?,
            records: reader.nullable_bytes(flexible, "Records")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.index);
        writer.nullable_bytes(flexible, "Records", self.records.as_ref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(PartitionProduceData { "index": index, "records": records });

impl Message for ProduceRequest {
    const NAME: &'static str = "ProduceRequest";
    const VERSIONS: VersionRange = VersionRange { min: 3, max: 13 };
    const FLEXIBLE_FROM: Option<i16> = Some(9);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ProduceRequest {
    const API_KEY: ApiKey = ApiKey::Produce;
    type Response = ProduceResponse;
}

/// Kafka's `ProduceResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ProduceResponse {
    /// `Responses`.
    pub responses: Vec<TopicProduceResponse>,
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `NodeEndpoints`; since version 10, tag 0.
    pub node_endpoints: Vec<NodeEndpoint>,
}

impl Element for ProduceResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            responses: reader.array(version, flexible, "Responses")?,
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            node_endpoints: Vec::new(),
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 if version >= 10 => {
                        value.node_endpoints = reader.array(version, flexible, "NodeEndpoints")?
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Responses", &self.responses)?;
        writer.i32(self.throttle_time_ms);
        if version < 10 && !self.node_endpoints.is_empty() {
            return Err(writer.absent(version, "NodeEndpoints"));
        }
        if flexible {
            writer.tags(|tags| {
                if version >= 10 && !self.node_endpoints.is_empty() {
                    tags.add(0, |writer| {
                        writer.array(version, flexible, "NodeEndpoints", &self.node_endpoints)?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// `TopicProduceResponse` of `ProduceResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicProduceResponse {
    /// `Name`; up to version 12.
    pub name: String,
    /// `TopicId`; since version 13.
    pub topic_id: Uuid,
    /// `PartitionResponses`.
    pub partition_responses: Vec<PartitionProduceResponse>,
}

impl Element for TopicProduceResponse {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: if version <= 12 {
                reader.string(flexible, "Name")?
            } else {
                String::new()
            },
            topic_id: if version >= 13 {
                reader.uuid("TopicId")?
            } else {
                Uuid::ZERO
            },
            partition_responses: reader.array(version, flexible, "PartitionResponses")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version <= 12 {
            writer.string(flexible, "Name", &self.name)?;
        }
        if version >= 13 {
            writer.uuid(self.topic_id);
        }
        writer.array(
            version,
            flexible,
            "PartitionResponses",
            &self.partition_responses,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `PartitionProduceResponse` of `ProduceResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionProduceResponse {
    /// `Index`.
    pub index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `BaseOffset`.
    pub base_offset: i64,
    /// `LogAppendTimeMs`, in milliseconds; default -1.
    pub log_append_time_ms: i64,
    /// `LogStartOffset`; since version 5, default -1.
    pub log_start_offset: i64,
    /// `RecordErrors`; since version 8.
    pub record_errors: Vec<BatchIndexAndErrorMessage>,
    /// `ErrorMessage`; since version 8, may be null.
    pub error_message: Option<String>,
    /// `CurrentLeader`; since version 10, tag 0.
    pub current_leader: LeaderIdAndEpoch,
}

impl Default for PartitionProduceResponse {
    fn default() -> Self {
        Self {
            index: 0,
            error_code: 0,
            base_offset: 0,
            log_append_time_ms: -1,
            log_start_offset: -1,
            record_errors: Vec::new(),
            error_message: None,
            current_leader: LeaderIdAndEpoch::default(),
        }
    }
}

impl Element for PartitionProduceResponse {
    const MINIMUM_SIZE: usize = 22;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            index: reader.i32("Index")?,
            error_code: reader.i16("ErrorCode")?,
            base_offset: reader.i64("BaseOffset")?,
            log_append_time_ms: reader.i64("LogAppendTimeMs")?,
            log_start_offset: if version >= 5 {
                reader.i64("LogStartOffset")?
            } else {
                -1
            },
            record_errors: if version >= 8 {
                reader.array(version, flexible, "RecordErrors")?
            } else {
                Vec::new()
            },
            error_message: if version >= 8 {
                reader.nullable_message(flexible, "ErrorMessage")?
            } else {
                None
            },
            current_leader: LeaderIdAndEpoch::default(),
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 if version >= 10 => {
                        value.current_leader = LeaderIdAndEpoch::read(reader, version, flexible)?
                    }
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.index);
        writer.i16(self.error_code);
        writer.i64(self.base_offset);
        writer.i64(self.log_append_time_ms);
        if version >= 5 {
            writer.i64(self.log_start_offset);
        }
        if version >= 8 {
            writer.array(version, flexible, "RecordErrors", &self.record_errors)?;
        }
        if version >= 8 {
            writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        }
        if version < 10 && self.current_leader != LeaderIdAndEpoch::default() {
            return Err(writer.absent(version, "CurrentLeader"));
        }
        if flexible {
            writer.tags(|tags| {
                if version >= 10 && self.current_leader != LeaderIdAndEpoch::default() {
                    tags.add(0, |writer| {
                        self.current_leader.write(writer, version, flexible)?;
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// `BatchIndexAndErrorMessage` of `ProduceResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BatchIndexAndErrorMessage {
    /// `BatchIndex`.
    pub batch_index: i32,
    /// `BatchIndexErrorMessage`; may be null.
    pub batch_index_error_message: Option<String>,
}

impl Element for BatchIndexAndErrorMessage {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            batch_index: reader.i32("BatchIndex")?,
            batch_index_error_message: reader
                .nullable_string(flexible, "BatchIndexErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.batch_index);
        writer.nullable_string(
            flexible,
            "BatchIndexErrorMessage",
            self.batch_index_error_message.as_deref(),
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `LeaderIdAndEpoch` of `ProduceResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaderIdAndEpoch {
    /// `LeaderId`; default -1.
    pub leader_id: i32,
    /// `LeaderEpoch`; default -1.
    pub leader_epoch: i32,
}

impl Default for LeaderIdAndEpoch {
    fn default() -> Self {
        Self {
            leader_id: -1,
            leader_epoch: -1,
        }
    }
}

impl Element for LeaderIdAndEpoch {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            leader_id: reader.i32("LeaderId")?,
            leader_epoch: reader.i32("LeaderEpoch")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.leader_id);
        writer.i32(self.leader_epoch);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `NodeEndpoint` of `ProduceResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct NodeEndpoint {
    /// `NodeId`.
    pub node_id: i32,
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: i32,
    /// `Rack`; may be null.
    pub rack: Option<String>,
}

impl Element for NodeEndpoint {
    const MINIMUM_SIZE: usize = 11;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            node_id: reader.i32("NodeId")?,
            host: reader.string(flexible, "Host")?,
            port: reader.i32("Port")?,
            rack: reader.nullable_string(flexible, "Rack")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.node_id);
        writer.string(flexible, "Host", &self.host)?;
        writer.i32(self.port);
        writer.nullable_string(flexible, "Rack", self.rack.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ProduceResponse {
    const NAME: &'static str = "ProduceResponse";
    const VERSIONS: VersionRange = VersionRange { min: 3, max: 13 };
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
