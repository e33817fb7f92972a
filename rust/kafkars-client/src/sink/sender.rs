//! The sender: what leaves when, to whom, and what came of it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::config::Acks;
use kafkars_core::produce::delivery::{BatchAck, BatchOutcome};
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::partition_buffer::PartitionBuffer;
use kafkars_core::produce::plan::{Departure, PlanInputs, plan};
use kafkars_core::produce::request::produce_request;
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::ProduceResponse;
use tokio::sync::mpsc;

use super::identity::Identity;
use super::node::Node;
use crate::error::{AttemptError, ClientError};
use crate::net::{Connection, Lane, Tasks};
use crate::now;
use crate::producer::Shared;

/// A batch no larger than this may leave on the thread of the caller, who waits meanwhile and may hold the interpreter.
const LARGEST_EXPRESS: usize = 16 << 10;

/// Decides and sends; whoever holds its lock runs it: the sink's task, or a caller whose record can leave at once.
pub(super) struct Sender {
    pub(super) shared: Arc<Shared>,
    pub(super) backoff: Backoff,
    pub(super) random: Random,
    pub(super) identity: Identity,
    // Partitions with records, waiting or under way.
    pub(super) active: Vec<Arc<PartitionBuffer>>,
    pub(super) nodes: HashMap<i32, Node>,
    // What needs a task of its own: connecting, asking for an identity. They end with the sender.
    pub(super) tasks: Tasks,
    // To the sink's task.
    pub(super) events: mpsc::UnboundedSender<Event>,
    cluster_seen: u64,
    ended: bool,
}

/// What the sink's task hears of.
pub(super) enum Event {
    Connected(i32, Result<Connection, AttemptError>),
    Answered(i32, Vec<Departure>, Result<ProduceResponse, AttemptError>),
    /// The socket has taken a request that nobody answers.
    Written(i32, Vec<Departure>, Result<(), AttemptError>),
    Identified(Result<InitProducerIdResponse, ClientError>),
}

impl Sender {
    pub(super) fn new(shared: Arc<Shared>, events: mpsc::UnboundedSender<Event>) -> Self {
        let config = shared.client.config();
        Self {
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
            random: Random::new(shared.seed),
            identity: Identity::Unasked,
            active: Vec::new(),
            nodes: HashMap::new(),
            tasks: Tasks::new(shared.client.handle().clone()),
            events,
            cluster_seen: 0,
            ended: false,
            shared,
        }
    }

    /// Sends what has just been appended, where it would leave at once anyway: nothing else is under way or waits at
    /// its leader. False when that is not so and the sink's task must look.
    pub(super) fn express(&mut self) -> bool {
        let numbered = match &self.identity {
            Identity::Known(_) => true,
            _ => !self.shared.config.enable_idempotence,
        };
        let cluster = self.shared.client.cluster();
        if self.ended
            || !self.active.is_empty()
            || !numbered
            || cluster.version != self.cluster_seen
        {
            return false;
        }
        self.shared.accumulator.take_arrivals(&mut self.active);
        let at_once = self.active.iter().all(|buffer| {
            let leader = cluster.leader(buffer.topic(), buffer.partition());
            let node = leader.and_then(|leader| self.nodes.get(&leader.node));
            node.is_some_and(|node| node.in_flight == 0 && node.is_connected())
                && buffer.lock().next_size() <= LARGEST_EXPRESS
        });
        // With a time to wake at, the task must set its timer.
        at_once && self.dispatch().is_none()
    }

    /// Sends what may leave now. Returns when to look again.
    pub(super) fn dispatch(&mut self) -> Option<Instant> {
        self.take_cluster();
        self.shared.accumulator.take_arrivals(&mut self.active);
        if self.active.is_empty() {
            return None;
        }
        let now = now();
        let identity = match self.identity(now) {
            Ok(identity) => identity,
            Err(wake_at) => return wake_at,
        };
        let cluster = self.shared.client.cluster();
        let nodes = &self.nodes;
        let limit = self.shared.config.max_in_flight;
        let plan = plan(
            &mut self.active,
            &PlanInputs {
                now,
                config: &self.shared.config,
                force: self.shared.hurry.load(Ordering::Relaxed) > 0,
                identity,
                leader: &|topic, partition| {
                    cluster.leader(topic, partition).map(|leader| leader.node)
                },
                room: &|node| nodes.get(&node).map_or(0, |node| node.room(limit)),
            },
        );
        for batch in plan.expired {
            self.expire(batch);
        }
        if plan.needs_metadata {
            self.shared.client.refresh_metadata();
        }
        for (node, batches) in plan.requests {
            self.send(node, batches);
        }
        let retry_at = self.connect_missing(now);
        [plan.wake_at, retry_at].into_iter().flatten().min()
    }

    /// Takes over partitions and leaders of the topics in use when metadata changed.
    fn take_cluster(&mut self) {
        let cluster = self.shared.client.cluster();
        if cluster.version == self.cluster_seen {
            return;
        }
        self.cluster_seen = cluster.version;
        for topic in self.shared.accumulator.topics() {
            if let Some(metadata) = cluster.topic(&topic)
                && metadata.error.is_none()
            {
                self.shared.accumulator.update_topic(metadata);
            }
        }
    }

    /// Starts connections to leaders of waiting batches that have none.
    fn connect_missing(&mut self, now: Instant) -> Option<Instant> {
        let cluster = self.shared.client.cluster();
        let mut wake_at = None;
        for buffer in &self.active {
            let Some(leader) = cluster.leader(buffer.topic(), buffer.partition()) else {
                continue;
            };
            let node = self.nodes.entry(leader.node).or_default();
            if node.connecting || node.is_connected() {
                continue;
            }
            if let Some(not_before) = node.not_before.filter(|instant| *instant > now) {
                wake_at = [wake_at, Some(not_before)].into_iter().flatten().min();
                continue;
            }
            node.connecting = true;
            let client = self.shared.client.clone();
            let deadline = now + self.shared.config.request_timeout;
            let events = self.events.clone();
            self.tasks.spawn(async move {
                let connection = client.connection(leader.node, Lane::Data, deadline).await;
                report(&events, Event::Connected(leader.node, connection));
            });
        }
        wake_at
    }

    fn send(&mut self, id: i32, mut batches: Vec<Departure>) {
        let config = &self.shared.config;
        let compression = config.compression;
        let mut failed = Vec::new();
        batches = batches
            .into_iter()
            .filter_map(|mut departure| match departure.batch.seal(compression) {
                Ok(()) => Some(departure),
                Err(error) => {
                    failed.push((departure, error.to_string()));
                    None
                }
            })
            .collect();
        let now = now();
        let expiry = batches
            .iter()
            .map(|departure| departure.batch.created + config.delivery_timeout)
            .min();
        let deadline = expiry.map_or(now, |expiry| expiry.min(now + config.request_timeout));
        let cluster = self.shared.client.cluster();
        let request = produce_request(&batches, config.acks, deadline - now, |topic| {
            cluster
                .topic(topic)
                .map_or(Uuid::default(), |topic| topic.id)
        });
        for (departure, cause) in failed {
            self.impossible(departure, &cause);
        }
        if batches.is_empty() {
            return;
        }
        let node = self.nodes.entry(id).or_default();
        let Some(connection) = node.connection.clone() else {
            self.retry_all(batches, "the connection was lost", true);
            return;
        };
        node.in_flight += 1;
        let events = self.events.clone();
        if self.shared.config.acks == Acks::None {
            match connection.start_oneway(&request) {
                Ok(written) => self.tasks.spawn(async move {
                    report(&events, Event::Written(id, batches, written.await));
                }),
                Err(error) => report(&events, Event::Written(id, batches, Err(error))),
            }
        } else if connection.keeps(deadline) {
            connection.start_then(&request, deadline, move |answer| {
                report(&events, Event::Answered(id, batches, answer));
            });
        } else {
            match connection.start(&request, deadline) {
                Ok(answer) => self.tasks.spawn(async move {
                    report(&events, Event::Answered(id, batches, answer.await));
                }),
                Err(error) => report(&events, Event::Answered(id, batches, Err(error))),
            }
        }
    }

    /// acks=0: nobody will answer, so written is all that can be known.
    fn written(&mut self, batches: Vec<Departure>) {
        for Departure { buffer, batch } in batches {
            buffer.lock().landed(batch.ordinal);
            self.stored(
                batch,
                BatchAck {
                    base_offset: -1,
                    log_append_time: -1,
                },
            );
        }
    }

    pub(super) fn handle(&mut self, event: Event) {
        match event {
            Event::Connected(id, Ok(connection)) => {
                let node = self.nodes.entry(id).or_default();
                node.connecting = false;
                node.failures = 0;
                node.not_before = None;
                node.connection = Some(connection);
            }
            Event::Connected(id, Err(error)) => {
                let random = self.random.next();
                let node = self.nodes.entry(id).or_default();
                node.connecting = false;
                node.failures += 1;
                node.not_before = Some(now() + self.backoff.delay(node.failures, random));
                self.blame(id, &error);
                self.shared.client.refresh_metadata();
            }
            Event::Answered(id, batches, Ok(response)) => {
                self.landed(id);
                self.answered(batches, &response);
            }
            Event::Answered(id, batches, Err(error)) => {
                self.landed(id);
                self.attempt_failed(id, batches, &error);
            }
            Event::Written(id, batches, Ok(())) => {
                self.landed(id);
                self.written(batches);
            }
            Event::Written(id, batches, Err(error)) => {
                self.landed(id);
                self.attempt_failed(id, batches, &error);
            }
            Event::Identified(answer) => self.identified(answer),
        }
    }

    fn landed(&mut self, id: i32) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.in_flight = node.in_flight.saturating_sub(1);
        }
    }

    /// The producer is gone: what is left is reported, nothing stays behind.
    pub(super) fn give_up(&mut self) {
        self.ended = true;
        self.tasks.abort();
        self.active.clear();
        self.nodes.clear();
        let unfinished = self.shared.accumulator.unfinished();
        self.shared.give_up();
        // What was under way has lost its batches with the aborted tasks; its reports remain.
        for delivery in unfinished {
            delivery.complete(BatchOutcome::Failed(ProduceError::Closed));
        }
        self.shared.accumulator.forget();
        self.shared.finished.send_replace(true);
        // For records taken in between; later ones see `finished` themselves.
        self.shared.give_up();
    }
}

/// The sink's task is gone once the sender has ended; then its reports are made already.
pub(super) fn report(events: &mpsc::UnboundedSender<Event>, event: Event) {
    drop(events.send(event));
}
