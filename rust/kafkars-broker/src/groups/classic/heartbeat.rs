//! Heartbeats: members say that they are alive, and learn that they must join again.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;

use super::group::{ClassicGroup, ClassicPhase};

impl ClassicGroup {
    pub(crate) fn heartbeat(
        &mut self,
        request: &HeartbeatRequest,
        now: i64,
    ) -> Result<(), ErrorCode> {
        let id = request.member_id.as_str();
        self.check_member(id, request.group_instance_id.as_deref())?;
        self.check_generation(request.generation_id)?;
        self.seen(id, now);
        match self.phase {
            ClassicPhase::Empty => Err(ErrorCode::UnknownMemberId),
            ClassicPhase::Preparing { .. } => Err(ErrorCode::RebalanceInProgress),
            // Between its answers to join and to sync a member is as good as any.
            ClassicPhase::Completing { .. } | ClassicPhase::Stable { .. } => Ok(()),
        }
    }

    /// Notes that a member has been heard of: by its heartbeat, or because it commits.
    pub(crate) fn seen(&mut self, id: &str, now: i64) {
        if let Some(member) = self.members.get_mut(id) {
            member.seen(now);
        }
    }
}
