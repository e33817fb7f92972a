//! Members learn what they own.

use std::collections::HashMap;

use bytes::Bytes;
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};

use super::group::{ClassicGroup, ClassicPhase};
use super::refusals::refused_sync;
use crate::groups::reply::{GroupReply, Parked};

impl ClassicGroup {
    pub(crate) fn sync(
        &mut self,
        request: SyncGroupRequest,
        now: i64,
    ) -> GroupReply<SyncGroupResponse> {
        match self.try_sync(request, now) {
            Ok(reply) => reply,
            Err(code) => GroupReply::Now(refused_sync(code)),
        }
    }

    fn try_sync(
        &mut self,
        request: SyncGroupRequest,
        now: i64,
    ) -> Result<GroupReply<SyncGroupResponse>, ErrorCode> {
        let id = request.member_id.as_str();
        self.check_member(id, request.group_instance_id.as_deref())?;
        self.check_generation(request.generation_id)?;
        let differs = |said: &Option<String>, here: &Option<String>| said.is_some() && said != here;
        if differs(&request.protocol_type, &self.protocol_type)
            || differs(&request.protocol_name, &self.protocol)
        {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        match self.phase {
            ClassicPhase::Empty => Err(ErrorCode::UnknownMemberId),
            ClassicPhase::Preparing { .. } => Err(ErrorCode::RebalanceInProgress),
            ClassicPhase::Completing { until } => {
                let (parked, reply) = Parked::new();
                self.note_synced(id, now);
                if let Some(member) = self.members.get_mut(id) {
                    member.syncing = Some(parked);
                }
                if self.leader.as_deref() == Some(id) {
                    self.assign(request, until, now);
                }
                Ok(reply)
            }
            ClassicPhase::Stable { .. } => {
                self.note_synced(id, now);
                Ok(GroupReply::Now(self.assigned(id)))
            }
        }
    }

    fn note_synced(&mut self, id: &str, now: i64) {
        if let Some(member) = self.members.get_mut(id) {
            member.unsynced = false;
            member.seen(now);
        }
        if matches!(self.phase, ClassicPhase::Stable { .. })
            && self.members.values().all(|member| !member.unsynced)
        {
            self.phase = ClassicPhase::Stable { until: None };
        }
    }

    /// Takes the leader's assignments and tells everyone who waits. A member that the leader forgot gets nothing.
    fn assign(&mut self, request: SyncGroupRequest, until: i64, now: i64) {
        let assignments = request.assignments.into_iter();
        let mut assignments: HashMap<String, Bytes> = assignments
            .map(|assignment| (assignment.member_id, assignment.assignment))
            .collect();
        for member in self.members.values_mut() {
            let assignment = assignments.remove(&member.id).unwrap_or_default();
            // A copy of its own: the request's buffer is much larger.
            member.assignment = Bytes::copy_from_slice(&assignment);
        }
        let all = self.members.values().all(|member| !member.unsynced);
        self.phase = ClassicPhase::Stable {
            until: (!all).then_some(until),
        };
        let ids: Vec<String> = self.members.keys().cloned().collect();
        for id in ids {
            let response = self.assigned(&id);
            let Some(member) = self.members.get_mut(&id) else {
                continue;
            };
            if let Some(syncing) = member.syncing.take() {
                member.seen(now);
                syncing.answer(response);
            }
        }
    }

    fn assigned(&self, id: &str) -> SyncGroupResponse {
        let assignment = self.members.get(id).map(|member| member.assignment.clone());
        SyncGroupResponse {
            protocol_type: self.protocol_type.clone(),
            protocol_name: self.protocol.clone(),
            assignment: assignment.unwrap_or_default(),
            ..SyncGroupResponse::default()
        }
    }
}
