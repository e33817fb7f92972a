//! Errors of batches. The client adds topic, partition and offset to them.

use crate::compression::Codec;

/// A batch that cannot be read or written. `base_offset` is the one that its header states.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordsError {
    /// Fewer bytes than a batch header needs, or than the header announces.
    #[error("batch is cut short: {needed} bytes needed, {available} there")]
    Truncated {
        /// Bytes that the batch needs.
        needed: usize,
        /// Bytes that there are.
        available: usize,
    },
    /// The batch length is too small for the header that it includes.
    #[error("batch at offset {base_offset} states an impossible length of {length} bytes")]
    BadLength {
        /// Base offset of the batch.
        base_offset: i64,
        /// The batch length.
        length: i32,
    },
    /// A magic byte that Kafka never used (known: 0, 1, 2).
    #[error("batch at offset {base_offset} has unknown magic {magic}")]
    BadMagic {
        /// Base offset of the batch.
        base_offset: i64,
        /// The magic byte.
        magic: i8,
    },
    /// The offsets in the header cannot be those of a batch in a log.
    #[error(
        "batch states the impossible offsets {base_offset} to {base_offset} + {last_offset_delta}: {what}"
    )]
    BadOffsets {
        /// Base offset of the batch.
        base_offset: i64,
        /// The last offset minus the base offset.
        last_offset_delta: i32,
        /// The rule that the offsets break.
        what: &'static str,
    },
    /// The bytes were damaged between the producer and here.
    #[error(
        "batch at offset {base_offset} is corrupt: header states CRC {expected:#010x}, its bytes give {found:#010x}"
    )]
    BadCrc {
        /// Base offset of the batch.
        base_offset: i64,
        /// The CRC that the header states.
        expected: u32,
        /// The CRC of the bytes.
        found: u32,
    },
    /// A codec id that Kafka has not defined (known: 0 to 4).
    #[error("batch at offset {base_offset} uses unknown compression codec {id}")]
    UnknownCodec {
        /// Base offset of the batch.
        base_offset: i64,
        /// The codec id of the attributes.
        id: u8,
    },
    /// The records cannot be decompressed.
    #[error("batch at offset {base_offset} cannot be decompressed with {codec}: {cause}")]
    Decompress {
        /// Base offset of the batch.
        base_offset: i64,
        /// The codec that the attributes state.
        codec: Codec,
        /// The codec's own message.
        cause: String,
    },
    /// Decompression was stopped at `ReadLimits::max_decompressed`.
    #[error("batch at offset {base_offset} decompresses with {codec} to more than {limit} bytes")]
    DecompressedTooLarge {
        /// Base offset of the batch.
        base_offset: i64,
        /// The codec that the attributes state.
        codec: Codec,
        /// The limit in bytes.
        limit: usize,
    },
    /// The record count of the header is not the number of records.
    #[error("batch at offset {base_offset} states {stated} records, {found} are in it")]
    BadCount {
        /// Base offset of the batch.
        base_offset: i64,
        /// Record count in the header.
        stated: i32,
        /// Whole records found; counting stops one past `stated`.
        found: u32,
    },
    /// A record's lengths or offset are invalid.
    #[error("record {index} of the batch at offset {base_offset}: {what}")]
    BadRecord {
        /// Base offset of the batch.
        base_offset: i64,
        /// Index of the record in its batch.
        index: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// The codec failed to compress.
    #[error("cannot compress the batch with {codec}: {cause}")]
    Compress {
        /// The codec.
        codec: Codec,
        /// The codec's own message.
        cause: String,
    },
    /// A batch to be written has more bytes or records than an int32 can count.
    #[error("a batch of {bytes} bytes and {records} records is larger than the format allows")]
    TooLarge {
        /// Bytes of the batch.
        bytes: usize,
        /// Records of the batch.
        records: u32,
    },
}
