//! The buffer of one partition: its batches in order.

mod batch;
mod state;

use std::sync::Arc;
use std::time::Instant;

use kafkars_records::BatchBuilder;
use parking_lot::{Mutex, MutexGuard};

pub use self::batch::{BatchContent, FilledBatch, OutgoingBatch, RecordParts};
pub use self::state::{BufferState, Readiness, Stored};
use crate::produce::delivery::{BatchDelivery, Delivery};

/// One partition's queue: an open batch that takes records, and closed ones that wait for the network.
///
/// Lock order: this lock is taken alone; nothing else is locked while it is held.
#[derive(Debug)]
pub struct PartitionBuffer {
    topic: Arc<str>,
    partition: i32,
    state: Mutex<BufferState>,
}

/// The distance of ordinals leaves room for the parts of a split batch, which are numbered by their first record.
const ORDINAL_STEP: u64 = 1 << 32;

/// What the sender must learn of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Nothing: the sender knows already.
    None,
    /// A batch was opened or closed: timers and requests may change.
    Changed,
    /// As `Changed`, and the partition is not among the arrivals yet.
    List,
}

impl PartitionBuffer {
    /// Creates an empty buffer. With `one_at_a_time` no batch is sent until the one before it has its outcome.
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

    /// Locks the state, for the sender, which looks at several things under one lock.
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
        let arrived = changed && !std::mem::replace(&mut state.membership.arrived, true);
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

    /// Queues a filled batch after everything else; it holds as much memory as it has bytes.
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
        let arrived = !std::mem::replace(&mut state.membership.arrived, true);
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
            last_code: None,
            sequence: None,
            is_filled: false,
            refused: None,
        }
    }
}

fn size_of_field(field: Option<&[u8]>) -> i32 {
    field.map_or(-1, |field| i32::try_from(field.len()).unwrap_or(i32::MAX))
}
