//! LeaveGroup, versions 0 to 5.
//!
//! Kept: several members at once, by id or by instance (version 3, KIP-345).
//!
//! Skipped: the reason (5, KIP-800), which is only for logs.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::leave_group::{
    LeaveGroupRequest, LeaveGroupResponse, MemberIdentity, MemberResponse,
};

use super::{Handled, Peer, Serve, coordination};
use crate::refusal::code_of;

/// First version in which several may leave.
const SEVERAL_SINCE: i16 = 3;

impl Serve for LeaveGroupRequest {
    fn serve(self, peer: &Peer, version: i16) -> Handled<LeaveGroupResponse> {
        if let Err(code) = coordination::check_group(peer, &self.group_id) {
            return Handled::Now(self.refuse(peer, version, code));
        }
        let now = peer.cluster.clock.now();
        let mut state = peer.cluster.state();
        let mut leave = |member: &MemberIdentity| state.groups.leave(&self.group_id, member, now);
        if version < SEVERAL_SINCE {
            let member = MemberIdentity {
                member_id: self.member_id.clone(),
                ..MemberIdentity::default()
            };
            return Handled::Now(response(leave(&member), Vec::new()));
        }
        let member = |member: &MemberIdentity| MemberResponse {
            member_id: member.member_id.clone(),
            group_instance_id: member.group_instance_id.clone(),
            error_code: code_of(&leave(member)),
        };
        Handled::Now(response(Ok(()), self.members.iter().map(member).collect()))
    }

    fn refuse(&self, _peer: &Peer, _version: i16, code: ErrorCode) -> LeaveGroupResponse {
        response(Err(code), Vec::new())
    }
}

fn response(outcome: Result<(), ErrorCode>, members: Vec<MemberResponse>) -> LeaveGroupResponse {
    LeaveGroupResponse {
        error_code: code_of(&outcome),
        members,
        ..LeaveGroupResponse::default()
    }
}
