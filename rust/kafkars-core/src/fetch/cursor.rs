//! Where one partition is being read.

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

/// Bytes that are opened sooner than the next answer comes.
const LITTLE_UNOPENED: usize = 256 << 10;

/// Where to start when there is no position yet, or no longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartAt {
    /// Where the group has committed, else as `auto_offset_reset` says.
    Committed,
    /// As `auto_offset_reset` says.
    Policy,
    /// The oldest record kept.
    Earliest,
    /// After the newest record.
    Latest,
    /// The first record with at least this timestamp in ms.
    Timestamp(i64),
}

/// What a cursor can do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorState {
    /// Needs an offset from the broker first.
    Unset(StartAt),
    /// Records can be asked for.
    Fetching,
    /// An error waits for the application; nothing is asked for until it took it.
    Failed,
}

/// Part of what was read, waiting for the application.
#[derive(Debug)]
pub(crate) enum Queued {
    Records(BatchCursor),
    Skip(FetchPosition),
    Failed(FetchError),
}

/// A place inside a fetched batch.
#[derive(Debug)]
pub(crate) struct BatchCursor {
    pub(crate) batch: Arc<FetchedBatch>,
    pub(crate) next: u32,
    pub(crate) remaining: u32,
    // The response that the batch keeps whole, if it does.
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

    /// Where reading goes on behind the record before the remaining ones.
    pub(crate) fn place_behind(&self, record: &RecordView) -> FetchPosition {
        FetchPosition {
            offset: record.offset.saturating_add(1),
            leader_epoch: self.batch.batch.header.partition_leader_epoch,
        }
    }

    /// Where reading goes on behind the batch, also past compacted offsets at its end.
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

    /// The record before the remaining ones.
    pub(crate) fn last_taken(&self) -> Option<RecordView> {
        let batch = &self.batch.batch;
        let count = u32::try_from(batch.header.record_count).ok()?;
        batch.nth(count.checked_sub(self.remaining)?.checked_sub(1)?)
    }
}

/// A commit that the application has made itself. Automatic commits leave the partition alone until the application
/// goes on: what it says later counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Settled {
    /// What was committed.
    pub(crate) offset: i64,
    /// Up to where the application had finished then; `None` where the position was not found yet.
    pub(crate) at: Option<i64>,
    /// What it had committed at the same place before, in case that this commit is not taken.
    pub(crate) before: Option<i64>,
}

/// One assigned partition.
///
/// Three places, in this order: `position` is the next record the application gets, `queued_to` where the queue of
/// opened batches ends, `fetch_from` what the next request asks for (responses that are not opened yet lie between).
#[derive(Debug)]
pub struct Cursor {
    /// Which partition.
    pub partition: TopicPartition,
    /// The topic in which the position was reached, or [`Uuid::ZERO`] while unknown.
    pub topic_id: Uuid,
    // The topic of this name before it, or zero.
    pub(crate) former_id: Uuid,
    // Nothing was handed out since the topic was made again: what the application commits was reached in the former.
    pub(crate) is_unread_since: bool,
    // What was to be committed last when metadata said that the topic was gone.
    pub(crate) gone_at: Option<i64>,
    /// Changes with every assignment and seek, so that late answers are recognised and dropped.
    pub epoch: u64,
    /// What can be done now.
    pub state: CursorState,
    /// Set by the application; a paused cursor keeps what it has and asks for nothing.
    pub paused: bool,
    /// A request for it is under way.
    pub(crate) in_flight: bool,
    /// Whether it may be asked about, after refusals.
    pub(crate) retry: RetryState,
    /// The end of what may be read, or -1 while unknown.
    pub high_watermark: i64,
    /// The first offset of an open transaction, or -1 while unknown.
    pub last_stable_offset: i64,
    /// The first offset kept, or -1 while unknown.
    pub log_start_offset: i64,
    /// The leader's epoch under which the log was found to hold what was read, or -1 before the first look.
    pub validated: i32,
    /// Replica to read from (KIP-392) until the instant, instead of the leader.
    pub preferred_replica: Option<(i32, Instant)>,
    /// When a broker answered a fetch for it last.
    pub heard_at: Option<Instant>,
    // With the epoch of what was read before it: both move together, or a later reader is told of a truncation that
    // never was.
    position: Option<FetchPosition>,
    // The application's own latest commit, until it reads or seeks.
    pub(crate) settled: Option<Settled>,
    // What the application, or the policy, asked for where there is no position: kept until it is found.
    pub(crate) start: StartAt,
    // Leader node and epoch as last seen: what one leader refused another may grant.
    pub(crate) leader: Option<(i32, i32)>,
    pub(crate) queued_to: FetchPosition,
    pub(crate) fetch_from: FetchPosition,
    pub(crate) queue: VecDeque<Queued>,
    // Answers that wait to be opened, in the order of their offsets.
    pub(crate) unopened: VecDeque<Opening>,
    // What some thread opens now; it has the first of them.
    pub(crate) opening: Option<Arc<ResponseMemory>>,
    // An error that was met behind them: it is queued when they are through.
    pub(crate) failure: Option<FetchError>,
    // Whether the cursor stands in the buffer's queue of those with something to open.
    pub(crate) is_listed_to_open: bool,
    // Whether it was not asked for because opening is behind.
    pub(crate) is_passed_over: bool,
    // Bytes of both queues.
    pub(crate) held: Held,
    // The stamp of the cursor's place in the buffer's queue of turns, or 0 while it has none.
    pub(crate) turn: u64,
    /// What it has was fetched though the buffer was full, because it was asked for in vain.
    pub(crate) is_beyond_limit: bool,
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
    /// This place, or the one at `offset` where that lies behind it.
    pub(crate) fn raised_to(self, offset: i64) -> Self {
        match self.offset < offset {
            true => Self::at(offset),
            false => self,
        }
    }

    /// A place where the epoch of the record before it is not known.
    #[must_use]
    pub fn at(offset: i64) -> Self {
        Self {
            offset,
            leader_epoch: -1,
        }
    }
}

impl Cursor {
    /// A cursor at `place`, or one that has to find out where to `start`.
    pub(crate) fn new(
        partition: TopicPartition,
        epoch: u64,
        start: StartAt,
        place: Option<FetchPosition>,
    ) -> Self {
        let mut cursor = Self {
            partition,
            topic_id: Uuid::ZERO,
            former_id: Uuid::ZERO,
            is_unread_since: false,
            gone_at: None,
            epoch,
            state: CursorState::Unset(start),
            paused: false,
            in_flight: false,
            retry: RetryState::default(),
            high_watermark: -1,
            last_stable_offset: -1,
            log_start_offset: -1,
            validated: -1,
            preferred_replica: None,
            heard_at: None,
            position: None,
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
        if let Some(place) = place {
            cursor.set_position(place);
        }
        cursor
    }

    /// The next record the application gets, where known.
    pub fn position(&self) -> Option<i64> {
        self.position.map(|place| place.offset)
    }

    /// [`Cursor::position`] with the epoch of the record before it.
    pub fn place(&self) -> Option<FetchPosition> {
        self.position
    }

    /// What the next fetch asks for.
    pub fn fetch_from(&self) -> FetchPosition {
        self.fetch_from
    }

    /// Starts again at `place` with an empty queue.
    pub(crate) fn set_position(&mut self, place: FetchPosition) {
        self.queue.clear();
        self.settle_at(place);
        self.advance(place);
        self.queued_to = place;
        self.fetch_from = place;
        self.state = CursorState::Fetching;
    }

    /// The application has everything before `place`.
    #[inline]
    pub(crate) fn advance(&mut self, place: FetchPosition) {
        self.position = Some(place);
    }

    /// Nothing but markers and compacted offsets lies before `place`: the application has read nothing by that.
    pub(crate) fn skip_to(&mut self, place: FetchPosition) {
        self.loosen();
        self.settle_at(place);
        self.advance(place);
    }

    /// The position is at `place` though the application has read nothing: what it has committed is settled there, or
    /// where it stood before.
    fn settle_at(&mut self, place: FetchPosition) {
        if let Some(settled) = &mut self.settled {
            settled.at = settled.at.into_iter().chain([place.offset]).min();
        }
    }

    /// From where on what is handed out at `place` is unfinished: where the application has not gone on since, its own
    /// commit says so.
    pub(crate) fn unfinished_from(&self, place: FetchPosition) -> FetchPosition {
        let stands = self
            .position()
            .map_or(place.offset, |position| position.min(place.offset));
        let is_there = |settled: &Settled| settled.at.is_none_or(|at| stands <= at);
        let settled = self.settled.filter(is_there);
        settled.map_or(place, |settled| place.raised_to(settled.offset))
    }

    /// The position is about to move though the application reads nothing: what it has committed stays settled where
    /// the position will be.
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

    /// Forgets the position; the broker will be asked until it has told where `start` is.
    pub(crate) fn reset(&mut self, start: StartAt) {
        self.queue.clear();
        self.position = None;
        self.start = start;
        self.state = CursorState::Unset(start);
    }

    /// An error has reached the application: goes on with what was under way.
    pub(crate) fn go_on(&mut self) {
        if self.state == CursorState::Failed {
            self.state = match self.position {
                Some(_) => CursorState::Fetching,
                None => CursorState::Unset(self.start),
            };
        }
    }

    /// Whether a leader of this epoch must first be asked if its log still holds what was read under an older one.
    pub fn needs_validation(&self, leader_epoch: i32) -> bool {
        let read_under = self.fetch_from.leader_epoch;
        leader_epoch > self.validated && read_under >= 0 && read_under != leader_epoch
    }

    /// Whether the topic that has this identifier now, or zero, is the one that is read. A broker that lags may still
    /// name the one before.
    pub fn is_of(&self, topic_id: Uuid) -> bool {
        let is_former = !self.former_id.is_zero() && self.former_id == topic_id;
        topic_id.is_zero() || self.topic_id == topic_id || is_former
    }

    /// What is wrong with reading it, if anything is.
    pub fn trouble(&self) -> Option<&Trouble> {
        self.retry.trouble()
    }

    /// Whether nothing may be asked about it now: something is under way, or a refusal is too recent.
    pub(crate) fn is_held(&self, now: Instant) -> bool {
        self.in_flight || self.retry.waits(now)
    }

    /// Whether anything waits to be opened or taken.
    pub(crate) fn has_data(&self) -> bool {
        !self.queue.is_empty() || !self.unopened.is_empty() || self.opening.is_some()
    }

    /// Whether so much waits to be opened that more would only take memory: an answer and the next one.
    pub(crate) fn is_behind(&self) -> bool {
        let answers = self.unopened.len() + usize::from(self.opening.is_some());
        answers > 1 && self.held.unopened > LITTLE_UNOPENED
    }

    /// The responses in which something waits for the application, each as often as anything does.
    pub(crate) fn responses(&self) -> impl Iterator<Item = &ResponseMemory> {
        let queued = self.queue.iter().filter_map(|part| match part {
            Queued::Records(records) => records.response.as_deref(),
            Queued::Skip(_) | Queued::Failed(_) => None,
        });
        let unopened = self.unopened.iter().map(|opening| &**opening.response());
        queued.chain(unopened).chain(self.opening.as_deref())
    }

    /// The place behind the last part of the queue.
    pub(crate) fn end_of_queue(&self) -> Option<FetchPosition> {
        let ends = self.queue.iter().rev().filter_map(|part| match part {
            Queued::Skip(place) => Some(*place),
            Queued::Records(records) => Some(records.end()),
            Queued::Failed(_) => None,
        });
        ends.chain(self.place()).next()
    }

    /// Queues the error that was met, unless answers of before are still to be opened.
    pub(crate) fn settle_failure(&mut self) {
        if self.unopened.is_empty() && self.opening.is_none() {
            self.queue.extend(self.failure.take().map(Queued::Failed));
        }
    }
}
