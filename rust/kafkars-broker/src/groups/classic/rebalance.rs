//! A rebalance leads from one generation to the next. Everything that happens because time passes is here too.

use std::collections::HashMap;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::JoinGroupResponseMember;

use super::group::{ClassicGroup, ClassicPhase, Initial};
use super::member::ClassicMember;
use super::refusals::{refused_join, refused_sync};

/// A group that waits for nobody but gone static members looks again this often at least.
const SHORTEST_REBALANCE_MS: i64 = 100;

impl ClassicGroup {
    /// The time when something will happen by itself.
    pub(crate) fn deadline(&self) -> Option<i64> {
        let phase = match self.phase {
            ClassicPhase::Empty => None,
            ClassicPhase::Preparing { until, .. } | ClassicPhase::Completing { until } => {
                Some(until)
            }
            ClassicPhase::Stable { until } => until,
        };
        let members = self.members.values().filter_map(ClassicMember::deadline);
        let pending = self.pending.values().copied();
        members.chain(pending).chain(phase).min()
    }

    /// Lets everything happen that is due at `now`, in order.
    pub(crate) fn advance(&mut self, now: i64) {
        while let Some(at) = self.deadline().filter(|at| *at <= now) {
            self.fire(at);
        }
    }

    fn fire(&mut self, now: i64) {
        let before = self.pending.len();
        self.pending.retain(|_, until| *until > now);
        if self.pending.len() < before {
            self.complete_join_if_all_are_here(now);
        }
        let dead: Vec<String> = self
            .members
            .values()
            .filter(|member| member.deadline().is_some_and(|deadline| deadline <= now))
            .map(|member| member.id.clone())
            .collect();
        for id in dead {
            self.remove_and_rebalance(&id, now);
        }
        match self.phase {
            ClassicPhase::Preparing { until, initial } if until <= now => match initial {
                Some(initial) if initial.member_added && initial.remaining_ms > 0 => {
                    self.prolong(initial, now);
                }
                _ => self.complete_join(now),
            },
            ClassicPhase::Completing { until } if until <= now => self.drop_unsynced(now),
            ClassicPhase::Stable { until: Some(until) } if until <= now => self.drop_unsynced(now),
            _ => {}
        }
    }

    /// Lets the first rebalance wait for more members, because some have come while it waited.
    fn prolong(&mut self, initial: Initial, now: i64) {
        let delay = self.initial_delay_ms.min(initial.remaining_ms).max(1);
        self.phase = ClassicPhase::Preparing {
            until: now.saturating_add(delay),
            initial: Some(Initial {
                remaining_ms: initial.remaining_ms - delay,
                member_added: false,
            }),
        };
    }

    pub(super) fn note_member_added(&mut self) {
        if let ClassicPhase::Preparing {
            initial: Some(initial),
            ..
        } = &mut self.phase
        {
            initial.member_added = true;
        }
    }

    /// Starts a rebalance, or looks whether the one under way has everybody.
    pub(in crate::groups) fn rebalance(&mut self, now: i64) {
        if matches!(self.phase, ClassicPhase::Preparing { .. }) {
            self.complete_join_if_all_are_here(now);
            return;
        }
        if matches!(self.phase, ClassicPhase::Completing { .. }) {
            self.answer_syncs_with(ErrorCode::RebalanceInProgress, now);
        }
        let initial = self.phase == ClassicPhase::Empty;
        self.members
            .values_mut()
            .for_each(|member| member.unsynced = false);
        let timeout = self.rebalance_timeout_ms();
        if initial {
            let delay = self.initial_delay_ms;
            self.phase = ClassicPhase::Preparing {
                until: now.saturating_add(delay),
                initial: Some(Initial {
                    remaining_ms: (timeout - delay).max(0),
                    member_added: false,
                }),
            };
        } else {
            self.phase = ClassicPhase::Preparing {
                until: now.saturating_add(timeout),
                initial: None,
            };
            self.complete_join_if_all_are_here(now);
        }
    }

    /// Completes a rebalance that has everybody. The first rebalance always takes its time: nobody knows who else is on
    /// the way.
    pub(super) fn complete_join_if_all_are_here(&mut self, now: i64) {
        let waits = matches!(self.phase, ClassicPhase::Preparing { initial: None, .. });
        let all_joined = self.members.values().all(|member| member.joining.is_some());
        if waits && all_joined && self.pending.is_empty() {
            self.complete_join(now);
        }
    }

    /// Begins the next generation with the members that have joined. Static members keep their place though they have
    /// not.
    fn complete_join(&mut self, now: i64) {
        let gone: Vec<String> = self
            .members
            .values()
            .filter(|member| member.joining.is_none() && member.instance_id.is_none())
            .map(|member| member.id.clone())
            .collect();
        gone.iter().for_each(|id| drop(self.remove_member(id)));
        if !self.members.is_empty() && !self.elect_leader() {
            // Only static members are left, and none has come: they have another round.
            let timeout = self.rebalance_timeout_ms();
            self.phase = ClassicPhase::Preparing {
                until: now.saturating_add(timeout),
                initial: None,
            };
            return;
        }
        self.generation = self.generation.wrapping_add(1).max(1);
        if self.members.is_empty() {
            self.protocol = None;
            self.subscribed = None;
            self.phase = ClassicPhase::Empty;
            self.empty_since = now;
            return;
        }
        self.protocol = self.choose_protocol();
        self.subscribed = self.subscriptions();
        self.phase = ClassicPhase::Completing {
            until: now.saturating_add(self.rebalance_timeout_ms()),
        };
        self.tell_generation(now);
    }

    fn tell_generation(&mut self, now: i64) {
        let mut everyone = self.for_leader();
        let ids: Vec<String> = self.members.keys().cloned().collect();
        for id in ids {
            let leads = self.leader.as_deref() == Some(&id);
            let members = if leads {
                std::mem::take(&mut everyone)
            } else {
                Vec::new()
            };
            let response = self.joined(id.clone(), members);
            let Some(member) = self.members.get_mut(&id) else {
                continue;
            };
            member.unsynced = true;
            // A static member that has not come is not heard of either; what runs out for it is its session.
            if let Some(joining) = member.joining.take() {
                member.is_new = false;
                member.seen(now);
                joining.answer(response);
            }
        }
    }

    /// Gives the lead to a member that is here; false when none is.
    fn elect_leader(&mut self) -> bool {
        let joining = |id: &String| {
            self.members
                .get(id)
                .is_some_and(|member| member.joining.is_some())
        };
        if self.leader.as_ref().is_some_and(joining) {
            return true;
        }
        let heir = self.members.keys().find(|id| joining(id)).cloned();
        if heir.is_some() {
            self.leader = heir;
            return true;
        }
        false
    }

    /// Removes members that have not fetched their assignments for as long as a rebalance may take.
    fn drop_unsynced(&mut self, now: i64) {
        let gone: Vec<String> = self
            .members
            .values()
            .filter(|member| member.unsynced)
            .map(|member| member.id.clone())
            .collect();
        if gone.is_empty() {
            self.phase = ClassicPhase::Stable { until: None };
            return;
        }
        gone.iter().for_each(|id| drop(self.remove_member(id)));
        self.rebalance(now);
    }

    /// Removes a member, and lets the others share what it had.
    pub(super) fn remove_and_rebalance(&mut self, id: &str, now: i64) {
        if let Some(mut member) = self.remove_member(id) {
            if let Some(joining) = member.joining.take() {
                let code = ErrorCode::UnknownMemberId;
                joining.answer(refused_join(String::new(), code));
            }
            if let Some(syncing) = member.syncing.take() {
                syncing.answer(refused_sync(ErrorCode::UnknownMemberId));
            }
            self.rebalance(now);
        }
    }

    pub(super) fn remove_member(&mut self, id: &str) -> Option<ClassicMember> {
        let member = self.members.remove(id)?;
        if let Some(instance) = &member.instance_id {
            self.instances.remove(instance);
        }
        if self.leader.as_deref() == Some(id) {
            self.leader = self.members.keys().next().cloned();
        }
        Some(member)
    }

    /// Every member, as its leader needs it to assign.
    pub(super) fn for_leader(&self) -> Vec<JoinGroupResponseMember> {
        let protocol = self.protocol.as_deref().unwrap_or_default();
        let members = self.members.values();
        members.map(|member| member.for_leader(protocol)).collect()
    }

    pub(super) fn all_support(&self, protocol: &str) -> bool {
        self.members
            .values()
            .all(|member| member.protocols.iter().any(|known| known.name == protocol))
    }

    /// The protocol that most members vote for: each votes for the first in its list that all know.
    pub(super) fn choose_protocol(&self) -> Option<String> {
        let mut votes: HashMap<&str, usize> = HashMap::new();
        for member in self.members.values() {
            let first = member
                .protocols
                .iter()
                .find(|protocol| self.all_support(&protocol.name));
            if let Some(protocol) = first {
                *votes.entry(&protocol.name).or_default() += 1;
            }
        }
        // With as many votes the name decides, so that the choice does not depend on the order of a map.
        let winner = votes
            .into_iter()
            .max_by_key(|(name, votes)| (*votes, std::cmp::Reverse(*name)));
        winner.map(|(name, _)| name.to_owned())
    }

    pub(super) fn rebalance_timeout_ms(&self) -> i64 {
        let timeouts = self
            .members
            .values()
            .map(|member| member.rebalance_timeout_ms);
        timeouts.max().unwrap_or(0).max(SHORTEST_REBALANCE_MS)
    }

    /// Answers the members that wait for their assignments. They could not be heard of meanwhile, so their sessions
    /// begin anew.
    fn answer_syncs_with(&mut self, code: ErrorCode, now: i64) {
        for member in self.members.values_mut() {
            if let Some(syncing) = member.syncing.take() {
                member.seen(now);
                syncing.answer(refused_sync(code));
            }
        }
    }

    /// Answers everyone who waits with the reason why the group is not here any more.
    pub(crate) fn dismiss(&mut self, code: ErrorCode, now: i64) {
        self.answer_syncs_with(code, now);
        for member in self.members.values_mut() {
            if let Some(joining) = member.joining.take() {
                member.seen(now);
                joining.answer(refused_join(member.id.clone(), code));
            }
        }
    }
}
