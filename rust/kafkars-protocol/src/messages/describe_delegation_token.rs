// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeDelegationToken (API key 41): versions 1 to 3, flexible since version 2.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeDelegationTokenRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeDelegationTokenRequest {
    /// `Owners`; default empty, may be null.
    pub owners: Option<Vec<DescribeDelegationTokenOwner>>,
}

impl Default for DescribeDelegationTokenRequest {
    fn default() -> Self {
        Self {
            owners: Some(Vec::new()),
        }
    }
}

impl Element for DescribeDelegationTokenRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            owners: reader.nullable_array(version, flexible, "Owners")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.nullable_array(version, flexible, "Owners", self.owners.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeDelegationTokenRequest { "owners": owners });

/// `DescribeDelegationTokenOwner` of `DescribeDelegationTokenRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeDelegationTokenOwner {
    /// `PrincipalType`.
    pub principal_type: String,
    /// `PrincipalName`.
    pub principal_name: String,
}

impl Element for DescribeDelegationTokenOwner {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            principal_type: reader.string(flexible, "PrincipalType")?,
            principal_name: reader.string(flexible, "PrincipalName")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "PrincipalType", &self.principal_type)?;
        writer.string(flexible, "PrincipalName", &self.principal_name)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeDelegationTokenOwner { "principal_type": principal_type, "principal_name": principal_name });

impl Message for DescribeDelegationTokenRequest {
    const NAME: &'static str = "DescribeDelegationTokenRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeDelegationTokenRequest {
    const API_KEY: ApiKey = ApiKey::DescribeDelegationToken;
    type Response = DescribeDelegationTokenResponse;
}

/// Kafka's `DescribeDelegationTokenResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeDelegationTokenResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `Tokens`.
    pub tokens: Vec<DescribedDelegationToken>,
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
}

impl Element for DescribeDelegationTokenResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
            tokens: reader.array(version, flexible, "Tokens")?,
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.array(version, flexible, "Tokens", &self.tokens)?;
        writer.i32(self.throttle_time_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribedDelegationToken` of `DescribeDelegationTokenResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribedDelegationToken {
    /// `PrincipalType`.
    pub principal_type: String,
    /// `PrincipalName`.
    pub principal_name: String,
    /// `TokenRequesterPrincipalType`; since version 3.
    pub token_requester_principal_type: String,
    /// `TokenRequesterPrincipalName`; since version 3.
    pub token_requester_principal_name: String,
    /// `IssueTimestamp`.
    pub issue_timestamp: i64,
    /// `ExpiryTimestamp`.
    pub expiry_timestamp: i64,
    /// `MaxTimestamp`.
    pub max_timestamp: i64,
    /// `TokenId`.
    pub token_id: String,
    /// `Hmac`.
    pub hmac: Bytes,
    /// `Renewers`.
    pub renewers: Vec<DescribedDelegationTokenRenewer>,
}

impl Element for DescribedDelegationToken {
    const MINIMUM_SIZE: usize = 30;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            principal_type: reader.string(flexible, "PrincipalType")?,
            principal_name: reader.string(flexible, "PrincipalName")?,
            token_requester_principal_type: if version >= 3 {
                reader.string(flexible, "TokenRequesterPrincipalType")?
            } else {
                String::new()
            },
            token_requester_principal_name: if version >= 3 {
                reader.string(flexible, "TokenRequesterPrincipalName")?
            } else {
                String::new()
            },
            issue_timestamp: reader.i64("IssueTimestamp")?,
            expiry_timestamp: reader.i64("ExpiryTimestamp")?,
            max_timestamp: reader.i64("MaxTimestamp")?,
            token_id: reader.string(flexible, "TokenId")?,
            hmac: reader.bytes(flexible, "Hmac")?,
            renewers: reader.array(version, flexible, "Renewers")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "PrincipalType", &self.principal_type)?;
        writer.string(flexible, "PrincipalName", &self.principal_name)?;
        if version >= 3 {
            writer.string(
                flexible,
                "TokenRequesterPrincipalType",
                &self.token_requester_principal_type,
            )?;
        } else if !self.token_requester_principal_type.is_empty() {
            return Err(writer.absent(version, "TokenRequesterPrincipalType"));
        }
        if version >= 3 {
            writer.string(
                flexible,
                "TokenRequesterPrincipalName",
                &self.token_requester_principal_name,
            )?;
        } else if !self.token_requester_principal_name.is_empty() {
            return Err(writer.absent(version, "TokenRequesterPrincipalName"));
        }
        writer.i64(self.issue_timestamp);
        writer.i64(self.expiry_timestamp);
        writer.i64(self.max_timestamp);
        writer.string(flexible, "TokenId", &self.token_id)?;
        writer.bytes(flexible, "Hmac", &self.hmac)?;
        writer.array(version, flexible, "Renewers", &self.renewers)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribedDelegationTokenRenewer` of `DescribeDelegationTokenResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribedDelegationTokenRenewer {
    /// `PrincipalType`.
    pub principal_type: String,
    /// `PrincipalName`.
    pub principal_name: String,
}

impl Element for DescribedDelegationTokenRenewer {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            principal_type: reader.string(flexible, "PrincipalType")?,
            principal_name: reader.string(flexible, "PrincipalName")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "PrincipalType", &self.principal_type)?;
        writer.string(flexible, "PrincipalName", &self.principal_name)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeDelegationTokenResponse {
    const NAME: &'static str = "DescribeDelegationTokenResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
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
