// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! EndTxn (API key 26): versions 0 to 5, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `EndTxnRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct EndTxnRequest {
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `Committed`.
    pub committed: bool,
}

impl Element for EndTxnRequest {
    const MINIMUM_SIZE: usize = 13;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.string(flexible, "TransactionalId")?,
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            committed: reader.bool("Committed")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "TransactionalId", &self.transactional_id)?;
        writer.i64(self.producer_id);
        writer.i16(self.producer_epoch);
        writer.bool(self.committed);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(EndTxnRequest { "transactional_id": transactional_id, "producer_id": producer_id, "producer_epoch": producer_epoch, "committed": committed });

impl Message for EndTxnRequest {
    const NAME: &'static str = "EndTxnRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 5 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for EndTxnRequest {
    const API_KEY: ApiKey = ApiKey::EndTxn;
    type Response = EndTxnResponse;
}

/// Kafka's `EndTxnResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct EndTxnResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ProducerId`; since version 5, default -1.
    pub producer_id: i64,
    /// `ProducerEpoch`; since version 5, default -1.
    pub producer_epoch: i16,
}

impl Default for EndTxnResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            producer_id: -1,
            producer_epoch: -1,
        }
    }
}

impl Element for EndTxnResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            producer_id: if version >= 5 {
                reader.i64("ProducerId")?
            } else {
                -1
            },
            producer_epoch: if version >= 5 {
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
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        if version >= 5 {
            writer.i64(self.producer_id);
        }
        if version >= 5 {
            writer.i16(self.producer_epoch);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for EndTxnResponse {
    const NAME: &'static str = "EndTxnResponse";
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
