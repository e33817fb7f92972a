//! The group as its leader's strategy sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bytes::Bytes;

use crate::config::TopicPartition;

/// The members and topics of a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupView {
    /// The members, by id.
    pub members: BTreeMap<Arc<str>, MemberView>,
    /// The topics that any member subscribes to and that exist.
    pub topics: BTreeMap<Arc<str>, TopicView>,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberView {
    /// `group_instance_id`.
    pub instance: Option<Arc<str>>,
    /// What it subscribes to.
    pub topics: BTreeSet<Arc<str>>,
    /// What its strategy added to the subscription ([`super::Assignor::user_data`]).
    pub user_data: Option<Bytes>,
    /// What it owns while it joins (version 1 of the subscription).
    pub owned: Vec<TopicPartition>,
    /// The generation in which it got those, -1 where it does not say (version 2).
    pub generation: i32,
    /// Its rack (version 3, KIP-881).
    pub rack: Option<Arc<str>>,
}

/// One topic.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TopicView {
    /// Its partitions; the index is the partition's number.
    pub partitions: Vec<PartitionView>,
}

/// One partition.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PartitionView {
    /// Racks of its replicas, where brokers have them.
    pub racks: BTreeSet<Arc<str>>,
}

impl GroupView {
    /// Member ids in the order in which strategies serve them: those with an instance id first, by that, then by member
    /// id. So static members keep their place when they come back with another member id.
    #[must_use]
    pub fn in_order(&self) -> Vec<&Arc<str>> {
        let mut members: Vec<(&Arc<str>, &MemberView)> = self.members.iter().collect();
        members.sort_by_key(|(id, member)| {
            let instance = member.instance.as_ref();
            (instance.is_none(), instance, *id)
        });
        members.into_iter().map(|(id, _)| id).collect()
    }

    /// How many partitions a topic has; 0 when it does not exist.
    #[must_use]
    pub fn partition_count(&self, topic: &str) -> usize {
        self.topics
            .get(topic)
            .map_or(0, |topic| topic.partitions.len())
    }

    /// Empty lists for all members.
    pub(super) fn empty_lists(&self) -> BTreeMap<Arc<str>, Vec<TopicPartition>> {
        self.members
            .keys()
            .map(|member| (Arc::clone(member), Vec::new()))
            .collect()
    }
}
