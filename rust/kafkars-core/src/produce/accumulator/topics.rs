//! The topics of an accumulator, and what is unfinished in each.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;

use super::{Accumulator, TopicBuffers};
use crate::cluster::TopicMetadata;
use crate::produce::delivery::BatchDelivery;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer, Stored};
use crate::produce::partitioner::PartitionChooser;

impl Accumulator {
    /// Resets the counts of memory and records, for a producer that has ended: batches under way count no more.
    pub fn forget(&self) {
        self.used.store(0, Ordering::Relaxed);
        self.unacknowledged.store(0, Ordering::Relaxed);
    }

    /// Returns true if the partitions of `topic` are known.
    pub fn knows(&self, topic: &str) -> bool {
        self.topics.read().contains_key(topic)
    }

    /// Returns the names of the topics used so far.
    pub fn topics(&self) -> Vec<Arc<str>> {
        self.topics.read().keys().cloned().collect()
    }

    /// Returns how much each partition of the topics used so far has acknowledged.
    pub fn stored(&self) -> Vec<(Arc<str>, i32, Stored)> {
        let buffers = self.buffers();
        let count = |buffer: &Arc<PartitionBuffer>| {
            let stored = buffer.lock().stored();
            (Arc::clone(buffer.topic()), buffer.partition(), stored)
        };
        buffers.iter().map(count).collect()
    }

    /// Takes over a topic's partitions and leaders from metadata. Partitions that exist keep their records; those that
    /// a topic no longer has after it was created again accept no more.
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

    /// Takes everything that is not under way, for a producer that ends.
    pub fn take_all(&self) -> Vec<OutgoingBatch> {
        let buffers = self.buffers();
        buffers
            .iter()
            .flat_map(|buffer| buffer.lock().take_all())
            .collect()
    }

    /// Returns every partition of every topic used so far.
    pub(in crate::produce) fn buffers(&self) -> Vec<Arc<PartitionBuffer>> {
        let topics: Vec<_> = self.topics.read().values().cloned().collect();
        let mut buffers: Vec<_> = topics
            .iter()
            .flat_map(|topic| topic.partitions.iter().chain(&topic.former).cloned())
            .collect();
        // Hash maps have no order, and simulations have to be repeatable.
        buffers.sort_by(|one, other| {
            (one.topic(), one.partition()).cmp(&(other.topic(), other.partition()))
        });
        buffers
    }

    /// Moves partitions where a batch was opened or closed to the sender's list.
    pub(in crate::produce) fn take_arrivals(&self, list: &mut Vec<Arc<PartitionBuffer>>) {
        list.append(&mut self.arrivals.lock());
    }

    /// Returns how many records of each topic have no outcome yet, for topics that have any, by name.
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

    /// Returns the delivery reports of all unfinished batches.
    pub fn unfinished(&self) -> Vec<Arc<BatchDelivery>> {
        let mut unfinished = Vec::new();
        for buffer in self.buffers() {
            let state = buffer.lock();
            unfinished.extend(state.deliveries().map(|(delivery, _)| Arc::clone(delivery)));
        }
        unfinished
    }

    /// Returns how many records are in those of these batches that are unfinished.
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
