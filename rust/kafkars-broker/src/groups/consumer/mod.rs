//! A consumer group of KIP-848: the coordinator assigns, and members are brought to their targets one by one.
//!
//! Three numbers tell how far things are. The group's epoch counts changes of what is to be assigned: members,
//! subscriptions, topics. The assignment epoch is the group's epoch that the targets were made for. Each member's epoch
//! is the one whose target it has reached.

pub(crate) mod assignors;
mod classic_member;
mod classic_protocol;
mod conversion;
mod describe;
mod heartbeat;
mod leave;
mod member;
mod subscription;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use kafkars_protocol::ErrorCode;

use crate::settings::group::GroupSettings;
use crate::topic::TopicIdPartition;
pub(crate) use heartbeat::{Heartbeat, JOINING, LEAVING, check};
pub(crate) use member::{ConsumerMember, LEFT_FOR_A_WHILE, MemberState, TargetAssignment};
use subscription::Subscribed;

/// Members, what they are to have, and what they have.
#[derive(Debug)]
pub(crate) struct ConsumerGroup {
    pub(crate) id: String,
    pub(crate) epoch: i32,
    pub(crate) assignment_epoch: i32,
    pub(crate) assignor: String,
    pub(crate) members: BTreeMap<String, ConsumerMember>,
    /// Member ids by the name of a static member.
    instances: HashMap<String, String>,
    pub(crate) targets: HashMap<String, TargetAssignment>,
    /// Who has a partition, or has not given it up yet.
    owners: HashMap<TopicIdPartition, String>,
    subscribed: Subscribed,
    /// Since the last look.
    lost_members: bool,
}

impl ConsumerGroup {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            epoch: 0,
            assignment_epoch: 0,
            assignor: assignors::ASSIGNORS[0].to_owned(),
            members: BTreeMap::new(),
            instances: HashMap::new(),
            targets: HashMap::new(),
            owners: HashMap::new(),
            subscribed: Subscribed::default(),
            lost_members: false,
        }
    }

    /// Whether members have left since the last look. What is to be assigned is different then: the group begins
    /// another epoch, or is left to the classic protocol.
    pub(in crate::groups) fn has_lost_members(&mut self) -> bool {
        std::mem::take(&mut self.lost_members)
    }

    pub(in crate::groups) fn begin_epoch(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
    }

    /// Whether all that are left follow the classic protocol, so that the group may be one of that kind.
    pub(in crate::groups) fn may_become_classic(&self, settings: &GroupSettings) -> bool {
        settings.migration_policy.downgrades()
            && !self.members.is_empty()
            && self.members.len() <= settings.max_size
            && self.members.values().all(|it| it.classic.is_some())
    }

    /// Kafka's name for its state.
    pub(crate) fn state(&self) -> &'static str {
        let reached = |member: &ConsumerMember| {
            member.progress == MemberState::Stable && member.epoch == self.assignment_epoch
        };
        if self.members.is_empty() {
            "Empty"
        } else if self.epoch > self.assignment_epoch {
            "Assigning"
        } else if self.members.values().all(reached) {
            "Stable"
        } else {
            "Reconciling"
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(crate) fn is_subscribed(&self, topic: &str) -> bool {
        self.subscribed.contains(topic)
    }

    pub(in crate::groups) fn size(&self) -> usize {
        let targets: usize = self.targets.values().map(|target| 48 * target.len()).sum();
        let members: usize = self.members.values().map(ConsumerMember::size).sum();
        members + targets + self.subscribed.size()
    }

    /// When something will happen by itself.
    pub(crate) fn deadline(&self) -> Option<i64> {
        let deadlines = self.members.values().map(ConsumerMember::deadline);
        deadlines.min().filter(|deadline| *deadline < i64::MAX)
    }

    /// Removes members that have fallen silent, or do not give up what they were asked to.
    pub(crate) fn advance(&mut self, now: i64) {
        let late = |member: &&ConsumerMember| member.deadline() <= now;
        let dead: Vec<String> = self
            .members
            .values()
            .filter(late)
            .map(|member| member.id.clone())
            .collect();
        dead.iter().for_each(|id| self.remove_member(id));
    }

    /// Takes a member's place away; the others share what it had from their next heartbeats on.
    fn remove_member(&mut self, id: &str) {
        let Some(member) = self.members.remove(id) else {
            return;
        };
        if let Some(instance) = &member.instance_id {
            self.instances.remove(instance);
        }
        self.targets.remove(id);
        self.disown(&member);
        self.lost_members = true;
    }

    fn disown(&mut self, member: &ConsumerMember) {
        for partition in member.assigned.keys().chain(member.revoking.keys()) {
            if self.owners.get(partition) == Some(&member.id) {
                self.owners.remove(partition);
            }
        }
    }

    fn own(&mut self, member: &ConsumerMember) {
        for partition in member.assigned.keys().chain(member.revoking.keys()) {
            self.owners.insert(*partition, member.id.clone());
        }
    }

    /// Whether offsets may be committed by who says to be this member.
    ///
    /// An epoch below 0 is an administrator or a consumer that assigns its partitions itself: only an empty group takes
    /// its word.
    pub(crate) fn check_commit(
        &self,
        member: &str,
        instance: Option<&str>,
        epoch: i32,
        version: Option<i16>,
    ) -> Result<(), ErrorCode> {
        /// First version of `OffsetCommit` whose senders understand what this group answers.
        const CONSUMER_GROUPS_SINCE: i16 = 9;
        if epoch < 0 && self.members.is_empty() {
            return Ok(());
        }
        // Transactions need not say who they are.
        let nobody = member.is_empty() && epoch < 0 && instance.is_none();
        if version.is_none() && nobody {
            return Ok(());
        }
        let member = self.members.get(member).ok_or(ErrorCode::UnknownMemberId)?;
        if member.classic.is_some() {
            return member.check_generation(epoch);
        }
        if version.is_some_and(|version| version < CONSUMER_GROUPS_SINCE) {
            return Err(ErrorCode::UnsupportedVersion);
        }
        if epoch > member.epoch || epoch < 0 {
            return Err(ErrorCode::StaleMemberEpoch);
        }
        Ok(())
    }

    /// Whether a member may commit this partition: in an old epoch it may while it has had the partition since then
    /// (KIP-1251).
    pub(crate) fn check_commit_of(
        &self,
        member: &str,
        epoch: i32,
        partition: TopicIdPartition,
    ) -> Result<(), ErrorCode> {
        let Some(member) = self.members.get(member) else {
            return Ok(());
        };
        if epoch >= member.epoch {
            return Ok(());
        }
        let since = member
            .assigned
            .get(&partition)
            .or_else(|| member.revoking.get(&partition));
        match since {
            Some(since) if epoch >= *since => Ok(()),
            _ => Err(ErrorCode::StaleMemberEpoch),
        }
    }

    /// Whether committed offsets may be read by who says to be this member.
    pub(crate) fn check_fetch(&self, member: &str, epoch: i32) -> Result<(), ErrorCode> {
        if member.is_empty() && epoch < 0 {
            return Ok(());
        }
        let member = self.members.get(member).ok_or(ErrorCode::UnknownMemberId)?;
        if member.classic.is_some() {
            member.check_generation(epoch)
        } else if member.epoch == epoch {
            Ok(())
        } else {
            Err(ErrorCode::StaleMemberEpoch)
        }
    }
}
