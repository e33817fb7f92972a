//! Requests of transactional and idempotent producers, and about them.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_offsets_to_txn::AddOffsetsToTxnRequest;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnRequest, AddPartitionsToTxnResponse,
};
use kafkars_protocol::messages::describe_transactions::{
    DescribeTransactionsRequest, DescribeTransactionsResponse,
};
use kafkars_protocol::messages::end_txn::EndTxnRequest;
use kafkars_protocol::messages::find_coordinator::{
    FindCoordinatorRequest, FindCoordinatorResponse,
};
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::list_transactions::{
    ListTransactionsRequest, ListTransactionsResponse,
};
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitResponse,
};
use kafkars_protocol::messages::write_txn_markers::WriteTxnMarkersRequest;

use super::{each_of, part, split, unless};
use crate::handlers::{Peer, RequestGuard, Serve};
use crate::security::acl::AclOperation::{
    Alter, ClusterAction, Describe, IdempotentWrite, Read, Write,
};
use crate::security::acl::ResourceType;

const DENIED: ErrorCode = ErrorCode::TransactionalIdAuthorizationFailed;
const TOPIC_DENIED: ErrorCode = ErrorCode::TopicAuthorizationFailed;
const GROUP_DENIED: ErrorCode = ErrorCode::GroupAuthorizationFailed;
const CLUSTER_DENIED: ErrorCode = ErrorCode::ClusterAuthorizationFailed;

fn transaction(peer: &Peer, id: &str) -> Option<ErrorCode> {
    unless(peer.may_transaction(Write, id), DENIED)
}

impl RequestGuard for InitProducerIdRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        match &self.transactional_id {
            Some(id) => transaction(peer, id),
            None => {
                let may =
                    peer.may_cluster(IdempotentWrite) || peer.may_some(Write, ResourceType::Topic);
                unless(may, CLUSTER_DENIED)
            }
        }
    }
}

/// First version that only brokers send.
const OF_BROKERS_SINCE: i16 = 4;

impl RequestGuard for AddPartitionsToTxnRequest {
    /// One topic that may not be written to keeps all others out of the transaction.
    fn answer_refused(&self, peer: &Peer, version: i16) -> Option<AddPartitionsToTxnResponse> {
        if version >= OF_BROKERS_SINCE {
            let denied = unless(peer.may_cluster(ClusterAction), CLUSTER_DENIED)?;
            return Some(self.refuse(peer, version, denied));
        }
        let mut transactions = self.transactions.iter();
        let denied = transactions.find_map(|it| transaction(peer, &it.transactional_id));
        if let Some(code) = denied {
            return Some(self.refuse(peer, version, code));
        }
        let mut attempted = self.clone();
        let mut denied = self.clone();
        for (kept, refused) in attempted
            .transactions
            .iter_mut()
            .zip(&mut denied.transactions)
        {
            refused.topics = split(&mut kept.topics, |topic| peer.may_topic(Write, &topic.name));
        }
        if denied.transactions.iter().all(|it| it.topics.is_empty()) {
            return None;
        }
        let mut answer = denied.refuse(peer, version, TOPIC_DENIED);
        let others = attempted.refuse(peer, version, ErrorCode::OperationNotAttempted);
        let answers = answer.results_by_transaction.iter_mut();
        for (answer, others) in answers.zip(others.results_by_transaction) {
            answer.topic_results.extend(others.topic_results);
        }
        Some(answer)
    }
}

impl RequestGuard for AddOffsetsToTxnRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        let denied = transaction(peer, &self.transactional_id);
        denied.or_else(|| unless(peer.may_group(Read, &self.group_id), GROUP_DENIED))
    }
}

impl RequestGuard for EndTxnRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        transaction(peer, &self.transactional_id)
    }
}

impl RequestGuard for WriteTxnMarkersRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        let may = peer.may_cluster(ClusterAction) || peer.may_cluster(Alter);
        unless(may, CLUSTER_DENIED)
    }
}

impl RequestGuard for TxnOffsetCommitRequest {
    fn refusal(&self, peer: &Peer) -> Option<ErrorCode> {
        let denied = transaction(peer, &self.transactional_id);
        denied.or_else(|| unless(peer.may_group(Read, &self.group_id), GROUP_DENIED))
    }

    each_of!(
        TxnOffsetCommitRequest.topics,
        |peer, topic| peer.may_topic(Read, &topic.name),
        TOPIC_DENIED => TxnOffsetCommitResponse.topics
    );
}

impl RequestGuard for DescribeTransactionsRequest {
    each_of!(
        DescribeTransactionsRequest.transactional_ids,
        |peer, id| peer.may_transaction(Describe, id),
        DENIED => DescribeTransactionsResponse.transaction_states
    );

    fn conceal(answer: &mut DescribeTransactionsResponse, peer: &Peer) {
        for transaction in &mut answer.transaction_states {
            let may = |name: &str| peer.may_topic(Describe, name);
            transaction.topics.retain(|topic| may(&topic.topic));
        }
    }
}

impl RequestGuard for ListTransactionsRequest {
    fn conceal(answer: &mut ListTransactionsResponse, peer: &Peer) {
        let may = |id: &str| peer.may_transaction(Describe, id);
        answer
            .transaction_states
            .retain(|it| may(&it.transactional_id));
    }
}

/// First version that asks for several coordinators at once.
const SEVERAL_SINCE: i16 = 4;
/// `key_type` of groups and of transactional ids.
const GROUP: i8 = 0;
const TRANSACTION: i8 = 1;

fn coordinator(peer: &Peer, key_type: i8, key: &str) -> Option<ErrorCode> {
    match key_type {
        GROUP => unless(peer.may_group(Describe, key), GROUP_DENIED),
        TRANSACTION => unless(peer.may_transaction(Describe, key), DENIED),
        _ => unless(peer.may_cluster(ClusterAction), CLUSTER_DENIED),
    }
}

impl RequestGuard for FindCoordinatorRequest {
    fn answer_refused(&self, peer: &Peer, version: i16) -> Option<FindCoordinatorResponse> {
        if version >= SEVERAL_SINCE {
            return None;
        }
        let code = coordinator(peer, self.key_type, &self.key)?;
        Some(self.refuse(peer, version, code))
    }

    fn take_denied(&mut self, peer: &Peer, version: i16) -> Vec<(Self, ErrorCode)> {
        let code = match self.key_type {
            GROUP => GROUP_DENIED,
            TRANSACTION => DENIED,
            _ => CLUSTER_DENIED,
        };
        if version < SEVERAL_SINCE {
            return Vec::new();
        }
        let denied = split(&mut self.coordinator_keys, |key| {
            coordinator(peer, self.key_type, key).is_none()
        });
        part(denied, code, |coordinator_keys| Self {
            coordinator_keys,
            ..self.clone()
        })
    }

    fn merge(answer: &mut FindCoordinatorResponse, refused: FindCoordinatorResponse) {
        answer.coordinators.extend(refused.coordinators);
    }
}
