// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ConsumerProtocolAssignment: versions 0 to 3, never flexible.

use bytes::Bytes;

use crate::element::Element;
use crate::{DecodeError, EncodeError, Message, Reader, VersionRange, Writer};

/// Kafka's `ConsumerProtocolAssignment`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ConsumerProtocolAssignment {
    /// `AssignedPartitions`.
    pub assigned_partitions: Vec<TopicPartition>,
    /// `UserData`; may be null.
    pub user_data: Option<Bytes>,
}

impl Element for ConsumerProtocolAssignment {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            assigned_partitions: reader.array(version, false, "AssignedPartitions")?,
            user_data: reader.nullable_bytes(false, "UserData")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.array(
            version,
            false,
            "AssignedPartitions",
            &self.assigned_partitions,
        )?;
        writer.nullable_bytes(false, "UserData", self.user_data.as_ref())?;
        Ok(())
    }
}

/// `TopicPartition` of `ConsumerProtocolAssignment`.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct TopicPartition {
    /// `Topic`.
    pub topic: String,
    /// `Partitions`.
    pub partitions: Vec<i32>,
}

impl Element for TopicPartition {
    const MINIMUM_SIZE: usize = 6;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            topic: reader.string(false, "Topic")?,
            partitions: reader.array(version, false, "Partitions")?,
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.string(false, "Topic", &self.topic)?;
        writer.array(version, false, "Partitions", &self.partitions)?;
        Ok(())
    }
}

impl Message for ConsumerProtocolAssignment {
    const NAME: &'static str = "ConsumerProtocolAssignment";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = None;

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
