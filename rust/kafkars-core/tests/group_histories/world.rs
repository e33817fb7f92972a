//! The simulated world: a clock, a network, a coordinator, members, records.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::cluster::{Cluster, Scope};
use kafkars_core::config::{GroupConfig, GroupProtocol, TopicPartition};
use kafkars_core::group::assignor::Assignor;
use kafkars_core::group::{MembershipState, RequestFailure};
use kafkars_protocol::messages::metadata::{
    MetadataResponse, MetadataResponseBroker, MetadataResponsePartition, MetadataResponseTopic,
};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::coordinator::{CallId, Coordinator, Offsets, commit_answer, commits};
use crate::defects::Defect;
use crate::invariants::{Finished, committed_rightly, owned_once};
use crate::member::{Member, MemberRequest};
use crate::network::{Delivery, Network, Process, Request, error_answer};
use crate::promises::Promises;
use crate::trace;
use crate::trouble::{Api, Fate, Troubles};

pub(crate) const SESSION: Duration = Duration::from_secs(10);
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(1);
pub(crate) const MAX_POLL: Duration = Duration::from_secs(15);
const TICK: Duration = Duration::from_millis(200);
/// A history has about 20,000 steps; many more mean that a member spins.
const MOST_STEPS: u64 = 60_000;

pub(crate) struct World {
    pub(crate) now: Instant,
    pub(crate) network: Network,
    pub(crate) members: Vec<Option<Member>>,
    pub(crate) ends: BTreeMap<TopicPartition, i64>,
    pub(crate) offsets: Offsets,
    pub(crate) finished: Finished,
    pub(crate) defect: Option<Defect>,
    pub(crate) troubles: Troubles,
    /// Commits whose outcome members heard, or are still to hear.
    pub(crate) promises: Promises,
    /// Some consumers have read partitions by hand before they subscribe, and commit where they stood.
    pub(crate) some_read_by_hand: bool,
    coordinator: Box<dyn Coordinator>,
    coordinator_node: i32,
    loading_until: Instant,
    next_tick: Instant,
    incarnation: u64,
    steps: u64,
    cluster: Cluster,
}

impl World {
    pub(crate) fn new(
        seed: u64,
        topics: BTreeMap<String, (Uuid, i32)>,
        coordinator: Box<dyn Coordinator>,
        defect: Option<Defect>,
    ) -> Self {
        let now = Instant::now();
        trace::start(now);
        let places = topics.iter().flat_map(|(name, (_, count))| {
            let topic: Arc<str> = name.as_str().into();
            (0..*count).map(move |partition| TopicPartition {
                topic: Arc::clone(&topic),
                partition,
            })
        });
        Self {
            now,
            network: Network::new(seed),
            members: Vec::new(),
            ends: places.map(|place| (place, 0)).collect(),
            cluster: cluster(&topics),
            offsets: Offsets::default(),
            finished: Finished::default(),
            defect,
            troubles: Troubles::default(),
            promises: Promises::default(),
            some_read_by_hand: false,
            coordinator,
            coordinator_node: 1,
            loading_until: now,
            next_tick: now,
            incarnation: 0,
            steps: 0,
        }
    }

    pub(crate) fn join(
        &mut self,
        place: usize,
        protocol: GroupProtocol,
        assignors: Vec<Arc<dyn Assignor>>,
        instance: Option<String>,
    ) {
        self.incarnation += 1;
        let config = GroupConfig {
            group_id: "group".to_owned(),
            group_instance_id: instance,
            group_protocol: protocol,
            session_timeout: SESSION,
            heartbeat_interval: HEARTBEAT,
            max_poll_interval: MAX_POLL,
            request_timeout: Duration::from_secs(5),
            auto_commit_interval: Duration::from_secs(1),
            ..GroupConfig::default()
        };
        let config = match self.defect {
            Some(Defect::NobodyWaits) => GroupConfig {
                retry_backoff: Duration::ZERO,
                retry_backoff_max: Duration::ZERO,
                ..config
            },
            _ => config,
        };
        let read_by_hand = match self.some_read_by_hand && self.incarnation.is_multiple_of(3) {
            true => {
                let stood =
                    |partition: &TopicPartition| (partition.clone(), self.offsets.of(partition));
                self.ends.keys().map(stood).collect()
            }
            false => BTreeMap::new(),
        };
        let mut member = Member::new(
            self.now,
            Process {
                place,
                incarnation: self.incarnation,
            },
            config.check().expect("settings fit"),
            assignors,
            self.cluster.clone(),
            self.incarnation.wrapping_mul(0x9e37_79b9),
            self.defect,
        );
        member.begin(self.now, &read_by_hand);
        while self.members.len() <= place {
            self.members.push(None);
        }
        self.members[place] = Some(member);
    }

    /// Runs until `until`, or as long as `goes_on` says.
    pub(crate) fn run(
        &mut self,
        until: Instant,
        goes_on: impl Fn(&Self) -> bool,
    ) -> Result<(), String> {
        while self.now < until && goes_on(self) {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return Err("somebody spins".to_owned());
            }
            self.step()?;
            let wake = self
                .members
                .iter()
                .flatten()
                .map(|member| member.wake_at(self.now));
            let next = [self.network.next_at(), Some(self.next_tick), Some(until)];
            let next = next
                .into_iter()
                .flatten()
                .chain(wake)
                .min()
                .unwrap_or(until);
            self.now = self.now.max(next);
        }
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        // A process that goes on after a pause checks its timers before the invariants are checked.
        for place in 0..self.members.len() {
            if let Some(member) = &mut self.members[place]
                && member.frozen_until.is_some_and(|until| until <= self.now)
            {
                member.frozen_until = None;
                let deferred = std::mem::take(&mut member.deferred);
                let to = member.process;
                for arrival in deferred {
                    self.network
                        .put(self.now, Delivery::ToMember { to, arrival });
                }
                self.drive(place)?;
            }
        }
        if self.now >= self.next_tick {
            self.next_tick = self.now + TICK;
            self.coordinator.tick(self.now);
            self.route_answers();
        }
        while let Some(delivery) = self.network.take_due(self.now) {
            self.deliver(delivery)?;
        }
        for place in 0..self.members.len() {
            self.live(place)?;
        }
        owned_once(self.now, &self.members)
    }

    fn deliver(&mut self, delivery: Delivery) -> Result<(), String> {
        let now = self.now;
        match delivery {
            Delivery::TimedOut(call_id) => self.network.give_up(now, call_id, "timed out"),
            Delivery::Broken(call_id) => self.network.give_up(now, call_id, "connection lost"),
            Delivery::ToMember { to, arrival } => {
                let Some(Some(member)) = self.members.get_mut(to.place) else {
                    return Ok(());
                };
                if member.process != to {
                    return Ok(());
                }
                if member.is_frozen(now) {
                    member.deferred.push(arrival);
                    return Ok(());
                }
                trace::line(now, || format!("-> {} {arrival:?}", to.place));
                member.arrive(now, arrival);
                self.drive(to.place)?;
            }
            Delivery::ToCoordinator {
                call_id,
                node,
                request,
            } => {
                let Some(from) = self.network.sender(call_id) else {
                    return Ok(()); // given up
                };
                trace::line(now, || format!("<- {} {request:?}", from.place));
                let fate = self.troubles.judge(from, Api::of(&request));
                if let Some(fate) = fate {
                    self.network.spoil(now, call_id, fate);
                }
                let refusal = if let Some(Fate::Refused(code)) = fate {
                    Some(code)
                } else if fate == Some(Fate::CutBefore) {
                    self.network.give_up(now, call_id, "connection cut");
                    return Ok(());
                } else if node != self.coordinator_node {
                    Some(ErrorCode::NotCoordinator)
                } else if now < self.loading_until {
                    Some(ErrorCode::CoordinatorLoadInProgress)
                } else {
                    None
                };
                match request {
                    Request::Group(request) => {
                        if let Some(code) = refusal {
                            let answer = error_answer(&request, code);
                            self.network.answer(now, call_id, answer);
                        } else {
                            self.coordinator.handle(now, call_id, request);
                            self.route_answers();
                        }
                    }
                    Request::Commit(request) => {
                        self.commit(call_id, &request, refusal)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn commit(
        &mut self,
        call_id: CallId,
        request: &kafkars_protocol::messages::offset_commit::OffsetCommitRequest,
        refusal: Option<ErrorCode>,
    ) -> Result<(), String> {
        let now = self.now;
        let member = request.member_id.clone();
        let generation = request.generation_id_or_member_epoch;
        let is_nobody = member.is_empty() && generation < 0;
        let code = match refusal {
            Some(code) => code,
            // What a coordinator without checks would do.
            None if self.defect == Some(Defect::CommitsWithoutGeneration) => ErrorCode::None,
            None if is_nobody && self.coordinator.is_empty() => ErrorCode::None,
            None => self.coordinator.commit_error(now, &member, generation),
        };
        if code == ErrorCode::None
            && let Some(from) = self.network.sender(call_id)
        {
            for (partition, offset) in commits(request) {
                let before = self.offsets.of(&partition);
                // Members that have lost everything without knowing it do not count here.
                let members = match is_nobody && self.defect.is_none() {
                    true => &[],
                    false => self.members.as_slice(),
                };
                committed_rightly(
                    now,
                    &self.finished,
                    members,
                    from,
                    &partition,
                    offset,
                    before,
                )?;
                self.offsets.commit(partition, offset);
            }
        }
        let answer = commit_answer(request, code);
        self.network.answer_commit(now, call_id, answer);
        Ok(())
    }

    /// One member's timers and application.
    fn live(&mut self, place: usize) -> Result<(), String> {
        let now = self.now;
        if self.members[place]
            .as_ref()
            .is_none_or(|member| member.is_frozen(now))
        {
            return Ok(());
        }
        self.drive(place)?;
        let Some(member) = self.members[place].as_mut() else {
            return Ok(());
        };
        if member.left {
            self.promises.left(member)?;
            self.members[place] = None;
            return Ok(());
        }
        if now >= member.next_poll && member.busy_until.is_none_or(|until| until <= now) {
            let offsets = &self.offsets;
            let finished = member.poll(now, |partition| offsets.of(partition));
            self.finished.add(finished);
            member.take(&self.ends);
            member.next_poll = now + self.network.milliseconds(50, 400);
            self.drive(place)?;
        }
        Ok(())
    }

    fn drive(&mut self, place: usize) -> Result<(), String> {
        let now = self.now;
        let Some(member) = self.members[place].as_mut() else {
            return Ok(());
        };
        let process = member.process;
        let requests = member.drive(now);
        self.promises.note(member, &self.offsets)?;
        for request in requests {
            match request {
                MemberRequest::FindCoordinator => {
                    let answer = self.find_coordinator(process);
                    self.network.tell_coordinator(now, process, answer);
                }
                MemberRequest::LookUp => {
                    let fate = self.troubles.judge(process, Api::TopicLookup);
                    self.network.tell_topics(now, process, fate.is_some());
                }
                MemberRequest::Send(call) => {
                    let request = Request::Group(call.request);
                    let (node, id, timeout) = (call.node, call.id, call.timeout);
                    self.network.send(now, process, node, id, request, timeout);
                }
                MemberRequest::Commit(call) => {
                    let request = Request::Commit(call.request);
                    let (node, id, timeout) = (call.node, call.id, call.timeout);
                    self.network.send(now, process, node, id, request, timeout);
                }
            }
        }
        Ok(())
    }

    fn find_coordinator(&mut self, process: Process) -> Result<i32, RequestFailure> {
        match self.troubles.judge(process, Api::FindCoordinator) {
            None | Some(Fate::Garbled(_) | Fate::Late(_)) => Ok(self.coordinator_node),
            Some(Fate::Refused(code)) => Err(RequestFailure::Refused(code, None)),
            Some(Fate::CutBefore | Fate::CutAfter | Fate::Lost) => {
                Err(RequestFailure::Retriable("cut".into()))
            }
        }
    }

    fn route_answers(&mut self) {
        for (call_id, response) in self.coordinator.answers() {
            self.network.answer(self.now, call_id, response);
        }
    }

    pub(crate) fn move_coordinator(&mut self) {
        self.coordinator_node = self.coordinator_node % 3 + 1;
        trace::line(self.now, || "the coordinator moves".to_owned());
        let loading = self.network.milliseconds(1, 500);
        self.loading_until = self.now + loading;
        for call_id in self.coordinator.move_over(self.now) {
            self.network
                .give_up(self.now, call_id, "the broker stopped");
        }
    }

    /// True if every member is settled, and every partition has an owner.
    pub(crate) fn is_settled(&self) -> bool {
        let live = self.members.iter().flatten().count();
        let mut members = self.members.iter().flatten();
        let held: usize = self
            .members
            .iter()
            .flatten()
            .map(|member| member.held.len())
            .sum();
        members.all(|member| member.membership.state() == MembershipState::Stable)
            && held == self.ends.len()
            && self.coordinator.is_at_rest(live)
    }

    /// True if every record was finished and committed.
    pub(crate) fn is_done(&self) -> bool {
        self.ends
            .iter()
            .all(|(partition, end)| self.offsets.of(partition) == *end)
    }
}

fn cluster(topics: &BTreeMap<String, (Uuid, i32)>) -> Cluster {
    let topics = topics
        .iter()
        .map(|(name, (id, count))| MetadataResponseTopic {
            name: Some(name.clone()),
            topic_id: *id,
            partitions: (0..*count)
                .map(|number| MetadataResponsePartition {
                    partition_index: number,
                    leader_id: 1,
                    ..MetadataResponsePartition::default()
                })
                .collect(),
            ..MetadataResponseTopic::default()
        });
    let response = MetadataResponse {
        brokers: vec![MetadataResponseBroker {
            node_id: 1,
            host: "broker".to_owned(),
            port: 9092,
            ..MetadataResponseBroker::default()
        }],
        topics: topics.collect(),
        ..MetadataResponse::default()
    };
    Cluster::default()
        .merge(&response, 13, Scope::Named)
        .expect("news")
}
