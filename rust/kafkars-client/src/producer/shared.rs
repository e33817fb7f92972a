//! The state shared by the handles of one producer and its sender, and its counters.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use kafkars_core::config::{Checked, ProducerConfig};
use kafkars_core::produce::accumulator::Accumulator;
use kafkars_core::produce::delivery::{BatchDelivery, BatchOutcome};
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::partition_buffer::OutgoingBatch;
use parking_lot::RwLock;
use tokio::sync::Notify;

use super::permit::SendPermits;
use super::unheard::UnheardFailures;
use crate::client::Client;

/// The state shared by the handles and the sender.
pub(crate) struct ProducerShared {
    pub(crate) client: Client,
    pub(crate) config: Checked<ProducerConfig>,
    pub(crate) accumulator: Arc<Accumulator>,
    pub(crate) seed: u64,
    /// Wakes the sender task.
    pub(crate) wake: Notify,
    /// Notified whenever memory is released or the producer closes.
    pub(crate) room: Notify,
    /// How many calls want open batches to be sent: flushes, and sends that wait for room.
    pub(crate) flush_requested: AtomicUsize,
    /// Records are appended under the read lock, so that none slips in after a commit.
    pub(crate) send_permits: RwLock<SendPermits>,
    /// Notified whenever the state of the transaction changes who may send, and when a commit was given up.
    pub(crate) send_permits_changed: Notify,
    /// True once no new record is accepted.
    pub(crate) closed: AtomicBool,
    /// True while the producer closes and still lets waiting records in.
    pub(crate) lets_waiting_in: AtomicBool,
    /// True once the sender has to give up what it has.
    pub(crate) abandoned: AtomicBool,
    /// True if records wait no longer for a topic that is gone than for a broker that does not answer.
    pub(crate) gives_up_with_topic: AtomicBool,
    pub(crate) finished: tokio::sync::watch::Sender<bool>,
    pub(crate) counters: ProducerCounters,
    pub(crate) unheard: Arc<UnheardFailures>,
}

/// The counters behind [`ProducerMetrics`].
#[derive(Default)]
pub(crate) struct ProducerCounters {
    pub(crate) records_sent: AtomicU64,
    pub(crate) records_failed: AtomicU64,
    /// Those of `records_failed` that no `flush()` and no `close()` has reported.
    pub(crate) unreported_failures: AtomicU64,
    pub(crate) batches_sent: AtomicU64,
    pub(crate) bytes_sent: AtomicU64,
    pub(crate) bytes_uncompressed: AtomicU64,
    pub(crate) retries: AtomicU64,
}

/// Counters and gauges of a producer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProducerMetrics {
    /// Records acknowledged.
    pub records_sent: u64,
    /// Records that were not stored: their delivery failed, or they waited in vain to be appended to a batch.
    pub records_failed: u64,
    /// Batches acknowledged.
    pub batches_sent: u64,
    /// Bytes of acknowledged batches as they were on the wire.
    pub bytes_sent: u64,
    /// Bytes of acknowledged batches before compression.
    pub bytes_uncompressed: u64,
    /// Retries of batches.
    pub retries: u64,
    /// Records without an acknowledgement yet.
    pub unacknowledged: usize,
    /// Bytes of `buffer_memory` in use.
    pub buffer_used: usize,
}

impl ProducerShared {
    /// True if no record is accepted any more, not even one that waits.
    pub(crate) fn is_shut(&self) -> bool {
        self.closed.load(Ordering::Acquire) && !self.lets_waiting_in.load(Ordering::Acquire)
    }

    /// How many records of each topic have no outcome yet, as in "2 of orders, 1 of payments and 3 topics more".
    pub(crate) fn unfinished_topics(&self) -> String {
        const SHOWN: usize = 10;
        let counts = self.accumulator.unfinished_by_topic();
        let shown = counts.iter().take(SHOWN);
        let shown: Vec<_> = shown
            .map(|(topic, records)| format!("{records} of {topic}"))
            .collect();
        match counts.len().saturating_sub(SHOWN) {
            0 => shown.join(", "),
            more => format!("{} and {more} topics more", shown.join(", ")),
        }
    }

    /// Accepts no more records, and makes the sender give up what it has.
    pub(crate) fn abandon(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.abandoned.store(true, Ordering::Release);
        self.wake.notify_one();
        self.room.notify_waiters();
    }

    /// Reports the outcome of a batch, once for each. Its memory was released before, so that those it wakes find room.
    pub(super) fn report(&self, batch: &OutgoingBatch, outcome: BatchOutcome) {
        let counters = &self.counters;
        let add = |counter: &AtomicU64, by: usize| {
            counter.fetch_add(by as u64, Ordering::Relaxed);
        };
        match &outcome {
            BatchOutcome::Acknowledged(_) => {
                add(&counters.batches_sent, 1);
                add(&counters.bytes_sent, batch.content.len());
                add(&counters.bytes_uncompressed, batch.uncompressed);
                add(&counters.records_sent, batch.count as usize);
            }
            BatchOutcome::Failed(cause) => self.count_failed(batch.count as usize, cause),
            // The parts of the batch are reported, each with an outcome of its own.
            BatchOutcome::Split(_) => {}
        }
        if let BatchOutcome::Failed(error) = &outcome
            && self.config.transactional_id.is_none()
            && !UnheardFailures::is_told_otherwise(error)
        {
            self.tell_if_unheard(batch, error.clone());
        }
        batch.delivery.complete(outcome);
        self.room.notify_waiters();
    }

    /// Counts records that were not stored, before anybody gets their outcome.
    pub(super) fn count_failed(&self, records: usize, cause: &ProduceError) {
        let counters = &self.counters;
        let records = records as u64;
        counters
            .records_failed
            .fetch_add(records, Ordering::Relaxed);
        if !UnheardFailures::is_told_otherwise(cause) {
            counters
                .unreported_failures
                .fetch_add(records, Ordering::Relaxed);
        }
    }

    fn tell_if_unheard(&self, batch: &OutgoingBatch, error: ProduceError) {
        let (topic, partition) = (
            Arc::clone(batch.delivery.topic()),
            batch.delivery.partition(),
        );
        let (unheard, count) = (Arc::clone(&self.unheard), batch.count);
        let tell = move || unheard.tell(&topic, Some(partition), count, &error);
        batch.delivery.if_unheard(tell);
        UnheardFailures::remember(&batch.delivery);
    }

    /// Fails all batches that were not sent.
    pub(crate) fn give_up(&self) {
        for batch in self.accumulator.take_all() {
            self.accumulator.release(&batch);
            self.report(&batch, BatchOutcome::Failed(ProduceError::Closed));
        }
    }
}

/// Makes open batches leave without lingering, until it is dropped.
pub(crate) struct FlushRequest<'a>(&'a ProducerShared);

impl<'a> FlushRequest<'a> {
    pub(crate) fn new(shared: &'a ProducerShared) -> Self {
        shared.flush_requested.fetch_add(1, Ordering::Relaxed);
        shared.wake.notify_one();
        Self(shared)
    }
}

impl Drop for FlushRequest<'_> {
    fn drop(&mut self) {
        self.0.flush_requested.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Waits until a batch has its outcome.
pub(crate) async fn finished(batch: &BatchDelivery) {
    let (sender, receiver) = tokio::sync::oneshot::channel();
    batch.on_done(move || {
        // The flush may have run out of time.
        let _ = sender.send(());
    });
    // Without an outcome the sender half is dropped only with the batch itself, which is an end as well.
    drop(receiver.await);
}
