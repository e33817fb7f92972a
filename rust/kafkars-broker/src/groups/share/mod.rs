//! A share group (KIP-932): the coordinator spreads partitions over members, and members may have the same ones.
//!
//! Which records a member gets is not decided here but where the partition is led: see `shares`.

mod assignor;
mod describe;
mod heartbeat;

#[cfg(test)]
mod tests;

use crate::topic::TopicIdPartition;
use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::Uuid;

use super::Client;
pub(crate) use heartbeat::{ShareHeartbeat, check};

/// Members, what they read, and what they are to fetch.
#[derive(Debug)]
pub(crate) struct ShareGroup {
    pub(crate) id: String,
    epoch: i32,
    members: BTreeMap<String, ShareMember>,
    /// Every topic that somebody reads and that exists, as it was when the assignment was made.
    topics: BTreeMap<String, (Uuid, i32)>,
}

#[derive(Debug)]
struct ShareMember {
    rack_id: Option<String>,
    client: Client,
    epoch: i32,
    previous_epoch: i32,
    names: BTreeSet<String>,
    /// What the assignment says it is to fetch.
    target: BTreeSet<TopicIdPartition>,
    /// What it was told to fetch.
    assigned: BTreeSet<TopicIdPartition>,
    expires_at: i64,
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

    /// A group that is kept though nobody has joined it: an administrator has said where it begins.
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

    /// Whether it is more than the beginning of a request that was refused.
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

    /// When something will happen by itself.
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

    /// Another epoch, in which the partitions are spread over the members there are now.
    fn assign_anew(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
        let readers: Vec<&BTreeSet<String>> =
            self.members.values().map(|member| &member.names).collect();
        let targets = assignor::spread(&self.topics, &readers);
        for (member, target) in self.members.values_mut().zip(targets) {
            member.target = target;
        }
    }
}
