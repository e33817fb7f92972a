//! DescribeTopicPartitions, version 0 (KIP-966).
//!
//! Kept: topics in the order of their names, all or those named; pages by cursor and limit. Every replica that could
//! lead is in sync, so there are no others that could.

use std::collections::BTreeSet;

use kafkars_protocol::messages::describe_topic_partitions::{
    Cursor, DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponsePartition, DescribeTopicPartitionsResponseTopic,
};
use kafkars_protocol::{ErrorCode, Uuid};

use super::{Handled, Peer, Serve, operations};
use crate::cluster::RunningCluster;
use crate::partition::Partition;
use crate::state::ClusterState;
use crate::topic_name;

/// `max.request.partition.size.limit`.
const MOST_PARTITIONS: i32 = 2000;

impl Serve for DescribeTopicPartitionsRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<DescribeTopicPartitionsResponse> {
        let state = peer.cluster.state();
        let mut names: BTreeSet<&str> = self.topics.iter().map(|topic| &*topic.name).collect();
        let start = self.cursor.as_ref();
        let bad_start = start.is_some_and(|cursor| {
            let elsewhere = !names.is_empty() && !names.contains(&*cursor.topic_name);
            cursor.partition_index < 0 || elsewhere
        });
        if bad_start {
            return Handled::Now(self.refuse(peer, version, ErrorCode::InvalidRequest));
        }
        if names.is_empty() {
            names = state.topics().map(|topic| &*topic.name).collect();
        }
        let mut page = TopicPage {
            cluster: &peer.cluster,
            left: self.response_partition_limit.clamp(1, MOST_PARTITIONS) as usize,
            topics: Vec::new(),
        };
        let from = start.map_or("", |cursor| &*cursor.topic_name);
        let mut next_cursor = None;
        for name in names.range(from..) {
            let first = start.filter(|cursor| cursor.topic_name == *name);
            let first = first.map_or(0, |cursor| cursor.partition_index);
            next_cursor = page.add(&state, name, first as usize);
            if next_cursor.is_some() {
                break;
            }
        }
        Handled::Now(DescribeTopicPartitionsResponse {
            throttle_time_ms: 0,
            topics: page.topics,
            next_cursor,
        })
    }

    fn refuse(
        &self,
        _peer: &Peer,
        _version: i16,
        code: ErrorCode,
    ) -> DescribeTopicPartitionsResponse {
        let topics = self.topics.iter();
        DescribeTopicPartitionsResponse {
            topics: topics
                .map(|topic| failure(&topic.name, code, operations::NOT_ASKED))
                .collect(),
            ..DescribeTopicPartitionsResponse::default()
        }
    }
}

/// One page of an answer.
struct TopicPage<'a> {
    cluster: &'a RunningCluster,
    /// Partitions there is room for.
    left: usize,
    topics: Vec<DescribeTopicPartitionsResponseTopic>,
}

impl TopicPage<'_> {
    /// Adds the partitions of a topic from `first` on, and returns where to go on when there is no room for all.
    fn add(&mut self, state: &ClusterState, name: &str, first: usize) -> Option<Cursor> {
        let cursor = |partition: usize| Cursor {
            topic_name: name.to_owned(),
            partition_index: partition as i32,
        };
        if self.left == 0 {
            return Some(cursor(0));
        }
        let Some(topic) = state.topic(name) else {
            let code = match topic_name::check(name) {
                Ok(()) => ErrorCode::UnknownTopicOrPartition,
                Err(_) => ErrorCode::InvalidTopicException,
            };
            self.topics.push(failure(name, code, operations::ON_TOPIC));
            return None;
        };
        // A cluster without the feature tells nothing of replicas that could lead.
        let eligible = state.features.is_on("eligible.leader.replicas.version");
        let partitions = topic.partitions.iter().enumerate();
        let partitions = partitions.skip(first).take(self.left);
        let described: Vec<_> = partitions
            .map(|(index, partition)| describe(self.cluster, index, partition, eligible))
            .collect();
        self.left -= described.len();
        let next = first + described.len();
        self.topics.push(DescribeTopicPartitionsResponseTopic {
            name: Some(topic.name.clone()),
            topic_id: topic.id,
            partitions: described,
            topic_authorized_operations: operations::ON_TOPIC,
            ..DescribeTopicPartitionsResponseTopic::default()
        });
        (next < topic.partitions.len()).then(|| cursor(next))
    }
}

fn describe(
    cluster: &RunningCluster,
    index: usize,
    partition: &Partition,
    eligible: bool,
) -> DescribeTopicPartitionsResponsePartition {
    DescribeTopicPartitionsResponsePartition {
        error_code: partition.leader_error(),
        partition_index: index as i32,
        leader_id: partition.leader,
        leader_epoch: partition.leader_epoch,
        replica_nodes: partition.replicas.clone(),
        isr_nodes: partition.in_sync.clone(),
        eligible_leader_replicas: eligible.then(Vec::new),
        last_known_elr: eligible.then(Vec::new),
        offline_replicas: cluster.offline_replicas(partition),
    }
}

fn failure(
    name: &str,
    code: ErrorCode,
    topic_authorized_operations: i32,
) -> DescribeTopicPartitionsResponseTopic {
    DescribeTopicPartitionsResponseTopic {
        error_code: code.code(),
        name: Some(name.to_owned()),
        topic_id: Uuid::ZERO,
        topic_authorized_operations,
        ..DescribeTopicPartitionsResponseTopic::default()
    }
}
