//! Where wishes for metadata are left, and what is known of the work on them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::config::ClientConfig;
use kafkars_core::refresh::RefreshPlan;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::bootstrap_progress::BootstrapProgress;
use crate::error::{BootstrapCauses, ClientError};

/// Where wishes for metadata are left and its state is read.
#[derive(Debug)]
pub(crate) struct MetadataUpdater {
    pub(super) plan: Mutex<RefreshPlan>,
    pub(super) wake: Notify,
    pub(super) round: watch::Sender<Round>,
    /// How far each bootstrap address got in the round under way.
    pub(super) progress: Mutex<BootstrapProgress>,
}

/// How the last round ended.
#[derive(Debug, Clone, Default)]
pub(crate) struct Round {
    /// Every address with its cause, after a round in which nobody answered.
    pub(crate) failure: Option<Arc<BootstrapCauses>>,
    /// The log has told of it, and tells of its end.
    pub(crate) is_told: bool,
    /// When the round began that ended so.
    pub(crate) failure_began: Option<Instant>,
    /// When the last round began that was answered.
    pub(crate) answered_began: Option<Instant>,
    pub(crate) is_closed: bool,
}

/// Keeps a topic asked for while somebody waits for it.
pub(crate) struct Awaiting<'a> {
    desk: &'a MetadataUpdater,
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
        Awaiting { desk: self, topic }
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

    /// Why the last round ended without metadata, if it did.
    pub(crate) fn last_failure(&self) -> Option<ClientError> {
        let round = self.round.borrow();
        let failure = round.failure.as_ref()?;
        Some(ClientError::Bootstrap(failure.as_ref().clone()))
    }

    /// The last round, if it began after this and no handshake succeeded in it, in a way that ends calls.
    pub(crate) fn refusal_since(&self, began: Instant) -> Option<ClientError> {
        let round = self.round.borrow();
        round.failure_began.filter(|round| *round >= began)?;
        let failure = ClientError::Bootstrap(round.failure.as_ref()?.as_ref().clone());
        (failure.security().is_some() && failure.is_worth_telling()).then_some(failure)
    }

    /// Whether the last round failed for a reason of security that time does not mend.
    pub(super) fn is_refused(&self) -> bool {
        let failure = self.last_failure();
        failure.is_some_and(|failure| failure.is_hopeless() && failure.security().is_some())
    }

    /// The application has heard of the last failure and goes on.
    pub(crate) fn try_again(&self) {
        self.wake.notify_one();
    }

    /// What is known about why there is no metadata, also in the middle of a round.
    pub(crate) fn failure(&self, waited: Duration) -> ClientError {
        if let Some(failure) = &self.round.borrow().failure {
            return ClientError::Bootstrap(failure.as_ref().clone());
        }
        ClientError::Bootstrap(self.progress.lock().causes(waited))
    }
}

impl Drop for Awaiting<'_> {
    fn drop(&mut self) {
        self.desk.stop_awaiting(self.topic);
    }
}
