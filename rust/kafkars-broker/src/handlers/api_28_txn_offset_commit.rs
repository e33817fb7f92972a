//! TxnOffsetCommit, versions 0 to 5.
//!
//! Kept: offsets that hold when the transaction is committed, and until then make the group's offsets unstable
//! (KIP-447). The group must be part of the transaction; since version 5 the commit itself makes it so (KIP-890).
//!
//! Version 3 added the member, 4 tells TRANSACTION_ABORTABLE.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
    TxnOffsetCommitResponse, TxnOffsetCommitResponsePartition, TxnOffsetCommitResponseTopic,
};

use super::coordination::check_group;
use super::{Handled, Peer, Serve};
use crate::groups::offsets::CommittedOffset;
use crate::nodes::CoordinatorType;
use crate::refusal::code_of;
use crate::state::ClusterState;
use crate::transactions::ProducerIdAndEpoch;
use crate::transactions::steps::Participant;

/// First version whose clients know TRANSACTION_ABORTABLE.
const ABORTABLE_SINCE: i16 = 4;
/// First version that makes the group part of the transaction.
const ADDS_SINCE: i16 = 5;

impl Serve for TxnOffsetCommitRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<TxnOffsetCommitResponse> {
        let mut state = peer.cluster.state();
        if let Err(code) = check(&self, peer, &mut state, version) {
            return Handled::Now(respond(&self, |topic, data| {
                state.topic_with(topic, data.partition_index)?;
                Err(code)
            }));
        }
        let now = peer.cluster.now();
        Handled::Now(respond(&self, |topic, data| {
            commit(&mut state, &self, topic, data, now)
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> TxnOffsetCommitResponse {
        respond(self, |_, _| Err(code))
    }
}

fn respond(
    request: &TxnOffsetCommitRequest,
    mut each: impl FnMut(&str, &TxnOffsetCommitRequestPartition) -> Result<(), ErrorCode>,
) -> TxnOffsetCommitResponse {
    let mut topic = |topic: &TxnOffsetCommitRequestTopic| {
        let partition = |data: &TxnOffsetCommitRequestPartition| TxnOffsetCommitResponsePartition {
            partition_index: data.partition_index,
            error_code: code_of(&each(&topic.name, data)),
        };
        TxnOffsetCommitResponseTopic {
            name: topic.name.clone(),
            partitions: topic.partitions.iter().map(partition).collect(),
        }
    };
    TxnOffsetCommitResponse {
        throttle_time_ms: 0,
        topics: request.topics.iter().map(&mut topic).collect(),
    }
}

/// Checks what concerns the whole request: the group, the producer and its transaction, the member.
fn check(
    request: &TxnOffsetCommitRequest,
    peer: &Peer,
    state: &mut ClusterState,
    version: i16,
) -> Result<(), ErrorCode> {
    let TxnOffsetCommitRequest {
        transactional_id,
        group_id,
        ..
    } = request;
    check_group(peer, group_id)?;
    let (cluster, now) = (&peer.cluster, peer.cluster.now());
    if cluster
        .coordinator(CoordinatorType::Transaction, transactional_id)
        .is_none()
    {
        return Err(ErrorCode::CoordinatorNotAvailable);
    }
    let producer = ProducerIdAndEpoch {
        id: request.producer_id,
        epoch: request.producer_epoch,
    };
    let group = Participant::Group(group_id.clone());
    let verified = if version >= ADDS_SINCE {
        let mut coordinator = state.transaction_coordinator();
        coordinator.add(transactional_id, producer, &[group], now)
    } else {
        let transactions = &mut state.transactions;
        transactions.verify(transactional_id, producer, &group)
    };
    verified.map_err(|code| match code {
        ErrorCode::ProducerFenced => ErrorCode::InvalidProducerEpoch,
        ErrorCode::TransactionAbortable if version < ABORTABLE_SINCE => ErrorCode::InvalidTxnState,
        ErrorCode::ConcurrentTransactions if version < ADDS_SINCE => {
            ErrorCode::CoordinatorLoadInProgress
        }
        code => code,
    })?;
    state.groups.check_transactional_commit(
        group_id,
        &request.member_id,
        request.group_instance_id.as_deref(),
        request.generation_id,
        now,
    )
}

fn commit(
    state: &mut ClusterState,
    request: &TxnOffsetCommitRequest,
    topic: &str,
    data: &TxnOffsetCommitRequestPartition,
    now: i64,
) -> Result<(), ErrorCode> {
    let id = state.topic_with(topic, data.partition_index)?.id;
    state.groups.check_commit_of(
        &request.group_id,
        &request.member_id,
        request.generation_id,
        (id, data.partition_index),
    )?;
    let committed = CommittedOffset {
        offset: data.committed_offset,
        leader_epoch: data.committed_leader_epoch,
        metadata: data.committed_metadata.clone().unwrap_or_default(),
        committed_at: now,
        ..CommittedOffset::default()
    };
    let (id, group) = (request.producer_id, request.group_id.as_str());
    state
        .groups
        .offsets
        .commit_pending(id, group, topic, data.partition_index, committed)
}
