//! Listing and describing transactions, and aborting one that hangs (KIP-664).

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_core::coordinator::CoordinatorKind;
use kafkars_protocol::messages::describe_producers::{
    DescribeProducersRequest, ProducerState as WireProducer, TopicRequest,
};
use kafkars_protocol::messages::describe_transactions::{
    DescribeTransactionsRequest, TransactionState,
};
use kafkars_protocol::messages::list_transactions::ListTransactionsRequest;
use kafkars_protocol::messages::write_txn_markers::{
    WritableTxnMarker, WritableTxnMarkerTopic, WriteTxnMarkersRequest,
};
use kafkars_protocol::{ApiKey, Request};

use super::coordinated::Coordinated;
use super::group_offsets::by_topic;
use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome, outcome_of};
use super::partitions::Answered;
use super::routing::{Target, not_coordinator};
use super::together;
use crate::error::ClientError;

/// A transaction in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionListing {
    /// The transactional id.
    pub transactional_id: String,
    /// The producer id.
    pub producer_id: i64,
    /// Its state in Kafka's words.
    pub state: String,
    /// The node id of its coordinator.
    pub coordinator: i32,
}

/// Filters transactions; an empty list or `None` matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TransactionFilter {
    /// States to match, in Kafka's words.
    pub states: Vec<String>,
    /// Producer ids to match.
    pub producer_ids: Vec<i64>,
    /// Matches transactions that have been open for longer than this, in ms (Kafka 3.8 and newer).
    pub open_longer_than_ms: Option<i64>,
    /// A regular expression of RE2 that transactional ids have to match (Kafka 4.1 and newer).
    pub pattern: Option<String>,
}

/// A transaction as its coordinator describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransactionDescription {
    /// The node id of its coordinator.
    pub coordinator: i32,
    /// Its state in Kafka's words.
    pub state: String,
    /// The producer id.
    pub producer_id: i64,
    /// The producer's epoch.
    pub producer_epoch: i16,
    /// The transaction timeout in ms.
    pub timeout_ms: i32,
    /// When it began, in ms since 1970; `None` if no transaction is open.
    pub started_ms: Option<i64>,
    /// The partitions in the transaction.
    pub partitions: Vec<TopicPartition>,
}

/// A producer as the leader of a partition knows it (DescribeProducers).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActiveProducer {
    /// The producer id.
    pub producer_id: i64,
    /// The producer epoch.
    pub producer_epoch: i32,
    /// The last sequence number; `None` before the first record.
    pub last_sequence: Option<i32>,
    /// The timestamp of the last record, in ms since 1970; `None` before the first.
    pub last_timestamp: Option<i64>,
    /// The epoch of the coordinator that wrote the last transaction marker here; `None` before the first.
    pub coordinator_epoch: Option<i32>,
    /// The first offset of the transaction that is open in this partition.
    pub transaction_start_offset: Option<i64>,
}

/// A transaction to abort in one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HangingTransaction {
    /// The partition.
    pub of: TopicPartition,
    /// The producer id.
    pub producer_id: i64,
    /// The producer's epoch.
    pub producer_epoch: i16,
    /// The coordinator epoch; brokers accept -1 in every case.
    pub coordinator_epoch: i32,
}

impl Admin {
    /// Lists the transactions of every broker, in order of their transactional ids.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; [`ClientError::Broker`] if one of the brokers refuses the request.
    pub async fn list_transactions(
        &self,
        filter: TransactionFilter,
        deadline: Instant,
    ) -> Result<Vec<TransactionListing>, ClientError> {
        let request = ListTransactionsRequest {
            state_filters: filter.states,
            producer_id_filters: filter.producer_ids,
            duration_filter: filter.open_longer_than_ms.unwrap_or(-1),
            transactional_id_pattern: filter.pattern,
        };
        let brokers = self.describe_cluster(false, deadline).await?.brokers;
        let asked = brokers.iter().map(|broker| {
            self.ask(
                Target::Node(broker.id),
                |_| request.clone(),
                |response| not_coordinator([response.error_code]),
                deadline,
            )
        });
        let mut listed = Vec::new();
        for (broker, response) in brokers.iter().zip(together::all_succeed(asked).await?) {
            outcome_of(response.error_code, None, || {
                format!("broker {}", broker.id)
            })?;
            let states = response.transaction_states.into_iter();
            listed.extend(states.map(|state| TransactionListing {
                transactional_id: state.transactional_id,
                producer_id: state.producer_id,
                state: state.transaction_state,
                coordinator: broker.id,
            }));
        }
        listed.sort_unstable_by(|one, other| one.transactional_id.cmp(&other.transactional_id));
        Ok(listed)
    }

    /// Describes transactions by their transactional ids.
    ///
    /// # Errors
    /// Never as a whole: each transactional id has its own outcome.
    pub async fn describe_transactions(
        &self,
        transactional_ids: Vec<String>,
        deadline: Instant,
    ) -> Result<Outcomes<String, TransactionDescription>, ClientError> {
        let ask = |_, id| self.describe_transaction(id, deadline);
        let kind = CoordinatorKind::Transaction;
        let api = ApiKey::DescribeTransactions;
        let described = self.ask_coordinators(kind, api, &transactional_ids, ask, deadline);
        Ok(described.await)
    }

    async fn describe_transaction(
        &self,
        id: Coordinated<'_>,
        deadline: Instant,
    ) -> Result<TransactionDescription, ClientError> {
        let request = DescribeTransactionsRequest {
            transactional_ids: vec![id.name.to_owned()],
        };
        let asked = self.ask_once(id.by, |_| request.clone(), deadline);
        let states = asked.await?.transaction_states.into_iter();
        let answered = states.map(|state| {
            let refused = outcome(state.error_code, None, None);
            let name = state.transactional_id.clone();
            (name, refused.map(|()| description(state, id.by)))
        });
        let mut found = in_order(&[id.name.to_owned()], answered.collect());
        found.remove(0).1
    }

    /// Describes the producers that are active in partitions, as their leaders or one broker with replicas knows them.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a partition that was refused has its error in its own outcome.
    pub async fn describe_producers(
        &self,
        partitions: Vec<TopicPartition>,
        broker: Option<i32>,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, Vec<ActiveProducer>>, ClientError> {
        let build = |partitions: &[TopicPartition], _| {
            let each = partitions.iter();
            let topics = by_topic(each.map(|of| (Arc::clone(&of.topic), of.partition)));
            let topics = topics
                .into_iter()
                .map(|(name, partition_indexes)| TopicRequest {
                    name: name.to_string(),
                    partition_indexes,
                });
            DescribeProducersRequest {
                topics: topics.collect(),
            }
        };
        let Some(node) = broker else {
            return self
                .ask_leaders(partitions, build, producers, deadline)
                .await;
        };
        let request = build(&partitions, 0);
        let response = self
            .ask(Target::Node(node), |_| request.clone(), |_| None, deadline)
            .await?;
        let answered = producers(response).into_iter();
        let answered = answered.map(Answered::into_outcome).collect();
        Ok(in_order(&partitions, answered))
    }

    /// Aborts a transaction in one partition, without its coordinator.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; [`ClientError::Broker`] if the leader of the partition refuses.
    pub async fn abort_transaction(
        &self,
        hanging: HangingTransaction,
        deadline: Instant,
    ) -> Result<(), ClientError> {
        let build = |partitions: &[TopicPartition], _| {
            let topics = partitions.iter().map(|of| WritableTxnMarkerTopic {
                name: of.topic.to_string(),
                partition_indexes: vec![of.partition],
            });
            let marker = WritableTxnMarker {
                producer_id: hanging.producer_id,
                producer_epoch: hanging.producer_epoch,
                transaction_result: false,
                topics: topics.collect(),
                coordinator_epoch: hanging.coordinator_epoch,
                ..WritableTxnMarker::default()
            };
            WriteTxnMarkersRequest {
                markers: vec![marker],
            }
        };
        let read = |response: <WriteTxnMarkersRequest as Request>::Response| -> Vec<Answered<()>> {
            let topics = response
                .markers
                .into_iter()
                .flat_map(|marker| marker.topics);
            let answered = topics.flat_map(|topic| {
                let name: Arc<str> = topic.name.into();
                topic.partitions.into_iter().map(move |one| Answered {
                    of: TopicPartition {
                        topic: Arc::clone(&name),
                        partition: one.partition_index,
                    },
                    code: one.error_code,
                    message: None,
                    found: (),
                })
            });
            answered.collect()
        };
        let of = vec![hanging.of.clone()];
        let mut outcomes = self.ask_leaders(of, build, read, deadline).await?;
        outcomes.remove(0).1
    }
}

fn description(state: TransactionState, coordinator: i32) -> TransactionDescription {
    let topics = state.topics.into_iter();
    let partitions = topics.flat_map(|topic| {
        let name: Arc<str> = topic.topic.into();
        topic
            .partitions
            .into_iter()
            .map(move |partition| TopicPartition {
                topic: Arc::clone(&name),
                partition,
            })
    });
    let mut partitions: Vec<TopicPartition> = partitions.collect();
    partitions.sort_unstable();
    TransactionDescription {
        coordinator,
        state: state.transaction_state,
        producer_id: state.producer_id,
        producer_epoch: state.producer_epoch,
        timeout_ms: state.transaction_timeout_ms,
        started_ms: Some(state.transaction_start_time_ms).filter(|time| *time >= 0),
        partitions,
    }
}

fn producers(
    response: <DescribeProducersRequest as Request>::Response,
) -> Vec<Answered<Vec<ActiveProducer>>> {
    let topics = response.topics.into_iter();
    let answered = topics.flat_map(|topic| {
        let name: Arc<str> = topic.name.into();
        topic.partitions.into_iter().map(move |one| Answered {
            of: TopicPartition {
                topic: Arc::clone(&name),
                partition: one.partition_index,
            },
            code: one.error_code,
            message: one.error_message,
            found: one.active_producers.into_iter().map(producer).collect(),
        })
    });
    answered.collect()
}

fn producer(wire: WireProducer) -> ActiveProducer {
    ActiveProducer {
        producer_id: wire.producer_id,
        producer_epoch: wire.producer_epoch,
        last_sequence: Some(wire.last_sequence).filter(|number| *number >= 0),
        last_timestamp: Some(wire.last_timestamp).filter(|time| *time >= 0),
        coordinator_epoch: Some(wire.coordinator_epoch).filter(|epoch| *epoch >= 0),
        transaction_start_offset: Some(wire.current_txn_start_offset).filter(|offset| *offset >= 0),
    }
}
