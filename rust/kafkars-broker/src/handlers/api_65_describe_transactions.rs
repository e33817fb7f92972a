//! DescribeTransactions, version 0 (KIP-664).
//!
//! Kept: everything. The offsets that a transaction commits are told as Kafka tells them: as a partition of
//! `__consumer_offsets`, though this broker has no such topic.

use std::collections::BTreeMap;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_transactions::{
    DescribeTransactionsRequest, DescribeTransactionsResponse, TopicData, TransactionState,
};

use super::coordination::check_transactional_id;
use super::{Handled, Peer, Serve};
use crate::nodes::coordinator_partition;
use crate::transactions::Transaction;

/// Kafka's topic of committed offsets.
const OFFSETS_TOPIC: &str = "__consumer_offsets";

impl Serve for DescribeTransactionsRequest {
    fn serve(self, peer: &Peer, _version: i16) -> Handled<DescribeTransactionsResponse> {
        let state = peer.cluster.state();
        let look_up = |id: &str| {
            if id.is_empty() {
                return Err(ErrorCode::InvalidRequest);
            }
            check_transactional_id(peer, id)?;
            let found = state.transactions.get(id);
            found.ok_or(ErrorCode::TransactionalIdNotFound)
        };
        Handled::Now(respond(&self, |id| match look_up(id) {
            Ok(transaction) => describe(id, transaction),
            Err(code) => failure(id, code),
        }))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeTransactionsResponse {
        respond(self, |id| failure(id, code))
    }
}

fn respond(
    request: &DescribeTransactionsRequest,
    each: impl Fn(&str) -> TransactionState,
) -> DescribeTransactionsResponse {
    DescribeTransactionsResponse {
        throttle_time_ms: 0,
        transaction_states: request
            .transactional_ids
            .iter()
            .map(|id| each(id))
            .collect(),
    }
}

fn describe(id: &str, transaction: &Transaction) -> TransactionState {
    let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    for (topic, partition) in &transaction.partitions {
        topics.entry(topic).or_default().push(*partition);
    }
    for group in &transaction.groups {
        let partitions = topics.entry(OFFSETS_TOPIC).or_default();
        let partition = coordinator_partition(group).cast_signed();
        if !partitions.contains(&partition) {
            partitions.push(partition);
        }
    }
    let topic = |(topic, partitions): (&str, Vec<i32>)| TopicData {
        topic: topic.to_owned(),
        partitions,
    };
    TransactionState {
        error_code: 0,
        transactional_id: id.to_owned(),
        transaction_state: transaction.stage.name().to_owned(),
        transaction_timeout_ms: transaction.timeout_ms,
        transaction_start_time_ms: transaction.started_at,
        producer_id: transaction.producer_id,
        producer_epoch: transaction.producer_epoch,
        topics: topics.into_iter().map(topic).collect(),
    }
}

fn failure(id: &str, code: ErrorCode) -> TransactionState {
    TransactionState {
        error_code: code.code(),
        transactional_id: id.to_owned(),
        ..TransactionState::default()
    }
}
