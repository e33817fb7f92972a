//! A position in a partition, with the leader epoch by which truncation is noticed.

use kafkars_records::{BatchHeader, RecordsError};

/// An offset and the leader epoch of the record before it, or -1 where unknown: together they tell whether the log
/// still holds what was read (KIP-320).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FetchPosition {
    /// The next offset to read.
    pub offset: i64,
    /// The leader epoch of the record before it, or -1.
    pub leader_epoch: i32,
}

/// The position after a batch.
pub(crate) fn position_after(header: &BatchHeader) -> Result<FetchPosition, RecordsError> {
    Ok(FetchPosition {
        offset: header.checked_next_offset()?,
        leader_epoch: header.partition_leader_epoch,
    })
}
