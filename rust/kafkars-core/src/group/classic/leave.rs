//! Leaving: revoke everything while the generation is still valid, then send LeaveGroup.

use std::time::Instant;

use super::{ClassicMembership, JoinPhase};
use crate::group::action::{GroupRequest, LeaveGroup, RequestId};
use crate::group::common::Common;
use crate::group::event::GroupEvent;
use crate::group::leave::{Leave, LeaveOperation, LeaveRequest};

impl ClassicMembership {
    pub(in crate::group) fn leave(&mut self, common: &mut Common, _now: Instant, leave: Leave) {
        match &self.phase {
            JoinPhase::Leaving(_) => {}
            JoinPhase::Failed { .. } if self.may_have_place() => self.depart(leave),
            JoinPhase::Idle | JoinPhase::Expelled | JoinPhase::Failed { .. } => self.left(common),
            JoinPhase::Preparing
            | JoinPhase::Joining(..)
            | JoinPhase::Electing(_)
            | JoinPhase::Syncing(..)
            | JoinPhase::Stable => {
                common.revoke(|_| true);
                self.depart(leave);
            }
        }
    }

    fn depart(&mut self, leave: Leave) {
        self.phase = JoinPhase::Leaving(LeaveRequest::new(leave));
    }

    pub(super) fn try_leave(&mut self, common: &mut Common, now: Instant) {
        let JoinPhase::Leaving(leaving) = &self.phase else {
            return;
        };
        if !common.ownership.is_settled() || common.is_committing || leaving.is_in_flight() {
            return;
        }
        if leaving.is_given_up() || !self.sends_leave(common, leaving.operation()) {
            return self.left(common);
        }
        let reason = leaving.reason();
        let Some(id) = self.send_leave(common, now, reason) else {
            return;
        };
        if let JoinPhase::Leaving(leaving) = &mut self.phase {
            leaving.sent(id);
        }
    }

    /// True if LeaveGroup is to be sent: a member with an instance id keeps its place unless told otherwise.
    pub(super) fn sends_leave(&self, common: &Common, operation: LeaveOperation) -> bool {
        let gives_up = match operation {
            LeaveOperation::Default => common.instance.is_none(),
            LeaveOperation::LeaveGroup => true,
            LeaveOperation::RemainInGroup => false,
        };
        gives_up && !self.member.id.is_empty()
    }

    /// Sends LeaveGroup if the coordinator is known and the pace allows it.
    pub(super) fn send_leave(
        &self,
        common: &mut Common,
        now: Instant,
        reason: Option<String>,
    ) -> Option<RequestId> {
        let node = common.coordinator(now)?;
        let permit = common.leaves.permit(now)?;
        let request = LeaveGroup {
            group_id: common.group.to_string(),
            member_id: self.member.id.to_string(),
            group_instance_id: common.instance.as_deref().map(str::to_owned),
            reason,
        };
        let timeout = common.config.request_timeout;
        let request = GroupRequest::LeaveGroup(request);
        Some(common.send(permit, node, request, timeout, false))
    }

    /// True if `id` is the LeaveGroup under way.
    pub(super) fn is_leaving(&self, id: RequestId) -> bool {
        matches!(&self.phase, JoinPhase::Leaving(leaving) if leaving.is(id))
    }

    /// Makes no further attempt to send LeaveGroup: the coordinator learns of the leave when the session expires.
    pub(in crate::group) fn leave_unsaid(&mut self) {
        if let JoinPhase::Leaving(leaving) = &mut self.phase {
            leaving.give_up();
        }
    }

    /// Notes a failed LeaveGroup, which is sent again after a pause.
    pub(super) fn leave_failed(&mut self, common: &mut Common, now: Instant) {
        if let JoinPhase::Leaving(leaving) = &mut self.phase {
            leaving.failed();
            common.leaves.failed(now);
        }
    }

    /// Ends the membership. A subscription made meanwhile starts a new one.
    pub(super) fn left(&mut self, common: &mut Common) {
        self.forget_member();
        self.rejoin = None;
        // A new subscription joins without a pause, unless the last join failed.
        if !self.pace.has_failed() {
            self.pace.rested();
        }
        self.phase = JoinPhase::Idle;
        common.events.push_back(GroupEvent::Left);
        if common.subscription.is_some() {
            self.start("the consumer subscribed");
        }
    }
}
