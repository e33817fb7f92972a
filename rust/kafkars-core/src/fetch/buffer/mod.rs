//! Everything one consumer has assigned and fetched: cursors, ready data, fairness, the byte limit.

mod application;
mod assignment;
mod credit;
mod ledger;
mod look_ups;
mod network;
mod opening;
mod progress;
#[cfg(test)]
mod tests;
mod topic_ids;
mod troubles;
mod truncation;

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use kafkars_protocol::Uuid;

use crate::backoff::Backoff;
use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{BatchCursor, Cursor, Queued, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::position::FetchPosition;
use crate::fetch::retry::RetryPace;

use self::credit::Credit;
use self::ledger::Ledger;
pub use self::look_ups::LookUp;
pub use self::opening::OpenTask;
pub use self::progress::Position;
pub use self::topic_ids::NotedTopics;
pub use self::truncation::{EpochEnd, Validation};

/// Pauses between refused requests, where nothing else is set: Kafka's defaults.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Names a cursor for as long as its partition stays assigned.
pub type CursorId = usize;

/// The consumer's state that application and network share, behind one lock of the driver.
///
/// Fairness: partitions with data take turns, a batch each.
#[derive(Debug)]
pub struct FetchBuffer {
    policy: AutoOffsetReset,
    // Where new cursors look for their position first.
    start: StartAt,
    credit: Credit,
    cursors: Vec<Option<Cursor>>,
    // Places in `cursors` that were given up.
    free: Vec<CursorId>,
    by_partition: HashMap<TopicPartition, CursorId>,
    // Cursors with something to take, in turn, each with the stamp of its turn: a place whose stamp is not that of its
    // cursor was given up, and is passed over.
    ready: VecDeque<(CursorId, u64)>,
    // Places in `ready` that were not given up.
    turns: usize,
    last_turn: u64,
    // Cursors with answers to open, in turn. A place may have nothing left to open, or be that of a cursor that is
    // gone.
    to_open: VecDeque<CursorId>,
    current: Option<(CursorId, BatchCursor)>,
    // Those that the application wants and that have nothing, in order: they are fetched though others may fill the
    // buffer.
    asked_in_vain: Vec<CursorId>,
    // The network found cursors that it would have asked for, had there been room.
    has_left_out: bool,
    // Opening was behind with a cursor that the network would have asked for, and is no longer.
    has_caught_up: bool,
    next_epoch: u64,
    // Errors for the application, so that whoever waits for one knows of a new one.
    errors_met: u64,
    // How fast refused requests are repeated.
    pace: RetryPace,
    // What the latest call handed out, by where each cursor stood before it.
    unfinished: Vec<(CursorId, FetchPosition)>,
    // The same of cursors that have gone since.
    left_unfinished: HashMap<TopicPartition, FetchPosition>,
    // What the group's coordinator has.
    ledger: Ledger,
}

/// A cursor that may be fetched now, as the request needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchTarget {
    /// Which cursor.
    pub id: CursorId,
    /// To recognise a late answer.
    pub epoch: u64,
    /// Which partition.
    pub partition: TopicPartition,
    /// From where.
    pub from: FetchPosition,
    /// The topic in which that was reached, or [`Uuid::ZERO`] while unknown.
    pub topic_id: Uuid,
}

/// What a fetch response says of a partition besides its records.
#[derive(Debug, Clone, Copy)]
pub struct PartitionStatus {
    /// The end of what may be read.
    pub high_watermark: i64,
    /// The first offset of an open transaction.
    pub last_stable_offset: i64,
    /// The first offset kept.
    pub log_start_offset: i64,
    /// The answer only says where else to ask.
    pub redirects: bool,
}

impl FetchBuffer {
    /// Nothing assigned. `limit` bounds the bytes of fetched data that wait for the application.
    pub fn new(policy: AutoOffsetReset, limit: usize) -> Self {
        Self {
            policy,
            start: StartAt::Policy,
            credit: Credit::new(limit),
            cursors: Vec::new(),
            free: Vec::new(),
            by_partition: HashMap::new(),
            ready: VecDeque::new(),
            turns: 0,
            last_turn: 0,
            to_open: VecDeque::new(),
            current: None,
            asked_in_vain: Vec::new(),
            has_left_out: false,
            has_caught_up: false,
            next_epoch: 0,
            errors_met: 0,
            pace: RetryPace::new(Backoff::new(FIRST_PAUSE, LONGEST_PAUSE), 0),
            unfinished: Vec::new(),
            left_unfinished: HashMap::new(),
            ledger: Ledger::default(),
        }
    }

    /// Repeats refused requests at this pace.
    pub fn set_pace(&mut self, pace: RetryPace) {
        self.pace = pace;
    }

    /// From now on new cursors start where the group has committed.
    pub fn start_from_committed(&mut self) {
        self.start = StartAt::Committed;
    }

    fn id(&self, partition: &TopicPartition) -> Result<CursorId, FetchError> {
        let id = self.by_partition.get(partition).copied();
        id.ok_or_else(|| FetchError::NotAssigned {
            partition: partition.clone(),
        })
    }

    /// The cursor of an assigned partition.
    pub fn cursor(&self, partition: &TopicPartition) -> Result<&Cursor, FetchError> {
        let id = self.id(partition)?;
        self.cursors[id].as_ref().ok_or(FetchError::Closed)
    }

    /// All cursors.
    pub fn cursors(&self) -> impl Iterator<Item = (CursorId, &Cursor)> {
        let slots = self.cursors.iter().enumerate();
        slots.filter_map(|(id, cursor)| Some((id, cursor.as_ref()?)))
    }

    /// The cursor that was `epoch` when asked about, if nothing has changed since.
    pub fn cursor_at(&mut self, id: CursorId, epoch: u64) -> Option<&mut Cursor> {
        let cursor = self.cursors.get_mut(id)?.as_mut()?;
        (cursor.epoch == epoch).then_some(cursor)
    }

    /// Gives a cursor with data its turn; returns whether it has any to give.
    fn make_ready(&mut self, id: CursorId) -> bool {
        if self
            .current
            .as_ref()
            .is_some_and(|(current, _)| *current == id)
        {
            return true;
        }
        self.skip_to_records(id);
        let wants = self.cursors[id]
            .as_ref()
            .is_some_and(|cursor| !cursor.paused && !cursor.queue.is_empty());
        if wants {
            self.list(id, true);
        }
        wants
    }

    /// Puts a cursor into the queue of turns, once.
    fn list(&mut self, id: CursorId, at_end: bool) {
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        if cursor.turn != 0 {
            return;
        }
        self.last_turn += 1;
        cursor.turn = self.last_turn;
        self.turns += 1;
        if at_end {
            self.ready.push_back((id, cursor.turn));
        } else {
            self.ready.push_front((id, cursor.turn));
        }
    }

    /// Takes a cursor out of the queue of turns. Its place stays and is passed over: to search it would make removing
    /// all partitions quadratic.
    fn unlist(&mut self, id: CursorId) {
        const FEW: usize = 64;
        if let Some(cursor) = self.cursors[id].as_mut()
            && std::mem::take(&mut cursor.turn) != 0
        {
            self.turns -= 1;
        }
        if self.ready.len() > 2 * self.turns + FEW {
            let cursors = &self.cursors;
            self.ready.retain(|place| has_turn(cursors, *place));
        }
    }

    /// Positions move over control batches at once, not with the next poll: lag must reach zero.
    fn skip_to_records(&mut self, id: CursorId) {
        if let Some(cursor) = self.cursors[id].as_mut() {
            while let Some(Queued::Skip(next)) = cursor.queue.front() {
                let next = *next;
                cursor.skip_to(next);
                cursor.queue.pop_front();
            }
        }
    }
}

/// Whether a place in the queue of turns still counts.
fn has_turn(cursors: &[Option<Cursor>], (id, turn): (CursorId, u64)) -> bool {
    let cursor = cursors.get(id).and_then(Option::as_ref);
    cursor.is_some_and(|cursor| cursor.turn == turn)
}
