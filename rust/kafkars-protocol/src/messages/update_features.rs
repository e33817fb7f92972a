// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! UpdateFeatures (API key 57): versions 0 to 2, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `UpdateFeaturesRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateFeaturesRequest {
    /// `timeoutMs`, in milliseconds; default 60000.
    pub timeout_ms: i32,
    /// `FeatureUpdates`.
    pub feature_updates: Vec<FeatureUpdateKey>,
    /// `ValidateOnly`; since version 1.
    pub validate_only: bool,
}

impl Default for UpdateFeaturesRequest {
    fn default() -> Self {
        Self {
            timeout_ms: 60000,
            feature_updates: Vec::new(),
            validate_only: false,
        }
    }
}

impl Element for UpdateFeaturesRequest {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            timeout_ms: reader.i32("timeoutMs")?,
            feature_updates: reader.array(version, flexible, "FeatureUpdates")?,
            validate_only: if version >= 1 {
                reader.bool("ValidateOnly")?
            } else {
                false
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.timeout_ms);
        writer.array(version, flexible, "FeatureUpdates", &self.feature_updates)?;
        if version >= 1 {
            writer.bool(self.validate_only);
        } else if self.validate_only {
            return Err(writer.absent(version, "ValidateOnly"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(UpdateFeaturesRequest { "timeout_ms": timeout_ms, "feature_updates": feature_updates, "validate_only": validate_only });

/// `FeatureUpdateKey` of `UpdateFeaturesRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureUpdateKey {
    /// `Feature`.
    pub feature: String,
    /// `MaxVersionLevel`.
    pub max_version_level: i16,
    /// `AllowDowngrade`; version 0 only.
    pub allow_downgrade: bool,
    /// `UpgradeType`; since version 1, default 1.
    pub upgrade_type: i8,
}

impl Default for FeatureUpdateKey {
    fn default() -> Self {
        Self {
            feature: String::new(),
            max_version_level: 0,
            allow_downgrade: false,
            upgrade_type: 1,
        }
    }
}

impl Element for FeatureUpdateKey {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            feature: reader.string(flexible, "Feature")?,
            max_version_level: reader.i16("MaxVersionLevel")?,
            allow_downgrade: if version <= 0 {
                reader.bool("AllowDowngrade")?
            } else {
                false
            },
            upgrade_type: if version >= 1 {
                reader.i8("UpgradeType")?
            } else {
                1
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Feature", &self.feature)?;
        writer.i16(self.max_version_level);
        if version <= 0 {
            writer.bool(self.allow_downgrade);
        } else if self.allow_downgrade {
            return Err(writer.absent(version, "AllowDowngrade"));
        }
        if version >= 1 {
            writer.i8(self.upgrade_type);
        } else if self.upgrade_type != 1 {
            return Err(writer.absent(version, "UpgradeType"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(FeatureUpdateKey { "feature": feature, "max_version_level": max_version_level, "allow_downgrade": allow_downgrade, "upgrade_type": upgrade_type });

impl Message for UpdateFeaturesRequest {
    const NAME: &'static str = "UpdateFeaturesRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for UpdateFeaturesRequest {
    const API_KEY: ApiKey = ApiKey::UpdateFeatures;
    type Response = UpdateFeaturesResponse;
}

/// Kafka's `UpdateFeaturesResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdateFeaturesResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
    /// `Results`; up to version 1.
    pub results: Vec<UpdatableFeatureResult>,
}

impl Default for UpdateFeaturesResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: Some(String::new()),
            results: Vec::new(),
        }
    }
}

impl Element for UpdateFeaturesResponse {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            results: if version <= 1 {
                reader.array(version, flexible, "Results")?
            } else {
                Vec::new()
            },
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
        if version <= 1 {
            writer.array(version, flexible, "Results", &self.results)?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `UpdatableFeatureResult` of `UpdateFeaturesResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct UpdatableFeatureResult {
    /// `Feature`.
    pub feature: String,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; default empty, may be null.
    pub error_message: Option<String>,
}

impl Default for UpdatableFeatureResult {
    fn default() -> Self {
        Self {
            feature: String::new(),
            error_code: 0,
            error_message: Some(String::new()),
        }
    }
}

impl Element for UpdatableFeatureResult {
    const MINIMUM_SIZE: usize = 5;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            feature: reader.string(flexible, "Feature")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Feature", &self.feature)?;
        writer.i16(self.error_code);
        writer.nullable_string(flexible, "ErrorMessage", self.error_message.as_deref())?;
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for UpdateFeaturesResponse {
    const NAME: &'static str = "UpdateFeaturesResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
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
