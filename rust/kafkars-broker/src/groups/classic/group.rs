//! The state of a classic group, and what can be asked of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kafkars_protocol::ErrorCode;

use super::member::ClassicMember;
use super::metadata;
use crate::groups::refusals::check_instance;
use crate::settings::group::{GroupSettings, milliseconds};

/// Protocol type of groups of consumers, whose metadata says which topics they read.
pub(crate) const CONSUMER: &str = "consumer";

/// A classic group: members and the generation that they agree on, or are about to.
#[derive(Debug)]
pub(crate) struct ClassicGroup {
    pub(crate) id: String,
    pub(crate) phase: ClassicPhase,
    pub(crate) generation: i32,
    /// The kind of its members, such as `consumer`; none in a group that only holds offsets.
    pub(crate) protocol_type: Option<String>,
    /// The protocol that this generation has chosen.
    pub(crate) protocol: Option<String>,
    pub(super) leader: Option<String>,
    pub(crate) members: BTreeMap<String, ClassicMember>,
    /// Member ids by the name of a static member (KIP-345).
    pub(super) instances: HashMap<String, String>,
    /// Member ids that were given out and have not been used yet (KIP-394), with when they are forgotten.
    pub(super) pending: BTreeMap<String, i64>,
    /// Topics that the members read, where their metadata could be understood.
    pub(super) subscribed: Option<BTreeSet<String>>,
    /// The time when the group last became empty, or was made.
    pub(crate) empty_since: i64,
    pub(super) initial_delay_ms: i64,
    pub(in crate::groups) max_size: usize,
}

/// The phase of a group between two generations: what the group waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ClassicPhase {
    /// The group has no members.
    Empty,
    /// The group waits for members to join.
    Preparing {
        until: i64,
        /// The wait of the first rebalance, which new members prolong; none in later ones.
        initial: Option<Initial>,
    },
    /// The group waits for its leader's assignment, and for all members to fetch theirs.
    Completing { until: i64 },
    /// All members may fetch their assignments; those that have not have until then.
    Stable { until: Option<i64> },
}

/// The wait of the first rebalance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Initial {
    pub(super) remaining_ms: i64,
    pub(super) member_added: bool,
}

impl ClassicGroup {
    pub(in crate::groups) fn new(id: &str, settings: &GroupSettings, now: i64) -> Self {
        Self {
            id: id.to_owned(),
            phase: ClassicPhase::Empty,
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
            ClassicPhase::Empty => "Empty",
            ClassicPhase::Preparing { .. } => "PreparingRebalance",
            ClassicPhase::Completing { .. } => "CompletingRebalance",
            ClassicPhase::Stable { .. } => "Stable",
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.phase == ClassicPhase::Empty && self.pending.is_empty()
    }

    /// True if a member reads this topic, as far as the group understands its members.
    pub(crate) fn is_subscribed(&self, topic: &str) -> bool {
        match &self.subscribed {
            Some(topics) => topics.contains(topic),
            // Members that the group does not understand may read anything.
            None => self.phase != ClassicPhase::Empty,
        }
    }

    pub(crate) fn reads_by_topic(&self) -> bool {
        self.protocol_type.as_deref() == Some(CONSUMER)
    }

    /// Bytes that its members take.
    pub(in crate::groups) fn size(&self) -> usize {
        let pending: usize = self.pending.keys().map(|id| id.len() + 64).sum();
        self.members
            .values()
            .map(ClassicMember::size)
            .sum::<usize>()
            + pending
    }

    /// Checks that a request comes from a member of the group.
    pub(in crate::groups) fn check_member(
        &self,
        member: &str,
        instance: Option<&str>,
    ) -> Result<(), ErrorCode> {
        check_instance(&self.instances, instance, member)?;
        if self.members.contains_key(member) {
            Ok(())
        } else {
            Err(ErrorCode::UnknownMemberId)
        }
    }

    pub(super) fn check_generation(&self, generation: i32) -> Result<(), ErrorCode> {
        if generation == self.generation {
            Ok(())
        } else {
            Err(ErrorCode::IllegalGeneration)
        }
    }

    /// True if offsets may be committed by who says to be this member in this generation.
    ///
    /// A generation below 0 is a consumer that assigns its partitions itself, or an administrator: only an empty group
    /// takes its word.
    pub(in crate::groups) fn check_commit(
        &self,
        member: &str,
        instance: Option<&str>,
        generation: i32,
        transactional: bool,
    ) -> Result<(), ErrorCode> {
        let empty = self.phase == ClassicPhase::Empty;
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
        if !transactional && matches!(self.phase, ClassicPhase::Completing { .. }) {
            return Err(ErrorCode::RebalanceInProgress);
        }
        Ok(())
    }

    /// Reads what the members are subscribed to, as far as they are consumers.
    pub(super) fn subscriptions(&self) -> Option<BTreeSet<String>> {
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
