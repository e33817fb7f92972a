// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeTransactions (API key 65): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeTransactionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeTransactionsRequest {
    /// `TransactionalIds`.
    pub transactional_ids: Vec<String>,
}

impl Element for DescribeTransactionsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_ids: reader.array(version, flexible, "TransactionalIds")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(
            version,
            flexible,
            "TransactionalIds",
            &self.transactional_ids,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeTransactionsRequest { "transactional_ids": transactional_ids });

impl Message for DescribeTransactionsRequest {
    const NAME: &'static str = "DescribeTransactionsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeTransactionsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeTransactions;
    type Response = DescribeTransactionsResponse;
}

/// Kafka's `DescribeTransactionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeTransactionsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `TransactionStates`.
    pub transaction_states: Vec<TransactionState>,
}

impl Element for DescribeTransactionsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            transaction_states: reader.array(version, flexible, "TransactionStates")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(
            version,
            flexible,
            "TransactionStates",
            &self.transaction_states,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TransactionState` of `DescribeTransactionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TransactionState {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `TransactionState`.
    pub transaction_state: String,
    /// `TransactionTimeoutMs`, in milliseconds.
    pub transaction_timeout_ms: i32,
    /// `TransactionStartTimeMs`, in milliseconds.
    pub transaction_start_time_ms: i64,
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `Topics`.
    pub topics: Vec<TopicData>,
}

impl Element for TransactionState {
    const MINIMUM_SIZE: usize = 28;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            transactional_id: reader.string(flexible, "TransactionalId")?,
            transaction_state: reader.string(flexible, "TransactionState")?,
            transaction_timeout_ms: reader.i32("TransactionTimeoutMs")?,
            transaction_start_time_ms: reader.i64("TransactionStartTimeMs")?,
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.string(flexible, "TransactionalId", &self.transactional_id)?;
        writer.string(flexible, "TransactionState", &self.transaction_state)?;
        writer.i32(self.transaction_timeout_ms);
        writer.i64(self.transaction_start_time_ms);
        writer.i64(self.producer_id);
        writer.i16(self.producer_epoch);
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `TopicData` of `DescribeTransactionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicData {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TopicData {
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

impl Message for DescribeTransactionsResponse {
    const NAME: &'static str = "DescribeTransactionsResponse";
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
