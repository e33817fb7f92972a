//! The state of a consumer group, and what can be asked of it.

use std::collections::{BTreeMap, HashMap};

use kafkars_protocol::ErrorCode;

use super::assignors::ASSIGNORS;
use super::member::{ConsumerMember, MemberState, TargetAssignment};
use super::subscription::Subscribed;
use crate::settings::group::GroupSettings;
use crate::topic::TopicIdPartition;

/// A consumer group: its members, their targets, and what they have.
#[derive(Debug)]
pub(crate) struct ConsumerGroup {
    pub(crate) id: String,
    pub(crate) epoch: i32,
    pub(crate) assignment_epoch: i32,
    pub(crate) assignor: String,
    pub(crate) members: BTreeMap<String, ConsumerMember>,
    /// Member ids by the name of a static member.
    pub(super) instances: HashMap<String, String>,
    pub(crate) targets: HashMap<String, TargetAssignment>,
    /// The member that has a partition, or has not given it up yet.
    pub(super) owners: HashMap<TopicIdPartition, String>,
    pub(super) subscribed: Subscribed,
    /// True if members were lost since the last look.
    pub(super) lost_members: bool,
}

impl ConsumerGroup {
    pub(crate) fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            epoch: 0,
            assignment_epoch: 0,
            assignor: ASSIGNORS[0].to_owned(),
            members: BTreeMap::new(),
            instances: HashMap::new(),
            targets: HashMap::new(),
            owners: HashMap::new(),
            subscribed: Subscribed::default(),
            lost_members: false,
        }
    }

    /// True if members have left since the last look. What is to be assigned is different then: the group begins
    /// another epoch, or is left to the classic protocol.
    pub(in crate::groups) fn has_lost_members(&mut self) -> bool {
        std::mem::take(&mut self.lost_members)
    }

    pub(in crate::groups) fn begin_epoch(&mut self) {
        self.epoch = self.epoch.saturating_add(1);
    }

    /// True if all that are left follow the classic protocol, so that the group may be one of that kind.
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

    /// The time when something will happen by itself.
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

    /// Removes a member; the others share what it had from their next heartbeats on.
    pub(super) fn remove_member(&mut self, id: &str) {
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

    pub(super) fn disown(&mut self, member: &ConsumerMember) {
        for partition in member.assigned.keys().chain(member.revoking.keys()) {
            if self.owners.get(partition) == Some(&member.id) {
                self.owners.remove(partition);
            }
        }
    }

    pub(super) fn own(&mut self, member: &ConsumerMember) {
        for partition in member.assigned.keys().chain(member.revoking.keys()) {
            self.owners.insert(*partition, member.id.clone());
        }
    }

    /// Checks that offsets may be committed by who says to be this member.
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

    /// Checks that a member may commit this partition: in an old epoch it may while it has had the partition since then
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

    /// Checks that committed offsets may be read by who says to be this member.
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
