// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! CreateDelegationToken (API key 38): versions 1 to 3, flexible since version 2.

use bytes::Bytes;

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `CreateDelegationTokenRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateDelegationTokenRequest {
    /// `OwnerPrincipalType`; since version 3, default empty, may be null.
    pub owner_principal_type: Option<String>,
    /// `OwnerPrincipalName`; since version 3, default empty, may be null.
    pub owner_principal_name: Option<String>,
    /// `Renewers`.
    pub renewers: Vec<CreatableRenewers>,
    /// `MaxLifetimeMs`, in milliseconds.
    pub max_lifetime_ms: i64,
}

impl Default for CreateDelegationTokenRequest {
    fn default() -> Self {
        Self {
            owner_principal_type: Some(String::new()),
            owner_principal_name: Some(String::new()),
            renewers: Vec::new(),
            max_lifetime_ms: 0,
        }
    }
}

impl Element for CreateDelegationTokenRequest {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            owner_principal_type: if version >= 3 {
                reader.nullable_string(flexible, "OwnerPrincipalType")?
            } else {
                Some(String::new())
            },
            owner_principal_name: if version >= 3 {
                reader.nullable_string(flexible, "OwnerPrincipalName")?
            } else {
                Some(String::new())
            },
            renewers: reader.array(version, flexible, "Renewers")?,
            max_lifetime_ms: reader.i64("MaxLifetimeMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 3 {
            writer.nullable_string(
                flexible,
                "OwnerPrincipalType",
                self.owner_principal_type.as_deref(),
            )?;
        } else if self
            .owner_principal_type
            .as_ref()
            .is_none_or(|value| !value.is_empty())
        {
            return Err(writer.absent(version, "OwnerPrincipalType"));
        }
        if version >= 3 {
            writer.nullable_string(
                flexible,
                "OwnerPrincipalName",
                self.owner_principal_name.as_deref(),
            )?;
        } else if self
            .owner_principal_name
            .as_ref()
            .is_none_or(|value| !value.is_empty())
        {
            return Err(writer.absent(version, "OwnerPrincipalName"));
        }
        writer.array(version, flexible, "Renewers", &self.renewers)?;
        writer.i64(self.max_lifetime_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(CreateDelegationTokenRequest { "owner_principal_type": owner_principal_type, "owner_principal_name": owner_principal_name, "renewers": renewers, "max_lifetime_ms": max_lifetime_ms });

/// `CreatableRenewers` of `CreateDelegationTokenRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreatableRenewers {
    /// `PrincipalType`.
    pub principal_type: String,
    /// `PrincipalName`.
    pub principal_name: String,
}

impl Element for CreatableRenewers {
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

describe!(CreatableRenewers { "principal_type": principal_type, "principal_name": principal_name });

impl Message for CreateDelegationTokenRequest {
    const NAME: &'static str = "CreateDelegationTokenRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = Some(2);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for CreateDelegationTokenRequest {
    const API_KEY: ApiKey = ApiKey::CreateDelegationToken;
    type Response = CreateDelegationTokenResponse;
}

/// Kafka's `CreateDelegationTokenResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct CreateDelegationTokenResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `PrincipalType`.
    pub principal_type: String,
    /// `PrincipalName`.
    pub principal_name: String,
    /// `TokenRequesterPrincipalType`; since version 3.
    pub token_requester_principal_type: String,
    /// `TokenRequesterPrincipalName`; since version 3.
    pub token_requester_principal_name: String,
    /// `IssueTimestampMs`, in milliseconds.
    pub issue_timestamp_ms: i64,
    /// `ExpiryTimestampMs`, in milliseconds.
    pub expiry_timestamp_ms: i64,
    /// `MaxTimestampMs`, in milliseconds.
    pub max_timestamp_ms: i64,
    /// `TokenId`.
    pub token_id: String,
    /// `Hmac`.
    pub hmac: Bytes,
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
}

impl Element for CreateDelegationTokenResponse {
    const MINIMUM_SIZE: usize = 35;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            error_code: reader.i16("ErrorCode")?,
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
            issue_timestamp_ms: reader.i64("IssueTimestampMs")?,
            expiry_timestamp_ms: reader.i64("ExpiryTimestampMs")?,
            max_timestamp_ms: reader.i64("MaxTimestampMs")?,
            token_id: reader.string(flexible, "TokenId")?,
            hmac: reader.bytes(flexible, "Hmac")?,
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
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
        writer.i64(self.issue_timestamp_ms);
        writer.i64(self.expiry_timestamp_ms);
        writer.i64(self.max_timestamp_ms);
        writer.string(flexible, "TokenId", &self.token_id)?;
        writer.bytes(flexible, "Hmac", &self.hmac)?;
        writer.i32(self.throttle_time_ms);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for CreateDelegationTokenResponse {
    const NAME: &'static str = "CreateDelegationTokenResponse";
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
