//! Leaving: revoke everything, then send a last heartbeat whose epoch says how the member leaves.

use std::time::Instant;

use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;

use super::{ConsumerMembership, JOINING, MemberPhase};
use crate::group::action::{GroupRequest, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;
use crate::group::event::GroupEvent;
use crate::group::leave::{Leave, LeaveOperation, LeaveRequest};

/// The epoch of a member that gives up its place.
const GONE: i32 = -1;
/// The epoch of a static member whose place is kept until the session expires.
const GONE_FOR_A_WHILE: i32 = -2;

impl ConsumerMembership {
    pub(in crate::group) fn leave(&mut self, common: &mut Common, now: Instant, leave: Leave) {
        match self.phase {
            MemberPhase::Leaving(_) => {}
            MemberPhase::Failed { .. } if self.may_have_place() => self.depart(leave),
            MemberPhase::Idle | MemberPhase::Expelled | MemberPhase::Failed { .. } => {
                self.left(common, now)
            }
            MemberPhase::Active => {
                common.revoke(|_| true);
                self.depart(leave);
            }
        }
    }

    fn depart(&mut self, leave: Leave) {
        self.phase = MemberPhase::Leaving(LeaveRequest::new(leave));
    }

    pub(super) fn try_leave(&mut self, common: &mut Common, now: Instant) {
        let MemberPhase::Leaving(leaving) = &self.phase else {
            return;
        };
        if !common.ownership.is_settled() || common.is_committing || leaving.is_in_flight() {
            return;
        }
        let Some(epoch) = leave_epoch(common, leaving.operation())
            .filter(|_| self.may_have_place() && !leaving.is_given_up())
        else {
            return self.left(common, now);
        };
        let Some(id) = self.send_leave(common, now, epoch) else {
            return;
        };
        // The response to an ordinary heartbeat does not matter any more.
        self.in_flight = None;
        self.next_at = None;
        if let MemberPhase::Leaving(leaving) = &mut self.phase {
            leaving.sent(id);
        }
    }

    /// Sends the last heartbeat if the coordinator is known and the pace allows it.
    pub(super) fn send_leave(
        &self,
        common: &mut Common,
        now: Instant,
        epoch: i32,
    ) -> Option<RequestId> {
        let node = common.coordinator(now)?;
        let permit = common.leaves.permit(now)?;
        let request = ConsumerGroupHeartbeatRequest {
            group_id: common.group.to_string(),
            member_id: self.member_id.to_string(),
            member_epoch: epoch,
            instance_id: common.instance.as_deref().map(str::to_owned),
            ..ConsumerGroupHeartbeatRequest::default()
        };
        let timeout = common.config.request_timeout;
        let request = GroupRequest::ConsumerGroupHeartbeat(request);
        Some(common.send(permit, node, request, timeout, false))
    }

    /// Leaves the group because the application does not poll. A member that was leaving already has left by this.
    pub(in crate::group) fn expel(&mut self, common: &mut Common, now: Instant, error: GroupError) {
        let (operation, is_told) = match &self.phase {
            MemberPhase::Leaving(leaving) => (leaving.operation(), leaving.is_in_flight()),
            _ => (LeaveOperation::Default, false),
        };
        if self.epoch != JOINING
            && !is_told
            && let Some(epoch) = leave_epoch(common, operation)
        {
            self.send_leave(common, now, epoch);
        }
        common.lose(error);
        if matches!(self.phase, MemberPhase::Leaving(_)) {
            return self.left(common, now);
        }
        self.forget_place();
        self.phase = MemberPhase::Expelled;
    }

    /// True if `id` is the last heartbeat.
    pub(super) fn is_leaving(&self, id: RequestId) -> bool {
        matches!(&self.phase, MemberPhase::Leaving(leaving) if leaving.is(id))
    }

    /// Makes no further attempt to send the last heartbeat: the coordinator learns of the leave when the session
    /// expires.
    pub(in crate::group) fn leave_unsaid(&mut self) {
        if let MemberPhase::Leaving(leaving) = &mut self.phase {
            leaving.give_up();
        }
    }

    /// Notes a failed last heartbeat, which is sent again after a pause.
    pub(super) fn leave_failed(&mut self, common: &mut Common, now: Instant) {
        if let MemberPhase::Leaving(leaving) = &mut self.phase {
            leaving.failed();
            common.leaves.failed(now);
        }
    }

    pub(super) fn leave_wake_at(&self, common: &Common) -> Option<Instant> {
        let can_act = common.ownership.is_settled() && common.coordinator.node().is_some();
        match &self.phase {
            MemberPhase::Leaving(leaving)
                if can_act && !common.is_committing && !leaving.is_in_flight() =>
            {
                common.leaves.next_at()
            }
            _ => None,
        }
    }

    /// Ends the membership. A subscription made meanwhile starts a new one.
    pub(super) fn left(&mut self, common: &mut Common, now: Instant) {
        self.forget_place();
        self.has_old_place = false;
        // A new subscription joins without a pause, unless the last heartbeat failed.
        if !self.pace.has_failed() {
            self.pace.rested();
        }
        self.rest();
        common.events.push_back(GroupEvent::Left);
        if common.subscription.is_some() {
            self.start(now);
        }
    }
}

/// The epoch of the last heartbeat; `None` if none is to be sent.
pub(super) fn leave_epoch(common: &Common, operation: LeaveOperation) -> Option<i32> {
    match (operation, common.instance.is_some()) {
        (LeaveOperation::Default, false) | (LeaveOperation::LeaveGroup, _) => Some(GONE),
        (LeaveOperation::Default | LeaveOperation::RemainInGroup, true) => Some(GONE_FOR_A_WHILE),
        (LeaveOperation::RemainInGroup, false) => None,
    }
}
