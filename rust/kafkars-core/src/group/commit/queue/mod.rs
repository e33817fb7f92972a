//! The queue of commits: in order, one request at a time, under the identity that the member has when the request is
//! sent.

mod ending;
mod folding;
mod notes;
mod outcome;
mod refused;
mod requests;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::offset_commit::OffsetCommitRequest;

pub use self::outcome::{CommitId, CommitOutcome};
use super::error::CommitError;
use super::offsets::{OffsetAndMetadata, Offsets};
use super::unknown_topic::UnknownTopic;
use crate::backoff::{Backoff, Random};
use crate::config::{GroupConfig, TopicPartition};
use crate::group::action::RequestId;
use crate::group::member::{GroupMemberIdentity, MembershipState};
use crate::group::membership::Membership;

/// How many commits may wait for the coordinator. They are sent together, so waiting commits cost memory, not requests.
pub const LONGEST_QUEUE: usize = 100_000;

const NOT_ASKED: &str = "the coordinator was not asked yet";

/// The commits of one consumer.
///
/// All waiting commits are sent in one request, with only the newest offset of each partition. The next request waits
/// until that one is answered, so that a later commit never arrives before an earlier one.
///
/// An application may commit every record of a backlog without waiting. So what runs for each commit, and whenever
/// something has happened, does not look at all that wait.
#[derive(Debug)]
pub struct CommitQueue {
    /// In the order of their ids.
    waiting: VecDeque<Commit>,
    /// None of their deadlines is earlier.
    earliest: Option<Instant>,
    /// The coordinator may not know a partition of one of them.
    has_unknown: bool,
    /// The newest waiting commit of those that were made before the subscription.
    newest_outside: Option<CommitId>,
    /// The newest commit of these partitions that was not sent yet and whose outcome nobody gets.
    unheard: HashMap<Vec<TopicPartition>, CommitId>,
    in_flight: Option<InFlightCommit>,
    outcomes: VecDeque<CommitOutcome>,
    /// Topics that the coordinator does not know, to be looked up in metadata.
    doubted: BTreeSet<Arc<str>>,
    backoff: Backoff,
    random: Random,
    failures: u32,
    retry_at: Option<Instant>,
    /// Whether that is a pause that ends as soon as the membership takes commits.
    is_held: bool,
    last_cause: Arc<str>,
    /// The code of the last cause, if the coordinator gave it.
    last_code: Option<ErrorCode>,
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
    /// Made without a subscription, so it is never sent with a member id: by the time there is one, others may own
    /// these partitions.
    is_outside: bool,
    /// The last commit of its partitions: no call waits for it, and none repeats it.
    is_last: bool,
    /// May wait for topics that brokers do not know yet: nothing else waits for it, and no later commit repeats it.
    is_patient: bool,
    error: Option<CommitError>,
    unknown: Vec<TopicPartition>,
    gone: Vec<TopicPartition>,
}

#[derive(Debug)]
struct Open {
    /// The serial number of the assignment under which the offset was reached.
    serial: Option<u64>,
    /// What to send: the offset asked for, or a later one that may have arrived already.
    offset: OffsetAndMetadata,
    /// What to send instead if the metadata of that is too long: earlier ones with less of it, the one asked for first.
    earlier: Vec<OffsetAndMetadata>,
    /// The coordinator does not know the partition.
    unknown: Option<UnknownTopic>,
}

#[derive(Debug)]
struct InFlightCommit {
    id: RequestId,
    node: i32,
    identity: Option<GroupMemberIdentity>,
    request: OffsetCommitRequest,
    /// The last commit that is part of it.
    newest: CommitId,
}

impl CommitQueue {
    /// Creates an empty queue.
    #[must_use]
    pub fn new(config: &GroupConfig, seed: u64) -> Self {
        Self {
            waiting: VecDeque::new(),
            earliest: None,
            has_unknown: false,
            newest_outside: None,
            unheard: HashMap::new(),
            in_flight: None,
            outcomes: VecDeque::new(),
            doubted: BTreeSet::new(),
            backoff: Backoff::new(config.retry_backoff, config.retry_backoff_max),
            random: Random::new(seed),
            failures: 0,
            retry_at: None,
            is_held: false,
            last_cause: NOT_ASKED.into(),
            last_code: None,
            next: 0,
            request_timeout: config.request_timeout,
            automatic: config
                .enable_auto_commit
                .then_some(config.auto_commit_interval),
            automatic_at: None,
        }
    }

    /// Queues a commit of `offsets`, whose outcome comes at `deadline` at the latest. Offsets of owned partitions are
    /// committed only while the partition stays owned.
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

    /// As [`CommitQueue::commit`], for offsets that the application names: a member of the group must own all of these
    /// partitions.
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

    /// Commits what the application has finished, if automatic commits are on and one is due; call when
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
        // Partitions that went away a moment ago belong to others, even if the caller does not know that yet. A
        // consumer without a subscription owns none: it reads partitions assigned by hand.
        if membership.state() != MembershipState::Unsubscribed {
            offsets.retain(|partition, _| membership.assignment_serial(partition).is_some());
        }
        if offsets.is_empty() {
            return None;
        }
        let deadline = now + interval.max(self.request_timeout);
        self.enqueue(now, membership, offsets, deadline, true).ok()
    }

    /// Skips the automatic commit that is due, if one is.
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
        if self.is_idle() {
            self.note_cause(NOT_ASKED, None);
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
                earlier: Vec::new(),
                unknown: None,
            };
            (partition.clone(), open)
        };
        self.earliest = self.earliest.into_iter().chain([deadline]).min();
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

    /// Notes that this is the last commit of its partitions, which went away: no call waits for it, and none repeats
    /// it.
    pub fn note_last(&mut self, id: CommitId) {
        if let Some(commit) = self.find_mut(id) {
            commit.is_last = true;
        }
    }

    /// Notes that something else waits for this commit, so that topics unknown to brokers must not hold it up.
    pub fn note_awaited(&mut self, id: CommitId) {
        if let Some(commit) = self.find_mut(id) {
            commit.is_patient = false;
        }
    }

    fn find(&self, id: CommitId) -> Option<usize> {
        self.waiting
            .binary_search_by_key(&id, |commit| commit.id)
            .ok()
    }

    fn find_mut(&mut self, id: CommitId) -> Option<&mut Commit> {
        let index = self.find(id)?;
        self.waiting.get_mut(index)
    }

    /// Takes the topics that the coordinator does not know, to be looked up: metadata decides what becomes of their
    /// commits.
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
        let waits = self.in_flight.is_some() || self.waiting.is_empty();
        let retry_at = self.retry_at.filter(|_| !waits);
        [self.earliest, retry_at, self.automatic_at]
            .into_iter()
            .flatten()
            .min()
    }

    /// The offsets of a waiting commit.
    #[must_use]
    pub fn offsets(&self, id: CommitId) -> Option<&Offsets> {
        let commit = self.waiting.get(self.find(id)?)?;
        Some(&commit.offsets)
    }

    /// Why commits still wait; `None` if none does.
    #[must_use]
    pub fn waits_for(&self) -> Option<&Arc<str>> {
        (!self.is_idle()).then_some(&self.last_cause)
    }

    fn note_cause(&mut self, cause: impl Into<Arc<str>>, code: Option<ErrorCode>) {
        self.last_cause = cause.into();
        self.last_code = code;
    }

    /// True if no commit waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Tells the membership whether commits wait, for which it does not leave or not join yet.
    fn tell(&self, now: Instant, membership: &mut Membership) {
        let joins_later = self.newest_outside.is_some();
        membership.note_commits(now, !self.waiting.is_empty(), joins_later);
    }

    /// How many commits wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// The newest waiting commit, if there is one.
    #[must_use]
    pub fn newest(&self) -> Option<CommitId> {
        self.waiting.back().map(|commit| commit.id)
    }

    /// True if `newest` or a commit made before it waits.
    #[must_use]
    pub fn waits_up_to(&self, newest: CommitId) -> bool {
        self.waiting
            .front()
            .is_some_and(|oldest| oldest.id <= newest)
    }
}
