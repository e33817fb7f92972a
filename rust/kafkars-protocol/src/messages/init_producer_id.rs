// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! InitProducerId (API key 22): versions 0 to 5, flexible since version 2.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `InitProducerIdRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct InitProducerIdRequest {
    /// `TransactionalId`; default empty, may be null.
    pub transactional_id: Option<String>,
    /// `TransactionTimeoutMs`, in milliseconds.
    pub transaction_timeout_ms: i32,
    /// `ProducerId`; since version 3, default -1.
    pub producer_id: i64,
    /// `ProducerEpoch`; since version 3, default -1.
    pub producer_epoch: i16,
}

impl Default for InitProducerIdRequest {
    fn default() -> Self {
        Self {
            transactional_id: Some(String::new()),
            transaction_timeout_ms: 0,
            producer_id: -1,
            producer_epoch: -1,
        }
    }
}

impl Element for InitProducerIdRequest {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.nullable_string(flexible, "TransactionalId")?,
            transaction_timeout_ms: reader.i32("TransactionTimeoutMs")?,
            producer_id: if version >= 3 {
                reader.i64("ProducerId")?
            } else {
                -1
            },
            producer_epoch: if version >= 3 {
                reader.i16("ProducerEpoch")?
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
        writer.nullable_string(
            flexible,
            "TransactionalId",
            self.transactional_id.as_deref(),
        )?;
        writer.i32(self.transaction_timeout_ms);
        if version >= 3 {
            writer.i64(self.producer_id);
        } else if self.producer_id != -1 {
            return Err(writer.absent(version, "ProducerId"));
        }
        if version >= 3 {
            writer.i16(self.producer_epoch);
        } else if self.producer_epoch != -1 {
            return Err(writer.absent(version, "ProducerEpoch"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(InitProducerIdRequest { "transactional_id": transactional_id, "transaction_timeout_ms": transaction_timeout_ms, "producer_id": producer_id, "producer_epoch": producer_epoch });

impl Message for InitProducerIdRequest {
    const NAME: &'static str = "InitProducerIdRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for InitProducerIdRequest {
    const API_KEY: ApiKey = ApiKey::InitProducerId;
    type Response = InitProducerIdResponse;
}

/// Kafka's `InitProducerIdResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct InitProducerIdResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ProducerId`; default -1.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `OngoingTxnProducerId`; since version 6, default -1.
    pub ongoing_txn_producer_id: i64,
    /// `OngoingTxnProducerEpoch`; since version 6, default -1.
    pub ongoing_txn_producer_epoch: i16,
}

impl Default for InitProducerIdResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            producer_id: -1,
            producer_epoch: 0,
            ongoing_txn_producer_id: -1,
            ongoing_txn_producer_epoch: -1,
        }
    }
}

impl Element for InitProducerIdResponse {
    const MINIMUM_SIZE: usize = 16;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            ongoing_txn_producer_id: if version >= 6 {
                reader.i64("OngoingTxnProducerId")?
            } else {
                -1
            },
            ongoing_txn_producer_epoch: if version >= 6 {
                reader.i16("OngoingTxnProducerEpoch")?
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
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.i64(self.producer_id);
        writer.i16(self.producer_epoch);
        if version >= 6 {
            writer.i64(self.ongoing_txn_producer_id);
        } else if self.ongoing_txn_producer_id != -1 {
            return Err(writer.absent(version, "OngoingTxnProducerId"));
        }
        if version >= 6 {
            writer.i16(self.ongoing_txn_producer_epoch);
        } else if self.ongoing_txn_producer_epoch != -1 {
            return Err(writer.absent(version, "OngoingTxnProducerEpoch"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for InitProducerIdResponse {
    const NAME: &'static str = "InitProducerIdResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 6 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

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
