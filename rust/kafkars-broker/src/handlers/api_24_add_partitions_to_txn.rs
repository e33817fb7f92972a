//! AddPartitionsToTxn, versions 0 to 5.
//!
//! Kept: partitions that are not there fail, and the others with them (OPERATION_NOT_ATTEMPTED); version 2 told
//! PRODUCER_FENCED apart. Since version 4 brokers ask so for several transactions at once, also only to verify
//! (KIP-890).

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnPartitionResult, AddPartitionsToTxnRequest, AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult, AddPartitionsToTxnTopic, AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
};

use super::coordination::check_transactional_id;
use super::{Handled, Peer, Serve};
use crate::state::ClusterState;
use crate::transactions::ProducerIdAndEpoch;
use crate::transactions::steps::Participant;

/// First version in the form that brokers use.
const SEVERAL_SINCE: i16 = 4;
/// First version whose clients know PRODUCER_FENCED.
const FENCED_SINCE: i16 = 2;
/// First version that tells TRANSACTION_ABORTABLE.
const ABORTABLE_SINCE: i16 = 5;

impl Serve for AddPartitionsToTxnRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<AddPartitionsToTxnResponse> {
        let now = peer.cluster.now();
        let mut state = peer.cluster.state();
        Handled::Now(respond(&self, version, |transaction| {
            add(peer, &mut state, transaction, version, now)
        }))
    }

    fn refuse(&self, _peer: &Peer, version: i16, code: ErrorCode) -> AddPartitionsToTxnResponse {
        respond(self, version, |transaction| {
            results(&transaction.topics, |_, _| code.code())
        })
    }
}

/// Before version 4 there is one transaction, whose answer stands where later the list does.
fn respond(
    request: &AddPartitionsToTxnRequest,
    version: i16,
    mut answer: impl FnMut(&AddPartitionsToTxnTransaction) -> Vec<AddPartitionsToTxnTopicResult>,
) -> AddPartitionsToTxnResponse {
    if version >= SEVERAL_SINCE {
        let result = |transaction: &AddPartitionsToTxnTransaction| AddPartitionsToTxnResult {
            transactional_id: transaction.transactional_id.clone(),
            topic_results: answer(transaction),
        };
        return AddPartitionsToTxnResponse {
            results_by_transaction: request.transactions.iter().map(result).collect(),
            ..AddPartitionsToTxnResponse::default()
        };
    }
    let transaction = AddPartitionsToTxnTransaction {
        transactional_id: request.v3_and_below_transactional_id.clone(),
        producer_id: request.v3_and_below_producer_id,
        producer_epoch: request.v3_and_below_producer_epoch,
        verify_only: false,
        topics: request.v3_and_below_topics.clone(),
    };
    AddPartitionsToTxnResponse {
        results_by_topic_v3_and_below: answer(&transaction),
        ..AddPartitionsToTxnResponse::default()
    }
}

fn add(
    peer: &Peer,
    state: &mut ClusterState,
    wanted: &AddPartitionsToTxnTransaction,
    version: i16,
    now: i64,
) -> Vec<AddPartitionsToTxnTopicResult> {
    let exists = |topic: &str, index: i32| state.topic_with(topic, index).is_ok();
    let all_exist = wanted.topics.iter().all(|topic| {
        let mut partitions = topic.partitions.iter();
        partitions.all(|index| exists(&topic.name, *index))
    });
    if !all_exist {
        return results(&wanted.topics, |topic, index| {
            if exists(topic, index) {
                ErrorCode::OperationNotAttempted.code()
            } else {
                ErrorCode::UnknownTopicOrPartition.code()
            }
        });
    }
    let told = |code: ErrorCode| match code {
        ErrorCode::ProducerFenced if version < FENCED_SINCE => ErrorCode::InvalidProducerEpoch,
        ErrorCode::TransactionAbortable if version < ABORTABLE_SINCE => ErrorCode::InvalidTxnState,
        code => code,
    };
    let code = |result: Result<(), ErrorCode>| result.err().map_or(0, |code| told(code).code());
    if let Err(refused) = check_transactional_id(peer, &wanted.transactional_id) {
        return results(&wanted.topics, |_, _| refused.code());
    }
    let id = wanted.transactional_id.as_str();
    let producer = ProducerIdAndEpoch {
        id: wanted.producer_id,
        epoch: wanted.producer_epoch,
    };
    if wanted.verify_only {
        return results(&wanted.topics, |topic, index| {
            let member = Participant::Partition(topic.to_owned(), index);
            code(state.transactions.verify(id, producer, &member))
        });
    }
    let mut members = Vec::new();
    for topic in &wanted.topics {
        let member = |index: &i32| Participant::Partition(topic.name.clone(), *index);
        members.extend(topic.partitions.iter().map(member));
    }
    let mut coordinator = state.transaction_coordinator();
    let code = code(coordinator.add(id, producer, &members, now));
    results(&wanted.topics, |_, _| code)
}

fn results(
    topics: &[AddPartitionsToTxnTopic],
    mut code: impl FnMut(&str, i32) -> i16,
) -> Vec<AddPartitionsToTxnTopicResult> {
    let mut topic = |topic: &AddPartitionsToTxnTopic| {
        let partition = |index: &i32| AddPartitionsToTxnPartitionResult {
            partition_index: *index,
            partition_error_code: code(&topic.name, *index),
        };
        AddPartitionsToTxnTopicResult {
            name: topic.name.clone(),
            results_by_partition: topic.partitions.iter().map(partition).collect(),
        }
    };
    topics.iter().map(&mut topic).collect()
}
