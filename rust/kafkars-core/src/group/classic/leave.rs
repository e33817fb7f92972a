//! Leaving: revoke everything while the generation is still valid, then send LeaveGroup.

use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::JoinGroupResponse;

use super::{ClassicMembership, JoinPhase};
use crate::group::action::{GroupRequest, LeaveGroup, RequestId};
use crate::group::common::Common;
use crate::group::event::GroupEvent;
use crate::group::leave::{Leave, LeaveOperation, LeaveRequest};

/// How long a member that leaves waits for the id that it has asked for. The coordinator gives it at once, but one
/// before Kafka 2.2 answers when the others have joined.
const NAMED_WITHIN: Duration = Duration::from_secs(1);

impl ClassicMembership {
    pub(in crate::group) fn leave(&mut self, common: &mut Common, now: Instant, leave: Leave) {
        if let JoinPhase::Joining(id, _) = self.phase
            && !self.may_have_place()
            && gives_up_place(common, leave.operation)
        {
            self.unnamed = Some((id, now + NAMED_WITHIN));
        }
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
        if leaving.is_given_up() {
            return self.left(common);
        }
        if self.unnamed.is_some_and(|(_, until)| until > now) {
            return;
        }
        if !self.sends_leave(common, leaving.operation()) {
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

    /// True if LeaveGroup is to be sent.
    pub(super) fn sends_leave(&self, common: &Common, operation: LeaveOperation) -> bool {
        gives_up_place(common, operation) && self.may_have_place()
    }

    /// True if `id` is the JoinGroup whose answer says which id a leaving member has; it is waited for no longer then.
    pub(super) fn take_unnamed(&mut self, id: RequestId) -> bool {
        self.unnamed.take_if(|(asked, _)| *asked == id).is_some()
    }

    /// Takes the id that the coordinator keeps for a member that is leaving: until its session expired the group would
    /// wait for it at every rebalance, and would never be empty, so that it took no commits from outside.
    pub(super) fn named(&mut self, response: &JoinGroupResponse) {
        let code = ErrorCode::from_i16(response.error_code);
        if matches!(code, ErrorCode::None | ErrorCode::MemberIdRequired) {
            self.member.id = response.member_id.as_str().into();
        }
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
        self.unnamed = None;
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

/// True if a member that leaves so gives up its place: one with an instance id keeps it unless told otherwise.
fn gives_up_place(common: &Common, operation: LeaveOperation) -> bool {
    match operation {
        LeaveOperation::Default => common.instance.is_none(),
        LeaveOperation::LeaveGroup => true,
        LeaveOperation::RemainInGroup => false,
    }
}
