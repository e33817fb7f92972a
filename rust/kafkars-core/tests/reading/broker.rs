//! A leader that answers fetches of one log.

use bytes::Bytes;
use kafkars_core::config::IsolationLevel;
use kafkars_core::fetch::buffer::PartitionStatus;
use kafkars_core::fetch::open::AbortedTransaction;

use crate::chance::Chance;
use crate::log::{Entry, Log};

/// How a broker behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manners {
    /// As Kafka does: whole batches in order, from the one that holds the offset; the last may be cut.
    Kafka,
    /// It sends batches of before the offset, and some of them again.
    Repeats,
}

pub(crate) struct Answer {
    pub(crate) records: Bytes,
    pub(crate) aborted: Vec<AbortedTransaction>,
    pub(crate) status: PartitionStatus,
}

/// The answer to a fetch of at most about `most` bytes.
pub(crate) fn fetch(
    log: &Log,
    from: i64,
    isolation: IsolationLevel,
    most: usize,
    manners: Manners,
    chance: &mut Chance,
) -> Answer {
    let end = match isolation {
        IsolationLevel::ReadUncommitted => log.end,
        IsolationLevel::ReadCommitted => log.last_stable(),
    };
    let readable = log.entries.iter().filter(|entry| entry.base < end);
    let wanted: Vec<&Entry> = readable.filter(|entry| entry.last >= from).collect();
    let mut records = Vec::new();
    let mut upper = from;
    for entry in &wanted {
        if !records.is_empty() && records.len() + entry.bytes.len() > most {
            // Kafka fills an answer by bytes.
            let room = most.saturating_sub(records.len());
            records.extend_from_slice(&entry.bytes[..room.min(entry.bytes.len() - 1)]);
            break;
        }
        if manners == Manners::Repeats && chance.once_in(2) {
            let earlier: Vec<&Entry> = log
                .entries
                .iter()
                .filter(|earlier| earlier.last < entry.base.max(from))
                .collect();
            if !earlier.is_empty() {
                records.extend_from_slice(&chance.pick(&earlier).bytes);
            }
        }
        records.extend_from_slice(&entry.bytes);
        upper = entry.last + 1;
    }
    let mut aborted: Vec<AbortedTransaction> = log
        .transactions
        .iter()
        .filter(|one| {
            one.end
                .is_some_and(|end| !end.committed && end.marker >= from)
                && one.first < upper
        })
        .map(|one| AbortedTransaction {
            producer_id: one.producer,
            first_offset: one.first,
        })
        .collect();
    chance.shuffle(&mut aborted);
    if isolation == IsolationLevel::ReadUncommitted {
        aborted.clear();
    }
    Answer {
        records: records.into(),
        aborted,
        status: PartitionStatus {
            high_watermark: log.end,
            last_stable_offset: log.last_stable(),
            log_start_offset: log.start,
            redirects: false,
        },
    }
}
