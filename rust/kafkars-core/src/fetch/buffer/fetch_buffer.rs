//! `FetchBuffer`: its fields, and how its cursors are found.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use super::credit::Credit;
use super::ledger::Ledger;
use super::repeats::Repeats;
use super::source::LookUpSource;
use crate::backoff::Backoff;
use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{BatchCursor, Cursor, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::kept::KeptCursor;
use crate::fetch::position::FetchPosition;
use crate::fetch::retry::RetryPace;

/// The first and the longest pause between refused requests, if nothing else is set: Kafka's defaults.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Identifies a cursor for as long as its partition stays assigned.
pub type CursorId = usize;

/// The consumer's state that application and network share, behind one lock of the driver.
///
/// Fairness: partitions with data take turns, a batch each.
#[derive(Debug)]
pub struct FetchBuffer {
    pub(super) policy: AutoOffsetReset,
    // Where new cursors start.
    pub(super) start: StartAt,
    pub(super) credit: Credit,
    pub(super) cursors: Vec<Option<Cursor>>,
    // Free entries of `cursors`.
    pub(super) free: Vec<CursorId>,
    pub(super) by_partition: HashMap<TopicPartition, CursorId>,
    // The queue of turns: cursors with something to take, each with the stamp of its turn. An entry whose stamp is not
    // that of its cursor is stale, and is passed over.
    pub(super) ready: VecDeque<(CursorId, u64)>,
    // How many entries of `ready` are not stale.
    pub(super) turns: usize,
    pub(super) last_turn: u64,
    // Cursors with responses to open, in turn. The cursor of an entry may have nothing left to open, or be gone.
    pub(super) to_open: VecDeque<CursorId>,
    pub(super) current: Option<(CursorId, BatchCursor)>,
    // Whether a cursor has skipped what the application has not come to.
    pub(super) has_unseen: bool,
    // Whether partitions without a valid position wait for a seek once the application knows of it.
    pub(super) stops_without_position: bool,
    // The topics that the application subscribes to by name; nothing of others is handed out.
    pub(super) wanted: Option<BTreeSet<Arc<str>>>,
    // Cursors that the application wants and that have no data, in order of their ids: they are fetched even if others
    // fill the buffer.
    pub(super) asked_in_vain: Vec<CursorId>,
    // Whether the network passed over cursors that it would have fetched, had there been room.
    pub(super) has_left_out: bool,
    // Whether opening has caught up with a cursor that the network would have fetched.
    pub(super) has_caught_up: bool,
    pub(super) next_epoch: u64,
    // How many errors were met for the application, so that a waiter can notice a new one.
    pub(super) errors_met: u64,
    // How fast refused requests are repeated.
    pub(super) pace: RetryPace,
    // When those are asked again who have refused a position for good, or by node id a check of one.
    pub(super) repeated_look_ups: Repeats<LookUpSource>,
    pub(super) repeated_checks: Repeats<i32>,
    // The cursors of the records that the latest call handed out, with their positions before.
    pub(super) unfinished: Vec<(CursorId, FetchPosition)>,
    // The same for cursors that were removed since.
    pub(super) left_unfinished: HashMap<TopicPartition, FetchPosition>,
    // Where partitions stood that were given up, and may come back before anybody else has had them.
    pub(super) kept: HashMap<TopicPartition, KeptCursor>,
    // The offsets that the group's coordinator has.
    pub(super) ledger: Ledger,
}

impl FetchBuffer {
    /// Creates a buffer without partitions. `limit` bounds the bytes of fetched data that wait for the application.
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
            has_unseen: false,
            stops_without_position: false,
            wanted: None,
            asked_in_vain: Vec::new(),
            has_left_out: false,
            has_caught_up: false,
            next_epoch: 0,
            errors_met: 0,
            pace: RetryPace::new(Backoff::new(FIRST_PAUSE, LONGEST_PAUSE), 0),
            repeated_look_ups: Repeats::default(),
            repeated_checks: Repeats::default(),
            unfinished: Vec::new(),
            left_unfinished: HashMap::new(),
            kept: HashMap::new(),
            ledger: Ledger::default(),
        }
    }

    /// Sets the pace at which refused requests are repeated.
    pub fn set_pace(&mut self, pace: RetryPace) {
        self.pace = pace;
    }

    /// Lets nothing be read of a partition whose position is not valid until the application seeks, once it knows of
    /// that.
    pub fn stop_without_position(&mut self) {
        self.stops_without_position = true;
    }

    /// Makes new cursors start where the group has committed.
    pub fn start_from_committed(&mut self) {
        self.start = StartAt::Committed;
    }

    pub(super) fn id(&self, partition: &TopicPartition) -> Result<CursorId, FetchError> {
        let id = self.by_partition.get(partition).copied();
        id.ok_or_else(|| FetchError::NotAssigned {
            partition: partition.clone(),
        })
    }

    /// Returns the cursor of an assigned partition.
    pub fn cursor(&self, partition: &TopicPartition) -> Result<&Cursor, FetchError> {
        let id = self.id(partition)?;
        self.cursors[id].as_ref().ok_or(FetchError::Closed)
    }

    /// Returns all cursors.
    pub fn cursors(&self) -> impl Iterator<Item = (CursorId, &Cursor)> {
        let slots = self.cursors.iter().enumerate();
        slots.filter_map(|(id, cursor)| Some((id, cursor.as_ref()?)))
    }

    /// Returns the cursor if it is still in `epoch`, so that nothing has changed since a request was made for it.
    pub fn cursor_at(&mut self, id: CursorId, epoch: u64) -> Option<&mut Cursor> {
        let cursor = self.cursors.get_mut(id)?.as_mut()?;
        (cursor.epoch == epoch).then_some(cursor)
    }
}
