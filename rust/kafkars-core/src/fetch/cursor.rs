//! The cursor of one partition: its position, what was fetched, what may be done next.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::Uuid;
use kafkars_records::RecordView;

use crate::config::TopicPartition;
use crate::fetch::error::FetchError;
use crate::fetch::open::FetchedBatch;
use crate::fetch::opening::Opening;
use crate::fetch::position::FetchPosition;
use crate::fetch::response_memory::ResponseMemory;
use crate::fetch::retry::{RetryState, Trouble};

/// Unopened bytes of less than this are opened before the next response comes.
const LITTLE_UNOPENED: usize = 256 << 10;

/// Where to start when there is no position, or it is not valid any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAt {
    /// At the group's committed offset, else as `auto_offset_reset` says.
    Committed,
    /// As `auto_offset_reset` says.
    Policy,
    /// At the oldest record kept.
    Earliest,
    /// After the newest record.
    Latest,
    /// At the first record with at least this timestamp, in ms.
    Timestamp(i64),
}

/// What a cursor can do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorState {
    /// Has no position: an offset has to be looked up first.
    Unset(StartAt),
    /// Records can be fetched.
    Fetching,
    /// An error waits for the application; nothing is fetched until the application has taken it.
    Failed,
}

/// One entry of a cursor's queue for the application.
#[derive(Debug)]
pub(crate) enum Queued {
    Records(BatchCursor),
    Skip(FetchPosition),
    Failed(FetchError),
}

/// A fetched batch, of which some records may have been taken.
#[derive(Debug)]
pub(crate) struct BatchCursor {
    pub(crate) batch: Arc<FetchedBatch>,
    pub(crate) next: u32,
    pub(crate) remaining: u32,
    // The response whose buffer the batch shares, if it does.
    pub(crate) response: Option<Arc<ResponseMemory>>,
}

impl BatchCursor {
    pub(crate) fn new(batch: Arc<FetchedBatch>, response: &Arc<ResponseMemory>) -> Self {
        let shares = batch.batch.shares_input();
        Self {
            next: batch.first(),
            remaining: batch.visible(),
            response: shares.then(|| Arc::clone(response)),
            batch,
        }
    }

    /// The position after `record`, which was taken last.
    pub(crate) fn position_after(&self, record: &RecordView) -> FetchPosition {
        FetchPosition {
            offset: record.offset.saturating_add(1),
            leader_epoch: self.batch.batch.header.partition_leader_epoch,
        }
    }

    /// The position after the batch, also past compacted offsets at its end.
    pub(crate) fn end(&self) -> FetchPosition {
        let header = &self.batch.batch.header;
        FetchPosition {
            offset: header.next_offset(),
            leader_epoch: header.partition_leader_epoch,
        }
    }

    /// About how many bytes the remaining records take.
    pub(crate) fn size_left(&self) -> usize {
        let part = |count: u32| usize::try_from(count).unwrap_or(usize::MAX).max(1);
        (self.batch.size() / part(self.batch.visible())).saturating_mul(part(self.remaining))
    }

    /// The record that was taken last.
    pub(crate) fn last_taken(&self) -> Option<RecordView> {
        let batch = &self.batch.batch;
        let count = u32::try_from(batch.header.record_count).ok()?;
        batch.nth(count.checked_sub(self.remaining)?.checked_sub(1)?)
    }
}

/// A commit that the application has made itself. Automatic commits skip the partition until the application reads on
/// or seeks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settled {
    /// The committed offset.
    pub(crate) offset: i64,
    /// Up to which offset the application had finished by then; `None` while there was no position.
    pub(crate) at: Option<i64>,
    /// The offset that it had committed there before, in case this commit is not accepted.
    pub(crate) before: Option<i64>,
}

/// One assigned partition.
///
/// It has three positions, in this order: `position` is the next record that the application gets, `queued_to` the end
/// of the queue of opened batches, `fetch_from` what the next request asks for (responses that are not opened yet lie
/// before it).
#[derive(Debug)]
pub struct Cursor {
    /// The partition.
    pub partition: TopicPartition,
    /// The id of the topic in which the position was reached, or [`Uuid::ZERO`] while unknown.
    pub topic_id: Uuid,
    // The id of the topic that had this name before it was deleted and created again, or zero.
    pub(crate) former_id: Uuid,
    // True while nothing was handed out since the topic was created again: what the application commits was reached in
    // the former topic.
    pub(crate) is_unread_since: bool,
    // True while the position is the one that was looked up for the assignment: the application has neither chosen it
    // nor read on from there.
    pub(crate) is_looked_up: bool,
    // The offset whose commit failed last because the topic was deleted.
    pub(crate) gone_at: Option<i64>,
    /// Changes with every assignment and seek, so that late responses are recognised and dropped.
    pub epoch: u64,
    // Changes when the application assigns the partition or seeks, but not where the log has moved the position.
    pub(crate) place: u64,
    /// What the cursor can do now.
    pub state: CursorState,
    /// A paused cursor keeps its data and fetches nothing: the application has paused it, or wants its topic no more.
    pub paused: bool,
    /// Paused by the application.
    pub(crate) is_asked_to_pause: bool,
    /// The topic is not subscribed any more, and its revocation is on its way.
    pub(crate) is_unwanted: bool,
    /// Whether a request for it is under way.
    pub(crate) in_flight: bool,
    /// When it may be asked about again after refusals.
    pub(crate) retry: RetryState,
    /// The high watermark, or -1 while unknown.
    pub high_watermark: i64,
    /// The first offset of an open transaction, or -1 while unknown.
    pub last_stable_offset: i64,
    /// The first offset kept, or -1 while unknown.
    pub log_start_offset: i64,
    /// The newest leader epoch under which the log was found to hold what was read (KIP-320), or -1 before the first
    /// check.
    pub validated: i32,
    /// The replica to read from instead of the leader (KIP-392), and until when.
    pub preferred_replica: Option<(i32, Instant)>,
    /// When a broker answered a fetch for it last.
    pub heard_at: Option<Instant>,
    // With the leader epoch of the record before it: both move together, or a later reader is told of a truncation that
    // never was.
    position: Option<FetchPosition>,
    /// What the position has moved over since it was set.
    pub(crate) skipped: Skipped,
    // The application's own latest commit, until it reads or seeks.
    pub(crate) settled: Option<Settled>,
    // What the application or `auto_offset_reset` asked for when there was no position; kept until the position is
    // found.
    pub(crate) start: StartAt,
    // The leader's node id and epoch as last seen: another leader may accept what this one refused.
    pub(crate) leader: Option<(i32, i32)>,
    pub(crate) queued_to: FetchPosition,
    pub(crate) fetch_from: FetchPosition,
    pub(crate) queue: VecDeque<Queued>,
    // Responses that wait to be opened, in the order of their offsets.
    pub(crate) unopened: VecDeque<Opening>,
    // The response that some thread opens now, which comes before those in `unopened`.
    pub(crate) opening: Option<Arc<ResponseMemory>>,
    // An error that was met after them: it is queued once they are opened.
    pub(crate) failure: Option<FetchError>,
    // Whether the cursor stands in the buffer's queue of those with something to open.
    pub(crate) is_listed_to_open: bool,
    // Whether it was not fetched because opening is behind.
    pub(crate) is_passed_over: bool,
    // Bytes of both queues.
    pub(crate) held: Held,
    // The stamp of the cursor's entry in the buffer's queue of turns, or 0 while it has none.
    pub(crate) turn: u64,
    /// Whether its data was fetched beyond the buffer's limit, because the application wanted it and it had none.
    pub(crate) is_beyond_limit: bool,
}

/// Markers of transactions and offsets that nothing is at, which a position has moved over since it was set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// There were none.
    Nothing,
    /// The application has not come there: it has not asked for records since.
    Unseen,
    /// The application has asked for records, and found none before them.
    Passed,
}

/// Bytes that wait for the application: what opened batches take besides their responses, and what is not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Held {
    pub(crate) opened: usize,
    pub(crate) unopened: usize,
}

impl Held {
    pub(crate) fn total(self) -> usize {
        self.opened.saturating_add(self.unopened)
    }

    pub(crate) fn plus(self, more: Self) -> Self {
        Self {
            opened: self.opened.saturating_add(more.opened),
            unopened: self.unopened.saturating_add(more.unopened),
        }
    }

    pub(crate) fn minus(self, less: Self) -> Self {
        Self {
            opened: self.opened.saturating_sub(less.opened),
            unopened: self.unopened.saturating_sub(less.unopened),
        }
    }
}

impl FetchPosition {
    /// The later of this position and `offset`.
    pub(crate) fn raised_to(self, offset: i64) -> Self {
        match self.offset < offset {
            true => Self::at(offset),
            false => self,
        }
    }

    /// A position at `offset` for which the epoch of the record before it is not known.
    #[must_use]
    pub fn at(offset: i64) -> Self {
        Self {
            offset,
            leader_epoch: -1,
        }
    }
}

impl Cursor {
    /// Creates a cursor at `position`, or one that has to look up where to `start`.
    pub(crate) fn new(
        partition: TopicPartition,
        epoch: u64,
        start: StartAt,
        position: Option<FetchPosition>,
    ) -> Self {
        let mut cursor = Self {
            partition,
            topic_id: Uuid::ZERO,
            former_id: Uuid::ZERO,
            is_unread_since: false,
            is_looked_up: false,
            gone_at: None,
            epoch,
            place: epoch,
            state: CursorState::Unset(start),
            paused: false,
            is_asked_to_pause: false,
            is_unwanted: false,
            in_flight: false,
            retry: RetryState::default(),
            high_watermark: -1,
            last_stable_offset: -1,
            log_start_offset: -1,
            validated: -1,
            preferred_replica: None,
            heard_at: None,
            position: None,
            skipped: Skipped::Nothing,
            settled: None,
            start,
            leader: None,
            queued_to: FetchPosition::at(0),
            fetch_from: FetchPosition::at(0),
            queue: VecDeque::new(),
            unopened: VecDeque::new(),
            opening: None,
            failure: None,
            is_listed_to_open: false,
            is_passed_over: false,
            held: Held::default(),
            turn: 0,
            is_beyond_limit: false,
        };
        if let Some(position) = position {
            cursor.set_position(position);
        }
        cursor
    }

    /// The offset of the next record that the application gets, if known.
    pub fn position(&self) -> Option<i64> {
        self.position.map(|position| position.offset)
    }

    /// [`Cursor::position`] with the leader epoch of the record before it.
    pub fn fetch_position(&self) -> Option<FetchPosition> {
        self.position
    }

    /// The position that the next fetch asks for.
    pub fn fetch_from(&self) -> FetchPosition {
        self.fetch_from
    }

    /// Starts again at `position` with an empty queue.
    pub(crate) fn set_position(&mut self, position: FetchPosition) {
        self.queue.clear();
        self.settle_at(position);
        self.advance(position);
        self.skipped = Skipped::Nothing;
        self.queued_to = position;
        self.fetch_from = position;
        self.state = CursorState::Fetching;
    }

    /// Notes that the application was given everything before `position`.
    #[inline]
    pub(crate) fn advance(&mut self, position: FetchPosition) {
        self.position = Some(position);
    }

    /// Moves to `position` over markers and compacted offsets only: the application has read nothing by that.
    pub(crate) fn skip_to(&mut self, position: FetchPosition) {
        self.loosen();
        self.settle_at(position);
        self.advance(position);
        if self.skipped == Skipped::Nothing {
            self.skipped = Skipped::Unseen;
        }
    }

    /// Lets the application's own commit count at `position`, which was reached without anything read, or where it
    /// counted before, whichever is earlier.
    fn settle_at(&mut self, position: FetchPosition) {
        if let Some(settled) = &mut self.settled {
            settled.at = settled.at.into_iter().chain([position.offset]).min();
        }
    }

    /// From where on records handed out at `position` are unfinished: from the application's own commit, if it has not
    /// read on since.
    pub(crate) fn unfinished_from(&self, position: FetchPosition) -> FetchPosition {
        let stands = self
            .position()
            .map_or(position.offset, |read| read.min(position.offset));
        let is_there = |settled: &Settled| settled.at.is_none_or(|at| stands <= at);
        let settled = self.settled.filter(is_there);
        settled.map_or(position, |settled| position.raised_to(settled.offset))
    }

    /// Prepares a move of the position without anything read: the application's own commit will count at the new one.
    pub(crate) fn loosen(&mut self) {
        let position = self.position();
        if let Some(settled) = self
            .settled
            .as_mut()
            .filter(|settled| settled.at == position)
        {
            settled.at = None;
        }
    }

    /// Forgets the position; a broker will be asked where `start` is.
    pub(crate) fn reset(&mut self, start: StartAt) {
        self.queue.clear();
        self.position = None;
        self.skipped = Skipped::Nothing;
        self.start = start;
        self.state = CursorState::Unset(start);
    }

    /// Goes on as before, because the error has reached the application.
    pub(crate) fn go_on(&mut self) {
        if self.state == CursorState::Failed {
            self.state = match self.position {
                Some(_) => CursorState::Fetching,
                None => CursorState::Unset(self.start),
            };
        }
    }

    /// True if the application has taken the error for which nothing is read, and must seek.
    pub fn is_stopped(&self) -> bool {
        self.state == CursorState::Failed && self.failure.is_none() && !self.has_data()
    }

    /// True if a leader of this epoch must first be asked whether its log still holds what was read under an older one.
    pub fn needs_validation(&self, leader_epoch: i32) -> bool {
        let read_under = self.fetch_from.leader_epoch;
        leader_epoch > self.validated && read_under >= 0 && read_under != leader_epoch
    }

    /// True if the topic with this id is the one that is read, also if the id is zero. A broker that lags may still
    /// name the former one.
    pub fn is_of(&self, topic_id: Uuid) -> bool {
        let is_former = !self.former_id.is_zero() && self.former_id == topic_id;
        topic_id.is_zero() || self.topic_id == topic_id || is_former
    }

    /// Why the partition cannot be read at the moment, if it cannot.
    pub fn trouble(&self) -> Option<&Trouble> {
        self.retry.trouble()
    }

    /// True if nothing may be asked about it now: a request is under way, or a refusal is too recent.
    pub(crate) fn is_held(&self, now: Instant) -> bool {
        self.in_flight || self.retry.waits(now)
    }

    /// True if anything waits to be opened or taken.
    pub(crate) fn has_data(&self) -> bool {
        !self.queue.is_empty() || !self.unopened.is_empty() || self.opening.is_some()
    }

    /// True if so much waits to be opened that more would only take memory: more than one response, and not only little
    /// of them.
    pub(crate) fn is_behind(&self) -> bool {
        let answers = self.unopened.len() + usize::from(self.opening.is_some());
        answers > 1 && self.held.unopened > LITTLE_UNOPENED
    }

    /// The responses in which parts wait for the application, each once for every part.
    pub(crate) fn responses(&self) -> impl Iterator<Item = &ResponseMemory> {
        let queued = self.queue.iter().filter_map(|part| match part {
            Queued::Records(records) => records.response.as_deref(),
            Queued::Skip(_) | Queued::Failed(_) => None,
        });
        let unopened = self.unopened.iter().map(|opening| &**opening.response());
        queued.chain(unopened).chain(self.opening.as_deref())
    }

    /// The position after the last entry of the queue.
    pub(crate) fn end_of_queue(&self) -> Option<FetchPosition> {
        let ends = self.queue.iter().rev().filter_map(|part| match part {
            Queued::Skip(position) => Some(*position),
            Queued::Records(records) => Some(records.end()),
            Queued::Failed(_) => None,
        });
        ends.chain(self.fetch_position()).next()
    }

    /// Queues the error that was met, unless earlier responses are still to be opened.
    pub(crate) fn settle_failure(&mut self) {
        if self.unopened.is_empty() && self.opening.is_none() {
            self.queue.extend(self.failure.take().map(Queued::Failed));
        }
    }
}
