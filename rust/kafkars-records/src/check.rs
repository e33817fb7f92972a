//! Every record of a batch is checked once, so that later walks cannot fail.

use crate::{RecordsError, batch_header::BatchHeader, record};

/// How far reading goes before it gives up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Bytes that one batch may decompress to. Default 256 MiB: several times the largest batch that brokers take with
    /// any usual `message.max.bytes`, and yet one that a process survives. At most 2 GiB - 1, whatever is set here.
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

/// Records between two marks of a batch: few enough to walk in no time, many enough for marks to take no room.
pub(crate) const MARK_EVERY: usize = 64;

/// Walks all records once and returns where every 64th stands. A lying count costs nothing: the walk ends with the
/// bytes, and nothing is reserved for it. Offsets must rise within the range of the batch: a reader hands out whatever
/// stands behind its position, and goes on behind the range.
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
