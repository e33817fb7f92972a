// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AddPartitionsToTxn (API key 24): versions 0 to 5, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `AddPartitionsToTxnRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnRequest {
    /// `Transactions`; since version 4.
    pub transactions: Vec<AddPartitionsToTxnTransaction>,
    /// `V3AndBelowTransactionalId`; up to version 3.
    pub v3_and_below_transactional_id: String,
    /// `V3AndBelowProducerId`; up to version 3.
    pub v3_and_below_producer_id: i64,
    /// `V3AndBelowProducerEpoch`; up to version 3.
    pub v3_and_below_producer_epoch: i16,
    /// `V3AndBelowTopics`; up to version 3.
    pub v3_and_below_topics: Vec<AddPartitionsToTxnTopic>,
}

impl Element for AddPartitionsToTxnRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactions: if version >= 4 {
                reader.array(version, flexible, "Transactions")?
            } else {
                Vec::new()
            },
            v3_and_below_transactional_id: if version <= 3 {
                reader.string(flexible, "V3AndBelowTransactionalId")?
            } else {
                String::new()
            },
            v3_and_below_producer_id: if version <= 3 {
                reader.i64("V3AndBelowProducerId")?
            } else {
                0
            },
            v3_and_below_producer_epoch: if version <= 3 {
                reader.i16("V3AndBelowProducerEpoch")?
            } else {
                0
            },
            v3_and_below_topics: if version <= 3 {
                reader.array(version, flexible, "V3AndBelowTopics")?
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
            writer.array(version, flexible, "Transactions", &self.transactions)?;
        } else if !self.transactions.is_empty() {
            return Err(writer.absent(version, "Transactions"));
        }
        if version <= 3 {
            writer.string(
                flexible,
                "V3AndBelowTransactionalId",
                &self.v3_and_below_transactional_id,
            )?;
        } else if !self.v3_and_below_transactional_id.is_empty() {
            return Err(writer.absent(version, "V3AndBelowTransactionalId"));
        }
        if version <= 3 {
            writer.i64(self.v3_and_below_producer_id);
        } else if self.v3_and_below_producer_id != 0 {
            return Err(writer.absent(version, "V3AndBelowProducerId"));
        }
        if version <= 3 {
            writer.i16(self.v3_and_below_producer_epoch);
        } else if self.v3_and_below_producer_epoch != 0 {
            return Err(writer.absent(version, "V3AndBelowProducerEpoch"));
        }
        if version <= 3 {
            writer.array(
                version,
                flexible,
                "V3AndBelowTopics",
                &self.v3_and_below_topics,
            )?;
        } else if !self.v3_and_below_topics.is_empty() {
            return Err(writer.absent(version, "V3AndBelowTopics"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AddPartitionsToTxnRequest { "transactions": transactions, "v3_and_below_transactional_id": v3_and_below_transactional_id, "v3_and_below_producer_id": v3_and_below_producer_id, "v3_and_below_producer_epoch": v3_and_below_producer_epoch, "v3_and_below_topics": v3_and_below_topics });

/// `AddPartitionsToTxnTransaction` of `AddPartitionsToTxnRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnTransaction {
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `VerifyOnly`.
    pub verify_only: bool,
    /// `Topics`.
    pub topics: Vec<AddPartitionsToTxnTopic>,
}

impl Element for AddPartitionsToTxnTransaction {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.string(flexible, "TransactionalId")?,
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            verify_only: reader.bool("VerifyOnly")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TransactionalId", &self.transactional_id)?;
        writer.i64(self.producer_id);
        writer.i16(self.producer_epoch);
        writer.bool(self.verify_only);
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AddPartitionsToTxnTransaction { "transactional_id": transactional_id, "producer_id": producer_id, "producer_epoch": producer_epoch, "verify_only": verify_only, "topics": topics });

/// `AddPartitionsToTxnTopic` of `AddPartitionsToTxnRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnTopic {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for AddPartitionsToTxnTopic {
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

describe!(AddPartitionsToTxnTopic { "name": name, "partitions": partitions });

impl Message for AddPartitionsToTxnRequest {
    const NAME: &'static str = "AddPartitionsToTxnRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AddPartitionsToTxnRequest {
    const API_KEY: ApiKey = ApiKey::AddPartitionsToTxn;
    type Response = AddPartitionsToTxnResponse;
}

/// Kafka's `AddPartitionsToTxnResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`; since version 4.
    pub error_code: i16,
    /// `ResultsByTransaction`; since version 4.
    pub results_by_transaction: Vec<AddPartitionsToTxnResult>,
    /// `ResultsByTopicV3AndBelow`; up to version 3.
    pub results_by_topic_v3_and_below: Vec<AddPartitionsToTxnTopicResult>,
}

impl Element for AddPartitionsToTxnResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: if version >= 4 {
                reader.i16("ErrorCode")?
            } else {
                0
            },
            results_by_transaction: if version >= 4 {
                reader.array(version, flexible, "ResultsByTransaction")?
            } else {
                Vec::new()
            },
            results_by_topic_v3_and_below: if version <= 3 {
                reader.array(version, flexible, "ResultsByTopicV3AndBelow")?
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
        writer.i32(self.throttle_time_ms);
        if version >= 4 {
            writer.i16(self.error_code);
        }
        if version >= 4 {
            writer.array(
                version,
                flexible,
                "ResultsByTransaction",
                &self.results_by_transaction,
            )?;
        } else if !self.results_by_transaction.is_empty() {
            return Err(writer.absent(version, "ResultsByTransaction"));
        }
        if version <= 3 {
            writer.array(
                version,
                flexible,
                "ResultsByTopicV3AndBelow",
                &self.results_by_topic_v3_and_below,
            )?;
        } else if !self.results_by_topic_v3_and_below.is_empty() {
            return Err(writer.absent(version, "ResultsByTopicV3AndBelow"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AddPartitionsToTxnResult` of `AddPartitionsToTxnResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnResult {
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `TopicResults`.
    pub topic_results: Vec<AddPartitionsToTxnTopicResult>,
}

impl Element for AddPartitionsToTxnResult {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.string(flexible, "TransactionalId")?,
            topic_results: reader.array(version, flexible, "TopicResults")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TransactionalId", &self.transactional_id)?;
        writer.array(version, flexible, "TopicResults", &self.topic_results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AddPartitionsToTxnTopicResult` of `AddPartitionsToTxnResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnTopicResult {
    /// `Name`.
    pub name: String,
    /// `ResultsByPartition`.
    pub results_by_partition: Vec<AddPartitionsToTxnPartitionResult>,
}

impl Element for AddPartitionsToTxnTopicResult {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            results_by_partition: reader.array(version, flexible, "ResultsByPartition")?,
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
            "ResultsByPartition",
            &self.results_by_partition,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AddPartitionsToTxnPartitionResult` of `AddPartitionsToTxnResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddPartitionsToTxnPartitionResult {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `PartitionErrorCode`.
    pub partition_error_code: i16,
}

impl Element for AddPartitionsToTxnPartitionResult {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            partition_error_code: reader.i16("PartitionErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.partition_error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for AddPartitionsToTxnResponse {
    const NAME: &'static str = "AddPartitionsToTxnResponse";
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
