// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! PushTelemetry (API key 72): version 0, always flexible.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `PushTelemetryRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PushTelemetryRequest {
    /// `ClientInstanceId`.
    pub client_instance_id: Uuid,
    /// `SubscriptionId`.
    pub subscription_id: i32,
    /// `Terminating`.
    pub terminating: bool,
    /// `CompressionType`.
    pub compression_type: i8,
    /// `Metrics`.
    pub metrics: Bytes,
}

impl Element for PushTelemetryRequest {
    const MINIMUM_SIZE: usize = 24;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            client_instance_id: reader.uuid("ClientInstanceId")?,
            subscription_id: reader.i32("SubscriptionId")?,
            terminating: reader.bool("Terminating")?,
            compression_type: reader.i8("CompressionType")?,
            metrics: reader.bytes(flexible, "Metrics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.uuid(self.client_instance_id);
        writer.i32(self.subscription_id);
        writer.bool(self.terminating);
        writer.i8(self.compression_type);
        writer.bytes(flexible, "Metrics", &self.metrics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(PushTelemetryRequest { "client_instance_id": client_instance_id, "subscription_id": subscription_id, "terminating": terminating, "compression_type": compression_type, "metrics": metrics });

impl Message for PushTelemetryRequest {
    const NAME: &'static str = "PushTelemetryRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for PushTelemetryRequest {
    const API_KEY: ApiKey = ApiKey::PushTelemetry;
    type Response = PushTelemetryResponse;
}

/// Kafka's `PushTelemetryResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct PushTelemetryResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for PushTelemetryResponse {
    const MINIMUM_SIZE: usize = 7;

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

impl Message for PushTelemetryResponse {
    const NAME: &'static str = "PushTelemetryResponse";
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
