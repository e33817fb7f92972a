//! From the bytes of a `records` field to checked batches.

use bytes::Bytes;

use crate::{
    RecordsError,
    batch::{Batch, BatchHeader, HEADER_SIZE, LOG_OVERHEAD, MAGIC_AT, RawBatch},
    compression::{self, Codec},
    legacy, record,
};

/// Walks the batches of a `records` field. A batch cut short at the end (brokers fill a response by bytes, not by batches)
/// ends the walk silently; anything else that is wrong is yielded once and ends it too.
pub fn batches(records: Bytes) -> Batches {
    Batches { rest: records }
}

/// See [`batches`].
#[derive(Debug, Clone)]
pub struct Batches {
    rest: Bytes,
}

impl Batches {
    /// Bytes not walked yet. When the walk ends, what is left is the start of a batch that was cut short.
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

/// How far reading goes before it gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes that one batch may decompress to. Default 256 MiB: several times the largest batch that brokers take with any
    /// usual `message.max.bytes`, and yet one that a process survives. At most 2 GiB - 1, whatever is set here.
    pub max_decompressed: usize,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self {
            max_decompressed: 256 << 20,
        }
    }
}

impl ReadLimits {
    /// Positions in a batch are 32 bits wide, and Kafka itself counts with a sign.
    const MOST: usize = i32::MAX as usize;

    pub(crate) fn bytes(&self) -> usize {
        self.max_decompressed.min(Self::MOST)
    }
}

/// Takes the first batch off `rest`; `None` when less than a whole one is left.
fn split(rest: &mut Bytes) -> Result<Option<RawBatch>, RecordsError> {
    // The magic byte stands at the same place in every format and tells how the rest of the header reads.
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
    // Only a message has lengths behind its fixed fields.
    let what = "its lengths do not fit its bytes";
    let header = header.ok_or(RecordsError::BadRecord {
        base_offset,
        index: 0,
        what,
    })?;
    Ok(Some(RawBatch::new(header, bytes)))
}

/// Decompresses and checks every record of a batch whose CRC is right.
pub(crate) fn open(raw: &RawBatch, limits: &ReadLimits) -> Result<Batch, RecordsError> {
    let header = raw.header;
    header.checked_next_offset()?;
    let records = raw.bytes().slice(HEADER_SIZE..);
    let codec = header.codec()?;
    // A few bytes do not keep the answer alive in which they came.
    let shares_input = codec == Codec::None && records.len() > COPIED;
    let data = match codec {
        Codec::None if shares_input => records,
        Codec::None => Bytes::copy_from_slice(&records),
        // Compaction may leave a batch without records, and then there is nothing a codec could have written.
        _ if records.is_empty() => Bytes::new(),
        codec => compression::decompress(codec, &records, limits.bytes())
            .map(compression::trimmed)
            .map_err(|failure| failure.of_batch(header.base_offset, codec))?
            .into(),
    };
    let marks = check_records(&header, &data)?;
    let batch = Batch::new(header, data, marks);
    Ok(if shares_input {
        batch.sharing_input()
    } else {
        batch
    })
}

/// Uncompressed records of at most this many bytes are copied out of the answer.
const COPIED: usize = 1 << 10;

/// Records between two marks of a batch: few enough to walk in no time, many enough for marks to take no room.
pub(crate) const MARK_EVERY: usize = 64;

/// Walks all records once and returns where every 64th stands. A lying count costs nothing: the walk ends with the bytes,
/// and nothing is reserved for it. Offsets must rise within the range of the batch: a reader hands out whatever stands
/// behind its position, and goes on behind the range.
pub(crate) fn check_records(header: &BatchHeader, data: &[u8]) -> Result<Box<[u32]>, RecordsError> {
    let BatchHeader {
        base_offset,
        record_count: stated,
        last_offset_delta,
        ..
    } = *header;
    let (mut position, mut found, mut latest) = (0, 0, -1);
    let mut marks = Vec::new();
    while position < data.len() {
        if (found as usize).is_multiple_of(MARK_EVERY) {
            marks.push(position as u32);
        }
        let bad = |what| RecordsError::BadRecord {
            base_offset,
            index: found,
            what,
        };
        let (next, delta) = record::check(data, position).map_err(bad)?;
        if delta <= latest {
            return Err(bad("its offset is not behind that of the record before it"));
        }
        if delta > last_offset_delta {
            return Err(bad("its offset is behind the last one of its batch"));
        }
        (position, latest) = (next, delta);
        found += 1;
    }
    if i64::from(stated) == i64::from(found) {
        Ok(marks.into())
    } else {
        Err(RecordsError::BadCount {
            base_offset,
            stated,
            found,
        })
    }
}
