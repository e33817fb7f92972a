//! Members that come, go on and leave, in groups of every kind.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
};
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::JoinGroupResponse;
use kafkars_protocol::messages::leave_group::MemberIdentity;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};

use super::classic::{self, Join};
use super::consumer::{self, ConsumerGroup, Heartbeat, LEFT_FOR_A_WHILE};
use super::reply::Reply;
use super::settings::milliseconds;
use super::{Client, Group, Groups, Refused};
use crate::cluster::random_uuid;
use crate::topics::Topics;

impl Groups {
    /// Takes the session timeout that a classic member asks for, if it is within the limits.
    pub(crate) fn check_session_timeout(&self, asked_ms: i32) -> Result<(), ErrorCode> {
        let least = milliseconds(self.settings.min_session_timeout);
        let most = milliseconds(self.settings.max_session_timeout);
        if (least..=most).contains(&i64::from(asked_ms)) {
            Ok(())
        } else {
            Err(ErrorCode::InvalidSessionTimeout)
        }
    }

    pub(crate) fn join(&mut self, join: Join, now: i64) -> Reply<JoinGroupResponse> {
        self.sweep(now);
        let id = join.request.group_id.clone();
        let member = join.request.member_id.clone();
        let refused = |code| Reply::Now(classic::refusal(member.clone(), code));
        match self.kind(&id, now) {
            Some(Group::Classic(_)) => {}
            Some(Group::Consumer(group)) if !group.is_empty() => {
                return refused(ErrorCode::InconsistentGroupProtocol);
            }
            None if !member.is_empty() => return refused(ErrorCode::UnknownMemberId),
            _ => {
                self.remove(&id, now);
                if let Err(code) = self.create_classic(&id, now) {
                    return refused(code);
                }
            }
        }
        let protocols = join.request.protocols.iter();
        let size: usize = protocols.map(|protocol| protocol.metadata.len()).sum();
        if self.bytes + size > self.settings.max_bytes {
            return refused(ErrorCode::GroupMaxSizeReached);
        }
        let joined = self.with(&id, now, |group| match group {
            Group::Classic(group) => Some(group.join(join, now)),
            Group::Consumer(_) => None,
        });
        self.measure(&id);
        self.forget_if_unused(&id, now);
        let joined = joined.flatten();
        joined.unwrap_or_else(|| refused(ErrorCode::CoordinatorNotAvailable))
    }

    pub(crate) fn sync(&mut self, request: SyncGroupRequest, now: i64) -> Reply<SyncGroupResponse> {
        let id = request.group_id.clone();
        let assignments = request.assignments.iter();
        let size: usize = assignments.map(|entry| entry.assignment.len()).sum();
        let refused = |code| Reply::Now(classic::sync_refusal(code));
        if self.bytes + size > self.settings.max_bytes {
            return refused(ErrorCode::UnknownServerError);
        }
        let synced = self.with(&id, now, |group| match group {
            Group::Classic(group) => group.sync(request, now),
            Group::Consumer(_) => refused(ErrorCode::UnknownMemberId),
        });
        self.measure(&id);
        synced.unwrap_or_else(|| refused(ErrorCode::UnknownMemberId))
    }

    pub(crate) fn heartbeat(
        &mut self,
        request: &HeartbeatRequest,
        now: i64,
    ) -> Result<(), ErrorCode> {
        self.with(&request.group_id, now, |group| match group {
            Group::Classic(group) => group.heartbeat(request, now),
            Group::Consumer(_) => Err(ErrorCode::UnknownMemberId),
        })
        .unwrap_or(Err(ErrorCode::UnknownMemberId))
    }

    pub(crate) fn leave(
        &mut self,
        group: &str,
        member: &MemberIdentity,
        now: i64,
    ) -> Result<(), ErrorCode> {
        let left = self.with(group, now, |group| match group {
            Group::Classic(group) => group.leave(member, now),
            Group::Consumer(group) => group.send_away(member),
        });
        self.measure(group);
        left.unwrap_or(Err(ErrorCode::UnknownMemberId))
    }

    /// Everything that a member of a consumer group has to say (KIP-848).
    pub(crate) fn consumer_heartbeat(
        &mut self,
        mut request: ConsumerGroupHeartbeatRequest,
        version: i16,
        client: Client,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ConsumerGroupHeartbeatResponse, Refused> {
        self.sweep(now);
        consumer::check(&request, version)?;
        let id = request.group_id.clone();
        let joins = request.member_epoch == consumer::JOINING;
        self.find_consumer_group(&id, joins, now)?;
        if matches!(request.member_epoch, consumer::LEAVING | LEFT_FOR_A_WHILE) {
            let left = self.with(&id, now, |group| match group {
                Group::Consumer(group) => Some(group.leave(&request)),
                Group::Classic(_) => None,
            });
            self.measure(&id);
            return left.flatten().unwrap_or_else(|| Err(not_found(&id)));
        }
        let names = request.subscribed_topic_names.iter().flatten();
        let size: usize = names.map(|name| name.len() + 64).sum();
        if self.bytes + size > self.settings.max_bytes {
            return Err(ErrorCode::GroupMaxSizeReached.into());
        }
        if request.member_id.is_empty() {
            request.member_id = random_uuid().to_string();
        }
        let session = self.settings.consumer_session_timeout;
        let interval = self.settings.consumer_heartbeat_interval;
        let configs = &self.configs;
        let heartbeat = Heartbeat {
            request,
            client,
            session_timeout_ms: configs.session_timeout_ms(&id, milliseconds(session)),
            interval_ms: configs.heartbeat_interval_ms(&id, milliseconds(interval)),
            max_size: self.settings.max_size,
        };
        let answered = self.with(&id, now, |group| match group {
            Group::Consumer(group) => Some(group.heartbeat(heartbeat, topics, now)),
            Group::Classic(_) => None,
        });
        self.measure(&id);
        self.forget_if_unused(&id, now);
        answered.flatten().unwrap_or_else(|| Err(not_found(&id)))
    }

    /// Makes the group where a member may make it; an empty classic group becomes one.
    fn find_consumer_group(&mut self, id: &str, joins: bool, now: i64) -> Result<(), Refused> {
        match self.kind(id, now) {
            Some(Group::Consumer(_)) => Ok(()),
            Some(Group::Classic(group)) if joins && group.is_empty() => {
                self.remove(id, now);
                self.insert(id, Group::Consumer(ConsumerGroup::new(id)))
                    .map_err(Refused::from)
            }
            Some(_) => Err(Refused::new(
                ErrorCode::GroupIdNotFound,
                format!("Group {id} is not a consumer group."),
            )),
            None if joins => self
                .insert(id, Group::Consumer(ConsumerGroup::new(id)))
                .map_err(Refused::from),
            None => Err(not_found(id)),
        }
    }

    /// A group as it is at `now`.
    pub(super) fn kind(&mut self, id: &str, now: i64) -> Option<&Group> {
        self.advance(id, now);
        self.groups.get(id).map(|entry| &entry.group)
    }
}

pub(super) fn not_found(id: &str) -> Refused {
    let message = format!("Group {id} not found.");
    Refused::new(ErrorCode::GroupIdNotFound, message)
}
