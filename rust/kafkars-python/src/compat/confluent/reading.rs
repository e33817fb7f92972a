//! Which partitions the application has got records of: as in librdkafka only those have a position, and offsets to
//! commit. What a call has taken and not returned yet counts for neither.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use kafkars_client::FetchedBatch;
use kafkars_client::config::TopicPartition;
use parking_lot::Mutex;

/// The partitions read since they were assigned.
#[derive(Default)]
pub(super) struct Reading {
    /// Address of the batch that the last record came from. It is compared for every record, so that nothing else has
    /// to be done as long as it is the same.
    last: AtomicUsize,
    // Guards the partitions.
    partitions: Mutex<ReadPartitions>,
}

#[derive(Default)]
struct ReadPartitions {
    all: HashSet<TopicPartition>,
    /// Keeps the address of that batch from being given to another one.
    _last: Weak<FetchedBatch>,
}

impl Reading {
    /// Notes that a record of this batch is handed out.
    #[inline]
    pub(super) fn note(&self, batch: &Arc<FetchedBatch>) {
        let address = Arc::as_ptr(batch) as usize;
        if self.last.load(Ordering::Relaxed) != address {
            let mut partitions = self.partitions.lock();
            partitions._last = Arc::downgrade(batch);
            partitions.all.insert(partition_of(batch));
            self.last.store(address, Ordering::Relaxed);
        }
    }

    /// True if records of a partition were handed out.
    pub(super) fn has(&self, partition: &TopicPartition) -> bool {
        self.partitions.lock().all.contains(partition)
    }

    /// Forgets a partition, or all of them with `None`.
    pub(super) fn forget(&self, partition: Option<&TopicPartition>) {
        let mut partitions = self.partitions.lock();
        self.last.store(0, Ordering::Relaxed);
        match partition {
            Some(partition) => drop(partitions.all.remove(partition)),
            None => partitions.all.clear(),
        }
    }
}

/// Where partitions stand without the records that a call has taken and goes on to gather more for. Whoever commits
/// meanwhile must leave them out: a program that ends within the call never gets them.
#[derive(Default)]
pub(super) struct Unreturned {
    // Guards the offset of the first such record of each partition; `None` where nothing was returned before it.
    partitions: Mutex<HashMap<TopicPartition, Option<i64>>>,
}

impl Unreturned {
    /// Notes that the record at `offset` of this batch is taken, after what was `read` of its partition. Markers that
    /// were passed do not count there: the call that takes it may have passed them.
    pub(super) fn note(&self, batch: &FetchedBatch, offset: i64, read: &Reading) {
        let mut partitions = self.partitions.lock();
        if let Entry::Vacant(first) = partitions.entry(partition_of(batch)) {
            let before = read.has(first.key()).then_some(offset);
            first.insert(before);
        }
    }

    /// Where a partition stands before what was taken; `None` if nothing was taken of it.
    pub(super) fn before(&self, partition: &TopicPartition) -> Option<Option<i64>> {
        self.partitions.lock().get(partition).copied()
    }

    /// Notes that what was taken of a partition, or of all of them with `None`, is returned or dropped.
    pub(super) fn forget(&self, partition: Option<&TopicPartition>) {
        let mut partitions = self.partitions.lock();
        match partition {
            Some(partition) => drop(partitions.remove(partition)),
            None => partitions.clear(),
        }
    }
}

fn partition_of(batch: &FetchedBatch) -> TopicPartition {
    TopicPartition {
        topic: Arc::clone(&batch.topic),
        partition: batch.partition,
    }
}
