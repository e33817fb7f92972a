//! Leaving: give up everything, then a last heartbeat with an epoch that says how.

use std::time::Instant;

use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;

use super::{ConsumerMembership, JOINING, MemberPhase};
use crate::group::action::{GroupRequest, RequestId};
use crate::group::common::Common;
use crate::group::error::GroupError;
use crate::group::event::GroupEvent;
use crate::group::leave::{Leave, LeaveOperation, LeaveRequest};

/// The place is free.
const GONE: i32 = -1;
/// The place is kept for the same instance id until the session ends.
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
        // An answer to an ordinary heartbeat changes nothing any more.
        self.in_flight = None;
        self.next_at = None;
        if let MemberPhase::Leaving(leaving) = &mut self.phase {
            leaving.sent(id);
        }
    }

    /// Says goodbye, once, if that is possible now.
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

    /// The application does not poll: gives the place to others. One who is leaving anyway has left then.
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

    /// Whether `id` is the last heartbeat.
    pub(super) fn is_leaving(&self, id: RequestId) -> bool {
        matches!(&self.phase, MemberPhase::Leaving(leaving) if leaving.is(id))
    }

    /// There is nobody to say goodbye to, or nobody who answers: the session's end tells the coordinator.
    pub(in crate::group) fn leave_unsaid(&mut self) {
        if let MemberPhase::Leaving(leaving) = &mut self.phase {
            leaving.give_up();
        }
    }

    /// The coordinator was not reached, or is another one by now.
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

    /// The end. A subscription made meanwhile starts anew.
    pub(super) fn left(&mut self, common: &mut Common, now: Instant) {
        self.forget_place();
        self.has_old_place = false;
        // Whoever subscribes anew is in no trouble because of what was.
        if !self.pace.has_failed() {
            self.pace.rested();
        }
        self.phase = MemberPhase::Idle;
        common.events.push_back(GroupEvent::Left);
        if common.subscription.is_some() {
            self.start(now);
        }
    }
}

/// How to say goodbye; `None`: not at all.
pub(super) fn leave_epoch(common: &Common, operation: LeaveOperation) -> Option<i32> {
    match (operation, common.instance.is_some()) {
        (LeaveOperation::Default, false) | (LeaveOperation::LeaveGroup, _) => Some(GONE),
        (LeaveOperation::Default | LeaveOperation::RemainInGroup, true) => Some(GONE_FOR_A_WHILE),
        (LeaveOperation::RemainInGroup, false) => None,
    }
}
