//! The assignment of a fetch buffer: its partitions, their positions, and which are paused.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::credit::opened;
use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::config::TopicPartition;
use crate::fetch::cursor::{Cursor, Queued, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::position::FetchPosition;

impl FetchBuffer {
    /// Replaces the assignment. Partitions that stay keep position, data and pause unless a position is given.
    pub fn assign(&mut self, partitions: Vec<(TopicPartition, Option<FetchPosition>)>) {
        let wanted: HashMap<_, _> = partitions.into_iter().collect();
        let gone: Vec<_> = self
            .by_partition
            .keys()
            .filter(|partition| !wanted.contains_key(*partition))
            .cloned()
            .collect();
        self.remove(&gone);
        for (partition, position) in wanted {
            self.assign_one(partition, position);
        }
    }

    /// Adds to the assignment; partitions that are in it stay as they are unless a position is given.
    pub fn add(&mut self, partitions: Vec<(TopicPartition, Option<FetchPosition>)>) {
        for (partition, position) in partitions {
            self.assign_one(partition, position);
        }
    }

    /// Removes partitions from the assignment, with the data that waits for the application.
    pub fn remove(&mut self, partitions: &[TopicPartition]) {
        self.leave_unfinished(partitions);
        for partition in partitions {
            self.remove_one(partition);
        }
    }

    /// Remembers where partitions stand that are about to be removed, for [`FetchBuffer::restore`].
    pub fn keep(&mut self, partitions: &[TopicPartition]) {
        for partition in partitions {
            if let Ok(cursor) = self.cursor(partition) {
                let kept = cursor.to_keep();
                self.kept.insert(partition.clone(), kept);
            }
        }
    }

    /// Lets those of these partitions go on where they stood that were kept, paused if they were, and forgets the rest.
    /// What was handed out of them and not finished stays so.
    pub fn restore(&mut self, partitions: &[TopicPartition]) {
        for partition in partitions {
            let id = self.by_partition.get(partition).copied();
            if let Some(id) = id
                && let Some(kept) = self.kept.remove(partition)
                && let Some(cursor) = self.cursors[id].as_mut()
            {
                cursor.go_on_from(kept);
                self.take_back_unfinished(id);
            }
        }
        self.forget_kept();
    }

    /// Forgets what was kept: others may have read on.
    pub fn forget_kept(&mut self) {
        let gone: Vec<_> = self.kept.drain().map(|(partition, _)| partition).collect();
        self.forget_unfinished(&gone);
    }

    fn assign_one(&mut self, partition: TopicPartition, position: Option<FetchPosition>) {
        match (self.by_partition.get(&partition), position) {
            (Some(_), None) => {}
            (Some(id), Some(position)) => self.go_to(*id, |cursor| cursor.set_position(position)),
            (None, position) => self.create(partition, position),
        }
    }

    fn create(&mut self, partition: TopicPartition, position: Option<FetchPosition>) {
        self.next_epoch += 1;
        let is_sought = position.is_some();
        let mut cursor = Cursor::new(partition.clone(), self.next_epoch, self.start, position);
        cursor.is_unwanted = self.is_unwanted(&partition.topic);
        cursor.paused = cursor.is_unwanted;
        let id = match self.free.pop() {
            Some(id) => {
                self.cursors[id] = Some(cursor);
                id
            }
            None => {
                self.cursors.push(Some(cursor));
                self.cursors.len() - 1
            }
        };
        self.by_partition.insert(partition, id);
        if is_sought {
            self.take_back_unfinished(id);
        }
    }

    fn remove_one(&mut self, partition: &TopicPartition) {
        let Some(id) = self.by_partition.remove(partition) else {
            return;
        };
        self.drop_data(id);
        self.ledger.forget(partition);
        self.cursors[id] = None;
        self.found(id);
        self.free.push(id);
    }

    /// Drops a cursor's data that waits for the application.
    fn drop_data(&mut self, id: CursorId) {
        if self
            .current
            .as_ref()
            .is_some_and(|(current, _)| *current == id)
        {
            self.current = None;
        }
        self.unlist(id);
        if let Some(cursor) = self.cursors[id].as_mut() {
            self.credit.remove(cursor, cursor.held);
            for response in cursor.responses() {
                self.credit.release(cursor.paused, response);
            }
            cursor.queue.clear();
            cursor.unopened.clear();
            cursor.opening = None;
            cursor.failure = None;
        }
    }

    /// Moves a cursor to another position. Pauses after refusals stay as they are, and what was handed out stays
    /// unfinished.
    pub(super) fn restart(&mut self, id: CursorId, change: impl FnOnce(&mut Cursor)) {
        self.drop_data(id);
        self.next_epoch += 1;
        if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.loosen();
            cursor.epoch = self.next_epoch;
            cursor.in_flight = false;
            cursor.is_looked_up = false;
            cursor.preferred_replica = None;
            change(cursor);
        }
    }

    /// As `restart`, for a seek or an assigned position: the pause after a refusal is shortened, because the new
    /// position need not be refused, and an earlier commit of the application does not count any more.
    fn go_to(&mut self, id: CursorId, change: impl FnOnce(&mut Cursor)) {
        if let Some(cursor) = &self.cursors[id] {
            for (_, position) in self.unfinished.iter_mut().filter(|(of, _)| *of == id) {
                *position = cursor.unfinished_from(*position);
            }
        }
        self.restart(id, |cursor| {
            cursor.place = cursor.epoch;
            cursor.retry.shorten();
            cursor.settled = None;
            cursor.is_unread_since = false;
            change(cursor);
        });
        self.take_back_unfinished(id);
    }

    /// Returns how many partitions are assigned.
    pub fn assigned(&self) -> usize {
        self.by_partition.len()
    }

    /// Returns the assigned partitions, in no order.
    pub fn assignment(&self) -> Vec<TopicPartition> {
        self.by_partition.keys().cloned().collect()
    }

    /// The place of a partition that is assigned: a number that no other has, for as long as the application neither
    /// assigns the partition anew nor seeks.
    pub fn place(&self, partition: &TopicPartition) -> Option<u64> {
        Some(self.cursor(partition).ok()?.place)
    }

    /// Seeks to `position`.
    pub fn seek(
        &mut self,
        partition: &TopicPartition,
        position: FetchPosition,
    ) -> Result<(), FetchError> {
        let id = self.id(partition)?;
        self.go_to(id, |cursor| cursor.set_position(position));
        Ok(())
    }

    /// Seeks to `start`, which is looked up.
    pub fn seek_to(
        &mut self,
        partition: &TopicPartition,
        start: StartAt,
    ) -> Result<(), FetchError> {
        let id = self.id(partition)?;
        self.go_to(id, |cursor| cursor.reset(start));
        Ok(())
    }

    /// Pauses or resumes a partition. Data of a paused one is kept, unless others need the room.
    pub fn set_paused(
        &mut self,
        partition: &TopicPartition,
        paused: bool,
    ) -> Result<(), FetchError> {
        let id = self.id(partition)?;
        if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.is_asked_to_pause = paused;
        }
        self.pause_or_resume(id);
        Ok(())
    }

    /// Hands out records of these topics only, or of all: what was read ahead of others stays unread, and positions
    /// where they are, until their partitions are revoked or the topics are wanted again.
    pub fn want_only(&mut self, topics: Option<BTreeSet<Arc<str>>>) {
        self.wanted = topics;
        for id in 0..self.cursors.len() {
            let topic = self.cursors[id]
                .as_ref()
                .map(|cursor| &cursor.partition.topic);
            let is_unwanted = topic.is_some_and(|topic| self.is_unwanted(topic));
            if let Some(cursor) = self.cursors[id].as_mut() {
                cursor.is_unwanted = is_unwanted;
            }
            self.pause_or_resume(id);
        }
    }

    fn is_unwanted(&self, topic: &str) -> bool {
        let wanted = self.wanted.as_ref();
        wanted.is_some_and(|wanted| !wanted.contains(topic))
    }

    /// Makes a cursor paused if the application wants it to be or does not want its topic.
    fn pause_or_resume(&mut self, id: CursorId) {
        let Some(cursor) = &self.cursors[id] else {
            return;
        };
        let paused = cursor.is_asked_to_pause || cursor.is_unwanted;
        if cursor.paused == paused {
            return;
        }
        if paused
            && self
                .current
                .as_ref()
                .is_some_and(|(current, _)| *current == id)
        {
            self.put_current_back();
        }
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        if paused {
            self.credit.pause(cursor);
            self.unlist(id);
        } else {
            self.credit.resume(cursor);
            self.list_to_open(id);
            self.make_ready(id);
        }
    }

    pub(super) fn put_current_back(&mut self) {
        let Some((id, current)) = self.current.take() else {
            return;
        };
        if let Some(cursor) = self.cursors[id].as_mut() {
            self.credit.add(cursor, opened(current.batch.own_size()));
            if let Some(response) = &current.response {
                self.credit.hold(cursor.paused, response);
            }
            cursor.queue.push_front(Queued::Records(current));
        }
    }

    /// Returns the partitions that the application has paused, in no order.
    pub fn paused(&self) -> Vec<TopicPartition> {
        let paused = self
            .cursors()
            .filter(|(_, cursor)| cursor.is_asked_to_pause);
        paused.map(|(_, cursor)| cursor.partition.clone()).collect()
    }
}
