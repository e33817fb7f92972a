//! Everything of one producer that waits: queues by topic, numbers that say what came first, and who follows them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kafkars_core::produce::delivery::BatchDelivery;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::pending_send::PendingSend;
use super::permit::SendPermit;

/// The place of something that waits.
#[derive(Debug, Clone)]
pub struct PendingId {
    pub(super) topic: Arc<str>,
    pub(super) number: u64,
}

/// Everything of one producer that waits.
#[derive(Default)]
pub(super) struct PendingSends {
    pub(super) state: Mutex<PendingSendsState>,
    /// Told whenever something waits no longer.
    passed: Notify,
    pub(super) records: AtomicUsize,
    pub(super) bytes: AtomicUsize,
}

#[derive(Default)]
pub(super) struct PendingSendsState {
    pub(super) next: u64,
    /// Numbers of what has not come to its end: it leaves its queue a little earlier.
    pub(super) unsettled: BTreeSet<u64>,
    followers: Vec<Follower>,
    next_follower: u64,
    // A queue exists exactly while a task drains it, and records enter the producer under this lock: a send that finds
    // no queue for its topic cannot overtake one that waits.
    pub(super) queues: HashMap<Arc<str>, PendingQueue>,
}

/// The batches that sends up to a number have entered.
struct Follower {
    id: u64,
    last: u64,
    batches: Vec<Arc<BatchDelivery>>,
}

impl Follower {
    fn see(&mut self, number: u64, batch: &Arc<BatchDelivery>) {
        let known = self.batches.last();
        if number <= self.last && known.is_none_or(|known| !Arc::ptr_eq(known, batch)) {
            self.batches.push(Arc::clone(batch));
        }
    }
}

/// What waited when a flush began, and what becomes of it.
pub(super) struct Followed {
    pending: Arc<PendingSends>,
    id: u64,
    last: u64,
}

impl Followed {
    /// Waits until all of it has entered the producer, or has failed.
    pub(super) async fn passed(&self) {
        self.pending.passed(self.last).await;
    }

    /// How many records of it still wait.
    pub(super) fn records(&self) -> usize {
        let state = self.pending.state.lock();
        let queues = state.queues.values();
        let sends = queues.flat_map(|queue| queue.sends.range(..=self.last));
        sends.map(|(_, waiting)| waiting.send.count()).sum()
    }

    /// The batches that it has entered so far.
    pub(super) fn batches(&self) -> Vec<Arc<BatchDelivery>> {
        let mut state = self.pending.state.lock();
        let mut followers = state.followers.iter_mut();
        let own = followers.find(|follower| follower.id == self.id);
        own.map_or_else(Vec::new, |own| std::mem::take(&mut own.batches))
    }
}

impl Drop for Followed {
    fn drop(&mut self) {
        let mut state = self.pending.state.lock();
        state.followers.retain(|follower| follower.id != self.id);
    }
}

#[derive(Default)]
pub(super) struct PendingQueue {
    pub(super) sends: BTreeMap<u64, QueuedSend>,
    pub(super) deadlines: BTreeSet<(Instant, u64)>,
    /// Up to this number the topic was said to be known.
    pub(super) told: u64,
    /// The first one waits for room, as far as is known.
    pub(super) waits_for_room: bool,
    /// Told when the task has to look again before what it waits for has happened.
    pub(super) changed: Arc<Notify>,
}

pub(super) struct QueuedSend {
    pub(super) send: Arc<dyn PendingSend>,
    pub(super) permit: SendPermit,
    pub(super) since: Instant,
    pub(super) deadline: Instant,
}

impl PendingQueue {
    pub(super) fn remove(&mut self, number: u64) -> Option<QueuedSend> {
        let waiting = self.sends.remove(&number)?;
        self.deadlines.remove(&(waiting.deadline, number));
        Some(waiting)
    }
}

impl PendingSends {
    pub(super) fn records(&self) -> usize {
        self.records.load(Ordering::Acquire)
    }

    /// The number of what was queued last.
    pub(super) fn last(&self) -> u64 {
        self.state.lock().next
    }

    /// What waits now, for a flush; nothing where nothing does.
    pub(super) fn follow(self: &Arc<Self>) -> Option<Followed> {
        let mut state = self.state.lock();
        let last = state.unsettled.last().copied()?;
        state.next_follower += 1;
        let id = state.next_follower;
        state.followers.push(Follower {
            id,
            last,
            batches: Vec::new(),
        });
        Some(Followed {
            pending: Arc::clone(self),
            id,
            last,
        })
    }

    /// Waits until everything up to a number has entered the producer, or has failed.
    pub(super) async fn passed(&self, last: u64) {
        loop {
            let told = self.passed.notified();
            let first = self.state.lock().unsettled.first().copied();
            if first.is_none_or(|first| first > last) {
                return;
            }
            told.await;
        }
    }

    pub(super) fn take(&self, id: &PendingId) -> Option<QueuedSend> {
        let mut state = self.state.lock();
        let queue = state.queues.get_mut(&id.topic)?;
        let taken = queue.remove(id.number)?;
        queue.changed.notify_one();
        Some(taken)
    }

    /// It has come to its end, and whoever waits for that goes on.
    pub(super) fn settle(&self, number: u64, batch: Option<Arc<BatchDelivery>>) {
        {
            let mut state = self.state.lock();
            state.unsettled.remove(&number);
            if let Some(batch) = batch {
                for follower in &mut state.followers {
                    follower.see(number, &batch);
                }
            }
        }
        self.passed.notify_waiters();
    }

    /// It no longer counts among what waits.
    pub(super) fn uncount(&self, waiting: &QueuedSend) {
        let (count, size) = (waiting.send.count(), waiting.send.size());
        self.bytes.fetch_sub(size, Ordering::Relaxed);
        self.records.fetch_sub(count, Ordering::AcqRel);
    }
}
