//! The leader's work: read the members' subscriptions, run the assignor, and notice when its result is out of date.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::messages::join_group::JoinGroupResponseMember;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupRequestAssignment};

use super::election::{Election, ElectionStep, Watched, checked, decode, encode, seen};
use super::join::PROTOCOL_TYPE;
use super::{ClassicMembership, JoinPhase};
use crate::group::action::{Action, AssignorOutcome, AssignorWork, GroupRequest, RequestId};
use crate::group::assignor::GroupView;
use crate::group::common::Common;
use crate::group::error::GroupError;

/// How long the leader waits for metadata of topics that it does not know. A topic that appears later causes another
/// rebalance.
const LONGEST_LOOK_UP: Duration = Duration::from_secs(5);

impl ClassicMembership {
    /// Starts the work of the leader. With `skip` the group keeps its assignment (a static member came back, KIP-814)
    /// and the leader only watches.
    pub(super) fn elect(
        &mut self,
        common: &mut Common,
        now: Instant,
        members: Vec<JoinGroupResponseMember>,
        skip: bool,
    ) {
        let members = decode(common, members);
        let topics: BTreeSet<Arc<str>> = members
            .values()
            .flat_map(|member| member.topics.iter().cloned())
            .collect();
        common.gone.note(&common.cluster, topics.iter(), now);
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
        let look_up_limit = LONGEST_LOOK_UP.min(common.config.rebalance_timeout() / 2);
        self.phase = JoinPhase::Electing(Election {
            members,
            topics,
            step: ElectionStep::LookingUp(now + look_up_limit),
        });
        self.try_elect(common, now);
    }

    /// Starts the assignor when every topic is known, or has not become known in time.
    pub(super) fn try_elect(&mut self, common: &mut Common, now: Instant) {
        let JoinPhase::Electing(election) = &mut self.phase else {
            return;
        };
        let ElectionStep::LookingUp(until) = election.step else {
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
            topics: seen(common, &election.topics, true),
        };
        let id = common.request_id();
        election.step = ElectionStep::Assigning(id, view.clone());
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
        let JoinPhase::Electing(Election {
            step: ElectionStep::Assigning(asked, view),
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
                // Partitions may have been added while the assignor ran.
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

    /// Sends SyncGroup, with the assignments if this member leads.
    pub(super) fn send_sync(
        &mut self,
        common: &mut Common,
        now: Instant,
        assignments: Vec<SyncGroupRequestAssignment>,
    ) {
        let (Some(node), Some(permit)) = (common.coordinator(now), self.sync_permit.take()) else {
            // The coordinator moved during this rebalance; the new one starts another.
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
        // The coordinator holds the answer until the leader has assigned. When that takes longer, the member joins
        // again as it is: the coordinator names the same generation without a rebalance, and SyncGroup is sent once
        // more. So, as in Java's client, an answer that is lost on a living connection costs no more than that of any
        // request.
        let timeout = common.config.request_timeout;
        let id = common.send(
            permit,
            node,
            GroupRequest::SyncGroup(request),
            timeout,
            true,
        );
        self.phase = JoinPhase::Syncing(id, now);
    }
}
