//! The network's side of the fetch buffer: which partitions are fetched, and what responses do.

use std::time::Instant;

use kafkars_protocol::Uuid;

use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::config::{AutoOffsetReset, TopicPartition};
use crate::fetch::cursor::{Cursor, CursorState, StartAt};
use crate::fetch::error::FetchError;
use crate::fetch::position::FetchPosition;

/// The operation of a fetch in a `Trouble`.
pub(super) const FETCH: &str = "fetch";

/// A cursor that may be fetched now, as the request needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchTarget {
    /// The cursor.
    pub id: CursorId,
    /// The cursor's epoch when the request was made, to recognise a late response.
    pub epoch: u64,
    /// The partition.
    pub partition: TopicPartition,
    /// The position to fetch from.
    pub from: FetchPosition,
    /// The id of the topic in which it was reached, or [`Uuid::ZERO`] while unknown.
    pub topic_id: Uuid,
    /// True if nothing is known of the partition's log yet, and nothing is wrong with it either.
    pub is_unheard_of: bool,
}

/// What a fetch response says of a partition besides its records.
#[derive(Debug, Clone, Copy)]
pub struct PartitionStatus {
    /// The high watermark.
    pub high_watermark: i64,
    /// The last stable offset.
    pub last_stable_offset: i64,
    /// The log start offset.
    pub log_start_offset: i64,
    /// True if the response only names another broker to fetch from.
    pub redirects: bool,
}

impl FetchBuffer {
    /// Returns true if new data may be asked for.
    pub fn has_credit(&self) -> bool {
        self.credit.has_room() || !self.asked_in_vain.is_empty() || self.is_blocked_by_paused()
    }

    pub(super) fn is_blocked_by_paused(&self) -> bool {
        let current = self.current.as_ref();
        let at_hand = current.map_or(0, |(_, records)| records.size_left());
        self.credit.is_blocked_by_paused(at_hand)
    }

    /// Returns true if what waits for the application is less than the limit.
    pub fn has_room(&self) -> bool {
        self.credit.has_room()
    }

    /// True if the latest [`FetchBuffer::take_targets`] passed over a cursor only because the buffer is full: the
    /// caller must then be woken when there is room, even if it got other targets.
    pub fn has_left_out(&self) -> bool {
        self.has_left_out
    }

    /// True, once, if a cursor that [`FetchBuffer::take_targets`] passed over because opening was behind may be fetched
    /// again: the network must then be woken.
    pub fn has_caught_up(&mut self) -> bool {
        std::mem::take(&mut self.has_caught_up)
    }

    /// Returns true if anything that came is not opened yet.
    pub fn has_unopened(&self) -> bool {
        self.credit.has_unopened()
    }

    /// Returns the bytes that wait for the application, opened or not, counted as what they take in memory.
    pub fn buffered(&self) -> usize {
        self.credit.held()
    }

    /// Marks and returns the cursors that may be fetched now, of those for which `belongs` says that they belong to the
    /// node to be asked.
    pub fn take_targets(
        &mut self,
        now: Instant,
        belongs: impl Fn(&Cursor) -> bool,
    ) -> Vec<FetchTarget> {
        let wants = |cursor: &Cursor| {
            let waits =
                cursor.paused || cursor.is_held(now) || cursor.state != CursorState::Fetching;
            !waits && belongs(cursor)
        };
        let gets_more = |cursor: &Cursor| wants(cursor) && !cursor.is_behind();
        let is_blocked = self.is_blocked_by_paused();
        if is_blocked && self.cursors().any(|(_, cursor)| gets_more(cursor)) {
            self.drop_paused();
        }
        let is_full = !self.credit.has_room();
        let is_asked = |id: &CursorId| {
            let cursor = self.cursors[*id].as_ref();
            cursor.is_some_and(|cursor| wants(cursor) && !cursor.has_data())
        };
        if is_full && self.asked_in_vain.iter().any(is_asked) {
            self.drop_for_asked();
        }
        let in_vain = std::mem::take(&mut self.asked_in_vain);
        let may_exceed = |id: &CursorId| is_blocked || in_vain.binary_search(id).is_ok();
        let mut targets = Vec::new();
        self.has_left_out = false;
        for (id, slot) in self.cursors.iter_mut().enumerate() {
            let Some(cursor) = slot.as_mut().filter(|cursor| wants(cursor)) else {
                continue;
            };
            if is_full && (cursor.has_data() || !may_exceed(&id)) {
                self.has_left_out = true;
                continue;
            }
            cursor.is_passed_over = cursor.is_behind();
            if cursor.is_passed_over {
                continue;
            }
            cursor.in_flight = true;
            cursor.is_beyond_limit = is_full && in_vain.binary_search(&id).is_ok();
            targets.push(FetchTarget {
                id,
                epoch: cursor.epoch,
                partition: cursor.partition.clone(),
                from: cursor.fetch_from,
                topic_id: cursor.topic_id,
                is_unheard_of: cursor.high_watermark < 0 && cursor.trouble().is_none(),
            });
        }
        self.asked_in_vain = in_vain;
        targets
    }

    /// Returns the earliest end of a back-off, so that the network looks again in time.
    pub fn next_wake(&self, now: Instant) -> Option<Instant> {
        let ends = self
            .cursors()
            .filter_map(|(_, cursor)| cursor.retry.wake_at(now));
        let repeats = [
            self.repeated_look_ups.wake_at(now),
            self.repeated_checks.wake_at(now),
        ];
        ends.chain(repeats.into_iter().flatten()).min()
    }

    /// Notes that a request for these cursors has ended, whatever came of it.
    pub fn landed(&mut self, targets: &[FetchTarget]) {
        for target in targets {
            if let Some(cursor) = self.cursor_at(target.id, target.epoch) {
                cursor.in_flight = false;
            }
        }
    }

    /// Notes what a response says of a partition. Returns false if it came too late.
    pub fn note(
        &mut self,
        target: &FetchTarget,
        status: PartitionStatus,
        has_records: bool,
        now: Instant,
    ) -> bool {
        let Some(cursor) = self.cursor_at(target.id, target.epoch) else {
            return false;
        };
        cursor.heard_at = Some(now);
        cursor.high_watermark = status.high_watermark;
        cursor.last_stable_offset = status.last_stable_offset;
        if status.log_start_offset >= 0 {
            cursor.log_start_offset = status.log_start_offset;
        }
        // Whether records are valid is known when they are opened.
        if !has_records && !status.redirects {
            cursor.retry.succeeded();
        }
        true
    }

    /// Adds an error for the application, which gets it after all records before it, opened or not. There is one at a
    /// time: nothing is fetched until the application has taken it, and an error that lasts will be met again.
    pub fn fail(&mut self, id: CursorId, epoch: u64, error: FetchError) -> bool {
        let Some(cursor) = self.cursor_at(id, epoch) else {
            return false;
        };
        if cursor.state == CursorState::Failed {
            return false;
        }
        cursor.state = CursorState::Failed;
        cursor.failure = Some(error);
        cursor.settle_failure();
        self.errors_met = self.errors_met.wrapping_add(1);
        self.make_ready(id)
    }

    /// Returns how many errors for the application were met so far.
    pub fn errors_met(&self) -> u64 {
        self.errors_met
    }

    /// Handles OFFSET_OUT_OF_RANGE: starts over as the policy says, or adds an error. A response about another position
    /// than the one that would be fetched now is ignored: data was dropped meanwhile, and what comes before it may well
    /// be in the log.
    pub fn out_of_range(&mut self, target: &FetchTarget, now: Instant) -> bool {
        let is_read = self
            .current
            .as_ref()
            .is_some_and(|(id, _)| *id == target.id);
        let policy = self.policy;
        let Some((cursor, pace)) = self.cursor_and_pace(target.id, target.epoch) else {
            return false;
        };
        if cursor.fetch_from != target.from {
            return false;
        }
        let error = FetchError::OffsetOutOfRange {
            partition: target.partition.clone(),
            offset: target.from.offset,
            log_start: cursor.log_start_offset,
            high_watermark: cursor.high_watermark,
        };
        let cause = format!(
            "OFFSET_OUT_OF_RANGE: the log does not hold offset {}",
            target.from.offset
        );
        if policy == AutoOffsetReset::None {
            cursor.retry.failed(now, pace, FETCH, cause);
            return self.fail(target.id, target.epoch, error);
        }
        if is_read || cursor.has_data() {
            // The application first gets the records that there are.
            cursor.retry.failed(now, pace, FETCH, cause);
        } else {
            cursor.retry.redirected(now, pace, FETCH, cause);
            cursor.reset(StartAt::Policy);
        }
        false
    }

    /// Returns the policy for cursors without position.
    pub fn policy(&self) -> AutoOffsetReset {
        self.policy
    }
}
