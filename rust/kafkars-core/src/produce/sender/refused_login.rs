//! Brokers that refuse this client's login for good, and for how long records wait for them all the same: credentials
//! that were changed at one end are soon changed at the other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Sender, View};
use crate::error_kind::SecurityError;
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer};

/// A broker that has refused every login since an instant.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    since: Instant,
    /// How long records wait for it, where they do not wait for `delivery_timeout`.
    patience: Option<Duration>,
    error: SecurityError,
}

/// By node.
#[derive(Debug, Default)]
pub(super) struct Refusals(BTreeMap<i32, Refusal>);

impl Refusal {
    /// Batches that are as old as this have waited long enough; none has where there is no such age yet.
    pub(super) fn longest_wait(&self, now: Instant) -> Option<Duration> {
        self.patience
            .filter(|patience| now >= self.since + *patience)
    }
}

impl Refusals {
    /// What the leader of a partition has to say.
    pub(super) fn of(&self, buffer: &PartitionBuffer, view: &dyn View) -> Option<&Refusal> {
        if self.0.is_empty() {
            return None;
        }
        let leader = view.leader(buffer.topic(), buffer.partition())?;
        self.0.get(&leader)
    }

    /// When what was made at `created` has waited long enough for the leader of its partition.
    pub(super) fn end(
        &self,
        buffer: &PartitionBuffer,
        created: Instant,
        view: &dyn View,
    ) -> Option<Instant> {
        let refusal = self.of(buffer, view)?;
        Some(created.max(refusal.since) + refusal.patience?)
    }
}

impl Sender {
    /// A broker has refused a login for good, once more or for the first time. With `patience` records that have waited
    /// so long for it, since the first refusal in a row, fail with that.
    pub fn login_refused(
        &mut self,
        now: Instant,
        node: i32,
        error: SecurityError,
        patience: Option<Duration>,
    ) {
        let refusal = self.refusals.0.entry(node).or_insert_with(|| Refusal {
            since: now,
            patience,
            error: error.clone(),
        });
        refusal.patience = patience;
        refusal.error = error;
        // Their time may end earlier now.
        if let Some(queue) = self.queues.nodes.get(&node) {
            self.queues.fresh.extend(queue.ready.iter().cloned());
        }
    }

    /// A broker has let this client in, or something else is wrong with it.
    pub fn login_possible(&mut self, node: i32) {
        self.refusals.0.remove(&node);
    }

    /// A batch has waited long enough for a broker that refuses the login.
    pub(super) fn refuse(&mut self, now: Instant, batch: OutgoingBatch, refusal: &Refusal) {
        let (topic, partition) = (batch.delivery.topic(), batch.delivery.partition());
        let waited = now.saturating_duration_since(batch.created).as_millis();
        let fate = match batch.sequence.is_some() || batch.attempts > 0 {
            true => "had left before and may be stored",
            false => "never left",
        };
        let cause = format!(
            "{}; after {waited} ms the records for {topic}-{partition} wait no longer: they {fate}",
            refusal.error.cause
        );
        let error = SecurityError {
            problem: refusal.error.problem,
            address: Arc::clone(&refusal.error.address),
            cause: cause.into(),
        };
        self.finish(batch, BatchOutcome::Failed(ProduceError::Security(error)));
    }
}
