//! Commits in order, one request at a time, made by whoever the member is when they leave.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_commit::{OffsetCommitRequest, OffsetCommitResponse};

use super::error::CommitError;
use super::error_action::{CommitErrorAction, error_action};
use super::request::{OffsetsToSend, OutgoingCommit, answers, build};
use super::unknown_topic::{UnknownTopic, is_gone, is_unknown_topic};
use super::{OffsetAndMetadata, Offsets};
use crate::backoff::{Backoff, Random};
use crate::cluster::Cluster;
use crate::config::{GroupConfig, TopicPartition};
use crate::error_kind::SecurityError;
use crate::group::action::{Failure, RequestId};
use crate::group::member::{Identity, MembershipState};
use crate::group::membership::Membership;

/// Commits that may wait for the coordinator. They leave together, so this many are weeks of automatic commits.
const LONGEST_QUEUE: usize = 100_000;

/// Tells one commit from every other of the same queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(pub u64);

/// How a commit ended. Outcomes come in the order of the commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitOutcome {
    /// Which commit.
    pub id: CommitId,
    /// What it asked for.
    pub offsets: Offsets,
    /// Whether it was made by itself, not asked for.
    pub is_automatic: bool,
    /// Everything is committed, or why not all of it is.
    pub result: Result<(), CommitError>,
    /// Partitions that the coordinator did not know until the end.
    pub unknown: Vec<TopicPartition>,
    /// Those of them that nobody can commit any more: metadata says that their topics are gone, or were made again.
    pub gone: Vec<TopicPartition>,
}

impl CommitOutcome {
    /// What the coordinator has by this.
    pub fn committed(&self) -> impl Iterator<Item = &TopicPartition> {
        let has_any = match &self.result {
            Ok(()) => true,
            Err(error) => error.is_unknown_topic(),
        };
        let partitions = self.offsets.keys().filter(move |_| has_any);
        partitions.filter(|partition| !self.unknown.contains(partition))
    }

    /// The outcome for whoever has not asked for the commit: that topics are gone is no failure then.
    ///
    /// # Errors
    /// Whatever else stood against it.
    pub fn unless_gone(&self) -> Result<(), CommitError> {
        match &self.result {
            Err(error) if error.is_unknown_topic() && self.gone.len() == self.unknown.len() => {
                Ok(())
            }
            result => result.clone(),
        }
    }
}

/// The commits of one consumer.
///
/// All commits that wait leave in one request, of each partition only the newest offset. While one request is under way
/// the next waits, so that a commit made later never arrives earlier.
#[derive(Debug)]
pub struct CommitQueue {
    waiting: VecDeque<Commit>,
    /// The newest commit that waits and was made before the subscription.
    newest_outside: Option<CommitId>,
    in_flight: Option<InFlight>,
    outcomes: VecDeque<CommitOutcome>,
    /// Topics that the coordinator does not know, for metadata to be asked.
    doubted: BTreeSet<Arc<str>>,
    backoff: Backoff,
    random: Random,
    failures: u32,
    retry_at: Option<Instant>,
    last_cause: Arc<str>,
    next: u64,
    request_timeout: Duration,
    automatic: Option<Duration>,
    automatic_at: Option<Instant>,
}

#[derive(Debug)]
struct Commit {
    id: CommitId,
    offsets: Offsets,
    /// What is still to be committed.
    open: BTreeMap<TopicPartition, Open>,
    started: Instant,
    deadline: Instant,
    is_automatic: bool,
    /// It was made by one who takes part in nothing, and is never a member's: of these partitions others may be the
    /// owners by the time there is a member.
    is_outside: bool,
    /// Nobody waits for it, and nobody makes another one of it.
    is_last: bool,
    /// It may wait for topics that nobody knows: nothing else waits for it, and nobody says it again.
    is_patient: bool,
    error: Option<CommitError>,
    unknown: Vec<TopicPartition>,
    gone: Vec<TopicPartition>,
}

#[derive(Debug)]
struct Open {
    /// The assignment under which the offset was reached.
    serial: Option<u64>,
    /// What to send: the offset asked for, or a later one that may have arrived already.
    offset: OffsetAndMetadata,
    /// The coordinator does not know the partition.
    unknown: Option<UnknownTopic>,
}

#[derive(Debug)]
struct InFlight {
    id: RequestId,
    node: i32,
    identity: Option<Identity>,
    request: OffsetCommitRequest,
    /// The last commit that is part of it.
    newest: CommitId,
}

impl CommitQueue {
    /// Nothing to commit yet.
    #[must_use]
    pub fn new(config: &GroupConfig, seed: u64) -> Self {
        Self {
            waiting: VecDeque::new(),
            newest_outside: None,
            in_flight: None,
            outcomes: VecDeque::new(),
            doubted: BTreeSet::new(),
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
            random: Random::new(seed),
            failures: 0,
            retry_at: None,
            last_cause: "the coordinator was not asked yet".into(),
            next: 0,
            request_timeout: config.request_timeout,
            automatic: config
                .enable_auto_commit
                .then_some(config.auto_commit_interval),
            automatic_at: None,
        }
    }

    /// Commits `offsets`, or tells at the deadline why that was not possible. Offsets of owned partitions count only as
    /// long as the partition stays owned.
    ///
    /// # Errors
    /// A negative offset, or [`CommitError::TooMany`]; nothing is committed then.
    pub fn commit(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        offsets: Offsets,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        self.enqueue(now, membership, offsets, deadline, false)
    }

    /// As [`CommitQueue::commit`], for offsets that the application names as a member of the group: it owns all of
    /// these partitions.
    ///
    /// # Errors
    /// As [`CommitQueue::commit`], and [`CommitError::NotOwned`]; nothing is committed then.
    pub fn commit_owned(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        offsets: Offsets,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        if membership.takes_part() {
            let is_foreign =
                |partition: &&TopicPartition| membership.assignment_serial(partition).is_none();
            let partitions: Vec<TopicPartition> =
                offsets.keys().filter(is_foreign).cloned().collect();
            if !partitions.is_empty() {
                return Err(CommitError::NotOwned {
                    group: Arc::clone(membership.group()),
                    partitions,
                });
            }
        }
        self.enqueue(now, membership, offsets, deadline, false)
    }

    /// As [`CommitQueue::commit`], for positions of the consumer instead of offsets that the application names:
    /// partitions that are not owned any more are not committed, and the outcome is then [`CommitError::Fenced`] with
    /// these.
    ///
    /// # Errors
    /// As [`CommitQueue::commit`].
    pub fn commit_positions(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        positions: Offsets,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        let is_gone =
            |partition: &&TopicPartition| membership.assignment_serial(partition).is_none();
        let gone: Vec<TopicPartition> = positions.keys().filter(is_gone).cloned().collect();
        let id = self.enqueue(now, membership, positions, deadline, false)?;
        if let Some(commit) = self.waiting.back_mut()
            && !gone.is_empty()
        {
            commit.open.retain(|partition, _| !gone.contains(partition));
            commit.error = Some(CommitError::Fenced {
                group: Arc::clone(membership.group()),
                partitions: gone,
            });
            self.finish(|commit| commit.open.is_empty());
            self.tell(now, membership);
        }
        Ok(id)
    }

    /// Commits what the application has finished, if automatic commits are on and it is time; call when
    /// [`CommitQueue::wake_at`] says so. `finished` must not pass a record that is still being worked on: the positions
    /// of the previous poll do not.
    pub fn commit_automatically(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        finished: impl FnOnce() -> Offsets,
    ) -> Option<CommitId> {
        let interval = self.automatic?;
        let due = *self.automatic_at.get_or_insert(now + interval);
        if now < due {
            return None;
        }
        self.automatic_at = Some(now + interval);
        if self.waiting.iter().any(|commit| commit.is_automatic) {
            return None;
        }
        let mut offsets = finished();
        // What went away a moment ago belongs to others, even if the caller has not heard of it yet. One who never
        // subscribed reads what it was given by hand.
        if membership.state() != MembershipState::Unsubscribed {
            offsets.retain(|partition, _| membership.assignment_serial(partition).is_some());
        }
        if offsets.is_empty() {
            return None;
        }
        let deadline = now + interval.max(self.request_timeout);
        self.enqueue(now, membership, offsets, deadline, true).ok()
    }

    /// Leaves out the automatic commit that is due, if one is.
    pub fn skip_automatic(&mut self, now: Instant) {
        if let (Some(interval), Some(due)) = (self.automatic, &mut self.automatic_at)
            && *due <= now
        {
            *due = now + interval;
        }
    }

    fn enqueue(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        offsets: Offsets,
        deadline: Instant,
        is_automatic: bool,
    ) -> Result<CommitId, CommitError> {
        if let Some((partition, bad)) = offsets.iter().find(|(_, one)| one.offset < 0) {
            return Err(CommitError::InvalidOffset {
                partition: partition.clone(),
                offset: bad.offset,
            });
        }
        if self.waiting.len() >= LONGEST_QUEUE {
            return Err(CommitError::TooMany {
                limit: LONGEST_QUEUE,
            });
        }
        self.next += 1;
        let id = CommitId(self.next);
        let is_outside = membership.state() == MembershipState::Unsubscribed;
        if is_outside {
            self.newest_outside = Some(id);
        }
        let open = |(partition, offset): (&TopicPartition, &OffsetAndMetadata)| {
            let open = Open {
                serial: membership.assignment_serial(partition),
                offset: offset.clone(),
                unknown: None,
            };
            (partition.clone(), open)
        };
        self.waiting.push_back(Commit {
            id,
            open: offsets.iter().map(open).collect(),
            offsets,
            started: now,
            deadline,
            is_automatic,
            is_outside,
            is_last: false,
            is_patient: !is_automatic,
            error: None,
            unknown: Vec::new(),
            gone: Vec::new(),
        });
        self.tell(now, membership);
        Ok(id)
    }

    /// The request to send now, if there is one and it may leave.
    pub fn next_request(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        cluster: &Cluster,
    ) -> Option<OutgoingCommit> {
        self.end_late(now);
        self.end_unknown(membership, cluster);
        self.give_up_lost(now, membership);
        self.end_refused(membership);
        self.tell(now, membership);
        if self.in_flight.is_some() || self.retry_at.is_some_and(|at| at > now) {
            return None;
        }
        self.end_stale(membership);
        self.tell(now, membership);
        // What was made outside of the group comes first, and the member joins after it.
        let outside = self.newest_outside.filter(|_| membership.takes_part());
        let newest = outside.or(self.newest())?;
        let offsets = self.newest_offsets(newest, cluster);
        let identity = membership.identity().filter(|_| outside.is_none());
        let joins = membership.takes_part() && membership.state() != MembershipState::Leaving;
        if identity.is_none() && joins && outside.is_none() {
            self.pause(now); // it is joining; then it will be somebody
            return None;
        }
        let Some(node) = membership.coordinator(now) else {
            self.last_cause = "the coordinator is being searched for".into();
            self.pause(now);
            return None;
        };
        let instance = identity
            .as_ref()
            .and_then(|identity| identity.instance.clone());
        let (request, max_version) = build(
            membership.group(),
            identity.as_ref(),
            instance.as_deref(),
            &offsets,
        );
        if self.failures == 0 {
            self.last_cause = "the coordinator has not answered yet".into();
        }
        self.next += 1;
        let id = RequestId(self.next);
        self.in_flight = Some(InFlight {
            id,
            node,
            identity,
            request: request.clone(),
            newest,
        });
        Some(OutgoingCommit {
            id,
            node,
            request,
            max_version,
            timeout: self.request_timeout,
        })
    }

    /// A coordinator that heartbeats find silent, or gone, will not answer what is under way either: it leaves again,
    /// to the next one. Should the same broker come back as coordinator, it takes both in the order in which they were
    /// sent.
    fn give_up_lost(&mut self, now: Instant, membership: &Membership) {
        let is_lost = |in_flight: &mut InFlight| !membership.is_coordinator(in_flight.node);
        if self.in_flight.take_if(is_lost).is_some() {
            self.last_cause = "the coordinator is silent, or not the coordinator any more".into();
            self.failures = self.failures.saturating_add(1);
            self.pause(now);
        }
    }

    /// A request was answered.
    pub fn answered(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        id: RequestId,
        response: &OffsetCommitResponse,
    ) {
        let Some(in_flight) = self.in_flight.take_if(|in_flight| in_flight.id == id) else {
            return;
        };
        let answers = answers(&in_flight.request, response);
        let mut worst = CommitErrorAction::Done;
        let group = Arc::clone(membership.group());
        let judge = |code: ErrorCode| error_action_for(in_flight.identity.as_ref(), code);
        for commit in self
            .waiting
            .iter_mut()
            .filter(|commit| commit.id <= in_flight.newest)
        {
            commit.open.retain(|partition, open| {
                // A partition without a word on it is asked for again.
                let place = (partition.clone(), open.offset.topic_id);
                let code = answers.get(&place).copied();
                match code.filter(|code| is_unknown_topic(*code)) {
                    Some(code) => {
                        open.unknown = Some(UnknownTopic::again(open.unknown, code));
                        self.doubted.insert(Arc::clone(&partition.topic));
                    }
                    None => open.unknown = None,
                }
                let error_action = code.map_or(CommitErrorAction::Retry, judge);
                worst = worst.max_with(error_action);
                if error_action == CommitErrorAction::Refused {
                    let code = code.unwrap_or(ErrorCode::UnknownServerError);
                    let identity = in_flight.identity.as_ref();
                    let refused = refused_with(&group, identity, code, partition);
                    CommitError::note(&mut commit.error, refused);
                }
                !matches!(
                    error_action,
                    CommitErrorAction::Done | CommitErrorAction::Refused
                )
            });
        }
        if let Some(code) = answers.values().find(|code| **code != ErrorCode::None) {
            self.last_cause = code.name().into();
        }
        if worst == CommitErrorAction::Done {
            membership.coordinator_served();
        }
        if worst == CommitErrorAction::FindCoordinator {
            membership.coordinator_lost(now, in_flight.node);
        }
        if let Some(identity) = &in_flight.identity {
            let refused = answers.values().find(|code| {
                matches!(
                    judge(**code),
                    CommitErrorAction::Stale | CommitErrorAction::Rebalancing
                )
            });
            if let Some(code) = refused {
                membership.identity_refused(now, identity, *code);
            }
        }
        match worst {
            CommitErrorAction::Done | CommitErrorAction::Refused => self.failures = 0,
            CommitErrorAction::Retry
            | CommitErrorAction::FindCoordinator
            | CommitErrorAction::Rebalancing
            | CommitErrorAction::Stale => {
                self.failures = self.failures.saturating_add(1);
                self.pause(now);
            }
        }
        self.finish(|commit| commit.open.is_empty());
        self.tell(now, membership);
    }

    /// A request has no answer.
    pub fn failed(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        id: RequestId,
        failure: Failure,
    ) {
        let Some(in_flight) = self.in_flight.take_if(|in_flight| in_flight.id == id) else {
            return;
        };
        if let Failure::Retriable(cause) = failure {
            self.last_cause = cause;
            membership.coordinator_lost(now, in_flight.node);
            self.failures = self.failures.saturating_add(1);
            return self.pause(now);
        }
        let error = failed_with(membership.group(), failure);
        self.end_all(&error, |commit| commit.id <= in_flight.newest);
        self.tell(now, membership);
    }

    /// Ends the commits that a failed handshake ends: `refusal` finds the one that a commit hears of that waits since
    /// then.
    pub fn end_locked_out(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        refusal: impl Fn(Instant) -> Option<SecurityError>,
    ) {
        // Who waits for less long hears of less.
        for commit in &mut self.waiting {
            let Some(failure) = refusal(commit.started) else {
                break;
            };
            CommitError::note(&mut commit.error, CommitError::Security(failure));
            commit.open.clear();
        }
        self.finish(|commit| commit.open.is_empty());
        self.tell(now, membership);
    }

    /// The consumer ends at `deadline`: what waits then is given up, so that whoever made it hears of that.
    pub fn end_by(&mut self, deadline: Instant) {
        for commit in &mut self.waiting {
            commit.deadline = commit.deadline.min(deadline);
        }
    }

    /// A subscription waits for the commits that were made before it, and no longer than until then.
    pub fn end_outside_by(&mut self, deadline: Instant) {
        let outside = self.waiting.iter_mut().filter(|commit| commit.is_outside);
        outside.for_each(|commit| commit.deadline = commit.deadline.min(deadline));
    }

    /// The same as [`CommitQueue::end_by`] of the end of a subscription: what nobody waits for has its own time.
    pub fn end_awaited_by(&mut self, deadline: Instant) {
        let is_awaited = |commit: &&mut Commit| !commit.is_last && !commit.is_automatic;
        let awaited = self.waiting.iter_mut().filter(is_awaited);
        awaited.for_each(|commit| commit.deadline = commit.deadline.min(deadline));
    }

    /// Nobody waits for this commit, and nobody makes it anew: its partitions are gone.
    pub fn note_last(&mut self, id: CommitId) {
        if let Some(commit) = self.waiting.iter_mut().find(|commit| commit.id == id) {
            commit.is_last = true;
        }
    }

    /// The consumer ends: nobody calls [`CommitQueue::commit_automatically`] any more, so nothing wakes for it either.
    pub fn end_automatic(&mut self) {
        self.automatic = None;
        self.automatic_at = None;
    }

    /// Something waits for this commit that is not about its topics: it is not held up by those that nobody knows.
    pub fn note_awaited(&mut self, id: CommitId) {
        if let Some(commit) = self.waiting.iter_mut().find(|commit| commit.id == id) {
            commit.is_patient = false;
        }
    }

    /// Topics that the coordinator does not know: whether metadata does decides what becomes of their commits.
    pub fn take_doubted(&mut self) -> Vec<Arc<str>> {
        std::mem::take(&mut self.doubted).into_iter().collect()
    }

    /// How a commit ended; call until `None`.
    pub fn next_outcome(&mut self) -> Option<CommitOutcome> {
        self.outcomes.pop_front()
    }

    /// When to ask for requests and outcomes again though nothing happened.
    #[must_use]
    pub fn wake_at(&self) -> Option<Instant> {
        let deadline = self.waiting.iter().map(|commit| commit.deadline).min();
        let waits = self.in_flight.is_some() || self.waiting.is_empty();
        let retry_at = self.retry_at.filter(|_| !waits);
        [deadline, retry_at, self.automatic_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// What a commit that waits asks for.
    #[must_use]
    pub fn offsets(&self, id: CommitId) -> Option<&Offsets> {
        let commit = self.waiting.iter().find(|commit| commit.id == id);
        commit.map(|commit| &commit.offsets)
    }

    /// What stands against the commits that wait, where any do.
    #[must_use]
    pub fn waits_for(&self) -> Option<&Arc<str>> {
        (!self.is_idle()).then_some(&self.last_cause)
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Lets the membership know whether it may leave.
    fn tell(&self, now: Instant, membership: &mut Membership) {
        let joins_later = self.newest_outside.is_some();
        membership.note_commits(now, !self.waiting.is_empty(), joins_later);
    }

    /// The newest commit that waits, if any does.
    #[must_use]
    pub fn newest(&self) -> Option<CommitId> {
        self.waiting.back().map(|commit| commit.id)
    }

    /// Whether `newest` or a commit made before it waits.
    #[must_use]
    pub fn waits_up_to(&self, newest: CommitId) -> bool {
        self.waiting.iter().any(|commit| commit.id <= newest)
    }

    /// The newest offset of each partition that waits, of commits up to `newest`. Whoever has not said in which topic
    /// it was reached means the one that is known now, and goes on meaning it.
    fn newest_offsets(&mut self, newest: CommitId, cluster: &Cluster) -> OffsetsToSend {
        let mut offsets = OffsetsToSend::new();
        let leaving = self.waiting.iter_mut();
        for commit in leaving.take_while(|commit| commit.id <= newest) {
            for (partition, open) in &mut commit.open {
                if open.offset.topic_id.is_zero()
                    && let Some(topic) = cluster.topic(&partition.topic)
                {
                    open.offset.topic_id = topic.id;
                }
                let place = (partition.clone(), open.offset.topic_id);
                offsets.insert(place, open.offset.clone());
            }
        }
        offsets
    }

    /// Ends what the coordinator does not know where metadata does not either, or names another topic.
    fn end_unknown(&mut self, membership: &Membership, cluster: &Cluster) {
        let mut has_ended = false;
        for commit in &mut self.waiting {
            let is_patient = commit.is_patient;
            let Commit {
                open,
                error,
                unknown: given_up,
                gone,
                ..
            } = commit;
            open.retain(|partition, open| {
                let Some(unknown) = open.unknown else {
                    return true;
                };
                let is_gone = is_gone(cluster, partition, open.offset.topic_id);
                if !unknown.is_final(is_gone, is_patient) {
                    return true;
                }
                has_ended = true;
                given_up.push(partition.clone());
                if is_gone {
                    gone.push(partition.clone());
                }
                let refused = refused_with(membership.group(), None, unknown.code, partition);
                CommitError::note(error, refused);
                false
            });
        }
        if has_ended {
            self.finish(|commit| commit.open.is_empty());
            if self.waiting.is_empty() {
                // What comes next has nothing to do with it.
                self.failures = 0;
                self.retry_at = None;
            }
        }
    }

    /// Ends what can no longer be committed: offsets of partitions that went away, or everything when the member is
    /// out.
    fn end_stale(&mut self, membership: &Membership) {
        let group = membership.group();
        let state = membership.state();
        for commit in &mut self.waiting {
            if matches!(state, MembershipState::Expelled | MembershipState::Failed) {
                let error = CommitError::NotMember {
                    group: Arc::clone(group),
                    state: state.name(),
                };
                CommitError::note(&mut commit.error, error);
                commit.open.clear();
            }
            let is_stale = |(partition, open): (&TopicPartition, &Open)| {
                let is_stale =
                    open.serial.is_some() && membership.assignment_serial(partition) != open.serial;
                is_stale.then(|| partition.clone())
            };
            let stale: Vec<TopicPartition> = commit.open.iter().filter_map(is_stale).collect();
            if stale.is_empty() {
                continue;
            }
            commit
                .open
                .retain(|partition, _| !stale.contains(partition));
            commit.error = Some(CommitError::Fenced {
                group: Arc::clone(group),
                partitions: stale,
            });
        }
        self.finish(|commit| commit.open.is_empty());
    }

    /// The search for the coordinator was refused, and no membership has failed of it.
    fn end_refused(&mut self, membership: &mut Membership) {
        if let Some(failure) = membership.take_search_failure() {
            let error = failed_with(membership.group(), failure);
            self.end_all(&error, |_| true);
        }
    }

    fn end_all(&mut self, error: &CommitError, which: impl Fn(&Commit) -> bool) {
        for commit in self.waiting.iter_mut().filter(|commit| which(commit)) {
            CommitError::note(&mut commit.error, error.clone());
            commit.open.clear();
        }
        self.finish(|commit| commit.open.is_empty());
    }

    /// Ends what has waited too long. It may have arrived all the same, so commits made before it, which wait longer,
    /// do not go back behind it: they send its offsets.
    fn end_late(&mut self, now: Instant) {
        for late in 1..self.waiting.len() {
            let (before, rest) = self.waiting.make_contiguous().split_at_mut(late);
            let Some(late) = rest.first().filter(|commit| commit.deadline <= now) else {
                continue;
            };
            for commit in before {
                for (partition, open) in &mut commit.open {
                    let later = late.open.get(partition);
                    let topic_id = open.offset.topic_id;
                    if let Some(later) = later.filter(|later| later.offset.topic_id == topic_id) {
                        open.offset = later.offset.clone();
                    }
                }
            }
        }
        let cause = Arc::clone(&self.last_cause);
        for commit in &mut self.waiting {
            if commit.deadline <= now {
                let error = CommitError::TimedOut {
                    partitions: commit.open.keys().cloned().collect(),
                    waited: now - commit.started,
                    limit: commit.deadline - commit.started,
                    cause: Arc::clone(&cause),
                };
                CommitError::note(&mut commit.error, error);
            }
        }
        self.finish(|commit| commit.deadline <= now);
    }

    fn finish(&mut self, is_over: impl Fn(&Commit) -> bool) {
        for commit in std::mem::take(&mut self.waiting) {
            if !is_over(&commit) {
                self.waiting.push_back(commit);
                continue;
            }
            self.outcomes.push_back(CommitOutcome {
                id: commit.id,
                offsets: commit.offsets,
                is_automatic: commit.is_automatic,
                result: commit.error.map_or(Ok(()), Err),
                unknown: commit.unknown,
                gone: commit.gone,
            });
        }
        let outside = self.waiting.iter().rev().find(|commit| commit.is_outside);
        self.newest_outside = outside.map(|commit| commit.id);
    }

    fn pause(&mut self, now: Instant) {
        let random = self.random.next();
        self.retry_at = Some(now + self.backoff.delay(self.failures.max(1), random));
    }
}

/// What a code means to the one who asked.
fn error_action_for(identity: Option<&Identity>, code: ErrorCode) -> CommitErrorAction {
    match (error_action(code), identity) {
        // One who is no member cannot become another one.
        (CommitErrorAction::Stale | CommitErrorAction::Rebalancing, None) => {
            CommitErrorAction::Refused
        }
        // Nobody can take an instance id from a member that has none.
        (CommitErrorAction::Stale, Some(identity))
            if code == ErrorCode::FencedInstanceId && identity.instance.is_none() =>
        {
            CommitErrorAction::Refused
        }
        (error_action, _) => error_action,
    }
}

/// What the refusal of an offset means to the one who asked.
fn refused_with(
    group: &Arc<str>,
    identity: Option<&Identity>,
    code: ErrorCode,
    partition: &TopicPartition,
) -> CommitError {
    let instance = identity.and_then(|identity| identity.instance.as_ref());
    match code {
        // The answer makes no sense, and the member goes on.
        ErrorCode::FencedInstanceId if instance.is_none() => CommitError::Failed {
            cause: format!(
                "{} about a consumer without a group_instance_id",
                code.name()
            )
            .into(),
        },
        _ => CommitError::Refused {
            group: Arc::clone(group),
            code,
            partition: Some(partition.clone()),
        },
    }
}

/// What a failure that no other try will mend means to a commit.
fn failed_with(group: &Arc<str>, failure: Failure) -> CommitError {
    match failure {
        Failure::Retriable(cause) | Failure::Unsupported(cause) | Failure::Permanent(cause) => {
            CommitError::Failed { cause }
        }
        Failure::Refused(code, _) => CommitError::Refused {
            group: Arc::clone(group),
            code,
            partition: None,
        },
    }
}

impl CommitErrorAction {
    /// The one that asks for more work.
    fn max_with(self, other: Self) -> Self {
        let rank = |error_action: Self| match error_action {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Retry => 2,
            Self::Rebalancing => 3,
            Self::Stale => 4,
            Self::FindCoordinator => 5,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}
