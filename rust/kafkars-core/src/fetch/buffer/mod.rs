//! Everything one consumer has assigned and fetched: cursors, ready data, fairness, the byte limit.

mod application;
mod assignment;
mod network;
mod progress;
#[cfg(test)]
mod tests;
mod truncation;

use std::collections::{HashMap, VecDeque};

use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{BatchCursor, Cursor, Place, Queued, StartAt};
use crate::fetch::error::FetchError;

pub use self::progress::Position;
pub use self::truncation::{EpochEnd, Validation};

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
    limit: usize,
    cursors: Vec<Option<Cursor>>,
    by_partition: HashMap<TopicPartition, CursorId>,
    ready: VecDeque<CursorId>,
    current: Option<(CursorId, BatchCursor)>,
    buffered: usize,
    // The application wants partitions that have nothing, and what others have may fill the buffer.
    asked_in_vain: bool,
    next_epoch: u64,
    // What the latest call handed out, by where each cursor stood before it.
    unfinished: Vec<(CursorId, u64, Place)>,
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
    pub from: Place,
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
}

impl FetchBuffer {
    /// Nothing assigned. `limit` bounds the bytes of opened batches that wait for the application.
    pub fn new(policy: AutoOffsetReset, limit: usize) -> Self {
        Self {
            policy,
            start: StartAt::Policy,
            limit,
            cursors: Vec::new(),
            by_partition: HashMap::new(),
            ready: VecDeque::new(),
            current: None,
            buffered: 0,
            asked_in_vain: false,
            next_epoch: 0,
            unfinished: Vec::new(),
        }
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
        if std::mem::replace(&mut cursor.listed, true) {
            return;
        }
        if at_end {
            self.ready.push_back(id);
        } else {
            self.ready.push_front(id);
        }
    }

    fn unlist(&mut self, id: CursorId) {
        if let Some(cursor) = self.cursors[id].as_mut()
            && std::mem::replace(&mut cursor.listed, false)
        {
            self.ready.retain(|other| *other != id);
        }
    }

    /// Positions move over control batches at once, not with the next poll: lag must reach zero.
    fn skip_to_records(&mut self, id: CursorId) {
        if let Some(cursor) = self.cursors[id].as_mut() {
            while let Some(Queued::Skip(next)) = cursor.queue.front() {
                cursor.position = Some(*next);
                cursor.queue.pop_front();
            }
        }
    }
}
