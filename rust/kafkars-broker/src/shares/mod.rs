//! The progress of share groups: leaders of partitions keep it, whichever node coordinates the group.

mod acknowledgement;
pub(crate) mod acknowledging;
pub(crate) mod fetching;
mod partition;
mod sessions;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use kafkars_protocol::{ErrorCode, Uuid};

use crate::partition::Partition;
use crate::settings::group_configs::GroupConfigs;
use crate::topic::TopicIdPartition;

pub(crate) use acknowledgement::{ShareAcknowledgement, parse};
pub(crate) use partition::{ShareLimits, SharePartition};
pub(crate) use sessions::{CLOSING, Changes, OPENING, SessionKey, ShareSessions};

/// Partitions that all share groups may read together, which Kafka does not limit.
const MAX_PARTITIONS: usize = 100_000;

/// The progress of all share groups, and the sessions of their members.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    groups: BTreeMap<String, BTreeMap<TopicIdPartition, SharePartition>>,
    pub(crate) sessions: ShareSessions,
}

/// A partition with what share groups have read of it and may do, parts of one state.
#[derive(Debug)]
pub(crate) struct SharedLog<'a> {
    pub(crate) configs: &'a GroupConfigs,
    pub(crate) shares: &'a mut Shares,
    pub(crate) log: &'a mut Partition,
}

impl Shares {
    pub(crate) fn find(
        &mut self,
        group: &str,
        partition: TopicIdPartition,
    ) -> Option<&mut SharePartition> {
        self.groups.get_mut(group)?.get_mut(&partition)
    }

    /// The partition as the group reads it, from `start` on if it has not read it before; none when there are too many.
    pub(crate) fn open(
        &mut self,
        group: &str,
        partition: TopicIdPartition,
        start: i64,
    ) -> Option<&mut SharePartition> {
        let full = self.groups.values().map(BTreeMap::len).sum::<usize>() >= MAX_PARTITIONS;
        if full && self.find(group, partition).is_none() {
            return None;
        }
        let partitions = self.groups.entry(group.to_owned()).or_default();
        let opened = partitions.entry(partition);
        Some(opened.or_insert_with(|| SharePartition::new(start)))
    }

    /// Lets a group begin at an offset, whatever it has read before.
    pub(crate) fn reset(
        &mut self,
        group: &str,
        partition: TopicIdPartition,
        start: i64,
    ) -> Result<(), ErrorCode> {
        let opened = self.open(group, partition, start);
        *opened.ok_or(ErrorCode::CoordinatorNotAvailable)? = SharePartition::new(start);
        Ok(())
    }

    /// The partitions that a group has begun to read.
    pub(crate) fn partitions(&self, group: &str) -> Vec<TopicIdPartition> {
        let partitions = self.groups.get(group).into_iter().flatten();
        partitions.map(|(partition, _)| *partition).collect()
    }

    /// The offsets at which every group goes on in every partition, to be kept across a restart.
    pub(crate) fn snapshot(&self) -> impl Iterator<Item = (&str, Uuid, i32, i64)> {
        self.groups.iter().flat_map(|(group, partitions)| {
            partitions.iter().map(move |((topic, partition), shared)| {
                (group.as_str(), *topic, *partition, shared.start())
            })
        })
    }

    /// Forgets what a group has read of a topic; returns true if it has read anything.
    pub(crate) fn forget(&mut self, group: &str, topic: Uuid) -> bool {
        let Some(partitions) = self.groups.get_mut(group) else {
            return false;
        };
        let before = partitions.len();
        partitions.retain(|(id, _), _| *id != topic);
        partitions.len() < before
    }

    pub(crate) fn forget_group(&mut self, group: &str) {
        self.groups.remove(group);
    }

    pub(crate) fn forget_topic(&mut self, topic: Uuid) {
        for partitions in self.groups.values_mut() {
            partitions.retain(|(id, _), _| *id != topic);
        }
    }
}
