//! Partition reassignments: which brokers have replicas, and moving them (KIP-455).

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_protocol::Request;
use kafkars_protocol::messages::alter_partition_reassignments::{
    AlterPartitionReassignmentsRequest, ReassignablePartition, ReassignableTopic,
};
use kafkars_protocol::messages::list_partition_reassignments::{
    ListPartitionReassignmentsRequest, ListPartitionReassignmentsTopics,
};

use super::group_offsets::{by_topic, refused};
use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome};
use super::routing::{Target, broker_timeout, not_controller};
use crate::error::ClientError;

/// A reassignment under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionReassignment {
    /// All replicas, those being added and those being removed included.
    pub replicas: Vec<i32>,
    /// The replicas being added.
    pub adding: Vec<i32>,
    /// The replicas being removed.
    pub removing: Vec<i32>,
}

impl Admin {
    /// Reassigns partitions to these replicas, the preferred leader first; `None` cancels a reassignment under way.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`], and [`ClientError::Broker`] if the request is refused; a partition that was
    /// refused has its error in its own outcome.
    pub async fn alter_partition_reassignments(
        &self,
        wanted: Vec<(TopicPartition, Option<Vec<i32>>)>,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, ()>, ClientError> {
        let keys: Vec<TopicPartition> = wanted.iter().map(|(of, _)| of.clone()).collect();
        let one = |(of, replicas): &(TopicPartition, Option<Vec<i32>>)| {
            let partition = ReassignablePartition {
                partition_index: of.partition,
                replicas: replicas.clone(),
            };
            (Arc::clone(&of.topic), partition)
        };
        let topics = by_topic(wanted.iter().map(one)).into_iter();
        let topics = topics.map(|(name, partitions)| ReassignableTopic {
            name: name.to_string(),
            partitions,
        });
        let request = AlterPartitionReassignmentsRequest {
            timeout_ms: broker_timeout(deadline),
            topics: topics.collect(),
            ..AlterPartitionReassignmentsRequest::default()
        };
        let response = self
            .ask(
                Target::Controller,
                |_| request.clone(),
                |response| not_controller([response.error_code]),
                deadline,
            )
            .await?;
        outcome(response.error_code, None, response.error_message)?;
        let topics = response.responses.into_iter();
        let answered = topics.flat_map(|topic| {
            let name: Arc<str> = topic.name.into();
            topic.partitions.into_iter().map(move |one| {
                let of = TopicPartition {
                    topic: Arc::clone(&name),
                    partition: one.partition_index,
                };
                let outcome = refused(&of, one.error_code, one.error_message);
                (of, outcome)
            })
        });
        Ok(in_order(&keys, answered.collect()))
    }

    /// Lists the reassignments under way, of these partitions or of all.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; [`ClientError::Broker`] if the request is refused.
    pub async fn list_partition_reassignments(
        &self,
        partitions: Option<Vec<TopicPartition>>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, PartitionReassignment)>, ClientError> {
        let named = |partitions: Vec<TopicPartition>| {
            let each = partitions.into_iter();
            let topics = by_topic(each.map(|of| (of.topic, of.partition))).into_iter();
            let topics = topics.map(
                |(name, partition_indexes)| ListPartitionReassignmentsTopics {
                    name: name.to_string(),
                    partition_indexes,
                },
            );
            topics.collect()
        };
        let request = ListPartitionReassignmentsRequest {
            timeout_ms: broker_timeout(deadline),
            topics: partitions.map(named),
        };
        let refusal = |response: &<ListPartitionReassignmentsRequest as Request>::Response| {
            not_controller([response.error_code])
        };
        let response = self
            .ask(Target::Controller, |_| request.clone(), refusal, deadline)
            .await?;
        outcome(response.error_code, None, response.error_message)?;
        let topics = response.topics.into_iter();
        let listed = topics.flat_map(|topic| {
            let name: Arc<str> = topic.name.into();
            topic.partitions.into_iter().map(move |one| {
                let of = TopicPartition {
                    topic: Arc::clone(&name),
                    partition: one.partition_index,
                };
                let reassignment = PartitionReassignment {
                    replicas: one.replicas,
                    adding: one.adding_replicas,
                    removing: one.removing_replicas,
                };
                (of, reassignment)
            })
        });
        Ok(listed.collect())
    }
}
