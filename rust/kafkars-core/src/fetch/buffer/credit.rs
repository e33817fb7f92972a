//! How much fetched data a consumer may hold, and what of it belongs to paused partitions.

use crate::fetch::cursor::{Cursor, Held};
use crate::fetch::response_memory::ResponseMemory;

/// How many opened bytes are enough for a reader of any speed while more are opened beside it.
const MOST_READY: usize = 2 << 20;

/// Counts the memory of data that waits for the application, against its limit: responses as a whole for as long as
/// anything waits in them, and what opened batches take besides.
///
/// Data of paused partitions is kept, so that a short pause costs nothing. What exceeds a quarter of the limit is
/// dropped when partitions that are read need the room and have little left (a sixteenth of the limit); it is fetched
/// again after the pause. That is less than what paused partitions keep, so partitions that take turns in being paused
/// are read from what they have before anything is dropped for them.
#[derive(Debug)]
pub(super) struct Credit {
    limit: usize,
    held: Held,
    // The bytes of all responses in which anything waits.
    responses: usize,
    // The bytes that paused partitions hold: their batches, and whole responses in which anything of theirs waits.
    paused: usize,
    // The bytes of their own parts of the responses, and of their batches.
    of_paused: Held,
}

impl Credit {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            held: Held::default(),
            responses: 0,
            paused: 0,
            of_paused: Held::default(),
        }
    }

    pub(super) fn held(&self) -> usize {
        self.held.opened.saturating_add(self.responses)
    }

    pub(super) fn has_unopened(&self) -> bool {
        self.held.unopened > 0
    }

    /// Returns true if more may be fetched.
    pub(super) fn has_room(&self) -> bool {
        self.held() < self.limit
    }

    /// Returns true if more may be opened. Opened data takes memory beside the response until all of that is opened,
    /// and leaves the processor's caches when it waits for long, so little is kept ready.
    pub(super) fn has_room_to_open(&self) -> bool {
        self.ready() < self.most_ready()
    }

    /// Returns true if so much opened data was taken that it is worth opening more, for many batches at a time and not
    /// for each.
    pub(super) fn is_short_of_opened(&self) -> bool {
        self.ready() < self.most_ready() / 2
    }

    fn most_ready(&self) -> usize {
        (self.limit / 4).min(MOST_READY)
    }

    /// Returns the bytes that are opened and not kept back by a pause.
    fn ready(&self) -> usize {
        self.held.opened.saturating_sub(self.of_paused.opened)
    }

    fn note_paused(&mut self, held: Held) {
        self.paused = self.paused.saturating_add(held.opened);
        self.of_paused = self.of_paused.plus(held);
    }

    fn note_resumed(&mut self, held: Held) {
        self.paused = self.paused.saturating_sub(held.opened);
        self.of_paused = self.of_paused.minus(held);
    }

    /// Returns true if paused partitions hold the room that others need. `at_hand` is what their reader has besides
    /// what waits for it.
    pub(super) fn is_blocked_by_paused(&self, at_hand: usize) -> bool {
        let share = self.share_of_paused();
        let left = self.held.minus(self.of_paused).total();
        !self.has_room()
            && left.saturating_add(at_hand) <= self.limit / 16
            && self.paused > share
            && self.held().saturating_sub(self.paused) < self.limit - share
    }

    /// Returns true if paused partitions hold more than they may keep when others need it.
    pub(super) fn paused_exceed_share(&self) -> bool {
        self.paused > self.share_of_paused()
    }

    fn share_of_paused(&self) -> usize {
        self.limit / 4
    }

    pub(super) fn add(&mut self, cursor: &mut Cursor, more: Held) {
        cursor.held = cursor.held.plus(more);
        self.held = self.held.plus(more);
        if cursor.paused {
            self.note_paused(more);
        }
    }

    pub(super) fn remove(&mut self, cursor: &mut Cursor, less: Held) {
        cursor.held = cursor.held.minus(less);
        self.held = self.held.minus(less);
        if cursor.paused {
            self.note_resumed(less);
        }
    }

    /// Counts a part of a response that waits for a partition, paused or not.
    pub(super) fn hold(&mut self, is_paused: bool, response: &ResponseMemory) {
        self.responses = self.responses.saturating_add(response.hold());
        if is_paused {
            self.paused = self.paused.saturating_add(response.pause());
        }
    }

    /// Reverses [`Credit::hold`].
    pub(super) fn release(&mut self, is_paused: bool, response: &ResponseMemory) {
        self.responses = self.responses.saturating_sub(response.release());
        if is_paused {
            self.paused = self.paused.saturating_sub(response.resume());
        }
    }

    pub(super) fn pause(&mut self, cursor: &mut Cursor) {
        if std::mem::replace(&mut cursor.paused, true) {
            return;
        }
        self.note_paused(cursor.held);
        for response in cursor.responses() {
            self.paused = self.paused.saturating_add(response.pause());
        }
    }

    pub(super) fn resume(&mut self, cursor: &mut Cursor) {
        if !std::mem::replace(&mut cursor.paused, false) {
            return;
        }
        self.note_resumed(cursor.held);
        for response in cursor.responses() {
            self.paused = self.paused.saturating_sub(response.resume());
        }
    }
}

/// Returns the bytes that opened batches take besides their responses.
pub(super) fn opened(bytes: usize) -> Held {
    Held {
        opened: bytes,
        unopened: 0,
    }
}

/// Returns the bytes of responses that are not opened.
pub(super) fn unopened(bytes: usize) -> Held {
    Held {
        opened: 0,
        unopened: bytes,
    }
}
