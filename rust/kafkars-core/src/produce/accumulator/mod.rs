//! The records of one producer that are not acknowledged yet, by topic and partition, within `buffer_memory`.

mod memory;
mod topics;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use kafkars_protocol::Uuid;
use kafkars_records::{BatchBuilder, Header};
use parking_lot::{Mutex, RwLock};

use crate::config::ProducerConfig;
use crate::produce::delivery::Delivery;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::{FilledBatch, PartitionBuffer, RecordParts, Signal};
use crate::produce::partitioner::{PartitionChooser, Partitioner};

/// All records of one producer that are not acknowledged, by topic and partition.
///
/// Lock order: `topics`, then a topic's chooser, then a partition buffer, then `arrivals`. Only the read lock of
/// `topics` is held across the others, while a record is appended.
#[derive(Debug)]
pub struct Accumulator {
    batch_size: usize,
    buffer_memory: usize,
    max_request_size: usize,
    partitioner: Partitioner,
    sticky_linger: Duration,
    // Whether there is one request at a time, so that the order holds whatever leaders do.
    one_at_a_time: bool,
    seed: u64,
    topics: RwLock<HashMap<Arc<str>, Arc<TopicBuffers>, RandomState>>,
    used: AtomicUsize,
    // How many bytes the first in line for room waits for; no other record gets room that would keep it waiting.
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
    // Partitions that the topic had before it was created again with fewer. Records for them wait on: the partition may
    // be created again as well, or else `delivery_timeout` ends.
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
pub struct KnownTopic(Arc<TopicBuffers>);

/// A record to send.
#[derive(Debug, Clone, Copy)]
pub struct ProduceRecord<'a> {
    /// The topic to send to.
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

/// Why a record was not accepted at once.
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
    /// Creates an empty accumulator; `seed` spreads keyless records of different producers.
    pub fn new(config: &ProducerConfig, seed: u64) -> Self {
        Self {
            batch_size: config.batch_size,
            buffer_memory: config.buffer_memory,
            max_request_size: config.max_request_size,
            partitioner: config.partitioner,
            sticky_linger: config.sticky_linger,
            one_at_a_time: config.max_in_flight == 1,
            seed,
            topics: RwLock::new(HashMap::default()),
            used: AtomicUsize::new(0),
            awaited: AtomicUsize::new(0),
            unacknowledged: AtomicUsize::new(0),
            arrivals: Mutex::new(Vec::new()),
        }
    }

    /// Appends a record, or returns what it needs first. `now` is asked when a batch begins and where `sticky_linger`
    /// counts, `now_ms`, the wall clock, for records without timestamp: reading a clock costs as much as appending a
    /// small record.
    ///
    /// The flag tells whether the sender must be woken.
    pub fn append(
        &self,
        record: &ProduceRecord<'_>,
        now: impl Fn() -> Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        let topics = self.topics.read();
        match topics.get(record.topic) {
            Some(topic) => self.append_in(topic, record, now, now_ms),
            None => Err(AppendRefusal::NeedsMetadata(record.topic.into())),
        }
    }

    /// Looks up the partitions of a topic once for many records.
    pub fn destination(&self, topic: &str) -> Result<KnownTopic, AppendRefusal> {
        match self.topics.read().get(topic) {
            Some(topic) => Ok(KnownTopic(Arc::clone(topic))),
            None => Err(AppendRefusal::NeedsMetadata(topic.into())),
        }
    }

    /// The partition of a record that has waited for its topic, where chance decides for as long as `sticky_linger`:
    /// all that have waited come in the same instant, so one choice would send all of them to the same partition.
    /// `None` where something else decides, and once a choice is kept.
    pub fn spread(&self, record: &ProduceRecord<'_>) -> Option<i32> {
        let is_kept = !self.sticky_linger.is_zero() && self.partitioner.may_stay(record.key);
        if !is_kept || record.partition.is_some() {
            return None;
        }
        let topic = self.destination(record.topic).ok()?.0;
        let mut chooser = topic.chooser.lock();
        chooser.spread(topic.partitions.len(), &topic.available)
    }

    /// Appends a record as [`Accumulator::append`] does, to a topic that was looked up.
    pub fn append_to(
        &self,
        destination: &KnownTopic,
        record: &ProduceRecord<'_>,
        now: impl Fn() -> Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        self.append_in(&destination.0, record, now, now_ms)
    }

    #[inline]
    fn append_in(
        &self,
        topic: &TopicBuffers,
        record: &ProduceRecord<'_>,
        now: impl Fn() -> Instant,
        now_ms: impl FnOnce() -> i64,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        let size = self.size(record).map_err(AppendRefusal::Failed)?;
        let timestamp = timestamp(record)
            .map_err(AppendRefusal::Failed)?
            .unwrap_or_else(now_ms);
        let (partition, is_by_chance) = self.partition(topic, record, size, &now)?;
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

    /// Appends a batch that the application has filled, as it is. The delivery is that of its first record. Its records
    /// were measured one by one; the batch is as large as whoever filled it has allowed.
    pub fn append_batch(
        &self,
        topic: &str,
        partition: i32,
        batch: &FilledBatch,
        now: Instant,
    ) -> Result<(Delivery, bool), AppendRefusal> {
        let topic = self.destination(topic)?.0;
        let size = batch.builder.len();
        let partition = topic.find(partition).map_err(AppendRefusal::Failed)?;
        self.reserve(size)?;
        let count = batch.builder.count() as usize;
        self.unacknowledged.fetch_add(count, Ordering::Relaxed);
        let (delivery, signal) = partition.append_batch(batch, now);
        Ok((delivery, self.signalled(partition, signal)))
    }

    /// Checks whether a record could be accepted if there were room: its own errors, as far as they can be known before
    /// the topic is, or afterwards.
    pub fn check(
        &self,
        destination: Option<&KnownTopic>,
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

    /// Returns the record's partition, and true if neither the caller nor the key nor time decided.
    fn partition<'a>(
        &self,
        topic: &'a TopicBuffers,
        record: &ProduceRecord<'_>,
        size: usize,
        now: impl FnOnce() -> Instant,
    ) -> Result<(&'a Arc<PartitionBuffer>, bool), AppendRefusal> {
        let count = topic.partitions.len();
        let by_itself = record.partition.or_else(|| match count {
            // Nothing to choose: most topics of small installations are like this, and hashing a key costs.
            1 => Some(0),
            _ => self.partitioner.of_key(record.key, count),
        });
        let (chosen, is_by_chance) = match by_itself {
            Some(partition) => (Some(partition), false),
            None if !self.sticky_linger.is_zero() && self.partitioner.may_stay(record.key) => {
                let mut chooser = topic.chooser.lock();
                let stayed = chooser.stay(self.sticky_linger, now(), count, &topic.available);
                (stayed, false)
            }
            None => {
                let mut chooser = topic.chooser.lock();
                let chosen = chooser.choose(
                    self.partitioner,
                    record.key,
                    size,
                    self.batch_size,
                    count,
                    &topic.available,
                );
                (chosen, true)
            }
        };
        let found = topic
            .find(chosen.unwrap_or(-1))
            .map_err(AppendRefusal::Failed)?;
        Ok((found, is_by_chance))
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
