//! The queue of turns: partitions with data take turns, for a batch each.

use super::fetch_buffer::{CursorId, FetchBuffer};
use crate::fetch::cursor::{Cursor, Queued, Skipped};

impl FetchBuffer {
    /// Puts a cursor with data into the queue of turns. Returns true if it has data to hand out.
    pub(super) fn make_ready(&mut self, id: CursorId) -> bool {
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
    pub(super) fn list(&mut self, id: CursorId, at_end: bool) {
        let Some(cursor) = self.cursors[id].as_mut() else {
            return;
        };
        if cursor.turn != 0 {
            return;
        }
        self.last_turn += 1;
        cursor.turn = self.last_turn;
        self.turns += 1;
        if at_end {
            self.ready.push_back((id, cursor.turn));
        } else {
            self.ready.push_front((id, cursor.turn));
        }
    }

    /// Takes a cursor out of the queue of turns. Its entry stays there and is passed over: a search for it would make
    /// removing all partitions quadratic.
    pub(super) fn unlist(&mut self, id: CursorId) {
        const FEW: usize = 64;
        if let Some(cursor) = self.cursors[id].as_mut()
            && std::mem::take(&mut cursor.turn) != 0
        {
            self.turns -= 1;
        }
        if self.ready.len() > 2 * self.turns + FEW {
            let cursors = &self.cursors;
            self.ready.retain(|entry| has_turn(cursors, *entry));
        }
    }

    /// Moves the position over control batches at once, not with the next poll, so that lag reaches zero.
    pub(super) fn skip_to_records(&mut self, id: CursorId) {
        if let Some(cursor) = self.cursors[id].as_mut() {
            while let Some(Queued::Skip(next)) = cursor.queue.front() {
                let next = *next;
                cursor.skip_to(next);
                cursor.queue.pop_front();
            }
            self.has_unseen |= cursor.skipped == Skipped::Unseen;
        }
    }

    /// Notes that the application has asked for records and found no more: so it has come to what was skipped of all
    /// partitions that it has not paused.
    #[inline]
    pub(super) fn pass_skipped(&mut self) {
        if std::mem::take(&mut self.has_unseen) {
            for cursor in self.cursors.iter_mut().flatten() {
                if cursor.skipped == Skipped::Unseen {
                    match cursor.paused {
                        true => self.has_unseen = true,
                        false => cursor.skipped = Skipped::Passed,
                    }
                }
            }
        }
    }
}

/// Returns true if an entry of the queue of turns is not stale.
pub(super) fn has_turn(cursors: &[Option<Cursor>], (id, turn): (CursorId, u64)) -> bool {
    let cursor = cursors.get(id).and_then(Option::as_ref);
    cursor.is_some_and(|cursor| cursor.turn == turn)
}
