// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AddOffsetsToTxn (API key 25): versions 0 to 4, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `AddOffsetsToTxnRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddOffsetsToTxnRequest {
    /// `TransactionalId`.
    pub transactional_id: String,
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `GroupId`.
    pub group_id: String,
}

impl Element for AddOffsetsToTxnRequest {
    const MINIMUM_SIZE: usize = 13;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            transactional_id: reader.string(flexible, "TransactionalId")?,
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            group_id: reader.string(flexible, "GroupId")?,
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
        writer.string(flexible, "GroupId", &self.group_id)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AddOffsetsToTxnRequest { "transactional_id": transactional_id, "producer_id": producer_id, "producer_epoch": producer_epoch, "group_id": group_id });

impl Message for AddOffsetsToTxnRequest {
    const NAME: &'static str = "AddOffsetsToTxnRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AddOffsetsToTxnRequest {
    const API_KEY: ApiKey = ApiKey::AddOffsetsToTxn;
    type Response = AddOffsetsToTxnResponse;
}

/// Kafka's `AddOffsetsToTxnResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AddOffsetsToTxnResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for AddOffsetsToTxnResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for AddOffsetsToTxnResponse {
    const NAME: &'static str = "AddOffsetsToTxnResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 4 };
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
