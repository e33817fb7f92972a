//! Heartbeats of the classic protocol, and the end of a session without them.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};

use super::member::NO_GENERATION;
use super::{ClassicMembership, JoinPhase};
use crate::group::action::{GroupRequest, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;
use crate::group::event::GroupEvent;

impl ClassicMembership {
    /// True if heartbeats are to be sent. A JoinGroup that waits at the coordinator keeps the session alive too, but
    /// nothing tells whether it has arrived there: a member that keeps partitions meanwhile sends heartbeats to know
    /// that they are still its own.
    pub(super) fn beats(&self, common: &Common) -> bool {
        self.member.generation != NO_GENERATION
            && match self.phase {
                JoinPhase::Preparing
                | JoinPhase::Electing(_)
                | JoinPhase::Syncing(..)
                | JoinPhase::Stable
                | JoinPhase::Leaving(_) => true,
                JoinPhase::Joining(..) => !common.ownership.is_empty(),
                JoinPhase::Idle | JoinPhase::Expelled | JoinPhase::Failed { .. } => false,
            }
    }

    /// Until when the group waits for this member to give up partitions.
    pub(super) fn rebalance_ends_at(&self, common: &Common) -> Option<Instant> {
        let holds_up = matches!(self.phase, JoinPhase::Preparing | JoinPhase::Leaving(_));
        let calm_at = self.session.calm_at.filter(|_| holds_up)?;
        (self.beats(common) && !common.ownership.is_empty())
            .then(|| calm_at + common.config.rebalance_timeout())
    }

    pub(super) fn try_heartbeat(&mut self, common: &mut Common, now: Instant) {
        if !self.beats(common)
            || self.session.in_flight.is_some()
            || self.session.next_at.is_none_or(|at| at > now)
        {
            return;
        }
        let Some(node) = common.coordinator(now) else {
            return;
        };
        let request = HeartbeatRequest {
            group_id: common.group.to_string(),
            generation_id: self.member.generation,
            member_id: self.member.id.to_string(),
            group_instance_id: common.instance.as_deref().map(str::to_owned),
        };
        let timeout = common
            .config
            .request_timeout
            .min(common.config.session_timeout);
        let Some(permit) = self.beat_pace.permit(now) else {
            return;
        };
        let id = common.send(
            permit,
            node,
            GroupRequest::Heartbeat(request),
            timeout,
            false,
        );
        self.session.in_flight = Some((id, now));
        self.session.next_at = Some(now + common.config.heartbeat_interval);
    }

    /// When the heartbeat `id` was sent, if that is the one under way.
    pub(super) fn take_heartbeat(&mut self, id: RequestId) -> Option<Instant> {
        let (in_flight, sent_at) = self.session.in_flight?;
        if in_flight != id {
            return None;
        }
        self.session.in_flight = None;
        Some(sent_at)
    }

    pub(super) fn heartbeat_answered(
        &mut self,
        common: &mut Common,
        now: Instant,
        sent_at: Instant,
        response: &HeartbeatResponse,
    ) {
        let Err(code) = ErrorCode::check(response.error_code) else {
            self.session.calm(sent_at);
            if matches!(self.phase, JoinPhase::Stable) && self.rejoin.is_none() {
                self.pace.rested();
            }
            return self.confirmed(common, now, sent_at);
        };
        match code {
            ErrorCode::RebalanceInProgress => {
                self.confirmed(common, now, sent_at);
                // Not while the assignment is on its way: the response to SyncGroup will say so again if that is still
                // true.
                if matches!(self.phase, JoinPhase::Stable) {
                    self.request_rejoin("the group is rebalancing");
                }
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => {
                self.member_refused(common, code);
            }
            ErrorCode::NotCoordinator | ErrorCode::CoordinatorNotAvailable => {
                self.coordinator_moved(common, now, code);
                self.heartbeat_failed(now);
            }
            code if code.retriable() => {
                common.last_cause = code.name().into();
                self.heartbeat_failed(now);
            }
            code => match common.refusal("Heartbeat", code, None) {
                // The coordinator has not put the member out: it gives back what it has as for any rebalance, so that
                // what was read is committed, and joins again.
                error @ (GroupError::Broker { .. } | GroupError::Failed { .. }) => {
                    self.heartbeat_failed(now);
                    if matches!(self.phase, JoinPhase::Stable) {
                        common.events.push_back(GroupEvent::Failed(error));
                        self.request_rejoin("the coordinator has refused a heartbeat");
                    }
                }
                error => self.fail(common, now, error),
            },
        }
    }

    pub(super) fn heartbeat_failed(&mut self, now: Instant) {
        self.beat_pace.failed(now);
        self.session.next_at = self.beat_pace.next_at();
    }

    fn confirmed(&mut self, common: &mut Common, now: Instant, sent_at: Instant) {
        self.beat_pace.rested();
        self.session.confirm(sent_at);
        common.heard(now);
    }

    /// Ends the session when the session timeout has passed without a response, or a rebalance has waited for this
    /// member for the rebalance timeout: others may own the partitions by then, so they are lost here too.
    pub(super) fn end_session(&mut self, common: &mut Common, now: Instant) {
        let group = Arc::clone(&common.group);
        let has_passed = |at: &Instant| *at <= now;
        let session_ends_at = self.session.ends_at(common);
        let error = if let Some(ends_at) = session_ends_at.filter(has_passed)
            && self.beats(common)
        {
            // A coordinator that was silent for so long may be stuck, and another broker may have taken over.
            if let Some(node) = common.coordinator.node() {
                common.coordinator_lost(now, node);
            }
            let limit = common.config.session_timeout;
            GroupError::SessionExpired {
                group,
                limit,
                measured: limit + (now - ends_at),
                cause: Arc::clone(&common.last_cause),
            }
        } else if let Some(ends_at) = self.rebalance_ends_at(common).filter(has_passed) {
            let limit = common.config.rebalance_timeout();
            GroupError::RebalanceTimeout {
                group,
                limit,
                measured: limit + (now - ends_at),
            }
        } else {
            return;
        };
        // The member id is kept: if the coordinator still knows it, the member joins again in its old place.
        self.forget_generation();
        common.lose(error);
        if !matches!(self.phase, JoinPhase::Leaving(_) | JoinPhase::Joining(..)) {
            self.request_rejoin("the session ended without an answer");
            self.phase = JoinPhase::Preparing;
        }
    }
}
