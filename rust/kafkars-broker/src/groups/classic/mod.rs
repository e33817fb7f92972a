//! A classic group: its members agree on a generation with `JoinGroup`, and its leader assigns with `SyncGroup`.
//!
//! Time is what callers say it is. What is due happens in [`ClassicGroup::advance`], which every look at a group begins
//! with, so nothing runs beside the requests.

mod conversion;
mod heartbeat;
mod join;
mod leave;
mod member;
pub(super) mod metadata;
mod rebalance;
mod sync;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kafkars_protocol::ErrorCode;

use crate::settings::group::GroupSettings;
use crate::settings::group::milliseconds;
pub(crate) use join::{Join, KNOWN_ID_SINCE, refusal};
pub(crate) use member::Member;
pub(crate) use sync::refusal as sync_refusal;

/// Protocol type of groups of consumers, whose metadata says which topics they read.
pub(crate) const CONSUMER: &str = "consumer";

/// Members and the generation they agree on, or are about to.
#[derive(Debug)]
pub(crate) struct ClassicGroup {
    pub(crate) id: String,
    pub(crate) phase: Phase,
    pub(crate) generation: i32,
    /// What kind of members it has, such as `consumer`; none in a group that only holds offsets.
    pub(crate) protocol_type: Option<String>,
    /// The protocol that this generation has chosen.
    pub(crate) protocol: Option<String>,
    leader: Option<String>,
    pub(crate) members: BTreeMap<String, Member>,
    /// Member ids by the name of a static member (KIP-345).
    instances: HashMap<String, String>,
    /// Member ids that were given out and have not been used yet (KIP-394), with when they are forgotten.
    pending: BTreeMap<String, i64>,
    /// Topics that the members read, where their metadata could be understood.
    subscribed: Option<BTreeSet<String>>,
    /// When it last became empty, or was made.
    pub(crate) empty_since: i64,
    initial_delay_ms: i64,
    pub(super) max_size: usize,
}

/// Where a group is between two generations, and what it waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Phase {
    /// It has no members.
    Empty,
    /// It waits for members to join.
    Preparing {
        until: i64,
        /// In the first rebalance, how much longer it may take; new members prolong it, within this.
        initial: Option<Initial>,
    },
    /// It waits for its leader's assignment, and for all to fetch theirs.
    Completing { until: i64 },
    /// All may have their assignments; those in the set have not fetched it, and have until then.
    Stable { until: Option<i64> },
}

/// How the first rebalance waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Initial {
    remaining_ms: i64,
    member_added: bool,
}

impl ClassicGroup {
    pub(super) fn new(id: &str, settings: &GroupSettings, now: i64) -> Self {
        Self {
            id: id.to_owned(),
            phase: Phase::Empty,
            generation: 0,
            protocol_type: None,
            protocol: None,
            leader: None,
            members: BTreeMap::new(),
            instances: HashMap::new(),
            pending: BTreeMap::new(),
            subscribed: None,
            empty_since: now,
            initial_delay_ms: milliseconds(settings.initial_rebalance_delay),
            max_size: settings.max_size,
        }
    }

    /// Kafka's name for its state.
    pub(crate) fn state(&self) -> &'static str {
        match self.phase {
            Phase::Empty => "Empty",
            Phase::Preparing { .. } => "PreparingRebalance",
            Phase::Completing { .. } => "CompletingRebalance",
            Phase::Stable { .. } => "Stable",
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.phase == Phase::Empty && self.pending.is_empty()
    }

    /// Whether a member reads this topic, as far as the group understands its members.
    pub(crate) fn is_subscribed(&self, topic: &str) -> bool {
        match &self.subscribed {
            Some(topics) => topics.contains(topic),
            // Members that the group does not understand may read anything.
            None => self.phase != Phase::Empty,
        }
    }

    pub(crate) fn reads_by_topic(&self) -> bool {
        self.protocol_type.as_deref() == Some(CONSUMER)
    }

    /// Bytes that its members take.
    pub(super) fn size(&self) -> usize {
        let pending: usize = self.pending.keys().map(|id| id.len() + 64).sum();
        self.members.values().map(Member::size).sum::<usize>() + pending
    }

    /// Checks that a request comes from a member of the group.
    pub(super) fn check_member(
        &self,
        member: &str,
        instance: Option<&str>,
    ) -> Result<(), ErrorCode> {
        if let Some(instance) = instance {
            match self.instances.get(instance) {
                None => return Err(ErrorCode::UnknownMemberId),
                Some(current) if current != member => return Err(ErrorCode::FencedInstanceId),
                Some(_) => {}
            }
        }
        if self.members.contains_key(member) {
            Ok(())
        } else {
            Err(ErrorCode::UnknownMemberId)
        }
    }

    fn check_generation(&self, generation: i32) -> Result<(), ErrorCode> {
        if generation == self.generation {
            Ok(())
        } else {
            Err(ErrorCode::IllegalGeneration)
        }
    }

    /// Whether offsets may be committed by who says to be this member in this generation.
    ///
    /// A generation below 0 is a consumer that assigns its partitions itself, or an administrator: only an empty group
    /// takes its word.
    pub(super) fn check_commit(
        &self,
        member: &str,
        instance: Option<&str>,
        generation: i32,
        transactional: bool,
    ) -> Result<(), ErrorCode> {
        let empty = self.phase == Phase::Empty;
        if generation < 0 && empty {
            return Ok(());
        }
        if generation >= 0 || !member.is_empty() || instance.is_some() {
            self.check_member(member, instance)?;
            self.check_generation(generation)?;
        } else if !transactional && !empty {
            return Err(ErrorCode::UnknownMemberId);
        }
        // The member has learnt this generation from JoinGroup but not yet what it owns in it.
        if !transactional && matches!(self.phase, Phase::Completing { .. }) {
            return Err(ErrorCode::RebalanceInProgress);
        }
        Ok(())
    }

    /// Reads what the members are subscribed to, as far as they are consumers.
    fn subscriptions(&self) -> Option<BTreeSet<String>> {
        let protocol = self.protocol.as_deref()?;
        if !self.reads_by_topic() {
            return None;
        }
        let mut topics = BTreeSet::new();
        for member in self.members.values() {
            topics.extend(metadata::subscription(member.metadata(protocol))?.topics);
        }
        Some(topics)
    }
}
