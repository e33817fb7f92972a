//! Everything one consumer has assigned and fetched: cursors, ready data, fairness, the byte limit.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{BatchCursor, Cursor, CursorState, Queued, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::open::{OpenJob, Opened, RecordSlice, TakenRecord};

/// Names a cursor for as long as its partition stays assigned.
pub type CursorId = usize;

/// The consumer's state that application and network share, behind one lock of the driver.
///
/// Fairness: partitions with data take turns, a batch each.
#[derive(Debug)]
pub struct FetchBuffer {
    policy: AutoOffsetReset,
    limit: usize,
    cursors: Vec<Option<Cursor>>,
    by_partition: HashMap<TopicPartition, CursorId>,
    ready: VecDeque<CursorId>,
    current: Option<(CursorId, BatchCursor)>,
    buffered: usize,
    next_epoch: u64,
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
    pub offset: i64,
    /// Leader epoch of the last record read, or -1 (KIP-320).
    pub last_epoch: i32,
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
            limit,
            cursors: Vec::new(),
            by_partition: HashMap::new(),
            ready: VecDeque::new(),
            current: None,
            buffered: 0,
            next_epoch: 0,
        }
    }

    // ----- assignment and positions -----

    /// Replaces the assignment. Partitions that stay keep position, data and pause unless an offset is given.
    pub fn assign(&mut self, partitions: Vec<(TopicPartition, Option<i64>)>) {
        let wanted: HashMap<_, _> = partitions.into_iter().collect();
        let gone: Vec<_> = self
            .by_partition
            .keys()
            .filter(|partition| !wanted.contains_key(*partition))
            .cloned()
            .collect();
        for partition in gone {
            self.remove(&partition);
        }
        for (partition, offset) in wanted {
            match (self.by_partition.get(&partition), offset) {
                (Some(_), None) => {}
                (Some(id), Some(offset)) => self.restart(*id, |cursor| cursor.set_position(offset)),
                (None, offset) => self.add(partition, offset),
            }
        }
    }

    fn add(&mut self, partition: TopicPartition, offset: Option<i64>) {
        self.next_epoch += 1;
        let cursor = Cursor::new(partition.clone(), self.next_epoch, offset);
        let id = match self.cursors.iter().position(Option::is_none) {
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
    }

    fn remove(&mut self, partition: &TopicPartition) {
        let Some(id) = self.by_partition.remove(partition) else {
            return;
        };
        self.drop_data(id);
        self.cursors[id] = None;
    }

    /// Throws away what waits for the application.
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
            self.buffered = self.buffered.saturating_sub(cursor.queued_bytes());
            cursor.queue.clear();
        }
    }

    fn restart(&mut self, id: CursorId, change: impl FnOnce(&mut Cursor)) {
        self.drop_data(id);
        self.next_epoch += 1;
        if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.epoch = self.next_epoch;
            cursor.in_flight = false;
            cursor.preferred_replica = None;
            change(cursor);
        }
    }

    fn id(&self, partition: &TopicPartition) -> Result<CursorId, FetchError> {
        let id = self.by_partition.get(partition).copied();
        id.ok_or_else(|| FetchError::NotAssigned {
            partition: partition.clone(),
        })
    }

    /// The assigned partitions, in no order.
    pub fn assignment(&self) -> Vec<TopicPartition> {
        self.by_partition.keys().cloned().collect()
    }

    /// Goes on at `offset`.
    pub fn seek(&mut self, partition: &TopicPartition, offset: i64) -> Result<(), FetchError> {
        let id = self.id(partition)?;
        self.restart(id, |cursor| cursor.set_position(offset));
        Ok(())
    }

    /// Goes on where the broker says `start` is.
    pub fn seek_to(
        &mut self,
        partition: &TopicPartition,
        start: StartAt,
    ) -> Result<(), FetchError> {
        let id = self.id(partition)?;
        self.restart(id, |cursor| cursor.reset(start));
        Ok(())
    }

    /// Stops or resumes handing out and fetching; data that waits is kept.
    pub fn set_paused(
        &mut self,
        partition: &TopicPartition,
        paused: bool,
    ) -> Result<(), FetchError> {
        let id = self.id(partition)?;
        if paused
            && self
                .current
                .as_ref()
                .is_some_and(|(current, _)| *current == id)
        {
            self.put_current_back();
        }
        let Some(cursor) = self.cursors[id].as_mut() else {
            return Ok(());
        };
        if cursor.paused == paused {
            return Ok(());
        }
        cursor.paused = paused;
        if paused {
            self.unlist(id);
        } else {
            self.make_ready(id);
        }
        Ok(())
    }

    fn put_current_back(&mut self) {
        let Some((id, current)) = self.current.take() else {
            return;
        };
        self.buffered += current.batch.size();
        if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.queue.push_front(Queued::Records(current));
        }
    }

    /// The paused partitions, in no order.
    pub fn paused(&self) -> Vec<TopicPartition> {
        let paused = self.cursors().filter(|(_, cursor)| cursor.paused);
        paused.map(|(_, cursor)| cursor.partition.clone()).collect()
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

    // ----- the network's side -----

    /// Whether new data may be asked for.
    pub fn has_credit(&self) -> bool {
        self.buffered < self.limit
    }

    /// Bytes that wait for the application.
    pub fn buffered(&self) -> usize {
        self.buffered
    }

    /// Marks and returns the cursors that `belongs` to the asking node and may be fetched now.
    pub fn take_targets(
        &mut self,
        now: Instant,
        belongs: impl Fn(&Cursor) -> bool,
    ) -> Vec<FetchTarget> {
        let mut targets = Vec::new();
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut() else {
                continue;
            };
            let waits = cursor.paused
                || cursor.in_flight
                || cursor.state != CursorState::Fetching
                || cursor.not_before.is_some_and(|instant| instant > now);
            if waits || !belongs(cursor) {
                continue;
            }
            cursor.in_flight = true;
            targets.push(FetchTarget {
                id,
                epoch: cursor.epoch,
                partition: cursor.partition.clone(),
                offset: cursor.fetch_offset,
                last_epoch: cursor.leader_epoch,
            });
        }
        targets
    }

    /// The earliest end of a back-off, so that the network looks again in time.
    pub fn next_wake(&self, now: Instant) -> Option<Instant> {
        let ends = self.cursors().filter_map(|(_, cursor)| cursor.not_before);
        ends.filter(|instant| *instant > now).min()
    }

    /// A request for these cursors has ended, whatever came of it.
    pub fn landed(&mut self, targets: &[FetchTarget]) {
        for target in targets {
            if let Some(cursor) = self.cursor_at(target.id, target.epoch) {
                cursor.in_flight = false;
            }
        }
    }

    /// Takes note of a partition's part of a response and moves its fetch offset past the records in `job`.
    /// Returns false when the answer came too late and must be dropped.
    pub fn note(
        &mut self,
        target: &FetchTarget,
        status: PartitionStatus,
        job: Option<&OpenJob>,
    ) -> bool {
        let Some(cursor) = self.cursor_at(target.id, target.epoch) else {
            return false;
        };
        cursor.high_watermark = status.high_watermark;
        cursor.last_stable_offset = status.last_stable_offset;
        if status.log_start_offset >= 0 {
            cursor.log_start_offset = status.log_start_offset;
        }
        if let Some(job) = job {
            cursor.fetch_offset = job.next_offset();
        }
        true
    }

    /// Queues what a response held. Returns whether the application has something new to take.
    ///
    /// Opened data that does not join what is queued (an earlier part was dropped) is dropped as well and asked for again.
    pub fn queue(&mut self, target: &FetchTarget, opened: Vec<Opened>) -> bool {
        let Some(cursor) = self.cursor_at(target.id, target.epoch) else {
            return false;
        };
        if cursor.queued_to != target.offset {
            cursor.fetch_offset = cursor.queued_to;
            return false;
        }
        let mut bytes = 0;
        for part in opened {
            match part {
                Opened::Records(batch) => {
                    cursor.queued_to = batch.batch.header.next_offset();
                    bytes += batch.size();
                    cursor
                        .queue
                        .push_back(Queued::Records(BatchCursor::new(batch)));
                }
                Opened::Skip(next) => {
                    cursor.queued_to = next;
                    cursor.queue.push_back(Queued::Skip(next));
                }
                Opened::Failed(error) => {
                    cursor.state = CursorState::Failed;
                    cursor.fetch_offset = cursor.queued_to;
                    cursor.queue.push_back(Queued::Failed(error));
                }
            }
        }
        self.buffered += bytes;
        self.make_ready(target.id)
    }

    /// Queues an error for the application; it is raised after the records before it.
    pub fn fail(&mut self, id: CursorId, epoch: u64, error: FetchError) -> bool {
        let Some(cursor) = self.cursor_at(id, epoch) else {
            return false;
        };
        cursor.state = CursorState::Failed;
        cursor.queue.push_back(Queued::Failed(error));
        self.make_ready(id)
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

    /// The position is outside the log: starts over as the policy says, or raises.
    pub fn out_of_range(&mut self, target: &FetchTarget) -> bool {
        if self.policy != AutoOffsetReset::None {
            if let Some(cursor) = self.cursor_at(target.id, target.epoch)
                && cursor.queue.is_empty()
            {
                cursor.reset(StartAt::Policy);
            }
            return false;
        }
        let Some(cursor) = self.cursor_at(target.id, target.epoch) else {
            return false;
        };
        let error = FetchError::OffsetOutOfRange {
            partition: target.partition.clone(),
            offset: target.offset,
            log_start: cursor.log_start_offset,
            high_watermark: cursor.high_watermark,
        };
        self.fail(target.id, target.epoch, error)
    }

    /// The offset found for a cursor without position.
    pub fn set_position(&mut self, id: CursorId, epoch: u64, offset: i64) {
        if let Some(cursor) = self.cursor_at(id, epoch)
            && matches!(cursor.state, CursorState::Unset(_))
        {
            cursor.set_position(offset);
        }
    }

    /// Does not ask about a cursor again for `pause`.
    pub fn back_off(&mut self, id: CursorId, epoch: u64, now: Instant, pause: Duration) {
        if let Some(cursor) = self.cursor_at(id, epoch) {
            cursor.not_before = Some(now + pause);
        }
    }

    /// The policy for cursors without position.
    pub fn policy(&self) -> AutoOffsetReset {
        self.policy
    }

    // ----- the application's side -----

    /// Whether taking would give a record or an error now.
    pub fn is_ready(&self) -> bool {
        self.current.is_some() || !self.ready.is_empty()
    }

    /// The next record, if one is ready.
    #[inline]
    pub fn next_record(&mut self) -> Result<Option<TakenRecord>, FetchError> {
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
        let id = *id;
        if current.remaining == 0 {
            self.finish_current();
        } else if let Some(cursor) = self.cursors[id].as_mut() {
            cursor.position = Some(view.offset + 1);
        }
        Ok(Some(taken))
    }

    /// Up to `max` records as runs of batches. An error is raised only when nothing comes before it.
    pub fn take(&mut self, max: usize) -> Result<Vec<RecordSlice>, FetchError> {
        let mut slices = Vec::new();
        let mut left = u32::try_from(max).unwrap_or(u32::MAX);
        while left > 0 {
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
            slices.push(RecordSlice {
                batch: Arc::clone(&current.batch),
                start: current.next,
                count,
            });
            left -= count;
            if count == current.remaining {
                self.finish_current();
                continue;
            }
            let id = *id;
            let mut position = 0;
            for _ in 0..count {
                let view = current.batch.batch.record_at(current.next);
                current.next = view.next;
                position = view.offset + 1;
            }
            current.remaining -= count;
            if let Some(cursor) = self.cursors[id].as_mut() {
                cursor.position = Some(position);
            }
        }
        Ok(slices)
    }

    /// The current batch is used up: the position moves past it (also past compacted offsets at its end), and the next
    /// partition gets its turn.
    fn finish_current(&mut self) {
        let Some((id, done)) = self.current.take() else {
            return;
        };
        if let Some(cursor) = self.cursors[id].as_mut() {
            let header = &done.batch.batch.header;
            cursor.position = Some(header.next_offset());
            cursor.leader_epoch = header.partition_leader_epoch;
        }
        self.make_ready(id);
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

    /// Makes the next ready batch the current one. False when there is none.
    fn load(&mut self) -> Result<bool, (CursorId, FetchError)> {
        while let Some(id) = self.ready.pop_front() {
            let Some(cursor) = self.cursors[id].as_mut() else {
                continue;
            };
            cursor.listed = false;
            match cursor.queue.pop_front() {
                Some(Queued::Records(records)) => {
                    self.buffered = self.buffered.saturating_sub(records.batch.size());
                    self.current = Some((id, records));
                    return Ok(true);
                }
                Some(Queued::Failed(error)) => {
                    // The application knows now; what it does not change is tried again.
                    if cursor.state == CursorState::Failed {
                        cursor.state = match cursor.position {
                            Some(_) => CursorState::Fetching,
                            None => CursorState::Unset(StartAt::Policy),
                        };
                    }
                    self.make_ready(id);
                    return Err((id, error));
                }
                Some(Queued::Skip(_)) | None => {}
            }
        }
        Ok(false)
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

#[cfg(test)]
#[path = "buffer_tests.rs"]
mod tests;
