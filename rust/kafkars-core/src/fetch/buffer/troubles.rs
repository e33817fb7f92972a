//! Refusals: when each partition may be asked about again, and which refusals last.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::fetch_buffer::{CursorId, FetchBuffer};
use super::network::{FETCH, FetchTarget};
use crate::config::TopicPartition;
use crate::fetch::cursor::{Cursor, CursorState};
use crate::fetch::error::FetchError;
use crate::fetch::retry::{RetryPace, Trouble};

impl FetchBuffer {
    pub(super) fn cursor_and_pace(
        &mut self,
        id: CursorId,
        epoch: u64,
    ) -> Option<(&mut Cursor, &mut RetryPace)> {
        let cursor = self.cursors.get_mut(id)?.as_mut()?;
        (cursor.epoch == epoch).then_some((cursor, &mut self.pace))
    }

    /// Notes that a request about a cursor was refused: the next one waits for a pause.
    pub fn refused(
        &mut self,
        id: CursorId,
        epoch: u64,
        now: Instant,
        operation: &'static str,
        cause: impl Into<Arc<str>>,
    ) {
        if let Some((cursor, pace)) = self.cursor_and_pace(id, epoch) {
            cursor.retry.failed(now, pace, operation, cause);
        }
    }

    /// As [`FetchBuffer::refused`], for a refusal that no retry will mend: the application gets the error. However late
    /// it takes that, partitions that were refused so are asked about together again.
    pub fn refused_for_good(
        &mut self,
        id: CursorId,
        epoch: u64,
        now: Instant,
        operation: &'static str,
        error: FetchError,
    ) {
        self.refused(id, epoch, now, operation, error.to_string());
        if let Some(cursor) = self.cursor_at(id, epoch) {
            cursor.retry.failed_for_good();
        }
        self.fail(id, epoch, error);
    }

    /// Notes that no broker can be asked about a partition whose position is known; the application gets `error`, if
    /// one is given. What has other troubles keeps them.
    pub fn unreachable(
        &mut self,
        partition: &TopicPartition,
        now: Instant,
        cause: &Arc<str>,
        error: Option<FetchError>,
    ) {
        let Ok(id) = self.id(partition) else {
            return;
        };
        let Some(cursor) = self.cursors.get_mut(id).and_then(Option::as_mut) else {
            return;
        };
        if cursor.state != CursorState::Fetching {
            return;
        }
        if cursor.trouble().is_none() {
            cursor.retry.note(now, FETCH, Arc::clone(cause));
        }
        let epoch = cursor.epoch;
        if let Some(error) = error {
            self.fail(id, epoch, error);
        }
    }

    /// Notes a response after which another request can be sent at once; see
    /// [`RetryState::redirected`](crate::fetch::retry::RetryState).
    pub fn redirected(
        &mut self,
        id: CursorId,
        epoch: u64,
        now: Instant,
        operation: &'static str,
        cause: impl Into<Arc<str>>,
    ) {
        if let Some((cursor, pace)) = self.cursor_and_pace(id, epoch) {
            cursor.retry.redirected(now, pace, operation, cause);
        }
    }

    /// Notes a fetch without a response. The pause is that of the broker, so that another broker can be asked at once.
    pub fn unanswered(&mut self, targets: &[FetchTarget], now: Instant, cause: &Arc<str>) {
        for target in targets {
            if let Some(cursor) = self.cursor_at(target.id, target.epoch) {
                cursor.in_flight = false;
                cursor.retry.note(now, FETCH, Arc::clone(cause));
            }
        }
    }

    /// Notes a successful response that leaves out this partition, because nothing has changed there.
    pub fn heard(&mut self, target: &FetchTarget, now: Instant) {
        if let Some(cursor) = self.cursor_at(target.id, target.epoch) {
            cursor.heard_at = Some(now);
            cursor.retry.succeeded();
        }
    }

    /// The partitions that cannot be read at the moment, and why, the oldest trouble first.
    pub fn troubles(&self) -> Vec<(TopicPartition, Trouble)> {
        let mut troubles: Vec<_> = self
            .cursors()
            .filter_map(|(_, cursor)| Some((cursor.partition.clone(), cursor.trouble()?.clone())))
            .collect();
        troubles.sort_by_key(|(_, trouble)| trouble.since);
        troubles
    }

    /// The partitions that could not be read for `limit`, each once.
    pub fn troubles_to_report(
        &mut self,
        now: Instant,
        limit: Duration,
    ) -> Vec<(TopicPartition, Trouble)> {
        let cursors = self.cursors.iter_mut().flatten();
        cursors
            .filter_map(|cursor| {
                let trouble = cursor.retry.to_report(now, limit)?.clone();
                Some((cursor.partition.clone(), trouble))
            })
            .collect()
    }
}
