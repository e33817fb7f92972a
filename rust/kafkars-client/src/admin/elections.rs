//! Elections of partitions' leaders (KIP-183, KIP-460).

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::TopicPartition;
use kafkars_protocol::Request;
use kafkars_protocol::messages::elect_leaders::{ElectLeadersRequest, TopicPartitions};

use super::group_offsets::{by_topic, refused};
use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome};
use super::routing::{Target, broker_timeout, not_controller};
use crate::error::ClientError;

/// The kind of an election, by its number on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ElectionType {
    /// The first of the replicas.
    Preferred = 0,
    /// Any replica that is alive, where none in sync is; records may be lost.
    Unclean = 1,
}

impl Admin {
    /// Elects leaders of these partitions, or of all with `None`. Returned are the partitions that were named; of all
    /// partitions only those where an election was needed.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`], and [`ClientError::Broker`] if the request is refused; a partition without
    /// an election has its error in its own outcome.
    pub async fn elect_leaders(
        &self,
        election: ElectionType,
        partitions: Option<Vec<TopicPartition>>,
        deadline: Instant,
    ) -> Result<Outcomes<TopicPartition, ()>, ClientError> {
        let named = |partitions: &Vec<TopicPartition>| {
            let each = partitions.iter();
            let topics = by_topic(each.map(|of| (Arc::clone(&of.topic), of.partition)));
            let topics = topics
                .into_iter()
                .map(|(topic, partitions)| TopicPartitions {
                    topic: topic.to_string(),
                    partitions,
                });
            topics.collect()
        };
        let request = |_| ElectLeadersRequest {
            election_type: election as i8,
            topic_partitions: partitions.as_ref().map(named),
            timeout_ms: broker_timeout(deadline),
        };
        let refusal = |response: &<ElectLeadersRequest as Request>::Response| {
            let topics = response.replica_election_results.iter();
            let partitions = topics.flat_map(|topic| &topic.partition_result);
            let codes = partitions.map(|partition| partition.error_code);
            not_controller(codes.chain([response.error_code]))
        };
        let response = self
            .ask(Target::Controller, request, refusal, deadline)
            .await?;
        outcome(response.error_code, None, None)?;
        let topics = response.replica_election_results.into_iter();
        let answered: Outcomes<TopicPartition, ()> = topics
            .flat_map(|topic| {
                let name: Arc<str> = topic.topic.into();
                topic.partition_result.into_iter().map(move |one| {
                    let of = TopicPartition {
                        topic: Arc::clone(&name),
                        partition: one.partition_id,
                    };
                    let elected = refused(&of, one.error_code, one.error_message);
                    (of, elected)
                })
            })
            .collect();
        Ok(match &partitions {
            Some(partitions) => in_order(partitions, answered),
            None => answered,
        })
    }
}
