//! The application's side of the fetch buffer: which records are handed out, in which order.

use std::sync::Arc;

use super::credit::opened;
use super::fetch_buffer::{CursorId, FetchBuffer};
use super::turns::has_turn;
use crate::config::TopicPartition;
use crate::fetch::cursor::{CursorState, Queued};
use crate::fetch::error::FetchError;
use crate::fetch::open::{RecordSlice, TakenRecord};

impl FetchBuffer {
    /// Returns true if taking would give a record or an error now.
    pub fn is_ready(&self) -> bool {
        self.current.is_some() || self.turns > 0
    }

    /// Returns true if taking would give a record or an error of one of these partitions now.
    pub fn is_ready_for(&self, wanted: &[TopicPartition]) -> bool {
        let current = self.current.as_ref().map(|(id, _)| *id);
        let has_data = |id: CursorId| {
            let cursor = self.cursors[id].as_ref();
            current == Some(id) || cursor.is_some_and(|cursor| cursor.turn != 0)
        };
        let mut ids = wanted.iter().filter_map(|one| self.by_partition.get(one));
        ids.any(|id| has_data(*id))
    }

    fn is_of(&self, id: CursorId, wanted: &[TopicPartition]) -> bool {
        let cursor = self.cursors[id].as_ref();
        cursor.is_some_and(|cursor| wanted.contains(&cursor.partition))
    }

    /// Gives one of these partitions its turn before the others; false if none of them has data. Data of the others
    /// waits, and even if it fills the buffer, these partitions may then be fetched.
    pub fn turn_to(&mut self, wanted: &[TopicPartition]) -> bool {
        let current = self.current.as_ref().map(|(id, _)| *id);
        let found = match current.filter(|id| self.is_of(*id, wanted)) {
            Some(id) => Some(id),
            None => self
                .ready
                .iter()
                .find(|entry| has_turn(&self.cursors, **entry) && self.is_of(entry.0, wanted))
                .map(|(id, _)| *id),
        };
        let Some(id) = found else {
            for id in wanted.iter().filter_map(|one| self.by_partition.get(one)) {
                if let Err(at) = self.asked_in_vain.binary_search(id) {
                    self.asked_in_vain.insert(at, *id);
                }
            }
            return false;
        };
        self.found(id);
        if current == found {
            return true;
        }
        if let Some(current) = current {
            self.put_current_back();
            self.list(current, true);
        }
        self.unlist(id);
        self.list(id, false);
        true
    }

    /// Takes a partition off the list of those that are wanted and have no data. The others stay on it.
    #[inline]
    pub(super) fn found(&mut self, id: CursorId) {
        if let Ok(at) = self.asked_in_vain.binary_search(&id) {
            self.asked_in_vain.remove(at);
        }
    }

    /// Takes the next record, if one is ready.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<TakenRecord>, FetchError> {
        self.finish_all();
        if self.current.is_none() && !self.load().map_err(|(_, error)| error)? {
            return Ok(None);
        }
        let Some((id, current)) = self.current.as_mut() else {
            return Ok(None);
        };
        let view = current.batch.batch.record_at(current.next);
        current.next = view.next;
        current.remaining -= 1;
        let taken = TakenRecord {
            batch: Arc::clone(&current.batch),
            view,
        };
        let position = current.position_after(&view);
        let id = *id;
        let is_last = current.remaining == 0;
        self.note_unfinished(id);
        if is_last {
            self.finish_current();
        } else if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.advance(position);
        }
        Ok(Some(taken))
    }

    /// Takes up to `max` records as runs of batches. An error is raised only when nothing comes before it.
    pub fn take(&mut self, max: usize) -> Result<Vec<RecordSlice>, FetchError> {
        self.take_of(max, None)
    }

    /// As [`FetchBuffer::take`], of some partitions only.
    pub fn take_of(
        &mut self,
        max: usize,
        wanted: Option<&[TopicPartition]>,
    ) -> Result<Vec<RecordSlice>, FetchError> {
        self.finish_all();
        let mut slices = Vec::new();
        let mut left = u32::try_from(max).unwrap_or(u32::MAX);
        while left > 0 && wanted.is_none_or(|wanted| self.turn_to(wanted)) {
            if self.current.is_none() {
                match self.load() {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err((_, error)) if slices.is_empty() => return Err(error),
                    Err((id, error)) => {
                        self.unread(id, error);
                        break;
                    }
                }
            }
            let Some((id, current)) = self.current.as_mut() else {
                break;
            };
            let count = current.remaining.min(left);
            let start = current.next;
            left -= count;
            let id = *id;
            let place = self.cursors[id].as_ref().map_or(0, |cursor| cursor.place);
            current.remaining -= count;
            let last = current.last_taken();
            current.next = last.map_or(start, |last| last.next);
            slices.push(RecordSlice {
                batch: Arc::clone(&current.batch),
                start,
                end: current.next,
                count,
                place,
            });
            let is_last = current.remaining == 0;
            let position = last.map(|last| current.position_after(&last));
            self.note_unfinished(id);
            if is_last {
                self.finish_current();
            } else if let (Some(position), Some(cursor)) = (position, self.cursors[id].as_mut()) {
                cursor.advance(position);
            }
        }
        Ok(slices)
    }

    /// Notes that records of this cursor are handed out, which count as unfinished until the next call.
    #[inline]
    fn note_unfinished(&mut self, id: CursorId) {
        if let Some(cursor) = &self.cursors[id]
            && self.unfinished.last().is_none_or(|(last, _)| *last != id)
            && let Some(position) = cursor.fetch_position()
        {
            self.unfinished.push((id, position));
        }
    }

    /// Ends the current batch: the position moves past it (also past compacted offsets at its end), and the next
    /// partition gets its turn.
    fn finish_current(&mut self) {
        let Some((id, done)) = self.current.take() else {
            return;
        };
        if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.advance(done.end());
        }
        self.make_ready(id);
    }

    /// Makes the next ready batch the current one. False when there is none.
    fn load(&mut self) -> Result<bool, (CursorId, FetchError)> {
        while let Some((id, turn)) = self.ready.pop_front() {
            let Some(cursor) = self.cursors[id]
                .as_mut()
                .filter(|cursor| cursor.turn == turn)
            else {
                continue;
            };
            cursor.turn = 0;
            self.turns -= 1;
            match cursor.queue.pop_front() {
                Some(Queued::Records(records)) => {
                    self.credit.remove(cursor, opened(records.batch.own_size()));
                    if let Some(response) = &records.response {
                        self.credit.release(cursor.paused, response);
                    }
                    cursor.is_unread_since = false;
                    cursor.is_looked_up = false;
                    self.current = Some((id, records));
                    self.found(id);
                    return Ok(true);
                }
                Some(Queued::Failed(error)) => {
                    // The application knows of the error now; unless it seeks, the same position is tried again.
                    if !(self.stops_without_position && error.is_of_position()) {
                        cursor.go_on();
                    }
                    self.make_ready(id);
                    return Err((id, error));
                }
                Some(Queued::Skip(_)) | None => {}
            }
        }
        self.pass_skipped();
        Ok(false)
    }

    /// Takes the error for which a partition has no position, if one waits for the application. As the application
    /// knows of it then, the look-up is tried again.
    pub fn take_position_error(
        &mut self,
        partition: &TopicPartition,
    ) -> Result<Option<FetchError>, FetchError> {
        let id = self.id(partition)?;
        let Some(cursor) = self.cursors[id].as_mut() else {
            return Ok(None);
        };
        // Without a position nothing was read, so no records can come before the error.
        if cursor.position().is_some() {
            return Ok(None);
        }
        if !matches!(cursor.queue.front(), Some(Queued::Failed(_))) {
            return Ok(self.topic_error(partition));
        }
        let Some(Queued::Failed(error)) = cursor.queue.pop_front() else {
            return Ok(None);
        };
        cursor.go_on();
        if cursor.queue.is_empty() {
            self.unlist(id);
        }
        Ok(Some(error))
    }

    /// An error of a topic waits at one of its partitions, and concerns all of them. It stays there for the next poll.
    fn topic_error(&self, partition: &TopicPartition) -> Option<FetchError> {
        let mut errors = self
            .cursors()
            .filter_map(|(_, cursor)| match cursor.queue.front() {
                Some(Queued::Failed(error @ FetchError::Topic { topic, .. })) => {
                    (*topic == partition.topic).then_some(error)
                }
                _ => None,
            });
        errors.next().cloned()
    }

    /// Keeps an error for the next call.
    fn unread(&mut self, id: CursorId, error: FetchError) {
        if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.state = CursorState::Failed;
            cursor.queue.push_front(Queued::Failed(error));
            self.list(id, false);
        }
    }
}
