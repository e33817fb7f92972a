//! A topic: its identity, settings and partitions.

use kafkars_protocol::Uuid;

use crate::partition::Partition;
use crate::topic_config::TopicConfig;

/// One topic of the cluster.
#[derive(Debug)]
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) id: Uuid,
    pub(crate) config: TopicConfig,
    pub(crate) partitions: Vec<Partition>,
}

impl Topic {
    pub(crate) fn partition(&self, index: i32) -> Option<&Partition> {
        self.partitions.get(usize::try_from(index).ok()?)
    }

    pub(crate) fn partition_mut(&mut self, index: i32) -> Option<&mut Partition> {
        self.partitions.get_mut(usize::try_from(index).ok()?)
    }

    pub(crate) fn replication_factor(&self) -> i16 {
        self.partitions
            .first()
            .map_or(0, |partition| partition.replicas.len() as i16)
    }
}
