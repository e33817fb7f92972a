// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! SaslAuthenticate (API key 36): versions 0 to 2, flexible since version 2.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `SaslAuthenticateRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SaslAuthenticateRequest {
    /// `AuthBytes`.
    pub auth_bytes: Bytes,
}

impl Element for SaslAuthenticateRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            auth_bytes: reader.bytes(flexible, "AuthBytes")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.bytes(flexible, "AuthBytes", &self.auth_bytes)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(SaslAuthenticateRequest { "auth_bytes": auth_bytes });

impl Message for SaslAuthenticateRequest {
    const NAME: &'static str = "SaslAuthenticateRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for SaslAuthenticateRequest {
    const API_KEY: ApiKey = ApiKey::SaslAuthenticate;
    type Response = SaslAuthenticateResponse;
}

/// Kafka's `SaslAuthenticateResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct SaslAuthenticateResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `AuthBytes`.
    pub auth_bytes: Bytes,
    /// `SessionLifetimeMs`, in milliseconds; since version 1.
    pub session_lifetime_ms: i64,
}

impl Default for SaslAuthenticateResponse {
    fn default() -> Self {
        Self {
            error_code: 0,
            error_message: Some(String::new()),
            auth_bytes: Bytes::new(),
            session_lifetime_ms: 0,
        }
    }
}

impl Element for SaslAuthenticateResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            auth_bytes: reader.bytes(flexible, "AuthBytes")?,
            session_lifetime_ms: if version >= 1 {
                reader.i64("SessionLifetimeMs")?
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
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.bytes(flexible, "AuthBytes", &self.auth_bytes)?;
        if version >= 1 {
            writer.i64(self.session_lifetime_ms);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for SaslAuthenticateResponse {
    const NAME: &'static str = "SaslAuthenticateResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
