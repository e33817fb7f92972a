//! DescribeQuorum, versions 0 to 2 (KIP-595).
//!
//! Kept: every node is a voter that is never behind, and the leader is the node that is called the controller.
//!
//! Skipped: there is no log of metadata; its offset is the number of topics that have been created.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_quorum::{
    DescribeQuorumRequest, DescribeQuorumResponse, Listener, Node as QuorumNode, PartitionData,
    ReplicaState, ResponsePartitionData, ResponseTopicData,
};

use super::{Handled, Peer, Serve};
use crate::nodes::EmbeddedNode;

/// The topic of the quorum, which has one partition.
const METADATA: &str = "__cluster_metadata";
const LISTENER: &str = "CONTROLLER";
const NOT_HERE: &str = "This server does not host this topic-partition.";
/// First version that tells where the voters listen.
const NODES_SINCE: i16 = 2;
/// There has been one election.
const EPOCH: i32 = 1;

impl Serve for DescribeQuorumRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DescribeQuorumResponse> {
        let is_quorum = |topic: &str, partition: &PartitionData| {
            topic == METADATA && partition.partition_index == 0
        };
        let asked = self.topics.iter().any(|topic| {
            let mut partitions = topic.partitions.iter();
            partitions.any(|partition| is_quorum(&topic.topic_name, partition))
        });
        let response = respond(&self, |topic, partition| {
            if is_quorum(topic, partition) {
                describe(peer)
            } else {
                ResponsePartitionData {
                    error_message: Some(NOT_HERE.to_owned()),
                    ..failure(partition, ErrorCode::UnknownTopicOrPartition)
                }
            }
        });
        let nodes = peer.cluster.nodes.all();
        Handled::Now(DescribeQuorumResponse {
            error_message: Some(String::new()),
            nodes: nodes
                .iter()
                .filter(|_| asked && version >= NODES_SINCE)
                .map(node)
                .collect(),
            ..response
        })
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> DescribeQuorumResponse {
        DescribeQuorumResponse {
            error_code: code.code(),
            error_message: Some(code.description().to_owned()),
            ..respond(self, |_, partition| failure(partition, code))
        }
    }
}

fn respond(
    request: &DescribeQuorumRequest,
    each: impl Fn(&str, &PartitionData) -> ResponsePartitionData,
) -> DescribeQuorumResponse {
    let topics = request.topics.iter().map(|topic| {
        let partitions = topic.partitions.iter();
        ResponseTopicData {
            topic_name: topic.topic_name.clone(),
            partitions: partitions
                .map(|partition| each(&topic.topic_name, partition))
                .collect(),
        }
    });
    DescribeQuorumResponse {
        topics: topics.collect(),
        ..DescribeQuorumResponse::default()
    }
}

fn describe(peer: &Peer) -> ResponsePartitionData {
    let (cluster, now) = (&peer.cluster, peer.cluster.now());
    let offset = i64::try_from(cluster.state().topics_created()).unwrap_or(i64::MAX);
    let voter = |node: &Arc<EmbeddedNode>| ReplicaState {
        replica_id: node.id,
        log_end_offset: offset,
        last_fetch_timestamp: now,
        last_caught_up_timestamp: now,
        ..ReplicaState::default()
    };
    let nodes = cluster.nodes.all();
    // Also while every node has been given up somebody leads the quorum.
    let leader = match cluster.controller() {
        -1 => nodes.first().map_or(-1, |node| node.id),
        controller => controller,
    };
    ResponsePartitionData {
        error_message: Some(String::new()),
        leader_id: leader,
        leader_epoch: EPOCH,
        high_watermark: offset,
        current_voters: nodes.iter().map(voter).collect(),
        ..ResponsePartitionData::default()
    }
}

fn node(node: &Arc<EmbeddedNode>) -> QuorumNode {
    let listener = Listener {
        name: LISTENER.to_owned(),
        host: node.endpoint(0).host.clone(),
        port: node.endpoint(0).port,
    };
    QuorumNode {
        node_id: node.id,
        listeners: vec![listener],
    }
}

fn failure(partition: &PartitionData, code: ErrorCode) -> ResponsePartitionData {
    ResponsePartitionData {
        partition_index: partition.partition_index,
        error_code: code.code(),
        error_message: Some(code.description().to_owned()),
        ..ResponsePartitionData::default()
    }
}
