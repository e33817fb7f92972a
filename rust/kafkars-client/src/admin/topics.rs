//! Topics: creating, deleting, adding partitions, listing, describing.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::cluster::{Cluster, Scope, TopicMetadata};
use kafkars_protocol::Uuid;
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsAssignment, CreatePartitionsRequest, CreatePartitionsTopic,
};
use kafkars_protocol::messages::create_topics::{
    CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfig, CreatableTopicConfigs,
    CreateTopicsRequest,
};
use kafkars_protocol::messages::delete_topics::{DeleteTopicState, DeleteTopicsRequest};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};

use super::configs::ConfigEntry;
use super::handle::Admin;
use super::outcome::{Outcomes, in_order, outcome, told_operations};
use super::routing::{Target, broker_timeout, not_controller};
use crate::error::ClientError;

/// DeleteTopics names topics by name or by id from this version on, in another field (KIP-516).
const DELETE_BY_STATE_SINCE: i16 = 6;
/// CreateTopics takes -1 for the broker's defaults of partitions and replicas from this version on.
const DEFAULTS_SINCE: i16 = 4;

/// Metadata returns authorized operations from this version on (KIP-430).
const AUTHORIZED_SINCE: i16 = 8;

/// A topic to create.
#[derive(Debug, Clone, Default)]
pub struct NewTopic {
    /// Its name.
    pub name: String,
    /// The number of partitions; -1 for the broker's default (Kafka 2.4 and newer), or if `assignments` is given.
    pub partitions: i32,
    /// The number of replicas of each partition; -1 as for `partitions`.
    pub replication_factor: i16,
    /// The replicas of each partition, the preferred leader first; empty to let the cluster choose.
    pub assignments: Vec<Vec<i32>>,
    /// Topic configs that differ from the defaults.
    pub configs: Vec<(String, Option<String>)>,
}

/// A topic as it was created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedTopic {
    /// Its topic id; brokers before 2.8 have none.
    pub topic_id: Option<Uuid>,
    /// The number of partitions, where the broker returns it (2.4 and newer).
    pub partitions: Option<i32>,
    /// The number of replicas of each partition, where the broker returns it.
    pub replication_factor: Option<i16>,
    /// Its configs, where the broker returns them.
    pub configs: Vec<ConfigEntry>,
}

/// An increase of a topic's partitions.
#[derive(Debug, Clone, Default)]
pub struct NewPartitions {
    /// The number of partitions afterwards.
    pub total: i32,
    /// The replicas of each new partition; empty to let the cluster choose.
    pub assignments: Vec<Vec<i32>>,
}

/// A topic as the cluster describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicDescription {
    /// True for a topic that Kafka uses itself.
    pub is_internal: bool,
    /// Its partitions, leaders and replicas.
    pub metadata: Arc<TopicMetadata>,
    /// The operations authorized for this client, as a bit field of Kafka's `AclOperation`, where they were asked for.
    pub authorized_operations: Option<i32>,
}

impl Admin {
    /// Creates topics. If a connection is lost in between, the retry may find the topic that the first try created, and
    /// fails with `TOPIC_ALREADY_EXISTS`.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a topic that was refused has its error in its own outcome.
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
                configs: topic
                    .configs
                    .unwrap_or_default()
                    .into_iter()
                    .map(config_entry)
                    .collect(),
            };
            let outcome = outcome(topic.error_code, Some(&topic.name), topic.error_message);
            (topic.name, outcome.map(|()| created))
        });
        Ok(in_order(&names, answered.collect()))
    }

    /// Deletes topics and everything in them.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a topic that was refused has its error in its own outcome.
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

    /// Adds partitions to topics.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a topic that was refused has its error in its own outcome.
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

    /// Describes topics; with `None` all that this client may see, in order of their names. Brokers since Kafka 2.3
    /// return authorized operations.
    ///
    /// # Errors
    /// As for [`Admin::describe_cluster`]; a topic that was refused has its error in its own outcome.
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
        // Only the snapshot has to know what the fields of an answer mean.
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

/// The answer is not merged with an older snapshot, so its leader epochs need no check (see `Cluster::merge`).
const RELIABLE: i16 = i16::MAX;

fn config_entry(config: CreatableTopicConfigs) -> ConfigEntry {
    ConfigEntry {
        name: config.name,
        value: config.value,
        is_read_only: config.read_only,
        is_sensitive: config.is_sensitive,
        source: config.config_source,
        value_type: 0,
        documentation: None,
        synonyms: Vec::new(),
    }
}

fn creatable(topic: &NewTopic, version: i16) -> CreatableTopic {
    let assignment = |(index, brokers): (usize, &Vec<i32>)| CreatableReplicaAssignment {
        partition_index: index as i32,
        broker_ids: brokers.clone(),
    };
    let config = |(name, value): &(String, Option<String>)| CreatableTopicConfig {
        name: name.clone(),
        value: value.clone(),
    };
    // Older brokers have no such default; 1 is Kafka's own.
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
