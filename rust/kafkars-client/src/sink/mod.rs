//! Sending: one task per producer moves batches from the accumulator to the brokers and brings the answers back.

mod answers;
mod identity;

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
use tokio::task::JoinSet;

use self::identity::Identity;
use crate::error::{AttemptError, ClientError};
use crate::net::{Connection, Lane};
use crate::now;
use crate::producer::Shared;

/// Runs until the producer is closed or its last handle is gone.
pub(crate) async fn run(shared: Arc<Shared>) {
    let mut sender = Sender {
        backoff: Backoff::new(
            shared.client.config().retry_backoff,
            shared.client.config().retry_backoff_max,
        ),
        cluster_seen: 0,
        active: Vec::new(),
        nodes: HashMap::new(),
        events: JoinSet::new(),
        identity: Identity::Unasked,
        random: Random::new(shared.seed),
        shared,
    };
    sender.run().await;
    sender.give_up();
}

struct Sender {
    shared: Arc<Shared>,
    backoff: Backoff,
    cluster_seen: u64,
    // Partitions with records, waiting or under way.
    active: Vec<Arc<PartitionBuffer>>,
    nodes: HashMap<i32, Node>,
    events: JoinSet<Event>,
    identity: Identity,
    random: Random,
}

/// One broker as the sender sees it.
#[derive(Default)]
struct Node {
    connection: Option<Connection>,
    connecting: bool,
    in_flight: usize,
    // After failed connection attempts: which there were, and until when none is made.
    failures: u32,
    not_before: Option<Instant>,
}

enum Event {
    Connected(i32, Result<Connection, AttemptError>),
    Answered(i32, Vec<Departure>, Result<ProduceResponse, AttemptError>),
    /// The socket has taken a request that nobody answers.
    Written(i32, Vec<Departure>, Result<(), AttemptError>),
    Identified(Result<InitProducerIdResponse, ClientError>),
}

impl Sender {
    async fn run(&mut self) {
        let mut cluster = self.shared.client.cluster_changed();
        loop {
            if self.shared.abandoned.load(Ordering::Acquire) {
                return;
            }
            let wake_at = self.dispatch();
            let timer = async {
                match wake_at {
                    Some(instant) => tokio::time::sleep_until(instant.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                Some(event) = self.events.join_next(), if !self.events.is_empty() => {
                    if let Ok(event) = event {
                        self.handle(event);
                    }
                }
                () = self.shared.wake.notified() => {}
                changed = cluster.changed() => {
                    if changed.is_err() {
                        return;
                    }
                }
                () = timer => {}
            }
        }
    }

    /// Sends what may leave now. Returns when to look again.
    fn dispatch(&mut self) -> Option<Instant> {
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
            self.events.spawn(async move {
                let connection = client.connection(leader.node, Lane::Data, deadline).await;
                Event::Connected(leader.node, connection)
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
        let acks = self.shared.config.acks;
        let node = self.nodes.entry(id).or_default();
        let Some(connection) = node.connection.clone() else {
            self.retry_all(batches, "the connection was lost", true);
            return;
        };
        if acks == Acks::None {
            match connection.start_oneway(&request) {
                Ok(written) => {
                    node.in_flight += 1;
                    self.events
                        .spawn(async move { Event::Written(id, batches, written.await) });
                }
                Err(error) => self.attempt_failed(id, batches, &error),
            }
            return;
        }
        match connection.start(&request, deadline) {
            Ok(answer) => {
                node.in_flight += 1;
                self.events
                    .spawn(async move { Event::Answered(id, batches, answer.await) });
            }
            Err(error) => self.attempt_failed(id, batches, &error),
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

    fn handle(&mut self, event: Event) {
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
    fn give_up(&mut self) {
        self.events.abort_all();
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

impl Node {
    fn is_connected(&self) -> bool {
        self.connection
            .as_ref()
            .is_some_and(|connection| !connection.is_closed())
    }

    fn room(&self, limit: usize) -> usize {
        if self.is_connected() {
            limit.saturating_sub(self.in_flight)
        } else {
            0
        }
    }
}
