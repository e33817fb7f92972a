//! The sender's dispatch: sorts partitions into queues, and fills Produce requests from these.

use std::sync::Arc;
use std::time::Instant;

use super::batch_permission::BatchPermission;
use super::queues::NodeQueue;
use super::{InFlightBatch, ProduceCall, Sender, View, Work};
use crate::produce::partition_buffer::{PartitionBuffer, Readiness};
use crate::produce::request::produce_request;
use crate::produce::sequence::ProducerIdentity;

impl Sender {
    /// Looks at every partition where something may have changed.
    pub(super) fn sort(
        &mut self,
        now: Instant,
        view: &dyn View,
        flush_requested: bool,
        batch_permission: &BatchPermission,
    ) {
        if !matches!(batch_permission, BatchPermission::Drop { .. }) {
            self.dropped_for = None;
        }
        let mut touched = std::mem::take(&mut self.touched);
        self.accumulator.take_arrivals(&mut touched);
        let version = Some(view.metadata_version());
        if self.metadata_seen != version {
            self.metadata_seen = version;
            touched.append(&mut self.queues.take_ready());
        }
        if let Some(transactions) = &self.transactions
            && transactions.is_settled()
        {
            for buffer in self.queues.unadmitted.drain(..) {
                buffer.lock().membership.queued = false;
                touched.push(buffer);
            }
        }
        // A flush ends every wait for `linger_ms`. Each flush does so again, so it is noted when the last one ended.
        let was_requested = std::mem::replace(&mut self.flush_was_requested, flush_requested);
        let rising = flush_requested && !was_requested;
        let until = (!rising).then_some(now);
        while let Some((at, buffer)) = self.queues.wakes.pop(until) {
            let mut state = buffer.lock();
            if state.membership.wake == Some(at) {
                state.membership.wake = None;
                drop(state);
                touched.push(buffer);
            }
        }
        self.expire_overdue(now, view);
        for buffer in touched.drain(..) {
            if let BatchPermission::Drop { error, .. } = batch_permission {
                self.drop_waiting(&buffer, error);
            }
            self.look(buffer, now, view, flush_requested);
        }
        self.refuse_waiting(now);
        // The list is kept, so that its memory is used again.
        touched.append(&mut self.touched);
        self.touched = touched;
    }

    /// Puts a partition into the queue or behind the timer that its next batch waits for.
    fn look(
        &mut self,
        buffer: Arc<PartitionBuffer>,
        now: Instant,
        view: &dyn View,
        flush_requested: bool,
    ) {
        let mut state = buffer.lock();
        state.membership.arrived = false;
        if state.membership.queued {
            // It may have become empty in its queue, without a timer since; or an older batch was put back.
            drop(state);
            self.queues.fresh.push(buffer);
            return;
        }
        let gone_since = state.membership.gone_since.take();
        let readiness = state.readiness(now, self.config.linger, flush_requested);
        if !matches!(readiness, Readiness::Idle) {
            // Also while a batch is under way to a broker that led the partition, or pauses before its next try.
            let is_gone = view.is_gone(buffer.topic(), buffer.partition());
            state.membership.gone_since = is_gone.then(|| gone_since.unwrap_or(now));
        }
        match readiness {
            Readiness::Idle => return,
            Readiness::Blocked => {}
            Readiness::At(at) => {
                if state.membership.wake.is_none_or(|wake| wake > at) {
                    state.membership.wake = Some(at);
                    self.queues.wakes.push(at, Arc::clone(&buffer));
                }
            }
            Readiness::Now => {
                let (topic, partition) = (buffer.topic(), buffer.partition());
                let leader = view.leader(topic, partition);
                state.wait_for(leader);
                match leader {
                    Some(leader) => {
                        let node = self.queues.nodes.entry(leader).or_default();
                        node.ready.push_back(Arc::clone(&buffer));
                    }
                    None => {
                        self.needs_metadata = true;
                        self.queues.leaderless.push(Arc::clone(&buffer));
                    }
                }
            }
        }
        drop(state);
        self.queues.fresh.push(buffer);
    }

    /// Fills as many requests as nodes have room for. A request holds at most one batch of a partition, and at most
    /// `max_request_size` bytes or one batch; partitions take turns.
    pub(super) fn fill(
        &mut self,
        now: Instant,
        view: &dyn View,
        flush_requested: bool,
        identity: Option<ProducerIdentity>,
        work: &mut Work,
    ) {
        let nodes: Vec<i32> = self.queues.nodes.keys().copied().collect();
        for id in nodes {
            let Some(node) = self.queues.nodes.get_mut(&id) else {
                continue;
            };
            if node.ready.is_empty() || !view.is_connected(id) {
                continue;
            }
            let mut node = std::mem::take(node);
            while node.in_flight < self.config.max_in_flight && !node.ready.is_empty() {
                let batches = self.fill_request(now, view, flush_requested, identity, &mut node);
                if batches.is_empty() {
                    break;
                }
                node.in_flight += 1;
                work.requests.push(self.produce_call(id, batches, now));
            }
            self.queues.nodes.insert(id, node);
        }
    }

    fn fill_request(
        &mut self,
        now: Instant,
        view: &dyn View,
        flush_requested: bool,
        identity: Option<ProducerIdentity>,
        node: &mut NodeQueue,
    ) -> Vec<InFlightBatch> {
        let mut batches = Vec::new();
        let mut bytes = 0;
        // Partitions with more to send, for the request after this one.
        let mut again = Vec::new();
        while let Some(buffer) = node.ready.pop_front() {
            let mut state = buffer.lock();
            if state.readiness(now, self.config.linger, flush_requested) != Readiness::Now {
                // The flush for which it was queued has ended. Its timer is set now, because there may be no other poll
                // before it ends.
                state.membership.queued = false;
                drop(state);
                self.look(buffer, now, view, flush_requested);
                continue;
            }
            let size = state.next_size();
            if !batches.is_empty() && bytes + size > self.config.max_request_size {
                drop(state);
                node.ready.push_front(buffer);
                break;
            }
            if let Some(transactions) = &mut self.transactions
                && !state.is_sent_before()
                && !transactions.admit(buffer.topic(), buffer.partition())
            {
                drop(state);
                self.queues.unadmitted.push(buffer);
                continue;
            }
            let Some(mut batch) = state.take(identity) else {
                state.membership.queued = false;
                continue;
            };
            if state.readiness(now, self.config.linger, flush_requested) == Readiness::Now {
                again.push(Arc::clone(&buffer));
            } else {
                state.membership.queued = false;
                if state.oldest().is_some() {
                    self.touched.push(Arc::clone(&buffer));
                }
            }
            drop(state);
            let sealed = batch.seal(self.config.compression, self.transactions.is_some());
            let topic_id = view.topic_id(buffer.topic());
            let in_flight = InFlightBatch {
                buffer,
                batch,
                topic_id,
                sent_at: now,
            };
            match sealed {
                Ok(()) => {
                    bytes += size;
                    batches.push(in_flight);
                }
                Err(error) => self.impossible(in_flight, &error.to_string()),
            }
        }
        node.ready.extend(again);
        batches
    }

    fn produce_call(
        &mut self,
        node: i32,
        batches: Vec<InFlightBatch>,
        now: Instant,
    ) -> ProduceCall {
        let lives = batches.iter().map(|in_flight| in_flight.batch.created);
        let oldest = lives.min().unwrap_or(now);
        let latest = oldest + self.config.delivery_timeout;
        let deadline = latest.min(now + self.config.request_timeout);
        let mut transactional_id = None;
        let mut max_version = i16::MAX;
        if let Some(transactions) = &mut self.transactions {
            transactions.departs(now);
            transactional_id = Some(transactions.config().transactional_id.as_ref().to_owned());
            max_version = transactions.produce_max_version();
        }
        let wait = deadline.saturating_duration_since(now);
        let acks_timeout = self.config.acks_timeout.unwrap_or(wait).min(wait);
        let request = produce_request(&batches, transactional_id, self.config.acks, acks_timeout);
        ProduceCall {
            node,
            batches,
            request,
            max_version,
            deadline,
            latest,
        }
    }
}
