//! Splits the bytes of a `records` field into batches.

use bytes::Bytes;

use crate::{
    RecordsError,
    batch::RawBatch,
    batch_header::{BatchHeader, HEADER_SIZE, LOG_OVERHEAD, MAGIC_AT},
    legacy,
};

/// Iterates over the batches of a `records` field. A batch that is cut off at the end (brokers limit a response by
/// bytes, not by batches) ends the iteration silently; any other error is returned once and ends it too.
pub fn batches(records: Bytes) -> Batches {
    Batches { rest: records }
}

/// The iterator of [`batches`].
#[derive(Debug, Clone)]
pub struct Batches {
    rest: Bytes,
}

impl Batches {
    /// The bytes not read yet. After the end of the iteration they are the start of a batch that was cut off.
    pub fn rest(&self) -> &Bytes {
        &self.rest
    }
}

impl Iterator for Batches {
    type Item = Result<RawBatch, RecordsError>;

    fn next(&mut self) -> Option<Self::Item> {
        match split(&mut self.rest) {
            Ok(batch) => Some(Ok(batch?)),
            Err(error) => {
                self.rest = Bytes::new();
                Some(Err(error))
            }
        }
    }
}

/// Takes the first batch off `rest`; `None` if less than a whole one is left.
fn split(rest: &mut Bytes) -> Result<Option<RawBatch>, RecordsError> {
    // The magic byte is at the same offset in every format, and decides how the rest of the header is read.
    let (Some(base_offset), Some(length), Some(&magic)) = (
        rest.first_chunk().copied(),
        rest.get(8..).and_then(<[u8]>::first_chunk).copied(),
        rest.get(MAGIC_AT),
    ) else {
        return Ok(None);
    };
    let (base_offset, length, magic) = (
        i64::from_be_bytes(base_offset),
        i32::from_be_bytes(length),
        magic.cast_signed(),
    );
    let least = match magic {
        2 => HEADER_SIZE,
        0 | 1 => legacy::least_size(magic),
        _ => return Err(RecordsError::BadMagic { base_offset, magic }),
    };
    let total = usize::try_from(length)
        .unwrap_or(0)
        .saturating_add(LOG_OVERHEAD);
    if total < least {
        return Err(RecordsError::BadLength {
            base_offset,
            length,
        });
    }
    if total > rest.len() {
        return Ok(None);
    }
    let bytes = rest.split_to(total);
    let header = match magic {
        2 => bytes.first_chunk().map(BatchHeader::parse),
        _ => legacy::header(&bytes),
    };
    // Only a message has lengths after its fixed fields.
    let what = "its lengths do not fit its bytes";
    let header = header.ok_or(RecordsError::BadRecord {
        base_offset,
        index: 0,
        what,
    })?;
    Ok(Some(RawBatch::new(header, bytes)))
}
