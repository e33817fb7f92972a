//! Metadata, versions 0 to 13.
//!
//! Kept: all topics (null; in version 0 the empty list) or those named, by name or by id (version 12, KIP-516);
//! creation of unknown topics where broker and request (since version 4) allow it; leader epochs (7); authorized
//! operations (8, KIP-430), which are all there are in a cluster without access control.
//!
//! Unlike Kafka's, an answer that creates a topic has it at once, with its leaders: there is nothing to wait for.

use std::sync::Arc;

use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse, MetadataResponseBroker,
    MetadataResponsePartition, MetadataResponseTopic,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Peer, Serve, operations};
use crate::cluster::RunningCluster;
use crate::config::NewTopic;
use crate::nodes::EmbeddedNode;
use crate::partition::Partition;
use crate::state::ClusterState;
use crate::topic::Topic;
use crate::{creation, topic_name};

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

    /// Tells nothing of the cluster, and an error for each topic that the request names.
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
    let broker = |node: &Arc<EmbeddedNode>| {
        let (host, port) = node.host_and_port(peer.listener);
        MetadataResponseBroker {
            node_id: node.id,
            host,
            port,
            rack: None,
        }
    };
    MetadataResponse {
        brokers: cluster.nodes.alive().iter().map(broker).collect(),
        cluster_id: Some(cluster.id.clone()),
        controller_id: cluster.controller(),
        cluster_authorized_operations: operations::NOT_ASKED,
        ..MetadataResponse::default()
    }
}

fn look_up(
    cluster: &RunningCluster,
    state: &mut ClusterState,
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

fn describe(cluster: &RunningCluster, topic: &Topic) -> MetadataResponseTopic {
    let partition = |(index, partition): (usize, &Partition)| MetadataResponsePartition {
        error_code: partition.leader_error(),
        partition_index: index as i32,
        leader_id: partition.leader,
        leader_epoch: partition.leader_epoch,
        replica_nodes: partition.replicas.clone(),
        isr_nodes: partition.in_sync.clone(),
        offline_replicas: cluster.offline_replicas(partition),
    };
    MetadataResponseTopic {
        error_code: 0,
        name: Some(topic.name.clone()),
        topic_id: topic.id,
        is_internal: false,
        partitions: topic.partitions.iter().enumerate().map(partition).collect(),
        topic_authorized_operations: operations::NOT_ASKED,
    }
}

/// Refuses a topic, which always has a name before version 12.
fn failure(name: Option<String>, topic_id: Uuid, code: ErrorCode) -> MetadataResponseTopic {
    MetadataResponseTopic {
        error_code: code.code(),
        name,
        topic_id,
        topic_authorized_operations: operations::NOT_ASKED,
        ..MetadataResponseTopic::default()
    }
}
