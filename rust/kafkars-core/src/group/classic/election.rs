//! The leader's assignment: the members and topics it is made from, its checks, its encoding.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use kafkars_protocol::messages::join_group::JoinGroupResponseMember;
use kafkars_protocol::messages::sync_group::SyncGroupRequestAssignment;

use super::member::NO_GENERATION;
use crate::config::TopicPartition;
use crate::group::action::RequestId;
use crate::group::assignor::{
    Assignment, GroupView, MemberAssignment, MemberView, PartitionView, TopicView,
};
use crate::group::common::Common;
use crate::group::embedded;

/// An assignment that the leader is making.
#[derive(Debug)]
pub(super) struct Election {
    pub(super) members: BTreeMap<Arc<str>, MemberView>,
    pub(super) topics: BTreeSet<Arc<str>>,
    pub(super) step: ElectionStep,
}

#[derive(Debug)]
pub(super) enum ElectionStep {
    /// Waits for missing metadata of topics, at most until this time.
    LookingUp(Instant),
    Assigning(RequestId, GroupView),
}

impl Election {
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.step {
            ElectionStep::LookingUp(until) => Some(until),
            ElectionStep::Assigning(..) => None,
        }
    }
}

/// The topics of the group as they were at the last assignment, to notice changes.
#[derive(Debug)]
pub(super) struct Watched {
    topics: BTreeSet<Arc<str>>,
    seen: BTreeMap<Arc<str>, TopicView>,
    with_racks: bool,
}

impl Watched {
    pub(super) fn new(common: &Common, topics: BTreeSet<Arc<str>>) -> Self {
        let with_racks = common.config.client_rack.is_some();
        Self {
            seen: seen(common, &topics, with_racks),
            topics,
            with_racks,
        }
    }

    pub(super) fn differs(&self, common: &Common) -> bool {
        seen(common, &self.topics, self.with_racks) != self.seen
    }

    pub(super) fn topics(&self) -> &BTreeSet<Arc<str>> {
        &self.topics
    }
}

/// The topics that exist, as assignors see them.
pub(super) fn seen(
    common: &Common,
    topics: &BTreeSet<Arc<str>>,
    with_racks: bool,
) -> BTreeMap<Arc<str>, TopicView> {
    let cluster = &common.cluster;
    let view = |topic: &Arc<str>| {
        let metadata = cluster.topic(topic)?;
        let partitions = metadata.partitions.iter().map(|partition| {
            let racks = partition
                .replicas
                .iter()
                .filter(|_| with_racks)
                .filter_map(|replica| cluster.broker(*replica)?.rack.as_deref().map(Arc::from));
            PartitionView {
                racks: racks.collect(),
            }
        });
        let partitions: Vec<PartitionView> = partitions.collect();
        (!partitions.is_empty()).then(|| (Arc::clone(topic), TopicView { partitions }))
    };
    let there = topics.iter().filter(|topic| !common.gone.has(topic));
    there.filter_map(view).collect()
}

/// Decodes the subscriptions of the members. A member whose subscription cannot be read gets nothing, and the others go
/// on: the coordinator passes on whatever it was sent, so one member could stop the whole group otherwise.
pub(super) fn decode(
    common: &Common,
    members: Vec<JoinGroupResponseMember>,
) -> BTreeMap<Arc<str>, MemberView> {
    let decode = |member: JoinGroupResponseMember| {
        let instance = member.group_instance_id;
        let view = embedded::decode_subscription(member.metadata, instance.clone());
        let view = view.unwrap_or_else(|cause| {
            tracing::warn!(
                target: "kafkars::group", client = %common.client, group = %common.group, member = ?shortened(&member.member_id),
                instance = ?instance.as_deref().map(shortened), %cause,
                "the subscription of a member cannot be read; it is assigned nothing"
            );
            MemberView {
                instance: instance.map(Arc::from),
                generation: NO_GENERATION,
                ..MemberView::default()
            }
        });
        (Arc::from(member.member_id), view)
    };
    members.into_iter().map(decode).collect()
}

/// The first 200 characters of a text that came from another process.
fn shortened(text: &str) -> &str {
    const SHOWN: usize = 200;
    text.char_indices()
        .nth(SHOWN)
        .map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

/// Checks an assignment: only members get partitions, no partition has two owners, all exist, and a cooperative
/// assignor gives away nothing that its owner has not given up.
pub(super) fn checked(
    view: &GroupView,
    assignment: Assignment,
    is_cooperative: bool,
) -> Result<Assignment, Arc<str>> {
    let mut owner_of: BTreeMap<&TopicPartition, &Arc<str>> = BTreeMap::new();
    for (member, assigned) in &assignment {
        if !view.members.contains_key(member) {
            return Err(format!("it assigned to {member:?}, which is no member").into());
        }
        for partition in &assigned.partitions {
            let exists = usize::try_from(partition.partition)
                .is_ok_and(|index| index < view.partition_count(&partition.topic));
            if !exists {
                return Err(format!("it assigned {partition}, which does not exist").into());
            }
            if let Some(other) = owner_of.insert(partition, member) {
                return Err(format!("it assigned {partition} to {other:?} and {member:?}").into());
            }
        }
    }
    for (member, known) in view.members.iter().filter(|_| is_cooperative) {
        for partition in &known.owned {
            if let Some(owner) = owner_of.get(partition)
                && *owner != member
                && !is_claimed(view, partition, owner)
            {
                return Err(format!(
                    "it is cooperative, but assigned {partition} to {owner:?} while {member:?} owns it"
                )
                .into());
            }
        }
    }
    Ok(assignment)
}

/// True if `member` claims to own `partition`. When two members do, one of them is out of date.
fn is_claimed(view: &GroupView, partition: &TopicPartition, member: &Arc<str>) -> bool {
    let member = view.members.get(member);
    member.is_some_and(|member| member.owned.contains(partition))
}

/// Encodes the assignment of every member for SyncGroup. Members that the assignor left out get nothing.
pub(super) fn encode(
    members: &BTreeMap<Arc<str>, MemberView>,
    assignment: &Assignment,
) -> Result<Vec<SyncGroupRequestAssignment>, Arc<str>> {
    let nothing = MemberAssignment::default();
    let encode = |member: &Arc<str>| {
        let assigned = assignment.get(member).unwrap_or(&nothing);
        let bytes: Bytes = embedded::encode_assignment(assigned)
            .map_err(|cause| Arc::<str>::from(cause.to_string()))?;
        Ok(SyncGroupRequestAssignment {
            member_id: member.to_string(),
            assignment: bytes,
        })
    };
    members.keys().map(encode).collect()
}
