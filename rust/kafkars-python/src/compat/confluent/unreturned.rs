//! What calls have taken and not returned yet. It counts for no position and no commit, and is returned only if its
//! partition is still read from where it was: neither sought, nor assigned anew, nor paused, nor lost since then.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kafkars_client::config::TopicPartition;
use kafkars_client::{Consumer, FetchError, FetchPosition, FetchedBatch, RecordSlice};
use parking_lot::{Mutex, MutexGuard};

use super::partition_eof::{Ends, PartitionEnd};
use super::reading::Reading;

/// What all calls have taken, those of several threads.
#[derive(Default)]
pub(super) struct Unreturned {
    // Guards what is taken. Whoever takes holds it, so that a pause, or a commit, finds all that was taken before.
    taken: Mutex<TakenParts>,
    next: AtomicU64,
}

/// The first that each call has taken in each place of a partition.
type TakenParts = HashMap<(CallNumber, u64), FirstTaken>;

struct FirstTaken {
    partition: TopicPartition,
    offset: i64,
    /// The batch of the first record; `None` if nothing but the end of the partition was taken.
    batch: Option<Arc<FetchedBatch>>,
}

/// Which call it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct CallNumber(u64);

/// What a call returns of what it has taken.
pub(super) struct Returned {
    /// Places of which it returns nothing.
    pub(super) stale: HashSet<u64>,
    /// Batches of the partitions of which it returns records, one of each.
    pub(super) batches: Vec<Arc<FetchedBatch>>,
}

impl Unreturned {
    /// A call begins; `end()` must follow.
    pub(super) fn begin(&self) -> CallNumber {
        CallNumber(self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// Takes up to `most` records for a call. Those of a call that has nothing yet (`is_first`) and gets all that it
    /// wants count as returned at once, since nothing happens before it does so.
    pub(super) fn take(
        &self,
        by: CallNumber,
        most: usize,
        is_first: bool,
        consumer: &Consumer,
        reading: &Reading,
    ) -> Result<Vec<RecordSlice>, FetchError> {
        let mut taken = self.taken.lock();
        let slices = consumer.try_take(most)?;
        let count: usize = slices.iter().map(|slice| slice.count as usize).sum();
        if is_first && count == most {
            slices.iter().for_each(|slice| reading.note(&slice.batch));
            return Ok(slices);
        }
        for slice in &slices {
            let entry = taken.entry((by, slice.place));
            let first = entry.or_insert_with(|| FirstTaken {
                partition: TopicPartition {
                    topic: Arc::clone(&slice.batch.topic),
                    partition: slice.batch.partition,
                },
                offset: slice.batch.batch.record_at(slice.start).offset,
                batch: None,
            });
            first.batch.get_or_insert_with(|| Arc::clone(&slice.batch));
        }
        Ok(slices)
    }

    /// Takes the end of a partition for a call, if one is to be told.
    pub(super) fn take_end(
        &self,
        by: CallNumber,
        ends: &Ends,
        consumer: &Consumer,
    ) -> Option<PartitionEnd> {
        let mut taken = self.taken.lock();
        let end = ends.next(consumer)?;
        taken.entry((by, end.place)).or_insert_with(|| FirstTaken {
            partition: end.partition.clone(),
            offset: end.position,
            batch: None,
        });
        Some(end)
    }

    /// Where a partition stands before what was taken of it; `None` if nothing was.
    pub(super) fn before(&self, partition: &TopicPartition, consumer: &Consumer) -> Option<i64> {
        first(&self.taken.lock(), partition, consumer, |first| {
            first.batch.is_some()
        })
    }

    /// Lets a partition be read again, although nobody has sought: from an offset on, or from the first message on that
    /// calls have taken and not returned. So they return none of them.
    pub(super) fn hand_back(
        &self,
        partition: &TopicPartition,
        from: Option<i64>,
        consumer: &Consumer,
        ends: Option<&Ends>,
    ) {
        let taken = self.taken.lock();
        let first = first(&taken, partition, consumer, |_| true);
        let Some(offset) = from.into_iter().chain(first).min() else {
            return;
        };
        // It fails where nobody reads the partition here any more.
        let _ = consumer.seek(partition, FetchPosition::at(offset));
        if let Some(ends) = ends {
            ends.forget(Some(partition));
        }
    }

    /// Ends a call that returns what counts still of what it has taken: what that is, while nobody else can change it.
    pub(super) fn end(&self, call: CallNumber, consumer: &Consumer) -> Returned {
        let mut taken = self.taken.lock();
        let mut returned = Returned {
            stale: HashSet::new(),
            batches: Vec::new(),
        };
        if taken.is_empty() {
            return returned;
        }
        let lost = match consumer.has_event() {
            true => consumer.lost(),
            false => HashSet::new(),
        };
        for ((_, place), first) in taken.extract_if(|(by, _), _| *by == call) {
            if consumer.place(&first.partition) != Some(place) || lost.contains(&first.partition) {
                returned.stale.insert(place);
            } else {
                returned.batches.extend(first.batch);
            }
        }
        returned
    }
}

/// The offset of the first that calls have taken of a partition since it is read from where it is.
fn first(
    taken: &MutexGuard<'_, TakenParts>,
    partition: &TopicPartition,
    consumer: &Consumer,
    counts: impl Fn(&FirstTaken) -> bool,
) -> Option<i64> {
    if taken.is_empty() {
        return None;
    }
    let current = consumer.place(partition)?;
    let here = taken
        .iter()
        .filter(|((_, place), first)| *place == current && counts(first));
    here.map(|(_, first)| first.offset).min()
}
