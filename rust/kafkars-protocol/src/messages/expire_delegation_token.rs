// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ExpireDelegationToken (API key 40): versions 1 to 2, flexible since version 2.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ExpireDelegationTokenRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExpireDelegationTokenRequest {
    /// `Hmac`.
    pub hmac: Bytes,
    /// `ExpiryTimePeriodMs`, in milliseconds.
    pub expiry_time_period_ms: i64,
}

impl Element for ExpireDelegationTokenRequest {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            hmac: reader.bytes(flexible, "Hmac")?,
            expiry_time_period_ms: reader.i64("ExpiryTimePeriodMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.bytes(flexible, "Hmac", &self.hmac)?;
        writer.i64(self.expiry_time_period_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ExpireDelegationTokenRequest { "hmac": hmac, "expiry_time_period_ms": expiry_time_period_ms });

impl Message for ExpireDelegationTokenRequest {
    const NAME: &'static str = "ExpireDelegationTokenRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ExpireDelegationTokenRequest {
    const API_KEY: ApiKey = ApiKey::ExpireDelegationToken;
    type Response = ExpireDelegationTokenResponse;
}

/// Kafka's `ExpireDelegationTokenResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExpireDelegationTokenResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ExpiryTimestampMs`, in milliseconds.
    pub expiry_timestamp_ms: i64,
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
}

impl Element for ExpireDelegationTokenResponse {
    const MINIMUM_SIZE: usize = 14;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            expiry_timestamp_ms: reader.i64("ExpiryTimestampMs")?,
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.i64(self.expiry_timestamp_ms);
        writer.i32(self.throttle_time_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ExpireDelegationTokenResponse {
    const NAME: &'static str = "ExpireDelegationTokenResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
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
