//! CreateTopics, versions 2 to 7.
//!
//! Kept: Kafka's checks of names, numbers, assignments and settings; dry runs; defaults for -1 (version 4, KIP-464);
//! what was made in the answer (5, KIP-525); topic ids (7). Any node carries it out; topics are there when the answer
//! is.
//!
//! Since version 6 a client whose `controller_mutation_rate` is used up is refused (KIP-599); before, it has to pause.

use kafkars_protocol::messages::create_topics::{
    CreatableTopic, CreatableTopicConfigs, CreatableTopicResult, CreateTopicsRequest,
    CreateTopicsResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::mutations::Mutations;
use super::repeated::times;
use super::{Handled, Peer, Serve};
use crate::cluster::RunningCluster;
use crate::config::{MAX_PARTITIONS, NewTopic};
use crate::creation;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::settings::source;
use crate::settings::topic_table::{SETTINGS, Setting};
use crate::state::ClusterState;
use crate::topic::Topic;

/// First version in which too many mutations are refused.
const STRICT_SINCE: i16 = 6;
/// The node for settings that hold for all nodes.
const ANY_NODE: i32 = -1;

impl Serve for CreateTopicsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<CreateTopicsResponse> {
        let mut mutations = Mutations::new(peer, version >= STRICT_SINCE);
        let mut times = times(self.topics.iter().map(|topic| topic.name.as_str()));
        let asked: i64 = self
            .topics
            .iter()
            .map(|topic| i64::from(topic.num_partitions.max(1)))
            .sum();
        let mut state = peer.cluster.state();
        let mut topics: Vec<CreatableTopicResult> = Vec::with_capacity(self.topics.len());
        for topic in &self.topics {
            let result = match times.remove(topic.name.as_str()) {
                Some(_) if asked > i64::from(MAX_PARTITIONS) => refuse_with(
                    ErrorCode::PolicyViolation,
                    "Excessively large number of partitions per request.",
                ),
                Some(1) => create(
                    &peer.cluster,
                    &mut state,
                    topic,
                    self.validate_only,
                    &mut mutations,
                ),
                // A topic that is named twice is not created, and gets one answer.
                Some(_) => Err(RefusedRequest::invalid("Duplicate topic name.")),
                None => continue,
            };
            topics.push(result.unwrap_or_else(|refusal| failure(&topic.name, refusal)));
        }
        Handled::Now(CreateTopicsResponse {
            throttle_time_ms: mutations.pause_ms,
            topics,
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> CreateTopicsResponse {
        let topics = self
            .topics
            .iter()
            .map(|topic| failure(&topic.name, code.into()))
            .collect();
        CreateTopicsResponse {
            throttle_time_ms: 0,
            topics,
        }
    }
}

fn create(
    cluster: &RunningCluster,
    state: &mut ClusterState,
    wanted: &CreatableTopic,
    validate_only: bool,
    mutations: &mut Mutations<'_>,
) -> Result<CreatableTopicResult, RefusedRequest> {
    let planned = creation::plan(cluster, state, &new_topic(wanted), assignment(wanted)?)?;
    mutations.count(planned.partitions.len())?;
    let result = describe(state, &planned);
    if validate_only {
        return Ok(CreatableTopicResult {
            topic_id: Uuid::ZERO,
            ..result
        });
    }
    state.insert_topic(planned);
    Ok(result)
}

fn new_topic(wanted: &CreatableTopic) -> NewTopic {
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    NewTopic {
        name: wanted.name.clone(),
        partitions: (wanted.num_partitions != -1).then_some(wanted.num_partitions),
        replication_factor: (wanted.replication_factor != -1).then_some(wanted.replication_factor),
        configs: wanted
            .configs
            .iter()
            .map(|config| (config.name.clone(), value(&config.value)))
            .collect(),
    }
}

/// The replicas by partition; the request lists them in any order.
fn assignment(wanted: &CreatableTopic) -> Result<Option<Vec<Vec<i32>>>, RefusedRequest> {
    if wanted.assignments.is_empty() {
        return Ok(None);
    }
    let mut assignments: Vec<_> = wanted.assignments.iter().collect();
    assignments.sort_by_key(|assignment| assignment.partition_index);
    let consecutive = assignments
        .iter()
        .enumerate()
        .all(|(index, assignment)| assignment.partition_index == index as i32);
    if !consecutive {
        let reason = "Partitions of a manual assignment must be consecutive, starting with 0.";
        return refuse_with(ErrorCode::InvalidReplicaAssignment, reason);
    }
    Ok(Some(
        assignments
            .into_iter()
            .map(|assignment| assignment.broker_ids.clone())
            .collect(),
    ))
}

fn describe(state: &ClusterState, topic: &Topic) -> CreatableTopicResult {
    let config = |setting: &Setting| {
        let set = topic.config.overrides().contains_key(setting.name);
        CreatableTopicConfigs {
            name: setting.name.to_owned(),
            value: Some(topic.config.value_of(setting).to_owned()),
            read_only: false,
            config_source: if set {
                source::TOPIC
            } else {
                default_source(state, setting)
            },
            is_sensitive: false,
        }
    };
    CreatableTopicResult {
        name: topic.name.clone(),
        topic_id: topic.id,
        error_message: None,
        num_partitions: topic.partitions.len() as i32,
        replication_factor: topic.replication_factor(),
        configs: Some(SETTINGS.iter().map(config).collect()),
        ..CreatableTopicResult::default()
    }
}

/// The source of the value of a setting that the topic does not set.
fn default_source(state: &ClusterState, setting: &Setting) -> i8 {
    let values = setting
        .synonym
        .map(|name| state.settings.values(ANY_NODE, name));
    let first = values.and_then(|values| values.into_iter().next());
    first.map_or(source::DEFAULT, |first| first.source)
}

fn failure(name: &str, refusal: RefusedRequest) -> CreatableTopicResult {
    CreatableTopicResult {
        name: name.to_owned(),
        error_code: refusal.code.code(),
        error_message: Some(refusal.into_message()),
        num_partitions: -1,
        replication_factor: -1,
        configs: Some(Vec::new()),
        ..CreatableTopicResult::default()
    }
}
