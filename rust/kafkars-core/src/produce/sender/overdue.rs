//! Records that wait for long: a warning is logged, and at the end of `delivery_timeout` they fail with what they
//! waited for. From the moment in which a partition is gone it is waited for as long as a broker that does not answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;

use super::batch_permission::BatchPermission;
use super::reports::report_delay;
use super::{Sender, View};
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer};

impl Sender {
    /// Fails batches that have waited for `delivery_timeout`, and logs a warning about those that have waited long.
    pub(super) fn expire_overdue(&mut self, now: Instant, view: &dyn View) {
        while let Some((at, buffer)) = self.queues.expiries.pop(Some(now)) {
            let (expired, waits, node, is_gone) = {
                let mut state = buffer.lock();
                if state.membership.expiry != Some(at) {
                    continue;
                }
                state.membership.expiry = None;
                let gone_since = state.membership.gone_since;
                let end = |created| self.config.end_of_wait(created, gone_since);
                let expired = state.take_expired(now, end);
                let waits = state.is_held_up()
                    && !state.membership.reported
                    && state
                        .oldest()
                        .is_some_and(|oldest| now >= oldest + report_delay(end(oldest) - oldest));
                (expired, waits, state.membership.node, gone_since.is_some())
            };
            if !expired.is_empty() || waits {
                let obstacle = self.obstacle(now, &buffer, view, is_gone);
                let leader = view.leader(buffer.topic(), buffer.partition());
                let code = leader.is_none().then_some(ErrorCode::LeaderNotAvailable);
                for batch in expired {
                    match self.refusals.heard_by(&batch, node).cloned() {
                        Some(error) => self.refuse(now, batch, &error),
                        None if is_gone => self.lose(batch, Arc::clone(&obstacle)),
                        None => self.expire(batch, code, Arc::clone(&obstacle)),
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
        if !self.reports.is_due(now) {
            return;
        }
        let (waited, cause) = {
            let mut state = buffer.lock();
            state.membership.reported = true;
            let waited = state.oldest().map_or(Duration::ZERO, |oldest| now - oldest);
            (waited, state.last_cause())
        };
        tracing::warn!(
            target: "kafkars::producer",
            client = %self.client,
            topic = %buffer.topic(),
            partition = buffer.partition(),
            waited_ms = waited.as_millis() as u64,
            delivery_timeout_ms = self.config.delivery_timeout.as_millis() as u64,
            cause = cause.as_deref().unwrap_or(obstacle),
            "records have waited for long and cannot be sent; goes on trying until delivery_timeout_ms"
        );
    }

    /// Returns what keeps the next batch of a partition from being sent.
    fn obstacle(
        &self,
        now: Instant,
        buffer: &PartitionBuffer,
        view: &dyn View,
        is_gone: bool,
    ) -> Arc<str> {
        let (topic, partition) = (buffer.topic(), buffer.partition());
        if let BatchPermission::Closed = self.batch_permission()
            && !is_gone
        {
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

    /// Fails a batch whose partition is gone, as a broker would that is asked for it. One that had left for the
    /// partition of that time may be stored there.
    fn lose(&mut self, batch: OutgoingBatch, mut obstacle: Arc<str>) {
        if batch.attempts > 0 {
            let cause = batch.last_cause.as_deref().unwrap_or("no answer");
            obstacle =
                format!("{obstacle}; the record had left before, and may be stored: {cause}")
                    .into();
        }
        let error = ProduceError::Broker {
            code: ErrorCode::UnknownTopicOrPartition,
            topic: Arc::clone(batch.delivery.topic()),
            partition: batch.delivery.partition(),
            message: Some(obstacle),
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }

    /// Fails a batch that has waited for `delivery_timeout`. The cause of its last try says more than what it waits
    /// for, if there was a try.
    pub(super) fn expire(
        &mut self,
        batch: OutgoingBatch,
        code: Option<ErrorCode>,
        obstacle: Arc<str>,
    ) {
        let error = ProduceError::DeliveryTimedOut {
            topic: Arc::clone(batch.delivery.topic()),
            partition: batch.delivery.partition(),
            waited: self.config.delivery_timeout,
            code: batch.last_code.or(code),
            cause: batch.last_cause.clone().unwrap_or(obstacle),
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }
}
