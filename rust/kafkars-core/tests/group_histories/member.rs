//! One consumer: the membership, a driver, and an application that polls, works and commits.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::cluster::Cluster;
use kafkars_core::config::{Checked, GroupConfig, GroupProtocol, TopicPartition};
use kafkars_core::group::assignor::Assignor;
use kafkars_core::group::{
    Action, Change, ChangeKind, CommitCall, CommitId, CommitQueue, GroupCall, GroupError,
    GroupEvent, GroupRequest, Leave, Membership, OffsetAndMetadata, Subscription,
};

use crate::defects::Defect;
use crate::network::{Arrival, Process};
use crate::progress::Progress;
use crate::promises::Made;
use crate::trace;

/// What a member wants from the world.
pub(crate) enum MemberRequest {
    FindCoordinator,
    Send(GroupCall),
    Commit(CommitCall),
    /// Metadata of topics that the member does not know.
    LookUp,
}

/// Records of one partition that the application works on.
pub(crate) type Work = BTreeMap<TopicPartition, std::ops::Range<i64>>;

/// How long commits may hold up the end.
const END_WITHIN: Duration = Duration::from_secs(4);

pub(crate) struct Member {
    pub(crate) process: Process,
    pub(crate) membership: Membership,
    pub(crate) commits: CommitQueue,
    pub(crate) defect: Option<Defect>,
    /// What the application believes to own.
    pub(crate) held: BTreeSet<TopicPartition>,
    /// What it works on since the last poll.
    pub(crate) work: Work,
    pub(crate) positions: BTreeMap<TopicPartition, i64>,
    /// Not a process that does anything until then.
    pub(crate) frozen_until: Option<Instant>,
    /// What has come from the network meanwhile.
    pub(crate) deferred: Vec<Arrival>,
    /// The application is busy until then.
    pub(crate) busy_until: Option<Instant>,
    pub(crate) next_poll: Instant,
    pub(crate) left: bool,
    pub(crate) failure: Option<GroupError>,
    pub(crate) lost: usize,
    pub(crate) revoked: BTreeSet<TopicPartition>,
    /// Commits that its application has made, and those that are said to be done.
    pub(crate) made: Made,
    pub(crate) confirmed: Vec<(TopicPartition, i64)>,
    /// Whether its application commits by hand alone.
    is_by_hand: bool,
    next_commit: Instant,
    /// When a member that leaves gives its commits up.
    commits_end_at: Option<Instant>,
    is_looking_up: bool,
    look_ups: u32,
    progress: Progress,
    cluster: Cluster,
    changes: VecDeque<Change>,
    callback: Option<Callback>,
    held_back_commit: Option<CommitCall>,
    /// A defect: its membership has failed, and the next join says nothing of who it was.
    forgets_id: bool,
}

/// A callback of the application that runs.
struct Callback {
    change: Change,
    ends_at: Instant,
    commit: Option<CommitId>,
}

impl Member {
    pub(crate) fn new(
        now: Instant,
        process: Process,
        config: Checked<GroupConfig>,
        assignors: Vec<Arc<dyn Assignor>>,
        cluster: Cluster,
        seed: u64,
        defect: Option<Defect>,
    ) -> Self {
        let commits = CommitQueue::new(&config, seed);
        // With the consumer protocol, topics may be known by what the coordinator assigns alone.
        let knows = config.group_protocol == GroupProtocol::Classic;
        let mut membership = Membership::new(config, assignors, seed);
        if knows {
            membership.cluster_changed(now, &cluster);
        }
        Self {
            process,
            membership,
            commits,
            defect,
            held: BTreeSet::new(),
            work: Work::new(),
            positions: BTreeMap::new(),
            frozen_until: None,
            deferred: Vec::new(),
            busy_until: None,
            next_poll: now,
            left: false,
            failure: None,
            lost: 0,
            revoked: BTreeSet::new(),
            made: Made::default(),
            confirmed: Vec::new(),
            next_commit: now,
            // A defect that shows in automatic commits shows the sooner the more there are.
            is_by_hand: process.incarnation % 2 == 1
                && defect != Some(Defect::CommitsWithoutGeneration),
            commits_end_at: None,
            is_looking_up: false,
            look_ups: 0,
            progress: Progress::new(),
            cluster,
            changes: VecDeque::new(),
            callback: None,
            held_back_commit: None,
            forgets_id: false,
        }
    }

    /// Subscribes, after a commit of where it stood in what it has `read_by_hand`.
    pub(crate) fn begin(&mut self, now: Instant, read_by_hand: &BTreeMap<TopicPartition, i64>) {
        let joins_first = self.defect == Some(Defect::CommitsBecomeTheMembers);
        if joins_first {
            self.subscribe(now);
        }
        if !read_by_hand.is_empty() {
            let stood = read_by_hand.iter();
            let stood = stood.map(|(at, offset)| (at.clone(), OffsetAndMetadata::new(*offset)));
            let deadline = now + Duration::from_secs(10);
            let (commits, membership) = (&mut self.commits, &mut self.membership);
            let id = commits.commit(now, membership, stood.collect(), deadline);
            self.made.add(id.expect("offsets that a log has"));
        }
        if !joins_first {
            self.subscribe(now);
        }
    }

    fn subscribe(&mut self, now: Instant) {
        let topics = self
            .cluster
            .topics()
            .map(|topic| topic.name.as_str().into());
        let topics = Subscription::Topics(topics.collect());
        let subscribed = self.membership.subscribe(now, topics);
        subscribed.expect("topics by name");
    }

    pub(crate) fn is_frozen(&self, now: Instant) -> bool {
        self.frozen_until.is_some_and(|until| until > now)
    }

    /// Commits what it has finished and leaves at once.
    pub(crate) fn leave(&mut self, now: Instant) {
        self.commit(now);
        self.commits_end_at = Some(now + END_WITHIN);
        if self.defect == Some(Defect::CommitsAreForgottenAtTheEnd) {
            self.commits = CommitQueue::new(self.membership.config(), 1);
        }
        self.membership.leave(
            now,
            Leave {
                reason: Some("the history says so".to_owned()),
                ..Leave::default()
            },
        );
    }

    /// The application commits what it has finished, without waiting.
    pub(crate) fn commit(&mut self, now: Instant) {
        let (deadline, offsets) = (now + Duration::from_secs(10), self.progress.to_commit());
        if offsets.is_empty() {
            return;
        }
        let made = self
            .commits
            .commit_positions(now, &mut self.membership, offsets, deadline);
        if let Ok(id) = made {
            self.made.add(id);
        }
    }

    pub(crate) fn wake_at(&self, now: Instant) -> Instant {
        if let Some(until) = self.frozen_until.filter(|until| *until > now) {
            return until;
        }
        let busy = self.busy_until.unwrap_or(now);
        let requests = [self.membership.wake_at(), self.commits.wake_at()];
        let poll = self.next_poll.max(busy);
        requests.into_iter().flatten().fold(poll, Instant::min)
    }

    /// Something came from the network.
    pub(crate) fn arrive(&mut self, now: Instant, arrival: Arrival) {
        match arrival {
            Arrival::Coordinator(answer) => self.membership.coordinator_answered(now, answer),
            Arrival::Group(id, Ok(mut response)) => {
                if let Some(defect) = self.defect {
                    defect.mangle_response(&mut response);
                    if self.commits_end_at.is_some() {
                        defect.mangle_goodbye(&mut response);
                    }
                }
                self.membership.answered(now, id, response);
            }
            Arrival::Group(id, Err(failure)) => self.membership.failed(now, id, failure),
            Arrival::Commit(id, Ok(response)) => {
                self.commits
                    .answered(now, &mut self.membership, id, &response);
            }
            Arrival::Topics => {
                self.is_looking_up = false;
                let cluster = self.cluster.clone();
                self.membership.cluster_changed(now, &cluster);
            }
            Arrival::NoTopics => self.is_looking_up = false,
            Arrival::Commit(id, Err(failure)) => {
                self.commits.failed(now, &mut self.membership, id, failure);
            }
        }
    }

    /// Carries out what the membership wants, as a driver does.
    pub(crate) fn drive(&mut self, now: Instant) -> Vec<MemberRequest> {
        let mut requests = Vec::new();
        if !self.is_by_hand {
            let progress = &self.progress;
            self.commits
                .commit_automatically(now, &mut self.membership, || progress.to_commit());
        }
        if let Some(ends_at) = self.commits_end_at {
            self.commits.end_by(ends_at);
        }
        loop {
            while let Some(action) = self.membership.next_action(now) {
                match action {
                    Action::FindCoordinator => requests.push(MemberRequest::FindCoordinator),
                    Action::ResolveTopics { .. } => {
                        self.look_ups += 1;
                        let is_careless = self.defect == Some(Defect::LookUpsAreNotRepeated);
                        if !(self.is_looking_up || is_careless && self.look_ups > 1) {
                            self.is_looking_up = true;
                            requests.push(MemberRequest::LookUp);
                        }
                    }
                    Action::Assign(work) => {
                        let outcome = work.run();
                        self.membership.assignor_finished(now, work.id, outcome);
                    }
                    Action::Send(mut call) => {
                        if self.sends(&mut call.request) {
                            requests.push(MemberRequest::Send(call));
                        }
                    }
                }
            }
            self.take_events(now);
            let request = self
                .commits
                .next_request(now, &mut self.membership, &self.cluster);
            let Some(mut commit) = request else {
                break;
            };
            if self.defect == Some(Defect::LateCommitsArriveFirst) {
                // Every commit is sent once more after the next one.
                let repeated = self.held_back_commit.replace(commit.clone());
                requests.push(MemberRequest::Commit(commit));
                requests.extend(repeated.map(MemberRequest::Commit));
                continue;
            }
            if self.defect == Some(Defect::CommitsWithoutGeneration) {
                commit.request.generation_id_or_member_epoch = -1;
            }
            requests.push(MemberRequest::Commit(commit));
        }
        while let Some(outcome) = self.commits.next_outcome() {
            self.made.answered(outcome.id, outcome.result.is_ok());
            if outcome.result.is_ok() {
                let done = outcome.offsets.iter();
                self.confirmed
                    .extend(done.map(|(partition, one)| (partition.clone(), one.offset)));
                self.progress.committed(&outcome.offsets);
            }
        }
        if let Some(callback) = &mut self.callback
            && let Some(newest) = callback.commit
            && !self.commits.waits_up_to(newest)
        {
            callback.commit = None;
        }
        requests
    }

    /// True if a request is sent; a defect may change it first.
    fn sends(&mut self, request: &mut GroupRequest) -> bool {
        match (self.defect, request) {
            (Some(Defect::IdsAreForgotten), GroupRequest::JoinGroup(request))
                if self.forgets_id && !request.member_id.is_empty() =>
            {
                self.forgets_id = false;
                request.member_id.clear();
                true
            }
            (Some(Defect::OldPlacesAreKept), GroupRequest::ConsumerGroupHeartbeat(request)) => {
                request.member_epoch >= 0 || self.commits_end_at.is_some()
            }
            (Some(defect), request) => defect.mangle_request(request),
            (None, _) => true,
        }
    }

    fn take_events(&mut self, now: Instant) {
        while let Some(event) = self.membership.next_event() {
            let place = self.process.place;
            trace::line(now, || format!("   {place} hears {event:?}"));
            match event {
                GroupEvent::Change(change) => self.hear_of(now, change),
                GroupEvent::PollIntervalExceeded(_) => {}
                GroupEvent::Left => self.left = true,
                GroupEvent::Failed(error) => {
                    self.failure = Some(error);
                    self.forgets_id = true;
                }
            }
        }
    }

    fn hear_of(&mut self, now: Instant, change: Change) {
        let is_careless = match change.kind {
            ChangeKind::Revoked => self.defect == Some(Defect::RevocationsAreIgnored),
            ChangeKind::Lost(_) => self.defect == Some(Defect::LossesAreIgnored),
            ChangeKind::Assigned => false,
        };
        if is_careless {
            return self.membership.change_done(now, change.id);
        }
        if matches!(change.kind, ChangeKind::Lost(_)) {
            // A driver stops handing out at once, whatever the application does.
            self.lost += change.partitions.len();
            self.drop_partitions(&change.partitions);
        }
        self.changes.push_back(change);
    }

    fn drop_partitions(&mut self, partitions: &[TopicPartition]) {
        for partition in partitions {
            self.held.remove(partition);
            self.positions.remove(partition);
        }
        self.progress.forget(partitions);
    }

    /// The application polls: it has finished what it had. Returns that.
    pub(crate) fn poll(
        &mut self,
        now: Instant,
        committed: impl Fn(&TopicPartition) -> i64,
    ) -> Work {
        let finished = std::mem::take(&mut self.work);
        if self.defect != Some(Defect::PollsAreNotNoted) {
            self.membership.polled(now);
        }
        self.progress.polled();
        if self.is_by_hand && self.next_commit <= now {
            self.next_commit = now + Duration::from_secs(1);
            self.commit(now);
        }
        self.run_callbacks(now, committed);
        finished
    }

    /// Partitions are given up while a commit of them is under way. What the coordinator checks matters then alone.
    fn overtakes_commits(&self) -> bool {
        matches!(
            self.defect,
            Some(Defect::RevocationsOvertakeCommits | Defect::CommitsWithoutGeneration)
        )
    }

    fn run_callbacks(&mut self, now: Instant, committed: impl Fn(&TopicPartition) -> i64) {
        if let Some(callback) = self
            .callback
            .take_if(|callback| callback.ends_at <= now && callback.commit.is_none())
        {
            if callback.change.kind == ChangeKind::Revoked {
                self.revoked
                    .extend(callback.change.partitions.iter().cloned());
                self.drop_partitions(&callback.change.partitions);
            }
            self.membership.change_done(now, callback.change.id);
        }
        if self.callback.is_some() {
            return;
        }
        let Some(change) = self.changes.pop_front() else {
            return;
        };
        let mut commit = None;
        match change.kind {
            ChangeKind::Assigned => {
                for partition in &change.partitions {
                    // Lost again before the application heard of it.
                    let serial = self.membership.assignment_serial(partition);
                    if serial == Some(change.id.0) {
                        self.held.insert(partition.clone());
                        self.positions
                            .insert(partition.clone(), committed(partition));
                    }
                }
            }
            ChangeKind::Revoked => {
                let offsets = self.progress.to_commit_of(&change.partitions);
                if !offsets.is_empty() && !self.is_by_hand {
                    let deadline = now + Duration::from_secs(1);
                    commit = self
                        .commits
                        .commit_positions(now, &mut self.membership, offsets, deadline)
                        .ok();
                } else if !self.overtakes_commits() {
                    commit = self.commits.newest();
                    self.commits.end_by(now + Duration::from_secs(5));
                }
            }
            ChangeKind::Lost(_) => {}
        }
        self.callback = Some(Callback {
            change,
            ends_at: now,
            commit,
        });
    }

    /// Takes records, unless a callback runs.
    pub(crate) fn take(&mut self, ends: &BTreeMap<TopicPartition, i64>) {
        if self.callback.is_some() || !self.changes.is_empty() {
            return;
        }
        for partition in &self.held {
            let (Some(position), Some(end)) =
                (self.positions.get_mut(partition), ends.get(partition))
            else {
                continue;
            };
            let upto = (*position + 3).min(*end);
            if upto > *position {
                self.work.insert(partition.clone(), *position..upto);
                *position = upto;
                self.progress.handed_out(partition, upto, 0);
            }
        }
        if self.defect == Some(Defect::UnfinishedRecordsAreCommitted) {
            self.progress.polled();
        }
    }
}
