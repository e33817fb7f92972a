//! What leaves when, and what came of it: the decisions of a producer's sending half, without I/O.
//!
//! A driver calls [`Sender::poll`] whenever something may have changed: records were appended, answers came, metadata
//! changed, the time it was told has come. It carries out the [`Work`] it gets, and brings back what happened. It
//! reports [`Sender::take_finished`] to whoever waits for the batches.
//!
//! Costs follow what happens, not how many partitions there are: a partition is looked at when one of its batches was
//! opened or closed, when its timer ends, and when an answer came for it. Those that may leave wait in the queue of
//! their leader.

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

/// The sending half of one producer.
#[derive(Debug)]
pub struct Sender {
    config: Checked<ProducerConfig>,
    accumulator: Arc<Accumulator>,
    backoff: Backoff,
    random: Random,
    identity: IdentityLookup,
    transactions: Option<Transactions>,
    queues: Queues,
    refusals: Refusals,
    // To be looked at: something was appended, or an answer came.
    touched: Vec<Arc<PartitionBuffer>>,
    finished: Vec<Finished>,
    metadata_seen: Option<u64>,
    needs_metadata: bool,
    // Open batches leave without lingering since the last poll.
    flush_was_requested: bool,
    reports: Reports,
    // What the last poll dropped batches for, so that all partitions are gone through once only.
    dropped_for: Option<ProduceError>,
    // Batches in requests whose records were taken back.
    purged: usize,
    retries: u64,
}

/// What the driver must do now.
#[derive(Debug, Default)]
pub struct Work {
    /// To be sent, in this order.
    pub requests: Vec<ProduceCall>,
    /// Batches wait for these nodes, to which there is no connection.
    pub unconnected: Vec<i32>,
    /// A leader is unknown or in doubt.
    pub needs_metadata: bool,
    /// Ask any broker for a producer id (InitProducerId without transactional id) and bring the answer to
    /// [`Sender::identified`].
    pub needs_identity: bool,
    /// The next request of the transaction, for [`Transactions::answered`].
    pub coordinator: Option<Dispatch>,
    /// When to poll again although nothing happens.
    pub wake_at: Option<Instant>,
}

/// A Produce request.
#[derive(Debug)]
pub struct ProduceCall {
    /// Where to.
    pub node: i32,
    /// What to bring back with the answer.
    pub batches: Vec<InFlightBatch>,
    /// What to send.
    pub request: ProduceRequest,
    /// The highest version to send it in.
    pub max_version: i16,
    /// When the answer is given up: the end of the oldest batch's life, or of `request_timeout_ms`.
    pub deadline: Instant,
    /// The end of the oldest batch's life: a broker that asks for patience gets none beyond it.
    pub latest: Instant,
}

/// A batch that leaves, and the queue it came from.
#[derive(Debug)]
pub struct InFlightBatch {
    /// Where it is put back if it must be tried again.
    pub buffer: Arc<PartitionBuffer>,
    /// The records.
    pub batch: OutgoingBatch,
    /// The topic's id when the request was made, by which its answer is found: the topic may be made again meanwhile.
    pub topic_id: Uuid,
}

/// A batch whose fate is decided. Its memory is free already.
#[derive(Debug)]
pub struct Finished {
    /// The batch.
    pub batch: OutgoingBatch,
    /// Its outcome, still to be reported.
    pub outcome: BatchOutcome,
}

impl Sender {
    /// A sender of `accumulator`'s records. `seed` spreads retries; with `transactions` every record belongs to one.
    pub fn new(
        config: Checked<ProducerConfig>,
        accumulator: Arc<Accumulator>,
        backoff: Backoff,
        seed: u64,
        transactions: Option<Transactions>,
    ) -> Self {
        Self {
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

    /// The transactional half, for calls of the application and answers of coordinators.
    pub fn transactions(&mut self) -> Option<&mut Transactions> {
        self.transactions.as_mut()
    }

    fn batch_permission(&self) -> BatchPermission {
        BatchPermission::of(&self.identity, self.transactions.as_ref())
    }

    /// Decides what leaves now. With `flush_requested` open batches do not linger: for flush, close and full memory.
    pub fn poll(&mut self, now: Instant, view: &dyn View, flush_requested: bool) -> Work {
        let mut work = Work::default();
        self.identity.look(now);
        // Each round moves the transaction on, which then waits for a broker: a few rounds always do.
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
            self.queues
                .watch_expiries(now, self.config.delivery_timeout);
            if let Some(transactions) = &mut self.transactions {
                // A request that has left may still be stored, also where its records were taken back.
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

    /// What has just been appended, if it can leave at once and nothing else needs attention: nothing is under way or
    /// waits, leaders are connected, and no batch is above `largest` bytes. `None` leaves everything to the next poll.
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

    /// Batches whose fate is decided since the last look, to be counted and reported.
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
