//! The aborted transactions of a partition: what readers of committed records have to leave out (KIP-98).

use std::collections::VecDeque;

/// One aborted transaction that had records in the partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AbortedTxn {
    pub(crate) producer_id: i64,
    /// Offset of its first record.
    pub(crate) first_offset: i64,
    /// Offset of the marker that aborted it.
    pub(crate) last_offset: i64,
    /// Last stable offset when the marker was written: what is aborted later begins there or after.
    pub(crate) last_stable_offset: i64,
}

/// The aborted transactions of one partition, in the order of their markers. Their number is bounded by the log: each
/// has a marker in it.
#[derive(Debug, Default)]
pub(crate) struct Aborted(VecDeque<AbortedTxn>);

impl Aborted {
    pub(crate) fn add(&mut self, transaction: AbortedTxn) {
        self.0.push_back(transaction);
    }

    /// The transactions that have records from `from` on and before `before`.
    pub(crate) fn between(&self, from: i64, before: i64) -> impl Iterator<Item = &AbortedTxn> {
        let first = self.0.partition_point(|entry| entry.last_offset < from);
        let mut done = false;
        self.0
            .range(first..)
            .take_while(move |entry| {
                let more = !done;
                done = entry.last_stable_offset >= before;
                more
            })
            .filter(move |entry| entry.first_offset < before)
    }

    /// Drops the transactions for which `gone` is true.
    pub(crate) fn forget(&mut self, gone: impl Fn(&AbortedTxn) -> bool) {
        self.0.retain(|transaction| !gone(transaction));
    }

    /// Drops the transactions that end before `start`, where the log begins now.
    pub(crate) fn forget_before(&mut self, start: i64) {
        while self
            .0
            .front()
            .is_some_and(|entry| entry.last_offset < start)
        {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(entries: &[(i64, i64, i64)]) -> Aborted {
        let mut aborted = Aborted::default();
        for (first_offset, last_offset, last_stable_offset) in entries {
            aborted.add(AbortedTxn {
                producer_id: *first_offset,
                first_offset: *first_offset,
                last_offset: *last_offset,
                last_stable_offset: *last_stable_offset,
            });
        }
        aborted
    }

    fn found(aborted: &Aborted, from: i64, before: i64) -> Vec<i64> {
        aborted
            .between(from, before)
            .map(|entry| entry.first_offset)
            .collect()
    }

    #[test]
    fn what_overlaps_a_range_is_found() {
        // The transaction at 10 was open the longest, so it held back the last stable offset of the others.
        let aborted = with(&[(0, 5, 6), (20, 30, 10), (10, 40, 41), (50, 60, 61)]);
        assert_eq!(found(&aborted, 0, 100), [0, 20, 10, 50]);
        assert_eq!(found(&aborted, 6, 15), [10]);
        assert_eq!(found(&aborted, 31, 45), [10]);
        assert_eq!(found(&aborted, 41, 50), [0i64; 0]);
        assert_eq!(found(&aborted, 60, 61), [50]);
    }

    #[test]
    fn what_lies_before_the_log_is_forgotten() {
        let mut aborted = with(&[(0, 5, 6), (20, 30, 31)]);
        aborted.forget_before(6);
        assert_eq!(found(&aborted, 0, 100), [20]);
    }
}
