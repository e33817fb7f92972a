//! Which batch takes a record, and which batch leaves next.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kafkars_records::{BatchBuilder, Header};
use parking_lot::{Mutex, RwLock};

use crate::cluster::TopicMetadata;
use crate::config::ProducerConfig;
use crate::produce::delivery::{BatchDelivery, Delivery};
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer, RecordParts, Signal};
use crate::produce::partitioner::{PartitionChooser, Partitioner};
use crate::produce::sequence::ProducerIdentity;

/// All records of one producer that are not acknowledged, by topic and partition.
///
/// Lock order: `topics`, then a topic's chooser, then a partition buffer, then `arrivals`; none is held across the next.
#[derive(Debug)]
pub struct Accumulator {
    batch_size: usize,
    buffer_memory: usize,
    max_request_size: usize,
    partitioner: Partitioner,
    seed: u64,
    topics: RwLock<HashMap<Arc<str>, Arc<TopicBuffers>>>,
    used: AtomicUsize,
    unacknowledged: AtomicUsize,
    // Partitions that got their first record since the sender last looked.
    arrivals: Mutex<Vec<Arc<PartitionBuffer>>>,
}

/// The partitions of one topic as metadata last described them.
#[derive(Debug)]
struct TopicBuffers {
    name: Arc<str>,
    partitions: Box<[Arc<PartitionBuffer>]>,
    available: Box<[i32]>,
    chooser: Mutex<PartitionChooser>,
}

/// A record to send.
#[derive(Debug, Clone, Copy)]
pub struct ProduceRecord<'a> {
    /// Where to.
    pub topic: &'a str,
    /// Chosen by the partitioner when `None`.
    pub partition: Option<i32>,
    /// Milliseconds since 1970; now when `None`.
    pub timestamp: Option<i64>,
    /// `None` for a record without key.
    pub key: Option<&'a [u8]>,
    /// `None` for a tombstone.
    pub value: Option<&'a [u8]>,
    /// In order; names may repeat.
    pub headers: &'a [Header<'a>],
}

/// Why a record was not taken at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The topic's partitions are not known yet.
    NeedsMetadata(Arc<str>),
    /// `buffer_memory` is full; this many bytes are wanted.
    NeedsRoom(usize),
    /// Waiting would not help.
    Failed(ProduceError),
}

/// What the sender should do now.
#[derive(Debug, Default)]
pub struct Plan {
    /// Batches to send, at most one per partition in each request.
    pub requests: Vec<(i32, Vec<Departure>)>,
    /// Batches whose time is over; they have left their queues.
    pub expired: Vec<OutgoingBatch>,
    /// When to plan again although nothing happens.
    pub wake_at: Option<Instant>,
    /// A partition with records has no known leader.
    pub needs_metadata: bool,
}

/// A batch that leaves, and the queue it came from.
#[derive(Debug)]
pub struct Departure {
    /// Where it is put back if it must be tried again.
    pub buffer: Arc<PartitionBuffer>,
    /// The records.
    pub batch: OutgoingBatch,
}

/// What a [`Plan`] is made from, besides the accumulator.
pub struct PlanInputs<'a> {
    /// The present.
    pub now: Instant,
    /// Limits and linger.
    pub config: &'a ProducerConfig,
    /// Send open batches without waiting for linger (flush, close, full memory).
    pub force: bool,
    /// The identity for numbering; `None` without idempotence.
    pub identity: Option<ProducerIdentity>,
    /// The leader of a partition, where known.
    pub leader: &'a dyn Fn(&str, i32) -> Option<i32>,
    /// Produce requests that may still be started to a node.
    pub room: &'a dyn Fn(i32) -> usize,
}

impl Accumulator {
    /// An empty accumulator; `seed` spreads keyless records of different producers.
    pub fn new(config: &ProducerConfig, seed: u64) -> Self {
        Self {
            batch_size: config.batch_size,
            buffer_memory: config.buffer_memory,
            max_request_size: config.max_request_size,
            partitioner: config.partitioner,
            seed,
            topics: RwLock::new(HashMap::new()),
            used: AtomicUsize::new(0),
            unacknowledged: AtomicUsize::new(0),
            arrivals: Mutex::new(Vec::new()),
        }
    }

    /// Takes a record, or says what it needs first. `now_ms` is the wall clock for records without timestamp.
    ///
    /// The flag tells whether the sender must be woken.
    pub fn append(
        &self,
        record: &ProduceRecord<'_>,
        now: Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), Refusal> {
        let topic = match self.topics.read().get(record.topic) {
            Some(topic) => Arc::clone(topic),
            None => return Err(Refusal::NeedsMetadata(record.topic.into())),
        };
        let size = BatchBuilder::record_size_bound(record.key, record.value, record.headers);
        if size > self.max_request_size {
            return Err(Refusal::Failed(ProduceError::RecordTooLarge {
                topic: Arc::clone(&topic.name),
                size,
                limit: self.max_request_size,
            }));
        }
        let timestamp = match record.timestamp {
            Some(timestamp) if timestamp < 0 => {
                return Err(Refusal::Failed(ProduceError::InvalidTimestamp {
                    timestamp,
                }));
            }
            Some(timestamp) => timestamp,
            None => now_ms(),
        };
        let partition = self.partition(&topic, record, size)?;
        self.reserve(size)?;
        let parts = RecordParts {
            timestamp,
            key: record.key,
            value: record.value,
            headers: record.headers,
        };
        self.unacknowledged.fetch_add(1, Ordering::Relaxed);
        let (delivery, signal) = partition.append(&parts, size, self.batch_size, now);
        if signal == Signal::List {
            self.arrivals.lock().push(Arc::clone(partition));
        }
        Ok((delivery, signal != Signal::None))
    }

    fn partition<'a>(
        &self,
        topic: &'a TopicBuffers,
        record: &ProduceRecord<'_>,
        size: usize,
    ) -> Result<&'a Arc<PartitionBuffer>, Refusal> {
        let chosen = match record.partition {
            Some(partition) => Some(partition),
            None => topic.chooser.lock().choose(
                self.partitioner,
                record.key,
                size,
                self.batch_size,
                topic.partitions.len(),
                &topic.available,
            ),
        };
        chosen
            .and_then(|chosen| topic.partitions.get(usize::try_from(chosen).ok()?))
            .ok_or_else(|| {
                Refusal::Failed(ProduceError::InvalidPartition {
                    topic: Arc::clone(&topic.name),
                    partition: chosen.unwrap_or(-1),
                    count: topic.partitions.len(),
                })
            })
    }

    fn reserve(&self, size: usize) -> Result<(), Refusal> {
        let before = self.used.fetch_add(size, Ordering::Relaxed);
        // A record larger than all of the memory is let in when it is alone: it could never fit otherwise.
        if before + size > self.buffer_memory && before > 0 {
            self.used.fetch_sub(size, Ordering::Relaxed);
            return Err(Refusal::NeedsRoom(size));
        }
        Ok(())
    }

    /// Whether a record of `size` bytes would fit now.
    pub fn has_room(&self, size: usize) -> bool {
        let used = self.used.load(Ordering::Relaxed);
        used == 0 || used + size <= self.buffer_memory
    }

    /// Bytes held by records that are not acknowledged.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Records that are not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.unacknowledged.load(Ordering::Relaxed)
    }

    /// A batch has ended: gives its memory back.
    pub fn release(&self, batch: &OutgoingBatch) {
        let less = |counter: &AtomicUsize, by: usize| {
            let subtract = |count: usize| Some(count.saturating_sub(by));
            // Never fails: the closure always gives a value.
            let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract);
        };
        less(&self.used, batch.reserved);
        less(&self.unacknowledged, batch.count as usize);
    }

    /// Nothing is under way any more, whatever was: for a producer that gave up.
    pub fn forget(&self) {
        self.used.store(0, Ordering::Relaxed);
        self.unacknowledged.store(0, Ordering::Relaxed);
    }

    /// Whether records for `topic` can be placed.
    pub fn knows(&self, topic: &str) -> bool {
        self.topics.read().contains_key(topic)
    }

    /// Names of the topics used so far.
    pub fn topics(&self) -> Vec<Arc<str>> {
        self.topics.read().keys().cloned().collect()
    }

    /// Takes over a topic's partitions and leaders. Partitions that exist keep their records.
    pub fn update_topic(&self, metadata: &TopicMetadata) {
        let available: Vec<i32> = metadata
            .partitions
            .iter()
            .filter(|partition| partition.leader.is_some())
            .map(|partition| partition.partition)
            .collect();
        let mut topics = self.topics.write();
        let known = topics.get(metadata.name.as_str());
        let count = metadata.partitions.len();
        if let Some(known) = known
            && known.partitions.len() >= count
            && *known.available == *available
        {
            return;
        }
        let name = known.map_or_else(
            || metadata.name.as_str().into(),
            |known| Arc::clone(&known.name),
        );
        let mut partitions: Vec<_> = known.map_or_else(Vec::new, |known| known.partitions.to_vec());
        for partition in partitions.len()..count {
            let partition = i32::try_from(partition).unwrap_or(i32::MAX);
            partitions.push(Arc::new(PartitionBuffer::new(Arc::clone(&name), partition)));
        }
        let seed = self.seed ^ u64::from(crc32fast::hash(name.as_bytes()));
        let buffers = TopicBuffers {
            name: Arc::clone(&name),
            partitions: partitions.into(),
            available: available.into(),
            chooser: Mutex::new(PartitionChooser::new(seed)),
        };
        topics.insert(name, Arc::new(buffers));
    }

    /// Takes everything that is not under way, for a producer that gives up.
    pub fn take_all(&self) -> Vec<OutgoingBatch> {
        let topics: Vec<_> = self.topics.read().values().cloned().collect();
        let partitions = topics.iter().flat_map(|topic| &topic.partitions);
        partitions
            .flat_map(|partition| partition.lock().take_all())
            .collect()
    }

    /// Moves newly used partitions to the sender's list.
    pub fn take_arrivals(&self, active: &mut Vec<Arc<PartitionBuffer>>) {
        active.append(&mut self.arrivals.lock());
    }

    /// Reports of every unfinished batch.
    pub fn unfinished(&self) -> Vec<Arc<BatchDelivery>> {
        let topics: Vec<_> = self.topics.read().values().cloned().collect();
        let mut unfinished = Vec::new();
        for partition in topics.iter().flat_map(|topic| &topic.partitions) {
            unfinished.extend(partition.lock().deliveries().cloned());
        }
        unfinished
    }
}

/// Goes through the sender's list once: what leaves, what has expired, when to look again.
///
/// Each node gets as many requests as it has room for; a request holds at most one batch of a partition and at most
/// `max_request_size` bytes, or one batch.
pub fn plan(active: &mut Vec<Arc<PartitionBuffer>>, inputs: &PlanInputs<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut nodes: HashMap<i32, NodePlan> = HashMap::new();
    let config = inputs.config;
    // Where requests are scarce, another partition gets the first place each time.
    if !active.is_empty() {
        active.rotate_left(1);
    }
    active.retain(|buffer| {
        let mut state = buffer.lock();
        plan.expired
            .append(&mut state.take_expired(inputs.now, config.delivery_timeout));
        if state.unlist_if_idle() {
            return false;
        }
        match (inputs.leader)(buffer.topic(), buffer.partition()) {
            None => plan.needs_metadata = true,
            Some(leader) => {
                let node = nodes
                    .entry(leader)
                    .or_insert_with(|| NodePlan::new((inputs.room)(leader)));
                let mut from = 0;
                while let Some(slot) = node.slot(from, state.next_size(), config.max_request_size)
                    && let Some(batch) =
                        state.take_ready(inputs.now, config.linger, inputs.force, inputs.identity)
                {
                    let buffer = Arc::clone(buffer);
                    node.add(slot, Departure { buffer, batch });
                    // Batches of one partition go into requests that leave one after the other.
                    from = slot + 1;
                }
            }
        }
        let wake = state.next_wake(config.linger, config.delivery_timeout);
        plan.wake_at = [plan.wake_at, wake].into_iter().flatten().min();
        true
    });
    for (leader, node) in nodes {
        let requests = node
            .requests
            .into_iter()
            .map(|request| (leader, request.batches));
        plan.requests.extend(requests);
    }
    plan
}

/// Requests being filled for one node.
struct NodePlan {
    room: usize,
    requests: Vec<RequestPlan>,
}

#[derive(Default)]
struct RequestPlan {
    batches: Vec<Departure>,
    bytes: usize,
}

impl NodePlan {
    fn new(room: usize) -> Self {
        Self {
            room,
            requests: Vec::new(),
        }
    }

    /// The first request from `from` on that has room for `size` bytes; possibly one still to be made.
    fn slot(&self, from: usize, size: usize, limit: usize) -> Option<usize> {
        let fits = |slot: &usize| {
            self.requests
                .get(*slot)
                .is_none_or(|request| request.bytes + size <= limit)
        };
        (from..self.room.min(self.requests.len() + 1)).find(fits)
    }

    fn add(&mut self, slot: usize, departure: Departure) {
        if slot == self.requests.len() {
            self.requests.push(RequestPlan::default());
        }
        if let Some(request) = self.requests.get_mut(slot) {
            request.bytes += departure.batch.content.len();
            request.batches.push(departure);
        }
    }
}

#[cfg(test)]
#[path = "accumulator_tests.rs"]
mod tests;
