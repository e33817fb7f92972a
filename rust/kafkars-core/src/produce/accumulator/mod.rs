//! Which batch takes a record, and which batch leaves next.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use foldhash::fast::RandomState;
use kafkars_protocol::Uuid;
use kafkars_records::{BatchBuilder, Header};
use parking_lot::{Mutex, RwLock};

use crate::cluster::TopicMetadata;
use crate::config::ProducerConfig;
use crate::produce::delivery::{BatchDelivery, Delivery};
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{
    FilledBatch, OutgoingBatch, PartitionBuffer, RecordParts, Signal, Stored,
};
use crate::produce::partitioner::{PartitionChooser, Partitioner};

/// All records of one producer that are not acknowledged, by topic and partition.
///
/// Lock order: `topics`, then a topic's chooser, then a partition buffer, then `arrivals`. Only reading `topics` is
/// held across the others, by whoever appends.
#[derive(Debug)]
pub struct Accumulator {
    batch_size: usize,
    buffer_memory: usize,
    max_request_size: usize,
    partitioner: Partitioner,
    // One request at a time keeps the order, whatever leaders do.
    one_at_a_time: bool,
    seed: u64,
    topics: RwLock<HashMap<Arc<str>, Arc<TopicBuffers>, RandomState>>,
    used: AtomicUsize,
    // Bytes that whoever is first in line for room waits for; nobody else gets room that would keep them from it.
    awaited: AtomicUsize,
    unacknowledged: AtomicUsize,
    // Partitions where a batch was opened or closed since the sender last looked.
    arrivals: Mutex<Vec<Arc<PartitionBuffer>>>,
}

/// The partitions of one topic as metadata last described them.
#[derive(Debug)]
struct TopicBuffers {
    name: Arc<str>,
    id: Uuid,
    partitions: Box<[Arc<PartitionBuffer>]>,
    available: Box<[i32]>,
    chooser: Arc<Mutex<PartitionChooser>>,
    // Partitions that the topic had before it was made again with fewer. What waits for them waits on: the partition
    // may be made again as well, or else its time runs out.
    former: Box<[Arc<PartitionBuffer>]>,
}

impl TopicBuffers {
    fn find(&self, partition: i32) -> Result<&Arc<PartitionBuffer>, ProduceError> {
        let at = usize::try_from(partition).ok();
        at.and_then(|at| self.partitions.get(at))
            .ok_or_else(|| ProduceError::InvalidPartition {
                topic: Arc::clone(&self.name),
                partition,
                count: self.partitions.len(),
            })
    }
}

/// A topic whose partitions are known, for [`Accumulator::append_to`].
#[derive(Debug, Clone)]
pub struct Destination(Arc<TopicBuffers>);

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
pub enum AppendRefusal {
    /// The topic's partitions are not known yet.
    NeedsMetadata(Arc<str>),
    /// `buffer_memory` is full; this many bytes are wanted.
    NeedsRoom(usize),
    /// Waiting would not help.
    Failed(ProduceError),
}

impl Accumulator {
    /// An empty accumulator; `seed` spreads keyless records of different producers.
    pub fn new(config: &ProducerConfig, seed: u64) -> Self {
        Self {
            batch_size: config.batch_size,
            buffer_memory: config.buffer_memory,
            max_request_size: config.max_request_size,
            partitioner: config.partitioner,
            one_at_a_time: config.max_in_flight == 1,
            seed,
            topics: RwLock::new(HashMap::default()),
            used: AtomicUsize::new(0),
            awaited: AtomicUsize::new(0),
            unacknowledged: AtomicUsize::new(0),
            arrivals: Mutex::new(Vec::new()),
        }
    }

    /// Takes a record, or says what it needs first. `now` is asked when a batch begins, `now_ms`, the wall clock, for
    /// records without timestamp: reading a clock costs as much as appending a small record.
    ///
    /// The flag tells whether the sender must be woken.
    pub fn append(
        &self,
        record: &ProduceRecord<'_>,
        now: impl FnOnce() -> Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        let topics = self.topics.read();
        match topics.get(record.topic) {
            Some(topic) => self.append_in(topic, record, now, now_ms),
            None => Err(AppendRefusal::NeedsMetadata(record.topic.into())),
        }
    }

    /// The partitions of a topic, looked up once for many records.
    pub fn destination(&self, topic: &str) -> Result<Destination, AppendRefusal> {
        match self.topics.read().get(topic) {
            Some(topic) => Ok(Destination(Arc::clone(topic))),
            None => Err(AppendRefusal::NeedsMetadata(topic.into())),
        }
    }

    /// [`Accumulator::append`] to a topic that was looked up.
    pub fn append_to(
        &self,
        destination: &Destination,
        record: &ProduceRecord<'_>,
        now: impl FnOnce() -> Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        self.append_in(&destination.0, record, now, now_ms)
    }

    #[inline]
    fn append_in(
        &self,
        topic: &TopicBuffers,
        record: &ProduceRecord<'_>,
        now: impl FnOnce() -> Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        let size = self.size(record).map_err(AppendRefusal::Failed)?;
        let timestamp = timestamp(record)
            .map_err(AppendRefusal::Failed)?
            .unwrap_or_else(now_ms);
        let (partition, is_by_chance) = self.partition(topic, record, size)?;
        self.reserve(size)?;
        let parts = RecordParts {
            timestamp,
            key: record.key,
            value: record.value,
            headers: record.headers,
        };
        self.unacknowledged.fetch_add(1, Ordering::Relaxed);
        let mut began = None;
        let now = || *began.insert(now());
        let (delivery, signal) = partition.append(&parts, size, self.batch_size, now);
        if is_by_chance && let Some(began) = began {
            topic
                .chooser
                .lock()
                .batch_began(partition.partition(), began);
        }
        Ok((delivery, self.signalled(partition, signal)))
    }

    /// Takes a batch that the application has filled, as it is. The delivery is that of its first record.
    pub fn append_batch(
        &self,
        topic: &str,
        partition: i32,
        batch: &FilledBatch,
        now: Instant,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        let topic = self.destination(topic)?.0;
        let size = batch.builder.len();
        self.check_size(&topic.name, size)
            .map_err(AppendRefusal::Failed)?;
        let partition = topic.find(partition).map_err(AppendRefusal::Failed)?;
        self.reserve(size)?;
        let count = batch.builder.count() as usize;
        self.unacknowledged.fetch_add(count, Ordering::Relaxed);
        let (delivery, signal) = partition.append_batch(batch, now);
        Ok((delivery, self.signalled(partition, signal)))
    }

    /// Whether a record could be taken if there were room: what is wrong with the record itself, as far as can be said
    /// before the topic is known, or afterwards.
    pub fn check(
        &self,
        destination: Option<&Destination>,
        record: &ProduceRecord<'_>,
    ) -> Result<(), ProduceError> {
        self.size(record)?;
        timestamp(record)?;
        match (destination, record.partition) {
            (Some(destination), Some(partition)) => destination.0.find(partition).map(drop),
            _ => Ok(()),
        }
    }

    fn size(&self, record: &ProduceRecord<'_>) -> Result<usize, ProduceError> {
        let size = BatchBuilder::record_size_bound(record.key, record.value, record.headers);
        self.check_size(record.topic, size)?;
        Ok(size)
    }

    fn check_size(&self, topic: &str, size: usize) -> Result<(), ProduceError> {
        if size > self.max_request_size {
            return Err(ProduceError::RecordTooLarge {
                topic: topic.into(),
                size,
                limit: self.max_request_size,
            });
        }
        Ok(())
    }

    fn signalled(&self, partition: &Arc<PartitionBuffer>, signal: Signal) -> bool {
        if signal == Signal::List {
            self.arrivals.lock().push(Arc::clone(partition));
        }
        signal != Signal::None
    }

    /// The record's partition, and whether neither the caller nor the key decided.
    fn partition<'a>(
        &self,
        topic: &'a TopicBuffers,
        record: &ProduceRecord<'_>,
        size: usize,
    ) -> Result<(&'a Arc<PartitionBuffer>, bool), AppendRefusal> {
        let count = topic.partitions.len();
        let by_itself = record
            .partition
            .or_else(|| self.partitioner.of_key(record.key, count));
        let chosen = by_itself.or_else(|| {
            topic.chooser.lock().choose(
                self.partitioner,
                record.key,
                size,
                self.batch_size,
                count,
                &topic.available,
            )
        });
        let found = topic
            .find(chosen.unwrap_or(-1))
            .map_err(AppendRefusal::Failed)?;
        Ok((found, by_itself.is_none()))
    }

    fn reserve(&self, size: usize) -> Result<(), AppendRefusal> {
        let before = self.used.fetch_add(size, Ordering::Relaxed);
        let awaited = self.awaited.load(Ordering::Relaxed);
        // A record larger than all of the memory is let in when it is alone: it could never fit otherwise.
        if before + size + awaited > self.buffer_memory && before + awaited > 0 {
            self.used.fetch_sub(size, Ordering::Relaxed);
            return Err(AppendRefusal::NeedsRoom(size));
        }
        Ok(())
    }

    /// Whether a record of `size` bytes would fit now; for the one that is first in line, or for any other.
    pub fn has_room(&self, size: usize, is_first: bool) -> bool {
        let used = self.used.load(Ordering::Relaxed);
        let awaited = match is_first {
            true => 0,
            false => self.awaited.load(Ordering::Relaxed),
        };
        used + awaited == 0 || used + size + awaited <= self.buffer_memory
    }

    /// Takes the first place in line for room, unless somebody has it. Without it a large record would never fit while
    /// small ones take whatever room there is. Ends by [`leave_line`](Self::leave_line).
    pub fn be_first_in_line(&self, size: usize) -> bool {
        let taken =
            self.awaited
                .compare_exchange(0, size.max(1), Ordering::AcqRel, Ordering::Relaxed);
        taken.is_ok()
    }

    /// Gives the first place up.
    pub fn leave_line(&self) {
        self.awaited.store(0, Ordering::Release);
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
        less(&self.used, batch.reserved);
        // One that was purged under way has its outcome before its end, and was counted off then.
        if !batch.delivery.is_done() {
            less(&self.unacknowledged, batch.count as usize);
        }
    }

    /// Records under way have their outcome before their answer.
    pub(super) fn count_off(&self, records: u32) {
        less(&self.unacknowledged, records as usize);
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

    /// What each partition of the topics used so far was sent and has acknowledged.
    pub fn stored(&self) -> Vec<(Arc<str>, i32, Stored)> {
        let buffers = self.buffers();
        let count = |buffer: &Arc<PartitionBuffer>| {
            let stored = buffer.lock().stored();
            (Arc::clone(buffer.topic()), buffer.partition(), stored)
        };
        buffers.iter().map(count).collect()
    }

    /// Takes over a topic's partitions and leaders. Partitions that exist keep their records; those of a topic that
    /// was made again with fewer partitions take no more.
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
            && known.id == metadata.id
            && known.partitions.len() == count
            && *known.available == *available
        {
            return;
        }
        let name = known.map_or_else(
            || metadata.name.as_str().into(),
            |known| Arc::clone(&known.name),
        );
        let mut buffers: Vec<_> = known.map_or_else(Vec::new, |known| {
            known
                .partitions
                .iter()
                .chain(&known.former)
                .cloned()
                .collect()
        });
        for partition in buffers.len()..count {
            let partition = i32::try_from(partition).unwrap_or(i32::MAX);
            let buffer = PartitionBuffer::new(Arc::clone(&name), partition, self.one_at_a_time);
            buffers.push(Arc::new(buffer));
        }
        if known.is_some_and(|known| known.id != metadata.id) {
            for buffer in &buffers {
                buffer.lock().unprove();
            }
        }
        let chooser = known
            .map(|known| Arc::clone(&known.chooser))
            .unwrap_or_else(|| {
                let seed = self.seed ^ u64::from(crc32fast::hash(name.as_bytes()));
                Arc::new(Mutex::new(PartitionChooser::new(seed)))
            });
        let former = buffers.split_off(count);
        let buffers = TopicBuffers {
            name: Arc::clone(&name),
            id: metadata.id,
            partitions: buffers.into(),
            available: available.into(),
            chooser,
            former: former.into(),
        };
        topics.insert(name, Arc::new(buffers));
    }

    /// Takes everything that is not under way, for a producer that gives up.
    pub fn take_all(&self) -> Vec<OutgoingBatch> {
        let buffers = self.buffers();
        buffers
            .iter()
            .flat_map(|buffer| buffer.lock().take_all())
            .collect()
    }

    /// Every partition of every topic used so far.
    pub(super) fn buffers(&self) -> Vec<Arc<PartitionBuffer>> {
        let topics: Vec<_> = self.topics.read().values().cloned().collect();
        let mut buffers: Vec<_> = topics
            .iter()
            .flat_map(|topic| topic.partitions.iter().chain(&topic.former).cloned())
            .collect();
        // Hash maps have no order of their own; histories are to be repeatable.
        buffers.sort_by(|one, other| {
            (one.topic(), one.partition()).cmp(&(other.topic(), other.partition()))
        });
        buffers
    }

    /// Moves partitions where a batch was opened or closed to the sender's list.
    pub(super) fn take_arrivals(&self, list: &mut Vec<Arc<PartitionBuffer>>) {
        list.append(&mut self.arrivals.lock());
    }

    /// How many records of each topic have no outcome yet, for topics that have any, by name.
    pub fn unfinished_by_topic(&self) -> Vec<(Arc<str>, usize)> {
        let mut counts: Vec<(Arc<str>, usize)> = Vec::new();
        for buffer in self.buffers() {
            let records = buffer.lock().unfinished_records();
            match counts.last_mut() {
                Some((topic, count)) if topic == buffer.topic() => *count += records,
                _ => counts.push((Arc::clone(buffer.topic()), records)),
            }
        }
        counts.retain(|(_, records)| *records > 0);
        counts
    }

    /// Reports of every unfinished batch.
    pub fn unfinished(&self) -> Vec<Arc<BatchDelivery>> {
        let mut unfinished = Vec::new();
        for buffer in self.buffers() {
            let state = buffer.lock();
            unfinished.extend(state.deliveries().map(|(delivery, _)| Arc::clone(delivery)));
        }
        unfinished
    }

    /// How many records are in unfinished batches that are among these.
    pub fn unfinished_of(&self, batches: &[Arc<BatchDelivery>]) -> usize {
        let known: HashSet<*const BatchDelivery> = batches.iter().map(Arc::as_ptr).collect();
        let mut records = 0;
        for buffer in self.buffers() {
            for (delivery, count) in buffer.lock().deliveries() {
                if known.contains(&Arc::as_ptr(delivery)) && !delivery.is_done() {
                    records += count as usize;
                }
            }
        }
        records
    }
}

/// The record's own timestamp, where it names one that can be stored.
fn timestamp(record: &ProduceRecord<'_>) -> Result<Option<i64>, ProduceError> {
    match record.timestamp {
        Some(timestamp) if timestamp < 0 => Err(ProduceError::InvalidTimestamp { timestamp }),
        timestamp => Ok(timestamp),
    }
}

fn less(counter: &AtomicUsize, by: usize) {
    let subtract = |count: usize| Some(count.saturating_sub(by));
    // Never fails: the closure always gives a value.
    let _ = counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, subtract);
}

#[cfg(test)]
mod tests;
