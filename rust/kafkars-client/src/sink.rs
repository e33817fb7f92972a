//! Sending: one task per producer moves batches from the accumulator to the brokers and brings the answers back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::config::Acks;
use kafkars_core::produce::accumulator::{Departure, PlanInputs, plan};
use kafkars_core::produce::delivery::{BatchAck, BatchOutcome};
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::partition_buffer::{OutgoingBatch, PartitionBuffer};
use kafkars_core::produce::request::{Answers, produce_request};
use kafkars_core::produce::sequence::ProducerIdentity;
use kafkars_core::produce::split::split;
use kafkars_core::produce::verdict::{Verdict, judge};
use kafkars_protocol::messages::init_producer_id::{InitProducerIdRequest, InitProducerIdResponse};
use kafkars_protocol::messages::produce::ProduceResponse;
use kafkars_protocol::{ErrorCode, Uuid};
use tokio::task::JoinSet;

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

enum Identity {
    Unasked,
    Asking,
    Known(ProducerIdentity),
    /// Not to be asked again before the instant.
    Waiting(Instant),
    /// Brokers will not give one.
    Refused(ProduceError),
}

enum Event {
    Connected(i32, Result<Connection, AttemptError>),
    Answered(i32, Vec<Departure>, Result<ProduceResponse, AttemptError>),
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

    /// The identity to number with; `Err` when nothing may leave yet.
    fn identity(&mut self, now: Instant) -> Result<Option<ProducerIdentity>, Option<Instant>> {
        if !self.shared.config.enable_idempotence {
            return Ok(None);
        }
        match &self.identity {
            Identity::Known(identity) => return Ok(Some(*identity)),
            Identity::Asking => return Err(self.expire_waiting(now)),
            Identity::Waiting(until) if *until > now => {
                let until = *until;
                return Err([self.expire_waiting(now), Some(until)]
                    .into_iter()
                    .flatten()
                    .min());
            }
            Identity::Refused(error) => {
                let error = error.clone();
                self.fail_waiting(&error);
                return Err(None);
            }
            Identity::Unasked | Identity::Waiting(_) => {}
        }
        self.identity = Identity::Asking;
        let client = self.shared.client.clone();
        let deadline = now + self.shared.config.request_timeout;
        self.events.spawn(async move {
            let request = InitProducerIdRequest {
                transactional_id: None,
                transaction_timeout_ms: i32::MAX,
                producer_id: -1,
                producer_epoch: -1,
            };
            Event::Identified(client.request_any(request, deadline).await)
        });
        Err(self.expire_waiting(now))
    }

    /// Reports batches whose time ran out while nothing may leave; returns when the next one does.
    fn expire_waiting(&mut self, now: Instant) -> Option<Instant> {
        let limit = self.shared.config.delivery_timeout;
        let mut expired = Vec::new();
        let mut wake_at = None;
        for buffer in &self.active {
            let mut state = buffer.lock();
            expired.append(&mut state.take_expired(now, limit));
            wake_at = [wake_at, state.next_wake(limit, limit)]
                .into_iter()
                .flatten()
                .min();
        }
        for batch in expired {
            self.expire(batch);
        }
        wake_at
    }

    fn fail_waiting(&mut self, error: &ProduceError) {
        let active = std::mem::take(&mut self.active);
        for buffer in active {
            let (batches, idle) = {
                let mut state = buffer.lock();
                (state.take_all(), state.unlist_if_idle())
            };
            for batch in batches {
                self.finish(batch, BatchOutcome::Failed(error.clone()));
            }
            if !idle {
                self.active.push(buffer);
            }
        }
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
                Ok(()) => self.written(batches),
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
            Event::Identified(answer) => self.identified(answer),
        }
    }

    fn landed(&mut self, id: i32) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.in_flight = node.in_flight.saturating_sub(1);
        }
    }

    fn identified(&mut self, answer: Result<InitProducerIdResponse, ClientError>) {
        let code = match &answer {
            Ok(response) => ErrorCode::from_i16(response.error_code),
            Err(_) => ErrorCode::None,
        };
        self.identity = match answer {
            Ok(response) if code == ErrorCode::None => Identity::Known(ProducerIdentity {
                id: response.producer_id,
                epoch: response.producer_epoch,
            }),
            Ok(_) if !code.retriable() => Identity::Refused(ProduceError::Impossible {
                topic: "".into(),
                cause: format!(
                    "the broker gives no producer id ({}: {}); set enable_idempotence=False to send without",
                    code.name(),
                    code.description()
                )
                .into(),
            }),
            Err(ClientError::Attempt(AttemptError::Unsupported { .. })) => {
                Identity::Refused(ProduceError::Impossible {
                    topic: "".into(),
                    cause: "the broker knows no idempotent producers; set enable_idempotence=False".into(),
                })
            }
            Ok(_) | Err(_) => {
                Identity::Waiting(now() + self.backoff.delay(1, self.random.next()))
            }
        };
    }

    fn answered(&mut self, batches: Vec<Departure>, response: &ProduceResponse) {
        let cluster = self.shared.client.cluster();
        let answers = Answers::new(response);
        for departure in batches {
            let (topic, partition) = (departure.buffer.topic(), departure.buffer.partition());
            let id = cluster
                .topic(topic)
                .map_or(Uuid::default(), |topic| topic.id);
            let Some(answer) = answers.find(topic, id, partition) else {
                self.retry(
                    departure,
                    "the response left this partition out".into(),
                    true,
                );
                continue;
            };
            if answer.current_leader.leader_id >= 0 {
                self.shared.client.apply_leader_hint(
                    topic,
                    partition,
                    answer.current_leader.leader_id,
                    answer.current_leader.leader_epoch,
                    response
                        .node_endpoints
                        .iter()
                        .map(|node| (node.node_id, node.host.clone(), node.port)),
                );
            }
            let has_earlier = departure.buffer.lock().has_earlier(departure.batch.ordinal);
            match judge(&departure.batch, answer, has_earlier) {
                Verdict::Stored(ack) => {
                    departure.buffer.lock().landed(departure.batch.ordinal);
                    self.stored(departure.batch, ack);
                }
                Verdict::Retry { cause, refresh } => self.retry(departure, cause, refresh),
                Verdict::Renumber { cause } => {
                    tracing::warn!(target: "kafkars::producer", %topic, partition, %cause, "numbering starts over");
                    self.identity = Identity::Unasked;
                    self.retry(departure, cause, false);
                }
                Verdict::Split(error) => self.split(departure, error),
                Verdict::Failed(error) => {
                    departure.buffer.lock().landed(departure.batch.ordinal);
                    self.finish(departure.batch, BatchOutcome::Failed(error));
                }
            }
        }
    }

    fn split(&mut self, departure: Departure, error: ProduceError) {
        let Departure { buffer, batch } = departure;
        let ordinal = batch.ordinal;
        tracing::info!(
            target: "kafkars::producer",
            topic = %buffer.topic(),
            partition = buffer.partition(),
            records = batch.count,
            "a batch was too large for its topic and goes out in two"
        );
        match split(batch) {
            Ok(parts) => buffer.lock().put_back_parts(ordinal, parts),
            Err(whole) => {
                buffer.lock().landed(ordinal);
                self.finish(whole.0, BatchOutcome::Failed(error));
            }
        }
    }

    fn attempt_failed(&mut self, id: i32, batches: Vec<Departure>, error: &AttemptError) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.connection = None;
        }
        self.blame(id, error);
        if error.retriable() {
            self.retry_all(batches, &error.to_string(), true);
        } else {
            for departure in batches {
                self.impossible(departure, &error.to_string());
            }
        }
    }

    /// Remembers with the batches waiting for a broker what went wrong with it.
    fn blame(&mut self, id: i32, error: &AttemptError) {
        let cause: Arc<str> = format!("broker {id}: {error}").into();
        let cluster = self.shared.client.cluster();
        for buffer in &self.active {
            let leader = cluster.leader(buffer.topic(), buffer.partition());
            if leader.is_some_and(|leader| leader.node == id) {
                buffer.lock().blame(&cause);
            }
        }
    }

    fn retry_all(&mut self, batches: Vec<Departure>, cause: &str, refresh: bool) {
        let cause: Arc<str> = cause.into();
        for departure in batches {
            self.retry(departure, Arc::clone(&cause), refresh);
        }
    }

    fn retry(&mut self, departure: Departure, cause: Arc<str>, refresh: bool) {
        if refresh {
            self.shared.client.refresh_metadata();
        }
        let Departure { buffer, mut batch } = departure;
        batch.attempts += 1;
        let pause = self.backoff.delay(batch.attempts, self.random.next());
        tracing::debug!(
            target: "kafkars::producer",
            topic = %buffer.topic(),
            partition = buffer.partition(),
            attempt = batch.attempts,
            %cause,
            "a batch is tried again"
        );
        batch.last_cause = Some(cause);
        let now = now();
        if now + pause >= batch.created + self.shared.config.delivery_timeout {
            buffer.lock().landed(batch.ordinal);
            self.expire(batch);
            return;
        }
        self.shared.counters.retries.fetch_add(1, Ordering::Relaxed);
        buffer.lock().put_back(batch, now + pause);
    }

    fn expire(&mut self, batch: OutgoingBatch) {
        let cause = batch
            .last_cause
            .clone()
            .unwrap_or_else(|| "no broker took it".into());
        let error = ProduceError::DeliveryTimedOut {
            topic: Arc::clone(batch.delivery.topic()),
            partition: batch.delivery.partition(),
            waited: self.shared.config.delivery_timeout,
            cause,
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }

    fn impossible(&mut self, departure: Departure, cause: &str) {
        let Departure { buffer, batch } = departure;
        buffer.lock().landed(batch.ordinal);
        let error = ProduceError::Impossible {
            topic: Arc::clone(buffer.topic()),
            cause: cause.into(),
        };
        self.finish(batch, BatchOutcome::Failed(error));
    }

    fn stored(&mut self, batch: OutgoingBatch, ack: BatchAck) {
        let counters = &self.shared.counters;
        let bytes = batch.content.len() as u64;
        counters.batches_sent.fetch_add(1, Ordering::Relaxed);
        counters.bytes_sent.fetch_add(bytes, Ordering::Relaxed);
        counters
            .bytes_uncompressed
            .fetch_add(batch.reserved as u64, Ordering::Relaxed);
        self.finish(batch, BatchOutcome::Acknowledged(ack));
    }

    /// Every batch ends here, once: memory first, so that whoever the report wakes finds room.
    fn finish(&self, batch: OutgoingBatch, outcome: BatchOutcome) {
        self.shared.finish(batch, outcome);
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

impl Shared {
    pub(crate) fn finish(&self, batch: OutgoingBatch, outcome: BatchOutcome) {
        let counter = match &outcome {
            BatchOutcome::Acknowledged(_) => &self.counters.records_sent,
            BatchOutcome::Failed(_) | BatchOutcome::Split(_) => &self.counters.records_failed,
        };
        counter.fetch_add(u64::from(batch.count), Ordering::Relaxed);
        self.accumulator.release(&batch);
        batch.delivery.complete(outcome);
        self.room.notify_waiters();
    }

    /// Reports everything that waits as not sent.
    pub(crate) fn give_up(&self) {
        for batch in self.accumulator.take_all() {
            self.finish(batch, BatchOutcome::Failed(ProduceError::Closed));
        }
    }
}
