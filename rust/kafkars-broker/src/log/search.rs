//! Records found by their timestamps.

use kafkars_records::{ReadLimits, RecordView, batches};

use super::Log;

/// A record of the log, as `ListOffsets` tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FoundRecord {
    pub(crate) timestamp: i64,
    pub(crate) offset: i64,
    pub(crate) leader_epoch: i32,
}

impl Log {
    /// The first record whose timestamp is `time` or later.
    pub(crate) fn first_record_since(&mut self, time: i64) -> Option<FoundRecord> {
        let start = self.start_offset();
        let mut from = start;
        // A batch whose latest records were deleted or compacted may hold none any more, so the search goes on in the
        // next.
        loop {
            let mut later = self.entries_from(from);
            let entry = *later.find(|entry| entry.max_timestamp >= time)?;
            drop(later);
            let batch = batches(self.read_entry(&entry)).next().and_then(Result::ok);
            let batch = batch.and_then(|raw| raw.open(&ReadLimits::default()).ok());
            let matches = |record: &RecordView| record.timestamp >= time && record.offset >= start;
            if let Some(record) = batch.and_then(|batch| batch.records().find(matches)) {
                return Some(FoundRecord {
                    timestamp: record.timestamp,
                    offset: record.offset,
                    leader_epoch: entry.leader_epoch,
                });
            }
            from = entry.last_offset + 1;
        }
    }
}
