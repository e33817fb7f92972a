//! Choosing the next request to a coordinator.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::messages::add_offsets_to_txn::AddOffsetsToTxnRequest;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnRequest, AddPartitionsToTxnTopic,
};
use kafkars_protocol::messages::end_txn::EndTxnRequest;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
};

use super::step::CoordinatorStep;
use super::{
    CoordinatorKind, Destination, Dispatch, FindCoordinator, OffsetStep, OpenedAtCoordinator,
    Overdue, PartitionInTransaction, TransactionPhase, TransactionRequest, Transactions, Version,
};
use crate::produce::sequence::ProducerIdentity;

/// Later versions of AddPartitionsToTxn are only for requests between brokers.
const ADD_PARTITIONS_MAX: i16 = 3;
/// The last version of EndTxn and TxnOffsetCommit before the newer protocol.
const OLDER_PROTOCOL_MAX: i16 = 4;

impl Transactions {
    /// The next request, if one must be sent now. `drained` tells that no batch waits, is under way or is to be sent
    /// again: only then may a transaction end.
    ///
    /// After `Some` it returns `None` until [`Transactions::answered`] was called.
    pub fn poll(&mut self, now: Instant, drained: bool) -> Option<Dispatch> {
        self.watch_clock(now);
        if self.in_flight.is_some() || self.not_before.is_some_and(|until| until > now) {
            return None;
        }
        self.not_before = None;
        let step = self.next_step(drained)?;
        let step = self.missing_coordinator(step).unwrap_or(step);
        let dispatch = self.dispatch(step, now)?;
        self.in_flight = Some(step);
        self.asked = Some(dispatch.destination);
        if let Destination::Node(node) = dispatch.destination {
            self.last_coordinator = Some(node);
        }
        Some(dispatch)
    }

    fn next_step(&mut self, drained: bool) -> Option<CoordinatorStep> {
        match &self.phase {
            TransactionPhase::Uninitialized | TransactionPhase::Fatal(_) => None,
            TransactionPhase::Initializing => Some(CoordinatorStep::Init),
            TransactionPhase::Ready => self.renewal.then_some(CoordinatorStep::Init),
            TransactionPhase::InTransaction | TransactionPhase::Committing => {
                if self.renewal {
                    return Some(CoordinatorStep::Init);
                }
                if self.missing > 0 {
                    return Some(CoordinatorStep::AddPartitions);
                }
                if let Some(offsets) = self.offsets.front() {
                    let add = self.version == Version::One && !offsets.added;
                    return Some(if add {
                        CoordinatorStep::AddOffsets
                    } else {
                        CoordinatorStep::CommitOffsets
                    });
                }
                if self.phase == TransactionPhase::Committing && drained {
                    return self.end(true);
                }
                None
            }
            TransactionPhase::Aborting(_) if drained => self.end(false),
            TransactionPhase::Abortable(_) if drained && self.overdue == Overdue::Aborting => {
                self.end(false)
            }
            TransactionPhase::Aborting(_) | TransactionPhase::Abortable(_) => None,
        }
    }

    /// The request that ends the transaction, unless it was never opened at the coordinator.
    fn end(&mut self, committed: bool) -> Option<CoordinatorStep> {
        if self.mapping_lost {
            self.renewal = true;
        } else if self.started.is_some() {
            return Some(CoordinatorStep::End { committed });
        }
        self.complete();
        self.renewal.then_some(CoordinatorStep::Init)
    }

    fn missing_coordinator(&self, step: CoordinatorStep) -> Option<CoordinatorStep> {
        match step {
            CoordinatorStep::FindCoordinator | CoordinatorStep::FindGroupCoordinator => None,
            CoordinatorStep::CommitOffsets => {
                let group = &self.offsets.front()?.group.group_id;
                let known = self.group_coordinator.as_ref();
                let same = known.is_some_and(|(known, _)| known == group);
                (!same).then_some(CoordinatorStep::FindGroupCoordinator)
            }
            CoordinatorStep::Init
            | CoordinatorStep::AddPartitions
            | CoordinatorStep::AddOffsets
            | CoordinatorStep::End { .. } => {
                let unknown = self.coordinator.is_none();
                unknown.then_some(CoordinatorStep::FindCoordinator)
            }
        }
    }

    fn dispatch(&mut self, step: CoordinatorStep, now: Instant) -> Option<Dispatch> {
        let none = ProducerIdentity { id: -1, epoch: -1 };
        let identity = self.identity.unwrap_or(none);
        let transactional_id = self.config.transactional_id.as_ref().to_owned();
        let coordinator = self.coordinator.map(Destination::Node);
        let (destination, request, max_version) = match step {
            CoordinatorStep::FindCoordinator => {
                let (kind, key) = (CoordinatorKind::Transaction, &self.config.transactional_id);
                (Destination::AnyBroker, find(kind, key), i16::MAX)
            }
            CoordinatorStep::FindGroupCoordinator => {
                let key = &self.offsets.front()?.group.group_id;
                (
                    Destination::AnyBroker,
                    find(CoordinatorKind::Group, key),
                    i16::MAX,
                )
            }
            CoordinatorStep::Init => {
                let timeout = self.config.transaction_timeout.as_millis();
                let request = InitProducerIdRequest {
                    transactional_id: Some(transactional_id),
                    transaction_timeout_ms: i32::try_from(timeout).unwrap_or(i32::MAX),
                    producer_id: identity.id,
                    producer_epoch: identity.epoch,
                };
                let request = TransactionRequest::InitProducerId(request);
                (coordinator?, request, i16::MAX)
            }
            CoordinatorStep::AddPartitions => {
                let request = AddPartitionsToTxnRequest {
                    v3_and_below_transactional_id: transactional_id,
                    v3_and_below_producer_id: identity.id,
                    v3_and_below_producer_epoch: identity.epoch,
                    v3_and_below_topics: self.ask_for_wanted(),
                    ..AddPartitionsToTxnRequest::default()
                };
                let request = TransactionRequest::AddPartitions(request);
                self.asks_to_open(now);
                (coordinator?, request, ADD_PARTITIONS_MAX)
            }
            CoordinatorStep::AddOffsets => {
                let request = AddOffsetsToTxnRequest {
                    transactional_id,
                    producer_id: identity.id,
                    producer_epoch: identity.epoch,
                    group_id: self.offsets.front()?.group.group_id.as_ref().to_owned(),
                };
                self.asks_to_open(now);
                let request = TransactionRequest::AddOffsets(request);
                (coordinator?, request, i16::MAX)
            }
            CoordinatorStep::CommitOffsets => {
                let node = self.group_coordinator.as_ref()?.1;
                let request = txn_offset_commit(self.offsets.front()?, identity, transactional_id);
                self.departs(now);
                let request = TransactionRequest::CommitOffsets(request);
                (Destination::Node(node), request, self.ending_version())
            }
            CoordinatorStep::End { committed } => {
                let request = EndTxnRequest {
                    transactional_id,
                    producer_id: identity.id,
                    producer_epoch: identity.epoch,
                    committed,
                };
                self.ending = true;
                let request = TransactionRequest::End(request);
                (coordinator?, request, self.ending_version())
            }
        };
        Some(Dispatch {
            destination,
            request,
            max_version,
        })
    }

    /// Notes that a request is sent that opens the transaction at the coordinator, if it is the first.
    fn asks_to_open(&mut self, now: Instant) {
        self.departs(now);
        if self.heard == OpenedAtCoordinator::Nothing {
            self.heard = OpenedAtCoordinator::Asked;
        }
    }

    fn ending_version(&self) -> i16 {
        match self.version {
            Version::One => OLDER_PROTOCOL_MAX,
            Version::Two => i16::MAX,
        }
    }

    fn ask_for_wanted(&mut self) -> Vec<AddPartitionsToTxnTopic> {
        let mut topics = Vec::new();
        for (name, partitions) in &mut self.partitions {
            let mut wanted = Vec::new();
            for (partition, membership) in partitions {
                if *membership != PartitionInTransaction::Added {
                    *membership = PartitionInTransaction::Asked;
                    wanted.push(*partition);
                }
            }
            if !wanted.is_empty() {
                wanted.sort_unstable();
                topics.push(AddPartitionsToTxnTopic {
                    name: name.as_ref().to_owned(),
                    partitions: wanted,
                });
            }
        }
        // Hash maps have no order, and simulations have to be repeatable.
        topics.sort_by(|one, other| one.name.cmp(&other.name));
        topics
    }

    /// Notes that the partitions of the request that was just answered are in the transaction.
    pub(super) fn asked_are_added(&mut self) {
        for membership in self.partitions.values_mut().flat_map(HashMap::values_mut) {
            if *membership == PartitionInTransaction::Asked {
                *membership = PartitionInTransaction::Added;
                self.missing -= 1;
            }
        }
    }
}

fn txn_offset_commit(
    step: &OffsetStep,
    identity: ProducerIdentity,
    transactional_id: String,
) -> TxnOffsetCommitRequest {
    let mut topics: Vec<TxnOffsetCommitRequestTopic> = Vec::new();
    let mut indexes: HashMap<&str, usize> = HashMap::new();
    for offset in &step.offsets {
        let index = *indexes.entry(&offset.topic).or_insert_with(|| {
            topics.push(TxnOffsetCommitRequestTopic {
                name: offset.topic.as_ref().to_owned(),
                ..TxnOffsetCommitRequestTopic::default()
            });
            topics.len() - 1
        });
        topics[index]
            .partitions
            .push(TxnOffsetCommitRequestPartition {
                partition_index: offset.partition,
                committed_offset: offset.offset,
                committed_leader_epoch: offset.leader_epoch,
                committed_metadata: offset.metadata.as_deref().map(str::to_owned),
            });
    }
    let group = &step.group;
    TxnOffsetCommitRequest {
        transactional_id,
        group_id: group.group_id.as_ref().to_owned(),
        producer_id: identity.id,
        producer_epoch: identity.epoch,
        generation_id: group.generation_id,
        member_id: group.member_id.as_ref().to_owned(),
        group_instance_id: group.group_instance_id.as_deref().map(str::to_owned),
        topics,
    }
}

fn find(kind: CoordinatorKind, key: &Arc<str>) -> TransactionRequest {
    let key = Arc::clone(key);
    TransactionRequest::FindCoordinator(FindCoordinator { kind, key })
}
