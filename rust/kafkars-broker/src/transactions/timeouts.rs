//! Transactions that their producers do not end in time, and those whose markers could not be written yet.

use std::sync::Arc;

use tokio::sync::Notify;

use super::{TransactionCoordinator, TransactionalIds};

impl TransactionCoordinator<'_> {
    /// Aborts the transactions whose time is over, and writes the markers that found no leader before.
    pub(crate) fn end_overdue(&mut self, now: i64) {
        self.complete_prepared(now);
        for id in self.transactions.take_expired(now) {
            self.fence(&id, now);
        }
    }
}

impl TransactionalIds {
    /// Gives what is notified when there is an earlier deadline, or something prepared.
    pub(crate) fn changes(&self) -> Arc<Notify> {
        Arc::clone(&self.changed)
    }

    /// The time when the next transaction is aborted, and whether one waits for its markers.
    pub(crate) fn next_end(&self) -> (Option<i64>, bool) {
        let first = self.deadlines.first();
        let deadline = first.map(|(deadline, _)| *deadline);
        (deadline, !self.prepared.is_empty())
    }

    /// Watches a transaction that has begun, to be aborted at `deadline`.
    pub(super) fn watch(&mut self, id: &str, deadline: i64) {
        self.deadlines.insert((deadline, id.to_owned()));
        if self.deadlines.first().is_some_and(|(_, first)| first == id) {
            self.changed.notify_one();
        }
    }

    fn take_expired(&mut self, now: i64) -> Vec<String> {
        let mut expired = Vec::new();
        while self
            .deadlines
            .first()
            .is_some_and(|(deadline, _)| *deadline <= now)
        {
            expired.extend(self.deadlines.pop_first().map(|(_, id)| id));
        }
        expired
    }
}
