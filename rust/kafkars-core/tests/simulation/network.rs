//! The network between producers and nodes: what is lost, what comes late, what breaks.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use kafkars_core::produce::sender::InFlightBatch;
use kafkars_core::transaction::{TransactionRequest, TransactionResponse};
use kafkars_protocol::ApiKey;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::produce::{
    LeaderIdAndEpoch, PartitionProduceResponse, ProduceResponse, TopicProduceResponse,
};

use crate::client::topic_name;
use crate::cluster::{PARTITIONS, WireBatch};
use crate::coordinator;
use crate::refusal::{self, Way};
use crate::world::{MILLI, Micros, SECOND, World};

/// Which of a node's connections.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ConnectionKind {
    Data,
    Coordinator,
}

#[derive(Default)]
pub(crate) struct Connection {
    // Changes with every cut, so that responses of the former connection are dropped.
    pub(crate) generation: u64,
    last_arrival: Micros,
    last_answer: Micros,
    next_request: u64,
    pub(crate) waiting: BTreeMap<u64, Waiting>,
}

/// A request without answer.
pub(crate) struct Waiting {
    pub(crate) what: Asked,
    fate: Rc<Cell<Fate>>,
}

/// What becomes of a request between client and broker.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    UnderWay,
    Arrived,
    Lost,
    /// It arrives this much later than it would have.
    Late(Micros),
}

pub(crate) enum Asked {
    Batches(Vec<InFlightBatch>),
    Coordinator(TransactionRequest),
    Identity,
}

/// A request as it travels.
#[derive(Clone)]
pub(crate) enum Payload {
    Produce(Vec<WireBatch>, bool),
    Coordinator(TransactionRequest, i16),
    Identity,
}

impl Payload {
    fn api(&self) -> ApiKey {
        match self {
            Self::Produce(..) => ApiKey::Produce,
            Self::Coordinator(request, _) => request.api(),
            Self::Identity => ApiKey::InitProducerId,
        }
    }
}

pub(crate) enum Reply {
    Produce(ProduceResponse),
    Coordinator(TransactionResponse),
    Identity(InitProducerIdResponse),
}

impl World {
    fn latency(&mut self) -> Micros {
        if self.fault(30) {
            self.between(50 * MILLI, 400 * MILLI)
        } else {
            self.between(MILLI / 5, 3 * MILLI)
        }
    }

    pub(crate) fn send(
        &mut self,
        id: usize,
        to: (i32, ConnectionKind),
        payload: Payload,
        what: Asked,
        deadline: Option<Micros>,
    ) {
        let sent = (self.now, payload.api());
        self.requests.push(sent);
        let latency = self.latency();
        let deadline = deadline.unwrap_or(self.now + SECOND).max(self.now + 1);
        let now = self.now;
        let connection = self.clients[id].connections.entry(to).or_default();
        let arrival = (now + latency).max(connection.last_arrival);
        connection.last_arrival = arrival;
        connection.next_request += 1;
        let (number, generation) = (connection.next_request, connection.generation);
        let fate = Rc::new(Cell::new(Fate::UnderWay));
        let waiting = Waiting {
            what,
            fate: Rc::clone(&fate),
        };
        connection.waiting.insert(number, waiting);
        self.at(arrival, move |world| {
            world.arrive(id, to, generation, number, payload, &fate);
        });
        self.at(deadline, move |world| {
            let connection = &world.clients[id].connections[&to];
            if connection.generation == generation && connection.waiting.contains_key(&number) {
                world.cut(id, to);
            }
        });
        // Coordinators have fewer requests, which must meet with as much.
        let breaks = match to.1 {
            ConnectionKind::Data => 40,
            ConnectionKind::Coordinator => 80,
        };
        if self.fault(breaks) {
            let when = self.between(0, 2 * latency + MILLI);
            self.after(when, move |world| {
                if world.clients[id].connections[&to].generation == generation {
                    world.cut(id, to);
                }
            });
        }
    }

    /// Makes a node unreachable, and cuts its connections.
    pub(crate) fn isolate(&mut self, node: i32) {
        self.cluster.unreachable.insert(node);
        for id in 0..self.clients.len() {
            self.cut(id, (node, ConnectionKind::Data));
        }
    }

    /// Cuts a connection. Some of the requests under way are lost; those before them may still arrive, late.
    fn cut(&mut self, id: usize, to: (i32, ConnectionKind)) {
        let survivors = self.between(0, 4);
        let delay = if self.chance(500) {
            let longest = if self.chance(500) {
                3 * SECOND
            } else {
                SECOND / 5
            };
            self.between(0, longest)
        } else {
            0
        };
        let client = &mut self.clients[id];
        if to.1 == ConnectionKind::Data {
            client.leaders.connected.retain(|node| *node != to.0);
        }
        let connection = client.connections.entry(to).or_default();
        connection.generation += 1;
        connection.last_arrival = 0;
        connection.last_answer = 0;
        let waiting = std::mem::take(&mut connection.waiting);
        let under_way = waiting
            .values()
            .filter(|waiting| waiting.fate.get() == Fate::UnderWay);
        for (index, waiting) in under_way.enumerate() {
            let survives = (index as u64) < survivors;
            waiting.fate.set(if survives {
                Fate::Late(delay)
            } else {
                Fate::Lost
            });
        }
        for waiting in waiting.into_values() {
            self.unanswered(id, to.0, waiting.what);
        }
        self.poll_soon(id);
    }

    fn arrive(
        &mut self,
        id: usize,
        to: (i32, ConnectionKind),
        generation: u64,
        number: u64,
        payload: Payload,
        fate: &Rc<Cell<Fate>>,
    ) {
        match fate.get() {
            Fate::Lost | Fate::Arrived => return,
            Fate::Late(delay) => {
                fate.set(Fate::UnderWay);
                let fate = Rc::clone(fate);
                self.after(delay, move |world| {
                    world.arrive(id, to, generation, number, payload, &fate);
                });
                return;
            }
            Fate::UnderWay => fate.set(Fate::Arrived),
        }
        let way = refusal::meet(self, payload.api());
        let refused = match way {
            Some(Way::CutBefore) => {
                if self.clients[id].connections[&to].generation == generation {
                    self.cut(id, to);
                }
                return;
            }
            Some(Way::Code(code)) => Some(code),
            Some(Way::CutAfter | Way::Late(_)) | None => None,
        };
        let reply = match payload {
            Payload::Produce(batches, newer) => {
                let answers: Vec<_> = batches
                    .into_iter()
                    .map(|batch| {
                        let (place, topic_id) = (batch.place, batch.topic_id);
                        let answer = match refused {
                            Some(code) => code.into(),
                            None => self.append(to.0, batch, newer),
                        };
                        (place, topic_id, answer)
                    })
                    .collect();
                let by_id = self.cluster.by_id;
                let topics =
                    answers
                        .into_iter()
                        .map(|(place, topic_id, answer)| TopicProduceResponse {
                            name: if by_id {
                                String::new()
                            } else {
                                topic_name(place)
                            },
                            topic_id,
                            partition_responses: vec![PartitionProduceResponse {
                                index: (place % PARTITIONS) as i32,
                                error_code: answer.code.code(),
                                base_offset: answer.base_offset,
                                current_leader: LeaderIdAndEpoch {
                                    leader_id: answer.leader_hint.unwrap_or(-1),
                                    ..LeaderIdAndEpoch::default()
                                },
                                ..PartitionProduceResponse::default()
                            }],
                        });
                Reply::Produce(ProduceResponse {
                    responses: topics.collect(),
                    ..ProduceResponse::default()
                })
            }
            Payload::Coordinator(request, max_version) => Reply::Coordinator(match refused {
                Some(code) => coordinator::refusal(&request, code),
                None => self.coordinate(to.0, &request, max_version),
            }),
            Payload::Identity => Reply::Identity(match refused {
                Some(code) => InitProducerIdResponse {
                    error_code: code.code(),
                    producer_id: -1,
                    producer_epoch: -1,
                    ..InitProducerIdResponse::default()
                },
                None => self.allocate(),
            }),
        };
        if way == Some(Way::CutAfter) {
            if self.clients[id].connections[&to].generation == generation {
                self.cut(id, to);
            }
            return;
        }
        let patience = match way {
            Some(Way::Late(delay)) => delay,
            _ => 0,
        };
        let latency = self.latency() + patience;
        let connection = self.clients[id].connections.entry(to).or_default();
        if connection.generation != generation {
            return;
        }
        let answer = (self.now + latency).max(connection.last_answer);
        connection.last_answer = answer;
        self.at(answer, move |world| {
            world.answer(id, to, generation, number, reply)
        });
    }
}
