//! What becomes of batches after a try: stored, tried again, split, given up.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kafkars_core::produce::delivery::{BatchAck, BatchOutcome};
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::partition_buffer::OutgoingBatch;
use kafkars_core::produce::plan::Departure;
use kafkars_core::produce::request::Answers;
use kafkars_core::produce::split::split;
use kafkars_core::produce::verdict::{Verdict, judge};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::produce::ProduceResponse;

use super::identity::Identity;
use super::sender::Sender;
use crate::error::AttemptError;
use crate::now;
use crate::producer::Shared;

impl Sender {
    pub(super) fn answered(&mut self, batches: Vec<Departure>, response: &ProduceResponse) {
        let cluster = self.shared.client.cluster();
        let answers = Answers::new(response);
        for departure in batches {
            let (topic, partition) = (departure.buffer.topic(), departure.buffer.partition());
            let id = cluster
                .topic(topic)
                .map_or(Uuid::default(), |topic| topic.id);
            let Some(answer) = answers.find(topic, id, partition) else {
                self.retry(
                    departure,
                    "the response left this partition out".into(),
                    true,
                );
                continue;
            };
            if answer.current_leader.leader_id >= 0 {
                self.shared.client.apply_leader_hint(
                    topic,
                    partition,
                    answer.current_leader.leader_id,
                    answer.current_leader.leader_epoch,
                    response
                        .node_endpoints
                        .iter()
                        .map(|node| (node.node_id, node.host.clone(), node.port)),
                );
            }
            let has_earlier = departure.buffer.lock().has_earlier(departure.batch.ordinal);
            match judge(&departure.batch, answer, has_earlier) {
                Verdict::Stored(ack) => {
                    departure.buffer.lock().landed(departure.batch.ordinal);
                    self.stored(departure.batch, ack);
                }
                Verdict::Retry { cause, refresh } => self.retry(departure, cause, refresh),
                Verdict::Renumber { cause } => {
                    tracing::warn!(target: "kafkars::producer", %topic, partition, %cause, "numbering starts over");
                    self.identity = Identity::Unasked;
                    self.retry(departure, cause, false);
                }
                Verdict::Split(error) => self.split(departure, error),
                Verdict::Failed(error) => {
                    departure.buffer.lock().landed(departure.batch.ordinal);
                    self.finish(departure.batch, BatchOutcome::Failed(error));
                }
            }
        }
    }

    pub(super) fn split(&mut self, departure: Departure, error: ProduceError) {
        let Departure { buffer, batch } = departure;
        let ordinal = batch.ordinal;
        tracing::info!(
            target: "kafkars::producer",
            topic = %buffer.topic(),
            partition = buffer.partition(),
            records = batch.count,
            "a batch was too large for its topic and goes out in two"
        );
        match split(batch) {
            Ok(parts) => buffer.lock().put_back_parts(ordinal, parts),
            Err(whole) => {
                buffer.lock().landed(ordinal);
                self.finish(whole.0, BatchOutcome::Failed(error));
            }
        }
    }

    pub(super) fn attempt_failed(
        &mut self,
        id: i32,
        batches: Vec<Departure>,
        error: &AttemptError,
    ) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.connection = None;
        }
        self.blame(id, error);
        if error.retriable() {
            self.retry_all(batches, &error.to_string(), true);
        } else {
            for departure in batches {
                self.impossible(departure, &error.to_string());
            }
        }
    }

    /// Remembers with the batches waiting for a broker what went wrong with it.
    pub(super) fn blame(&mut self, id: i32, error: &AttemptError) {
        let cause: Arc<str> = format!("broker {id}: {error}").into();
        let cluster = self.shared.client.cluster();
        for buffer in &self.active {
            let leader = cluster.leader(buffer.topic(), buffer.partition());
            if leader.is_some_and(|leader| leader.node == id) {
                buffer.lock().blame(&cause);
            }
        }
    }

    pub(super) fn retry_all(&mut self, batches: Vec<Departure>, cause: &str, refresh: bool) {
        let cause: Arc<str> = cause.into();
        for departure in batches {
            self.retry(departure, Arc::clone(&cause), refresh);
        }
    }

    pub(super) fn retry(&mut self, departure: Departure, cause: Arc<str>, refresh: bool) {
        if refresh {
            self.shared.client.refresh_metadata();
        }
        let Departure { buffer, mut batch } = departure;
        batch.attempts += 1;
        let pause = self.backoff.delay(batch.attempts, self.random.next());
        tracing::debug!(
            target: "kafkars::producer",
            topic = %buffer.topic(),
            partition = buffer.partition(),
            attempt = batch.attempts,
            %cause,
            "a batch is tried again"
        );
        batch.last_cause = Some(cause);
        let now = now();
        if now + pause >= batch.created + self.shared.config.delivery_timeout {
            buffer.lock().landed(batch.ordinal);
            self.expire(batch);
            return;
        }
        self.shared.counters.retries.fetch_add(1, Ordering::Relaxed);
        buffer.lock().put_back(batch, now + pause);
    }

    pub(super) fn expire(&mut self, batch: OutgoingBatch) {
        let cause = batch
            .last_cause
            .clone()
            .unwrap_or_else(|| "no broker took it".into());
        let error = ProduceError::DeliveryTimedOut {
            topic: Arc::clone(batch.delivery.topic()),
            partition: batch.delivery.partition(),
            waited: self.shared.config.delivery_timeout,
            cause,
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }

    pub(super) fn impossible(&mut self, departure: Departure, cause: &str) {
        let Departure { buffer, batch } = departure;
        buffer.lock().landed(batch.ordinal);
        let error = ProduceError::Impossible {
            topic: Arc::clone(buffer.topic()),
            cause: cause.into(),
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }

    pub(super) fn stored(&mut self, batch: OutgoingBatch, ack: BatchAck) {
        let counters = &self.shared.counters;
        let bytes = batch.content.len() as u64;
        counters.batches_sent.fetch_add(1, Ordering::Relaxed);
        counters.bytes_sent.fetch_add(bytes, Ordering::Relaxed);
        counters
            .bytes_uncompressed
            .fetch_add(batch.uncompressed as u64, Ordering::Relaxed);
        self.finish(batch, BatchOutcome::Acknowledged(ack));
    }

    /// Every batch ends here, once: memory first, so that whoever the report wakes finds room.
    pub(super) fn finish(&self, batch: OutgoingBatch, outcome: BatchOutcome) {
        self.shared.finish(batch, outcome);
    }
}

impl Shared {
    pub(crate) fn finish(&self, batch: OutgoingBatch, outcome: BatchOutcome) {
        let counter = match &outcome {
            BatchOutcome::Acknowledged(_) => &self.counters.records_sent,
            BatchOutcome::Failed(_) | BatchOutcome::Split(_) => &self.counters.records_failed,
        };
        counter.fetch_add(u64::from(batch.count), Ordering::Relaxed);
        self.accumulator.release(&batch);
        batch.delivery.complete(outcome);
        self.room.notify_waiters();
    }

    /// Reports everything that waits as not sent.
    pub(crate) fn give_up(&self) {
        for batch in self.accumulator.take_all() {
            self.finish(batch, BatchOutcome::Failed(ProduceError::Closed));
        }
    }
}
