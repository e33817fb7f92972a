//! A consumer group out of a classic one that has members (KIP-848).

use std::collections::{BTreeMap, HashMap};

use kafkars_protocol::ErrorCode;

use super::assignors::ASSIGNORS;
use super::classic_protocol::ClassicProtocol;
use super::group::ConsumerGroup;
use super::member::{ConsumerMember, MemberState, Owned, TargetAssignment};
use super::subscription::Subscribed;
use crate::groups::classic::metadata::{assignment, subscription};
use crate::groups::classic::{ClassicGroup, ClassicMember};
use crate::refusal::RefusedRequest;
use crate::settings::group::GroupSettings;
use crate::topic::TopicIdPartition;
use crate::topics::Topics;

impl ConsumerGroup {
    /// Makes a consumer group of a classic one that has members, because a member of the consumer protocol joins it. An
    /// error where that may not be.
    ///
    /// The generation goes on as the epoch. Its members keep what they have, and learn from their next heartbeats that
    /// they are to join again.
    pub(in crate::groups) fn upgraded(
        group: &ClassicGroup,
        settings: &GroupSettings,
        topics: &Topics<'_>,
        now: i64,
    ) -> Result<Self, RefusedRequest> {
        let refused = |reason: &str| {
            let id = &group.id;
            RefusedRequest::new(
                ErrorCode::GroupIdNotFound,
                format!("Cannot upgrade classic group {id} to consumer group because {reason}."),
            )
        };
        if !settings.migration_policy.upgrades() {
            return Err(refused("online upgrade is disabled"));
        }
        if !group.reads_by_topic() {
            return Err(refused(
                "the group does not use the consumer embedded protocol",
            ));
        }
        if group.members.len() > settings.max_size {
            return Err(refused(
                "the group size exceeds the consumer group maximum size",
            ));
        }
        let mut members = BTreeMap::new();
        for member in group.members.values() {
            let converted = consumer_member(group, member, topics, now).map_err(refused)?;
            members.insert(member.id.clone(), converted);
        }
        Ok(Self::with_members(group, members, topics))
    }

    fn with_members(
        group: &ClassicGroup,
        members: BTreeMap<String, ConsumerMember>,
        topics: &Topics<'_>,
    ) -> Self {
        let mut instances = HashMap::new();
        let mut targets = HashMap::new();
        let mut owners = HashMap::new();
        for (id, member) in &members {
            if let Some(instance) = &member.instance_id {
                instances.insert(instance.clone(), id.clone());
            }
            targets.insert(
                id.clone(),
                member
                    .assigned
                    .keys()
                    .copied()
                    .collect::<TargetAssignment>(),
            );
            owners.extend(member.assigned.keys().map(|owned| (*owned, id.clone())));
        }
        let mut subscribed = Subscribed::default();
        subscribed.refresh(members.values(), topics);
        Self {
            epoch: group.generation,
            assignment_epoch: group.generation,
            assignor: ASSIGNORS[0].to_owned(),
            members,
            instances,
            targets,
            owners,
            subscribed,
            ..Self::new(&group.id)
        }
    }
}

fn consumer_member(
    group: &ClassicGroup,
    member: &ClassicMember,
    topics: &Topics<'_>,
    now: i64,
) -> Result<ConsumerMember, &'static str> {
    const MALFORMED: &str = "the embedded consumer protocol is malformed";
    let classic = ClassicProtocol::of(member);
    // In its first rebalance a group has not chosen yet.
    let metadata = match &group.protocol {
        Some(protocol) => member.metadata(protocol),
        None => classic.metadata(),
    };
    let subscription = subscription(metadata).ok_or(MALFORMED)?;
    let mut assigned = Owned::new();
    if !member.assignment.is_empty() {
        let assignment = assignment(member.assignment.clone()).ok_or(MALFORMED)?;
        if assignment.user_data.is_some_and(|data| !data.is_empty()) {
            return Err(
                "an unsupported custom assignor is in use. Please refer to the documentation or switch to a default assignor \
                        before re-attempting the upgrade",
            );
        }
        for topic in assignment.assigned_partitions {
            let Some((id, count)) = topics.find(&topic.topic) else {
                continue;
            };
            let there = topic
                .partitions
                .into_iter()
                .filter(|index| (0..count).contains(index));
            assigned.extend(
                there.map(|index| -> (TopicIdPartition, i32) { ((id, index), group.generation) }),
            );
        }
    }
    Ok(ConsumerMember {
        instance_id: member.instance_id.clone(),
        rack_id: subscription.rack_id.filter(|rack| !rack.is_empty()),
        client: member.client.clone(),
        epoch: group.generation,
        previous_epoch: group.generation,
        rebalance_timeout_ms: member.rebalance_timeout_ms(),
        names: subscription.topics.into_iter().collect(),
        progress: MemberState::Stable,
        assigned,
        expires_at: now.saturating_add(classic.session_timeout_ms),
        classic: Some(classic),
        ..ConsumerMember::new(member.id.clone())
    })
}
