// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! GetTelemetrySubscriptions (API key 71): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{
    ApiKey, DecodeError, EncodeError, Message, Reader, Request, Uuid, VersionRange, Writer,
};

/// Kafka's `GetTelemetrySubscriptionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct GetTelemetrySubscriptionsRequest {
    /// `ClientInstanceId`.
    pub client_instance_id: Uuid,
}

impl Element for GetTelemetrySubscriptionsRequest {
    const MINIMUM_SIZE: usize = 17;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            client_instance_id: reader.uuid("ClientInstanceId")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.uuid(self.client_instance_id);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(GetTelemetrySubscriptionsRequest { "client_instance_id": client_instance_id });

impl Message for GetTelemetrySubscriptionsRequest {
    const NAME: &'static str = "GetTelemetrySubscriptionsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for GetTelemetrySubscriptionsRequest {
    const API_KEY: ApiKey = ApiKey::GetTelemetrySubscriptions;
    type Response = GetTelemetrySubscriptionsResponse;
}

/// Kafka's `GetTelemetrySubscriptionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct GetTelemetrySubscriptionsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ClientInstanceId`.
    pub client_instance_id: Uuid,
    /// `SubscriptionId`.
    pub subscription_id: i32,
    /// `AcceptedCompressionTypes`.
    pub accepted_compression_types: Vec<i8>,
    /// `PushIntervalMs`, in milliseconds.
    pub push_interval_ms: i32,
    /// `TelemetryMaxBytes`.
    pub telemetry_max_bytes: i32,
    /// `DeltaTemporality`.
    pub delta_temporality: bool,
    /// `RequestedMetrics`.
    pub requested_metrics: Vec<String>,
}

impl Element for GetTelemetrySubscriptionsResponse {
    const MINIMUM_SIZE: usize = 38;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            client_instance_id: reader.uuid("ClientInstanceId")?,
            subscription_id: reader.i32("SubscriptionId")?,
            accepted_compression_types: reader.array(
                version,
                flexible,
                "AcceptedCompressionTypes",
            )?,
            push_interval_ms: reader.i32("PushIntervalMs")?,
            telemetry_max_bytes: reader.i32("TelemetryMaxBytes")?,
            delta_temporality: reader.bool("DeltaTemporality")?,
            requested_metrics: reader.array(version, flexible, "RequestedMetrics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.uuid(self.client_instance_id);
        writer.i32(self.subscription_id);
        writer.array(
            version,
            flexible,
            "AcceptedCompressionTypes",
            &self.accepted_compression_types,
        )?;
        writer.i32(self.push_interval_ms);
        writer.i32(self.telemetry_max_bytes);
        writer.bool(self.delta_temporality);
        writer.array(
            version,
            flexible,
            "RequestedMetrics",
            &self.requested_metrics,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for GetTelemetrySubscriptionsResponse {
    const NAME: &'static str = "GetTelemetrySubscriptionsResponse";
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
