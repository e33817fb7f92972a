//! The sender: which batches are sent when, and what their responses mean. It does no I/O.
//!
//! A driver calls [`Sender::poll`] whenever something may have changed: records were appended, responses came, metadata
//! changed, [`Work::wake_at`] has come. It carries out the [`Work`] that it gets, and reports what came of it. It takes
//! batches that have ended from [`Sender::take_finished`], and completes their delivery reports.
//!
//! The cost depends on what happens, not on the number of partitions: a partition is looked at when one of its batches
//! was opened or closed, when its timer ends, and when a response came for it. Partitions with batches to send wait in
//! the queue of their leader.

mod answers;
mod batch_permission;
mod dispatch;
mod dropping;
mod identity;
mod init_producer_id;
mod overdue;
mod purge;
mod queues;
mod refusals;
mod refused_login;
mod reports;
mod view;

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::produce::ProduceRequest;

use self::batch_permission::BatchPermission;
use self::identity::IdentityLookup;
use self::queues::Queues;
use self::refusals::Refusals;
pub use self::refusals::RefusedLogin;
use self::reports::Reports;
pub use self::view::View;
use crate::backoff::{Backoff, Random};
use crate::config::{Checked, ProducerConfig};
use crate::produce::accumulator::Accumulator;
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer};
use crate::transaction::{Dispatch, Transactions};

/// The sender of one producer.
#[derive(Debug)]
pub struct Sender {
    /// What log lines call the client.
    client: Arc<str>,
    config: Checked<ProducerConfig>,
    accumulator: Arc<Accumulator>,
    backoff: Backoff,
    random: Random,
    identity: IdentityLookup,
    transactions: Option<Transactions>,
    queues: Queues,
    refusals: Refusals,
    // Partitions to be looked at: a batch was opened or closed, or a response came.
    touched: Vec<Arc<PartitionBuffer>>,
    finished: Vec<Finished>,
    metadata_seen: Option<u64>,
    needs_metadata: bool,
    // Whether the last poll sent open batches without lingering.
    flush_was_requested: bool,
    reports: Reports,
    // The error with which the last poll dropped batches, so that all partitions are gone through only once for it.
    dropped_for: Option<ProduceError>,
    // How many batches in requests were purged.
    purged: usize,
    retries: u64,
}

/// What the driver must do now.
#[derive(Debug, Default)]
pub struct Work {
    /// The requests to send, in this order.
    pub requests: Vec<ProduceCall>,
    /// Nodes that batches wait for and that are not connected.
    pub unconnected: Vec<i32>,
    /// True if a leader is unknown or in doubt.
    pub needs_metadata: bool,
    /// True if any broker is to be asked for a producer id (InitProducerId without transactional id); the response goes
    /// to [`Sender::identified`].
    pub needs_identity: bool,
    /// The next request of the transaction, for [`Transactions::answered`].
    pub coordinator: Option<Dispatch>,
    /// When to poll again even if nothing happens until then.
    pub wake_at: Option<Instant>,
}

/// A Produce request.
#[derive(Debug)]
pub struct ProduceCall {
    /// The node id of the broker to send it to.
    pub node: i32,
    /// The batches in the request, to be handed back with its outcome.
    pub batches: Vec<InFlightBatch>,
    /// The request.
    pub request: ProduceRequest,
    /// The highest version to send it in.
    pub max_version: i16,
    /// How long to wait for the response: to the end of `request_timeout_ms`, or of the oldest batch's
    /// `delivery_timeout_ms` if that is sooner.
    pub deadline: Instant,
    /// The end of the oldest batch's `delivery_timeout_ms`, beyond which no broker is waited for, even one that
    /// throttles.
    pub latest: Instant,
}

/// A batch in a request, and the buffer that it came from.
#[derive(Debug)]
pub struct InFlightBatch {
    /// Where it is put back if it must be tried again.
    pub buffer: Arc<PartitionBuffer>,
    /// The records.
    pub batch: OutgoingBatch,
    /// The topic's id when the request was made, by which its response is found: the topic may be created again
    /// meanwhile.
    pub topic_id: Uuid,
    /// When the request was made.
    pub sent_at: Instant,
}

/// A batch that has ended. Its memory is free already.
#[derive(Debug)]
pub struct Finished {
    /// The batch.
    pub batch: OutgoingBatch,
    /// Its outcome, still to be reported.
    pub outcome: BatchOutcome,
}

impl Sender {
    /// Creates a sender of `accumulator`'s records. `seed` spreads retries; with `transactions` every record belongs to
    /// one.
    pub fn new(
        config: Checked<ProducerConfig>,
        accumulator: Arc<Accumulator>,
        backoff: Backoff,
        seed: u64,
        transactions: Option<Transactions>,
    ) -> Self {
        Self {
            client: Arc::default(),
            identity: IdentityLookup::new(config.enable_idempotence),
            config,
            accumulator,
            backoff,
            random: Random::new(seed),
            transactions,
            queues: Queues::default(),
            refusals: Refusals::default(),
            touched: Vec::new(),
            finished: Vec::new(),
            metadata_seen: None,
            needs_metadata: false,
            flush_was_requested: false,
            reports: Reports::default(),
            dropped_for: None,
            purged: 0,
            retries: 0,
        }
    }

    /// Says what log lines call the client.
    #[must_use]
    pub fn named(mut self, client: &Arc<str>) -> Self {
        self.client = Arc::clone(client);
        self
    }

    /// The transactions of the producer, for calls of the application and responses of coordinators.
    pub fn transactions(&mut self) -> Option<&mut Transactions> {
        self.transactions.as_mut()
    }

    fn batch_permission(&self) -> BatchPermission {
        BatchPermission::of(&self.identity, self.transactions.as_ref())
    }

    /// Decides what is sent now. With `flush_requested` open batches do not linger: for flush, close and a full
    /// `buffer_memory`.
    pub fn poll(&mut self, now: Instant, view: &dyn View, flush_requested: bool) -> Work {
        let mut work = Work::default();
        self.identity.look(now);
        // Each round may advance the transaction, until it waits for a broker: a few rounds always suffice.
        for _ in 0..4 {
            let before = self.batch_permission();
            let flush_requested = flush_requested
                || self
                    .transactions
                    .as_ref()
                    .is_some_and(Transactions::is_ending);
            self.sort(now, view, flush_requested, &before);
            match &before {
                BatchPermission::Closed => work.needs_identity |= self.wants_identity(now),
                BatchPermission::Open(identity) => {
                    self.fill(now, view, flush_requested, *identity, &mut work);
                }
                BatchPermission::Drop { error, resend } => {
                    self.sweep(error);
                    if let Some(identity) = resend {
                        self.fill(now, view, flush_requested, Some(*identity), &mut work);
                    }
                }
            }
            self.queues.watch_expiries(now, &self.config);
            if let Some(transactions) = &mut self.transactions {
                self.needs_metadata |= transactions.take_doubt();
                // A batch in a request may still be stored, even if its records were purged.
                let drained = self.accumulator.unacknowledged() == 0 && self.purged == 0;
                if work.coordinator.is_none() {
                    work.coordinator = transactions.poll(now, drained);
                }
            }
            if self.batch_permission() == before {
                break;
            }
        }
        work.unconnected = self.queues.unconnected(view);
        self.refusals.keep(&self.queues);
        let leaderless = self.queues.has_leaderless();
        work.needs_metadata = std::mem::take(&mut self.needs_metadata) || leaderless;
        work.wake_at = self.next_wake();
        work
    }

    /// Returns requests for what was just appended, if it can be sent at once and there is nothing else to do: nothing
    /// is under way or waits, leaders are connected, and no batch is above `largest` bytes. `None` leaves everything to
    /// the next poll.
    pub fn send_inline(&mut self, now: Instant, view: &dyn View, largest: usize) -> Option<Work> {
        let quiet = self.queues.is_quiet()
            && self.touched.is_empty()
            && self.metadata_seen == Some(view.metadata_version())
            && matches!(self.batch_permission(), BatchPermission::Open(_));
        if !quiet {
            return None;
        }
        self.accumulator.take_arrivals(&mut self.touched);
        let at_once = self.touched.iter().all(|buffer| {
            let leader = view.leader(buffer.topic(), buffer.partition());
            leader.is_some_and(|node| view.is_connected(node))
                && buffer.lock().next_size() <= largest
        });
        at_once.then(|| self.poll(now, view, false))
    }

    /// Takes the batches that have ended since the last call, to be counted and reported.
    pub fn take_finished(&mut self) -> Vec<Finished> {
        std::mem::take(&mut self.finished)
    }

    /// How often batches were tried again.
    pub fn retries(&self) -> u64 {
        self.retries
    }

    fn next_wake(&self) -> Option<Instant> {
        let transactions = self.transactions.as_ref();
        let wakes = [
            self.queues.next_wake(),
            self.identity.next_wake(),
            transactions.and_then(Transactions::next_wake),
        ];
        wakes.into_iter().flatten().min()
    }

    fn finish(&mut self, batch: OutgoingBatch, outcome: BatchOutcome) {
        if let BatchOutcome::Failed(error) = &outcome
            && let Some(transactions) = &mut self.transactions
        {
            transactions.record_failed(error);
        }
        if batch.delivery.is_done() {
            self.purged = self.purged.saturating_sub(1);
        }
        self.accumulator.release(&batch);
        self.finished.push(Finished { batch, outcome });
    }
}

#[cfg(test)]
mod tests;
