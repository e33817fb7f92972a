//! Topics: creating, deleting, growing, listing, describing.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::cluster::{Cluster, Scope, TopicMetadata};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsAssignment, CreatePartitionsRequest, CreatePartitionsTopic,
};
use kafkars_protocol::messages::create_topics::{
    CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfig, CreateTopicsRequest,
};
use kafkars_protocol::messages::delete_topics::{DeleteTopicState, DeleteTopicsRequest};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};

use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome, told_operations};
use super::routing::{Target, broker_timeout, not_controller};
use crate::error::ClientError;

/// From this version on topics are deleted by name or by id (KIP-516), in another field.
const DELETE_BY_STATE_SINCE: i16 = 6;
/// From this version on -1 stands for the broker's own default of partitions and replicas.
const DEFAULTS_SINCE: i16 = 4;

/// From this version on Metadata tells what is authorized (KIP-430).
const AUTHORIZED_SINCE: i16 = 8;

/// A topic to create.
#[derive(Debug, Clone, Default)]
pub struct NewTopic {
    /// Its name.
    pub name: String,
    /// How many partitions; -1 for the broker's default (Kafka 2.4 and newer), or when `assignments` says.
    pub partitions: i32,
    /// How many replicas of each; -1 likewise.
    pub replication_factor: i16,
    /// Brokers of each partition, the preferred leader first; empty to let the cluster choose.
    pub assignments: Vec<Vec<i32>>,
    /// Settings other than the defaults.
    pub configs: Vec<(String, Option<String>)>,
}

/// A topic as it was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedTopic {
    /// Its id; brokers before 2.8 have none.
    pub topic_id: Option<Uuid>,
    /// Its partitions, where the broker tells (2.4 and newer).
    pub partitions: Option<i32>,
    /// Replicas of each, where the broker tells.
    pub replication_factor: Option<i16>,
}

/// More partitions for a topic.
#[derive(Debug, Clone, Default)]
pub struct NewPartitions {
    /// How many there shall be in all.
    pub total: i32,
    /// Brokers of each new partition; empty to let the cluster choose.
    pub assignments: Vec<Vec<i32>>,
}

/// A topic as the cluster describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicDescription {
    /// Whether Kafka uses it itself.
    pub is_internal: bool,
    /// Its partitions, leaders and replicas.
    pub metadata: Arc<TopicMetadata>,
    /// What we may do with it, as a bit field of Kafka's `AclOperation`, where that was asked.
    pub authorized_operations: Option<i32>,
}

impl Admin {
    /// Creates topics. When a connection is lost in between, the next try finds what the first has done and says
    /// `TOPIC_ALREADY_EXISTS`.
    pub async fn create_topics(
        &self,
        topics: Vec<NewTopic>,
        validate_only: bool,
        deadline: Instant,
    ) -> Result<Outcomes<String, CreatedTopic>, ClientError> {
        let names: Vec<String> = topics.iter().map(|topic| topic.name.clone()).collect();
        let build = |version| CreateTopicsRequest {
            topics: topics
                .iter()
                .map(|topic| creatable(topic, version))
                .collect(),
            timeout_ms: broker_timeout(deadline),
            validate_only,
        };
        let response = self
            .ask(
                Target::Controller,
                build,
                |response| not_controller(response.topics.iter().map(|topic| topic.error_code)),
                deadline,
            )
            .await?;
        let answered = response.topics.into_iter().map(|topic| {
            let created = CreatedTopic {
                topic_id: Some(topic.topic_id).filter(|id| !id.is_zero()),
                partitions: Some(topic.num_partitions).filter(|count| *count >= 0),
                replication_factor: Some(topic.replication_factor).filter(|count| *count >= 0),
            };
            let outcome = outcome(topic.error_code, Some(&topic.name), topic.error_message);
            (topic.name, outcome.map(|()| created))
        });
        Ok(in_order(&names, answered.collect()))
    }

    /// Deletes topics and everything in them.
    pub async fn delete_topics(
        &self,
        names: Vec<String>,
        deadline: Instant,
    ) -> Result<Outcomes<String, ()>, ClientError> {
        let build = |version| {
            let mut request = DeleteTopicsRequest {
                timeout_ms: broker_timeout(deadline),
                ..DeleteTopicsRequest::default()
            };
            let state = |name: &String| DeleteTopicState {
                name: Some(name.clone()),
                ..DeleteTopicState::default()
            };
            match version >= DELETE_BY_STATE_SINCE {
                true => request.topics = names.iter().map(state).collect(),
                false => request.topic_names.clone_from(&names),
            }
            request
        };
        let response = self
            .ask(
                Target::Controller,
                build,
                |response| not_controller(response.responses.iter().map(|topic| topic.error_code)),
                deadline,
            )
            .await?;
        let answered = response.responses.into_iter().map(|topic| {
            let name = topic.name.unwrap_or_default();
            let outcome = outcome(topic.error_code, Some(&name), topic.error_message);
            (name, outcome)
        });
        Ok(in_order(&names, answered.collect()))
    }

    /// Gives topics more partitions.
    pub async fn create_partitions(
        &self,
        topics: Vec<(String, NewPartitions)>,
        validate_only: bool,
        deadline: Instant,
    ) -> Result<Outcomes<String, ()>, ClientError> {
        let names: Vec<String> = topics.iter().map(|(name, _)| name.clone()).collect();
        let one = |(name, new): &(String, NewPartitions)| CreatePartitionsTopic {
            name: name.clone(),
            count: new.total,
            assignments: (!new.assignments.is_empty())
                .then(|| new.assignments.iter().cloned().map(assigned).collect()),
        };
        let build = |_| CreatePartitionsRequest {
            topics: topics.iter().map(one).collect(),
            timeout_ms: broker_timeout(deadline),
            validate_only,
        };
        let response = self
            .ask(
                Target::Controller,
                build,
                |response| not_controller(response.results.iter().map(|topic| topic.error_code)),
                deadline,
            )
            .await?;
        let answered = response.results.into_iter().map(|topic| {
            let outcome = outcome(topic.error_code, Some(&topic.name), topic.error_message);
            (topic.name, outcome)
        });
        Ok(in_order(&names, answered.collect()))
    }

    /// Describes topics; with `None` all that may be seen, in order of their names. Brokers since Kafka 2.3 tell what
    /// is authorized.
    pub async fn describe_topics(
        &self,
        names: Option<Vec<String>>,
        include_authorized_operations: bool,
        deadline: Instant,
    ) -> Result<Outcomes<String, TopicDescription>, ClientError> {
        let named = |name: &String| MetadataRequestTopic {
            name: Some(name.clone()),
            ..MetadataRequestTopic::default()
        };
        let request = MetadataRequest {
            topics: names
                .as_deref()
                .map(|names| names.iter().map(named).collect()),
            allow_auto_topic_creation: false,
            ..MetadataRequest::default()
        };
        let response = self
            .ask(
                Target::Any,
                |version| MetadataRequest {
                    include_topic_authorized_operations: include_authorized_operations
                        && version >= AUTHORIZED_SINCE,
                    ..request.clone()
                },
                |_| None,
                deadline,
            )
            .await?;
        // Everything that an answer means for a topic is known in one place.
        let snapshot = Cluster::default()
            .merge(&response, RELIABLE, Scope::All)
            .unwrap_or_default();
        let answered = response.topics.into_iter().filter_map(|topic| {
            let name = topic.name?;
            let described = outcome(topic.error_code, Some(&name), None).and_then(|()| {
                let metadata = snapshot.topic(&name).map(Arc::clone);
                let metadata =
                    metadata.ok_or_else(|| ClientError::InvalidTopic(name.as_str().into()))?;
                Ok(TopicDescription {
                    is_internal: topic.is_internal,
                    metadata,
                    authorized_operations: told_operations(topic.topic_authorized_operations),
                })
            });
            Some((name, described))
        });
        let mut answered: Outcomes<String, TopicDescription> = answered.collect();
        Ok(match names {
            Some(names) => in_order(&names, answered),
            None => {
                answered.sort_unstable_by(|one, other| one.0.cmp(&other.0));
                answered
            }
        })
    }
}

/// The answer is not merged with older ones, so its epochs need no judging.
const RELIABLE: i16 = i16::MAX;

fn creatable(topic: &NewTopic, version: i16) -> CreatableTopic {
    let assignment = |(index, brokers): (usize, &Vec<i32>)| CreatableReplicaAssignment {
        partition_index: index as i32,
        broker_ids: brokers.clone(),
    };
    let config = |(name, value): &(String, Option<String>)| CreatableTopicConfig {
        name: name.clone(),
        value: value.clone(),
    };
    // Older brokers know no default for these; 1 is what Kafka ships with.
    let or_one =
        |asked: i32| match asked < 0 && version < DEFAULTS_SINCE && topic.assignments.is_empty() {
            true => 1,
            false => asked,
        };
    CreatableTopic {
        name: topic.name.clone(),
        num_partitions: or_one(topic.partitions),
        replication_factor: or_one(topic.replication_factor.into()) as i16,
        assignments: topic
            .assignments
            .iter()
            .enumerate()
            .map(assignment)
            .collect(),
        configs: topic.configs.iter().map(config).collect(),
    }
}

fn assigned(broker_ids: Vec<i32>) -> CreatePartitionsAssignment {
    CreatePartitionsAssignment { broker_ids }
}
