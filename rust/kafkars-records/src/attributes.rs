//! The attributes of a batch: codec, timestamp type, transactional and control bits.

use crate::compression::Codec;

/// The attributes of a batch, an int16 of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes(i16);

impl Attributes {
    const CODEC_MASK: i16 = 0x07;
    const LOG_APPEND_TIME: i16 = 0x08;
    const TRANSACTIONAL: i16 = 0x10;
    const CONTROL: i16 = 0x20;
    const DELETE_HORIZON: i16 = 0x40;
    /// Bits that messages of magic 0 can have.
    pub(crate) const DEFINED_IN_MAGIC_0: i16 = Self::CODEC_MASK;
    /// Bits that messages of magic 1 can have.
    pub(crate) const DEFINED_IN_MAGIC_1: i16 = Self::CODEC_MASK | Self::LOG_APPEND_TIME;

    /// Reads the attributes from their int16 on the wire.
    pub fn from_bits(bits: i16) -> Self {
        Self(bits)
    }

    /// The int16 on the wire.
    pub fn bits(self) -> i16 {
        self.0
    }

    /// The codec of the records; `None` means an unknown codec id, not the absence of compression.
    pub fn compression(self) -> Option<Codec> {
        Codec::from_id(self.codec_id())
    }

    /// Whether the producer or the broker set the timestamps.
    pub fn timestamp_type(self) -> TimestampType {
        if self.0 & Self::LOG_APPEND_TIME == 0 {
            TimestampType::CreateTime
        } else {
            TimestampType::LogAppendTime
        }
    }

    /// True if the batch belongs to a transaction.
    pub fn is_transactional(self) -> bool {
        self.0 & Self::TRANSACTIONAL != 0
    }

    /// True if the batch holds control records of the broker, which are not returned to applications.
    pub fn is_control(self) -> bool {
        self.0 & Self::CONTROL != 0
    }

    /// True if `base_timestamp` is the delete horizon: the time from which compaction may drop tombstones (KIP-534).
    /// Timestamps of records are relative to it all the same.
    pub fn has_delete_horizon(self) -> bool {
        self.0 & Self::DELETE_HORIZON != 0
    }

    pub(crate) fn with_delete_horizon(self) -> Self {
        Self(self.0 | Self::DELETE_HORIZON)
    }

    pub(crate) fn codec_id(self) -> u8 {
        (self.0 & Self::CODEC_MASK) as u8
    }

    pub(crate) fn with_codec(self, codec: Codec) -> Self {
        Self(self.0 & !Self::CODEC_MASK | i16::from(codec.id()))
    }

    pub(crate) fn with_log_append_time(self) -> Self {
        Self(self.0 | Self::LOG_APPEND_TIME)
    }

    pub(crate) fn with_control(self) -> Self {
        Self(self.0 | Self::CONTROL)
    }

    pub(crate) fn with_transactional(self, transactional: bool) -> Self {
        Self(if transactional {
            self.0 | Self::TRANSACTIONAL
        } else {
            self.0 & !Self::TRANSACTIONAL
        })
    }
}

/// Which side has set the timestamps of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TimestampType {
    /// The time at which the producer created the record.
    CreateTime,
    /// The time at which the broker appended the batch.
    LogAppendTime,
}
