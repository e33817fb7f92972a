//! Members join a share group with heartbeats, go on with them, learn from them what they are to fetch, and leave.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_group_heartbeat::{
    Assignment, ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse, TopicPartitions,
};

use super::group::{ShareGroup, ShareMember};
use crate::groups::member_epoch::{JOINING, LEAVING};
use crate::groups::member_identity::MemberClient;
use crate::groups::refusals;
use crate::refusal::RefusedRequest;
use crate::topic::{TopicIdPartition, by_topic};
use crate::topics::Topics;

/// A heartbeat, with what the connection knows of its sender and what holds for the group.
#[derive(Debug)]
pub(crate) struct ShareHeartbeat {
    pub(crate) request: ShareGroupHeartbeatRequest,
    pub(crate) client: MemberClient,
    pub(crate) session_timeout_ms: i64,
    pub(crate) interval_ms: i32,
    pub(crate) max_size: usize,
}

/// Checks what every request must satisfy, whatever the group.
pub(crate) fn check(request: &ShareGroupHeartbeatRequest) -> Result<(), RefusedRequest> {
    let invalid = |message| Err(RefusedRequest::invalid(message));
    if request.member_id.is_empty() {
        return Err(ErrorCode::InvalidRequest.into());
    }
    if request.group_id.is_empty() {
        return invalid("GroupId can't be empty.");
    }
    if request.rack_id.as_ref().is_some_and(String::is_empty) {
        return invalid("RackId can't be empty.");
    }
    let names = request.subscribed_topic_names.as_ref();
    if request.member_epoch == JOINING && names.is_none_or(Vec::is_empty) {
        return invalid("SubscribedTopicNames must be set in first request.");
    }
    if request.member_epoch < LEAVING {
        return invalid("MemberEpoch is invalid.");
    }
    Ok(())
}

impl ShareGroup {
    pub(crate) fn heartbeat(
        &mut self,
        heartbeat: ShareHeartbeat,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ShareGroupHeartbeatResponse, RefusedRequest> {
        let request = heartbeat.request;
        let id = request.member_id;
        if request.member_epoch == LEAVING {
            return self.leave(id);
        }
        let is_new = !self.members.contains_key(&id);
        if is_new && self.members.len() >= heartbeat.max_size {
            return Err(refusals::full("share", heartbeat.max_size));
        }
        if request.member_epoch != JOINING {
            self.check_epoch(&id, request.member_epoch)?;
        }
        let member = self.members.entry(id.clone()).or_insert(ShareMember {
            rack_id: None,
            client: MemberClient::default(),
            epoch: 0,
            previous_epoch: 0,
            names: BTreeSet::new(),
            target: BTreeSet::new(),
            assigned: BTreeSet::new(),
            expires_at: i64::MAX,
        });
        member.client = heartbeat.client;
        member.expires_at = now.saturating_add(heartbeat.session_timeout_ms);
        if request.rack_id.is_some() {
            member.rack_id = request.rack_id;
        }
        let mut changed = is_new;
        let is_full = request.subscribed_topic_names.is_some();
        if let Some(names) = request.subscribed_topic_names {
            let names: BTreeSet<String> = names.into_iter().collect();
            changed |= member.names != names;
            member.names = names;
        }
        if self.refresh(topics) || changed {
            self.assign_anew();
        }
        let epoch = self.epoch;
        let Some(member) = self.members.get_mut(&id) else {
            return Err(ErrorCode::UnknownMemberId.into());
        };
        if member.epoch != epoch {
            member.previous_epoch = member.epoch;
            member.epoch = epoch;
        }
        let moved = member.assigned != member.target;
        if moved {
            member.assigned.clone_from(&member.target);
        }
        let tell = moved || is_full || request.member_epoch == JOINING;
        Ok(ShareGroupHeartbeatResponse {
            member_id: Some(id),
            member_epoch: epoch,
            heartbeat_interval_ms: heartbeat.interval_ms,
            assignment: tell.then(|| assignment(&member.assigned)),
            ..ShareGroupHeartbeatResponse::default()
        })
    }

    fn leave(&mut self, id: String) -> Result<ShareGroupHeartbeatResponse, RefusedRequest> {
        if self.members.remove(&id).is_none() {
            return Err(refusals::unknown_member(&id, &self.id));
        }
        self.assign_anew();
        Ok(ShareGroupHeartbeatResponse {
            member_id: Some(id),
            member_epoch: LEAVING,
            ..ShareGroupHeartbeatResponse::default()
        })
    }

    /// Checks that a member's epoch is the current one, or the one before, whose answer was lost.
    fn check_epoch(&self, id: &str, received: i32) -> Result<(), RefusedRequest> {
        let member = self.members.get(id);
        let member = member.ok_or_else(|| refusals::unknown_member(id, &self.id))?;
        let relation = if received > member.epoch {
            "greater"
        } else if received < member.epoch && received != member.previous_epoch {
            "smaller"
        } else {
            return Ok(());
        };
        Err(refusals::fenced_epoch(
            "share",
            relation,
            received,
            member.epoch,
        ))
    }

    /// Looks at the topics again; returns true if anything that the members read is different.
    fn refresh(&mut self, topics: &Topics<'_>) -> bool {
        let names = self.members.values().flat_map(|member| &member.names);
        let found: BTreeMap<String, _> = names
            .filter_map(|name| Some((name.clone(), topics.find(name)?)))
            .collect();
        let changed = found != self.topics;
        self.topics = found;
        changed
    }
}

fn assignment(partitions: &BTreeSet<TopicIdPartition>) -> Assignment {
    let topics = by_topic(partitions).into_iter();
    let topic = |(topic_id, partitions)| TopicPartitions {
        topic_id,
        partitions,
    };
    Assignment {
        topic_partitions: topics.map(topic).collect(),
    }
}
