//! Checks every record of a batch once, so that later iterations cannot fail.

use crate::{RecordsError, batch_header::BatchHeader, record};

/// Limits of what opening a batch may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// The most bytes that one batch may decompress to. Default 256 MiB: several times the largest batch that brokers
    /// accept with any usual `message.max.bytes`, and yet one that a process survives. At most 2 GiB - 1, whatever is
    /// set here.
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
    /// The upper bound of the limit: positions in a batch are 32 bits wide, and Kafka's own are signed.
    const MOST: usize = i32::MAX as usize;

    pub(crate) fn bytes(&self) -> usize {
        self.max_decompressed.min(Self::MOST)
    }
}

/// Records between two marks of a batch: few enough to skip quickly, and many enough that marks take little memory.
pub(crate) const MARK_EVERY: usize = 64;

/// Iterates over all records once and returns the position of every 64th. A false record count costs nothing: the walk
/// ends with the bytes, and no memory is reserved for it. Offsets must rise within the range of the batch: a reader
/// returns whatever is behind its position, and goes on after the range.
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
