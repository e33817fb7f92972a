//! Two tasks run beside the requests as long as the cluster: one ends transactions, one cleans logs.

use std::sync::Arc;
use std::time::Duration;

use crate::cleanup::{compact, retain};
use crate::cluster::RunningCluster;

/// The interval at which a prepared transaction looks for the leaders that it misses.
const RETRY: Duration = Duration::from_millis(20);

/// Aborts transactions that their producers do not end in time, and completes prepared ones when their partitions can
/// be written to again.
pub(crate) async fn end_transactions(cluster: Arc<RunningCluster>) {
    let changed = cluster.state().transactions.changes();
    loop {
        let (deadline, prepared) = cluster.state().transactions.next_end();
        tokio::select! {
            () = changed.notified() => {}
            () = cluster.clock.until(deadline.unwrap_or(i64::MAX)), if deadline.is_some() => {}
            () = tokio::time::sleep(RETRY), if prepared => {}
        }
        let now = cluster.now();
        cluster.state().transaction_coordinator().end_overdue(now);
    }
}

/// Deletes and compacts what topics no longer keep, at an interval of the cluster's clock.
pub(crate) async fn clean(cluster: Arc<RunningCluster>, interval: Duration) {
    let interval = i64::try_from(interval.as_millis()).unwrap_or(i64::MAX);
    loop {
        let due = cluster.now().saturating_add(interval.max(1));
        cluster.clock.until(due).await;
        let now = cluster.now();
        for topic in cluster.state().topics_mut() {
            retain(topic, now);
            if let Err(error) = compact(topic, now) {
                tracing::warn!(topic = topic.name, %error, "cannot compact");
            }
        }
    }
}
