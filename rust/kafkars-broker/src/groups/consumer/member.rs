//! One member of a consumer group.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::ErrorCode;

use super::classic_protocol::ClassicProtocol;
use crate::groups::member_identity::MemberClient;
use crate::topic::TopicIdPartition;

/// The partitions that the assignor wants a member to have.
pub(crate) type TargetAssignment = BTreeSet<TopicIdPartition>;

/// The partitions that a member has, each with the member epoch in which it was given (KIP-1251).
pub(crate) type Owned = BTreeMap<TopicIdPartition, i32>;

/// A member of a consumer group.
#[derive(Debug, Clone)]
pub(crate) struct ConsumerMember {
    pub(crate) id: String,
    pub(crate) instance_id: Option<String>,
    pub(crate) rack_id: Option<String>,
    pub(crate) client: MemberClient,
    pub(crate) epoch: i32,
    pub(crate) previous_epoch: i32,
    pub(crate) rebalance_timeout_ms: i64,
    /// The assignor it asks for; none: whatever the group takes.
    pub(crate) assignor: Option<String>,
    pub(crate) names: BTreeSet<String>,
    pub(crate) regex: Option<String>,
    pub(crate) progress: MemberState,
    pub(crate) assigned: Owned,
    pub(crate) revoking: Owned,
    pub(crate) expires_at: i64,
    /// The time when the member loses its place, unless it gives up what it was asked to.
    pub(crate) revoke_by: Option<i64>,
    /// The state of a member of the classic protocol; none of the others.
    pub(crate) classic: Option<ClassicProtocol>,
}

/// The progress of a member on its way to its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MemberState {
    /// The member has what the target of its epoch says.
    Stable,
    /// The member was told to give something up and has not confirmed it.
    Revoking,
    /// The member waits for what others have not given up.
    Waiting,
}

impl ConsumerMember {
    pub(crate) fn new(id: String) -> Self {
        Self {
            id,
            instance_id: None,
            rack_id: None,
            client: MemberClient::default(),
            epoch: 0,
            previous_epoch: -1,
            rebalance_timeout_ms: -1,
            assignor: None,
            names: BTreeSet::new(),
            regex: None,
            progress: MemberState::Stable,
            assigned: Owned::new(),
            revoking: Owned::new(),
            expires_at: i64::MAX,
            revoke_by: None,
            classic: None,
        }
    }

    /// Checks that a member of the classic protocol commits and reads offsets in its generation, to the number.
    pub(super) fn check_generation(&self, generation: i32) -> Result<(), ErrorCode> {
        if self.epoch == generation {
            Ok(())
        } else {
            Err(ErrorCode::IllegalGeneration)
        }
    }

    pub(super) fn deadline(&self) -> i64 {
        let classic = self.classic.as_ref().map(ClassicProtocol::deadline);
        let others = [self.revoke_by, classic].into_iter().flatten();
        others.fold(self.expires_at, i64::min)
    }

    /// Bytes that the member takes: everything a client chooses the size of.
    pub(super) fn size(&self) -> usize {
        let names: usize = self.names.iter().map(|name| name.len() + 64).sum();
        let regex = self.regex.as_ref().map_or(0, String::len);
        let partitions = self.assigned.len() + self.revoking.len();
        let classic = self.classic.as_ref().map_or(0, ClassicProtocol::size);
        classic
            + 2 * self.id.len()
            + self.client.id.len()
            + names
            + 8 * regex
            + 64 * partitions
            + 512
    }

    /// Moves the member towards `target`; `is_free` says whether nobody else has a partition, and `owned` what it says
    /// it has itself, if it says so.
    pub(super) fn reconcile(
        &mut self,
        target: &TargetAssignment,
        target_epoch: i32,
        is_free: impl Fn(&TopicIdPartition) -> bool,
        owned: Option<&BTreeSet<TopicIdPartition>>,
    ) {
        match self.progress {
            MemberState::Stable if self.epoch == target_epoch => return,
            MemberState::Revoking => {
                let still_has = |owned: &BTreeSet<TopicIdPartition>| {
                    self.revoking
                        .keys()
                        .any(|partition| owned.contains(partition))
                };
                // A heartbeat that does not tell confirms nothing.
                if owned.is_none_or(still_has) {
                    return;
                }
            }
            _ => {}
        }
        self.take_next_step(target, target_epoch, is_free, owned);
    }

    /// Takes the member's next step: what must go goes first, in the old epoch; then it takes what is free, in the new
    /// one, and waits for the rest.
    fn take_next_step(
        &mut self,
        target: &TargetAssignment,
        target_epoch: i32,
        is_free: impl Fn(&TopicIdPartition) -> bool,
        owned: Option<&BTreeSet<TopicIdPartition>>,
    ) {
        let (mut assigned, excess): (Owned, Owned) = std::mem::take(&mut self.assigned)
            .into_iter()
            .partition(|(partition, _)| target.contains(partition));
        let has_excess =
            owned.is_none_or(|owned| excess.keys().any(|partition| owned.contains(partition)));
        if !excess.is_empty() && has_excess {
            self.progress = MemberState::Revoking;
            self.assigned = assigned;
            self.revoking = excess;
            return;
        }
        let missing = target
            .iter()
            .filter(|partition| !assigned.contains_key(*partition));
        let (free, taken): (Vec<TopicIdPartition>, Vec<TopicIdPartition>) =
            missing.copied().partition(|partition| is_free(partition));
        assigned.extend(free.into_iter().map(|partition| (partition, target_epoch)));
        self.progress = if taken.is_empty() {
            MemberState::Stable
        } else {
            MemberState::Waiting
        };
        if self.epoch != target_epoch {
            self.previous_epoch = self.epoch;
            self.epoch = target_epoch;
        }
        self.assigned = assigned;
        self.revoking = Owned::new();
    }
}

#[cfg(test)]
mod tests {
    use kafkars_protocol::Uuid;

    use super::*;

    fn partition(index: i32) -> TopicIdPartition {
        (Uuid([1; 16]), index)
    }

    fn target(indexes: &[i32]) -> TargetAssignment {
        indexes.iter().copied().map(partition).collect()
    }

    fn held(member: &ConsumerMember) -> Vec<i32> {
        member.assigned.keys().map(|(_, index)| *index).collect()
    }

    fn member(epoch: i32, indexes: &[i32]) -> ConsumerMember {
        ConsumerMember {
            epoch,
            assigned: target(indexes).into_iter().map(|it| (it, epoch)).collect(),
            ..ConsumerMember::new("m".to_owned())
        }
    }

    #[test]
    fn what_is_free_is_taken_at_once() {
        let mut member = member(1, &[0]);
        member.reconcile(&target(&[0, 1]), 2, |_| true, None);
        assert_eq!((member.epoch, member.previous_epoch), (2, 1));
        assert_eq!(held(&member), [0, 1]);
        assert_eq!(member.assigned[&partition(0)], 1, "kept since epoch 1");
        assert_eq!(member.assigned[&partition(1)], 2);
        assert_eq!(member.progress, MemberState::Stable);
    }

    #[test]
    fn the_epoch_waits_for_what_must_be_given_up() {
        let mut member = member(1, &[0, 1]);
        member.reconcile(&target(&[0]), 2, |_| true, None);
        assert_eq!((member.epoch, member.progress), (1, MemberState::Revoking));
        assert_eq!(held(&member), [0]);
        member.reconcile(&target(&[0]), 2, |_| true, None);
        member.reconcile(&target(&[0]), 2, |_| true, Some(&target(&[0, 1])));
        assert_eq!(member.progress, MemberState::Revoking, "not confirmed");
        member.reconcile(&target(&[0]), 2, |_| true, Some(&target(&[0])));
        assert_eq!((member.epoch, member.progress), (2, MemberState::Stable));
    }

    #[test]
    fn what_others_have_is_waited_for() {
        let mut member = member(1, &[]);
        member.reconcile(&target(&[0, 1]), 2, |it| *it == partition(0), None);
        assert_eq!((member.epoch, member.progress), (2, MemberState::Waiting));
        assert_eq!(held(&member), [0]);
        member.reconcile(&target(&[0, 1]), 2, |_| true, None);
        assert_eq!(
            (held(&member), member.progress),
            (vec![0, 1], MemberState::Stable)
        );
    }

    #[test]
    fn what_a_member_does_not_have_any_more_needs_no_confirmation() {
        let mut member = member(1, &[0, 1]);
        member.reconcile(&target(&[0]), 2, |_| true, Some(&target(&[])));
        assert_eq!((member.epoch, member.progress), (2, MemberState::Stable));
    }
}
