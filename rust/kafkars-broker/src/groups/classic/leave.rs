//! Members leave a classic group.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::leave_group::MemberIdentity;

use super::group::ClassicGroup;

impl ClassicGroup {
    /// Removes a member that leaves, or that an administrator sends away, by its id, its instance, or both.
    pub(crate) fn leave(&mut self, identity: &MemberIdentity, now: i64) -> Result<(), ErrorCode> {
        let id = identity.member_id.as_str();
        let instance = identity.group_instance_id.as_deref();
        if id.is_empty() {
            let current = instance.and_then(|instance| self.instances.get(instance));
            let current = current.cloned().ok_or(ErrorCode::UnknownMemberId)?;
            self.remove_and_rebalance(&current, now);
            return Ok(());
        }
        if self.pending.remove(id).is_some() {
            self.complete_join_if_all_are_here(now);
            return Ok(());
        }
        self.check_member(id, instance)?;
        self.remove_and_rebalance(id, now);
        Ok(())
    }
}
