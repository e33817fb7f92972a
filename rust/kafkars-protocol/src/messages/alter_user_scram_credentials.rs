// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! AlterUserScramCredentials (API key 51): version 0, always flexible.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `AlterUserScramCredentialsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterUserScramCredentialsRequest {
    /// `Deletions`.
    pub deletions: Vec<ScramCredentialDeletion>,
    /// `Upsertions`.
    pub upsertions: Vec<ScramCredentialUpsertion>,
}

impl Element for AlterUserScramCredentialsRequest {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            deletions: reader.array(version, flexible, "Deletions")?,
            upsertions: reader.array(version, flexible, "Upsertions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Deletions", &self.deletions)?;
        writer.array(version, flexible, "Upsertions", &self.upsertions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(AlterUserScramCredentialsRequest { "deletions": deletions, "upsertions": upsertions });

/// `ScramCredentialDeletion` of `AlterUserScramCredentialsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ScramCredentialDeletion {
    /// `Name`.
    pub name: String,
    /// `Mechanism`.
    pub mechanism: i8,
}

impl Element for ScramCredentialDeletion {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            mechanism: reader.i8("Mechanism")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i8(self.mechanism);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ScramCredentialDeletion { "name": name, "mechanism": mechanism });

/// `ScramCredentialUpsertion` of `AlterUserScramCredentialsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ScramCredentialUpsertion {
    /// `Name`.
    pub name: String,
    /// `Mechanism`.
    pub mechanism: i8,
    /// `Iterations`.
    pub iterations: i32,
    /// `Salt`.
    pub salt: Bytes,
    /// `SaltedPassword`.
    pub salted_password: Bytes,
}

impl Element for ScramCredentialUpsertion {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            mechanism: reader.i8("Mechanism")?,
            iterations: reader.i32("Iterations")?,
            salt: reader.bytes(flexible, "Salt")?,
            salted_password: reader.bytes(flexible, "SaltedPassword")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i8(self.mechanism);
        writer.i32(self.iterations);
        writer.bytes(flexible, "Salt", &self.salt)?;
        writer.bytes(flexible, "SaltedPassword", &self.salted_password)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ScramCredentialUpsertion { "name": name, "mechanism": mechanism, "iterations": iterations, "salt": salt, "salted_password": salted_password });

impl Message for AlterUserScramCredentialsRequest {
    const NAME: &'static str = "AlterUserScramCredentialsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for AlterUserScramCredentialsRequest {
    const API_KEY: ApiKey = ApiKey::AlterUserScramCredentials;
    type Response = AlterUserScramCredentialsResponse;
}

/// Kafka's `AlterUserScramCredentialsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct AlterUserScramCredentialsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `Results`.
    pub results: Vec<AlterUserScramCredentialsResult>,
}

impl Element for AlterUserScramCredentialsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            results: reader.array(version, flexible, "Results")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.array(version, flexible, "Results", &self.results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `AlterUserScramCredentialsResult` of `AlterUserScramCredentialsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterUserScramCredentialsResult {
    /// `User`.
    pub user: String,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for AlterUserScramCredentialsResult {
    fn default() -> Self {
        Self {
            user: String::new(),
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for AlterUserScramCredentialsResult {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            user: reader.string(flexible, "User")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "User", &self.user)?;
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for AlterUserScramCredentialsResponse {
    const NAME: &'static str = "AlterUserScramCredentialsResponse";
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
