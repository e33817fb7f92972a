//! The waiting sends of one producer: queues by topic, numbers that keep their order, and the flushes that follow them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kafkars_core::produce::delivery::BatchDelivery;
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::pending_send::PendingSend;
use super::permit::SendPermit;

/// Identifies a waiting send.
#[derive(Debug, Clone)]
pub struct PendingId {
    pub(super) topic: Arc<str>,
    pub(super) number: u64,
}

/// The waiting sends of one producer.
#[derive(Default)]
pub(super) struct PendingSends {
    /// How many sends wait, or have an outcome that their senders have not got yet.
    pub(super) open: AtomicUsize,
    pub(super) state: Mutex<PendingSendsState>,
    /// Held while a send is let in and its sender hears of that, so that senders hear of their records in the order of
    /// the log, whichever thread lets them in.
    pub(super) turn: Mutex<()>,
    /// Notified whenever a send waits no longer.
    passed: Notify,
    pub(super) records: AtomicUsize,
    pub(super) bytes: AtomicUsize,
}

#[derive(Default)]
pub(super) struct PendingSendsState {
    pub(super) next: u64,
    /// Numbers of sends without an outcome; a send leaves its queue a little earlier.
    pub(super) unsettled: BTreeSet<u64>,
    followers: Vec<Follower>,
    next_follower: u64,
    // A queue exists exactly while a task looks after it, and records are appended under this lock: a send that finds
    // no queue for its topic cannot overtake one that waits.
    pub(super) queues: HashMap<Arc<str>, PendingQueue>,
}

/// Collects, for a flush, the batches to which sends up to a number were appended.
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

/// The sends that waited when a flush began.
pub(super) struct Followed {
    pending: Arc<PendingSends>,
    id: u64,
    last: u64,
}

impl Followed {
    /// Waits until all of them were appended, or have failed.
    pub(super) async fn passed(&self) {
        self.pending.passed(self.last).await;
    }

    /// How many records of them still wait.
    pub(super) fn records(&self) -> usize {
        let state = self.pending.state.lock();
        let queues = state.queues.values();
        let sends = queues.flat_map(|queue| queue.sends.range(..=self.last));
        sends.map(|(_, waiting)| waiting.send.count()).sum()
    }

    /// The batches to which they were appended so far.
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
    /// Up to this number sends were told that the topic is known.
    pub(super) told: u64,
    /// True while the task waits for what the first send needs; only the task knows when that is there.
    waits: bool,
    /// True if the first send waits for room, as far as is known.
    pub(super) waits_for_room: bool,
    /// Notified when the task has to look again before what it waits for has happened.
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

    /// True if a send waits, or its sender has not got the outcome yet.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }

    /// The number of the send that was queued last.
    pub(super) fn last(&self) -> u64 {
        self.state.lock().next
    }

    /// Follows the sends that wait now, for a flush; `None` if there are none.
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

    /// Waits until all sends up to a number were appended, or have failed.
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

    /// Notes that a send has its outcome, and wakes those who wait for that.
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
        self.open.fetch_sub(1, Ordering::AcqRel);
        self.passed.notify_waiters();
    }

    /// True while the task of a queue waits for what its first send needs.
    pub(super) fn waits(&self, topic: &str) -> bool {
        let state = self.state.lock();
        state.queues.get(topic).is_some_and(|queue| queue.waits)
    }

    pub(super) fn set_waits(&self, topic: &str, waits: bool) {
        if let Some(queue) = self.state.lock().queues.get_mut(topic) {
            queue.waits = waits;
        }
    }

    /// Removes a queue, unless a send waits in it. True if there is none any more.
    pub(super) fn end_empty(&self, topic: &str) -> bool {
        let queues = &mut self.state.lock().queues;
        if queues
            .get(topic)
            .is_some_and(|queue| queue.sends.is_empty())
        {
            queues.remove(topic);
        }
        !queues.contains_key(topic)
    }

    /// Takes a send out of the counts of waiting records and bytes.
    pub(super) fn uncount(&self, waiting: &QueuedSend) {
        let (count, size) = (waiting.send.count(), waiting.send.size());
        self.bytes.fetch_sub(size, Ordering::Relaxed);
        self.records.fetch_sub(count, Ordering::AcqRel);
    }
}
