//! A batch before and after it is opened: its header, its attributes, and the checked batch that records are read from.

use bytes::Bytes;

use crate::{
    RecordsError,
    attributes::Attributes,
    compression::Codec,
    crc, legacy,
    reader::{self, MARK_EVERY, ReadLimits},
    record::{self, HeaderWalk, RecordView, RecordWalk, Span},
};

/// Bytes before the records of a v2 batch.
pub(crate) const HEADER_SIZE: usize = 61;
/// Base offset and length: what stands before the bytes that the length counts. The same in every format.
pub(crate) const LOG_OVERHEAD: usize = 12;
pub(crate) const MAGIC_AT: usize = 16;
pub(crate) const CRC_AT: usize = 17;
pub(crate) const ATTRIBUTES_AT: usize = 21;

/// One batch as it came, not yet checked beyond its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawBatch {
    /// The header. Of a message set of magic 0 or 1 it holds what a single message states: a compressed one knows only the
    /// offset of its last record until it is opened.
    pub header: BatchHeader,
    bytes: Bytes,
}

impl RawBatch {
    pub(crate) fn new(header: BatchHeader, bytes: Bytes) -> Self {
        Self { header, bytes }
    }

    /// The whole batch, header included, as it stands on the wire and in the log.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Compares the CRC of the header with that of the bytes.
    pub fn verify_crc(&self) -> Result<(), RecordsError> {
        let found = match self.header.magic {
            2 => crc::crc32c(self.bytes.get(ATTRIBUTES_AT..).unwrap_or_default()),
            _ => legacy::message_crc(&self.bytes),
        };
        let BatchHeader {
            base_offset,
            crc: expected,
            ..
        } = self.header;
        if found == expected {
            Ok(())
        } else {
            Err(RecordsError::BadCrc {
                base_offset,
                expected,
                found,
            })
        }
    }

    /// Checks the CRC, decompresses within `limits` and walks every record once, so that later walks cannot fail.
    pub fn open(&self, limits: &ReadLimits) -> Result<Batch, RecordsError> {
        self.verify_crc()?;
        match self.header.magic {
            2 => reader::open(self, limits),
            _ => legacy::open(self, limits),
        }
    }

    pub(crate) fn into_parts(self) -> (BatchHeader, Bytes) {
        (self.header, self.bytes)
    }
}

/// A checked batch: one buffer, and records as positions in it. Cloning shares the buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The header. Of a message set of magic 0 or 1 it is rewritten to describe all records of the set.
    pub header: BatchHeader,
    data: Bytes,
    // Positions of every `MARK_EVERY`th record.
    marks: Box<[u32]>,
    // Whether `data` is a slice of the bytes that were read, and keeps them alive.
    shares_input: bool,
}

impl Batch {
    pub(crate) fn new(header: BatchHeader, data: Bytes, marks: Box<[u32]>) -> Self {
        Self {
            header,
            data,
            marks,
            shares_input: false,
        }
    }

    /// The same batch, whose data is a slice of the bytes that were read.
    pub(crate) fn sharing_input(self) -> Self {
        Self {
            shares_input: true,
            ..self
        }
    }

    /// Whether the batch keeps the bytes alive that it was read from: they were not compressed, and too many to be copied.
    pub fn shares_input(&self) -> bool {
        self.shares_input
    }

    /// All records in order.
    pub fn records(&self) -> RecordWalk<'_> {
        self.walk_from(0)
    }

    /// The records from `position` on: 0, or the `next` of a record of this batch.
    pub fn walk_from(&self, position: u32) -> RecordWalk<'_> {
        RecordWalk::new(self, position)
    }

    /// The record at `position`: 0, or the `next` of a record of this batch. Any other position gives some record-shaped
    /// answer whose spans [`Batch::slice`] can still take, but no meaning.
    #[inline]
    pub fn record_at(&self, position: u32) -> RecordView {
        record::view(&self.header, &self.data, position)
    }

    /// The record that has `index` records before it; `None` past the last. Walks over a few of them, not over all.
    pub fn nth(&self, index: u32) -> Option<RecordView> {
        let index = index as usize;
        let mark = self.marks.get(index / MARK_EVERY)?;
        self.walk_from(*mark).nth(index % MARK_EVERY)
    }

    /// The headers of a record of this batch.
    pub fn headers(&self, record: &RecordView) -> HeaderWalk<'_> {
        HeaderWalk::new(&self.data, record)
    }

    /// The bytes of a span of this batch; a span of another batch that does not fit gives none.
    #[inline]
    pub fn slice(&self, span: Span) -> &[u8] {
        self.data
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }

    /// Bytes of memory that the batch takes: its records and what describes them.
    pub fn memory(&self) -> usize {
        size_of::<Self>() + self.data.len() + size_of_val(&*self.marks)
    }

    /// [`Batch::memory`] without the bytes that belong to the input.
    pub fn own_memory(&self) -> usize {
        let shared = if self.shares_input {
            self.data.len()
        } else {
            0
        };
        self.memory() - shared
    }

    /// The uncompressed records that spans and positions point into.
    pub fn data(&self) -> &Bytes {
        &self.data
    }
}

/// The header of a v2 batch, with Kafka's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchHeader {
    /// Offset of the first record, also when compaction has removed that record.
    pub base_offset: i64,
    /// Bytes after this field.
    pub batch_length: i32,
    /// Epoch of the leader that appended the batch, -1 when unknown. Outside the CRC: brokers set it.
    pub partition_leader_epoch: i32,
    /// Format version: 2, or 0 and 1 for a message set.
    pub magic: i8,
    /// CRC-32C of everything after this field (magic 2), CRC-32 of the message (magic 0 and 1).
    pub crc: u32,
    /// Codec, kind of timestamp, transactional and control bits.
    pub attributes: Attributes,
    /// Offset of the last record less the base offset; compaction keeps it.
    pub last_offset_delta: i32,
    /// Timestamp of the first record, in milliseconds since 1970, which those of the records are relative to.
    pub base_timestamp: i64,
    /// Largest timestamp of the batch; with log-append time, the timestamp of all its records.
    pub max_timestamp: i64,
    /// Id of an idempotent or transactional producer, else -1.
    pub producer_id: i64,
    /// Epoch of that producer, else -1.
    pub producer_epoch: i16,
    /// Sequence of the first record, else -1.
    pub base_sequence: i32,
    /// Records in the batch.
    pub record_count: i32,
}

impl BatchHeader {
    /// Offset of the last record; a hostile header saturates.
    pub fn last_offset(&self) -> i64 {
        self.base_offset
            .saturating_add(i64::from(self.last_offset_delta))
    }

    /// Offset after the last record: where to fetch next, whatever compaction left of the batch.
    pub fn next_offset(&self) -> i64 {
        self.last_offset().saturating_add(1)
    }

    /// [`BatchHeader::next_offset`], or the error that says why the offsets cannot be those of any log.
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

    /// The codec, or the error that names an unknown one.
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

/// The `N` bytes at `at` of a fixed header; both are constants, so the compiler drops the checks.
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
