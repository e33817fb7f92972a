//! Members join, and join again.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse, JoinGroupResponseMember,
};

use super::group::{ClassicGroup, ClassicPhase};
use super::member::{ClassicMember, NEW_MEMBER_TIMEOUT_MS};
use super::refusals::{refused_join, refused_sync};
use crate::groups::member_identity::{MemberClient, new_member_id};
use crate::groups::reply::{GroupReply, Parked};

/// First version in which a new member must come back with the id it is given (KIP-394).
pub(crate) const KNOWN_ID_SINCE: i16 = 4;
/// First version that can tell a leader not to assign again (KIP-814).
const SKIP_ASSIGNMENT_SINCE: i16 = 9;

/// A request to join, with what the connection knows of its sender.
#[derive(Debug)]
pub(crate) struct Join {
    pub(crate) request: JoinGroupRequest,
    pub(crate) version: i16,
    pub(crate) client: MemberClient,
}

impl Join {
    /// Bytes of what the member says with its protocols.
    pub(in crate::groups) fn size(&self) -> usize {
        let protocols = self.request.protocols.iter();
        protocols.map(|protocol| protocol.metadata.len()).sum()
    }
}

impl ClassicGroup {
    pub(crate) fn join(&mut self, join: Join, now: i64) -> GroupReply<JoinGroupResponse> {
        let member_id = join.request.member_id.clone();
        match self.try_join(join, now) {
            Ok(reply) => reply,
            Err(ErrorCode::GroupMaxSizeReached) => {
                GroupReply::Now(refused_join(String::new(), ErrorCode::GroupMaxSizeReached))
            }
            Err(code) => GroupReply::Now(refused_join(member_id, code)),
        }
    }

    fn try_join(
        &mut self,
        join: Join,
        now: i64,
    ) -> Result<GroupReply<JoinGroupResponse>, ErrorCode> {
        let member = join.request.member_id.as_str();
        if !self.has_room_for(member) {
            self.remove_member(member);
            return Err(ErrorCode::GroupMaxSizeReached);
        }
        if !self.supports(&join.request.protocol_type, &join.request.protocols) {
            return Err(ErrorCode::InconsistentGroupProtocol);
        }
        if member.is_empty() {
            return Ok(self.join_unknown(join, now));
        }
        if self.pending.remove(member).is_some() {
            let id = member.to_owned();
            return Ok(self.add_member(id, join, now));
        }
        self.check_member(member, join.request.group_instance_id.as_deref())?;
        self.join_known(join, now)
    }

    /// True if a member may be in the group: a member of a full group may go on, but nobody may come. While members
    /// gather, the first ones have the places.
    fn has_room_for(&self, member: &str) -> bool {
        match self.phase {
            ClassicPhase::Empty => true,
            ClassicPhase::Preparing { .. } => {
                let joining = |member: &ClassicMember| member.joining.is_some();
                self.members.get(member).is_some_and(joining)
                    || self
                        .members
                        .values()
                        .filter(|member| joining(member))
                        .count()
                        < self.max_size
            }
            _ => self.members.contains_key(member) || self.members.len() < self.max_size,
        }
    }

    /// True if the group could agree on one of these protocols.
    fn supports(&self, protocol_type: &str, protocols: &[JoinGroupRequestProtocol]) -> bool {
        if self.phase == ClassicPhase::Empty {
            return !protocol_type.is_empty() && !protocols.is_empty();
        }
        self.protocol_type.as_deref() == Some(protocol_type)
            && protocols
                .iter()
                .any(|protocol| self.all_support(&protocol.name))
    }

    fn join_unknown(&mut self, join: Join, now: i64) -> GroupReply<JoinGroupResponse> {
        if let Some(instance) = &join.request.group_instance_id {
            let id = new_member_id(instance);
            return match self.instances.get(instance).cloned() {
                Some(current) => self.replace_member(&current, id, join, now),
                None => self.add_member(id, join, now),
            };
        }
        let id = new_member_id(&join.client.id);
        if join.version < KNOWN_ID_SINCE {
            return self.add_member(id, join, now);
        }
        let session = i64::from(join.request.session_timeout_ms);
        self.pending.insert(id.clone(), now.saturating_add(session));
        GroupReply::Now(refused_join(id, ErrorCode::MemberIdRequired))
    }

    fn add_member(&mut self, id: String, join: Join, now: i64) -> GroupReply<JoinGroupResponse> {
        if self.members.is_empty() {
            self.protocol_type = Some(join.request.protocol_type.clone());
        }
        if let Some(instance) = &join.request.group_instance_id {
            self.instances.insert(instance.clone(), id.clone());
        }
        let mut member = ClassicMember::new(id.clone(), join.request, join.client);
        let (parked, reply) = Parked::new();
        member.joining = Some(parked);
        member.is_new = true;
        member.expires_at = now.saturating_add(NEW_MEMBER_TIMEOUT_MS);
        self.leader.get_or_insert_with(|| id.clone());
        self.members.insert(id, member);
        self.note_member_added();
        self.rebalance(now);
        reply
    }

    fn join_known(
        &mut self,
        join: Join,
        now: i64,
    ) -> Result<GroupReply<JoinGroupResponse>, ErrorCode> {
        let id = join.request.member_id.clone();
        let same = self
            .members
            .get(&id)
            .is_some_and(|member| member.matches(&join.request.protocols));
        let leads = self.leader.as_deref() == Some(&id);
        match self.phase {
            ClassicPhase::Empty => Err(ErrorCode::UnknownMemberId),
            // Its client may have missed the answer: it is told again what this generation is.
            ClassicPhase::Completing { .. } if same => {
                let members = if leads { self.for_leader() } else { Vec::new() };
                Ok(GroupReply::Now(self.joined(id, members)))
            }
            ClassicPhase::Stable { .. } if same && !leads => {
                Ok(GroupReply::Now(self.joined(id, Vec::new())))
            }
            _ => Ok(self.rejoin(&id, join, now)),
        }
    }

    /// Lets a member join again that has something new to say, or that leads and wants to assign again.
    fn rejoin(&mut self, id: &str, join: Join, now: i64) -> GroupReply<JoinGroupResponse> {
        let (parked, reply) = Parked::new();
        if let Some(member) = self.members.get_mut(id) {
            member.update(join.request, join.client);
            member.seen(now);
            member.joining = Some(parked);
        }
        self.rebalance(now);
        reply
    }

    /// Gives the place of a static member, which is back, to its new id (KIP-345). The group goes on without a
    /// rebalance where it can.
    fn replace_member(
        &mut self,
        current: &str,
        id: String,
        join: Join,
        now: i64,
    ) -> GroupReply<JoinGroupResponse> {
        let skips = join.version >= SKIP_ASSIGNMENT_SINCE;
        let led = self.leader.as_deref() == Some(current);
        let Some(mut member) = self.members.remove(current) else {
            return self.add_member(id, join, now);
        };
        fence(&mut member);
        if let Some(instance) = &member.instance_id {
            self.instances.insert(instance.clone(), id.clone());
        }
        if led {
            self.leader = Some(id.clone());
        }
        member.id.clone_from(&id);
        member.update(join.request, join.client);
        member.seen(now);
        let stays = matches!(self.phase, ClassicPhase::Stable { .. });
        self.members.insert(id.clone(), member);
        if stays && self.protocol.is_some() && self.choose_protocol() == self.protocol {
            let mut response = self.joined(id, Vec::new());
            if led && skips {
                response.members = self.for_leader();
                response.skip_assignment = true;
            } else if led {
                // It must not assign again, and an old version cannot be told so: the id that it had leads.
                response.leader = current.to_owned();
            }
            return GroupReply::Now(response);
        }
        let (parked, reply) = Parked::new();
        if let Some(member) = self.members.get_mut(&id) {
            member.joining = Some(parked);
        }
        self.rebalance(now);
        reply
    }

    /// The answer that tells a member the current generation.
    pub(super) fn joined(
        &self,
        member_id: String,
        members: Vec<JoinGroupResponseMember>,
    ) -> JoinGroupResponse {
        JoinGroupResponse {
            generation_id: self.generation,
            protocol_type: self.protocol_type.clone(),
            protocol_name: self.protocol.clone(),
            leader: self.leader.clone().unwrap_or_default(),
            member_id,
            members,
            ..JoinGroupResponse::default()
        }
    }
}

/// Refuses the requests that wait under the old id of a static member: whoever used it has lost it.
fn fence(member: &mut ClassicMember) {
    let code = ErrorCode::FencedInstanceId;
    if let Some(joining) = member.joining.take() {
        joining.answer(refused_join(member.id.clone(), code));
    }
    if let Some(syncing) = member.syncing.take() {
        syncing.answer(refused_sync(code));
    }
}
