//! Records waiting for one partition, in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_records::{BatchBuilder, Header, SealedBatch};
use parking_lot::{Mutex, MutexGuard};

use crate::produce::delivery::{BatchDelivery, Delivery};
use crate::produce::sequence::{PartitionSequence, ProducerIdentity, Sequence};

/// One partition's queue: an open batch that takes records, and closed ones that wait for the network.
///
/// Lock order: this lock is taken alone; nothing else is locked while it is held.
#[derive(Debug)]
pub struct PartitionBuffer {
    topic: Arc<str>,
    partition: i32,
    state: Mutex<BufferState>,
}

/// Between ordinals there is room for the parts of a split batch, which are numbered by their first record.
const ORDINAL_STEP: u64 = 1 << 32;

/// What is behind the lock of a [`PartitionBuffer`].
#[derive(Debug, Default)]
pub struct BufferState {
    open: Option<OutgoingBatch>,
    waiting: VecDeque<OutgoingBatch>,
    in_flight: Vec<InFlight>,
    next_ordinal: u64,
    // The last closed batch's size: the next one will need about as much.
    size_hint: usize,
    not_before: Option<Instant>,
    // Something was put back while later batches were under way: wait for those before sending again, so that
    // the order holds.
    regrouping: bool,
    // The broker lost our numbers: whatever waits is numbered anew once nothing is under way.
    restarting: bool,
    // Nothing of the partition leaves before what is under way has its outcome: with one request at a time the order
    // must hold even where batches have no numbers and the leader moves between two of them.
    one_at_a_time: bool,
    sequence: PartitionSequence,
    stored: Stored,
    /// Where the sender has put the partition.
    pub(super) place: QueueMembership,
}

/// What a partition was sent and has acknowledged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stored {
    /// Records.
    pub records: u64,
    /// Their bytes before compression.
    pub bytes: u64,
}

/// A batch under way.
#[derive(Debug)]
struct InFlight {
    ordinal: u64,
    delivery: Arc<BatchDelivery>,
    // How many batches were numbered before it, where numbers are given.
    turn: Option<u64>,
    // A broker may have it from an earlier try.
    again: bool,
    count: u32,
}

/// How many batches of a producer a broker remembers for each partition. A batch that comes again when it is further
/// back cannot be told from a gap.
const REMEMBERED: u64 = 5;

/// How the sender keeps track of a partition, so that it is in each of its lists once at most.
#[derive(Debug, Default)]
pub(super) struct QueueMembership {
    /// Among the arrivals.
    pub(super) arrived: bool,
    /// In a queue of those that may leave.
    pub(super) queued: bool,
    /// The node that it waits for there, or did last.
    pub(super) node: Option<i32>,
    /// The timer after which it may leave.
    pub(super) wake: Option<Instant>,
    /// The timer for the end of its oldest batch's life, or for a word to the log before it.
    pub(super) expiry: Option<Instant>,
    /// The log was told that its records wait, and nothing was stored since.
    pub(super) reported: bool,
}

/// Whether a partition's next batch may leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    /// There is none.
    Idle,
    /// Something under way must land first.
    Blocked,
    /// Not before this.
    At(Instant),
    /// At once.
    Now,
}

/// A batch on its way: filled, waiting, or being tried.
#[derive(Debug)]
pub struct OutgoingBatch {
    /// QueueMembership in the partition's order; never changes, whatever is retried.
    pub ordinal: u64,
    /// The records.
    pub content: BatchContent,
    /// Where the outcome is reported.
    pub delivery: Arc<BatchDelivery>,
    /// When the first record came.
    pub created: Instant,
    /// Bytes of `buffer_memory` held.
    pub reserved: usize,
    /// Records inside.
    pub count: u32,
    /// Bytes of the records before compression; 0 until the batch is sealed.
    pub uncompressed: usize,
    /// Tries that failed.
    pub attempts: u32,
    /// What the last failed try met, for the final error.
    pub last_cause: Option<Arc<str>>,
    /// The idempotent number, once given.
    pub sequence: Option<Sequence>,
    /// Whether the application has filled it: it is told of one outcome for all of its records, so they stay together.
    pub is_filled: bool,
    /// When the broker that it waits for was first heard to refuse the login.
    pub(super) refused: Option<Instant>,
}

/// A batch that the application has filled itself.
#[derive(Debug)]
pub struct FilledBatch {
    /// The records.
    pub builder: BatchBuilder,
    /// Bytes of the first record's key, or -1.
    pub key_size: i32,
    /// Bytes of the first record's value, or -1.
    pub value_size: i32,
    /// The first record's timestamp in ms.
    pub timestamp: i64,
}

/// Records before and after compression.
#[derive(Debug)]
pub enum BatchContent {
    /// Still uncompressed.
    Open(BatchBuilder),
    /// Ready for a request.
    Sealed(SealedBatch),
}

impl BatchContent {
    /// Bytes as they stand.
    pub fn len(&self) -> usize {
        match self {
            Self::Open(builder) => builder.len(),
            Self::Sealed(sealed) => sealed.bytes.len(),
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A record as the caller gave it.
#[derive(Debug, Clone, Copy)]
pub struct RecordParts<'a> {
    /// Milliseconds since 1970.
    pub timestamp: i64,
    /// `None` for a record without key.
    pub key: Option<&'a [u8]>,
    /// `None` for a tombstone.
    pub value: Option<&'a [u8]>,
    /// In order; names may repeat.
    pub headers: &'a [Header<'a>],
}

/// What the sender must learn of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Nothing: it knows already.
    None,
    /// A batch was opened or closed: timers and requests may change.
    Changed,
    /// As `Changed`, and the partition is not among the arrivals yet.
    List,
}

impl PartitionBuffer {
    /// An empty buffer. With `one_at_a_time` no batch leaves before the one before it has its outcome.
    pub fn new(topic: Arc<str>, partition: i32, one_at_a_time: bool) -> Self {
        Self {
            topic,
            partition,
            state: Mutex::new(BufferState {
                one_at_a_time,
                ..BufferState::default()
            }),
        }
    }

    /// The topic.
    pub fn topic(&self) -> &Arc<str> {
        &self.topic
    }

    /// The partition's number.
    pub fn partition(&self) -> i32 {
        self.partition
    }

    /// For the sender, which looks at several things under one lock.
    pub fn lock(&self) -> MutexGuard<'_, BufferState> {
        self.state.lock()
    }

    /// Appends a record whose encoded size is at most `size` to the open batch, closing the batch first when the
    /// record would overfill it.
    pub fn append(
        &self,
        record: &RecordParts<'_>,
        size: usize,
        batch_size: usize,
        now: impl FnOnce() -> Instant,
    ) -> (Delivery, Signal) {
        let mut state = self.state.lock();
        let mut changed = false;
        if let Some(open) = &state.open
            && open.content.len() + size > batch_size
        {
            state.close();
            changed = true;
        }
        if state.open.is_none() {
            changed = true;
            let capacity = state
                .size_hint
                .max(size + 128)
                .min(batch_size.max(size) + 128);
            let fresh = self.fresh(&mut state, BatchBuilder::new(capacity), now());
            state.open = Some(fresh);
        }
        let arrived = changed && !std::mem::replace(&mut state.place.arrived, true);
        let (batch, index) = state.append_open(record, size);
        let delivery = Delivery {
            batch,
            index,
            key_size: size_of_field(record.key),
            value_size: size_of_field(record.value),
            timestamp: record.timestamp,
        };
        let signal = match (arrived, changed) {
            (true, _) => Signal::List,
            (false, true) => Signal::Changed,
            (false, false) => Signal::None,
        };
        (delivery, signal)
    }

    /// Queues a filled batch behind everything there is, holding as much memory as it has bytes.
    pub fn append_batch(&self, batch: &FilledBatch, now: Instant) -> (Delivery, Signal) {
        let mut state = self.state.lock();
        state.close();
        let mut fresh = self.fresh(&mut state, batch.builder.clone(), now);
        fresh.reserved = batch.builder.len();
        fresh.count = batch.builder.count();
        fresh.is_filled = true;
        let delivery = Delivery {
            batch: Arc::clone(&fresh.delivery),
            index: 0,
            key_size: batch.key_size,
            value_size: batch.value_size,
            timestamp: batch.timestamp,
        };
        state.waiting.push_back(fresh);
        let arrived = !std::mem::replace(&mut state.place.arrived, true);
        let signal = if arrived {
            Signal::List
        } else {
            Signal::Changed
        };
        (delivery, signal)
    }

    fn fresh(&self, state: &mut BufferState, builder: BatchBuilder, now: Instant) -> OutgoingBatch {
        let ordinal = state.next_ordinal;
        state.next_ordinal += ORDINAL_STEP;
        OutgoingBatch {
            ordinal,
            content: BatchContent::Open(builder),
            delivery: Arc::new(BatchDelivery::new(Arc::clone(&self.topic), self.partition)),
            created: now,
            reserved: 0,
            count: 0,
            uncompressed: 0,
            attempts: 0,
            last_cause: None,
            sequence: None,
            is_filled: false,
            refused: None,
        }
    }
}

fn size_of_field(field: Option<&[u8]>) -> i32 {
    field.map_or(-1, |field| i32::try_from(field.len()).unwrap_or(i32::MAX))
}

impl BufferState {
    fn append_open(&mut self, record: &RecordParts<'_>, size: usize) -> (Arc<BatchDelivery>, u32) {
        // `append` has just made sure of an open batch; were it missing, the record would join an orphan that is
        // reported as closed rather than panic.
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
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.size_hint = open.content.len();
            self.waiting.push_back(open);
        }
    }

    /// Whether the next batch may go: it is closed, or has lingered, or `force`.
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

    /// Whether what is under way must land before `next` may leave.
    fn goes_alone(&self, next: &OutgoingBatch) -> bool {
        self.one_at_a_time
            || self.regrouping
            || self.restarting
            || self.sequence.is_unproven()
            || next.sequence.is_some()
            || self.in_flight.iter().any(|flying| flying.again)
    }

    /// Whether one more batch would push the oldest one without outcome out of the broker's memory. Later ones may have
    /// been acknowledged meanwhile, by a new leader while the old one does not answer.
    fn is_window_full(&self) -> bool {
        let oldest = self.in_flight.iter().filter_map(|flying| flying.turn).min();
        oldest.is_some_and(|oldest| self.sequence.turns() >= oldest + REMEMBERED)
    }

    /// Takes the next batch in order, whose [`BufferState::readiness`] is [`Readiness::Now`].
    ///
    /// With `identity` a batch that has no number gets one. Numbers go on under the identity they began with while any
    /// batch so numbered has no outcome, because a batch that may be stored must come again under its own number.
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
        self.in_flight.push(InFlight {
            ordinal: batch.ordinal,
            delivery: Arc::clone(&batch.delivery),
            turn,
            again,
            count: batch.count,
        });
        Some(batch)
    }

    /// The broker refused a number that it should have accepted, so it holds none of the batches without outcome:
    /// they are numbered anew.
    pub fn restart(&mut self) {
        self.restarting = true;
    }

    /// Whether the next batch was numbered before, so that a broker may have it.
    pub fn is_sent_before(&self) -> bool {
        let next = self.waiting.front();
        next.is_some_and(|batch| batch.sequence.is_some())
    }

    /// When the oldest batch that waits was begun.
    pub fn oldest(&self) -> Option<Instant> {
        let oldest = self.waiting.front().or(self.open.as_ref());
        oldest.map(|batch| batch.created)
    }

    /// Bytes of the batch that [`BufferState::take`] would take.
    pub fn next_size(&self) -> usize {
        let next = self.waiting.front().or(self.open.as_ref());
        next.map_or(0, |batch| batch.content.len())
    }

    /// A taken batch has its answer: it no longer counts as under way.
    pub fn landed(&mut self, ordinal: u64) {
        self.in_flight.retain(|flying| flying.ordinal != ordinal);
    }

    /// A batch is stored.
    pub fn count_stored(&mut self, batch: &OutgoingBatch) {
        self.stored.records += u64::from(batch.count);
        self.stored.bytes += batch.uncompressed as u64;
    }

    /// What was stored so far.
    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// The topic was made again: its log knows nothing of what was stored in the one before.
    pub fn unprove(&mut self) {
        self.sequence.unprove();
    }

    /// Whether its next batch is held up, rather than gathering records.
    pub(super) fn is_held_up(&self) -> bool {
        self.place.queued || self.waiting.front().is_some()
    }

    /// A batch with this number is stored.
    pub fn proven(&mut self, sequence: Sequence) {
        self.sequence.prove(sequence);
    }

    /// Notes what went wrong with the broker, for the error of batches that expire here.
    pub fn blame(&mut self, cause: &Arc<str>) {
        for batch in self.waiting.iter_mut().chain(&mut self.open) {
            batch.last_cause = Some(Arc::clone(cause));
        }
    }

    /// What the last try of the next batch met, where there was one.
    pub(super) fn last_cause(&self) -> Option<Arc<str>> {
        let next = self.waiting.front().or(self.open.as_ref());
        next.and_then(|batch| batch.last_cause.clone())
    }

    /// Whether a batch before this one has no outcome yet. Then the broker is right to refuse this one's number.
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

    /// Waits for this node from now on, in a queue. What was heard of another does not count here.
    pub(super) fn wait_for(&mut self, node: Option<i32>) {
        self.place.queued = true;
        if self.place.node == node {
            return;
        }
        self.place.node = node;
        for batch in self.waiting.iter_mut().chain(&mut self.open) {
            batch.refused = None;
        }
    }

    /// The node that it waits for refuses the login, as it does since `since`. Later records go into a batch of their
    /// own, so that all of a batch have heard the same.
    pub(super) fn hear_refusal(&mut self, now: Instant, since: Instant) {
        self.close();
        for batch in &mut self.waiting {
            batch.refused = batch.refused.filter(|first| *first >= since).or(Some(now));
        }
    }

    /// Batches, oldest first, that heard a refusal for the first time by `until`.
    pub(super) fn take_refused(&mut self, until: Instant) -> Vec<OutgoingBatch> {
        let mut refused = Vec::new();
        while let Some(oldest) = self.waiting.front()
            && oldest.refused.is_some_and(|first| first <= until)
        {
            refused.extend(self.waiting.pop_front());
        }
        refused
    }

    /// Batches, oldest first, that have waited longer than `limit` and are not under way.
    pub fn take_expired(&mut self, now: Instant, limit: Duration) -> Vec<OutgoingBatch> {
        let mut expired = Vec::new();
        while let Some(oldest) = self.waiting.front()
            && now >= oldest.created + limit
        {
            expired.extend(self.waiting.pop_front());
        }
        if self.waiting.is_empty()
            && self
                .open
                .as_ref()
                .is_some_and(|open| now >= open.created + limit)
        {
            expired.extend(self.open.take());
        }
        expired
    }

    /// Batches that no broker can have: they never left.
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

    /// Batches that wait for the first time, or those that wait to be tried again.
    pub(super) fn take_purged(&mut self, tried: bool) -> Vec<OutgoingBatch> {
        let waiting = std::mem::take(&mut self.waiting);
        let (taken, kept): (Vec<_>, Vec<_>) = waiting
            .into_iter()
            .partition(|batch| (batch.attempts > 0) == tried);
        self.waiting = kept.into();
        let open = if tried { None } else { self.open.take() };
        taken.into_iter().chain(open).collect()
    }

    /// Reports of what requests have, each with its number of records, except those that are made already.
    pub(super) fn flying(&self) -> impl Iterator<Item = (&Arc<BatchDelivery>, u32)> {
        let open = self
            .in_flight
            .iter()
            .filter(|batch| !batch.delivery.is_done());
        open.map(|batch| (&batch.delivery, batch.count))
    }

    /// Everything that is not under way, for a producer that gives up.
    pub fn take_all(&mut self) -> Vec<OutgoingBatch> {
        self.waiting.drain(..).chain(self.open.take()).collect()
    }

    /// How many records have no outcome yet.
    pub fn unfinished_records(&self) -> usize {
        let held = self.waiting.iter().chain(&self.open);
        let flying = self.in_flight.iter();
        let flying = flying.filter(|batch| !batch.delivery.is_done());
        let counts = held
            .map(|batch| batch.count)
            .chain(flying.map(|batch| batch.count));
        counts.map(|count| count as usize).sum()
    }

    /// Reports of everything unfinished with their numbers of records, for flush.
    pub fn deliveries(&self) -> impl Iterator<Item = (&Arc<BatchDelivery>, u32)> {
        let held = self.waiting.iter().chain(&self.open);
        let flying = self.in_flight.iter();
        held.map(|batch| (&batch.delivery, batch.count))
            .chain(flying.map(|flying| (&flying.delivery, flying.count)))
    }
}
