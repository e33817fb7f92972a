//! Metadata, versions 0 to 13.
//!
//! Kept: all topics (null; in version 0 the empty list) or those named, by name or by id (version 12, KIP-516);
//! creation of unknown topics where broker and request (since version 4) allow it; leader epochs (7); authorized
//! operations (8, KIP-430), which are all there are.
//!
//! Unlike Kafka's, an answer that creates a topic has it at once, with its leaders: there is nothing to wait for.

use std::sync::Arc;

use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker,
    MetadataResponsePartition, MetadataResponseTopic,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Peer, Serve, operations};
use crate::cluster::Cluster;
use crate::config::NewTopic;
use crate::failover::NO_LEADER;
use crate::nodes::Node;
use crate::partition::Partition;
use crate::state::State;
use crate::topic::Topic;
use crate::{creation, topic_name};

/// What stands for "not asked for".
const NO_OPERATIONS: i32 = i32::MIN;

impl Serve for MetadataRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<MetadataResponse> {
        let cluster = &peer.cluster;
        let may_create = cluster.config.user.auto_create_topics
            && (version < 4 || self.allow_auto_topic_creation);
        let mut state = cluster.state();
        let mut topics: Vec<MetadataResponseTopic> = match &self.topics {
            None => state
                .topics()
                .map(|topic| describe(cluster, topic))
                .collect(),
            Some(topics) if topics.is_empty() && version == 0 => state
                .topics()
                .map(|topic| describe(cluster, topic))
                .collect(),
            Some(topics) => topics
                .iter()
                .map(|topic| look_up(cluster, &mut state, topic, may_create))
                .collect(),
        };
        drop(state);
        if self.include_topic_authorized_operations {
            let known = topics.iter_mut().filter(|topic| topic.error_code == 0);
            known.for_each(|topic| topic.topic_authorized_operations = operations::ON_TOPIC);
        }
        let mut response = MetadataResponse {
            topics,
            ..about(peer)
        };
        if self.include_cluster_authorized_operations && (8..=10).contains(&version) {
            response.cluster_authorized_operations = operations::ON_CLUSTER;
        }
        Handled::Now(response)
    }

    /// The cluster as far as a request alone can tell of it: none of it, and an error for each topic named.
    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> MetadataResponse {
        let topics = self.topics.iter().flatten();
        MetadataResponse {
            topics: topics
                .map(|topic| failure(topic.name.clone(), topic.topic_id, code))
                .collect(),
            controller_id: -1,
            ..MetadataResponse::default()
        }
    }
}

fn about(peer: &Peer) -> MetadataResponse {
    let cluster = &peer.cluster;
    let broker = |node: &Arc<Node>| MetadataResponseBroker {
        node_id: node.id,
        host: node.endpoint(peer.listener).host.clone(),
        port: i32::from(node.endpoint(peer.listener).port),
        rack: None,
    };
    MetadataResponse {
        brokers: cluster.nodes.alive().iter().map(broker).collect(),
        cluster_id: Some(cluster.id.clone()),
        controller_id: cluster.controller(),
        cluster_authorized_operations: NO_OPERATIONS,
        ..MetadataResponse::default()
    }
}

fn look_up(
    cluster: &Cluster,
    state: &mut State,
    wanted: &MetadataRequestTopic,
    may_create: bool,
) -> MetadataResponseTopic {
    let Some(name) = &wanted.name else {
        return match state.topic_by_id(wanted.topic_id) {
            Some(topic) => describe(cluster, topic),
            None => failure(None, wanted.topic_id, ErrorCode::UnknownTopicId),
        };
    };
    if let Some(topic) = state.topic(name) {
        return describe(cluster, topic);
    }
    let refused = |code| failure(Some(name.clone()), Uuid::ZERO, code);
    if topic_name::check(name).is_err() {
        return refused(ErrorCode::InvalidTopicException);
    }
    if !may_create {
        return refused(ErrorCode::UnknownTopicOrPartition);
    }
    match creation::plan(
        cluster,
        state,
        &NewTopic {
            name: name.clone(),
            ..NewTopic::default()
        },
        None,
    ) {
        Ok(topic) => {
            let description = describe(cluster, &topic);
            state.insert_topic(topic);
            description
        }
        Err(refusal) => refused(refusal.code),
    }
}

fn describe(cluster: &Cluster, topic: &Topic) -> MetadataResponseTopic {
    let partition = |(index, partition): (usize, &Partition)| {
        let offline = |replica: &&i32| !cluster.is_alive(**replica);
        let leaderless = partition.leader == NO_LEADER;
        let code = leaderless.then_some(ErrorCode::LeaderNotAvailable);
        MetadataResponsePartition {
            error_code: code.map_or(0, ErrorCode::code),
            partition_index: index as i32,
            leader_id: partition.leader,
            leader_epoch: partition.leader_epoch,
            replica_nodes: partition.replicas.clone(),
            isr_nodes: partition.in_sync.clone(),
            offline_replicas: partition.replicas.iter().filter(offline).copied().collect(),
        }
    };
    MetadataResponseTopic {
        error_code: 0,
        name: Some(topic.name.clone()),
        topic_id: topic.id,
        is_internal: false,
        partitions: topic.partitions.iter().enumerate().map(partition).collect(),
        topic_authorized_operations: NO_OPERATIONS,
    }
}

/// Before version 12 a topic always has a name.
fn failure(name: Option<String>, topic_id: Uuid, code: ErrorCode) -> MetadataResponseTopic {
    MetadataResponseTopic {
        error_code: code.code(),
        name,
        topic_id,
        topic_authorized_operations: NO_OPERATIONS,
        ..MetadataResponseTopic::default()
    }
}
