//! Failed handshakes as the cause of calls that wait.
//!
//! Calls retry, and a failed try often does not fail the call: a broker goes, another one leads. A login or a
//! certificate that is refused is different, so the call fails with it at once and not at its own deadline. All calls
//! use the one wait in this file.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::error_kind::SecurityProblem;
use tokio::sync::watch;

use super::handle::Client;
use crate::error::{AttemptError, ClientError};
use crate::metadata::updater::Round;
use crate::net::{ConnectionKind, RefusedHandshake};
use crate::now;

/// How often a call that waits for something else looks whether handshakes fail.
pub const REFUSAL_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The needs of a call that any broker can serve: no connection to a certain node.
pub(crate) fn any_broker(_: i32) -> Option<ConnectionKind> {
    None
}

fn is_of_credentials(failure: &ClientError) -> bool {
    let failure = failure.security();
    failure.is_some_and(|failure| failure.problem == SecurityProblem::Credentials)
}

/// Watches for failed handshakes that may concern a waiting call.
#[derive(Debug)]
pub(crate) struct RefusalWatch {
    told: watch::Receiver<u64>,
    round: watch::Receiver<Round>,
    is_changed: bool,
}

impl RefusalWatch {
    /// Waits for the next one. False if there will be no more. Cancel-safe.
    pub(crate) async fn changed(&mut self) -> bool {
        let is_open = tokio::select! {
            result = self.told.changed() => result.is_ok(),
            result = self.round.changed() => result.is_ok(),
        };
        self.is_changed = true;
        is_open
    }

    /// True if there was one since the last call of this.
    pub(crate) fn take(&mut self) -> bool {
        std::mem::take(&mut self.is_changed)
    }
}

impl Client {
    /// Watches for changes of what [`Client::refusal_since`] returns.
    pub(crate) fn refusals(&self) -> RefusalWatch {
        RefusalWatch {
            told: self.core.network.distrust.changed(),
            round: self.core.metadata_updater.round(),
            is_changed: false,
        }
    }

    /// Returns the failed handshake that keeps a call from its end: one that failed for good with a broker that the
    /// call needs and has no connection to, or a round over all addresses in which no handshake succeeded. Only
    /// handshakes that began after the call `began` count, because the password or certificate may have been corrected
    /// in between. Missing credentials are waited for once the cluster is known: no broker has refused any.
    pub(crate) fn refusal_since(
        &self,
        began: Instant,
        needs: impl Fn(i32) -> Option<ConnectionKind>,
    ) -> Option<ClientError> {
        let waits_for_credentials = self.cluster().version > 0;
        let unconnected = self.core.unconnected(needs)?;
        if let Some(failure) = self.core.metadata_updater.refusal_since(began)
            && !(waits_for_credentials && is_of_credentials(&failure))
        {
            return Some(failure);
        }
        let distrust = &self.core.network.distrust;
        let (address, cause) = distrust.since(began, |address, refusal| {
            unconnected.contains(address) && !(waits_for_credentials && refusal.is_of_credentials())
        })?;
        Some(ClientError::Attempt(AttemptError::Connect {
            address,
            cause,
        }))
    }

    /// When the refused login with this address began.
    pub(crate) fn refused_login_began(&self, address: &Arc<str>) -> Option<Instant> {
        self.core.network.distrust.began(address)
    }

    /// True if handshakes have failed for good twice in a row with a broker that is needed, or with any if none is.
    pub(crate) fn is_refused_again(&self, needs: impl Fn(i32) -> Option<ConnectionKind>) -> bool {
        let Some(unconnected) = self.core.unconnected(needs) else {
            return false;
        };
        let distrust = &self.core.network.distrust;
        let again = distrust.latest(self.core.memory(), |address, refusal| {
            refusal.is_repeated() && (unconnected.is_empty() || unconnected.contains(address))
        });
        again.is_some()
    }

    /// Returns the failed handshake that keeps reads, or a call whose time is over, from these brokers now. As
    /// [`Client::refusal_since`], but it takes refusals that somebody still meets, whenever they began; missing
    /// credentials count from the second time on.
    pub(crate) fn refusal_of_reads(
        &self,
        needs: impl Fn(i32) -> Option<ConnectionKind>,
    ) -> Option<ClientError> {
        let distrust = &self.core.network.distrust;
        if distrust.is_empty() {
            return None;
        }
        let unconnected = self.core.unconnected(needs)?;
        let counts =
            |refusal: &RefusedHandshake| refusal.is_repeated() || !refusal.is_of_credentials();
        let memory = self.core.memory();
        let met = distrust.latest(memory, |address, refusal| {
            counts(refusal) && unconnected.contains(address)
        });
        if let Some((address, cause)) = met {
            return Some(ClientError::Attempt(AttemptError::Connect {
                address,
                cause,
            }));
        }
        distrust.latest(memory, |_, refusal| counts(refusal))?;
        let since = now().checked_sub(memory)?;
        self.core.metadata_updater.refusal_since(since)
    }

    /// Waits until [`Client::refusal_since`] returns a failure.
    pub(crate) async fn refused_since(
        &self,
        began: Instant,
        needs: impl Fn(i32) -> Option<ConnectionKind>,
    ) -> ClientError {
        let mut refusals = self.refusals();
        if self.cluster().version == 0 {
            // A client that no broker has let in seldom tries unless somebody asks.
            self.core.metadata_updater.doubt_everything();
        }
        loop {
            if let Some(refusal) = self.refusal_since(began, &needs) {
                return refusal;
            }
            if !refusals.changed().await {
                return std::future::pending().await;
            }
        }
    }

    /// Runs a call that needs the cluster and connections of the kinds that `needs` names; ends with its outcome, or
    /// early with the failed handshake that keeps it from its end.
    pub(crate) async fn unless_refused<T>(
        &self,
        needs: impl Fn(i32) -> Option<ConnectionKind>,
        call: impl Future<Output = T>,
    ) -> Result<T, ClientError> {
        let began = now();
        tokio::select! {
            biased;
            outcome = call => Ok(outcome),
            refusal = self.refused_since(began, needs) => Err(refusal),
        }
    }

    /// The nodes that lead these partitions, as far as is known.
    pub(crate) fn leaders<'a>(
        &self,
        partitions: impl IntoIterator<Item = (&'a Arc<str>, i32)>,
    ) -> Vec<i32> {
        let cluster = self.cluster();
        let leaders = partitions
            .into_iter()
            .filter_map(|(topic, partition)| cluster.leader(topic, partition));
        leaders.map(|leader| leader.node).collect()
    }
}
