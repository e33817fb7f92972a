//! One topic's metadata, and the rules by which a newer response replaces an older one.

use std::collections::HashSet;
use std::sync::Arc;

use kafkars_protocol::messages::metadata::{MetadataResponsePartition, MetadataResponseTopic};
use kafkars_protocol::{ErrorCode, Uuid};

/// A partition's leader and its epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leader {
    /// The leader's node id.
    pub node: i32,
    /// The leader epoch; -1 where the broker does not say.
    pub epoch: i32,
}

/// The metadata of one topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopicMetadata {
    /// The topic's name.
    pub name: String,
    /// Its topic id, which brokers have since Kafka 2.8; [`Uuid::ZERO`] before. A topic that is deleted and created
    /// again has another one.
    pub id: Uuid,
    /// Why the last response did not describe the topic. Partitions of an earlier response stay usable if the error may
    /// be temporary, because a broker that has just started does not know every topic yet.
    pub error: Option<ErrorCode>,
    /// The partitions; the index is the partition's number.
    pub partitions: Vec<PartitionMetadata>,
    /// Whether it is one of Kafka's own topics.
    pub is_internal: bool,
}

/// The metadata of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartitionMetadata {
    /// Why there is no usable leader.
    pub error: Option<ErrorCode>,
    /// The partition's number.
    pub partition: i32,
    /// The broker that leads it, if any does.
    pub leader: Option<i32>,
    /// The latest leader epoch known; -1 where brokers do not have it.
    pub leader_epoch: i32,
    /// The node ids of the replicas.
    pub replicas: Arc<[i32]>,
    /// The replicas that are in sync.
    pub isr: Arc<[i32]>,
    /// The replicas that are offline.
    pub offline: Arc<[i32]>,
}

impl TopicMetadata {
    /// Returns the leader of a partition; `None` while there is none or no such partition.
    #[must_use]
    pub fn leader(&self, partition: i32) -> Option<Leader> {
        let partition = self.partitions.get(usize::try_from(partition).ok()?)?;
        Some(Leader {
            node: partition.leader?,
            epoch: partition.leader_epoch,
        })
    }

    /// Returns true if the last response says that there is no such topic.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        self.error.is_some_and(ErrorCode::unknown_topic)
    }

    /// Returns true if another request may bring more: the topic or one of its leaders is not there yet.
    #[must_use]
    pub fn is_unsettled(&self) -> bool {
        let passing = |error: Option<ErrorCode>| error.is_some_and(ErrorCode::invalid_metadata);
        passing(self.error)
            || self
                .partitions
                .iter()
                .any(|partition| match partition.error {
                    // Some brokers name no leader without calling it an error.
                    None => partition.leader.is_none(),
                    error => passing(error),
                })
    }

    /// Returns the topic with a newer leader for one partition; `None` when `leader` is not newer.
    pub(super) fn with_leader(&self, partition: i32, leader: Leader) -> Option<Self> {
        let index = usize::try_from(partition).ok()?;
        if leader.node < 0 || leader.epoch <= self.partitions.get(index)?.leader_epoch {
            return None;
        }
        let mut topic = self.clone();
        let partition = topic.partitions.get_mut(index)?;
        partition.leader = Some(leader.node);
        partition.leader_epoch = leader.epoch;
        partition.error = None;
        Some(topic)
    }
}

/// Returns the topic after one more response.
pub(super) fn merge(
    previous: Option<&TopicMetadata>,
    name: &str,
    wire: &MetadataResponseTopic,
    reliable_epochs: bool,
) -> TopicMetadata {
    let error = error_of(wire.error_code);
    if let (Some(previous), Some(code)) = (previous, error)
        && code.retriable()
        && !previous.id.is_zero()
    {
        // With topic ids a topic that was created again is told apart later, so what is known may stay for now. Without
        // them, old epochs would hide the new topic for ever.
        return TopicMetadata {
            error,
            ..previous.clone()
        };
    }
    let previous = previous.filter(|previous| error.is_none() && previous.id == wire.topic_id);
    TopicMetadata {
        name: name.to_owned(),
        id: wire.topic_id,
        error,
        partitions: merge_partitions(previous, &wire.partitions, reliable_epochs),
        is_internal: wire.is_internal,
    }
}

/// Puts every partition at its own index. Partitions are never removed from a topic, so those that an outdated response
/// lacks stay. An index beyond the number of partitions is invalid and is dropped, not allocated for.
fn merge_partitions(
    previous: Option<&TopicMetadata>,
    wire: &[MetadataResponsePartition],
    reliable_epochs: bool,
) -> Vec<PartitionMetadata> {
    let previous = previous.map_or(&[][..], |previous| &previous.partitions);
    let count = wire.len().max(previous.len());
    let mut partitions: Vec<PartitionMetadata> = (0..count)
        .map(|index| {
            let known = previous.get(index).cloned();
            known.unwrap_or_else(|| PartitionMetadata::unknown(index as i32))
        })
        .collect();
    let mut lists = NodeLists::default();
    for wire in wire {
        let index = usize::try_from(wire.partition_index).ok();
        if let Some(partition) = index.and_then(|index| partitions.get_mut(index)) {
            partition.merge(wire, reliable_epochs, &mut lists);
        }
    }
    partitions
}

/// Lists of nodes that partitions of a topic share. Few of them differ, and a copy for each partition would be most of
/// what the metadata of a large cluster takes.
#[derive(Default)]
struct NodeLists(HashSet<Arc<[i32]>>);

impl NodeLists {
    fn replace(&mut self, list: &mut Arc<[i32]>, nodes: &[i32]) {
        if **list == *nodes {
            return;
        }
        if let Some(known) = self.0.get(nodes) {
            *list = Arc::clone(known);
            return;
        }
        *list = nodes.into();
        self.0.insert(Arc::clone(list));
    }
}

impl PartitionMetadata {
    fn unknown(partition: i32) -> Self {
        Self {
            error: Some(ErrorCode::LeaderNotAvailable),
            partition,
            leader: None,
            leader_epoch: -1,
            replicas: Arc::default(),
            isr: Arc::default(),
            offline: Arc::default(),
        }
    }

    fn merge(
        &mut self,
        wire: &MetadataResponsePartition,
        reliable_epochs: bool,
        lists: &mut NodeLists,
    ) {
        let leader = (wire.leader_id >= 0).then_some(wire.leader_id);
        let epoch = if reliable_epochs {
            wire.leader_epoch
        } else {
            -1
        };
        if epoch >= 0 && epoch < self.leader_epoch {
            return; // from a broker that does not know of the latest election
        }
        // A response without a leader may lack the epoch too; the one known before still bounds what comes later.
        self.leader_epoch = match leader {
            Some(_) => epoch,
            None => epoch.max(self.leader_epoch),
        };
        self.leader = leader;
        self.error = error_of(wire.error_code);
        lists.replace(&mut self.replicas, &wire.replica_nodes);
        lists.replace(&mut self.isr, &wire.isr_nodes);
        lists.replace(&mut self.offline, &wire.offline_replicas);
    }
}

fn error_of(code: i16) -> Option<ErrorCode> {
    ErrorCode::check(code).err()
}
