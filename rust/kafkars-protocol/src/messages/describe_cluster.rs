// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! DescribeCluster (API key 60): versions 0 to 2, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `DescribeClusterRequest`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeClusterRequest {
    /// `IncludeClusterAuthorizedOperations`.
    pub include_cluster_authorized_operations: bool,
    /// `EndpointType`; since version 1, default 1.
    pub endpoint_type: i8,
    /// `IncludeFencedBrokers`; since version 2.
    pub include_fenced_brokers: bool,
}

impl Default for DescribeClusterRequest {
    fn default() -> Self {
        Self {
            include_cluster_authorized_operations: false,
            endpoint_type: 1,
            include_fenced_brokers: false,
        }
    }
}

impl Element for DescribeClusterRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            include_cluster_authorized_operations: reader
                .bool("IncludeClusterAuthorizedOperations")?,
            endpoint_type: if version >= 1 {
                reader.i8("EndpointType")?
            } else {
                1
            },
            include_fenced_brokers: if version >= 2 {
                reader.bool("IncludeFencedBrokers")?
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
        writer.bool(self.include_cluster_authorized_operations);
        if version >= 1 {
            writer.i8(self.endpoint_type);
        } else if self.endpoint_type != 1 {
            return Err(writer.absent(version, "EndpointType"));
        }
        if version >= 2 {
            writer.bool(self.include_fenced_brokers);
        } else if self.include_fenced_brokers {
            return Err(writer.absent(version, "IncludeFencedBrokers"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(DescribeClusterRequest { "include_cluster_authorized_operations": include_cluster_authorized_operations, "endpoint_type": endpoint_type, "include_fenced_brokers": include_fenced_brokers });

impl Message for DescribeClusterRequest {
    const NAME: &'static str = "DescribeClusterRequest";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(0);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for DescribeClusterRequest {
    const API_KEY: ApiKey = ApiKey::DescribeCluster;
    type Response = DescribeClusterResponse;
}

/// Kafka's `DescribeClusterResponse`.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribeClusterResponse {
    /// `ThrottleTimeMs`, in milliseconds.
    pub throttle_time_ms: i32,
    /// `ErrorCode`.
    pub error_code: i16,
    /// `ErrorMessage`; may be null.
    pub error_message: Option<String>,
    /// `EndpointType`; since version 1, default 1.
    pub endpoint_type: i8,
    /// `ClusterId`.
    pub cluster_id: String,
    /// `ControllerId`; default -1.
    pub controller_id: i32,
    /// `Brokers`.
    pub brokers: Vec<DescribeClusterBroker>,
    /// `ClusterAuthorizedOperations`; default -2147483648.
    pub cluster_authorized_operations: i32,
}

impl Default for DescribeClusterResponse {
    fn default() -> Self {
        Self {
            throttle_time_ms: 0,
            error_code: 0,
            error_message: None,
            endpoint_type: 1,
            cluster_id: String::new(),
            controller_id: -1,
            brokers: Vec::new(),
            cluster_authorized_operations: i32::MIN,
        }
    }
}

impl Element for DescribeClusterResponse {
    const MINIMUM_SIZE: usize = 18;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            throttle_time_ms: reader.i32("ThrottleTimeMs")?,
            error_code: reader.i16("ErrorCode")?,
            error_message: reader.nullable_message(flexible, "ErrorMessage")?,
            endpoint_type: if version >= 1 {
                reader.i8("EndpointType")?
            } else {
                1
            },
            cluster_id: reader.string(flexible, "ClusterId")?,
            controller_id: reader.i32("ControllerId")?,
            brokers: reader.array(version, flexible, "Brokers")?,
            cluster_authorized_operations: reader.i32("ClusterAuthorizedOperations")?,
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
        if version >= 1 {
            writer.i8(self.endpoint_type);
        } else if self.endpoint_type != 1 {
            return Err(writer.absent(version, "EndpointType"));
        }
        writer.string(flexible, "ClusterId", &self.cluster_id)?;
        writer.i32(self.controller_id);
        writer.array(version, flexible, "Brokers", &self.brokers)?;
        writer.i32(self.cluster_authorized_operations);
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `DescribeClusterBroker` of `DescribeClusterResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DescribeClusterBroker {
    /// `BrokerId`.
    pub broker_id: i32,
    /// `Host`.
    pub host: String,
    /// `Port`.
    pub port: i32,
    /// `Rack`; may be null.
    pub rack: Option<String>,
    /// `IsFenced`; since version 2.
    pub is_fenced: bool,
}

impl Element for DescribeClusterBroker {
    const MINIMUM_SIZE: usize = 11;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            broker_id: reader.i32("BrokerId")?,
            host: reader.string(flexible, "Host")?,
            port: reader.i32("Port")?,
            rack: reader.nullable_string(flexible, "Rack")?,
            is_fenced: if version >= 2 {
                reader.bool("IsFenced")?
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
        writer.i32(self.broker_id);
        writer.string(flexible, "Host", &self.host)?;
        writer.i32(self.port);
        writer.nullable_string(flexible, "Rack", self.rack.as_deref())?;
        if version >= 2 {
            writer.bool(self.is_fenced);
        } else if self.is_fenced {
            return Err(writer.absent(version, "IsFenced"));
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for DescribeClusterResponse {
    const NAME: &'static str = "DescribeClusterResponse";
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
