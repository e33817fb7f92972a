//! How long a closing client waits for brokers that no longer answer.

use std::time::{Duration, Instant};

use super::handle::Client;
use crate::error::ClientError;
use crate::{after, now};

/// After so long without any answer a client that closes no longer waits to leave its group or to abort its
/// transaction. The cluster ends both by itself after the session or the transaction has timed out.
pub(crate) const GOODBYE: Duration = Duration::from_secs(1);

/// After so long without any answer a consumer that closes no longer waits for commits: their records are read again.
pub(crate) const COMMIT: Duration = Duration::from_secs(5);

/// How often to check for silence.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_millis(50);

impl Client {
    /// True if no broker has answered for `limit` to a client that closes since `began`.
    ///
    /// Silence before `began` counts only if the latest round over all bootstrap addresses reached nobody: an idle
    /// client sends nothing, and so hears nothing. Otherwise it counts from `began` on, when at least metadata was
    /// asked for.
    pub(crate) fn is_unheard(&self, began: Instant, limit: Duration) -> bool {
        let answered_at = self.core.network.counters.answered_at();
        if self.core.metadata_updater.last_failure().is_some() {
            return answered_at.is_none_or(|at| after(at, limit) <= now());
        }
        let since = answered_at.map_or(began, |at| at.max(began));
        after(since, limit) <= now()
    }

    /// Why metadata cannot be had at the moment, if that is so.
    pub(crate) fn outage(&self) -> Option<ClientError> {
        self.core.metadata_updater.last_failure()
    }

    /// Waits until no broker has answered for `limit`.
    pub(crate) async fn unheard(&self, limit: Duration) {
        let began = now();
        self.refresh_metadata();
        while !self.is_unheard(began, limit) {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }
}
