//! Brokers that refuse this client's login for good. Records may wait for them for a while all the same, because
//! credentials that were changed at one end are soon changed at the other.
//!
//! A refusal counts for records that wait for the broker when it comes, not for later ones. Records fail when a refusal
//! comes, never by a timer, and only by that of a login which began after an earlier refusal had reached them.

use std::sync::Arc;
use std::time::Instant;

use super::{RefusedLogin, Sender};
use crate::error_kind::SecurityError;
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::OutgoingBatch;

impl Sender {
    /// Notes that a broker has refused a login for good, once more or for the first time. With `grace`, records fail
    /// that have waited so long for the broker since the first refusal in a row reached them.
    pub fn login_refused(&mut self, now: Instant, node: i32, latest: RefusedLogin) {
        self.refusals.note(now, node, latest);
    }

    /// Notes that a broker has accepted this client's login, or that it has another problem now.
    pub fn login_possible(&mut self, node: i32) {
        self.refusals.forget(node);
    }

    /// Marks batches that wait for brokers with the refused logins of these, and fails those that have waited long
    /// enough.
    pub(super) fn refuse_waiting(&mut self, now: Instant) {
        let mut refused = Vec::new();
        for (node, refusal) in self.refusals.take_unreported() {
            let RefusedLogin { began, grace, .. } = refusal.latest;
            let until = grace.and_then(|grace| now.checked_sub(grace));
            let until = until.zip(began).map(|(until, began)| until.min(began));
            let queue = self.queues.nodes.get(&node);
            for buffer in queue.iter().flat_map(|queue| &queue.ready) {
                let mut state = buffer.lock();
                state.hear_refusal(now, refusal.since);
                let batches = until.map_or_else(Vec::new, |until| state.take_refused(until));
                let error = &refusal.latest.error;
                refused.extend(batches.into_iter().map(|batch| (batch, error.clone())));
            }
        }
        for (batch, error) in refused {
            self.refuse(now, batch, &error);
        }
    }

    /// Fails a batch that has waited long enough for a broker that refuses the login.
    pub(super) fn refuse(&mut self, now: Instant, batch: OutgoingBatch, error: &SecurityError) {
        let (topic, partition) = (batch.delivery.topic(), batch.delivery.partition());
        let waited = now.saturating_duration_since(batch.created).as_millis();
        let fate = match batch.sequence.is_some() || batch.attempts > 0 {
            true => "had left before and may be stored",
            false => "never left",
        };
        let cause = format!(
            "{}; after {waited} ms the records for {topic}-{partition} wait no longer: they {fate}",
            error.cause
        );
        let error = SecurityError {
            problem: error.problem,
            address: Arc::clone(&error.address),
            cause: cause.into(),
        };
        self.finish(batch, BatchOutcome::Failed(ProduceError::Security(error)));
    }
}
