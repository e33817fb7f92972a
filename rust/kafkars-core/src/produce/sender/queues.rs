//! The queues in which partitions with records wait: for their leader, for a timer, for a transaction.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use super::reports::report_delay;
use super::view::View;
use crate::config::ProducerConfig;
use crate::produce::partition_buffer::PartitionBuffer;

/// Partitions whose batches may be sent, and timers for those whose batches may not yet. A partition is in one queue at
/// most, and has one valid timer of each kind; one that was replaced by an earlier one ends without effect.
#[derive(Debug, Default)]
pub(super) struct Queues {
    // In the order of node ids, so that histories are repeatable.
    pub(super) nodes: BTreeMap<i32, NodeQueue>,
    pub(super) leaderless: Vec<Arc<PartitionBuffer>>,
    /// Partitions that are not in the open transaction yet.
    pub(super) unadmitted: Vec<Arc<PartitionBuffer>>,
    pub(super) wakes: Timers,
    pub(super) expiries: Timers,
    // Partitions looked at since expiry timers were last set, and not known to have been sent since.
    pub(super) fresh: Vec<Arc<PartitionBuffer>>,
}

/// What waits for one broker, and how many requests it is working on.
#[derive(Debug, Default)]
pub(super) struct NodeQueue {
    pub(super) ready: VecDeque<Arc<PartitionBuffer>>,
    pub(super) in_flight: usize,
}

impl Queues {
    /// Returns true if no partition waits and no request is under way.
    pub(super) fn is_quiet(&self) -> bool {
        let idle = |node: &NodeQueue| node.ready.is_empty() && node.in_flight == 0;
        self.nodes.values().all(idle) && self.is_empty()
    }

    /// Returns true if no partition waits, in a queue or for the end of a pause.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.values().all(|node| node.ready.is_empty())
            && self.leaderless.is_empty()
            && self.unadmitted.is_empty()
            && self.wakes.next().is_none()
    }

    /// Takes out every partition that waits for its leader, or for a transaction to send to its leader in, to be queued
    /// again, because leaders have changed.
    pub(super) fn take_ready(&mut self) -> Vec<Arc<PartitionBuffer>> {
        let mut taken = std::mem::take(&mut self.leaderless);
        taken.append(&mut self.unadmitted);
        for node in self.nodes.values_mut() {
            taken.extend(node.ready.drain(..));
        }
        for buffer in &taken {
            buffer.lock().membership.queued = false;
        }
        taken
    }

    /// Returns the nodes that batches wait for and to which there is no connection.
    pub(super) fn unconnected(&mut self, view: &dyn View) -> Vec<i32> {
        let mut unconnected = Vec::new();
        for (node, queue) in &mut self.nodes {
            if queue.ready.is_empty() || view.is_connected(*node) {
                continue;
            }
            // Partitions whose batches have expired or were dropped are no reason to connect.
            while queue.ready.front().is_some_and(has_left) {
                queue.ready.pop_front();
            }
            if !queue.ready.is_empty() {
                unconnected.push(*node);
            }
        }
        unconnected
    }

    /// Returns true if a partition with records has no known leader.
    pub(super) fn has_leaderless(&mut self) -> bool {
        while self.leaderless.pop_if(|buffer| has_left(buffer)).is_some() {}
        !self.leaderless.is_empty()
    }

    /// Sets timers for partitions that were looked at and not sent: for a warning in the log, and for the end of the
    /// time that they may wait.
    pub(super) fn watch_expiries(&mut self, now: Instant, config: &ProducerConfig) {
        for buffer in self.fresh.drain(..) {
            let mut state = buffer.lock();
            let Some(oldest) = state.oldest() else {
                continue;
            };
            let end = config.end_of_wait(oldest, state.membership.gone_since);
            let early = oldest + report_delay(end - oldest);
            let at = if early > now { early } else { end };
            // A batch that is put back may be older than the one that the timer was set for.
            if state.membership.expiry.is_none_or(|expiry| expiry > at) {
                state.membership.expiry = Some(at);
                drop(state);
                self.expiries.push(at, buffer);
            }
        }
    }

    /// Returns when the next timer ends.
    pub(super) fn next_wake(&self) -> Option<Instant> {
        [self.wakes.next(), self.expiries.next()]
            .into_iter()
            .flatten()
            .min()
    }
}

/// Returns true if a partition has nothing to send any more, and marks it as taken off its queue then.
fn has_left(buffer: &Arc<PartitionBuffer>) -> bool {
    let mut state = buffer.lock();
    let is_empty = state.oldest().is_none();
    state.membership.queued &= !is_empty;
    is_empty
}

/// Partitions by the moment at which to look at them.
#[derive(Debug, Default)]
pub(super) struct Timers {
    heap: BinaryHeap<Timer>,
    count: u64,
}

#[derive(Debug)]
struct Timer {
    at: Instant,
    // Timers of the same moment end in the order in which they were set.
    order: u64,
    buffer: Arc<PartitionBuffer>,
}

impl Timers {
    pub(super) fn push(&mut self, at: Instant, buffer: Arc<PartitionBuffer>) {
        self.count += 1;
        self.heap.push(Timer {
            at,
            order: self.count,
            buffer,
        });
    }

    /// Takes the next partition whose timer ends by `until`; with `None`, whichever is next.
    pub(super) fn pop(
        &mut self,
        until: Option<Instant>,
    ) -> Option<(Instant, Arc<PartitionBuffer>)> {
        let next = self.heap.peek()?;
        if until.is_some_and(|until| next.at > until) {
            return None;
        }
        self.heap.pop().map(|timer| (timer.at, timer.buffer))
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.heap.peek().map(|timer| timer.at)
    }
}

impl Ord for Timer {
    /// The earliest is the greatest, as the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timer {}
