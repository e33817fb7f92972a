//! Writes message sets, for brokers and tools that know no newer format.

use bytes::Bytes;

use crate::{
    RecordsError,
    compression::{self, Codec, Compression},
};

use super::layout::{CRC_END, OVERHEAD, least_size, message_crc};

/// The message format to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LegacyFormat {
    /// Magic 0: no timestamps.
    Magic0,
    /// Magic 1: timestamps, and relative offsets in compressed sets (Kafka 0.10).
    Magic1,
}

impl LegacyFormat {
    fn magic(self) -> u8 {
        match self {
            Self::Magic0 => 0,
            Self::Magic1 => 1,
        }
    }
}

/// An open message set. Its offsets count from 0; the broker sets the final ones. Messages have no headers.
#[derive(Debug, Clone)]
pub struct LegacySetBuilder {
    format: LegacyFormat,
    buffer: Vec<u8>,
    count: u32,
    max_timestamp: i64,
}

impl LegacySetBuilder {
    /// Makes an empty set with room for about `capacity_hint` bytes.
    pub fn new(format: LegacyFormat, capacity_hint: usize) -> Self {
        Self {
            format,
            buffer: Vec::with_capacity(capacity_hint),
            count: 0,
            max_timestamp: -1,
        }
    }

    /// Appends a message and returns its index in the set. Magic 0 drops the timestamp.
    pub fn append(&mut self, timestamp: i64, key: Option<&[u8]>, value: Option<&[u8]>) -> u32 {
        let index = self.count;
        self.count += 1;
        self.max_timestamp = self.max_timestamp.max(timestamp);
        push_message(
            &mut self.buffer,
            self.format,
            i64::from(index),
            Codec::None,
            timestamp,
            key,
            value,
        );
        index
    }

    /// Bytes of the set so far, before compression.
    pub fn len(&self) -> usize {
        self.buffer.len()
    }

    /// Messages in the set.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// True if the set has no message yet.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the finished set. If compressed it is one message that holds all others, with the offset of the last.
    pub fn seal(self, compression: Compression) -> Result<Bytes, RecordsError> {
        let Self {
            format,
            buffer,
            count,
            max_timestamp,
        } = self;
        let codec = compression.codec();
        let too_large = |bytes| RecordsError::TooLarge {
            bytes,
            records: count,
        };
        if buffer.len() > i32::MAX as usize {
            return Err(too_large(buffer.len()));
        }
        match codec {
            Codec::None => return Ok(buffer.into()),
            Codec::Zstd => {
                let cause = "message sets of magic 0 and 1 cannot hold it".to_owned();
                return Err(RecordsError::Compress { codec, cause });
            }
            Codec::Gzip | Codec::Snappy | Codec::Lz4 => {}
        }
        let mut value = compression::compress(compression, &buffer, 0).map_err(|cause| {
            RecordsError::Compress {
                codec,
                cause: cause.to_string(),
            }
        })?;
        if codec == Codec::Lz4 && format == LegacyFormat::Magic0 {
            compression::break_lz4_check(&mut value);
        }
        let mut set = Vec::with_capacity(value.len() + least_size(1));
        let last_offset = i64::from(count.saturating_sub(1));
        push_message(
            &mut set,
            format,
            last_offset,
            codec,
            max_timestamp,
            None,
            Some(&value),
        );
        if set.len() > i32::MAX as usize {
            Err(too_large(set.len()))
        } else {
            Ok(set.into())
        }
    }
}

fn push_message(
    buffer: &mut Vec<u8>,
    format: LegacyFormat,
    offset: i64,
    codec: Codec,
    timestamp: i64,
    key: Option<&[u8]>,
    value: Option<&[u8]>,
) {
    let start = buffer.len();
    buffer.extend_from_slice(&offset.to_be_bytes());
    // Size and CRC are written when the message is complete.
    buffer.extend_from_slice(&[0; CRC_END - 8]);
    buffer.extend_from_slice(&[format.magic(), codec.id()]);
    if format == LegacyFormat::Magic1 {
        buffer.extend_from_slice(&timestamp.to_be_bytes());
    }
    push_bytes(buffer, key);
    push_bytes(buffer, value);

    let message = &mut buffer[start..];
    // A message too large for its size field makes the whole set too large, which `seal` refuses.
    let size = (message.len() - OVERHEAD) as i32;
    let crc = message_crc(message);
    message[8..OVERHEAD].copy_from_slice(&size.to_be_bytes());
    message[OVERHEAD..CRC_END].copy_from_slice(&crc.to_be_bytes());
}

fn push_bytes(buffer: &mut Vec<u8>, bytes: Option<&[u8]>) {
    let length = bytes.map_or(-1, |bytes| bytes.len() as i32);
    buffer.extend_from_slice(&length.to_be_bytes());
    buffer.extend_from_slice(bytes.unwrap_or_default());
}
