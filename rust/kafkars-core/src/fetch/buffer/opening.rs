//! Opening responses on their way from the network to the application's queue: which one is next, and what comes of it.

use std::sync::Arc;

use super::credit::{opened, unopened};
use super::fetch_buffer::{CursorId, FetchBuffer};
use super::network::{FETCH, FetchTarget};
use crate::fetch::cursor::{BatchCursor, Cursor, CursorState, Queued};
use crate::fetch::open::{OpenJob, Opened};
use crate::fetch::opening::Opening;
use crate::fetch::position::FetchPosition;

/// A response that some thread opens now. It goes back by [`FetchBuffer::opened`], whatever has come of it.
#[derive(Debug)]
pub struct OpenTask {
    id: CursorId,
    epoch: u64,
    // The position where the queue must end for the first part to follow.
    at: FetchPosition,
    // How many bytes were not opened when the task was given out.
    unopened: usize,
    /// What is to be opened.
    pub opening: Opening,
}

impl FetchBuffer {
    /// Queues a partition's part of a response to be opened, and moves the fetch offset past it, so that the next
    /// request can be sent before anything is opened. Returns false if the part does not follow what came before,
    /// because that was dropped or an error was met meanwhile: then the part is dropped as well and fetched again.
    pub fn admit(&mut self, target: &FetchTarget, job: OpenJob) -> bool {
        let Some(cursor) = cursor_at(&mut self.cursors, target.id, target.epoch) else {
            return false;
        };
        if cursor.fetch_from != job.from || cursor.state == CursorState::Failed {
            return false;
        }
        cursor.fetch_from = job.next();
        let opening = Opening::new(job);
        self.credit.add(cursor, unopened(opening.unopened()));
        self.credit.hold(cursor.paused, opening.response());
        cursor.unopened.push_back(opening);
        self.list_to_open(target.id);
        true
    }

    /// The response to open next, if there is room for opened data.
    pub fn start_opening(&mut self) -> Option<OpenTask> {
        for _ in 0..self.to_open.len() {
            let only_wanted = self.may_open()?;
            let id = self.to_open.pop_front()?;
            let Some(cursor) = self.cursors[id].as_mut() else {
                continue;
            };
            cursor.is_listed_to_open = false;
            if cursor.unopened.is_empty() || cursor.opening.is_some() {
                continue;
            }
            let is_wanted =
                cursor.queue.is_empty() && self.asked_in_vain.binary_search(&id).is_ok();
            if only_wanted && !is_wanted {
                self.list_to_open(id);
                continue;
            }
            if cursor.paused && self.credit.paused_exceed_share() {
                // It is listed again when the partition is resumed.
                continue;
            }
            return self.give_out(id);
        }
        None
    }

    /// The first response of a partition, for a thread that opens small ones at once.
    pub fn start_opening_of(&mut self, target: &FetchTarget) -> Option<OpenTask> {
        let cursor = self.cursor_at(target.id, target.epoch)?;
        if cursor.unopened.is_empty() || cursor.opening.is_some() {
            return None;
        }
        self.give_out(target.id)
    }

    /// True if it is worth starting to open: [`FetchBuffer::start_opening`] may find something, and there is room for
    /// more than one batch.
    pub fn can_open(&self) -> bool {
        let is_worth_it = self.credit.is_short_of_opened() || !self.is_ready();
        !self.to_open.is_empty() && (is_worth_it || self.has_wanted_to_open())
    }

    /// Tells whether responses may be opened now; `Some(true)`: only those of partitions that the application wanted
    /// when they had no data. Without room nothing else is opened while the application has something to take, because
    /// taking makes room.
    fn may_open(&self) -> Option<bool> {
        if self.credit.has_room_to_open() || !self.is_ready() {
            Some(false)
        } else {
            self.has_wanted_to_open().then_some(true)
        }
    }

    /// True if a response waits to be opened of a partition that the application wanted when it had no data.
    fn has_wanted_to_open(&self) -> bool {
        let mut wanted = self
            .asked_in_vain
            .iter()
            .filter_map(|id| self.cursors[*id].as_ref());
        wanted.any(|cursor| cursor.is_listed_to_open && cursor.queue.is_empty())
    }

    fn give_out(&mut self, id: CursorId) -> Option<OpenTask> {
        let cursor = self.cursors[id].as_mut()?;
        let opening = cursor.unopened.pop_front()?;
        // Its response stays counted until it is back.
        cursor.opening = Some(Arc::clone(opening.response()));
        Some(OpenTask {
            id,
            epoch: cursor.epoch,
            at: opening.at(),
            unopened: opening.unopened(),
            opening,
        })
    }

    /// Queues what was opened, and what is left of the response. Returns true if the application has something to take.
    ///
    /// Opened data that does not follow what is queued (an earlier part was dropped) is dropped as well and fetched
    /// again.
    pub fn opened(&mut self, task: OpenTask, parts: Vec<Opened>) -> bool {
        let (id, epoch) = (task.id, task.epoch);
        let is_ready = self.take_back(task, parts);
        if let Some(cursor) = cursor_at(&mut self.cursors, id, epoch)
            && cursor.is_passed_over
            && !cursor.is_behind()
        {
            cursor.is_passed_over = false;
            self.has_caught_up = true;
        }
        is_ready
    }

    fn take_back(&mut self, task: OpenTask, parts: Vec<Opened>) -> bool {
        let Some(cursor) = cursor_at(&mut self.cursors, task.id, task.epoch) else {
            return false;
        };
        self.credit.remove(cursor, unopened(task.unopened));
        cursor.opening = None;
        let response = task.opening.response();
        if cursor.queued_to != task.at {
            self.credit.release(cursor.paused, response);
            self.drop_unopened(task.id);
            return self.make_ready(task.id);
        }
        let mut bytes = 0;
        let mut failure = None;
        let has_parts = !parts.is_empty();
        for part in parts {
            match part {
                Opened::Records(batch) => {
                    bytes += batch.own_size();
                    let records = BatchCursor::new(batch, response);
                    if let Some(response) = &records.response {
                        self.credit.hold(cursor.paused, response);
                    }
                    cursor.queue.push_back(Queued::Records(records));
                }
                Opened::Skip(position) => {
                    // Of several skips in a row only the last matters; otherwise nothing would bound their number.
                    if let Some(Queued::Skip(last)) = cursor.queue.back_mut() {
                        *last = position;
                    } else {
                        cursor.queue.push_back(Queued::Skip(position));
                    }
                }
                Opened::Failed(error) => {
                    failure = Some(error.to_string());
                    cursor.state = CursorState::Failed;
                    // What was met after it will be met again.
                    cursor.failure = None;
                    self.errors_met = self.errors_met.wrapping_add(1);
                    cursor.queue.push_back(Queued::Failed(error));
                }
            }
        }
        cursor.queued_to = task.opening.at();
        self.credit.add(cursor, opened(bytes));
        let has_failed = failure.is_some();
        match (failure, cursor.heard_at) {
            // Once the application has taken the error, the next fetch may bring the same one.
            (Some(cause), Some(heard_at)) => {
                cursor.retry.failed(heard_at, &mut self.pace, FETCH, cause);
            }
            (None, _) if has_parts && cursor.state != CursorState::Failed => {
                drop(cursor.retry.succeeded());
            }
            _ => {}
        }
        if !has_failed && !task.opening.is_done() {
            // What is left of it stays counted.
            let left = task.opening.unopened();
            self.credit.add(cursor, unopened(left));
            cursor.unopened.push_front(task.opening);
        } else {
            self.credit.release(cursor.paused, response);
        }
        if has_failed {
            self.drop_unopened(task.id);
        } else {
            cursor.settle_failure();
            self.list_to_open(task.id);
        }
        self.make_ready(task.id)
    }

    /// Lists a cursor to be opened, if it has something to open and is not listed yet.
    pub(super) fn list_to_open(&mut self, id: CursorId) {
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        if cursor.unopened.is_empty() || std::mem::replace(&mut cursor.is_listed_to_open, true) {
            return;
        }
        self.to_open.push_back(id);
        // Cursors that were removed leave their entries behind.
        if self.to_open.len() > 2 * self.cursors.len() {
            let cursors = &mut self.cursors;
            self.to_open.retain(|id| {
                let cursor = cursors[*id].as_mut();
                cursor.is_some_and(|cursor| std::mem::take(&mut cursor.is_listed_to_open))
            });
            for id in &self.to_open {
                if let Some(cursor) = self.cursors[*id].as_mut() {
                    cursor.is_listed_to_open = true;
                }
            }
        }
    }
}

fn cursor_at(cursors: &mut [Option<Cursor>], id: CursorId, epoch: u64) -> Option<&mut Cursor> {
    let cursor = cursors.get_mut(id)?.as_mut()?;
    (cursor.epoch == epoch).then_some(cursor)
}
