//! How far the application is: what may be committed, what it holds in memory, since when nothing was heard.

use std::collections::HashMap;
use std::time::Instant;

use super::{CursorId, FetchBuffer};
use crate::config::TopicPartition;
use crate::fetch::cursor::FetchPosition;

/// An offset to commit: the next record to read, with the leader epoch of the one before it.
pub type Position = (TopicPartition, FetchPosition);

impl FetchBuffer {
    /// Where each partition stands after everything that was handed out.
    pub fn consumed(&self) -> Vec<Position> {
        let cursors = self.cursors();
        cursors
            .filter_map(|(_, cursor)| Some((cursor.partition.clone(), cursor.place()?)))
            .collect()
    }

    /// Where each partition stood before the latest call that handed out records: the application asked for more, so it
    /// has finished all before them.
    pub fn finished(&self) -> Vec<Position> {
        let mut positions = Vec::new();
        // A cursor may be named several times: where it stood before all of them counts.
        let earliest = self.unfinished.iter().rev();
        let unfinished: HashMap<_, _> = earliest
            .map(|(id, wish, place)| ((*id, *wish), *place))
            .collect();
        for (id, cursor) in self.cursors() {
            let unfinished = unfinished.get(&(id, cursor.wish)).copied();
            // A log that lost records has taken the position back, perhaps below what was finished.
            let places = unfinished.into_iter().chain(cursor.place());
            let place = places.min_by_key(|place| place.offset);
            positions.extend(place.map(|place| (cursor.partition.clone(), place)));
        }
        positions
    }

    /// The application says that it has finished everything that was handed out.
    pub fn finish_all(&mut self) {
        self.unfinished.clear();
    }

    /// Those of `positions` that the coordinator is not known to have.
    pub fn uncommitted(&self, positions: Vec<Position>) -> Vec<Position> {
        let is_new = |(partition, place): &Position| !self.ledger.has(partition, place.offset);
        positions.into_iter().filter(is_new).collect()
    }

    /// Bytes of the batch that records are being handed out of.
    pub fn current_bytes(&self) -> usize {
        let current = self.current.as_ref();
        current.map_or(0, |(_, records)| records.batch.size())
    }

    /// Since when a partition that should be read has not been heard of, the longest one first; `since` is when the
    /// application asked for what it wants now. `None` when nothing is to be read.
    pub fn silent_since(&self, since: Instant) -> Option<Instant> {
        if !self.has_credit() {
            return None;
        }
        // Without room, only what was asked for in vain is fetched.
        let is_limited = !self.has_room() && !self.is_blocked_by_paused();
        let is_asked = |id: CursorId| !is_limited || self.asked_in_vain.binary_search(&id).is_ok();
        let wanted = self.cursors();
        wanted
            .filter(|(id, cursor)| !cursor.paused && is_asked(*id))
            .map(|(_, cursor)| cursor.heard_at.map_or(since, |heard| heard.max(since)))
            .min()
    }
}
