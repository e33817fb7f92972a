//! Members join a consumer group with heartbeats, go on with them, and learn from them what they have.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    Assignment, ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, TopicPartitions,
};

use super::assignors::{ASSIGNORS, AssignorMember, GroupSpec, assign};
use super::group::ConsumerGroup;
use super::member::{ConsumerMember, MemberState, Owned, TargetAssignment};
use crate::groups::member_epoch::{JOINING, LEFT_FOR_A_WHILE};
use crate::groups::member_identity::MemberClient;
use crate::groups::refusals;
use crate::refusal::{RefusedRequest, refuse_with};
use crate::topic::{TopicIdPartition, by_topic};
use crate::topics::Topics;

/// First version in which members choose their ids (KIP-1082).
const OWN_ID_SINCE: i16 = 1;

/// A heartbeat, with what the connection knows of its sender and what holds for the group.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    pub(crate) request: ConsumerGroupHeartbeatRequest,
    pub(crate) client: MemberClient,
    pub(crate) session_timeout_ms: i64,
    pub(crate) interval_ms: i32,
    pub(crate) max_size: usize,
}

/// Checks what every request must satisfy, whatever the group.
pub(crate) fn check(
    request: &ConsumerGroupHeartbeatRequest,
    version: i16,
) -> Result<(), RefusedRequest> {
    let invalid = |message| Err(RefusedRequest::invalid(message));
    let empty = |text: &Option<String>| text.as_ref().is_some_and(String::is_empty);
    let joins = request.member_epoch == JOINING;
    if request.member_id.is_empty() && (version >= OWN_ID_SINCE || !joins) {
        return invalid("MemberId can't be empty.");
    }
    if request.group_id.is_empty() {
        return invalid("GroupId can't be empty.");
    }
    if empty(&request.instance_id) {
        return invalid("InstanceId can't be empty.");
    }
    if empty(&request.rack_id) {
        return invalid("RackId can't be empty.");
    }
    if joins {
        if request.rebalance_timeout_ms == -1 {
            return invalid("RebalanceTimeoutMs must be provided in first request.");
        }
        if request
            .topic_partitions
            .as_ref()
            .is_none_or(|owned| !owned.is_empty())
        {
            return invalid("TopicPartitions must be empty when (re-)joining.");
        }
        let names = request.subscribed_topic_names.as_ref();
        let regex = request.subscribed_topic_regex.as_ref();
        if names.is_none() && regex.is_none() {
            return invalid(
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining.",
            );
        }
    } else if request.member_epoch == LEFT_FOR_A_WHILE && request.instance_id.is_none() {
        return invalid("InstanceId can't be null.");
    } else if request.member_epoch < LEFT_FOR_A_WHILE {
        return invalid("MemberEpoch is invalid.");
    }
    if let Some(assignor) = &request.server_assignor
        && !ASSIGNORS.contains(&assignor.as_str())
    {
        let message = format!(
            "ServerAssignor {assignor} is not supported. Supported assignors: {}.",
            ASSIGNORS.join(", ")
        );
        return refuse_with(ErrorCode::UnsupportedAssignor, message);
    }
    Ok(())
}

impl ConsumerGroup {
    pub(crate) fn heartbeat(
        &mut self,
        heartbeat: Heartbeat,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<ConsumerGroupHeartbeatResponse, RefusedRequest> {
        let request = &heartbeat.request;
        let id = request.member_id.clone();
        let owned = request.topic_partitions.as_deref().map(partitions);
        if self.members.len() >= heartbeat.max_size && !self.members.contains_key(&id) {
            return Err(refusals::full("consumer", heartbeat.max_size));
        }
        self.check_member(request, owned.as_ref())?;
        if let Some(regex) = &request.subscribed_topic_regex {
            self.subscribed.add_expression(regex)?;
        }
        let changed = self.subscribe(&heartbeat);
        if self.subscribed.refresh(self.members.values(), topics) || changed {
            self.begin_epoch();
        }
        if self.epoch > self.assignment_epoch {
            self.make_targets();
        }
        let moved = self.reconcile(&id, owned.as_ref());
        let Some(member) = self.members.get_mut(&id) else {
            return Err(ErrorCode::UnknownMemberId.into());
        };
        member.expires_at = now.saturating_add(heartbeat.session_timeout_ms);
        member.revoke_by = match (member.progress, member.revoke_by) {
            (MemberState::Revoking, None) => Some(now.saturating_add(member.rebalance_timeout_ms)),
            (MemberState::Revoking, until) => until,
            _ => None,
        };
        Ok(ConsumerGroupHeartbeatResponse {
            member_id: Some(id),
            member_epoch: member.epoch,
            heartbeat_interval_ms: heartbeat.interval_ms,
            assignment: (moved || is_full(request)).then(|| assignment(&member.assigned)),
            ..ConsumerGroupHeartbeatResponse::default()
        })
    }

    /// Checks that the sender is who it says, in an epoch that is the current one, or the one before whose answer was
    /// lost.
    fn check_member(
        &mut self,
        request: &ConsumerGroupHeartbeatRequest,
        owned: Option<&BTreeSet<TopicIdPartition>>,
    ) -> Result<(), RefusedRequest> {
        let id = request.member_id.as_str();
        if let Some(instance) = &request.instance_id {
            let current = self.instances.get(instance).cloned();
            if request.member_epoch == JOINING {
                return match current {
                    Some(current) => self.replace_member(&current, id, instance),
                    None => Ok(()),
                };
            }
            self.check_instance(current.as_deref(), id, instance)?;
        }
        if request.member_epoch == JOINING {
            return Ok(());
        }
        let member = self.members.get(id);
        let member = member.ok_or_else(|| refusals::unknown_member(id, &self.id))?;
        let received = request.member_epoch;
        let subset = |owned: &BTreeSet<TopicIdPartition>| {
            owned
                .iter()
                .all(|partition| member.assigned.contains_key(partition))
        };
        let relation = if received > member.epoch {
            "greater"
        } else if received < member.epoch
            && (received != member.previous_epoch || !owned.is_some_and(subset))
        {
            "smaller"
        } else {
            return Ok(());
        };
        Err(refusals::fenced_epoch(
            "consumer",
            relation,
            received,
            member.epoch,
        ))
    }

    pub(super) fn check_instance(
        &self,
        current: Option<&str>,
        id: &str,
        instance: &str,
    ) -> Result<(), RefusedRequest> {
        match current {
            None => refuse_with(
                ErrorCode::UnknownMemberId,
                format!("Instance id {instance} is unknown."),
            ),
            Some(current) if current != id => refuse_with(
                ErrorCode::FencedInstanceId,
                format!(
                    "Static member {id} with instance id {instance} was fenced by member {current}."
                ),
            ),
            Some(_) => Ok(()),
        }
    }

    /// Gives the place of a static member, which comes back, to its new id, if the old one has left; members of the
    /// classic protocol do not say that they leave.
    fn replace_member(
        &mut self,
        current: &str,
        id: &str,
        instance: &str,
    ) -> Result<(), RefusedRequest> {
        let old = self.members.get(current);
        let left = old.is_some_and(|it| it.epoch == LEFT_FOR_A_WHILE || it.classic.is_some());
        if !left {
            let message = format!(
                "Static member {id} with instance id {instance} cannot join because the instance id is owned by member {current}."
            );
            return refuse_with(ErrorCode::UnreleasedInstanceId, message);
        }
        self.take_place_of(current, id, instance);
        Ok(())
    }

    /// Gives what a static member had to another id.
    pub(super) fn take_place_of(&mut self, current: &str, id: &str, instance: &str) {
        let Some(old) = self.members.remove(current) else {
            return;
        };
        self.disown(&old);
        if let Some(target) = self.targets.remove(current) {
            self.targets.insert(id.to_owned(), target);
        }
        let member = ConsumerMember {
            id: id.to_owned(),
            epoch: JOINING,
            previous_epoch: JOINING,
            ..old
        };
        self.own(&member);
        self.instances.insert(instance.to_owned(), id.to_owned());
        self.members.insert(id.to_owned(), member);
    }

    /// Takes over what the request says of its sender; returns true if that changes what is to be assigned.
    fn subscribe(&mut self, heartbeat: &Heartbeat) -> bool {
        let request = &heartbeat.request;
        let id = request.member_id.clone();
        let mut changed = !self.members.contains_key(&id);
        if let Some(instance) = &request.instance_id {
            self.instances.insert(instance.clone(), id.clone());
        }
        let member = self
            .members
            .entry(id.clone())
            .or_insert_with(|| ConsumerMember::new(id));
        member.client = heartbeat.client.clone();
        // Whatever it followed before, it follows the consumer protocol now.
        member.classic = None;
        if request.instance_id.is_some() {
            member.instance_id.clone_from(&request.instance_id);
        }
        if request.rack_id.is_some() {
            changed |= member.rack_id != request.rack_id;
            member.rack_id.clone_from(&request.rack_id);
        }
        if request.rebalance_timeout_ms >= 0 {
            member.rebalance_timeout_ms = i64::from(request.rebalance_timeout_ms);
        }
        if request.server_assignor.is_some() {
            changed |= member.assignor != request.server_assignor;
            member.assignor.clone_from(&request.server_assignor);
        }
        if let Some(names) = &request.subscribed_topic_names {
            let names: BTreeSet<String> = names.iter().cloned().collect();
            changed |= member.names != names;
            member.names = names;
        }
        if let Some(regex) = &request.subscribed_topic_regex {
            let regex = Some(regex.clone()).filter(|regex| !regex.is_empty());
            changed |= member.regex != regex;
            member.regex = regex;
        }
        changed
    }

    /// Works out anew what every member is to have.
    pub(super) fn make_targets(&mut self) {
        let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
        for member in self.members.values() {
            if let Some(assignor) = &member.assignor {
                *votes.entry(assignor).or_default() += 1;
            }
        }
        let chosen = votes.into_iter().max_by_key(|(_, votes)| *votes);
        let assignor = chosen
            .map_or(ASSIGNORS[0], |(assignor, _)| assignor)
            .to_owned();
        let mut order: Vec<&ConsumerMember> = self.members.values().collect();
        order.sort_by_key(|member| member.instance_id.as_ref().unwrap_or(&member.id));
        let members = order.into_iter().map(|member| AssignorMember {
            id: &member.id,
            topics: self.subscribed.topics_of(member),
            before: self.targets.get(&member.id),
        });
        let spec = GroupSpec {
            topics: self.subscribed.topics(),
            members: members.collect(),
        };
        let targets = assign(&assignor, &spec);
        let ids = spec.members.iter().map(|reader| reader.id.to_owned());
        self.targets = ids.zip(targets).collect();
        self.assignor = assignor;
        self.assignment_epoch = self.epoch;
    }

    /// Moves one member towards its target; returns true if what it has is different now.
    pub(super) fn reconcile(
        &mut self,
        id: &str,
        owned: Option<&BTreeSet<TopicIdPartition>>,
    ) -> bool {
        let Some(mut member) = self.members.remove(id) else {
            return false;
        };
        let before: Vec<TopicIdPartition> = member.assigned.keys().copied().collect();
        let nothing = TargetAssignment::new();
        let target = self.targets.get(id).unwrap_or(&nothing);
        let owners = &self.owners;
        let is_free =
            |partition: &TopicIdPartition| owners.get(partition).is_none_or(|owner| owner == id);
        // What it had and is not to have any more is its own until it says otherwise.
        let held = member.clone();
        member.reconcile(target, self.assignment_epoch, is_free, owned);
        self.disown(&held);
        self.own(&member);
        let moved = !before.iter().eq(member.assigned.keys());
        self.members.insert(id.to_owned(), member);
        moved
    }
}

/// True if a request says everything that a member has to say: then it wants to be told everything.
fn is_full(request: &ConsumerGroupHeartbeatRequest) -> bool {
    let subscribes =
        request.subscribed_topic_names.is_some() || request.subscribed_topic_regex.is_some();
    request.member_epoch == JOINING
        || (request.rebalance_timeout_ms != -1 && subscribes && request.topic_partitions.is_some())
}

fn partitions(topics: &[TopicPartitions]) -> BTreeSet<TopicIdPartition> {
    let topics = topics.iter();
    topics
        .flat_map(|topic| {
            topic
                .partitions
                .iter()
                .map(|index| (topic.topic_id, *index))
        })
        .collect()
}

fn assignment(owned: &Owned) -> Assignment {
    let topics = by_topic(owned.keys()).into_iter();
    let topic = |(topic_id, partitions)| TopicPartitions {
        topic_id,
        partitions,
    };
    Assignment {
        topic_partitions: topics.map(topic).collect(),
    }
}
