//! The leader's duty: learn what everybody wants, assign, and notice when that is out of date.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_protocol::messages::join_group::JoinGroupResponseMember;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupRequestAssignment};

use super::join::PROTOCOL_TYPE;
use super::{Classic, NO_GENERATION, Phase};
use crate::cluster::Cluster;
use crate::config::TopicPartition;
use crate::group::action::{Action, AssignorOutcome, AssignorWork, GroupRequest, RequestId};
use crate::group::assignor::{
    Assignment, GroupView, MemberAssignment, MemberView, PartitionView, TopicView,
};
use crate::group::common::Common;
use crate::group::embedded;
use crate::group::error::GroupError;

/// How long the leader waits for metadata of topics that it does not know. What is missing then is assigned by the
/// rebalance that follows when it appears.
const LONGEST_LOOK_UP: Duration = Duration::from_secs(5);

/// An assignment being made.
#[derive(Debug)]
pub(super) struct Election {
    members: BTreeMap<Arc<str>, MemberView>,
    topics: BTreeSet<Arc<str>>,
    step: Step,
}

#[derive(Debug)]
enum Step {
    /// Metadata of topics is missing, which is waited for until then.
    LookingUp(Instant),
    Assigning(RequestId, GroupView),
}

impl Election {
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.step {
            Step::LookingUp(until) => Some(until),
            Step::Assigning(..) => None,
        }
    }
}

/// The topics of the group as the last assignment saw them.
#[derive(Debug)]
pub(super) struct Watched {
    topics: BTreeSet<Arc<str>>,
    seen: BTreeMap<Arc<str>, TopicView>,
    with_racks: bool,
}

impl Watched {
    fn new(common: &Common, topics: BTreeSet<Arc<str>>) -> Self {
        let with_racks = common.config.client_rack.is_some();
        Self {
            seen: seen(&common.cluster, &topics, with_racks),
            topics,
            with_racks,
        }
    }

    pub(super) fn differs(&self, common: &Common) -> bool {
        seen(&common.cluster, &self.topics, self.with_racks) != self.seen
    }
}

impl Classic {
    /// This member leads. With `skip` the group keeps its assignment (a static member came back, KIP-814) and the
    /// leader only watches.
    pub(super) fn elect(
        &mut self,
        common: &mut Common,
        now: Instant,
        members: Vec<JoinGroupResponseMember>,
        skip: bool,
    ) {
        let members = decode(&common.group, members);
        let topics: BTreeSet<Arc<str>> = members
            .values()
            .flat_map(|member| member.topics.iter().cloned())
            .collect();
        if skip {
            self.watched = Some(Watched::new(common, topics));
            return self.send_sync(common, now, Vec::new());
        }
        let missing: BTreeSet<Arc<str>> = topics
            .iter()
            .filter(|topic| common.cluster.topic(topic).is_none())
            .cloned()
            .collect();
        common.lookup.want_names(missing);
        common.look_up(now);
        let patience = LONGEST_LOOK_UP.min(common.config.rebalance_timeout() / 2);
        self.phase = Phase::Electing(Election {
            members,
            topics,
            step: Step::LookingUp(now + patience),
        });
        self.try_elect(common, now);
    }

    /// Starts the assignor when every topic is known, or has not become known in time.
    pub(super) fn try_elect(&mut self, common: &mut Common, now: Instant) {
        let Phase::Electing(election) = &mut self.phase else {
            return;
        };
        let Step::LookingUp(until) = election.step else {
            return;
        };
        let cluster = &common.cluster;
        let is_known = election
            .topics
            .iter()
            .all(|topic| cluster.topic(topic).is_some());
        if !is_known && now < until {
            return;
        }
        common.lookup.end();
        let chosen = self.member.strategy.as_deref();
        let assignor = self
            .assignors
            .iter()
            .find(|assignor| Some(assignor.name()) == chosen);
        let Some(assignor) = assignor.map(Arc::clone) else {
            let error = self.inconsistent(common);
            return self.fail(common, now, error);
        };
        let view = GroupView {
            members: std::mem::take(&mut election.members),
            topics: seen(cluster, &election.topics, true),
        };
        let id = common.request_id();
        election.step = Step::Assigning(id, view.clone());
        common
            .actions
            .push_back(Action::Assign(AssignorWork { id, assignor, view }));
        let topics = election.topics.clone();
        self.watched = Some(Watched::new(common, topics));
    }

    pub(in crate::group) fn assignor_finished(
        &mut self,
        common: &mut Common,
        now: Instant,
        id: RequestId,
        outcome: AssignorOutcome,
    ) {
        let Phase::Electing(Election {
            step: Step::Assigning(asked, view),
            ..
        }) = &self.phase
        else {
            return;
        };
        if *asked != id {
            return;
        }
        let chosen = self.member.strategy.clone().unwrap_or_else(|| "".into());
        let assignor = self
            .assignors
            .iter()
            .find(|assignor| *assignor.name() == *chosen);
        let is_cooperative = self.is_cooperative && assignor.is_some_and(|a| a.is_cooperative());
        let assignments = outcome
            .and_then(|assignment| checked(view, assignment, is_cooperative))
            .and_then(|assignment| encode(&view.members, &assignment));
        match assignments {
            Ok(assignments) => {
                self.send_sync(common, now, assignments);
                // What changed while the assignor ran.
                if self
                    .watched
                    .as_ref()
                    .is_some_and(|watched| watched.differs(common))
                {
                    self.request_rejoin("partitions of subscribed topics changed");
                }
            }
            Err(cause) => {
                let error = GroupError::Assignor {
                    group: Arc::clone(&common.group),
                    assignor: chosen,
                    cause,
                };
                self.fail(common, now, error);
            }
        }
    }

    /// Asks for the assignment, or gives it.
    pub(super) fn send_sync(
        &mut self,
        common: &mut Common,
        now: Instant,
        assignments: Vec<SyncGroupRequestAssignment>,
    ) {
        let (Some(node), Some(permit)) = (common.coordinator(now), self.sync_permit.take()) else {
            // It moved within this rebalance; the new one starts another.
            return self.join_failed(now);
        };
        let request = SyncGroupRequest {
            group_id: common.group.to_string(),
            generation_id: self.member.generation,
            member_id: self.member.id.to_string(),
            group_instance_id: common.instance.as_deref().map(str::to_owned),
            protocol_type: Some(PROTOCOL_TYPE.to_owned()),
            protocol_name: self.member.strategy.as_deref().map(str::to_owned),
            assignments,
        };
        let timeout = common
            .config
            .request_timeout
            .max(common.config.rebalance_timeout());
        let id = common.send(
            permit,
            node,
            GroupRequest::SyncGroup(request),
            timeout,
            true,
        );
        self.phase = Phase::Syncing(id, now);
    }
}

/// The topics that exist, as strategies see them.
fn seen(
    cluster: &Cluster,
    topics: &BTreeSet<Arc<str>>,
    with_racks: bool,
) -> BTreeMap<Arc<str>, TopicView> {
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
    topics.iter().filter_map(view).collect()
}

/// What the members want. One whose subscription cannot be read gets nothing, and the others go on: the coordinator
/// hands over what it was sent, so that one member could stop all of them otherwise.
fn decode(group: &str, members: Vec<JoinGroupResponseMember>) -> BTreeMap<Arc<str>, MemberView> {
    let decode = |member: JoinGroupResponseMember| {
        let instance = member.group_instance_id;
        let view = embedded::decode_subscription(member.metadata, instance.clone());
        let view = view.unwrap_or_else(|cause| {
            tracing::warn!(
                target: "kafkars::group", group, member = ?shortened(&member.member_id),
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

/// The start of a text that somebody else has chosen.
fn shortened(text: &str) -> &str {
    const SHOWN: usize = 200;
    text.char_indices()
        .nth(SHOWN)
        .map_or(text, |(end, _)| text.get(..end).unwrap_or(text))
}

/// The assignment, if it is one: only members get partitions, none has two owners, all exist, and a cooperative
/// strategy gives nothing away that its owner has not given up.
fn checked(
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

/// Whether `member` says that it owns `partition`. When two say so, one of them is out of date.
fn is_claimed(view: &GroupView, partition: &TopicPartition, member: &Arc<str>) -> bool {
    let member = view.members.get(member);
    member.is_some_and(|member| member.owned.contains(partition))
}

/// The assignment for every member, for the wire. Members that the strategy left out get nothing.
fn encode(
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
