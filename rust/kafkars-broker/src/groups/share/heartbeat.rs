//! How members join a share group, go on, learn what they are to fetch, and leave.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::share_group_heartbeat::{
    Assignment, ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse, TopicPartitions,
};

use super::{ShareGroup, ShareMember};
use crate::groups::Client;
use crate::groups::consumer::{JOINING, LEAVING};
use crate::refusal::Refusal;
use crate::topic::TopicIdPartition;
use crate::topics::Topics;

/// A heartbeat, with what the connection knows of its sender and what holds for the group.
#[derive(Debug)]
pub(crate) struct ShareHeartbeat {
    pub(crate) request: ShareGroupHeartbeatRequest,
    pub(crate) client: Client,
    pub(crate) session_timeout_ms: i64,
    pub(crate) interval_ms: i32,
    pub(crate) max_size: usize,
}

/// What every request must satisfy, whatever the group.
pub(crate) fn check(request: &ShareGroupHeartbeatRequest) -> Result<(), Refusal> {
    let invalid = |message| Err(Refusal::invalid(message));
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
    ) -> Result<ShareGroupHeartbeatResponse, Refusal> {
        let request = heartbeat.request;
        let id = request.member_id;
        if request.member_epoch == LEAVING {
            return self.leave(id);
        }
        let is_new = !self.members.contains_key(&id);
        if is_new && self.members.len() >= heartbeat.max_size {
            let message = format!(
                "The share group has reached its maximum capacity of {} members.",
                heartbeat.max_size
            );
            return Err(Refusal::new(ErrorCode::GroupMaxSizeReached, message));
        }
        if request.member_epoch != JOINING {
            self.check_epoch(&id, request.member_epoch)?;
        }
        let member = self.members.entry(id.clone()).or_insert(ShareMember {
            rack_id: None,
            client: Client::default(),
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

    fn leave(&mut self, id: String) -> Result<ShareGroupHeartbeatResponse, Refusal> {
        if self.members.remove(&id).is_none() {
            return Err(self.unknown(&id));
        }
        self.assign_anew();
        Ok(ShareGroupHeartbeatResponse {
            member_id: Some(id),
            member_epoch: LEAVING,
            ..ShareGroupHeartbeatResponse::default()
        })
    }

    /// The epoch must be the current one, or the one before, whose answer was lost.
    fn check_epoch(&self, id: &str, received: i32) -> Result<(), Refusal> {
        let member = self.members.get(id).ok_or_else(|| self.unknown(id))?;
        let relation = if received > member.epoch {
            "greater"
        } else if received < member.epoch && received != member.previous_epoch {
            "smaller"
        } else {
            return Ok(());
        };
        let message = format!(
            "The share group member has a {relation} member epoch ({received}) than the one known by the group coordinator ({}). \
             The member must abandon all its partitions and rejoin.",
            member.epoch
        );
        Err(Refusal::new(ErrorCode::FencedMemberEpoch, message))
    }

    fn unknown(&self, id: &str) -> Refusal {
        let message = format!("Member {id} is not a member of group {}.", self.id);
        Refusal::new(ErrorCode::UnknownMemberId, message)
    }

    /// Looks at the topics again; whether anything that the members read is different.
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
    let mut topic_partitions: Vec<TopicPartitions> = Vec::new();
    for (topic_id, partition) in partitions {
        match topic_partitions.last_mut() {
            Some(topic) if topic.topic_id == *topic_id => topic.partitions.push(*partition),
            _ => topic_partitions.push(TopicPartitions {
                topic_id: *topic_id,
                partitions: vec![*partition],
            }),
        }
    }
    Assignment { topic_partitions }
}
