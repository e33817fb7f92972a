//! A model of the classic coordinator, as small as it can be to check members.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_core::group::{GroupRequest, GroupResponse};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::{HeartbeatRequest, HeartbeatResponse};
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupResponse, JoinGroupResponseMember,
};
use kafkars_protocol::messages::leave_group::LeaveGroupResponse;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};

use crate::coordinator::{CallId, Coordinator};

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Empty,
    Preparing,
    Completing,
    Stable,
}

#[derive(Clone)]
struct Member {
    instance: Option<String>,
    session: Duration,
    rebalance: Duration,
    protocols: Vec<(String, Bytes)>,
    assignment: Bytes,
    joining: Option<CallId>,
    syncing: Option<CallId>,
    expires_at: Instant,
}

pub(crate) struct ClassicCoordinator {
    state: State,
    generation: i32,
    members: BTreeMap<String, Member>,
    /// Ids given out and not used yet.
    pending: BTreeSet<String>,
    leader: Option<String>,
    protocol: String,
    join_ends_at: Option<Instant>,
    /// The group as it was when the last assignment was made: all that survives a move.
    stored: (i32, BTreeMap<String, Member>, Option<String>, String),
    answers: Vec<(CallId, GroupResponse)>,
    next_member: u64,
}

impl ClassicCoordinator {
    pub(crate) fn new() -> Self {
        Self {
            state: State::Empty,
            generation: 0,
            members: BTreeMap::new(),
            pending: BTreeSet::new(),
            leader: None,
            protocol: String::new(),
            join_ends_at: None,
            stored: (0, BTreeMap::new(), None, String::new()),
            answers: Vec::new(),
            next_member: 0,
        }
    }

    fn join(&mut self, now: Instant, call_id: CallId, request: JoinGroupRequest) {
        let refuse = |code: ErrorCode, member_id: &str| {
            let response = JoinGroupResponse {
                error_code: code.code(),
                member_id: member_id.to_owned(),
                ..JoinGroupResponse::default()
            };
            (call_id, GroupResponse::JoinGroup(response))
        };
        let mut id = request.member_id.clone();
        // The leader may have been given the old id already, and would assign to that.
        let mut is_replaced = false;
        if id.is_empty() {
            self.next_member += 1;
            id = format!("member-{}", self.next_member);
            let holder = request.group_instance_id.as_ref().and_then(|instance| {
                let held = |member: &Member| member.instance.as_ref() == Some(instance);
                let found = self.members.iter().find(|(_, member)| held(member));
                found.map(|(id, _)| id.clone())
            });
            if let Some(holder) = holder {
                self.replace(&holder, &id);
                is_replaced = true;
            } else if request.group_instance_id.is_none() {
                self.pending.insert(id.clone());
                self.answers.push(refuse(ErrorCode::MemberIdRequired, &id));
                return;
            }
        } else if !self.members.contains_key(&id) && !self.pending.remove(&id) {
            let code = match self.is_instance_of_another(&request.group_instance_id, &id) {
                true => ErrorCode::FencedInstanceId,
                false => ErrorCode::UnknownMemberId,
            };
            return self.answers.push(refuse(code, ""));
        }
        let protocols: Vec<(String, Bytes)> = request
            .protocols
            .into_iter()
            .map(|protocol| (protocol.name, protocol.metadata))
            .collect();
        let session = Duration::from_millis(request.session_timeout_ms as u64);
        let is_known = self.members.contains_key(&id);
        let member = self.members.entry(id.clone()).or_insert_with(|| Member {
            instance: request.group_instance_id.clone(),
            session,
            rebalance: Duration::from_millis(request.rebalance_timeout_ms as u64),
            protocols: Vec::new(),
            assignment: Bytes::new(),
            joining: None,
            syncing: None,
            expires_at: now + session,
        });
        let is_same = is_known && member.protocols == protocols;
        member.protocols = protocols;
        member.expires_at = now + member.session;
        let is_leader = self.leader.as_deref() == Some(&*id);
        if is_same
            && (self.state == State::Completing && !is_replaced
                || self.state == State::Stable && !is_leader)
        {
            let response = self.join_response(&id);
            self.answers.push((call_id, response));
            return;
        }
        if let Some(member) = self.members.get_mut(&id) {
            member.joining = Some(call_id);
        }
        if self.state != State::Preparing {
            self.prepare(now);
        }
        self.try_complete(now);
    }

    fn is_instance_of_another(&self, instance: &Option<String>, id: &str) -> bool {
        instance.is_some()
            && self
                .members
                .iter()
                .any(|(known, member)| member.instance == *instance && known != id)
    }

    /// A static member came back under another id.
    fn replace(&mut self, old: &str, new: &str) {
        let Some(mut member) = self.members.remove(old) else {
            return;
        };
        for call_id in [member.joining.take(), member.syncing.take()]
            .into_iter()
            .flatten()
        {
            let response = JoinGroupResponse {
                error_code: ErrorCode::FencedInstanceId.code(),
                ..JoinGroupResponse::default()
            };
            self.answers
                .push((call_id, GroupResponse::JoinGroup(response)));
        }
        if self.leader.as_deref() == Some(old) {
            self.leader = Some(new.to_owned());
        }
        self.members.insert(new.to_owned(), member);
        if self.state == State::Stable {
            self.store();
        }
    }

    fn prepare(&mut self, now: Instant) {
        if self.state == State::Completing {
            for member in self.members.values_mut() {
                if let Some(call_id) = member.syncing.take() {
                    let answer = sync_response(ErrorCode::RebalanceInProgress, Bytes::new());
                    self.answers.push((call_id, answer));
                }
            }
        }
        self.state = State::Preparing;
        let longest = self.members.values().map(|member| member.rebalance).max();
        self.join_ends_at = longest.map(|longest| now + longest);
    }

    fn try_complete(&mut self, now: Instant) {
        if self.state == State::Preparing
            && self.members.values().all(|member| member.joining.is_some())
        {
            self.complete(now);
        }
    }

    fn complete(&mut self, now: Instant) {
        self.join_ends_at = None;
        self.members.retain(|_, member| member.joining.is_some());
        if self.members.is_empty() {
            self.state = State::Empty;
            self.generation += 1;
            return;
        }
        self.generation += 1;
        let offered =
            |member: &Member, name: &str| member.protocols.iter().any(|(one, _)| one == name);
        let mut all = self.members.values();
        let common = all.next().and_then(|first| {
            let names = first.protocols.iter().map(|(name, _)| name);
            names
                .into_iter()
                .find(|name| self.members.values().all(|member| offered(member, name)))
                .cloned()
        });
        self.protocol = common.unwrap_or_default();
        if !self
            .leader
            .as_ref()
            .is_some_and(|leader| self.members.contains_key(leader))
        {
            self.leader = self.members.keys().next().cloned();
        }
        self.state = State::Completing;
        let ids: Vec<String> = self.members.keys().cloned().collect();
        for id in ids {
            let response = self.join_response(&id);
            if let Some(call_id) = self.members.get_mut(&id).and_then(|member| {
                member.expires_at = now + member.session;
                member.joining.take()
            }) {
                self.answers.push((call_id, response));
            }
        }
    }

    fn join_response(&self, id: &str) -> GroupResponse {
        let leads = self.leader.as_deref() == Some(id);
        let members = self.members.iter().filter(|_| leads).map(|(id, member)| {
            let chosen = member
                .protocols
                .iter()
                .find(|(name, _)| *name == self.protocol);
            JoinGroupResponseMember {
                member_id: id.clone(),
                group_instance_id: member.instance.clone(),
                metadata: chosen.map(|(_, bytes)| bytes.clone()).unwrap_or_default(),
            }
        });
        GroupResponse::JoinGroup(JoinGroupResponse {
            generation_id: self.generation,
            protocol_type: Some("consumer".to_owned()),
            protocol_name: Some(self.protocol.clone()),
            leader: self.leader.clone().unwrap_or_default(),
            member_id: id.to_owned(),
            members: members.collect(),
            ..JoinGroupResponse::default()
        })
    }

    fn check(
        &mut self,
        now: Instant,
        id: &str,
        instance: &Option<String>,
        generation: i32,
    ) -> ErrorCode {
        if self.is_instance_of_another(instance, id) {
            return ErrorCode::FencedInstanceId;
        }
        let Some(member) = self.members.get_mut(id) else {
            return ErrorCode::UnknownMemberId;
        };
        if generation != self.generation {
            return ErrorCode::IllegalGeneration;
        }
        member.expires_at = now + member.session;
        ErrorCode::None
    }

    fn sync(&mut self, now: Instant, call_id: CallId, request: SyncGroupRequest) {
        let code = self.check(
            now,
            &request.member_id,
            &request.group_instance_id,
            request.generation_id,
        );
        let answer = |code, bytes| (call_id, sync_response(code, bytes));
        if code != ErrorCode::None {
            return self.answers.push(answer(code, Bytes::new()));
        }
        match self.state {
            State::Empty => self
                .answers
                .push(answer(ErrorCode::UnknownMemberId, Bytes::new())),
            State::Preparing => {
                self.answers
                    .push(answer(ErrorCode::RebalanceInProgress, Bytes::new()));
            }
            State::Stable => {
                let member = self.members.get(&request.member_id);
                let bytes = member
                    .map(|member| member.assignment.clone())
                    .unwrap_or_default();
                self.answers.push(answer(ErrorCode::None, bytes));
            }
            State::Completing => {
                if let Some(member) = self.members.get_mut(&request.member_id) {
                    member.syncing = Some(call_id);
                }
                if self.leader.as_deref() == Some(&*request.member_id) {
                    for assigned in request.assignments {
                        if let Some(member) = self.members.get_mut(&assigned.member_id) {
                            member.assignment = assigned.assignment;
                        }
                    }
                    self.assigned(now);
                }
            }
        }
    }

    fn assigned(&mut self, now: Instant) {
        self.state = State::Stable;
        for member in self.members.values_mut() {
            member.expires_at = now + member.session;
            if let Some(call_id) = member.syncing.take() {
                let answer = sync_response(ErrorCode::None, member.assignment.clone());
                self.answers.push((call_id, answer));
            }
        }
        self.store();
    }

    fn store(&mut self) {
        self.stored = (
            self.generation,
            self.members.clone(),
            self.leader.clone(),
            self.protocol.clone(),
        );
    }

    fn heartbeat(&mut self, now: Instant, call_id: CallId, request: &HeartbeatRequest) {
        let code = self.check(
            now,
            &request.member_id,
            &request.group_instance_id,
            request.generation_id,
        );
        let code = match (code, self.state) {
            (ErrorCode::None, State::Preparing) => ErrorCode::RebalanceInProgress,
            (code, _) => code,
        };
        let response = HeartbeatResponse {
            error_code: code.code(),
            ..HeartbeatResponse::default()
        };
        self.answers
            .push((call_id, GroupResponse::Heartbeat(response)));
    }

    fn remove(&mut self, now: Instant, id: &str) {
        if self.members.remove(id).is_none() {
            return;
        }
        match self.state {
            State::Stable | State::Completing => self.prepare(now),
            State::Empty | State::Preparing => {}
        }
        self.try_complete(now);
    }
}

impl Coordinator for ClassicCoordinator {
    fn handle(&mut self, now: Instant, call_id: CallId, request: GroupRequest) {
        match request {
            GroupRequest::JoinGroup(request) => self.join(now, call_id, request),
            GroupRequest::SyncGroup(request) => self.sync(now, call_id, request),
            GroupRequest::Heartbeat(request) => self.heartbeat(now, call_id, &request),
            GroupRequest::LeaveGroup(request) => {
                self.remove(now, &request.member_id);
                let response = GroupResponse::LeaveGroup(LeaveGroupResponse::default());
                self.answers.push((call_id, response));
            }
            GroupRequest::ConsumerGroupHeartbeat(_) => {}
        }
    }

    fn tick(&mut self, now: Instant) {
        let gone: Vec<String> = self
            .members
            .iter()
            .filter(|(_, member)| member.joining.is_none() && member.syncing.is_none())
            .filter(|(_, member)| member.expires_at <= now)
            .map(|(id, _)| id.clone())
            .collect();
        for id in gone {
            self.remove(now, &id);
        }
        if self.join_ends_at.is_some_and(|at| at <= now) {
            self.complete(now);
        }
    }

    fn answers(&mut self) -> Vec<(CallId, GroupResponse)> {
        std::mem::take(&mut self.answers)
    }

    fn move_over(&mut self, now: Instant) -> Vec<CallId> {
        let waiting = self.members.values();
        let call_ids = waiting.flat_map(|member| [member.joining, member.syncing]);
        let lost = call_ids.flatten().collect();
        let (generation, members, leader, protocol) = self.stored.clone();
        self.generation = generation;
        self.members = members;
        self.leader = leader;
        self.protocol = protocol;
        self.pending.clear();
        self.join_ends_at = None;
        for member in self.members.values_mut() {
            member.joining = None;
            member.syncing = None;
            member.expires_at = now + member.session;
        }
        self.state = match self.members.is_empty() {
            true => State::Empty,
            false => State::Stable,
        };
        lost
    }

    fn commit_error(&mut self, now: Instant, member: &str, generation: i32) -> ErrorCode {
        let code = self.check(now, member, &None, generation);
        match (code, self.state) {
            (ErrorCode::None, State::Completing) => ErrorCode::RebalanceInProgress,
            (code, _) => code,
        }
    }

    fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    fn is_at_rest(&self, live: usize) -> bool {
        self.state == State::Stable && self.members.len() == live
    }
}

fn sync_response(code: ErrorCode, assignment: Bytes) -> GroupResponse {
    GroupResponse::SyncGroup(SyncGroupResponse {
        error_code: code.code(),
        assignment,
        ..SyncGroupResponse::default()
    })
}
