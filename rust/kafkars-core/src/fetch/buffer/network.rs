//! What is asked for, and what answers do.

use std::time::{Duration, Instant};

use super::{CursorId, FetchBuffer, FetchTarget, PartitionStatus};
use crate::config::AutoOffsetReset;
use crate::fetch::cursor::{Cursor, CursorState, Place, Queued, StartAt};
use crate::fetch::error::FetchError;

impl FetchBuffer {
    /// Whether new data may be asked for.
    pub fn has_credit(&self) -> bool {
        self.credit.has_room() || self.asked_in_vain || self.credit.is_blocked_by_paused()
    }

    /// Bytes that wait for the application, opened or not, counted as what they take in memory.
    pub fn buffered(&self) -> usize {
        self.credit.held()
    }

    /// Marks and returns the cursors that `belongs` to the asking node and may be fetched now.
    pub fn take_targets(
        &mut self,
        now: Instant,
        belongs: impl Fn(&Cursor) -> bool,
    ) -> Vec<FetchTarget> {
        let wants = |cursor: &Cursor| {
            let waits = cursor.paused
                || cursor.in_flight
                || cursor.state != CursorState::Fetching
                || cursor.not_before.is_some_and(|instant| instant > now);
            !waits && belongs(cursor)
        };
        if self.credit.is_blocked_by_paused() && self.cursors().any(|(_, cursor)| wants(cursor)) {
            self.drop_paused();
        }
        let is_full = !self.credit.has_room();
        let mut targets = Vec::new();
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut() else {
                continue;
            };
            if (is_full && cursor.has_data()) || !wants(cursor) {
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

    /// Takes note of what a response says of a partition. Returns false when it came too late.
    pub fn note(&mut self, target: &FetchTarget, status: PartitionStatus) -> bool {
        let Some(cursor) = self.cursor_at(target.id, target.epoch) else {
            return false;
        };
        cursor.high_watermark = status.high_watermark;
        cursor.last_stable_offset = status.last_stable_offset;
        if status.log_start_offset >= 0 {
            cursor.log_start_offset = status.log_start_offset;
        }
        true
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
                && !cursor.has_data()
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
