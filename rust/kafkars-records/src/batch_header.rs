//! The header of a batch, and the offsets of its fields.

use crate::{RecordsError, attributes::Attributes, compression::Codec};

/// Length of the header of a v2 batch in bytes.
pub(crate) const HEADER_SIZE: usize = 61;
/// Base offset and batch length: the bytes before those that the length counts. The same in every format.
pub(crate) const LOG_OVERHEAD: usize = 12;
pub(crate) const MAGIC_AT: usize = 16;
pub(crate) const CRC_AT: usize = 17;
pub(crate) const ATTRIBUTES_AT: usize = 21;

/// The header of a v2 batch. Its fields have Kafka's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    /// Offset of the first record, also when compaction has removed that record.
    pub base_offset: i64,
    /// Bytes after this field.
    pub batch_length: i32,
    /// Epoch of the leader that appended the batch, or -1 if unknown. The CRC does not cover it, because brokers set
    /// it.
    pub partition_leader_epoch: i32,
    /// Format version: 2, or 0 and 1 for a message set.
    pub magic: i8,
    /// CRC-32C of everything after this field (magic 2), CRC-32 of the message (magic 0 and 1).
    pub crc: u32,
    /// Codec, timestamp type, transactional and control bits.
    pub attributes: Attributes,
    /// Offset of the last record minus the base offset; compaction keeps it.
    pub last_offset_delta: i32,
    /// Timestamp of the first record in ms since 1970; those of the records are relative to it.
    pub base_timestamp: i64,
    /// Largest timestamp of the batch; with log-append time, the timestamp of all its records.
    pub max_timestamp: i64,
    /// Id of an idempotent or transactional producer, or -1.
    pub producer_id: i64,
    /// Epoch of that producer, or -1.
    pub producer_epoch: i16,
    /// Sequence number of the first record, or -1.
    pub base_sequence: i32,
    /// How many records are in the batch.
    pub record_count: i32,
}

impl BatchHeader {
    /// Offset of the last record; saturates for a malicious header.
    pub fn last_offset(&self) -> i64 {
        self.base_offset
            .saturating_add(i64::from(self.last_offset_delta))
    }

    /// Offset after the last record: where to fetch next, whatever compaction left of the batch.
    pub fn next_offset(&self) -> i64 {
        self.last_offset().saturating_add(1)
    }

    /// As [`BatchHeader::next_offset`], or the error if no log can have these offsets.
    pub fn checked_next_offset(&self) -> Result<i64, RecordsError> {
        let bad = |what| RecordsError::BadOffsets {
            base_offset: self.base_offset,
            last_offset_delta: self.last_offset_delta,
            what,
        };
        if self.base_offset < 0 {
            return Err(bad("offsets are not negative"));
        }
        if self.last_offset_delta < 0 {
            return Err(bad("the last offset is not before the first"));
        }
        self.base_offset
            .checked_add(i64::from(self.last_offset_delta))
            .and_then(|last| last.checked_add(1))
            .ok_or_else(|| bad("no offset can follow it"))
    }

    /// The codec, or the error if its id is unknown.
    pub fn codec(&self) -> Result<Codec, RecordsError> {
        let id = self.attributes.codec_id();
        Codec::from_id(id).ok_or(RecordsError::UnknownCodec {
            base_offset: self.base_offset,
            id,
        })
    }

    /// Reads the header of a v2 batch.
    pub(crate) fn parse(bytes: &[u8; HEADER_SIZE]) -> Self {
        Self {
            base_offset: i64::from_be_bytes(field(bytes, 0)),
            batch_length: i32::from_be_bytes(field(bytes, 8)),
            partition_leader_epoch: i32::from_be_bytes(field(bytes, LOG_OVERHEAD)),
            magic: i8::from_be_bytes(field(bytes, MAGIC_AT)),
            crc: u32::from_be_bytes(field(bytes, CRC_AT)),
            attributes: Attributes::from_bits(i16::from_be_bytes(field(bytes, ATTRIBUTES_AT))),
            last_offset_delta: i32::from_be_bytes(field(bytes, 23)),
            base_timestamp: i64::from_be_bytes(field(bytes, 27)),
            max_timestamp: i64::from_be_bytes(field(bytes, 35)),
            producer_id: i64::from_be_bytes(field(bytes, 43)),
            producer_epoch: i16::from_be_bytes(field(bytes, 51)),
            base_sequence: i32::from_be_bytes(field(bytes, 53)),
            record_count: i32::from_be_bytes(field(bytes, 57)),
        }
    }

    /// Writes the header of a v2 batch.
    pub(crate) fn write(&self, bytes: &mut [u8; HEADER_SIZE]) {
        put(bytes, 0, self.base_offset.to_be_bytes());
        put(bytes, 8, self.batch_length.to_be_bytes());
        put(
            bytes,
            LOG_OVERHEAD,
            self.partition_leader_epoch.to_be_bytes(),
        );
        put(bytes, MAGIC_AT, self.magic.to_be_bytes());
        put(bytes, CRC_AT, self.crc.to_be_bytes());
        put(bytes, ATTRIBUTES_AT, self.attributes.bits().to_be_bytes());
        put(bytes, 23, self.last_offset_delta.to_be_bytes());
        put(bytes, 27, self.base_timestamp.to_be_bytes());
        put(bytes, 35, self.max_timestamp.to_be_bytes());
        put(bytes, 43, self.producer_id.to_be_bytes());
        put(bytes, 51, self.producer_epoch.to_be_bytes());
        put(bytes, 53, self.base_sequence.to_be_bytes());
        put(bytes, 57, self.record_count.to_be_bytes());
    }
}

/// The `N` bytes at `at` of a header; both are constants, so the compiler removes the bounds checks.
#[inline(always)]
fn field<const N: usize>(bytes: &[u8; HEADER_SIZE], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    out
}

#[inline(always)]
fn put<const N: usize>(bytes: &mut [u8; HEADER_SIZE], at: usize, value: [u8; N]) {
    bytes[at..at + N].copy_from_slice(&value);
}
