//! Members leave a consumer group.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
};
use kafkars_protocol::messages::leave_group::MemberIdentity;

use super::group::ConsumerGroup;
use super::member::MemberState;
use crate::groups::member_epoch::LEFT_FOR_A_WHILE;
use crate::groups::refusals;
use crate::refusal::RefusedRequest;

impl ConsumerGroup {
    /// Removes a member that an administrator sends away, whom `LeaveGroup` names by its id, its instance, or both.
    pub(crate) fn send_away(&mut self, identity: &MemberIdentity) -> Result<(), ErrorCode> {
        let mut id = identity.member_id.clone();
        if let Some(instance) = &identity.group_instance_id {
            let current = self
                .instances
                .get(instance)
                .ok_or(ErrorCode::UnknownMemberId)?;
            if !id.is_empty() && id != *current {
                return Err(ErrorCode::FencedInstanceId);
            }
            id.clone_from(current);
        }
        if !self.members.contains_key(&id) {
            return Err(ErrorCode::UnknownMemberId);
        }
        self.remove_member(&id);
        Ok(())
    }

    /// Lets a member leave for good, or a static one for a while, which keeps what it has until its session ends.
    pub(crate) fn leave(
        &mut self,
        request: &ConsumerGroupHeartbeatRequest,
    ) -> Result<ConsumerGroupHeartbeatResponse, RefusedRequest> {
        let id = request.member_id.as_str();
        if let Some(instance) = &request.instance_id {
            let current = self.instances.get(instance).map(String::as_str);
            self.check_instance(current, id, instance)?;
        }
        let Some(member) = self.members.get_mut(id) else {
            return Err(refusals::unknown_member(id, &self.id));
        };
        if request.member_epoch == LEFT_FOR_A_WHILE {
            member.previous_epoch = member.epoch;
            member.epoch = LEFT_FOR_A_WHILE;
            member.progress = MemberState::Stable;
            member.revoke_by = None;
            let revoked = std::mem::take(&mut member.revoking);
            revoked.keys().for_each(|partition| {
                self.owners.remove(partition);
            });
        } else {
            self.remove_member(id);
        }
        Ok(ConsumerGroupHeartbeatResponse {
            member_id: Some(id.to_owned()),
            member_epoch: request.member_epoch,
            ..ConsumerGroupHeartbeatResponse::default()
        })
    }
}
