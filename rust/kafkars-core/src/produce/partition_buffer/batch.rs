//! Batches, and the records that fill them.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_records::{BatchBuilder, Header, SealedBatch};

use crate::produce::delivery::BatchDelivery;
use crate::produce::sequence::Sequence;

/// A batch that is being filled, waits, or is being sent.
#[derive(Debug)]
pub struct OutgoingBatch {
    /// The batch's place in the partition's order; never changes, whatever is retried.
    pub ordinal: u64,
    /// The records.
    pub content: BatchContent,
    /// Where the outcome is reported.
    pub delivery: Arc<BatchDelivery>,
    /// When the first record came.
    pub created: Instant,
    /// How many bytes of `buffer_memory` the batch holds.
    pub reserved: usize,
    /// Records inside.
    pub count: u32,
    /// Bytes of the records before compression; 0 until the batch is sealed.
    pub uncompressed: usize,
    /// Number of times it was sent and not stored.
    pub attempts: u32,
    /// The cause of the last failed try, for the final error.
    pub last_cause: Option<Arc<str>>,
    /// The error code of the last try of it, or of a batch before it, for the final error; none if it could not leave.
    pub last_code: Option<ErrorCode>,
    /// The sequence number, once the batch has one.
    pub sequence: Option<Sequence>,
    /// Whether the application has filled it: it gets one outcome for all of its records, so they stay together.
    pub is_filled: bool,
    /// When a refused login of the broker that it waits for reached it first.
    pub(in crate::produce) refused: Option<Instant>,
}

/// A batch that the application has filled itself.
#[derive(Debug)]
pub struct FilledBatch {
    /// The records.
    pub builder: BatchBuilder,
    /// Bytes of the first record's key, or -1.
    pub key_size: i32,
    /// Bytes of the first record's value, or -1.
    pub value_size: i32,
    /// The first record's timestamp in ms.
    pub timestamp: i64,
}

/// Records before and after compression.
#[derive(Debug)]
pub enum BatchContent {
    /// Still uncompressed.
    Open(BatchBuilder),
    /// Ready for a request.
    Sealed(SealedBatch),
}

impl BatchContent {
    /// Returns the number of bytes, uncompressed while open and as compressed once sealed.
    pub fn len(&self) -> usize {
        match self {
            Self::Open(builder) => builder.len(),
            Self::Sealed(sealed) => sealed.bytes.len(),
        }
    }

    /// Returns true if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A record as the caller gave it.
#[derive(Debug, Clone, Copy)]
pub struct RecordParts<'a> {
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// `None` for a record without key.
    pub key: Option<&'a [u8]>,
    /// `None` for a tombstone.
    pub value: Option<&'a [u8]>,
    /// In order; names may repeat.
    pub headers: &'a [Header<'a>],
}
