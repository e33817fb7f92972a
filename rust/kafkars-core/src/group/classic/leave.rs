//! Leaving: give up everything while the generation is still valid, then say so.

use std::time::Instant;

use super::{Classic, Phase};
use crate::group::action::{GroupRequest, LeaveGroup, RequestId};
use crate::group::common::Common;
use crate::group::event::Event;
use crate::group::leave::{Leave, LeaveOperation};

/// Tries to tell the coordinator. After these the session's end tells it.
const TRIES: u32 = 3;

/// A member on its way out.
#[derive(Debug)]
pub(super) struct LeaveRequest {
    leave: Leave,
    in_flight: Option<RequestId>,
    failures: u32,
}

impl LeaveRequest {
    pub(super) fn is_in_flight(&self) -> bool {
        self.in_flight.is_some()
    }

    /// What LeaveGroup is to say, if it is to be sent.
    pub(super) fn say(&self) -> (LeaveOperation, Option<String>) {
        (self.leave.operation, self.leave.reason.clone())
    }
}

impl Classic {
    pub(in crate::group) fn leave(&mut self, common: &mut Common, _now: Instant, leave: Leave) {
        match &self.phase {
            Phase::Leaving(_) => {}
            Phase::Failed { .. } if self.may_have_place() => self.depart(leave),
            Phase::Idle | Phase::Expelled | Phase::Failed { .. } => self.left(common),
            Phase::Preparing
            | Phase::Joining(..)
            | Phase::Electing(_)
            | Phase::Syncing(..)
            | Phase::Stable => {
                common.revoke(|_| true);
                self.depart(leave);
            }
        }
    }

    fn depart(&mut self, leave: Leave) {
        self.phase = Phase::Leaving(LeaveRequest {
            leave,
            in_flight: None,
            failures: 0,
        });
    }

    pub(super) fn try_leave(&mut self, common: &mut Common, now: Instant) {
        let Phase::Leaving(leaving) = &self.phase else {
            return;
        };
        if !common.ownership.is_settled() || common.is_committing || leaving.in_flight.is_some() {
            return;
        }
        if leaving.failures >= TRIES || !self.sends_leave(common, leaving.leave.operation) {
            return self.left(common);
        }
        let reason = leaving.leave.reason.clone();
        let Some(id) = self.send_leave(common, now, reason) else {
            return;
        };
        if let Phase::Leaving(leaving) = &mut self.phase {
            leaving.in_flight = Some(id);
        }
    }

    /// Whether LeaveGroup is to be sent: a member with an instance id keeps its place unless told otherwise.
    pub(super) fn sends_leave(&self, common: &Common, operation: LeaveOperation) -> bool {
        let gives_up = match operation {
            LeaveOperation::Default => common.instance.is_none(),
            LeaveOperation::LeaveGroup => true,
            LeaveOperation::RemainInGroup => false,
        };
        gives_up && !self.member.id.is_empty()
    }

    /// Says goodbye, once, if that is possible now.
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

    /// Whether `id` is the LeaveGroup under way.
    pub(super) fn is_leaving(&self, id: RequestId) -> bool {
        matches!(&self.phase, Phase::Leaving(leaving) if leaving.in_flight == Some(id))
    }

    /// There is nobody to say goodbye to, or nobody who answers: the session's end tells the coordinator.
    pub(in crate::group) fn leave_unsaid(&mut self) {
        if let Phase::Leaving(leaving) = &mut self.phase {
            leaving.in_flight = None;
            leaving.failures = TRIES;
        }
    }

    /// The coordinator was not reached, or is another one by now.
    pub(super) fn leave_failed(&mut self, common: &mut Common, now: Instant) {
        if let Phase::Leaving(leaving) = &mut self.phase {
            leaving.in_flight = None;
            leaving.failures += 1;
            common.leaves.failed(now);
        }
    }

    /// The end. A subscription made meanwhile starts anew.
    pub(super) fn left(&mut self, common: &mut Common) {
        self.forget_member();
        self.rejoin = None;
        // Whoever subscribes anew is in no trouble because of what was.
        if !self.pace.has_failed() {
            self.pace.rested();
        }
        self.phase = Phase::Idle;
        common.events.push_back(Event::Left);
        if common.subscription.is_some() {
            self.start("the consumer subscribed");
        }
    }
}
