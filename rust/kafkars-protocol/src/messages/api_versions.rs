// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ApiVersions (API key 18): versions 0 to 4, flexible since version 3.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `ApiVersionsRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ApiVersionsRequest {
    /// `ClientSoftwareName`; since version 3.
    pub client_software_name: String,
    /// `ClientSoftwareVersion`; since version 3.
    pub client_software_version: String,
}

impl Element for ApiVersionsRequest {
    const MINIMUM_SIZE: usize = 1;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            client_software_name: if version >= 3 {
                reader.string(flexible, "ClientSoftwareName")?
            } else {
                String::new()
            },
            client_software_version: if version >= 3 {
                reader.string(flexible, "ClientSoftwareVersion")?
            } else {
                String::new()
            },
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        if version >= 3 {
            writer.string(flexible, "ClientSoftwareName", &self.client_software_name)?;
        }
        if version >= 3 {
            writer.string(
                flexible,
                "ClientSoftwareVersion",
                &self.client_software_version,
            )?;
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(ApiVersionsRequest { "client_software_name": client_software_name, "client_software_version": client_software_version });

impl Message for ApiVersionsRequest {
    const NAME: &'static str = "ApiVersionsRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for ApiVersionsRequest {
    const API_KEY: ApiKey = ApiKey::ApiVersions;
    type Response = ApiVersionsResponse;
}

/// Kafka's `ApiVersionsResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiVersionsResponse {
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ApiKeys`.
    pub api_keys: Vec<ApiVersion>,
    /// `ThrottleTimeMs`, in milliseconds; since version 1.
    pub throttle_time_ms: i32,
    /// `SupportedFeatures`; since version 3, tag 0.
    pub supported_features: Vec<SupportedFeatureKey>,
    /// `FinalizedFeaturesEpoch`; since version 3, default -1, tag 1.
    pub finalized_features_epoch: i64,
    /// `FinalizedFeatures`; since version 3, tag 2.
    pub finalized_features: Vec<FinalizedFeatureKey>,
    /// `ZkMigrationReady`; since version 3, tag 3.
    pub zk_migration_ready: bool,
}

impl Default for ApiVersionsResponse {
    fn default() -> Self {
        Self {
            error_code: 0,
            api_keys: Vec::new(),
            throttle_time_ms: 0,
            supported_features: Vec::new(),
            finalized_features_epoch: -1,
            finalized_features: Vec::new(),
            zk_migration_ready: false,
        }
    }
}

impl Element for ApiVersionsResponse {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let mut value = Self {
            error_code: reader.i16("ErrorCode")?,
            api_keys: reader.array(version, flexible, "ApiKeys")?,
            throttle_time_ms: if version >= 1 {
                reader.i32("ThrottleTimeMs")?
            } else {
                0
            },
            supported_features: Vec::new(),
            finalized_features_epoch: -1,
            finalized_features: Vec::new(),
            zk_migration_ready: false,
        };
        if flexible {
            reader.tagged_fields(|reader, tag| {
                match tag {
                    0 => {
                        value.supported_features =
                            reader.array(version, flexible, "SupportedFeatures")?
                    }
                    1 => value.finalized_features_epoch = reader.i64("FinalizedFeaturesEpoch")?,
                    2 => {
                        value.finalized_features =
                            reader.array(version, flexible, "FinalizedFeatures")?
                    }
                    3 => value.zk_migration_ready = reader.bool("ZkMigrationReady")?,
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.error_code);
        writer.array(version, flexible, "ApiKeys", &self.api_keys)?;
        if version >= 1 {
            writer.i32(self.throttle_time_ms);
        }
        if flexible {
            writer.tags(|tags| {
                if !self.supported_features.is_empty() {
                    tags.add(0, |writer| {
                        writer.array(
                            version,
                            flexible,
                            "SupportedFeatures",
                            &self.supported_features,
                        )?;
                        Ok(())
                    })?;
                }
                if self.finalized_features_epoch != -1 {
                    tags.add(1, |writer| {
                        writer.i64(self.finalized_features_epoch);
                        Ok(())
                    })?;
                }
                if !self.finalized_features.is_empty() {
                    tags.add(2, |writer| {
                        writer.array(
                            version,
                            flexible,
                            "FinalizedFeatures",
                            &self.finalized_features,
                        )?;
                        Ok(())
                    })?;
                }
                if self.zk_migration_ready {
                    tags.add(3, |writer| {
                        writer.bool(self.zk_migration_ready);
                        Ok(())
                    })?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// `ApiVersion` of `ApiVersionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ApiVersion {
    /// `ApiKey`.
    pub api_key: i16,
    /// `MinVersion`.
    pub min_version: i16,
    /// `MaxVersion`.
    pub max_version: i16,
}

impl Element for ApiVersion {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            api_key: reader.i16("ApiKey")?,
            min_version: reader.i16("MinVersion")?,
            max_version: reader.i16("MaxVersion")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i16(self.api_key);
        writer.i16(self.min_version);
        writer.i16(self.max_version);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `SupportedFeatureKey` of `ApiVersionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct SupportedFeatureKey {
    /// `Name`.
    pub name: String,
    /// `MinVersion`.
    pub min_version: i16,
    /// `MaxVersion`.
    pub max_version: i16,
}

impl Element for SupportedFeatureKey {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            min_version: reader.i16("MinVersion")?,
            max_version: reader.i16("MaxVersion")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i16(self.min_version);
        writer.i16(self.max_version);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `FinalizedFeatureKey` of `ApiVersionsResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FinalizedFeatureKey {
    /// `Name`.
    pub name: String,
    /// `MaxVersionLevel`.
    pub max_version_level: i16,
    /// `MinVersionLevel`.
    pub min_version_level: i16,
}

impl Element for FinalizedFeatureKey {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            max_version_level: reader.i16("MaxVersionLevel")?,
            min_version_level: reader.i16("MinVersionLevel")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.i16(self.max_version_level);
        writer.i16(self.min_version_level);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for ApiVersionsResponse {
    const NAME: &'static str = "ApiVersionsResponse";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 4 };
    const FLEXIBLE_FROM: Option<i16> = Some(3);

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
