//! A model of the KIP-848 coordinator: a target assignment, and members that are led to it step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use kafkars_core::group::{GroupRequest, GroupResponse};
use kafkars_protocol::messages::consumer_group_heartbeat::{
    Assignment, ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, TopicPartitions,
};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::coordinator::{CallId, Coordinator};

type Place = (Uuid, i32);

/// The epoch by which a static member leaves for a while.
const AWAY: i32 = -2;

struct Member {
    instance: Option<String>,
    /// A static member that has left for a while.
    is_away: bool,
    epoch: i32,
    previous_epoch: i32,
    topics: BTreeSet<String>,
    assigned: BTreeSet<Place>,
    /// Partitions to be given up before the next step, and until when.
    revoking: BTreeSet<Place>,
    revoking_ends_at: Option<Instant>,
    rebalance: Duration,
    target: BTreeSet<Place>,
    expires_at: Instant,
}

/// `group_remote_assignor`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerAssignor {
    /// As even as possible, with as few moves as possible.
    Uniform,
    /// For each member a range of neighbouring partitions of every topic.
    Range,
}

pub(crate) struct ConsumerCoordinator {
    assignor: ServerAssignor,
    epoch: i32,
    members: BTreeMap<String, Member>,
    topics: BTreeMap<String, (Uuid, i32)>,
    session: Duration,
    interval: Duration,
    answers: Vec<(CallId, GroupResponse)>,
}

impl ConsumerCoordinator {
    pub(crate) fn new(
        topics: BTreeMap<String, (Uuid, i32)>,
        assignor: ServerAssignor,
        session: Duration,
        interval: Duration,
    ) -> Self {
        Self {
            assignor,
            epoch: 0,
            members: BTreeMap::new(),
            topics,
            session,
            interval,
            answers: Vec::new(),
        }
    }

    fn heartbeat(
        &mut self,
        now: Instant,
        request: ConsumerGroupHeartbeatRequest,
    ) -> ConsumerGroupHeartbeatResponse {
        let refuse = |code: ErrorCode| ConsumerGroupHeartbeatResponse {
            error_code: code.code(),
            ..ConsumerGroupHeartbeatResponse::default()
        };
        let id = request.member_id.clone();
        if let Err(code) = self.check_instance(&request) {
            return refuse(code);
        }
        if request.member_epoch < 0 {
            let response = ConsumerGroupHeartbeatResponse {
                member_id: Some(id.clone()),
                member_epoch: request.member_epoch,
                ..ConsumerGroupHeartbeatResponse::default()
            };
            match self.members.get_mut(&id) {
                None => return refuse(ErrorCode::UnknownMemberId),
                Some(member) if request.member_epoch == AWAY => member.is_away = true,
                Some(_) => {
                    self.members.remove(&id);
                    self.retarget();
                }
            }
            return response;
        }
        let owned: Option<BTreeSet<Place>> = request.topic_partitions.as_ref().map(|topics| {
            let places = topics.iter().flat_map(|topic| {
                topic
                    .partitions
                    .iter()
                    .map(|number| (topic.topic_id, *number))
            });
            places.collect()
        });
        let mut is_new = false;
        match self.members.get(&id) {
            None if request.member_epoch > 0 => return refuse(ErrorCode::UnknownMemberId),
            None => {
                is_new = true;
                let member = Member {
                    instance: request.instance_id.clone(),
                    is_away: false,
                    epoch: 0,
                    previous_epoch: 0,
                    topics: BTreeSet::new(),
                    assigned: BTreeSet::new(),
                    revoking: BTreeSet::new(),
                    revoking_ends_at: None,
                    rebalance: Duration::from_millis(request.rebalance_timeout_ms.max(0) as u64),
                    target: BTreeSet::new(),
                    expires_at: now,
                };
                self.members.insert(id.clone(), member);
            }
            Some(member) => {
                let is_repeat = request.member_epoch == member.previous_epoch
                    && owned
                        .as_ref()
                        .is_some_and(|owned| owned.is_subset(&member.assigned));
                if request.member_epoch != member.epoch && !is_repeat {
                    return refuse(ErrorCode::FencedMemberEpoch);
                }
            }
        }
        let mut changed = is_new;
        if let (Some(names), Some(member)) =
            (&request.subscribed_topic_names, self.members.get_mut(&id))
        {
            let topics: BTreeSet<String> = names.iter().cloned().collect();
            changed |= member.topics != topics;
            member.topics = topics;
        }
        if changed {
            self.retarget();
        }
        let before = self.members.get(&id).map(|member| member.assigned.clone());
        self.lead_on(now, &id, owned.as_ref());
        let Some(member) = self.members.get_mut(&id) else {
            return refuse(ErrorCode::UnknownMemberId);
        };
        member.expires_at = now + self.session;
        let is_full = request.member_epoch == 0
            || request.rebalance_timeout_ms != -1
                && request.subscribed_topic_names.is_some()
                && owned.is_some();
        let tells = is_full || before.as_ref() != Some(&member.assigned);
        ConsumerGroupHeartbeatResponse {
            member_id: Some(id),
            member_epoch: member.epoch,
            heartbeat_interval_ms: self.interval.as_millis() as i32,
            assignment: tells.then(|| assignment(&member.assigned)),
            ..ConsumerGroupHeartbeatResponse::default()
        }
    }

    /// Checks that the sender may use its instance id. A member that joins with the id of one that is away gets its
    /// partitions.
    fn check_instance(&mut self, request: &ConsumerGroupHeartbeatRequest) -> Result<(), ErrorCode> {
        let Some(instance) = &request.instance_id else {
            return Ok(());
        };
        let is_held = |member: &Member| member.instance.as_ref() == Some(instance);
        let holder = self.members.iter().find(|(_, member)| is_held(member));
        let holder = holder.map(|(id, member)| (id.clone(), member.is_away));
        match holder {
            None if request.member_epoch == 0 => Ok(()),
            None => Err(ErrorCode::UnknownMemberId),
            Some((_, false)) if request.member_epoch == 0 => Err(ErrorCode::UnreleasedInstanceId),
            Some((holder, true)) if request.member_epoch == 0 => {
                if let Some(old) = self.members.remove(&holder) {
                    let member = Member {
                        is_away: false,
                        epoch: 0,
                        previous_epoch: 0,
                        revoking: BTreeSet::new(),
                        revoking_ends_at: None,
                        ..old
                    };
                    self.members.insert(request.member_id.clone(), member);
                }
                Ok(())
            }
            Some((holder, _)) if holder != request.member_id => Err(ErrorCode::FencedInstanceId),
            Some((_, true)) if request.member_epoch > 0 => Err(ErrorCode::FencedMemberEpoch),
            Some(_) => Ok(()),
        }
    }

    /// Takes a member one step towards its target assignment.
    fn lead_on(&mut self, now: Instant, id: &str, owned: Option<&BTreeSet<Place>>) {
        let held: BTreeSet<Place> = self
            .members
            .iter()
            .filter(|(other, _)| *other != id)
            .flat_map(|(_, member)| member.assigned.union(&member.revoking).copied())
            .collect();
        let epoch = self.epoch;
        let Some(member) = self.members.get_mut(id) else {
            return;
        };
        if !member.revoking.is_empty() {
            if owned.is_none_or(|owned| !owned.is_disjoint(&member.revoking)) {
                return;
            }
            member.revoking.clear();
            member.revoking_ends_at = None;
        }
        let kept: BTreeSet<Place> = member
            .assigned
            .intersection(&member.target)
            .copied()
            .collect();
        let lost: BTreeSet<Place> = member
            .assigned
            .difference(&member.target)
            .copied()
            .collect();
        let free: Vec<Place> = member
            .target
            .difference(&member.assigned)
            .filter(|place| !held.contains(place))
            .copied()
            .collect();
        if !lost.is_empty() && owned.is_some_and(|owned| owned.is_disjoint(&lost)) {
            member.assigned = kept; // the response with that assignment was lost
        } else if !lost.is_empty() {
            member.assigned = kept;
            member.revoking = lost;
            member.revoking_ends_at = Some(now + member.rebalance);
            return;
        }
        member.assigned.extend(free);
        if member.epoch != epoch {
            member.previous_epoch = member.epoch;
            member.epoch = epoch;
        }
    }

    /// Computes a new target assignment.
    fn retarget(&mut self) {
        self.epoch += 1;
        match self.assignor {
            ServerAssignor::Uniform => self.retarget_evenly(),
            ServerAssignor::Range => self.retarget_in_runs(),
        }
    }

    fn retarget_in_runs(&mut self) {
        for member in self.members.values_mut() {
            member.target.clear();
        }
        for (topic, (id, count)) in &self.topics {
            let wants = |member: &&mut Member| member.topics.contains(topic);
            let takers: Vec<&mut Member> = self.members.values_mut().filter(wants).collect();
            let number = takers.len() as i32;
            for (index, member) in takers.into_iter().enumerate() {
                let index = index as i32;
                let run = count * index / number..count * (index + 1) / number;
                member.target.extend(run.map(|partition| (*id, partition)));
            }
        }
    }

    fn retarget_evenly(&mut self) {
        for member in self.members.values_mut() {
            let topics = &self.topics;
            let wanted: BTreeSet<Uuid> = member
                .topics
                .iter()
                .filter_map(|topic| topics.get(topic).map(|(id, _)| *id))
                .collect();
            member.target.retain(|(id, _)| wanted.contains(id));
        }
        let all: BTreeSet<Place> = self
            .topics
            .values()
            .flat_map(|(id, count)| (0..*count).map(|number| (*id, number)))
            .collect();
        let targeted: BTreeSet<Place> = self
            .members
            .values()
            .flat_map(|member| member.target.iter().copied())
            .collect();
        for place in all.difference(&targeted) {
            let least = self
                .members
                .values_mut()
                .min_by_key(|member| member.target.len());
            if let Some(member) = least {
                member.target.insert(*place);
            }
        }
        loop {
            let sizes = self
                .members
                .iter()
                .map(|(id, member)| (member.target.len(), id.clone()));
            let sizes: Vec<(usize, String)> = sizes.collect();
            let (Some((most, from)), Some((least, to))) = (sizes.iter().max(), sizes.iter().min())
            else {
                return;
            };
            if *most <= least + 1 {
                return;
            }
            let moved = self
                .members
                .get_mut(from)
                .and_then(|member| member.target.pop_last());
            if let (Some(place), Some(member)) = (moved, self.members.get_mut(to)) {
                member.target.insert(place);
            }
        }
    }
}

impl Coordinator for ConsumerCoordinator {
    fn handle(&mut self, now: Instant, call_id: CallId, request: GroupRequest) {
        if let GroupRequest::ConsumerGroupHeartbeat(request) = request {
            let response = self.heartbeat(now, request);
            self.answers
                .push((call_id, GroupResponse::ConsumerGroupHeartbeat(response)));
        }
    }

    fn tick(&mut self, now: Instant) {
        let before = self.members.len();
        let is_late = |member: &Member| member.revoking_ends_at.is_some_and(|at| at <= now);
        self.members
            .retain(|_, member| member.expires_at > now && !is_late(member));
        if self.members.len() != before {
            self.retarget();
        }
    }

    fn answers(&mut self) -> Vec<(CallId, GroupResponse)> {
        std::mem::take(&mut self.answers)
    }

    fn move_over(&mut self, now: Instant) -> Vec<CallId> {
        for member in self.members.values_mut() {
            member.expires_at = now + self.session;
            let rebalance = member.rebalance;
            member.revoking_ends_at = member.revoking_ends_at.map(|_| now + rebalance);
        }
        Vec::new()
    }

    fn commit_error(&mut self, _now: Instant, member: &str, generation: i32) -> ErrorCode {
        match self.members.get(member) {
            None => ErrorCode::UnknownMemberId,
            Some(member) if generation < member.epoch => ErrorCode::StaleMemberEpoch,
            Some(member) if generation > member.epoch => ErrorCode::FencedMemberEpoch,
            Some(_) => ErrorCode::None,
        }
    }

    fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn is_at_rest(&self, live: usize) -> bool {
        let is_there = |member: &Member| {
            member.epoch == self.epoch
                && member.revoking.is_empty()
                && member.assigned == member.target
        };
        self.members.len() == live && self.members.values().all(is_there)
    }
}

fn assignment(assigned: &BTreeSet<Place>) -> Assignment {
    let mut topics: BTreeMap<Uuid, Vec<i32>> = BTreeMap::new();
    for (id, number) in assigned {
        topics.entry(*id).or_default().push(*number);
    }
    let topics = topics
        .into_iter()
        .map(|(topic_id, partitions)| TopicPartitions {
            topic_id,
            partitions,
        });
    Assignment {
        topic_partitions: topics.collect(),
    }
}
