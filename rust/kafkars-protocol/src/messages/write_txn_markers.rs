// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! WriteTxnMarkers (API key 27): versions 1 to 2, always flexible.

use crate::describe::describe;
use crate::element::Element;
use crate::{ApiKey, DecodeError, EncodeError, Message, Reader, Request, VersionRange, Writer};

/// Kafka's `WriteTxnMarkersRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WriteTxnMarkersRequest {
    /// `Markers`.
    pub markers: Vec<WritableTxnMarker>,
}

impl Element for WriteTxnMarkersRequest {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            markers: reader.array(version, flexible, "Markers")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Markers", &self.markers)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(WriteTxnMarkersRequest { "markers": markers });

/// `WritableTxnMarker` of `WriteTxnMarkersRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WritableTxnMarker {
    /// `ProducerId`.
    pub producer_id: i64,
    /// `ProducerEpoch`.
    pub producer_epoch: i16,
    /// `TransactionResult`.
    pub transaction_result: bool,
    /// `Topics`.
    pub topics: Vec<WritableTxnMarkerTopic>,
    /// `CoordinatorEpoch`.
    pub coordinator_epoch: i32,
    /// `TransactionVersion`; since version 2.
    pub transaction_version: i8,
}

impl Element for WritableTxnMarker {
    const MINIMUM_SIZE: usize = 17;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            producer_id: reader.i64("ProducerId")?,
            producer_epoch: reader.i16("ProducerEpoch")?,
            transaction_result: reader.bool("TransactionResult")?,
            topics: reader.array(version, flexible, "Topics")?,
            coordinator_epoch: reader.i32("CoordinatorEpoch")?,
            transaction_version: if version >= 2 {
                reader.i8("TransactionVersion")?
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
        writer.i64(self.producer_id);
        writer.i16(self.producer_epoch);
        writer.bool(self.transaction_result);
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.i32(self.coordinator_epoch);
        if version >= 2 {
            writer.i8(self.transaction_version);
        }
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(WritableTxnMarker { "producer_id": producer_id, "producer_epoch": producer_epoch, "transaction_result": transaction_result, "topics": topics, "coordinator_epoch": coordinator_epoch, "transaction_version": transaction_version });

/// `WritableTxnMarkerTopic` of `WriteTxnMarkersRequest`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WritableTxnMarkerTopic {
    /// `Name`.
    pub name: String,
    /// `PartitionIndexes`.
    pub partition_indexes: Vec<i32>,
}

impl Element for WritableTxnMarkerTopic {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partition_indexes: reader.array(version, flexible, "PartitionIndexes")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(
            version,
            flexible,
            "PartitionIndexes",
            &self.partition_indexes,
        )?;
        writer.no_tags(flexible);
        Ok(())
    }
}

describe!(WritableTxnMarkerTopic { "name": name, "partition_indexes": partition_indexes });

impl Message for WriteTxnMarkersRequest {
    const NAME: &'static str = "WriteTxnMarkersRequest";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}

impl Request for WriteTxnMarkersRequest {
    const API_KEY: ApiKey = ApiKey::WriteTxnMarkers;
    type Response = WriteTxnMarkersResponse;
}

/// Kafka's `WriteTxnMarkersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WriteTxnMarkersResponse {
    /// `Markers`.
    pub markers: Vec<WritableTxnMarkerResult>,
}

impl Element for WriteTxnMarkersResponse {
    const MINIMUM_SIZE: usize = 2;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            markers: reader.array(version, flexible, "Markers")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.array(version, flexible, "Markers", &self.markers)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `WritableTxnMarkerResult` of `WriteTxnMarkersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WritableTxnMarkerResult {
    /// `ProducerId`.
    pub producer_id: i64,
    /// `Topics`.
    pub topics: Vec<WritableTxnMarkerTopicResult>,
}

impl Element for WritableTxnMarkerResult {
    const MINIMUM_SIZE: usize = 10;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            producer_id: reader.i64("ProducerId")?,
            topics: reader.array(version, flexible, "Topics")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i64(self.producer_id);
        writer.array(version, flexible, "Topics", &self.topics)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `WritableTxnMarkerTopicResult` of `WriteTxnMarkersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WritableTxnMarkerTopicResult {
    /// `Name`.
    pub name: String,
    /// `Partitions`.
    pub partitions: Vec<WritableTxnMarkerPartitionResult>,
}

impl Element for WritableTxnMarkerTopicResult {
    const MINIMUM_SIZE: usize = 3;

    fn read(reader: &mut Reader, version: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            name: reader.string(flexible, "Name")?,
            partitions: reader.array(version, flexible, "Partitions")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, version: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.string(flexible, "Name", &self.name)?;
        writer.array(version, flexible, "Partitions", &self.partitions)?;
        writer.no_tags(flexible);
        Ok(())
    }
}

/// `WritableTxnMarkerPartitionResult` of `WriteTxnMarkersResponse`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct WritableTxnMarkerPartitionResult {
    /// `PartitionIndex`.
    pub partition_index: i32,
    /// `ErrorCode`.
    pub error_code: i16,
}

impl Element for WritableTxnMarkerPartitionResult {
    const MINIMUM_SIZE: usize = 7;

    fn read(reader: &mut Reader, _: i16, flexible: bool) -> Result<Self, DecodeError> {
        let value = Self {
            partition_index: reader.i32("PartitionIndex")?,
            error_code: reader.i16("ErrorCode")?,
        };
        if flexible {
            reader.tagged_fields(|_, _| Ok(false))?;
        }
        Ok(value)
    }

    fn write(&self, writer: &mut Writer, _: i16, flexible: bool) -> Result<(), EncodeError> {
        writer.i32(self.partition_index);
        writer.i16(self.error_code);
        writer.no_tags(flexible);
        Ok(())
    }
}

impl Message for WriteTxnMarkersResponse {
    const NAME: &'static str = "WriteTxnMarkersResponse";
    const VERSIONS: VersionRange = VersionRange { min: 1, max: 2 };
    const FLEXIBLE_FROM: Option<i16> = Some(1);

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
