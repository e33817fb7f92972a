//! The state of a partition's buffer, behind its lock.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;

use super::batch::{BatchContent, OutgoingBatch, RecordParts};
use crate::produce::delivery::BatchDelivery;
use crate::produce::sequence::{PartitionSequence, ProducerIdentity, Sequence};

/// The state behind the lock of a `PartitionBuffer`.
#[derive(Debug, Default)]
pub struct BufferState {
    pub(super) open: Option<OutgoingBatch>,
    pub(super) waiting: VecDeque<OutgoingBatch>,
    pub(super) in_flight: Vec<UnacknowledgedBatch>,
    pub(super) next_ordinal: u64,
    // The last closed batch's size: the next one will need about as much.
    pub(super) size_hint: usize,
    pub(super) not_before: Option<Instant>,
    // A batch was put back while later ones were under way: those are waited for before anything is sent again, so that
    // the order holds.
    pub(super) regrouping: bool,
    // The broker has lost this producer's sequence numbers: waiting batches get new ones once nothing is under way.
    pub(super) restarting: bool,
    // No batch is sent before the one under way has its outcome: with one request at a time the order must hold even if
    // batches have no sequence numbers and the leader moves between two of them.
    pub(super) one_at_a_time: bool,
    pub(super) sequence: PartitionSequence,
    pub(super) stored: Stored,
    /// Which of the sender's queues and timers have the partition.
    pub(in crate::produce) membership: QueueMembership,
}

/// How much a partition has acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Records.
    pub records: u64,
    /// Their bytes before compression.
    pub bytes: u64,
}

/// A batch that was sent and has no outcome yet.
#[derive(Debug)]
pub(super) struct UnacknowledgedBatch {
    pub(super) ordinal: u64,
    pub(super) delivery: Arc<BatchDelivery>,
    // How many batches got a sequence number before it, if batches get any.
    pub(super) turn: Option<u64>,
    // Whether a broker may have it from an earlier try.
    pub(super) again: bool,
    pub(super) count: u32,
}

/// How many batches of a producer a broker remembers for each partition. If an earlier batch comes again, the broker
/// cannot tell it from a gap.
pub(super) const REMEMBERED: u64 = 5;

/// How the sender keeps track of a partition, so that it is in each of its lists once at most.
#[derive(Debug, Default)]
pub(in crate::produce) struct QueueMembership {
    /// Whether it is among the arrivals.
    pub(in crate::produce) arrived: bool,
    /// Whether it is in a queue of partitions with batches to send.
    pub(in crate::produce) queued: bool,
    /// The node that it waits for in that queue, or did last.
    pub(in crate::produce) node: Option<i32>,
    /// Since when its topic has too few partitions, as far as metadata tells, while it waits in that queue.
    pub(in crate::produce) gone_since: Option<Instant>,
    /// The timer after which its next batch may be sent.
    pub(in crate::produce) wake: Option<Instant>,
    /// The timer for a warning about its oldest batch, or for the end of that batch's `delivery_timeout`.
    pub(in crate::produce) expiry: Option<Instant>,
    /// Whether a warning was logged that its records wait, and nothing was stored since.
    pub(in crate::produce) reported: bool,
}

/// Whether a partition's next batch may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// No batch waits.
    Idle,
    /// A batch under way must have its outcome first.
    Blocked,
    /// The batch may be sent at the instant.
    At(Instant),
    /// The batch may be sent at once.
    Now,
}

impl BufferState {
    pub(super) fn append_open(
        &mut self,
        record: &RecordParts<'_>,
        size: usize,
    ) -> (Arc<BatchDelivery>, u32) {
        // `append` has just made sure that there is an open batch. If it were missing, the record would get a delivery
        // that ends with `Closed`, rather than a panic.
        let Some(OutgoingBatch {
            content: BatchContent::Open(builder),
            delivery,
            reserved,
            count,
            ..
        }) = &mut self.open
        else {
            return (Arc::new(BatchDelivery::new("".into(), -1)), 0);
        };
        let index = builder.append(record.timestamp, record.key, record.value, record.headers);
        *reserved += size;
        *count += 1;
        (Arc::clone(delivery), index)
    }

    /// Moves the open batch to the queue.
    pub(super) fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.size_hint = open.content.len();
            self.waiting.push_back(open);
        }
    }

    /// Returns whether the next batch may be sent: it is closed, or has lingered, or `force`.
    pub fn readiness(&self, now: Instant, linger: Duration, force: bool) -> Readiness {
        let Some(next) = self.waiting.front().or(self.open.as_ref()) else {
            return Readiness::Idle;
        };
        if !self.in_flight.is_empty() && (self.goes_alone(next) || self.is_window_full()) {
            return Readiness::Blocked;
        }
        let closed = !self.waiting.is_empty();
        let lingered = (!closed && !force).then(|| next.created + linger);
        match lingered.max(self.not_before) {
            Some(at) if at > now => Readiness::At(at),
            _ => Readiness::Now,
        }
    }

    /// Returns true if batches under way must have their outcome before `next` may be sent.
    pub(super) fn goes_alone(&self, next: &OutgoingBatch) -> bool {
        self.one_at_a_time
            || self.regrouping
            || self.restarting
            || self.sequence.is_unproven()
            || next.sequence.is_some()
            || self.in_flight.iter().any(|flying| flying.again)
    }

    /// Returns true if after one more batch the broker may not remember the oldest one that has no outcome. Later ones
    /// may have been acknowledged meanwhile, by a new leader while the old one does not answer.
    pub(super) fn is_window_full(&self) -> bool {
        let oldest = self.in_flight.iter().filter_map(|flying| flying.turn).min();
        oldest.is_some_and(|oldest| self.sequence.turns() >= oldest + REMEMBERED)
    }

    /// Takes the next batch in order, whose [`BufferState::readiness`] is [`Readiness::Now`].
    ///
    /// With `identity` a batch without a sequence number gets one. Numbers go on under the identity that they began
    /// with while any batch with such a number has no outcome, because a batch that may be stored must be sent again
    /// under its own number.
    pub fn take(&mut self, identity: Option<ProducerIdentity>) -> Option<OutgoingBatch> {
        self.regrouping = false;
        self.not_before = None;
        if std::mem::take(&mut self.restarting) {
            self.sequence = PartitionSequence::default();
            for batch in &mut self.waiting {
                batch.sequence = None;
            }
        }
        if self.waiting.is_empty() {
            self.close();
        }
        let mut batch = self.waiting.pop_front()?;
        let again = batch.sequence.is_some();
        let turn = identity.map(|_| self.sequence.turns());
        if let Some(identity) = identity
            && batch.sequence.is_none()
        {
            let settled = self.in_flight.is_empty();
            batch.sequence = Some(self.sequence.assign(identity, batch.count, settled));
        }
        self.in_flight.push(UnacknowledgedBatch {
            ordinal: batch.ordinal,
            delivery: Arc::clone(&batch.delivery),
            turn,
            again,
            count: batch.count,
        });
        Some(batch)
    }

    /// Gives new sequence numbers to batches without outcome: the broker refused a number that it should have accepted,
    /// so it has none of them.
    pub fn restart(&mut self) {
        self.restarting = true;
    }

    /// Notes that the batch has failed. If it had a number, the broker has never got it, or refused it.
    pub(in crate::produce) fn give_up(&mut self, batch: &OutgoingBatch) {
        if batch.sequence.is_some() {
            self.sequence.skip();
        }
    }

    /// Returns true if batches with numbers have failed since the numbers began: then the broker lacks those.
    pub(in crate::produce) fn has_gap(&self) -> bool {
        self.sequence.has_gap()
    }

    /// Returns true if the next batch was numbered before, so that a broker may have it.
    pub fn is_sent_before(&self) -> bool {
        let next = self.waiting.front();
        next.is_some_and(|batch| batch.sequence.is_some())
    }

    /// Returns when the oldest batch that waits was begun.
    pub fn oldest(&self) -> Option<Instant> {
        let oldest = self.waiting.front().or(self.open.as_ref());
        oldest.map(|batch| batch.created)
    }

    /// Returns the size in bytes of the batch that [`BufferState::take`] would take.
    pub fn next_size(&self) -> usize {
        let next = self.waiting.front().or(self.open.as_ref());
        next.map_or(0, |batch| batch.content.len())
    }

    /// Notes that a taken batch was answered: it no longer counts as under way.
    pub fn landed(&mut self, ordinal: u64) {
        self.in_flight.retain(|flying| flying.ordinal != ordinal);
    }

    /// Counts the records and bytes of a batch that was stored.
    pub fn count_stored(&mut self, batch: &OutgoingBatch) {
        self.stored.records += u64::from(batch.count);
        self.stored.bytes += batch.uncompressed as u64;
    }

    /// Returns how much was stored so far.
    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// Notes that the topic was created again: its log knows nothing of what was stored in the former one.
    pub fn unprove(&mut self) {
        self.sequence.unprove();
    }

    /// Returns true if the next batch is held up, and not just lingering for more records.
    pub(in crate::produce) fn is_held_up(&self) -> bool {
        self.membership.queued || self.waiting.front().is_some()
    }

    /// Notes that the broker has stored a batch with this number.
    pub fn proven(&mut self, sequence: Sequence) {
        self.sequence.prove(sequence);
    }

    /// Notes why the broker cannot be reached, without code, or what a batch before them has met, for the error of
    /// batches that expire here.
    pub fn blame(&mut self, cause: &Arc<str>, code: Option<ErrorCode>) {
        for batch in self.waiting.iter_mut().chain(&mut self.open) {
            batch.last_cause = Some(Arc::clone(cause));
            batch.last_code = code;
        }
    }

    /// Returns why the last try of the next batch failed, if there was one.
    pub(in crate::produce) fn last_cause(&self) -> Option<Arc<str>> {
        let next = self.waiting.front().or(self.open.as_ref());
        next.and_then(|batch| batch.last_cause.clone())
    }

    /// Returns true if a batch before this one has no outcome yet. Then the broker is right to refuse this one's
    /// number.
    pub fn has_earlier(&self, ordinal: u64) -> bool {
        let held = self.waiting.iter().map(|batch| batch.ordinal);
        let flying = self.in_flight.iter().map(|flying| flying.ordinal);
        held.chain(flying).any(|other| other < ordinal)
    }

    /// Puts a batch back in its place, not to be tried before `not_before`.
    pub fn put_back(&mut self, batch: OutgoingBatch, not_before: Instant) {
        self.landed(batch.ordinal);
        self.not_before = Some(
            self.not_before
                .map_or(not_before, |other| other.max(not_before)),
        );
        self.regrouping = true;
        let at = self
            .waiting
            .partition_point(|other| other.ordinal < batch.ordinal);
        self.waiting.insert(at, batch);
    }

    /// Puts the parts of a batch that was too large in its place.
    pub fn put_back_parts(&mut self, ordinal: u64, parts: Vec<OutgoingBatch>) {
        self.landed(ordinal);
        self.regrouping = true;
        let at = self
            .waiting
            .partition_point(|other| other.ordinal < ordinal);
        for part in parts.into_iter().rev() {
            self.waiting.insert(at, part);
        }
    }

    /// Notes that the partition waits for this node from now on, in its queue. Refused logins of another node do not
    /// count any more.
    pub(in crate::produce) fn wait_for(&mut self, node: Option<i32>) {
        self.membership.queued = true;
        if self.membership.node == node {
            return;
        }
        self.membership.node = node;
        for batch in self.waiting.iter_mut().chain(&mut self.open) {
            batch.refused = None;
        }
    }

    /// Notes that the node it waits for has refused a login, as it does since `since`. Later records go into another
    /// batch, so that a refusal concerns all of a batch or nothing.
    pub(in crate::produce) fn hear_refusal(&mut self, now: Instant, since: Instant) {
        self.close();
        for batch in &mut self.waiting {
            batch.refused = batch.refused.filter(|first| *first >= since).or(Some(now));
        }
    }

    /// Takes the batches, oldest first, that a refusal reached for the first time by `until`.
    pub(in crate::produce) fn take_refused(&mut self, until: Instant) -> Vec<OutgoingBatch> {
        let mut refused = Vec::new();
        while let Some(oldest) = self.waiting.front()
            && oldest.refused.is_some_and(|first| first <= until)
        {
            refused.extend(self.waiting.pop_front());
        }
        refused.iter().for_each(|batch| self.give_up(batch));
        refused
    }

    /// Takes the batches, oldest first, that are not under way and whose time is over: `end` tells when it is for
    /// batches made at a moment.
    pub fn take_expired(
        &mut self,
        now: Instant,
        end: impl Fn(Instant) -> Instant,
    ) -> Vec<OutgoingBatch> {
        let mut expired = Vec::new();
        while let Some(oldest) = self.waiting.front()
            && now >= end(oldest.created)
        {
            expired.extend(self.waiting.pop_front());
        }
        if self.waiting.is_empty()
            && self
                .open
                .as_ref()
                .is_some_and(|open| now >= end(open.created))
        {
            expired.extend(self.open.take());
        }
        expired.iter().for_each(|batch| self.give_up(batch));
        expired
    }

    /// Takes the batches that no broker can have, because they were never sent.
    pub fn take_unsent(&mut self) -> Vec<OutgoingBatch> {
        let unsent = |batch: &OutgoingBatch| batch.sequence.is_none();
        let at = self.waiting.iter().position(unsent);
        let mut taken: Vec<_> = self
            .waiting
            .drain(at.unwrap_or(self.waiting.len())..)
            .collect();
        taken.extend(self.open.take());
        taken
    }

    /// Takes the batches that wait for the first time, or with `tried` those that wait to be tried again.
    pub(in crate::produce) fn take_purged(&mut self, tried: bool) -> Vec<OutgoingBatch> {
        let waiting = std::mem::take(&mut self.waiting);
        let (taken, kept): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|batch| (batch.attempts > 0) == tried);
        self.waiting = kept.into();
        let open = if tried { None } else { self.open.take() };
        taken.iter().for_each(|batch| self.give_up(batch));
        taken.into_iter().chain(open).collect()
    }

    /// Returns the delivery reports of batches in requests, each with its number of records, except those already made.
    pub(in crate::produce) fn flying(&self) -> impl Iterator<Item = (&Arc<BatchDelivery>, u32)> {
        let open = self
            .in_flight
            .iter()
            .filter(|batch| !batch.delivery.is_done());
        open.map(|batch| (&batch.delivery, batch.count))
    }

    /// Takes every batch that is not under way, for a producer that ends.
    pub fn take_all(&mut self) -> Vec<OutgoingBatch> {
        self.waiting.drain(..).chain(self.open.take()).collect()
    }

    /// Returns how many records have no outcome yet.
    pub fn unfinished_records(&self) -> usize {
        let held = self.waiting.iter().chain(&self.open);
        let flying = self.in_flight.iter();
        let flying = flying.filter(|batch| !batch.delivery.is_done());
        let counts = held
            .map(|batch| batch.count)
            .chain(flying.map(|batch| batch.count));
        counts.map(|count| count as usize).sum()
    }

    /// Returns the delivery reports of all unfinished batches with their numbers of records, for flush.
    pub fn deliveries(&self) -> impl Iterator<Item = (&Arc<BatchDelivery>, u32)> {
        let held = self.waiting.iter().chain(&self.open);
        let flying = self.in_flight.iter();
        held.map(|batch| (&batch.delivery, batch.count))
            .chain(flying.map(|flying| (&flying.delivery, flying.count)))
    }
}
