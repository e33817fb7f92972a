//! Dropping fetched data when there is too much of it; it is fetched again later.

use super::credit::{Credit, opened, unopened};
use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::fetch::cursor::{Cursor, CursorState, Queued};
use crate::fetch::error::FetchError;
use crate::fetch::opening::Opening;

/// How many partitions may keep data that was fetched beyond the limit.
const MOST_BEYOND_LIMIT: usize = 8;

impl FetchBuffer {
    /// Drops the responses of a partition that are not opened; they are fetched again.
    pub(super) fn drop_unopened(&mut self, id: CursorId) {
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        let bytes = cursor.unopened.iter().map(Opening::unopened).sum();
        self.credit.remove(cursor, unopened(bytes));
        for opening in cursor.unopened.drain(..) {
            self.credit.release(cursor.paused, opening.response());
        }
        cursor.fetch_from = cursor.queued_to;
        cursor.settle_failure();
    }

    /// Drops data of paused partitions, the newest first, down to their share. Data before an error is kept with the
    /// error.
    pub(super) fn drop_paused(&mut self) {
        for id in 0..self.cursors.len() {
            let holds = |cursor: &Cursor| {
                cursor.paused && cursor.held.total() > 0 && cursor.failure.is_none()
            };
            if !self.cursors[id].as_ref().is_some_and(holds) {
                continue;
            }
            if !self.credit.paused_exceed_share() {
                return;
            }
            self.drop_unopened(id);
            self.shorten_queue(id, Credit::paused_exceed_share);
        }
    }

    /// Limits the data that was fetched beyond the limit to a few partitions; what is dropped is fetched again.
    /// Partitions that the application does not wait for go first, the latest to get a turn before the others. Then
    /// come those that it waits for, the earliest first.
    pub(super) fn drop_for_asked(&mut self) {
        let current = self.current.as_ref().map(|(id, _)| *id);
        let holds = |id: CursorId, cursor: &Cursor| {
            cursor.is_beyond_limit
                && cursor.has_data()
                && cursor.failure.is_none()
                && current != Some(id)
        };
        let mut holders: Vec<_> = self
            .cursors()
            .filter(|(id, cursor)| holds(*id, cursor))
            .map(|(id, cursor)| match self.asked_in_vain.binary_search(&id) {
                Err(_) => (false, u64::MAX - cursor.turn, id),
                Ok(_) => (true, cursor.turn, id),
            })
            .collect();
        let too_many = holders.len().saturating_sub(MOST_BEYOND_LIMIT);
        if too_many == 0 {
            return;
        }
        holders.sort_unstable();
        for (_, _, id) in holders.into_iter().take(too_many) {
            self.drop_unopened(id);
            self.shorten_queue(id, |_| true);
            let cursor = self.cursors[id].as_ref();
            if cursor.is_some_and(|cursor| cursor.queue.is_empty()) {
                self.unlist(id);
            }
        }
    }

    /// Drops opened batches of a partition from the end of its queue while `is_too_much` says so.
    fn shorten_queue(&mut self, id: CursorId, is_too_much: impl Fn(&Credit) -> bool) {
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        while is_too_much(&self.credit) {
            match cursor.queue.back() {
                // Corruption will be met again. Other errors would not, so they are kept, with the data before them.
                Some(Queued::Failed(FetchError::Corrupt { .. })) => {
                    cursor.state = CursorState::Fetching;
                }
                None | Some(Queued::Failed(_)) => break,
                Some(Queued::Records(_) | Queued::Skip(_)) => {}
            }
            if let Some(Queued::Records(records)) = cursor.queue.pop_back() {
                let bytes = records.batch.own_size();
                self.credit.remove(cursor, opened(bytes));
                if let Some(response) = &records.response {
                    self.credit.release(cursor.paused, response);
                }
            }
            if let Some(end) = cursor.end_of_queue() {
                cursor.queued_to = end;
                cursor.fetch_from = end;
            }
        }
    }
}
