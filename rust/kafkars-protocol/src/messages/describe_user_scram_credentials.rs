// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeUserScramCredentials (API key 50): version 0, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeUserScramCredentialsRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeUserScramCredentialsRequest {
    /// `Users`; default empty, may be null.
    pub users: Option<Vec<UserName>>,
}

impl Default for DescribeUserScramCredentialsRequest {
    fn default() -> Self {
        Self {
            users: Some(Vec::new()),
        }
    }
}

impl Element for DescribeUserScramCredentialsRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            users: reader.nullable_array(version, flexible, "Users")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_array(version, flexible, "Users", self.users.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeUserScramCredentialsRequest { "users": users });

/// `UserName` of `DescribeUserScramCredentialsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct UserName {
    /// `Name`.
    pub name: String,
}

impl Element for UserName {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(UserName { "name": name });

impl Message for DescribeUserScramCredentialsRequest {
    const NAME: &'static str = "DescribeUserScramCredentialsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 0 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeUserScramCredentialsRequest {
    const API_KEY: ApiKey = ApiKey::DescribeUserScramCredentials;
    type Response = DescribeUserScramCredentialsResponse;
}

/// Kafka's `DescribeUserScramCredentialsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeUserScramCredentialsResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `Results`.
    pub results: Vec<DescribeUserScramCredentialsResult>,
}

impl Default for DescribeUserScramCredentialsResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
            results: Vec::new(),
        }
    }
}

impl Element for DescribeUserScramCredentialsResponse {
    const MINIMUM_SIZE: usize = 9;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            results: reader.array(version, flexible, "Results")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.throttle_time_ms);
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.array(version, flexible, "Results", &self.results)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeUserScramCredentialsResult` of `DescribeUserScramCredentialsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeUserScramCredentialsResult {
    /// `User`.
    pub user: String,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `CredentialInfos`.
    pub credential_infos: Vec<CredentialInfo>,
}

impl Default for DescribeUserScramCredentialsResult {
    fn default() -> Self {
        Self {
            user: String::new(),
            error_code: 0,
            error_message: Some(String::new()),
            credential_infos: Vec::new(),
        }
    }
}

impl Element for DescribeUserScramCredentialsResult {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            user: reader.string(flexible, "User")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            credential_infos: reader.array(version, flexible, "CredentialInfos")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "User", &self.user)?;
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.array(version, flexible, "CredentialInfos", &self.credential_infos)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `CredentialInfo` of `DescribeUserScramCredentialsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CredentialInfo {
    /// `Mechanism`.
    pub mechanism: i8,
    /// `Iterations`.
    pub iterations: i32,
}

impl Element for CredentialInfo {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            mechanism: reader.i8("Mechanism")?,
            iterations: reader.i32("Iterations")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i8(self.mechanism);
        writer.i32(self.iterations);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeUserScramCredentialsResponse {
    const NAME: &'static str = "DescribeUserScramCredentialsResponse";
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
