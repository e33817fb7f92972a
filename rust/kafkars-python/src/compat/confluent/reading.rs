//! Which partitions the application has got records of: as in librdkafka only those have a position, and offsets to
//! commit.

use std::collections::HashSet;
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

fn partition_of(batch: &FetchedBatch) -> TopicPartition {
    TopicPartition {
        topic: Arc::clone(&batch.topic),
        partition: batch.partition,
    }
}
