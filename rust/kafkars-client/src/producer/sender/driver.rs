//! The driver of the core's `Sender`: it does what that decides, and tells it what happened.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::cluster::Cluster;
use kafkars_core::config::Acks;
use kafkars_core::error_kind::{SecurityError, SecurityProblem};
use kafkars_core::produce::delivery::BatchOutcome;
use kafkars_core::produce::error::ProduceError;
use kafkars_core::produce::request::Answers;
use kafkars_core::produce::sender::{self, InFlightBatch, ProduceCall, RefusedLogin, Work};
use kafkars_core::transaction::{NoAnswer, TransactionConfig, Transactions};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::produce::{ProduceRequest, ProduceResponse};
use tokio::sync::mpsc;

use super::cluster_view::ClusterView;
use super::event::{SenderEvent, report};
use super::no_answer::{Sent, no_answer};
use super::node::Node;
use super::transaction_calls::Calls;
use crate::error::{AttemptError, ClientError};
use crate::net::{Broker, ConnectionKind, Tasks, Terms};
use crate::now;
use crate::producer::shared::ProducerShared;

/// A batch no larger than this may be sent on the thread of the caller, who waits meanwhile and may hold the
/// interpreter.
const LARGEST_INLINE: usize = 16 << 10;

/// Sends what the core decides. It runs on whichever thread holds its lock: the sender's task, or a caller whose record
/// can be sent at once.
pub(super) struct SenderDriver {
    pub(super) shared: Arc<ProducerShared>,
    pub(super) core: sender::Sender,
    nodes: HashMap<i32, Node>,
    backoff: Backoff,
    random: Random,
    // Tasks of the sender's own: connecting, and asking for a producer id. They end with the sender.
    pub(super) tasks: Tasks,
    // The channel to the sender's task.
    pub(super) events: mpsc::UnboundedSender<SenderEvent>,
    pub(super) calls: Calls,
    // The broker that was last asked for a producer id and gave none.
    unhelpful: Option<Arc<Broker>>,
    cluster_seen: Arc<Cluster>,
    retries_seen: u64,
    // When the sender's task looks again by itself.
    wake_at: Option<Instant>,
    pub(super) ended: bool,
}

impl SenderDriver {
    pub(super) fn new(
        shared: Arc<ProducerShared>,
        events: mpsc::UnboundedSender<SenderEvent>,
    ) -> Self {
        let config = shared.client.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        Self {
            core: sender::Sender::new(
                shared.config.clone(),
                Arc::clone(&shared.accumulator),
                backoff,
                shared.seed,
                transactions(&shared),
            )
            .named(shared.client.name()),
            nodes: HashMap::new(),
            backoff,
            random: Random::new(shared.seed),
            tasks: Tasks::new(shared.client.handle().clone()),
            events,
            calls: Calls::default(),
            unhelpful: None,
            cluster_seen: Arc::default(),
            retries_seen: 0,
            wake_at: None,
            ended: false,
            shared,
        }
    }

    /// Sends what was just appended, if it would be sent at once anyway. Returns false if the sender's task must look.
    pub(super) fn send_inline(&mut self) -> bool {
        let cluster = self.shared.client.cluster();
        if self.ended || cluster.version != self.cluster_seen.version {
            return false;
        }
        let view = ClusterView::new(&cluster, &self.nodes, &self.shared);
        let Some(work) = self.core.send_inline(now(), &view, LARGEST_INLINE) else {
            return false;
        };
        // The task must set its timer anew if it has to wake earlier.
        let timer_stands = match (work.wake_at, self.wake_at) {
            (None, _) => true,
            (Some(wanted), Some(set)) => set <= wanted,
            (Some(_), None) => false,
        };
        self.carry_out(work, &cluster);
        timer_stands
    }

    /// Sends what may be sent now. Returns when to look again.
    pub(super) fn dispatch(&mut self) -> Option<Instant> {
        let cluster = self.shared.client.cluster();
        self.take_cluster(&cluster);
        let view = ClusterView::new(&cluster, &self.nodes, &self.shared);
        let flush_requested = self.shared.flush_requested.load(Ordering::Relaxed) > 0;
        let work = self.core.poll(now(), &view, flush_requested);
        let wake_at = work.wake_at;
        let retry_at = self.carry_out(work, &cluster);
        self.wake_at = [wake_at, retry_at].into_iter().flatten().min();
        self.wake_at
    }

    /// Takes over partitions and leaders of the topics in use if metadata has changed.
    fn take_cluster(&mut self, cluster: &Arc<Cluster>) {
        if cluster.version == self.cluster_seen.version {
            return;
        }
        for metadata in cluster.topics_since(&self.cluster_seen) {
            if metadata.error.is_none() && self.shared.accumulator.knows(&metadata.name) {
                self.shared.accumulator.update_topic(metadata);
            }
        }
        self.cluster_seen = Arc::clone(cluster);
    }

    /// Does what the core asks for. Returns when to connect again to a node that failed.
    fn carry_out(&mut self, work: Work, cluster: &Cluster) -> Option<Instant> {
        if work.needs_metadata {
            self.shared.client.refresh_metadata();
        }
        if work.needs_identity {
            self.ask_identity();
        }
        if let Some(dispatch) = work.coordinator {
            self.coordinate(dispatch);
        }
        for call in work.requests {
            self.send(call);
        }
        self.report_finished();
        self.transactions_changed();
        let waiting = work.unconnected.into_iter();
        let wakes = waiting.filter_map(|node| self.connect(node, cluster));
        wakes.min()
    }

    /// Starts to connect to a leader that has no connection. Returns when to try again, if it is too early now.
    fn connect(&mut self, id: i32, cluster: &Cluster) -> Option<Instant> {
        let now = now();
        let node = self.nodes.entry(id).or_default();
        if node.connecting {
            return None;
        }
        if let Some(muted_until) = node.muted_until() {
            return Some(muted_until);
        }
        if let Some(not_before) = node.not_before.filter(|instant| *instant > now) {
            return Some(not_before);
        }
        if cluster.broker(id).is_none() {
            // Metadata names a leader that it does not list; the next answer may.
            self.shared.client.refresh_metadata();
            return Some(self.node_failed(id));
        }
        node.connecting = true;
        let client = self.shared.client.clone();
        let deadline = now + self.shared.config.request_timeout;
        let events = self.events.clone();
        self.tasks.spawn(async move {
            let connection = client.connection(id, ConnectionKind::Data, deadline).await;
            report(&events, SenderEvent::Connected(id, connection));
        });
        None
    }

    /// Asks for a producer id once: the core asks again, and knows what went wrong.
    fn ask_identity(&self) {
        let avoided = self.unhelpful.clone();
        let client = self.shared.client.clone();
        let deadline = now() + self.shared.config.request_timeout;
        let events = self.events.clone();
        self.tasks.spawn(async move {
            let request = InitProducerIdRequest {
                transactional_id: None,
                transaction_timeout_ms: i32::MAX,
                producer_id: -1,
                producer_epoch: -1,
            };
            let asked = client.request_once(request, avoided.as_ref(), deadline);
            let (broker, answer) = asked.await;
            report(&events, SenderEvent::Identified(broker, answer));
        });
    }

    fn send(&mut self, call: ProduceCall) {
        let ProduceCall {
            node: id,
            batches,
            request,
            max_version,
            deadline,
            latest,
        } = call;
        let node = self.nodes.entry(id).or_default();
        let Some(connection) = node.connection.clone() else {
            let lost = NoAnswer::NotSent {
                cause: "the connection was lost".into(),
            };
            return self.core.attempt_failed(now(), id, batches, &lost);
        };
        let events = self.events.clone();
        if self.shared.config.acks == Acks::None {
            match connection.start_oneway(&request, latest.max(deadline)) {
                Ok(written) => self.tasks.spawn(async move {
                    report(&events, SenderEvent::Written(id, batches, written.await));
                }),
                Err(error) => report(&events, SenderEvent::Written(id, batches, Err(error))),
            }
        } else if connection.keeps(deadline) {
            let terms = Terms {
                max_version,
                deadline,
                latest,
            };
            connection.start_then(&request, terms, move |answer| {
                report(&events, SenderEvent::Answered(id, batches, answer));
            });
        } else {
            let version = connection
                .versions()
                .highest_up_to::<ProduceRequest>(max_version);
            let started =
                version.and_then(|version| connection.start_version(&request, version, deadline));
            match started {
                Ok(answer) => self.tasks.spawn(async move {
                    report(&events, SenderEvent::Answered(id, batches, answer.await));
                }),
                Err(error) => report(&events, SenderEvent::Answered(id, batches, Err(error))),
            }
        }
    }

    pub(super) fn handle(&mut self, event: SenderEvent) {
        match event {
            SenderEvent::Connected(id, Ok(connection)) => {
                let node = self.nodes.entry(id).or_default();
                node.connecting = false;
                node.connection = Some(connection);
                self.core.login_possible(id);
            }
            SenderEvent::Connected(id, Err(error)) => {
                self.nodes.entry(id).or_default().connecting = false;
                self.node_failed(id);
                self.core.unreachable(id, &error.to_string());
                self.note_refusal(id, &error);
            }
            SenderEvent::Answered(id, batches, Ok(response)) => {
                self.answered(id, batches, &response)
            }
            SenderEvent::Written(id, batches, Ok(())) => self.core.written(id, batches),
            SenderEvent::Answered(id, batches, Err(error))
            | SenderEvent::Written(id, batches, Err(error)) => {
                self.attempt_failed(id, batches, &error);
            }
            SenderEvent::Identified(broker, answer) => {
                let address = broker.as_ref().map(|broker| Arc::clone(broker.address()));
                let is_helpful = answer.as_ref().is_ok_and(|answer| answer.error_code == 0);
                self.unhelpful = broker.filter(|_| !is_helpful);
                let answer = answer.as_ref().map_err(|error| match error {
                    ClientError::Attempt(error) => no_answer(error, Sent::Perhaps),
                    error => NoAnswer::NotSent {
                        cause: error.to_string().into(),
                    },
                });
                self.core.identified(now(), address.as_deref(), answer);
            }
            SenderEvent::Coordinated(answer) => self.coordinated(answer),
        }
        self.report_finished();
    }

    fn answered(&mut self, id: i32, batches: Vec<InFlightBatch>, response: &ProduceResponse) {
        if let Some(node) = self.nodes.get_mut(&id) {
            node.failures = 0;
            node.not_before = None;
        }
        let cluster = self.shared.client.cluster();
        self.take_leader_hints(&batches, response, &cluster);
        let view = ClusterView::new(&cluster, &self.nodes, &self.shared);
        self.core.answered(now(), id, batches, response, &view);
    }

    /// Applies the leader hints of brokers that do not lead a partition any more (KIP-951).
    fn take_leader_hints(
        &self,
        batches: &[InFlightBatch],
        response: &ProduceResponse,
        cluster: &Cluster,
    ) {
        let mut topics = response.responses.iter();
        let has_hint = topics.any(|topic| {
            let mut partitions = topic.partition_responses.iter();
            partitions.any(|partition| partition.current_leader.leader_id >= 0)
        });
        if !has_hint {
            return;
        }
        let answers = Answers::new(response);
        for in_flight in batches {
            let (topic, partition) = (in_flight.buffer.topic(), in_flight.buffer.partition());
            let id = cluster
                .topic(topic)
                .map_or(Uuid::default(), |topic| topic.id);
            // The topic was created anew since: a hint about the old one says nothing about it.
            if id != in_flight.topic_id {
                continue;
            }
            let answer = answers.find(topic, id, partition);
            if let Some(answer) = answer.filter(|answer| answer.current_leader.leader_id >= 0) {
                let endpoints = response.node_endpoints.iter();
                self.shared.client.apply_leader_hint(
                    topic,
                    partition,
                    answer.current_leader.leader_id,
                    answer.current_leader.leader_epoch,
                    endpoints.map(|node| (node.node_id, node.host.clone(), node.port)),
                );
            }
        }
    }

    /// Notes a failure of a node, which is left alone for a while. Returns until when.
    fn node_failed(&mut self, id: i32) -> Instant {
        let random = self.random.next();
        let node = self.nodes.entry(id).or_default();
        node.failures = node.failures.saturating_add(1);
        let not_before = now() + self.backoff.delay(node.failures, random);
        node.not_before = Some(not_before);
        not_before
    }

    /// Tells the core of a login that was refused for good. Missing credentials are no refusal by a broker: they are
    /// waited for, and reported as what they are in the end.
    fn note_refusal(&mut self, id: i32, error: &AttemptError) {
        let is_telling = |refusal: &SecurityError| {
            refusal.problem == SecurityProblem::Credentials || !error.retriable()
        };
        match error.security().filter(is_telling) {
            None => self.core.login_possible(id),
            Some(refusal) => {
                let is_refused = refusal.problem != SecurityProblem::Credentials;
                let client = &self.shared.client;
                let refused = RefusedLogin {
                    began: client.refused_login_began(&refusal.address),
                    grace: is_refused.then(|| client.config().connect_timeout),
                    error: refusal,
                };
                self.core.login_refused(now(), id, refused);
            }
        }
    }

    fn attempt_failed(&mut self, id: i32, batches: Vec<InFlightBatch>, error: &AttemptError) {
        if let Some(node) = self.nodes.get_mut(&id)
            && let Some(connection) = node.connection.take()
            && connection.is_closed()
        {
            // A broker that accepts connections and closes them on requests is not tried faster than one that accepts
            // none.
            self.node_failed(id);
        }
        self.core
            .attempt_failed(now(), id, batches, &no_answer(error, Sent::Perhaps));
    }

    /// Gives records up, and reports them. Returns how many.
    pub(super) fn purge(&mut self, in_queue: bool, in_flight: bool) -> usize {
        let count = self.core.purge(in_queue, in_flight);
        self.report_finished();
        self.transactions_changed();
        self.shared.room.notify_waiters();
        count
    }

    /// Counts and reports the batches that the core has finished.
    fn report_finished(&mut self) {
        let finished = self.core.take_finished();
        let has_failed = |each: &sender::Finished| matches!(each.outcome, BatchOutcome::Failed(_));
        if finished.iter().any(has_failed) {
            // Whoever hears that a record has failed finds its transaction failed, too.
            self.permits_changed();
        }
        for finished in finished {
            self.shared.report(&finished.batch, finished.outcome);
        }
        let retries = self.core.retries();
        let counter = &self.shared.counters.retries;
        counter.fetch_add(retries - self.retries_seen, Ordering::Relaxed);
        self.retries_seen = retries;
    }

    /// Ends the sender: what is left is reported as failed.
    pub(super) fn give_up(&mut self) {
        self.ended = true;
        self.close_transactions();
        self.tasks.abort();
        self.nodes.clear();
        self.report_finished();
        let unfinished = self.shared.accumulator.unfinished();
        self.shared.give_up();
        // Batches in flight were lost with the aborted tasks; their deliveries are completed here.
        for delivery in unfinished {
            delivery.complete(BatchOutcome::Failed(ProduceError::Closed));
        }
        self.shared.accumulator.forget();
        self.shared.finished.send_replace(true);
        // For records appended in between; later ones see `finished` themselves.
        self.shared.give_up();
    }
}

/// Makes the state machine of a transactional producer.
fn transactions(shared: &ProducerShared) -> Option<Transactions> {
    let (config, client) = (&shared.config, shared.client.config());
    let transactional_id = config.transactional_id.as_deref()?;
    let config = TransactionConfig {
        transactional_id: transactional_id.into(),
        transaction_timeout: config.transaction_timeout,
        retry_backoff: client.retry_backoff,
        retry_backoff_max: client.retry_backoff_max,
        unknown_topic_limit: client.request_timeout,
    };
    Some(Transactions::new(config, shared.seed))
}
