//! What the handles of one producer and its sender share, and how many records came to what.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use kafkars_core::config::{Checked, ProducerConfig};
use kafkars_core::produce::accumulator::Accumulator;
use kafkars_core::produce::delivery::{BatchDelivery, BatchOutcome};
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::partition_buffer::OutgoingBatch;
use parking_lot::RwLock;
use tokio::sync::Notify;

use super::permit::Door;
use super::unheard::UnheardFailures;
use crate::client::Client;

/// What the handles and the sender task share.
pub(crate) struct ProducerShared {
    pub(crate) client: Client,
    pub(crate) config: Checked<ProducerConfig>,
    pub(crate) accumulator: Arc<Accumulator>,
    pub(crate) seed: u64,
    /// Wakes the sender task.
    pub(crate) wake: Notify,
    /// Told whenever memory is given back or the producer closes.
    pub(crate) room: Notify,
    /// Calls that wait for open batches to leave: flushes and sends waiting for room.
    pub(crate) flush_requested: AtomicUsize,
    /// Records are taken under the read lock, so that none slips into the time after a commit.
    pub(crate) door: RwLock<Door>,
    /// Told whenever the transaction has said who may send, and when a commit was given up.
    pub(crate) door_moved: Notify,
    /// No record is taken any more.
    pub(crate) closed: AtomicBool,
    /// While the producer closes: what waits is still let in.
    pub(crate) lets_waiting_in: AtomicBool,
    /// The sender gives up what it has.
    pub(crate) abandoned: AtomicBool,
    pub(crate) finished: tokio::sync::watch::Sender<bool>,
    pub(crate) counters: ProducerCounters,
    pub(crate) unheard: Arc<UnheardFailures>,
}

/// Counters behind [`ProducerMetrics`].
#[derive(Default)]
pub(crate) struct ProducerCounters {
    pub(crate) records_sent: AtomicU64,
    pub(crate) records_failed: AtomicU64,
    /// Those of them that no `flush()` and no `close()` has reported.
    pub(crate) unreported_failures: AtomicU64,
    pub(crate) batches_sent: AtomicU64,
    pub(crate) bytes_sent: AtomicU64,
    pub(crate) bytes_uncompressed: AtomicU64,
    pub(crate) retries: AtomicU64,
}

/// What a producer has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProducerMetrics {
    /// Records acknowledged.
    pub records_sent: u64,
    /// Records that were not stored: their deliveries have failed, or they have waited in vain to enter a batch.
    pub records_failed: u64,
    /// Batches acknowledged.
    pub batches_sent: u64,
    /// Bytes of acknowledged batches as they travelled.
    pub bytes_sent: u64,
    /// The same before compression.
    pub bytes_uncompressed: u64,
    /// Batches tried again.
    pub retries: u64,
    /// Records not yet acknowledged.
    pub unacknowledged: usize,
    /// Bytes of `buffer_memory` in use.
    pub buffer_used: usize,
}

impl ProducerShared {
    /// True if nothing is let in any more, not even what waits.
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

    /// Takes no more records, and makes the sender give up what it has.
    pub(crate) fn abandon(&self) {
        self.closed.store(true, Ordering::Relaxed);
        self.abandoned.store(true, Ordering::Release);
        self.wake.notify_one();
        self.room.notify_waiters();
    }

    /// Every batch ends here, once; its memory is free already, so that whoever the report wakes finds room.
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
            // Its parts are reported, each with an outcome of its own.
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

    /// Counts records that were not stored, before anybody hears of it.
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

    /// Reports everything that waits as not sent.
    pub(crate) fn give_up(&self) {
        for batch in self.accumulator.take_all() {
            self.accumulator.release(&batch);
            self.report(&batch, BatchOutcome::Failed(ProduceError::Closed));
        }
    }
}

/// While one lives, open batches leave without lingering.
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
        // Nobody listens any more when the flush ran out of time.
        let _ = sender.send(());
    });
    // The sender is dropped unused only with the batch itself, which is an end as well.
    drop(receiver.await);
}
