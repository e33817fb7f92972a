//! Which data is dropped when there is too much of it; it is fetched again.

use super::credit::{Credit, opened, unopened};
use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::fetch::cursor::{Cursor, CursorState, Queued};
use crate::fetch::error::FetchError;
use crate::fetch::opening::Opening;

/// How many partitions may keep what was fetched for them beyond the limit, before more is.
const MOST_BEYOND_LIMIT: usize = 8;

impl FetchBuffer {
    /// Drops the answers of a partition that are not opened; they are asked for again.
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

    /// Drops data of paused partitions, the newest first, down to their share. What is before an error stays with it.
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

    /// Keeps what was fetched beyond the limit, because it was asked for in vain, to a few partitions. What goes is
    /// fetched again: first what was read latest, and of partitions that are still asked for, what nobody has taken
    /// for longest.
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

    /// Drops opened batches of a partition from the end of its queue as long as there is too much.
    fn shorten_queue(&mut self, id: CursorId, is_too_much: impl Fn(&Credit) -> bool) {
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        while is_too_much(&self.credit) {
            match cursor.queue.back() {
                // It will be met again. No other error would: it stays, and what is before it with it.
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
