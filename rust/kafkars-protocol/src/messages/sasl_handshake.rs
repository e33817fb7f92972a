// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! SaslHandshake (API key 17): versions 0 to 1, never flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `SaslHandshakeRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SaslHandshakeRequest {
    /// `Mechanism`.
    pub mechanism: String,
}

impl Element for SaslHandshakeRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, _: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            mechanism: reader.string(false, "Mechanism")?,
        })
    }

    fn write(&self, writer: &mut Writer, _: i16, _: bool) -> Result<(), EncodeError> {
        writer.string(false, "Mechanism", &self.mechanism)?;
        Ok(())
    }
}

describe!(SaslHandshakeRequest { "mechanism": mechanism });

impl Message for SaslHandshakeRequest {
    const NAME: &'static str = "SaslHandshakeRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = None;

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for SaslHandshakeRequest {
    const API_KEY: ApiKey = ApiKey::SaslHandshake;
    type Response = SaslHandshakeResponse;
}

/// Kafka's `SaslHandshakeResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SaslHandshakeResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Mechanisms`.
    pub mechanisms: Vec<String>,
}

impl Element for SaslHandshakeResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            error_code: reader.i16("ErrorCode")?,
            mechanisms: reader.array(version, false, "Mechanisms")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.array(version, false, "Mechanisms", &self.mechanisms)?;
        Ok(())
    }
}

impl Message for SaslHandshakeResponse {
    const NAME: &'static str = "SaslHandshakeResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 1 };
    const FLEXIBLE_FROM: Option<i16> = None;

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
