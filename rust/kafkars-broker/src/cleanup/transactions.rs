//! A walk through a log tells which batches belong to aborted transactions, and which markers are left without a
//! transaction.

use std::collections::{HashMap, HashSet, VecDeque};

use kafkars_records::{Batch, BatchHeader, ControlType};

use crate::aborted_transactions::AbortedTxn;

/// A walk through a log, which is told of every batch in order.
#[derive(Debug)]
pub(super) struct TransactionWalk {
    /// The aborted transactions that the walk has not come to, by first offset.
    ahead: VecDeque<AbortedTxn>,
    /// By producer, the aborted transaction that the walk is in, and whether it had a batch.
    aborted: HashMap<i64, (AbortedTxn, bool)>,
    /// Producers with batches of a transaction whose marker has not come.
    other: HashSet<i64>,
    /// The aborted transactions that had batches, by the offset of their markers: readers have to know of them still.
    pub(super) had_batches: HashSet<i64>,
}

impl TransactionWalk {
    pub(super) fn new<'a>(aborted: impl Iterator<Item = &'a AbortedTxn>) -> Self {
        let mut ahead: Vec<AbortedTxn> = aborted.copied().collect();
        ahead.sort_by_key(|transaction| transaction.first_offset);
        Self {
            ahead: ahead.into(),
            aborted: HashMap::new(),
            other: HashSet::new(),
            had_batches: HashSet::new(),
        }
    }

    /// True if a batch of records is part of an aborted transaction.
    pub(super) fn is_aborted(&mut self, header: &BatchHeader) -> bool {
        self.go_to(header);
        if !header.attributes.is_transactional() {
            return false;
        }
        if let Some((_, had_batches)) = self.aborted.get_mut(&header.producer_id) {
            *had_batches = true;
            return true;
        }
        self.other.insert(header.producer_id);
        false
    }

    /// True if nothing was left of the transaction that a marker ends.
    pub(super) fn marks_nothing(&mut self, header: &BatchHeader, batch: &Batch) -> bool {
        self.go_to(header);
        let Some(record) = batch.records().next() else {
            return true;
        };
        match ControlType::from_key(record.key.map(|key| batch.slice(key))) {
            Some(ControlType::Abort) => match self.aborted.remove(&header.producer_id) {
                Some((transaction, true)) => {
                    self.had_batches.insert(transaction.last_offset);
                    false
                }
                _ => true,
            },
            Some(ControlType::Commit) => !self.other.remove(&header.producer_id),
            _ => false,
        }
    }

    fn go_to(&mut self, header: &BatchHeader) {
        let reached = header.last_offset();
        while let Some(next) = self.ahead.front() {
            if next.first_offset > reached {
                return;
            }
            self.aborted.insert(next.producer_id, (*next, false));
            self.ahead.pop_front();
        }
    }
}
