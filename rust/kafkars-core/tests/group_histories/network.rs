//! The network: requests and responses under way, and what can happen to them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use kafkars_core::backoff::Random;
use kafkars_core::group::{GroupRequest, GroupResponse, RequestFailure, RequestId};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatResponse;
use kafkars_protocol::messages::heartbeat::HeartbeatResponse;
use kafkars_protocol::messages::join_group::JoinGroupResponse;
use kafkars_protocol::messages::leave_group::LeaveGroupResponse;
use kafkars_protocol::messages::offset_commit::{OffsetCommitRequest, OffsetCommitResponse};
use kafkars_protocol::messages::sync_group::SyncGroupResponse;

use crate::coordinator::CallId;
use crate::trouble::{Fate, Garbage};

/// A member's process: a place in the world, and how many were there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    pub(crate) place: usize,
    pub(crate) incarnation: u64,
}

/// What a member sends.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    Group(GroupRequest),
    Commit(OffsetCommitRequest),
}

/// What reaches a member.
#[derive(Debug, Clone)]
pub(crate) enum Arrival {
    Group(RequestId, Result<GroupResponse, RequestFailure>),
    Commit(RequestId, Result<OffsetCommitResponse, RequestFailure>),
    Coordinator(Result<i32, RequestFailure>),
    /// Metadata of topics that were looked up.
    Topics,
    /// A look-up that brought nothing.
    NoTopics,
}

/// One thing under way.
#[derive(Debug)]
pub(crate) enum Delivery {
    ToCoordinator {
        call_id: CallId,
        node: i32,
        request: Request,
    },
    ToMember {
        to: Process,
        arrival: Arrival,
    },
    /// No answer in time.
    TimedOut(CallId),
    /// The connection broke.
    Broken(CallId),
}

/// The sender that waits for a response.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    from: Process,
    id: RequestId,
    is_commit: bool,
    loses_answer: bool,
    /// How much longer the answer takes.
    delay: Duration,
    garbage: Option<Garbage>,
}

pub(crate) struct Network {
    queue: BTreeMap<(Instant, u64), Delivery>,
    waiting: BTreeMap<CallId, Waiting>,
    pub(crate) faulty: bool,
    pub(crate) cut_off: BTreeSet<Process>,
    /// When the last request of a connection arrives: each member has one for requests that are held back, one for
    /// others.
    connections: BTreeMap<(Process, bool), Instant>,
    random: Random,
    next: u64,
}

impl Network {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            queue: BTreeMap::new(),
            waiting: BTreeMap::new(),
            faulty: false,
            cut_off: BTreeSet::new(),
            connections: BTreeMap::new(),
            random: Random::new(seed),
            next: 0,
        }
    }

    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.queue.keys().next().map(|(at, _)| *at)
    }

    /// The next delivery that is due.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<Delivery> {
        let key = *self.queue.keys().next().filter(|(at, _)| *at <= now)?;
        self.queue.remove(&key)
    }

    pub(crate) fn put(&mut self, at: Instant, delivery: Delivery) {
        self.next += 1;
        self.queue.insert((at, self.next), delivery);
    }

    pub(crate) fn send(
        &mut self,
        now: Instant,
        from: Process,
        node: i32,
        id: RequestId,
        request: Request,
        timeout: Duration,
    ) {
        self.next += 1;
        let call_id = self.next;
        let is_commit = matches!(request, Request::Commit(_));
        let is_held_back = matches!(
            request,
            Request::Group(GroupRequest::JoinGroup(_) | GroupRequest::SyncGroup(_))
        );
        let mut waiting = Waiting {
            from,
            id,
            is_commit,
            loses_answer: false,
            delay: Duration::ZERO,
            garbage: None,
        };
        let deliver = Delivery::ToCoordinator {
            call_id,
            node,
            request,
        };
        self.put(now + timeout, Delivery::TimedOut(call_id));
        let dice = if self.faulty { self.below(100) } else { 99 };
        let soon = now + self.milliseconds(1, 20);
        let breaks_at = now + self.milliseconds(100, 2000);
        let late = now + self.milliseconds(200, 2500);
        if self.cut_off.contains(&from) {
            self.put(now + Duration::from_secs(1), Delivery::Broken(call_id));
        } else if dice < 3 {
            self.put(breaks_at, Delivery::Broken(call_id));
        } else {
            let before = self.connections.get(&(from, is_held_back)).copied();
            let at = if (6..10).contains(&dice) { late } else { soon };
            let at = before.map_or(at, |before| before.max(at));
            self.connections.insert((from, is_held_back), at);
            self.put(at, deliver);
            if dice < 6 {
                waiting.loses_answer = true;
                self.put(breaks_at.max(at), Delivery::Broken(call_id));
            }
        }
        self.waiting.insert(call_id, waiting);
    }

    /// What an answer will be like.
    pub(crate) fn spoil(&mut self, now: Instant, call_id: CallId, fate: Fate) {
        let breaks_at = now + Duration::from_millis(20);
        let Some(waiting) = self.waiting.get_mut(&call_id) else {
            return;
        };
        match fate {
            Fate::CutAfter => {
                waiting.loses_answer = true;
                self.put(breaks_at, Delivery::Broken(call_id));
            }
            Fate::Lost => waiting.loses_answer = true,
            Fate::Late(delay) => waiting.delay = delay,
            Fate::Garbled(garbage) => waiting.garbage = Some(garbage),
            Fate::Refused(_) | Fate::CutBefore => {}
        }
    }

    pub(crate) fn answer(&mut self, now: Instant, call_id: CallId, mut response: GroupResponse) {
        let garbage = self
            .waiting
            .get(&call_id)
            .and_then(|waiting| waiting.garbage);
        if let Some(garbage) = garbage {
            garbage.spoil(call_id, &mut response);
        }
        self.back(now, call_id, |id| Arrival::Group(id, Ok(response)));
    }

    pub(crate) fn answer_commit(
        &mut self,
        now: Instant,
        call_id: CallId,
        response: OffsetCommitResponse,
    ) {
        self.back(now, call_id, |id| Arrival::Commit(id, Ok(response)));
    }

    fn back(&mut self, now: Instant, call_id: CallId, arrival: impl FnOnce(RequestId) -> Arrival) {
        let Some(waiting) = self.waiting.get(&call_id).copied() else {
            return;
        };
        if waiting.loses_answer {
            return; // the broken connection tells, or the end of the time for the request
        }
        if self.cut_off.contains(&waiting.from) {
            return self.put(now + Duration::from_secs(1), Delivery::Broken(call_id));
        }
        self.waiting.remove(&call_id);
        let late = self.faulty && self.below(25) == 0;
        let latency = if late {
            self.milliseconds(200, 2000)
        } else {
            self.milliseconds(1, 20)
        };
        let to = waiting.from;
        let arrival = arrival(waiting.id);
        let latency = latency + waiting.delay;
        self.put(now + latency, Delivery::ToMember { to, arrival });
    }

    /// Tells the sender that there will be no response.
    pub(crate) fn give_up(&mut self, now: Instant, call_id: CallId, cause: &str) {
        let Some(waiting) = self.waiting.remove(&call_id) else {
            return;
        };
        let failure = RequestFailure::Retriable(cause.into());
        let arrival = match waiting.is_commit {
            true => Arrival::Commit(waiting.id, Err(failure)),
            false => Arrival::Group(waiting.id, Err(failure)),
        };
        self.put(
            now,
            Delivery::ToMember {
                to: waiting.from,
                arrival,
            },
        );
    }

    /// Which process sent what `call_id` stands for.
    pub(crate) fn sender(&self, call_id: CallId) -> Option<Process> {
        self.waiting.get(&call_id).map(|waiting| waiting.from)
    }

    /// Answers a search for the coordinator.
    pub(crate) fn tell_coordinator(
        &mut self,
        now: Instant,
        to: Process,
        answer: Result<i32, RequestFailure>,
    ) {
        let fails = self.cut_off.contains(&to) || self.faulty && self.below(10) == 0;
        let answer = match fails {
            true => Err(RequestFailure::Retriable("no broker answers".into())),
            false => answer,
        };
        let at = now + self.milliseconds(1, if fails { 1000 } else { 20 });
        let arrival = Arrival::Coordinator(answer);
        self.put(at, Delivery::ToMember { to, arrival });
    }

    /// Answers a look-up of topics, with nothing if it fails.
    pub(crate) fn tell_topics(&mut self, now: Instant, to: Process, fails: bool) {
        let fails = fails || self.cut_off.contains(&to) || self.faulty && self.below(4) == 0;
        let at = now + self.milliseconds(1, if fails { 1000 } else { 20 });
        let arrival = match fails {
            true => Arrival::NoTopics,
            false => Arrival::Topics,
        };
        self.put(at, Delivery::ToMember { to, arrival });
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.random.next() % bound
    }

    pub(crate) fn milliseconds(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.below(to - from))
    }
}

/// The answer that only says `code`.
pub(crate) fn error_answer(request: &GroupRequest, code: ErrorCode) -> GroupResponse {
    let error_code = code.code();
    match request {
        GroupRequest::JoinGroup(_) => GroupResponse::JoinGroup(JoinGroupResponse {
            error_code,
            ..JoinGroupResponse::default()
        }),
        GroupRequest::SyncGroup(_) => GroupResponse::SyncGroup(SyncGroupResponse {
            error_code,
            ..SyncGroupResponse::default()
        }),
        GroupRequest::Heartbeat(_) => GroupResponse::Heartbeat(HeartbeatResponse {
            error_code,
            ..HeartbeatResponse::default()
        }),
        GroupRequest::LeaveGroup(_) => GroupResponse::LeaveGroup(LeaveGroupResponse {
            error_code,
            ..LeaveGroupResponse::default()
        }),
        GroupRequest::ConsumerGroupHeartbeat(_) => {
            GroupResponse::ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse {
                error_code,
                ..ConsumerGroupHeartbeatResponse::default()
            })
        }
    }
}
