//! What is asked for, and what answers do.

use std::time::{Duration, Instant};

use super::{CursorId, FetchBuffer, FetchTarget, PartitionStatus};
use crate::config::AutoOffsetReset;
use crate::fetch::cursor::{BatchCursor, Cursor, CursorState, Place, Queued, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::open::{OpenJob, Opened};

impl FetchBuffer {
    /// Whether new data may be asked for.
    pub fn has_credit(&self) -> bool {
        self.buffered < self.limit || self.asked_in_vain
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
        let is_full = self.buffered >= self.limit;
        let mut targets = Vec::new();
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut() else {
                continue;
            };
            let waits = cursor.paused
                || cursor.in_flight
                || cursor.state != CursorState::Fetching
                || (is_full && !cursor.queue.is_empty())
                || cursor.not_before.is_some_and(|instant| instant > now);
            if waits || !belongs(cursor) {
                continue;
            }
            cursor.in_flight = true;
            targets.push(FetchTarget {
                id,
                epoch: cursor.epoch,
                partition: cursor.partition.clone(),
                from: cursor.fetch_from,
            });
        }
        targets
    }

    /// The earliest end of a back-off, so that the network looks again in time.
    pub fn next_wake(&self, now: Instant) -> Option<Instant> {
        let ends = self.cursors().filter_map(|(_, cursor)| cursor.not_before);
        ends.filter(|instant| *instant > now).min()
    }

    /// A broker answered a request for these cursors.
    pub fn heard(&mut self, targets: &[FetchTarget], now: Instant) {
        for target in targets {
            if let Some(cursor) = self.cursor_at(target.id, target.epoch) {
                cursor.heard_at = Some(now);
            }
        }
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
            cursor.fetch_from = job.next();
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
        if cursor.queued_to != target.from {
            cursor.fetch_from = cursor.queued_to;
            return false;
        }
        let mut bytes = 0;
        for part in opened {
            match part {
                Opened::Records(batch) => {
                    cursor.queued_to = Place {
                        offset: batch.batch.header.next_offset(),
                        leader_epoch: batch.batch.header.partition_leader_epoch,
                    };
                    bytes += batch.size();
                    cursor
                        .queue
                        .push_back(Queued::Records(BatchCursor::new(batch)));
                }
                Opened::Skip(next) => {
                    cursor.queued_to = next;
                    cursor.queue.push_back(Queued::Skip(next.offset));
                }
                Opened::Failed(error) => {
                    cursor.state = CursorState::Failed;
                    cursor.fetch_from = cursor.queued_to;
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
            offset: target.from.offset,
            log_start: cursor.log_start_offset,
            high_watermark: cursor.high_watermark,
        };
        self.fail(target.id, target.epoch, error)
    }

    /// The place found for a cursor without position.
    pub fn set_position(&mut self, id: CursorId, epoch: u64, place: Place) {
        if let Some(cursor) = self.cursor_at(id, epoch)
            && matches!(cursor.state, CursorState::Unset(_))
        {
            cursor.set_position(place);
        }
    }

    /// The group has committed nothing for a cursor: the policy says where it starts.
    pub fn start_by_policy(&mut self, id: CursorId, epoch: u64) {
        if let Some(cursor) = self.cursor_at(id, epoch)
            && matches!(cursor.state, CursorState::Unset(_))
        {
            cursor.reset(StartAt::Policy);
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
}
