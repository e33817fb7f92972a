//! Members come, go on and leave, in groups of every kind.

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
};
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::JoinGroupResponse;
use kafkars_protocol::messages::leave_group::MemberIdentity;
use kafkars_protocol::messages::share_group_heartbeat::{
    ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse,
};
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};

use super::classic::{ClassicGroup, Join, refused_join, refused_sync};
use super::consumer::{self, ConsumerGroup, Heartbeat};
use super::member_epoch::{JOINING, LEAVING, LEFT_FOR_A_WHILE};
use super::member_identity::MemberClient;
use super::refusals::{not_a_consumer_group, not_a_share_group, not_found};
use super::reply::GroupReply;
use super::share::{self, ShareGroup, ShareHeartbeat};
use super::{Group, Groups};
use crate::ids::random_uuid;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::settings::group::milliseconds;
use crate::settings::migration::MigrationPolicy;
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

    /// A member of the classic protocol joins a group, which is made where there is none.
    pub(crate) fn join(
        &mut self,
        join: Join,
        topics: &Topics<'_>,
        now: i64,
    ) -> GroupReply<JoinGroupResponse> {
        self.sweep(now);
        let id = join.request.group_id.clone();
        let member = join.request.member_id.clone();
        let refused = |code| GroupReply::Now(refused_join(member.clone(), code));
        match self.kind(&id, now) {
            Some(Group::Classic(_)) => {}
            Some(Group::Consumer(group)) if !group.is_empty() => {
                let joined = if self.settings.migration_policy == MigrationPolicy::Disabled {
                    Err(ErrorCode::InconsistentGroupProtocol)
                } else {
                    self.join_consumer_group(&id, join, topics, now)
                };
                let joined = joined.unwrap_or_else(|code| refused_join(String::new(), code));
                return GroupReply::Now(joined);
            }
            Some(Group::Share(_)) => return refused(ErrorCode::InconsistentGroupProtocol),
            None if !member.is_empty() => return refused(ErrorCode::UnknownMemberId),
            _ => {
                self.remove(&id, now);
                if let Err(code) = self.create_classic(&id, now) {
                    return refused(code);
                }
            }
        }
        if !self.has_room_for(join.size()) {
            return refused(ErrorCode::GroupMaxSizeReached);
        }
        let joined = self.with(&id, now, |group| match group {
            Group::Classic(group) => Some(group.join(join, now)),
            Group::Consumer(_) | Group::Share(_) => None,
        });
        self.settle(&id, now);
        let joined = joined.flatten();
        joined.unwrap_or_else(|| refused(ErrorCode::CoordinatorNotAvailable))
    }

    /// Lets a member of the classic protocol join a consumer group, which assigns to it as to those of its own
    /// protocol.
    fn join_consumer_group(
        &mut self,
        id: &str,
        join: Join,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<JoinGroupResponse, ErrorCode> {
        if !self.has_room_for(join.size()) {
            return Err(ErrorCode::GroupMaxSizeReached);
        }
        let settings = self.settings.clone();
        let joined = self.with(id, now, |kind| {
            let Group::Consumer(group) = kind else {
                return Err(ErrorCode::RebalanceInProgress);
            };
            let joined = group.join(join, topics, settings.max_size, now)?;
            // It has taken the place of the last member of the consumer protocol, and all else is as it was.
            if group.may_become_classic(&settings) {
                *kind = Group::Classic(ClassicGroup::left_of(group, &settings, now));
            }
            Ok(joined)
        });
        self.measure(id);
        joined.unwrap_or(Err(ErrorCode::CoordinatorNotAvailable))
    }

    pub(crate) fn sync(
        &mut self,
        request: SyncGroupRequest,
        now: i64,
    ) -> GroupReply<SyncGroupResponse> {
        let id = request.group_id.clone();
        let assignments = request.assignments.iter();
        let size: usize = assignments.map(|entry| entry.assignment.len()).sum();
        let refused = |code| GroupReply::Now(refused_sync(code));
        if !self.has_room_for(size) {
            return refused(ErrorCode::UnknownServerError);
        }
        let synced = self.with(&id, now, |group| match group {
            Group::Classic(group) => group.sync(request, now),
            Group::Consumer(group) => match group.sync(&request, now) {
                Ok(synced) => GroupReply::Now(synced),
                Err(code) => refused(code),
            },
            Group::Share(_) => refused(ErrorCode::UnknownMemberId),
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
            Group::Consumer(group) => group.classic_heartbeat(request, now),
            Group::Share(_) => Err(ErrorCode::UnknownMemberId),
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
            Group::Share(_) => Err(ErrorCode::UnknownMemberId),
        });
        self.measure(group);
        left.unwrap_or(Err(ErrorCode::UnknownMemberId))
    }

    /// Takes a heartbeat, in which a member of a consumer group says everything (KIP-848).
    pub(crate) fn consumer_heartbeat(
        &mut self,
        mut request: ConsumerGroupHeartbeatRequest,
        version: i16,
        client: MemberClient,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ConsumerGroupHeartbeatResponse, RefusedRequest> {
        self.sweep(now);
        consumer::check(&request, version)?;
        let id = request.group_id.clone();
        self.find_consumer_group(&request, topics, now)?;
        if matches!(request.member_epoch, LEAVING | LEFT_FOR_A_WHILE) {
            let left = self.with(&id, now, |group| match group {
                Group::Consumer(group) => Some(group.leave(&request)),
                Group::Classic(_) | Group::Share(_) => None,
            });
            self.measure(&id);
            return left.flatten().unwrap_or_else(|| Err(not_found(&id)));
        }
        if !self.has_room_for(size_of_names(&request.subscribed_topic_names)) {
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
            Group::Classic(_) | Group::Share(_) => None,
        });
        self.settle(&id, now);
        answered.flatten().unwrap_or_else(|| Err(not_found(&id)))
    }

    /// Makes the group where a member may make it; a classic group becomes one, if it is empty or may.
    fn find_consumer_group(
        &mut self,
        request: &ConsumerGroupHeartbeatRequest,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<(), RefusedRequest> {
        let id = &request.group_id;
        let joins = request.member_epoch == JOINING;
        let leaves = matches!(request.member_epoch, LEAVING | LEFT_FOR_A_WHILE);
        match self.kind(id, now) {
            Some(Group::Consumer(_)) => Ok(()),
            Some(Group::Classic(group)) if joins && group.is_empty() => {
                self.remove(id, now);
                self.insert(id, Group::Consumer(ConsumerGroup::new(id)))
                    .map_err(RefusedRequest::from)
            }
            Some(Group::Classic(_)) if joins => self.upgrade(id, topics, now),
            Some(_) => Err(not_a_consumer_group(id)),
            None if joins => self
                .insert(id, Group::Consumer(ConsumerGroup::new(id)))
                .map_err(RefusedRequest::from),
            None if leaves => Err(not_found(id)),
            None => {
                let message = format!("Consumer group {id} not found.");
                refuse_with(ErrorCode::GroupIdNotFound, message)
            }
        }
    }

    /// Makes a consumer group of a classic one that has members; who waits in it is told to join again.
    fn upgrade(&mut self, id: &str, topics: &Topics<'_>, now: i64) -> Result<(), RefusedRequest> {
        let settings = self.settings.clone();
        let upgraded = self.with(id, now, |kind| {
            if let Group::Classic(group) = kind {
                let consumer = ConsumerGroup::upgraded(group, &settings, topics, now)?;
                group.dismiss(ErrorCode::RebalanceInProgress, now);
                *kind = Group::Consumer(consumer);
            }
            Ok(())
        });
        upgraded.unwrap_or_else(|| Err(not_found(id)))
    }

    /// Takes a heartbeat, in which a member of a share group says everything (KIP-932).
    pub(crate) fn share_heartbeat(
        &mut self,
        request: ShareGroupHeartbeatRequest,
        client: MemberClient,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ShareGroupHeartbeatResponse, RefusedRequest> {
        self.sweep(now);
        share::check(&request)?;
        let id = request.group_id.clone();
        match self.kind(&id, now) {
            Some(Group::Share(_)) => {}
            Some(_) => return Err(not_a_share_group(&id)),
            None if request.member_epoch == JOINING => {
                self.insert(&id, Group::Share(ShareGroup::new(&id)))?;
            }
            None if request.member_epoch != LEAVING => {
                let message = format!("Share group {id} not found.");
                return refuse_with(ErrorCode::GroupIdNotFound, message);
            }
            None => return Err(not_found(&id)),
        }
        if !self.has_room_for(size_of_names(&request.subscribed_topic_names)) {
            return Err(ErrorCode::GroupMaxSizeReached.into());
        }
        let heartbeat = ShareHeartbeat {
            request,
            client,
            session_timeout_ms: self
                .configs
                .number_or_default(&id, "share.session.timeout.ms"),
            interval_ms: self.share_heartbeat_interval_ms(&id),
            max_size: self.settings.max_size,
        };
        let answered = self.with(&id, now, |group| match group {
            Group::Share(group) => Some(group.heartbeat(heartbeat, topics, now)),
            _ => None,
        });
        self.settle(&id, now);
        answered.flatten().unwrap_or_else(|| Err(not_found(&id)))
    }

    /// The interval of heartbeats: that of consumer groups, unless the group has another.
    fn share_heartbeat_interval_ms(&self, id: &str) -> i32 {
        let otherwise = milliseconds(self.settings.consumer_heartbeat_interval);
        let interval = self
            .configs
            .number(id, "share.heartbeat.interval.ms", otherwise);
        i32::try_from(interval).unwrap_or(i32::MAX)
    }

    /// Checks that a group is a share group, or none at all.
    pub(crate) fn check_share_group(&mut self, id: &str, now: i64) -> Result<(), RefusedRequest> {
        match self.kind(id, now) {
            Some(Group::Share(_)) | None => Ok(()),
            Some(_) => Err(not_a_share_group(id)),
        }
    }

    /// Makes a share group without members where there is none.
    pub(crate) fn make_share_group(&mut self, id: &str, now: i64) -> Result<(), RefusedRequest> {
        self.check_share_group(id, now)?;
        if self.groups.contains_key(id) {
            return Ok(());
        }
        let group = Group::Share(ShareGroup::without_members(id));
        self.insert(id, group).map_err(RefusedRequest::from)
    }

    /// Checks that a share group has no members: its offsets cannot be changed under them.
    pub(crate) fn check_share_group_is_empty(
        &mut self,
        id: &str,
        now: i64,
    ) -> Result<(), RefusedRequest> {
        match self.kind(id, now) {
            Some(Group::Share(group)) if group.is_empty() => Ok(()),
            Some(Group::Share(_)) => {
                refuse_with(ErrorCode::NonEmptyGroup, "The group is not empty.")
            }
            Some(_) => Err(not_a_share_group(id)),
            None => Err(not_found(id)),
        }
    }

    /// Counts again what a group takes after a request, and forgets a group that came to nothing.
    fn settle(&mut self, id: &str, now: i64) {
        self.measure(id);
        self.forget_if_unused(id, now);
    }

    /// True if what members say may take so many bytes more.
    fn has_room_for(&self, bytes: usize) -> bool {
        self.bytes + bytes <= self.settings.max_bytes
    }

    /// A group as it is at `now`.
    pub(super) fn kind(&mut self, id: &str, now: i64) -> Option<&Group> {
        self.advance(id, now);
        self.groups.get(id).map(|entry| &entry.group)
    }
}

/// Bytes that a subscription takes.
fn size_of_names(names: &Option<Vec<String>>) -> usize {
    let names = names.iter().flatten();
    names.map(|name| name.len() + 64).sum()
}
