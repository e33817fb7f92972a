//! What a reader must see of a log.

use kafkars_core::config::IsolationLevel;

use crate::log::Log;

/// What a reader has seen: offsets and values in order, and its position at the end.
pub(crate) type Seen = (Vec<(i64, String)>, i64);

/// Everything from an offset on that the isolation level lets through.
pub(crate) fn readable(log: &Log, from: i64, isolation: IsolationLevel) -> Seen {
    let end = match isolation {
        IsolationLevel::ReadUncommitted => log.end,
        IsolationLevel::ReadCommitted => log.last_stable(),
    };
    let is_committed = |transaction: usize| {
        let end = log.transactions[transaction].end;
        end.is_some_and(|end| end.committed)
    };
    let visible = log.records.iter().filter(|record| {
        let shown = match isolation {
            IsolationLevel::ReadUncommitted => true,
            IsolationLevel::ReadCommitted => record.transaction.is_none_or(is_committed),
        };
        shown && record.offset >= from && record.offset < end
    });
    let records = visible.map(|record| (record.offset, record.value.clone()));
    (records.collect(), end.max(from))
}
