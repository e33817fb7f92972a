//! How far the application is: what may be committed, what it holds in memory, since when nothing was heard.

use std::collections::HashMap;
use std::time::Instant;

use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::config::TopicPartition;
use crate::fetch::cursor::Settled;
use crate::fetch::position::FetchPosition;

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
        let unfinished: HashMap<_, _> = self.unfinished.iter().rev().copied().collect();
        for (id, cursor) in self.cursors() {
            let unfinished = unfinished.get(&id).copied();
            // A seek ahead finishes nothing of what is in hand. One back, or a log that lost records, has taken the
            // position back, perhaps below what was finished.
            let places = unfinished.into_iter().chain(cursor.place());
            let place = places.min_by_key(|place| place.offset);
            positions.extend(place.map(|place| (cursor.partition.clone(), place)));
        }
        positions
    }

    /// The application says that it has finished everything that was handed out.
    #[inline]
    pub fn finish_all(&mut self) {
        self.unfinished.clear();
        self.left_unfinished.clear();
    }

    /// What automatic commits have to commit: what is finished, unless the coordinator is known to have it, or the
    /// application has committed something itself and neither read on nor sought since.
    pub fn to_commit(&self) -> Vec<Position> {
        let mut finished = self.finished();
        finished.retain(|(partition, place)| {
            !self.is_settled(partition, place.offset) && !self.is_gone(partition, place.offset)
        });
        self.uncommitted(finished)
    }

    fn is_settled(&self, partition: &TopicPartition, finished: i64) -> bool {
        let settled = self
            .cursor(partition)
            .ok()
            .and_then(|cursor| cursor.settled);
        settled.is_some_and(|settled| {
            finished != settled.offset && settled.at.is_none_or(|at| finished <= at)
        })
    }

    /// The application commits `offset` itself, and says by that how far it is: neither a position that was looked up
    /// nor what it finished before counts after that.
    pub fn settle(&mut self, partition: &TopicPartition, offset: i64) {
        if let Some(place) = self.left_unfinished.get_mut(partition) {
            *place = place.raised_to(offset);
        }
        let Some(id) = self.by_partition.get(partition).copied() else {
            return;
        };
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        let position = cursor.position();
        let (mut stood, mut at) = (position, position);
        let earlier = |one: Option<i64>, other: i64| one.map_or(other, |one| one.min(other));
        for (_, place) in self.unfinished.iter_mut().filter(|(of, _)| *of == id) {
            stood = Some(earlier(stood, place.offset));
            *place = place.raised_to(offset);
            at = Some(earlier(at, place.offset));
        }
        let is_there = |settled: &Settled| settled.at.is_none() || stood <= settled.at;
        let before = cursor
            .settled
            .filter(is_there)
            .map(|settled| settled.offset);
        cursor.settled = Some(Settled { offset, at, before });
    }

    /// That commit was not taken: the coordinator will never hear of it.
    pub fn unsettle(&mut self, partition: &TopicPartition, offset: i64) {
        let id = self.by_partition.get(partition).copied();
        let cursor = id.and_then(|id| self.cursors[id].as_mut());
        if let Some(cursor) = cursor
            && let Some(settled) = cursor.settled
            && settled.offset == offset
        {
            cursor.settled = settled.before.map(|offset| Settled {
                offset,
                before: None,
                ..settled
            });
        }
    }

    /// These partitions go; what the application has in hand of them stays in its hand.
    pub(super) fn leave_unfinished(&mut self, gone: &[TopicPartition]) {
        if self.unfinished.is_empty() {
            return;
        }
        let of_id = |partition| Some((*self.by_partition.get(partition)?, partition));
        let gone: HashMap<CursorId, &TopicPartition> = gone.iter().filter_map(of_id).collect();
        let (left, cursors) = (&mut self.left_unfinished, &self.cursors);
        self.unfinished.retain(|(id, place)| {
            let partition = gone.get(id);
            if let Some(partition) = partition
                && let Some(cursor) = &cursors[*id]
            {
                // The first of several counts.
                let place = cursor.unfinished_from(*place);
                left.entry((*partition).clone()).or_insert(place);
            }
            partition.is_none()
        });
    }

    /// The application says where a cursor goes on: what it has in hand of an earlier cursor of the partition is not
    /// finished by that.
    pub(super) fn take_back_unfinished(&mut self, id: CursorId) {
        if let Some(cursor) = &self.cursors[id]
            && let Some(place) = self.left_unfinished.remove(&cursor.partition)
        {
            self.unfinished.push((id, place));
        }
    }

    /// These partitions belong to others now: what the application has in hand of them says nothing of how far those
    /// are.
    pub fn forget_unfinished(&mut self, partitions: &[TopicPartition]) {
        if !self.left_unfinished.is_empty() {
            for partition in partitions {
                self.left_unfinished.remove(partition);
            }
        }
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
