//! What the core's sender asks about the cluster.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use kafkars_core::cluster::Cluster;
use kafkars_core::produce::sender::View;
use kafkars_protocol::{ErrorCode, Uuid};

use super::node::Node;
use crate::producer::shared::ProducerShared;

/// The cluster as the core's sender sees it.
pub(super) struct ClusterView<'a> {
    cluster: &'a Cluster,
    nodes: &'a HashMap<i32, Node>,
    /// True if a partition counts as gone, too, while brokers deny its topic.
    gives_up_with_topic: bool,
}

impl<'a> ClusterView<'a> {
    pub(super) fn new(
        cluster: &'a Cluster,
        nodes: &'a HashMap<i32, Node>,
        shared: &ProducerShared,
    ) -> Self {
        Self {
            cluster,
            nodes,
            gives_up_with_topic: shared.gives_up_with_topic.load(Ordering::Relaxed),
        }
    }
}

impl View for ClusterView<'_> {
    fn metadata_version(&self) -> u64 {
        self.cluster.version
    }

    fn leader(&self, topic: &str, partition: i32) -> Option<i32> {
        let leader = self.cluster.leader(topic, partition);
        leader.map(|leader| leader.node)
    }

    fn topic_id(&self, topic: &str) -> Uuid {
        let topic = self.cluster.topic(topic);
        topic.map_or(Uuid::default(), |topic| topic.id)
    }

    fn is_connected(&self, node: i32) -> bool {
        self.nodes.get(&node).is_some_and(Node::is_connected)
    }

    fn is_gone(&self, topic: &str, partition: i32) -> bool {
        let Some(topic) = self.cluster.topic(topic) else {
            return self.gives_up_with_topic;
        };
        match topic.error {
            None => {
                let count = topic.partitions.len();
                count > 0 && usize::try_from(partition).is_ok_and(|partition| partition >= count)
            }
            Some(ErrorCode::UnknownTopicOrPartition) => self.gives_up_with_topic,
            Some(_) => false,
        }
    }

    fn obstacle(&self, topic: &str, partition: i32) -> Option<String> {
        let Some(metadata) = self.cluster.topic(topic) else {
            return Some(format!("the metadata does not name topic {topic:?}"));
        };
        if let Some(code) = metadata.error {
            return Some(format!(
                "metadata of topic {topic:?}: {}: {}",
                code.name(),
                code.description()
            ));
        }
        let count = metadata.partitions.len();
        let Some(known) = usize::try_from(partition)
            .ok()
            .and_then(|at| metadata.partitions.get(at))
        else {
            return Some(format!(
                "topic {topic:?} was made again with {count} partitions, so that partition {partition} is gone"
            ));
        };
        match (known.leader, known.error) {
            (None, Some(code)) => Some(format!(
                "no leader is known for {topic}-{partition}: {}: {}",
                code.name(),
                code.description()
            )),
            (None, None) => Some(format!("no leader is known for {topic}-{partition}")),
            (Some(leader), _) if self.cluster.broker(leader).is_none() => Some(format!(
                "the leader of {topic}-{partition} is broker {leader}, which the metadata does not name"
            )),
            _ => None,
        }
    }
}
