//! Which batches leave next.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::config::ProducerConfig;
use crate::produce::partition_buffer::{OutgoingBatch, PartitionBuffer};
use crate::produce::sequence::ProducerIdentity;

/// What the sender should do now.
#[derive(Debug, Default)]
pub struct Plan {
    /// Batches to send, at most one per partition in each request.
    pub requests: Vec<(i32, Vec<Departure>)>,
    /// Batches whose time is over; they have left their queues.
    pub expired: Vec<OutgoingBatch>,
    /// When to plan again although nothing happens.
    pub wake_at: Option<Instant>,
    /// A partition with records has no known leader.
    pub needs_metadata: bool,
}

/// A batch that leaves, and the queue it came from.
#[derive(Debug)]
pub struct Departure {
    /// Where it is put back if it must be tried again.
    pub buffer: Arc<PartitionBuffer>,
    /// The records.
    pub batch: OutgoingBatch,
}

/// What a [`Plan`] is made from, besides the accumulator.
pub struct PlanInputs<'a> {
    /// The present.
    pub now: Instant,
    /// Limits and linger.
    pub config: &'a ProducerConfig,
    /// Send open batches without waiting for linger (flush, close, full memory).
    pub force: bool,
    /// The identity for numbering; `None` without idempotence.
    pub identity: Option<ProducerIdentity>,
    /// The leader of a partition, where known.
    pub leader: &'a dyn Fn(&str, i32) -> Option<i32>,
    /// Produce requests that may still be started to a node.
    pub room: &'a dyn Fn(i32) -> usize,
}

/// Goes through the sender's list once: what leaves, what has expired, when to look again.
///
/// Each node gets as many requests as it has room for; a request holds at most one batch of a partition and at most
/// `max_request_size` bytes, or one batch.
pub fn plan(active: &mut Vec<Arc<PartitionBuffer>>, inputs: &PlanInputs<'_>) -> Plan {
    let mut plan = Plan::default();
    let mut nodes: HashMap<i32, NodePlan> = HashMap::new();
    let config = inputs.config;
    // Where requests are scarce, another partition gets the first place each time.
    if !active.is_empty() {
        active.rotate_left(1);
    }
    active.retain(|buffer| {
        let mut state = buffer.lock();
        plan.expired
            .append(&mut state.take_expired(inputs.now, config.delivery_timeout));
        if state.unlist_if_idle() {
            return false;
        }
        match (inputs.leader)(buffer.topic(), buffer.partition()) {
            None => plan.needs_metadata = true,
            Some(leader) => {
                let node = nodes
                    .entry(leader)
                    .or_insert_with(|| NodePlan::new((inputs.room)(leader)));
                let mut from = 0;
                while let Some(slot) = node.slot(from, state.next_size(), config.max_request_size)
                    && let Some(batch) =
                        state.take_ready(inputs.now, config.linger, inputs.force, inputs.identity)
                {
                    let buffer = Arc::clone(buffer);
                    node.add(slot, Departure { buffer, batch });
                    // Batches of one partition go into requests that leave one after the other.
                    from = slot + 1;
                }
            }
        }
        let wake = state.next_wake(config.linger, config.delivery_timeout);
        plan.wake_at = [plan.wake_at, wake].into_iter().flatten().min();
        true
    });
    for (leader, node) in nodes {
        let requests = node
            .requests
            .into_iter()
            .map(|request| (leader, request.batches));
        plan.requests.extend(requests);
    }
    plan
}

/// Requests being filled for one node.
struct NodePlan {
    room: usize,
    requests: Vec<RequestPlan>,
}

#[derive(Default)]
struct RequestPlan {
    batches: Vec<Departure>,
    bytes: usize,
}

impl NodePlan {
    fn new(room: usize) -> Self {
        Self {
            room,
            requests: Vec::new(),
        }
    }

    /// The first request from `from` on that has room for `size` bytes; possibly one still to be made.
    fn slot(&self, from: usize, size: usize, limit: usize) -> Option<usize> {
        let fits = |slot: &usize| {
            self.requests
                .get(*slot)
                .is_none_or(|request| request.bytes + size <= limit)
        };
        (from..self.room.min(self.requests.len() + 1)).find(fits)
    }

    fn add(&mut self, slot: usize, departure: Departure) {
        if slot == self.requests.len() {
            self.requests.push(RequestPlan::default());
        }
        if let Some(request) = self.requests.get_mut(slot) {
            request.bytes += departure.batch.content.len();
            request.batches.push(departure);
        }
    }
}
