//! The progress of the application: what may be committed, what it holds in memory, since when no response came.

use std::collections::HashMap;
use std::time::Instant;

use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::config::TopicPartition;
use crate::fetch::cursor::{Settled, Skipped};
use crate::fetch::position::FetchPosition;

/// An offset to commit: the next record to read, with the leader epoch of the one before it.
pub type Position = (TopicPartition, FetchPosition);

impl FetchBuffer {
    /// The position of each partition after everything that was handed out.
    pub fn consumed(&self) -> Vec<Position> {
        let cursors = self.cursors();
        cursors
            .filter_map(|(_, cursor)| Some((cursor.partition.clone(), cursor.fetch_position()?)))
            .collect()
    }

    /// True if the application has passed markers of transactions, or offsets that nothing is at, since the partition
    /// was assigned or sought: the position has moved over them, and the application has asked for records since.
    pub fn has_passed(&self, partition: &TopicPartition) -> bool {
        self.cursor(partition)
            .is_ok_and(|cursor| cursor.skipped == Skipped::Passed)
    }

    /// True if the application has read of a partition, or chosen its position: it is not just where a look-up has
    /// found that reading begins.
    pub fn is_used(&self, partition: &TopicPartition) -> bool {
        self.cursor(partition)
            .is_ok_and(|cursor| cursor.position().is_some() && !cursor.is_looked_up)
    }

    /// The position of each partition before the latest call that handed out records: the application asked for more by
    /// that call, so it has finished everything before.
    pub fn finished(&self) -> Vec<Position> {
        let mut positions = Vec::new();
        // A cursor may be listed several times: its first position counts.
        let unfinished: HashMap<_, _> = self.unfinished.iter().rev().copied().collect();
        for (id, cursor) in self.cursors() {
            let unfinished = unfinished.get(&id).copied();
            // A seek ahead does not finish records that were handed out. A seek back, or a truncated log, has moved the
            // position back, perhaps below what was finished.
            let starts = unfinished.into_iter().chain(cursor.fetch_position());
            let position = starts.min_by_key(|position| position.offset);
            positions.extend(position.map(|position| (cursor.partition.clone(), position)));
        }
        positions
    }

    /// Notes that the application has finished everything that was handed out.
    #[inline]
    pub fn finish_all(&mut self) {
        self.unfinished.clear();
        self.left_unfinished.clear();
    }

    /// The positions for automatic commits: what is finished, unless the coordinator is known to have it, or the
    /// application has committed something itself and neither read on nor sought since.
    pub fn to_commit(&self) -> Vec<Position> {
        let mut finished = self.finished();
        finished.retain(|(partition, position)| {
            !self.is_settled(partition, position.offset)
                && !self.is_gone(partition, position.offset)
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

    /// Notes that the application commits `offset` itself. That says how far it is, so automatic commits use neither a
    /// position that was looked up nor what was finished before.
    pub fn settle(&mut self, partition: &TopicPartition, offset: i64) {
        if let Some(position) = self.left_unfinished.get_mut(partition) {
            *position = position.raised_to(offset);
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
        for (_, position) in self.unfinished.iter_mut().filter(|(of, _)| *of == id) {
            stood = Some(earlier(stood, position.offset));
            *position = position.raised_to(offset);
            at = Some(earlier(at, position.offset));
        }
        let is_there = |settled: &Settled| settled.at.is_none() || stood <= settled.at;
        let before = cursor
            .settled
            .filter(is_there)
            .map(|settled| settled.offset);
        cursor.settled = Some(Settled { offset, at, before });
    }

    /// Takes back [`FetchBuffer::settle`], because the commit was not accepted and will never be sent.
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

    /// Remembers, for partitions that are removed, which of their records the application has not finished.
    pub(super) fn leave_unfinished(&mut self, gone: &[TopicPartition]) {
        if self.unfinished.is_empty() {
            return;
        }
        let of_id = |partition| Some((*self.by_partition.get(partition)?, partition));
        let gone: HashMap<CursorId, &TopicPartition> = gone.iter().filter_map(of_id).collect();
        let (left, cursors) = (&mut self.left_unfinished, &self.cursors);
        self.unfinished.retain(|(id, position)| {
            let partition = gone.get(id);
            if let Some(partition) = partition
                && let Some(cursor) = &cursors[*id]
            {
                // Of several positions the first counts.
                let position = cursor.unfinished_from(*position);
                left.entry((*partition).clone()).or_insert(position);
            }
            partition.is_none()
        });
    }

    /// Keeps records unfinished that were handed out by an earlier cursor of the partition, when the application sets a
    /// position.
    pub(super) fn take_back_unfinished(&mut self, id: CursorId) {
        if let Some(cursor) = &self.cursors[id]
            && let Some(position) = self.left_unfinished.remove(&cursor.partition)
        {
            self.unfinished.push((id, position));
        }
    }

    /// Forgets unfinished records of partitions that belong to others now, who may be further on.
    pub fn forget_unfinished(&mut self, partitions: &[TopicPartition]) {
        if !self.left_unfinished.is_empty() {
            for partition in partitions {
                self.left_unfinished.remove(partition);
            }
        }
    }

    /// Filters out positions that the coordinator is known to have.
    pub fn uncommitted(&self, positions: Vec<Position>) -> Vec<Position> {
        let is_new =
            |(partition, position): &Position| !self.ledger.has(partition, position.offset);
        positions.into_iter().filter(is_new).collect()
    }

    /// How many bytes the batch takes that records are being handed out from.
    pub fn current_bytes(&self) -> usize {
        let current = self.current.as_ref();
        current.map_or(0, |(_, records)| records.batch.size())
    }

    /// Since when no response came for the partition that has waited longest of those that should be read, counted from
    /// `since` at the earliest, when the application asked for what it wants now. `None` if nothing is to be read.
    pub fn silent_since(&self, since: Instant) -> Option<Instant> {
        if !self.has_credit() {
            return None;
        }
        // Without room, only partitions are fetched that the application wanted when they had no data.
        let is_limited = !self.has_room() && !self.is_blocked_by_paused();
        let is_asked = |id: CursorId| !is_limited || self.asked_in_vain.binary_search(&id).is_ok();
        let wanted = self.cursors();
        wanted
            .filter(|(id, cursor)| !cursor.paused && !cursor.is_stopped() && is_asked(*id))
            .map(|(_, cursor)| cursor.heard_at.map_or(since, |heard| heard.max(since)))
            .min()
    }
}
