//! The state shared by those who need metadata and the task that asks for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::config::ClientConfig;
use kafkars_core::refresh::RefreshPlan;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::bootstrap_progress::BootstrapProgress;
use crate::error::{BootstrapCauses, ClientError};

/// Takes requests for metadata, and shows how the task that carries them out is doing.
#[derive(Debug)]
pub(crate) struct MetadataUpdater {
    pub(crate) plan: Mutex<RefreshPlan>,
    pub(super) wake: Notify,
    pub(super) round: watch::Sender<Round>,
    /// The progress of the round under way.
    pub(super) progress: Mutex<BootstrapProgress>,
}

/// The end of the last round over brokers and addresses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Round {
    /// The cause of every address, after a round in which none answered.
    pub(crate) failure: Option<Arc<BootstrapCauses>>,
    /// True if the failure was logged: then its end is logged too.
    pub(crate) is_told: bool,
    /// When the failed round began.
    pub(crate) failure_began: Option<Instant>,
    /// When the last round that was answered began.
    pub(crate) answered_began: Option<Instant>,
    pub(crate) is_closed: bool,
}

/// Keeps a topic asked for until it is dropped.
pub(crate) struct Awaiting<'a> {
    metadata_updater: &'a MetadataUpdater,
    topic: &'a str,
}

impl MetadataUpdater {
    pub(crate) fn new(config: &ClientConfig, seed: u64) -> Self {
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        Self {
            plan: Mutex::new(RefreshPlan::new(backoff, config.metadata_max_age, seed)),
            wake: Notify::new(),
            round: watch::Sender::new(Round::default()),
            progress: Mutex::new(BootstrapProgress::default()),
        }
    }

    pub(crate) fn want(&self, topics: &[&str]) {
        if self.plan.lock().want(topics) {
            self.wake.notify_one();
        }
    }

    pub(crate) fn forget(&self, topics: &[&str]) {
        self.plan.lock().forget(topics);
    }

    pub(crate) fn doubt(&self, topics: &[&str]) {
        self.plan.lock().doubt(topics);
        self.wake.notify_one();
    }

    pub(crate) fn doubt_everything(&self) {
        self.plan.lock().doubt_everything();
        self.wake.notify_one();
    }

    pub(crate) fn start_awaiting<'a>(&'a self, topic: &'a str) -> Awaiting<'a> {
        self.begin_awaiting(topic);
        Awaiting {
            metadata_updater: self,
            topic,
        }
    }

    pub(crate) fn begin_awaiting(&self, topic: &str) {
        self.plan.lock().start_awaiting(topic);
        self.wake.notify_one();
    }

    pub(crate) fn stop_awaiting(&self, topic: &str) {
        self.plan.lock().stop_awaiting(topic);
    }

    pub(crate) fn round(&self) -> watch::Receiver<Round> {
        self.round.subscribe()
    }

    pub(crate) fn close(&self) {
        self.round.send_modify(|round| round.is_closed = true);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.round.borrow().is_closed
    }

    /// The failure of the last round, if it failed.
    pub(crate) fn last_failure(&self) -> Option<ClientError> {
        let round = self.round.borrow();
        let failure = round.failure.as_ref()?;
        Some(ClientError::Bootstrap(failure.as_ref().clone()))
    }

    /// The failure of the last round, if that began after `began`, no handshake succeeded in it, and waiting calls
    /// should fail with it.
    pub(crate) fn refusal_since(&self, began: Instant) -> Option<ClientError> {
        let round = self.round.borrow();
        round.failure_began.filter(|round| *round >= began)?;
        let failure = ClientError::Bootstrap(round.failure.as_ref()?.as_ref().clone());
        (failure.security().is_some() && failure.is_worth_telling()).then_some(failure)
    }

    /// True if the last round failed by handshakes, in a way that time does not help.
    pub(super) fn is_refused(&self) -> bool {
        let failure = self.last_failure();
        failure.is_some_and(|failure| failure.is_hopeless() && failure.security().is_some())
    }

    /// Notes that the application was told of the last failure and still wants the cluster.
    pub(crate) fn try_again(&self) {
        self.wake.notify_one();
    }

    /// Why there is no metadata yet, as far as is known, also during a round.
    pub(crate) fn failure(&self, waited: Duration) -> ClientError {
        if let Some(failure) = &self.round.borrow().failure {
            return ClientError::Bootstrap(failure.as_ref().clone());
        }
        ClientError::Bootstrap(self.progress.lock().causes(waited))
    }
}

impl Drop for Awaiting<'_> {
    fn drop(&mut self) {
        self.metadata_updater.stop_awaiting(self.topic);
    }
}
