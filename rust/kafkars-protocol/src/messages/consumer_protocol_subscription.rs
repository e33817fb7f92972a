// Written by generator/generate.py from the message schemas of Apache Kafka 4.3.1. Do not edit.
//! ConsumerProtocolSubscription: versions 0 to 3, never flexible.

use bytes::Bytes;

use crate::element::Element;
use crate::{DecodeError, EncodeError, Message, Reader, VersionRange, Writer};

/// Kafka's `ConsumerProtocolSubscription`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConsumerProtocolSubscription {
    /// `Topics`.
    pub topics: Vec<String>,
    /// `UserData`; may be null.
    pub user_data: Option<Bytes>,
    /// `OwnedPartitions`; since version 1.
    pub owned_partitions: Vec<TopicPartition>,
    /// `GenerationId`; since version 2, default -1.
    pub generation_id: i32,
    /// `RackId`; since version 3, may be null.
    pub rack_id: Option<String>,
}

impl Default for ConsumerProtocolSubscription {
    fn default() -> Self {
        Self {
            topics: Vec::new(),
            user_data: None,
            owned_partitions: Vec::new(),
            generation_id: -1,
            rack_id: None,
        }
    }
}

impl Element for ConsumerProtocolSubscription {
    const MINIMUM_SIZE: usize = 8;

    fn read(reader: &mut Reader, version: i16, _: bool) -> Result<Self, DecodeError> {
        Ok(Self {
            topics: reader.array(version, false, "Topics")?,
            user_data: reader.nullable_bytes(false, "UserData")?,
            owned_partitions: if version >= 1 {
                reader.array(version, false, "OwnedPartitions")?
            } else {
                Vec::new()
            },
            generation_id: if version >= 2 {
                reader.i32("GenerationId")?
            } else {
                -1
            },
            rack_id: if version >= 3 {
                reader.nullable_string(false, "RackId")?
            } else {
                None
            },
        })
    }

    fn write(&self, writer: &mut Writer, version: i16, _: bool) -> Result<(), EncodeError> {
        writer.array(version, false, "Topics", &self.topics)?;
        writer.nullable_bytes(false, "UserData", self.user_data.as_ref())?;
        if version >= 1 {
            writer.array(version, false, "OwnedPartitions", &self.owned_partitions)?;
        }
        if version >= 2 {
            writer.i32(self.generation_id);
        }
        if version >= 3 {
            writer.nullable_string(false, "RackId", self.rack_id.as_deref())?;
        }
        Ok(())
    }
}

/// `TopicPartition` of `ConsumerProtocolSubscription`.
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

impl Message for ConsumerProtocolSubscription {
    const NAME: &'static str = "ConsumerProtocolSubscription";
    const VERSIONS: VersionRange = VersionRange { min: 0, max: 3 };
    const FLEXIBLE_FROM: Option<i16> = None;

    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError> {
        reader.message(version)
    }

    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError> {
        writer.message(self, version)
    }
}
