//! Which partitions the application has got records of: only those have a position and something to commit here.

use std::collections::HashSet;
use std::sync::Arc;

use kafkars_client::FetchedBatch;
use kafkars_client::config::TopicPartition;
use parking_lot::Mutex;

/// The partitions read since they were assigned.
#[derive(Default)]
pub(super) struct Reading {
    // Guards what was read; looked at for every record, so it only does something when the batch is another one.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Address of the batch the last record came from.
    last: usize,
    partitions: HashSet<TopicPartition>,
}

impl Reading {
    /// A record of this batch is handed out.
    #[inline]
    pub(super) fn note(&self, batch: &Arc<FetchedBatch>) {
        let address = Arc::as_ptr(batch) as usize;
        let mut state = self.state.lock();
        if state.last != address {
            state.last = address;
            state.partitions.insert(partition_of(batch));
        }
    }

    /// Whether records of a partition were handed out.
    pub(super) fn has(&self, partition: &TopicPartition) -> bool {
        self.state.lock().partitions.contains(partition)
    }

    /// The partition, or with none every one, starts anew.
    pub(super) fn forget(&self, partition: Option<&TopicPartition>) {
        let mut state = self.state.lock();
        state.last = 0;
        match partition {
            Some(partition) => drop(state.partitions.remove(partition)),
            None => state.partitions.clear(),
        }
    }
}

fn partition_of(batch: &FetchedBatch) -> TopicPartition {
    TopicPartition {
        topic: Arc::clone(&batch.topic),
        partition: batch.partition,
    }
}
