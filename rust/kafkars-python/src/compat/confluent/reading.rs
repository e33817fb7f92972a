//! Which partitions the application has got records of: as in librdkafka only those have a position, and offsets to
//! commit. What a call has taken and not returned yet counts for neither.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
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

/// Where partitions stand without the records that calls have taken and go on to gather more for. Whoever commits
/// meanwhile must leave them out: a program that ends within the call never gets them.
#[derive(Default)]
pub(super) struct Unreturned {
    // Guards what calls have taken, those of several threads.
    calls: Mutex<Vec<Taken>>,
    next: AtomicU64,
}

/// What one call has taken.
struct Taken {
    by: CallNumber,
    partitions: HashMap<TopicPartition, FirstTaken>,
}

/// The first record that a call has taken of a partition.
#[derive(Clone, Copy)]
struct FirstTaken {
    offset: i64,
    /// Where the partition stands before it: there, or nowhere if nothing was returned of it.
    before: Option<i64>,
}

/// Which call it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct CallNumber(u64);

impl Unreturned {
    /// A call begins; `end()` must follow.
    pub(super) fn begin(&self) -> CallNumber {
        CallNumber(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Notes that a call has taken the record at `offset` of this batch, after what was `read` of its partition.
    /// Markers that were passed do not count there: the call that takes it may have passed them.
    pub(super) fn note(&self, by: CallNumber, batch: &FetchedBatch, offset: i64, read: &Reading) {
        let at = partition_of(batch);
        let before = read.has(&at).then_some(offset);
        let first = FirstTaken { offset, before };
        let mut calls = self.calls.lock();
        if let Some(taken) = calls.iter_mut().find(|taken| taken.by == by) {
            taken.partitions.entry(at).or_insert(first);
        } else {
            let partitions = HashMap::from([(at, first)]);
            calls.push(Taken { by, partitions });
        }
    }

    /// Where a partition stands before what was taken; `None` if nothing was taken of it.
    pub(super) fn before(&self, partition: &TopicPartition) -> Option<Option<i64>> {
        let calls = self.calls.lock();
        let taken = calls.iter().map(|taken| taken.partitions.get(partition));
        // Nowhere is before every offset.
        taken.flatten().map(|first| first.before).min()
    }

    /// The offset of the first record that a call has taken of a partition since it is read from where it is: none if
    /// the program has sought, or assigned, since then.
    pub(super) fn first(&self, by: CallNumber, partition: &TopicPartition) -> Option<i64> {
        let calls = self.calls.lock();
        let taken = calls.iter().find(|taken| taken.by == by)?;
        taken.partitions.get(partition).map(|first| first.offset)
    }

    /// Notes that a call is over, and what it has taken returned or dropped.
    pub(super) fn end(&self, call: CallNumber) {
        self.calls.lock().retain(|taken| taken.by != call);
    }

    /// Notes that a partition, or every one with `None`, is read from somewhere else.
    pub(super) fn forget(&self, partition: Option<&TopicPartition>) {
        let mut calls = self.calls.lock();
        match partition {
            Some(partition) => {
                for taken in calls.iter_mut() {
                    taken.partitions.remove(partition);
                }
            }
            None => calls.clear(),
        }
    }
}

fn partition_of(batch: &FetchedBatch) -> TopicPartition {
    TopicPartition {
        topic: Arc::clone(&batch.topic),
        partition: batch.partition,
    }
}
