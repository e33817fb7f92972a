//! A transaction that is aborted, and the requests that show it.

use kafkars_protocol::messages::add_offsets_to_txn::AddOffsetsToTxnRequest;
use kafkars_protocol::messages::add_partitions_to_txn::{
    AddPartitionsToTxnRequest, AddPartitionsToTxnTopic,
};
use kafkars_protocol::messages::describe_producers::{DescribeProducersRequest, TopicRequest};
use kafkars_protocol::messages::describe_transactions::DescribeTransactionsRequest;
use kafkars_protocol::messages::end_txn::EndTxnRequest;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::list_transactions::ListTransactionsRequest;
use kafkars_protocol::messages::txn_offset_commit::{
    TxnOffsetCommitRequest, TxnOffsetCommitRequestPartition, TxnOffsetCommitRequestTopic,
};
use kafkars_protocol::{ErrorCode, VersionRange};
use kafkars_records::ProducerFields;

use crate::admin::Topic;
use crate::connection::{Connection, Outcome};
use crate::data::{batch, fetch, produce};
use crate::groups::coordinator;

const ID: &str = "frames";
/// Later versions are for requests between brokers.
const CLIENT_VERSIONS: VersionRange = VersionRange { min: 0, max: 3 };
/// The last version in which an abort does not also bump the producer epoch.
const SAME_EPOCH: i16 = 4;

/// Begins a transaction, produces in it, aborts it, and fetches its records.
pub(crate) fn aborted(connection: &mut Connection, topic: &Topic) -> Outcome<()> {
    connection.wait_for(&coordinator(1, ID), |found| {
        found.coordinators[0].error_code == 0
    })?;
    let begin = InitProducerIdRequest {
        transactional_id: Some(ID.to_owned()),
        transaction_timeout_ms: 60_000,
        ..Default::default()
    };
    connection.wait_for(&begin, |begun| begun.error_code == 0)?;
    let begun = connection
        .ask(|_| begin.clone())?
        .ok_or("no InitProducerId")?;
    let (producer_id, producer_epoch) = (begun.producer_id, begun.producer_epoch);
    for version in CLIENT_VERSIONS.iter() {
        connection.ask_at(
            version,
            &AddPartitionsToTxnRequest {
                v3_and_below_transactional_id: ID.to_owned(),
                v3_and_below_producer_id: producer_id,
                v3_and_below_producer_epoch: producer_epoch,
                v3_and_below_topics: vec![AddPartitionsToTxnTopic {
                    name: topic.name.clone(),
                    partitions: vec![0],
                }],
                ..Default::default()
            },
        )?;
    }
    let fields = ProducerFields {
        producer_id,
        producer_epoch,
        base_sequence: 0,
        transactional: true,
    };
    let written = connection.ask_at(
        11,
        &produce(11, topic, &batch(fields)?, Some(ID.to_owned())),
    )?;
    let first = written.responses[0].partition_responses[0].base_offset;
    ErrorCode::check(written.responses[0].partition_responses[0].error_code)?;
    connection.ask(|_| AddOffsetsToTxnRequest {
        transactional_id: ID.to_owned(),
        producer_id,
        producer_epoch,
        group_id: "in-transaction".to_owned(),
    })?;
    connection.ask(|_| TxnOffsetCommitRequest {
        transactional_id: ID.to_owned(),
        group_id: "in-transaction".to_owned(),
        producer_id,
        producer_epoch,
        topics: vec![TxnOffsetCommitRequestTopic {
            name: topic.name.clone(),
            partitions: vec![TxnOffsetCommitRequestPartition {
                committed_offset: 1,
                ..Default::default()
            }],
        }],
        ..Default::default()
    })?;
    connection.ask(|_| DescribeTransactionsRequest {
        transactional_ids: vec![ID.to_owned()],
    })?;
    connection.ask(|_| ListTransactionsRequest::default())?;
    connection.ask(|_| DescribeProducersRequest {
        topics: vec![TopicRequest {
            name: topic.name.clone(),
            partition_indexes: vec![0],
        }],
    })?;
    let abort = EndTxnRequest {
        transactional_id: ID.to_owned(),
        producer_id,
        producer_epoch,
        committed: false,
    };
    let ended = connection.ask_at(SAME_EPOCH, &abort)?;
    ErrorCode::check(ended.error_code)?;
    connection.ask(|version| fetch(version, topic, first))?;
    Ok(())
}
