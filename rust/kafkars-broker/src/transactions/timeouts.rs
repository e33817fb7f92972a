//! Transactions that their producers do not end in time are aborted, and prepared ones completed when their partitions can be
//! written to again.

use std::sync::Arc;
use std::time::Duration;

use super::{Transactions, complete_prepared, ending};
use crate::cluster::Cluster;

/// How often a prepared transaction looks for the leaders that it misses.
const RETRY: Duration = Duration::from_millis(20);

/// Runs as long as the cluster.
pub(crate) async fn run(cluster: Arc<Cluster>) {
    let changed = Arc::clone(&cluster.state().transactions.changed);
    loop {
        let (deadline, prepared) = {
            let transactions = &cluster.state().transactions;
            let first = transactions.deadlines.first();
            (
                first.map(|(deadline, _)| *deadline),
                !transactions.prepared.is_empty(),
            )
        };
        tokio::select! {
            () = changed.notified() => {}
            () = cluster.clock.until(deadline.unwrap_or(i64::MAX)), if deadline.is_some() => {}
            () = tokio::time::sleep(RETRY), if prepared => {}
        }
        let now = cluster.now();
        let mut state = cluster.state();
        complete_prepared(&mut state, now);
        for id in state.transactions.take_expired(now) {
            ending::fence(&mut state, &id, now);
        }
    }
}

impl Transactions {
    /// A transaction has begun, to be aborted at `deadline`.
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
