//! Whether anybody is there to hear the last words of a client.

use std::time::{Duration, Instant};

use super::handle::Client;
use crate::error::ClientError;
use crate::{after, now};

/// So long without an answer, and a goodbye is not waited for: to leave a group, to abort a transaction. The cluster
/// finds out by itself, after the session or the transaction has timed out.
pub(crate) const GOODBYE: Duration = Duration::from_secs(1);

/// So long without an answer, and commits are not waited for: their records are read again.
pub(crate) const COMMIT: Duration = Duration::from_secs(5);

/// How often is looked.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_millis(50);

impl Client {
    /// Whether no broker has answered for `limit`, as far as that says anything about who is asked since `began`.
    ///
    /// Silence before that counts only if the latest round over all addresses has found nobody: a client with nothing
    /// to do asks nobody, and hears nothing. Otherwise it counts from then on, when at least metadata were asked for.
    pub(crate) fn is_unheard(&self, began: Instant, limit: Duration) -> bool {
        let answered_at = self.core.network.counters.answered_at();
        if self.core.desk.last_failure().is_some() {
            return answered_at.is_none_or(|at| after(at, limit) <= now());
        }
        let since = answered_at.map_or(began, |at| at.max(began));
        after(since, limit) <= now()
    }

    /// Why nobody tells of the cluster at the moment, if that is so.
    pub(crate) fn outage(&self) -> Option<ClientError> {
        self.core.desk.last_failure()
    }

    /// Ends when no broker has answered for `limit`.
    pub(crate) async fn unheard(&self, limit: Duration) {
        let began = now();
        self.refresh_metadata();
        while !self.is_unheard(began, limit) {
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
    }
}
