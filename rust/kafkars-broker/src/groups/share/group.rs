//! The state of a share group, and what can be asked of it.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::Uuid;

use super::assignor;
use crate::groups::member_identity::MemberClient;
use crate::topic::TopicIdPartition;

/// A share group: its members, what they read, and what they are to fetch.
#[derive(Debug)]
pub(crate) struct ShareGroup {
    pub(crate) id: String,
    pub(super) epoch: i32,
    pub(super) members: BTreeMap<String, ShareMember>,
    /// Every topic that somebody reads and that exists, as it was when the assignment was made.
    pub(super) topics: BTreeMap<String, (Uuid, i32)>,
}

#[derive(Debug)]
pub(super) struct ShareMember {
    pub(super) rack_id: Option<String>,
    pub(super) client: MemberClient,
    pub(super) epoch: i32,
    pub(super) previous_epoch: i32,
    pub(super) names: BTreeSet<String>,
    /// The partitions that the assignor wants the member to fetch.
    pub(super) target: BTreeSet<TopicIdPartition>,
    /// The partitions that the member was told to fetch.
    pub(super) assigned: BTreeSet<TopicIdPartition>,
    pub(super) expires_at: i64,
}

impl ShareGroup {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            epoch: 0,
            members: BTreeMap::new(),
            topics: BTreeMap::new(),
        }
    }

    /// Makes a group that is kept though nobody has joined it: an administrator has said where it begins.
    pub(crate) fn without_members(id: &str) -> Self {
        Self {
            epoch: 1,
            ..Self::new(id)
        }
    }

    /// Kafka's name for its state.
    pub(crate) fn state(&self) -> &'static str {
        if self.members.is_empty() {
            "Empty"
        } else {
            "Stable"
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// True if the group is more than the beginning of a request that was refused.
    pub(crate) fn is_used(&self) -> bool {
        self.epoch > 0
    }

    pub(crate) fn is_subscribed(&self, topic: &str) -> bool {
        let mut members = self.members.values();
        members.any(|member| member.names.contains(topic))
    }

    pub(in crate::groups) fn size(&self) -> usize {
        let topics: usize = self.topics.keys().map(|name| name.len() + 96).sum();
        let members = self.members.iter();
        let member = |(id, member): (&String, &ShareMember)| {
            let names: usize = member.names.iter().map(|name| name.len() + 64).sum();
            let partitions = member.target.len() + member.assigned.len();
            id.len() + member.client.id.len() + names + 48 * partitions + 512
        };
        topics + members.map(member).sum::<usize>()
    }

    /// The time when something will happen by itself.
    pub(crate) fn deadline(&self) -> Option<i64> {
        self.members.values().map(|member| member.expires_at).min()
    }

    /// Removes members that have fallen silent.
    pub(crate) fn advance(&mut self, now: i64) {
        let before = self.members.len();
        self.members.retain(|_, member| member.expires_at > now);
        if self.members.len() != before {
            self.assign_anew();
        }
    }

    /// Begins another epoch, in which the partitions are spread over the members there are now.
    pub(super) fn assign_anew(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
        let readers: Vec<&BTreeSet<String>> =
            self.members.values().map(|member| &member.names).collect();
        let targets = assignor::spread(&self.topics, &readers);
        for (member, target) in self.members.values_mut().zip(targets) {
            member.target = target;
        }
    }
}
