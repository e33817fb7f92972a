//! A producer of the core, driven over a simulated network.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::cluster::{PartitionMetadata, TopicMetadata};
use kafkars_core::config::ProducerConfig;
use kafkars_core::error_kind::{SecurityError, SecurityProblem};
use kafkars_core::produce::accumulator::{Accumulator, ProduceRecord};
use kafkars_core::produce::delivery::{BatchDelivery, Delivery};
use kafkars_core::produce::request::Answers;
use kafkars_core::produce::sender::{InFlightBatch, ProduceCall, RefusedLogin, Sender, View};
use kafkars_core::transaction::{
    Destination, NoAnswer, TransactionCallId, TransactionConfig, TransactionError,
    TransactionResponse, Transactions,
};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::produce::{ProduceRequest, ProduceResponse};
use kafkars_records::{ReadLimits, batches};

use crate::cluster::{NODES, PARTITIONS, PartitionIndex, TOPICS, Topic, WireBatch};
use crate::defect::{self, Defect};
use crate::network::{Asked, Connection, ConnectionKind, Payload, Reply};
use crate::shapes;
use crate::world::{MILLI, Micros, World};

/// How long records wait for a node that refuses the login.
pub(crate) const LOGIN_GRACE: Micros = 400 * MILLI;

pub(crate) fn topic_name(place: PartitionIndex) -> String {
    format!("t{}", place / PARTITIONS)
}

pub(crate) fn partition_index_of(topic: &str, partition: i32) -> PartitionIndex {
    let topic: usize = topic[1..].parse().expect("a topic of ours");
    topic * PARTITIONS + partition as usize
}

/// One producer with its connections.
pub(crate) struct Client {
    pub(crate) sender: Sender,
    pub(crate) accumulator: Arc<Accumulator>,
    pub(crate) flush_requested: bool,
    /// Ends of transactional calls.
    pub(crate) outcomes: HashMap<TransactionCallId, Result<(), TransactionError>>,
    /// The application has given the producer up.
    pub(crate) stopped: bool,
    pub(crate) leaders: Leaders,
    pub(crate) connections: BTreeMap<(i32, ConnectionKind), Connection>,
    metadata_asked: bool,
    /// Failed connection attempts by node, and until when there is no other.
    failures: BTreeMap<i32, (u32, Micros)>,
    /// Records that wait for a node that refuses every login, by their index: which, and when that was heard first.
    pub(crate) refused: BTreeMap<usize, shapes::Heard>,
    /// Nodes that have ever refused a login, for a client that never forgets.
    pub(crate) refusing: BTreeSet<i32>,
    next_poll: Option<Micros>,
}

/// A login that began then, and was refused.
pub(crate) fn refused_login(began: Instant) -> RefusedLogin {
    let error = SecurityError {
        problem: SecurityProblem::Authentication,
        address: "node".into(),
        cause: "wrong password".into(),
    };
    RefusedLogin {
        error,
        began: Some(began),
        grace: Some(Duration::from_micros(LOGIN_GRACE)),
    }
}

/// What the client knows about leaders, and where it is connected.
pub(crate) struct Leaders {
    version: u64,
    of: Vec<i32>,
    topics: Vec<Topic>,
    pub(crate) connected: Vec<i32>,
}

impl View for Leaders {
    fn metadata_version(&self) -> u64 {
        self.version
    }

    fn leader(&self, topic: &str, partition: i32) -> Option<i32> {
        let place = partition_index_of(topic, partition);
        let exists = (partition as usize) < self.topics[place / PARTITIONS].partitions;
        exists.then(|| self.of[place])
    }

    fn is_gone(&self, topic: &str, partition: i32) -> bool {
        self.leader(topic, partition).is_none()
    }

    fn topic_id(&self, topic: &str) -> Uuid {
        self.topics[partition_index_of(topic, 0) / PARTITIONS].id
    }

    fn is_connected(&self, node: i32) -> bool {
        self.connected.contains(&node)
    }
}

fn metadata(number: usize, topic: Topic) -> TopicMetadata {
    let partition = |partition| PartitionMetadata {
        partition,
        error: None,
        leader: Some(0),
        leader_epoch: 0,
        replicas: Arc::default(),
        isr: Arc::default(),
        offline: Arc::default(),
    };
    TopicMetadata {
        name: format!("t{number}"),
        id: topic.id,
        error: None,
        partitions: (0..topic.partitions as i32).map(partition).collect(),
        is_internal: false,
    }
}

/// Adds a producer to the world; with `transaction_timeout` a transactional one.
pub(crate) fn add(
    world: &mut World,
    config: ProducerConfig,
    transaction_timeout: Option<Duration>,
) -> usize {
    let accumulator = Arc::new(Accumulator::new(&defect::believed(world, &config), 1));
    for (topic, known) in world.cluster.topics.iter().enumerate() {
        accumulator.update_topic(&metadata(topic, *known));
    }
    let pauses = (Duration::from_millis(20), Duration::from_millis(200));
    let seed = world.between(0, u64::MAX);
    let transactions = transaction_timeout.map(|transaction_timeout| {
        let config = TransactionConfig {
            transactional_id: "tx".into(),
            transaction_timeout,
            retry_backoff: pauses.0,
            retry_backoff_max: pauses.1,
            unknown_topic_limit: Duration::from_secs(30),
        };
        Transactions::new(config, seed)
    });
    let config = config.check().expect("settings that fit");
    let backoff = Backoff::new(pauses.0, pauses.1);
    let sender = Sender::new(
        config,
        Arc::clone(&accumulator),
        backoff,
        seed,
        transactions,
    );
    world.clients.push(Client {
        sender,
        accumulator,
        flush_requested: false,
        outcomes: HashMap::new(),
        stopped: false,
        leaders: Leaders {
            version: 1,
            of: vec![0; TOPICS * PARTITIONS],
            topics: world.cluster.topics.clone(),
            connected: Vec::new(),
        },
        connections: BTreeMap::new(),
        metadata_asked: false,
        failures: BTreeMap::new(),
        refused: BTreeMap::new(),
        refusing: BTreeSet::new(),
        next_poll: None,
    });
    world.clients.len() - 1
}

impl Client {
    pub(crate) fn transactions(&mut self) -> &mut Transactions {
        self.sender
            .transactions()
            .expect("a transactional producer")
    }
}

impl World {
    /// Takes a record; `None` when there is no room or the transaction does not allow it.
    pub(crate) fn produce(
        &mut self,
        id: usize,
        place: PartitionIndex,
        value: u64,
    ) -> Option<Delivery> {
        let to = (place / PARTITIONS, Some((place % PARTITIONS) as i32));
        self.produce_to(id, to, None, value)
    }

    /// The same with or without a partition and a key.
    pub(crate) fn produce_to(
        &mut self,
        id: usize,
        (topic, partition): (usize, Option<i32>),
        key: Option<&[u8]>,
        value: u64,
    ) -> Option<Delivery> {
        let now = self.instant();
        let bytes = value.to_be_bytes();
        let record = ProduceRecord {
            topic: &format!("t{topic}"),
            partition,
            timestamp: Some(0),
            key,
            value: Some(&bytes),
            headers: &[],
        };
        let taken = self.clients[id].accumulator.append(&record, || now, || 0);
        self.poll_soon(id);
        taken.ok().map(|(delivery, _)| delivery)
    }

    /// Whether a call waits for what has been sent.
    pub(crate) fn flush_requested(&mut self, id: usize, flush_requested: bool) {
        self.clients[id].flush_requested = flush_requested;
        self.poll_soon(id);
    }

    pub(crate) fn poll_soon(&mut self, id: usize) {
        self.poll_at(id, self.now);
    }

    fn poll_at(&mut self, id: usize, at: Micros) {
        let client = &mut self.clients[id];
        if client
            .next_poll
            .is_some_and(|next| next <= at && next >= self.now)
        {
            return;
        }
        client.next_poll = Some(at);
        self.at(at, move |world| {
            if world.clients[id].next_poll == Some(at) {
                world.clients[id].next_poll = None;
                world.poll(id);
            }
        });
    }

    fn poll(&mut self, id: usize) {
        let now = self.instant();
        defect::before_poll(self, id);
        let client = &mut self.clients[id];
        let work = client
            .sender
            .poll(now, &client.leaders, client.flush_requested);
        if work.needs_metadata {
            self.ask_metadata(id);
        }
        for call in work.requests {
            self.send_batches(id, call);
        }
        if work.needs_identity {
            let node = self.between(0, NODES) as i32;
            self.send(
                id,
                (node, ConnectionKind::Coordinator),
                Payload::Identity,
                Asked::Identity,
                None,
            );
        }
        if let Some(dispatch) = work.coordinator {
            let node = match dispatch.destination {
                Destination::Node(node) => node,
                Destination::AnyBroker => self.between(0, NODES) as i32,
            };
            let asked = Asked::Coordinator(dispatch.request.clone());
            match defect::intercept(self, &dispatch.request) {
                Some(answer) => {
                    self.after(MILLI, move |world| world.coordinated(id, Ok(answer)));
                }
                None => {
                    let request = defect::falsify(self, dispatch.request);
                    let payload = Payload::Coordinator(request, dispatch.max_version);
                    self.send(
                        id,
                        (node, ConnectionKind::Coordinator),
                        payload,
                        asked,
                        None,
                    );
                }
            }
        }
        for node in work.unconnected {
            self.connect(id, node);
        }
        self.settle(id);
        if let Some(wake_at) = work.wake_at.filter(|_| !self.has(Defect::NoTimers)) {
            let at = self.micros(wake_at).max(self.now + 1);
            self.poll_at(id, at);
        }
    }

    /// Reports what has ended.
    fn settle(&mut self, id: usize) {
        let client = &mut self.clients[id];
        for finished in client.sender.take_finished() {
            finished.batch.delivery.complete(finished.outcome);
        }
        if let Some(transactions) = client.sender.transactions() {
            for outcome in transactions.take_outcomes() {
                client.outcomes.insert(outcome.call_id, outcome.result);
            }
        }
        if self.guarded {
            shapes::check_refused(self, id);
        }
    }

    fn send_batches(&mut self, id: usize, call: ProduceCall) {
        let deadline = self.micros(call.deadline);
        let mut wire = read(&call.request);
        let attempts = call
            .batches
            .iter()
            .map(|departure| departure.batch.attempts);
        defect::on_the_wire(self, &mut wire, attempts);
        let payload = Payload::Produce(wire, call.max_version >= 12);
        let asked = Asked::Batches(call.batches);
        self.send(
            id,
            (call.node, ConnectionKind::Data),
            payload,
            asked,
            Some(deadline),
        );
    }

    fn connect(&mut self, id: usize, node: i32) {
        let (failures, not_before) = self.clients[id]
            .failures
            .get(&node)
            .copied()
            .unwrap_or_default();
        if not_before > self.now {
            return self.poll_at(id, not_before);
        }
        let mut delay = self.between(MILLI / 2, 5 * MILLI);
        let began = self.now;
        if self.guarded {
            if self.fault(200) {
                delay = self.between(0, 3 * LOGIN_GRACE);
            }
            // One login at a time.
            let pending = (failures, began + delay);
            self.clients[id].failures.insert(node, pending);
        }
        if self.cluster.unreachable.contains(&node) {
            let doublings = if self.guarded { 1 } else { 4 };
            let pause = (100 * MILLI) << failures.min(doublings);
            let failed = (failures + 1, self.now + delay + pause);
            self.clients[id].failures.insert(node, failed);
            return self.after(delay, move |world| world.not_connected(id, node, began));
        }
        self.after(delay, move |world| {
            let client = &mut world.clients[id];
            client.failures.remove(&node);
            client.refused.retain(|_, heard| heard.node != node);
            client.sender.login_possible(node);
            if !client.leaders.connected.contains(&node) {
                client.leaders.connected.push(node);
            }
            world.poll_soon(id);
        });
    }

    fn not_connected(&mut self, id: usize, node: i32, began: Micros) {
        let instant = self.instant();
        let is_told = !self.has(Defect::RefusalIsNoConnection);
        let client = &mut self.clients[id];
        client.sender.unreachable(node, "no connection");
        if self.guarded {
            if is_told {
                client.refusing.insert(node);
                let refused = refused_login(self.base + Duration::from_micros(began));
                client.sender.login_refused(instant, node, refused);
            }
            shapes::heard(self, id, node, began);
        }
        self.poll_soon(id);
    }

    fn ask_metadata(&mut self, id: usize) {
        if std::mem::replace(&mut self.clients[id].metadata_asked, true) {
            return;
        }
        let delay = self.between(MILLI, 30 * MILLI);
        self.after(delay, move |world| {
            let leaders = world.cluster.partitions.iter();
            let of: Vec<i32> = leaders.map(|partition| partition.leader).collect();
            let topics = world.cluster.topics.clone();
            let client = &mut world.clients[id];
            client.metadata_asked = false;
            let mut changed = false;
            for (number, topic) in topics.into_iter().enumerate() {
                // The metadata of a deleted topic is kept, as it may be created again.
                if !topic.exists {
                    continue;
                }
                let range = number * PARTITIONS..(number + 1) * PARTITIONS;
                if client.leaders.topics[number] != topic {
                    let before = std::mem::replace(&mut client.leaders.topics[number], topic);
                    if !defect::keeps_partitions(world.defect, before, topic) {
                        client.accumulator.update_topic(&metadata(number, topic));
                    }
                    changed = true;
                }
                if client.leaders.of[range.clone()] != of[range.clone()] {
                    client.leaders.of[range.clone()].copy_from_slice(&of[range]);
                    changed = true;
                }
            }
            client.leaders.version += u64::from(changed);
            shapes::leaders_moved(world, id);
            world.poll_soon(id);
        });
    }

    /// Notes that no response will come.
    pub(crate) fn unanswered(&mut self, id: usize, node: i32, asked: Asked) {
        let now = self.instant();
        let lost = NoAnswer::Indefinite {
            cause: "the connection broke".into(),
            timed_out: false,
        };
        match asked {
            Asked::Batches(batches) => match defect::unanswered_batches(self, batches) {
                Ok(batches) => {
                    let sender = &mut self.clients[id].sender;
                    sender.attempt_failed(now, node, batches, &lost);
                }
                Err((batches, response)) => {
                    let client = &mut self.clients[id];
                    client
                        .sender
                        .answered(now, node, batches, &response, &client.leaders);
                }
            },
            Asked::Coordinator(request) => {
                let answer = defect::unanswered(self, &request, lost);
                self.coordinated(id, answer);
            }
            Asked::Identity if self.has(Defect::IdentityForgotten) => {}
            Asked::Identity => self.clients[id].sender.identified(now, None, Err(lost)),
        }
        self.settle(id);
    }

    pub(crate) fn answer(
        &mut self,
        id: usize,
        to: (i32, ConnectionKind),
        generation: u64,
        number: u64,
        reply: Reply,
    ) {
        let connection = self.clients[id].connections.entry(to).or_default();
        if connection.generation != generation {
            return;
        }
        let Some(waiting) = connection.waiting.remove(&number) else {
            return;
        };
        let now = self.instant();
        match (waiting.what, reply) {
            (Asked::Batches(batches), Reply::Produce(mut response)) => {
                self.take_hints(id, &response);
                let mut batches = defect::answered(self, batches, &mut response);
                let stored = said_to_be_stored(&batches, &response);
                defect::forget_ids(self.defect, &mut batches, &self.clients[id].leaders);
                let client = &mut self.clients[id];
                client
                    .sender
                    .answered(now, to.0, batches, &response, &client.leaders);
                self.settle(id);
                if !stored.iter().all(|delivery| delivery.is_done()) {
                    self.violated("what is stored is not reported".to_owned());
                }
            }
            (Asked::Coordinator(_), Reply::Coordinator(response)) => {
                let response = defect::coordinated(self, response);
                self.coordinated(id, Ok(response));
            }
            (Asked::Identity, Reply::Identity(response))
                if response.error_code != 0 && self.has(Defect::IdentityForgotten) => {}
            (Asked::Identity, Reply::Identity(response)) => {
                self.clients[id].sender.identified(now, None, Ok(&response));
            }
            _ => self.violated("an answer to another question".to_owned()),
        }
        self.settle(id);
        self.poll_soon(id);
    }

    fn coordinated(&mut self, id: usize, answer: Result<TransactionResponse, NoAnswer>) {
        let now = self.instant() - defect::haste(self);
        self.clients[id].transactions().answered(now, answer);
        self.settle(id);
        self.poll_soon(id);
    }

    /// As KIP-951 has it, the old leader may name the new one.
    fn take_hints(&mut self, id: usize, response: &ProduceResponse) {
        let leaders = &mut self.clients[id].leaders;
        for topic in &response.responses {
            for partition in &topic.partition_responses {
                let leader = partition.current_leader.leader_id;
                if leader >= 0 && !topic.name.is_empty() {
                    leaders.of[partition_index_of(&topic.name, partition.index)] = leader;
                    leaders.version += 1;
                }
            }
        }
        shapes::leaders_moved(self, id);
    }
}

/// What the answer says is stored, found by what the request had.
fn said_to_be_stored(
    batches: &[InFlightBatch],
    response: &ProduceResponse,
) -> Vec<Arc<BatchDelivery>> {
    let answers = Answers::new(response);
    let stored = batches.iter().filter(|departure| {
        let (topic, partition) = (departure.buffer.topic(), departure.buffer.partition());
        let answer = answers.find(topic, departure.topic_id, partition);
        answer.is_some_and(|answer| answer.error_code == 0)
    });
    stored
        .map(|departure| Arc::clone(&departure.batch.delivery))
        .collect()
}

/// The batches of a request, read back from its bytes.
fn read(request: &ProduceRequest) -> Vec<WireBatch> {
    let mut wire = Vec::new();
    for topic in &request.topic_data {
        for partition in &topic.partition_data {
            let bytes = partition.records.clone().expect("records");
            let raw = batches(bytes).next().expect("a batch").expect("whole");
            let batch = raw.open(&ReadLimits::default()).expect("checksums fit");
            let values = batch.records().map(|record| {
                let value = record.value.map(|span| batch.slice(span)).expect("a value");
                u64::from_be_bytes(value.try_into().expect("eight bytes"))
            });
            wire.push(WireBatch {
                place: partition_index_of(&topic.name, partition.index),
                topic_id: topic.topic_id,
                producer: batch.header.producer_id,
                epoch: batch.header.producer_epoch,
                sequence: batch.header.base_sequence,
                transactional: batch.header.attributes.is_transactional(),
                values: values.collect(),
            });
        }
    }
    wire
}
