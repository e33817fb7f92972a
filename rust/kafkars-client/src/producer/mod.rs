//! The producer: the handle that applications hold. Sending over the network is in `sender/`, sending many records at
//! once in `send_many.rs`, waiting for a topic or for room in `ready.rs`, calls that wait on their thread in
//! `send_blocking.rs`.

mod blocking;
mod pending;
mod pending_send;
mod pending_sends;
mod permit;
mod ready;
mod records;
mod send_blocking;
mod send_error;
mod send_many;
mod sender;
mod shared;
mod transactions;
mod unheard;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kafkars_core::config::{Checked, ProducerConfig};
use kafkars_core::produce::accumulator::{Accumulator, AppendRefusal, ProduceRecord};
use kafkars_core::produce::delivery::Delivery;
use kafkars_core::produce::error::ProduceError;
use parking_lot::RwLock;
use tokio::sync::Notify;

use crate::client::{Client, silence};
use crate::random_seed::random_seed;
use crate::{now, wall_clock_ms};

pub use self::blocking::{Blocking, NotSent, StoppedSend};
pub use self::pending_send::PendingSend;
pub use self::pending_sends::PendingId;
pub use self::permit::SendPermit;
pub use self::records::{Records, Stopped};
pub use self::send_error::{SendError, SendWait};
pub use self::shared::ProducerMetrics;
pub use self::unheard::tell_unheard_failures;

use self::pending_sends::PendingSends;
use self::permit::SendPermits;
use self::sender::SenderTask;
use self::shared::{FlushRequest, ProducerCounters, ProducerShared, finished};
use self::unheard::UnheardFailures;

/// Sends records. Clones share everything; dropping the last one without [`Producer::close`] gives up unsent records.
#[derive(Clone)]
pub struct Producer {
    shared: Arc<ProducerShared>,
    sender: Arc<SenderTask>,
    pending: Arc<PendingSends>,
    _last: Arc<ProducerDropGuard>,
}

impl Producer {
    /// Makes a producer with a sender task of its own. Does no I/O until the first record.
    pub fn new(client: Client, config: Checked<ProducerConfig>) -> Self {
        let seed = random_seed();
        let shared = Arc::new(ProducerShared {
            accumulator: Arc::new(Accumulator::new(&config, seed)),
            seed,
            wake: Notify::new(),
            room: Notify::new(),
            flush_requested: AtomicUsize::new(0),
            send_permits: RwLock::new(SendPermits::default()),
            send_permits_changed: Notify::new(),
            closed: AtomicBool::new(false),
            lets_waiting_in: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            gives_up_with_topic: AtomicBool::new(false),
            finished: tokio::sync::watch::Sender::new(false),
            counters: ProducerCounters::default(),
            unheard: UnheardFailures::new(client.name()),
            client,
            config,
        });
        Self {
            sender: SenderTask::start(&shared),
            pending: Arc::default(),
            _last: Arc::new(ProducerDropGuard(Arc::clone(&shared))),
            shared,
        }
    }

    /// Appends a record to a batch of its partition. Never blocks.
    ///
    /// # Errors
    /// [`SendError::NotReady`] while the topic is unknown or `buffer_memory` is full: [`Producer::ready`] waits for
    /// that. [`SendError::Failed`] for a record that cannot be sent, outside of a transaction that the producer needs,
    /// and after a close.
    #[inline]
    pub fn try_send(&self, record: &ProduceRecord<'_>) -> Result<Delivery, SendError> {
        self.take(record, None)
    }

    /// As [`Producer::try_send`], for a record that has waited.
    ///
    /// # Errors
    /// As for [`Producer::try_send`]; [`ProduceError::Aborted`] once the permit's transaction has ended.
    pub fn try_send_permitted(
        &self,
        record: &ProduceRecord<'_>,
        permit: SendPermit,
    ) -> Result<Delivery, SendError> {
        let partition = self.shared.accumulator.spread(record);
        let record = ProduceRecord {
            partition: record.partition.or(partition),
            ..*record
        };
        self.take(&record, Some(permit))
    }

    #[inline]
    fn take(
        &self,
        record: &ProduceRecord<'_>,
        permit: Option<SendPermit>,
    ) -> Result<Delivery, SendError> {
        let accumulator = &self.shared.accumulator;
        let append = || accumulator.append(record, now, wall_clock_ms);
        let (delivery, wake) = self.admit(permit, append)?;
        self.wake_sender(wake);
        Ok(delivery)
    }

    /// Permits a record to be sent later, as long as the transaction that is open now has not ended.
    ///
    /// # Errors
    /// The producer accepts no record now.
    pub fn permit(&self) -> Result<SendPermit, ProduceError> {
        if self.shared.closed.load(Ordering::Relaxed) {
            return Err(ProduceError::Closed);
        }
        match self.shared.config.transactional_id {
            None => Ok(SendPermit::default()),
            Some(_) => self.shared.send_permits.read().permit(),
        }
    }

    /// Runs `append`, unless the producer or its transaction accepts no record.
    #[inline]
    pub(crate) fn admit<T>(
        &self,
        permit: Option<SendPermit>,
        append: impl FnOnce() -> Result<T, AppendRefusal>,
    ) -> Result<T, AppendRefusal> {
        if self.shared.closed.load(Ordering::Relaxed) && (permit.is_none() || self.shared.is_shut())
        {
            return Err(AppendRefusal::Failed(ProduceError::Closed));
        }
        let is_transactional = self.shared.config.transactional_id.is_some();
        let send_permits = is_transactional.then(|| self.shared.send_permits.read());
        if let Some(send_permits) = &send_permits {
            send_permits.check(permit).map_err(AppendRefusal::Failed)?;
        }
        append().inspect_err(|refusal| self.doubt_partitions(refusal))
    }

    /// Asks for the metadata of a topic that has no partition of the number that the caller has named: it may have been
    /// added since, and the next call is to find it.
    #[cold]
    fn doubt_partitions(&self, refusal: &AppendRefusal) {
        if let AppendRefusal::Failed(ProduceError::InvalidPartition { topic, .. }) = refusal {
            self.client().refresh_topics(&[topic]);
        }
    }

    /// Tells the sender that a batch was opened or closed.
    #[inline]
    pub(crate) fn wake_sender(&self, changed: bool) {
        if !changed {
            return;
        }
        self.sender.wake();
        // If the sender has ended since `closed` was read, nobody else reports these records.
        if *self.shared.finished.borrow() {
            self.shared.give_up();
        }
    }

    /// How long a send may wait (`max_block_ms`).
    pub fn max_block(&self) -> Duration {
        self.shared.config.max_block
    }

    pub(crate) fn sender(&self) -> &SenderTask {
        &self.sender
    }

    pub(crate) fn shared(&self) -> &ProducerShared {
        &self.shared
    }

    /// Sends open batches at once and waits until every record accepted so far, waiting ones included, has its outcome,
    /// or until the deadline. Returns how many of them are still unacknowledged; records accepted later count only if
    /// they share a batch with them.
    pub fn flush(&self, deadline: Option<Instant>) -> impl Future<Output = usize> + Send + use<> {
        let producer = self.clone();
        let waiting = producer.pending.follow();
        let mut unfinished = producer.sender.unfinished();
        async move {
            let _flush_requested = FlushRequest::new(&producer.shared);
            let mut late = 0;
            if let Some(waiting) = waiting {
                if !within(deadline, waiting.passed()).await {
                    late = waiting.records().max(1);
                }
                unfinished.extend(waiting.batches());
            }
            let are_finished = within(deadline, async {
                for batch in &unfinished {
                    finished(batch).await;
                }
            });
            match are_finished.await {
                true => {
                    // Then the sender has let go of these batches, and everything about them was reported.
                    producer.sender.rest();
                    late
                }
                false => late + producer.sender.unreported_of(&unfinished),
            }
        }
    }

    /// Counts records that were refused before they waited or were appended, for the next [`Producer::take_failed`]:
    /// perhaps nobody looks at the error.
    pub fn count_refused(&self, records: usize) {
        let failures = &self.shared.counters.unreported_failures;
        failures.fetch_add(records as u64, Ordering::Relaxed);
    }

    /// Returns how many records were not stored since the last call of this. Those given up by a call that counts them
    /// itself (`purge`, an abort, `close`) are not among them.
    pub fn take_failed(&self) -> u64 {
        let failures = &self.shared.counters.unreported_failures;
        failures.swap(0, Ordering::Relaxed)
    }

    /// Lets records of a topic that is deleted fail once brokers have denied it for `request_timeout_ms`, where they
    /// would have `delivery_timeout_ms` for the topic to be made again.
    pub fn give_up_with_topic(&self) {
        self.shared
            .gives_up_with_topic
            .store(true, Ordering::Relaxed);
    }

    /// Accepts no more records from now on. Records that wait for room or a topic are let in until [`Producer::close`]
    /// gives them up.
    pub fn shut(&self) {
        if !self.shared.abandoned.load(Ordering::Acquire)
            && !self.shared.closed.load(Ordering::Acquire)
        {
            self.shared.lets_waiting_in.store(true, Ordering::Release);
        }
        self.shared.closed.store(true, Ordering::Release);
    }

    /// Closes the producer: it accepts no more records, waits for a commit or an abort that has begun, aborts a
    /// transaction that is open otherwise, sends what it has until `deadline`, fails the rest with
    /// [`ProduceError::Closed`], and closes the connections. Returns how many records were given up.
    pub async fn close(&self, deadline: Instant) -> usize {
        self.shut();
        {
            let _flush_requested = FlushRequest::new(&self.shared);
            within(Some(deadline), async {
                self.join_commit().await;
                // Records that an abort drops are not sent before it.
                if !self.in_transaction() {
                    self.pending.passed(self.pending.last()).await;
                }
            })
            .await;
        }
        self.shared.lets_waiting_in.store(false, Ordering::Release);
        self.shared.room.notify_waiters();
        let waiting = self.give_up_pending(&ProduceError::Closed);
        if self.in_transaction() {
            // If it cannot be aborted in time, the coordinator aborts it after `transaction_timeout_ms`.
            tokio::select! {
                outcome = self.abort_transaction(deadline) => drop(outcome),
                () = self.shared.client.unheard(silence::GOODBYE) => {}
            }
        }
        self.flush(Some(deadline)).await;
        let left = self.sender.unreported() + self.pending.records();
        if left + waiting > 0 {
            // Not every caller looks at the returned number, least of all when another error is on its way.
            tracing::warn!(
                target: "kafkars::producer",
                client = %self.shared.client.name(),
                records = left + waiting,
                topics = self.shared.unfinished_topics(),
                "records were not acknowledged before their producer was closed, and are given up"
            );
        }
        self.shared.abandon();
        let mut finished = self.shared.finished.subscribe();
        // An error means that the sender is gone, which is what is waited for.
        drop(finished.wait_for(|finished| *finished).await);
        self.shared.client.close().await;
        left + waiting
    }

    /// True if it accepts no more records.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Relaxed)
    }

    /// How many records have no outcome yet, waiting ones included.
    pub fn unacknowledged(&self) -> usize {
        self.shared.accumulator.unacknowledged() + self.pending.records()
    }

    /// How many records of each topic have no outcome yet, as text; without those that wait to be appended.
    pub fn unfinished_topics(&self) -> String {
        self.shared.unfinished_topics()
    }

    /// Logs that a record that waited was not accepted, and that nobody has asked for its outcome.
    pub fn tell_unheard(&self, topic: &str, records: usize, failure: &ProduceError) {
        let records = u32::try_from(records).unwrap_or(u32::MAX);
        if self.shared.config.transactional_id.is_none()
            && !UnheardFailures::is_told_otherwise(failure)
        {
            let unheard = &self.shared.unheard;
            unheard.tell(&topic.into(), None, records, failure);
        }
    }

    /// The client underneath, which knows the cluster and its brokers.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The topic, the partition, and the records and bytes acknowledged, of each partition of the topics used so far.
    pub fn stored_by_partition(&self) -> Vec<(Arc<str>, i32, u64, u64)> {
        let stored = self.shared.accumulator.stored().into_iter();
        let flat = stored
            .map(|(topic, partition, stored)| (topic, partition, stored.records, stored.bytes));
        flat.collect()
    }

    /// Returns the producer's counters.
    pub fn metrics(&self) -> ProducerMetrics {
        let counters = &self.shared.counters;
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ProducerMetrics {
            records_sent: read(&counters.records_sent),
            records_failed: read(&counters.records_failed),
            batches_sent: read(&counters.batches_sent),
            bytes_sent: read(&counters.bytes_sent),
            bytes_uncompressed: read(&counters.bytes_uncompressed),
            retries: read(&counters.retries),
            unacknowledged: self.shared.accumulator.unacknowledged(),
            buffer_used: self.shared.accumulator.used(),
        }
    }
}

/// Waits for `done` until the deadline, if there is one. Returns true if it was done in time.
async fn within(deadline: Option<Instant>, done: impl Future<Output = ()>) -> bool {
    match deadline {
        None => {
            done.await;
            true
        }
        Some(deadline) => tokio::time::timeout_at(deadline.into(), done).await.is_ok(),
    }
}

struct ProducerDropGuard(Arc<ProducerShared>);

impl Drop for ProducerDropGuard {
    fn drop(&mut self) {
        let (records, is_closed) = (
            self.0.accumulator.unacknowledged(),
            self.0.closed.load(Ordering::Acquire),
        );
        if records > 0 && !is_closed {
            tracing::warn!(
                target: "kafkars::producer",
                client = %self.0.client.name(),
                records,
                topics = self.0.unfinished_topics(),
                "a producer was forgotten without close(): its records that are not acknowledged are given up"
            );
        }
        self.0.abandon();
    }
}
