//! A topic: its identity, settings and partitions.

use kafkars_protocol::Uuid;

use crate::partition::Partition;
use crate::settings::topic::TopicConfig;

/// One topic of the cluster.
#[derive(Debug)]
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) id: Uuid,
    pub(crate) config: TopicConfig,
    pub(crate) partitions: Vec<Partition>,
}

/// A partition by its topic's id.
pub(crate) type TopicIdPartition = (Uuid, i32);

/// Puts partitions of one topic that follow each other together, as answers list them.
pub(crate) fn by_topic<'a>(
    partitions: impl IntoIterator<Item = &'a TopicIdPartition>,
) -> Vec<(Uuid, Vec<i32>)> {
    let mut topics: Vec<(Uuid, Vec<i32>)> = Vec::new();
    for (id, partition) in partitions {
        match topics.last_mut() {
            Some((last, partitions)) if last == id => partitions.push(*partition),
            _ => topics.push((*id, vec![*partition])),
        }
    }
    topics
}

/// A topic as a request names it: by name, or since KIP-516 by id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum TopicKey {
    Name(String),
    Id(Uuid),
}

impl Topic {
    pub(crate) fn partition(&self, index: i32) -> Option<&Partition> {
        self.partitions.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn partition_mut(&mut self, index: i32) -> Option<&mut Partition> {
        self.partitions.get_mut(usize::try_from(index).ok()?)
    }

    /// Gives the topic other settings from now on.
    pub(crate) fn set_config(&mut self, config: TopicConfig) {
        for partition in &mut self.partitions {
            partition.log.set_retention_bytes(config.retention_bytes);
        }
        self.config = config;
    }

    pub(crate) fn replication_factor(&self) -> i16 {
        self.partitions
            .first()
            .map_or(0, |partition| partition.replicas.len() as i16)
    }
}
