//! Records that wait for long: the log hears of them, and at the end of their life their sender, with what they
//! waited for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::permission::BatchPermission;
use super::{Sender, View};
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer};

/// The log hears of records that have waited for so long, or for half their life where that is shorter; of one
/// partition at a time, and of each once until something is stored there.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long records wait before the log hears of it.
pub(super) fn patience(delivery_timeout: Duration) -> Duration {
    PATIENCE.min(delivery_timeout / 2)
}

/// What the log was told of records that wait.
#[derive(Debug, Default)]
pub(super) struct Reports {
    not_before: Option<Instant>,
}

impl Sender {
    /// Gives up what has waited for `delivery_timeout`, and tells the log of what has waited for long.
    pub(super) fn expire_overdue(&mut self, now: Instant, view: &dyn View) {
        let limit = self.config.delivery_timeout;
        while let Some((at, buffer)) = self.queues.expiries.pop(Some(now)) {
            let (expired, waits, node) = {
                let mut state = buffer.lock();
                if state.place.expiry != Some(at) {
                    continue;
                }
                state.place.expiry = None;
                let expired = state.take_expired(now, limit);
                let waits = state.is_held_up()
                    && !state.place.reported
                    && state
                        .oldest()
                        .is_some_and(|oldest| now >= oldest + patience(limit));
                (expired, waits, state.place.node)
            };
            if !expired.is_empty() || waits {
                let obstacle = self.obstacle(now, &buffer, view);
                for batch in expired {
                    match self.refusals.heard_by(&batch, node).cloned() {
                        Some(error) => self.refuse(now, batch, &error),
                        None => self.expire(batch, Arc::clone(&obstacle)),
                    }
                }
                if waits {
                    self.report(now, &buffer, &obstacle);
                }
            }
            self.queues.fresh.push(buffer);
        }
    }

    fn report(&mut self, now: Instant, buffer: &PartitionBuffer, obstacle: &str) {
        if self.reports.not_before.is_some_and(|until| now < until) {
            return;
        }
        self.reports.not_before = Some(now + PATIENCE);
        let (waited, cause) = {
            let mut state = buffer.lock();
            state.place.reported = true;
            let waited = state.oldest().map_or(Duration::ZERO, |oldest| now - oldest);
            (waited, state.last_cause())
        };
        tracing::warn!(
            target: "kafkars::producer",
            topic = %buffer.topic(),
            partition = buffer.partition(),
            waited_ms = waited.as_millis() as u64,
            delivery_timeout_ms = self.config.delivery_timeout.as_millis() as u64,
            cause = cause.as_deref().unwrap_or(obstacle),
            "records wait, and sending goes on being tried"
        );
    }

    /// What keeps the next batch of a partition from leaving.
    fn obstacle(&self, now: Instant, buffer: &PartitionBuffer, view: &dyn View) -> Arc<str> {
        let (topic, partition) = (buffer.topic(), buffer.partition());
        if let BatchPermission::Closed = self.batch_permission() {
            return match &self.transactions {
                Some(transactions) => transactions.obstacle(),
                None => self.identity.obstacle(now),
            };
        }
        if let Some(obstacle) = view.obstacle(topic, partition) {
            return obstacle.into();
        }
        let unadmitted = self
            .transactions
            .as_ref()
            .filter(|transactions| !transactions.is_settled());
        if let Some(transactions) = unadmitted {
            return transactions.obstacle();
        }
        match view.leader(topic, partition) {
            None => format!("no leader is known for {topic}-{partition}").into(),
            Some(node) if !view.is_connected(node) => {
                format!("there is no connection to broker {node}, its leader").into()
            }
            Some(node) => {
                format!("broker {node}, its leader, has not answered earlier requests").into()
            }
        }
    }

    /// A batch has reached the end of its life. What its last try met says more than what it waited for, where there
    /// was one.
    pub(super) fn expire(&mut self, batch: OutgoingBatch, obstacle: Arc<str>) {
        let error = ProduceError::DeliveryTimedOut {
            topic: Arc::clone(batch.delivery.topic()),
            partition: batch.delivery.partition(),
            waited: self.config.delivery_timeout,
            cause: batch.last_cause.clone().unwrap_or(obstacle),
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }
}
