//! A model of the coordinators: transactions in both protocols, and a group's offsets.

use std::collections::BTreeSet;

use kafkars_core::transaction::{CoordinatorKind, TransactionRequest, TransactionResponse};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_offsets_to_txn::AddOffsetsToTxnResponse;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnPartitionResult, AddPartitionsToTxnRequest, AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopicResult,
};
use kafkars_protocol::messages::end_txn::{EndTxnRequest, EndTxnResponse};
use kafkars_protocol::messages::find_coordinator::FindCoordinatorResponse;
use kafkars_protocol::messages::init_producer_id::InitProducerIdResponse;
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitResponse, TxnOffsetCommitResponsePartition,
    TxnOffsetCommitResponseTopic,
};

use crate::client::{partition_index_of, topic_name};
use crate::cluster::{NODES, PartitionIndex};
use crate::world::{MILLI, Micros, World};

/// The one transactional id of the world.
pub(crate) struct Coordinator {
    pub(crate) node: i32,
    loading_until: Micros,
    /// The level of the feature `transaction.version`.
    pub(crate) level: i16,
    next_producer: i64,
    producer: i64,
    epoch: i16,
    last_epoch: i16,
    state: State,
    places: BTreeSet<PartitionIndex>,
    has_group: bool,
    // Changes with every transaction, so that its time limit ends no other.
    transaction: u64,
    timeout: Micros,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Empty,
    Ongoing,
    Prepare { commit: bool },
    Complete { commit: bool },
}

/// The offsets of the group that transactions commit for.
#[derive(Default)]
pub(crate) struct Group {
    pending: Option<(i64, i64)>,
    /// Every offset that became visible, in order.
    pub(crate) applied: Vec<i64>,
}

impl Coordinator {
    pub(crate) fn new(level: i16) -> Self {
        Self {
            node: 0,
            loading_until: 0,
            level,
            next_producer: 1_000,
            producer: -1,
            epoch: -1,
            last_epoch: -1,
            state: State::Empty,
            places: BTreeSet::new(),
            has_group: false,
            transaction: 0,
            timeout: 0,
        }
    }
}

impl World {
    pub(crate) fn move_coordinator(&mut self) {
        let node = self.between(0, NODES) as i32;
        let loading = self.between(0, 100 * MILLI);
        self.cluster.coordinator.node = node;
        self.cluster.coordinator.loading_until = self.now + loading;
    }

    /// An id for a producer without transactions.
    pub(crate) fn allocate(&mut self) -> InitProducerIdResponse {
        self.cluster.coordinator.next_producer += 1;
        InitProducerIdResponse {
            producer_id: self.cluster.coordinator.next_producer,
            ..InitProducerIdResponse::default()
        }
    }

    /// A request of the transaction protocol arrives at a node.
    pub(crate) fn coordinate(
        &mut self,
        node: i32,
        request: &TransactionRequest,
        max_version: i16,
    ) -> TransactionResponse {
        let coordinator = &self.cluster.coordinator;
        let misplaced = if let TransactionRequest::FindCoordinator(_) = request {
            ErrorCode::None
        } else if coordinator.node != node {
            ErrorCode::NotCoordinator
        } else if coordinator.loading_until > self.now {
            ErrorCode::CoordinatorLoadInProgress
        } else {
            ErrorCode::None
        };
        let newer = coordinator.level >= 2 && max_version > 4;
        let either = |code: ErrorCode, then: &mut dyn FnMut() -> ErrorCode| match code {
            ErrorCode::None => then(),
            code => code,
        };
        match request {
            TransactionRequest::FindCoordinator(question) => {
                // The group's coordinator is where the transaction's is; that costs the model nothing.
                assert!(matches!(
                    question.kind,
                    CoordinatorKind::Group | CoordinatorKind::Transaction
                ));
                TransactionResponse::FindCoordinator(FindCoordinatorResponse {
                    node_id: coordinator.node,
                    ..FindCoordinatorResponse::default()
                })
            }
            TransactionRequest::InitProducerId(request) => {
                let (producer, epoch) = (request.producer_id, request.producer_epoch);
                let timeout = request.transaction_timeout_ms as Micros * MILLI;
                let code = either(misplaced, &mut || self.initialize(producer, epoch, timeout));
                let coordinator = &self.cluster.coordinator;
                TransactionResponse::InitProducerId {
                    response: InitProducerIdResponse {
                        error_code: code.code(),
                        producer_id: coordinator.producer,
                        producer_epoch: coordinator.epoch,
                        ..InitProducerIdResponse::default()
                    },
                    transaction_version: coordinator.level,
                }
            }
            TransactionRequest::AddPartitions(request) => {
                let places = partition_indexes_of(request);
                let (producer, epoch) = (
                    request.v3_and_below_producer_id,
                    request.v3_and_below_producer_epoch,
                );
                let code = either(misplaced, &mut || {
                    self.join(producer, epoch, &places, false)
                });
                partitions_answer(&places, code)
            }
            TransactionRequest::AddOffsets(request) => {
                let (producer, epoch) = (request.producer_id, request.producer_epoch);
                let code = either(misplaced, &mut || self.join(producer, epoch, &[], true));
                TransactionResponse::AddOffsets(AddOffsetsToTxnResponse {
                    error_code: code.code(),
                    ..AddOffsetsToTxnResponse::default()
                })
            }
            TransactionRequest::CommitOffsets(request) => {
                let code = either(misplaced, &mut || self.take_offsets(request, newer));
                offsets_answer(code)
            }
            TransactionRequest::End(request) => {
                let code = either(misplaced, &mut || self.end(request, newer));
                let coordinator = &self.cluster.coordinator;
                let bumped = newer && code == ErrorCode::None;
                TransactionResponse::End(EndTxnResponse {
                    error_code: code.code(),
                    producer_id: if bumped { coordinator.producer } else { -1 },
                    producer_epoch: if bumped { coordinator.epoch } else { -1 },
                    ..EndTxnResponse::default()
                })
            }
        }
    }

    fn initialize(&mut self, producer: i64, epoch: i16, timeout: Micros) -> ErrorCode {
        let coordinator = &mut self.cluster.coordinator;
        if coordinator.producer < 0 {
            coordinator.next_producer += 1;
            coordinator.producer = coordinator.next_producer;
        } else if producer >= 0 && producer != coordinator.producer {
            return ErrorCode::ProducerFenced;
        }
        match coordinator.state {
            State::Prepare { .. } => return ErrorCode::ConcurrentTransactions,
            State::Ongoing => {
                self.refused_by_transaction();
                return ErrorCode::ConcurrentTransactions;
            }
            State::Empty | State::Complete { .. } => {}
        }
        if producer < 0 {
            coordinator.epoch += 1;
            coordinator.last_epoch = -1;
        } else if epoch == coordinator.epoch {
            coordinator.last_epoch = epoch;
            coordinator.epoch += 1;
        } else if epoch != coordinator.last_epoch {
            return ErrorCode::ProducerFenced;
        }
        coordinator.state = State::Empty;
        coordinator.timeout = timeout;
        ErrorCode::None
    }

    /// Partitions, or the group, join the transaction, which opens with the first.
    pub(crate) fn join(
        &mut self,
        producer: i64,
        epoch: i16,
        places: &[PartitionIndex],
        group: bool,
    ) -> ErrorCode {
        let refusal = self.refusal(producer, epoch);
        let coordinator = &mut self.cluster.coordinator;
        if refusal != ErrorCode::None {
            return refusal;
        }
        if coordinator.state != State::Ongoing {
            coordinator.state = State::Ongoing;
            coordinator.transaction += 1;
            let transaction = coordinator.transaction;
            // Kafka looks for late ones every ten seconds.
            let timeout = coordinator.timeout + 1_000 * MILLI;
            self.after(timeout, move |world| {
                let coordinator = &world.cluster.coordinator;
                if coordinator.transaction == transaction && coordinator.state == State::Ongoing {
                    world.refused_by_transaction();
                }
            });
        }
        let coordinator = &mut self.cluster.coordinator;
        coordinator.places.extend(places);
        coordinator.has_group |= group;
        ErrorCode::None
    }

    fn refusal(&self, producer: i64, epoch: i16) -> ErrorCode {
        let coordinator = &self.cluster.coordinator;
        if producer != coordinator.producer {
            ErrorCode::InvalidProducerIdMapping
        } else if epoch != coordinator.epoch {
            ErrorCode::InvalidProducerEpoch
        } else if matches!(coordinator.state, State::Prepare { .. }) {
            ErrorCode::ConcurrentTransactions
        } else {
            ErrorCode::None
        }
    }

    /// A leader asks, on behalf of a producer of the older protocol, whether the partition was added.
    pub(crate) fn verify(&self, producer: i64, epoch: i16, place: PartitionIndex) -> ErrorCode {
        let coordinator = &self.cluster.coordinator;
        match self.refusal(producer, epoch) {
            // Producers of that age know no better code to try again for.
            ErrorCode::ConcurrentTransactions => ErrorCode::NotEnoughReplicas,
            ErrorCode::None
                if coordinator.state == State::Ongoing && coordinator.places.contains(&place) =>
            {
                ErrorCode::None
            }
            ErrorCode::None => ErrorCode::InvalidTxnState,
            code => code,
        }
    }

    fn take_offsets(&mut self, request: &TxnOffsetCommitRequest, newer: bool) -> ErrorCode {
        let (producer, epoch) = (request.producer_id, request.producer_epoch);
        let verdict = if newer {
            self.join(producer, epoch, &[], true)
        } else {
            self.refusal(producer, epoch)
        };
        let coordinator = &self.cluster.coordinator;
        match verdict {
            ErrorCode::None if coordinator.has_group && coordinator.state == State::Ongoing => {
                let offset = request.topics[0].partitions[0].committed_offset;
                self.cluster.group.pending = Some((producer, offset));
                ErrorCode::None
            }
            ErrorCode::None => ErrorCode::InvalidTxnState,
            code => code,
        }
    }

    fn end(&mut self, request: &EndTxnRequest, newer: bool) -> ErrorCode {
        let coordinator = &mut self.cluster.coordinator;
        if request.producer_id != coordinator.producer {
            return ErrorCode::InvalidProducerIdMapping;
        }
        let commit = request.committed;
        // Under the newer protocol the epoch changed with the end, so a repeated request carries the one before.
        let repeated = newer
            && request.producer_epoch == coordinator.last_epoch
            && !matches!(coordinator.state, State::Ongoing | State::Empty);
        if request.producer_epoch != coordinator.epoch && !repeated {
            return ErrorCode::ProducerFenced;
        }
        match coordinator.state {
            // Whatever is asked: the change to the state that follows is under way.
            State::Prepare { .. } => ErrorCode::ConcurrentTransactions,
            State::Complete { commit: known } if known == commit && (repeated || !newer) => {
                ErrorCode::None
            }
            State::Ongoing => {
                self.prepare(commit, newer);
                ErrorCode::None
            }
            State::Empty | State::Complete { .. } if newer && !commit => {
                self.prepare(false, true);
                ErrorCode::None
            }
            _ => ErrorCode::InvalidTxnState,
        }
    }

    /// The coordinator itself ends a transaction: for a newer producer, or because time is over.
    fn refused_by_transaction(&mut self) {
        let coordinator = &mut self.cluster.coordinator;
        coordinator.epoch += 1;
        let newer = coordinator.level >= 2;
        self.prepare(false, newer);
        self.cluster.coordinator.last_epoch = -1;
    }

    fn prepare(&mut self, commit: bool, bumps: bool) {
        let coordinator = &mut self.cluster.coordinator;
        if bumps {
            coordinator.last_epoch = coordinator.epoch;
            coordinator.epoch += 1;
        }
        coordinator.state = State::Prepare { commit };
        let (producer, epoch) = (coordinator.producer, coordinator.epoch);
        let places: Vec<PartitionIndex> = std::mem::take(&mut coordinator.places)
            .into_iter()
            .collect();
        let has_group = std::mem::take(&mut coordinator.has_group);
        let mut done = 0;
        for place in places {
            let longest = if self.fault(100) {
                300 * MILLI
            } else {
                3 * MILLI
            };
            let delay = self.between(100, longest);
            done = done.max(delay);
            self.after(delay, move |world| {
                world.write_marker(place, producer, epoch, commit);
            });
        }
        if has_group {
            let delay = self.between(100, 3 * MILLI);
            done = done.max(delay);
            self.after(delay, move |world| {
                let group = &mut world.cluster.group;
                if let Some((_, offset)) = group.pending.take_if(|(owner, _)| *owner == producer)
                    && commit
                {
                    group.applied.push(offset);
                }
            });
        }
        self.after(done, move |world| {
            world.cluster.coordinator.state = State::Complete { commit };
        });
    }
}

/// The answer that refuses a request.
pub(crate) fn refusal(request: &TransactionRequest, code: ErrorCode) -> TransactionResponse {
    let error_code = code.code();
    match request {
        TransactionRequest::FindCoordinator(_) => {
            TransactionResponse::FindCoordinator(FindCoordinatorResponse {
                error_code,
                node_id: -1,
                ..FindCoordinatorResponse::default()
            })
        }
        TransactionRequest::InitProducerId(_) => TransactionResponse::InitProducerId {
            response: InitProducerIdResponse {
                error_code,
                producer_id: -1,
                producer_epoch: -1,
                ..InitProducerIdResponse::default()
            },
            transaction_version: 0,
        },
        TransactionRequest::AddPartitions(request) => {
            partitions_answer(&partition_indexes_of(request), code)
        }
        TransactionRequest::AddOffsets(_) => {
            TransactionResponse::AddOffsets(AddOffsetsToTxnResponse {
                error_code,
                ..AddOffsetsToTxnResponse::default()
            })
        }
        TransactionRequest::CommitOffsets(_) => offsets_answer(code),
        TransactionRequest::End(_) => TransactionResponse::End(EndTxnResponse {
            error_code,
            producer_id: -1,
            producer_epoch: -1,
            ..EndTxnResponse::default()
        }),
    }
}

fn partition_indexes_of(request: &AddPartitionsToTxnRequest) -> Vec<PartitionIndex> {
    let topics = request.v3_and_below_topics.iter();
    let places = topics.flat_map(|topic| {
        let partitions = topic.partitions.iter();
        partitions.map(|partition| partition_index_of(&topic.name, *partition))
    });
    places.collect()
}

fn partitions_answer(places: &[PartitionIndex], code: ErrorCode) -> TransactionResponse {
    let results = places.iter().map(|place| AddPartitionsToTxnTopicResult {
        name: topic_name(*place),
        results_by_partition: vec![AddPartitionsToTxnPartitionResult {
            partition_index: 0,
            partition_error_code: code.code(),
        }],
    });
    TransactionResponse::AddPartitions(AddPartitionsToTxnResponse {
        results_by_topic_v3_and_below: results.collect(),
        ..AddPartitionsToTxnResponse::default()
    })
}

pub(crate) fn offsets_answer(code: ErrorCode) -> TransactionResponse {
    TransactionResponse::CommitOffsets(TxnOffsetCommitResponse {
        topics: vec![TxnOffsetCommitResponseTopic {
            name: "input".to_owned(),
            partitions: vec![TxnOffsetCommitResponsePartition {
                partition_index: 0,
                error_code: code.code(),
            }],
        }],
        ..TxnOffsetCommitResponse::default()
    })
}
