//! How much fetched data a consumer may hold, and what of it belongs to paused partitions.

use crate::fetch::cursor::{Cursor, Held};
use crate::fetch::response_memory::ResponseMemory;

/// Opened bytes that are enough for a reader of any speed, while more of them are opened beside it.
const MOST_READY: usize = 2 << 20;

/// The bytes that wait for the application, counted as what they take in memory, against their limit: responses as a whole
/// for as long as anything waits in them, and what opened batches take besides.
///
/// Data of paused partitions is kept, so that a short pause costs nothing. It is dropped as far as it exceeds a quarter of
/// the limit when it stands in the way of partitions that are read; it is fetched again after the pause.
#[derive(Debug)]
pub(super) struct Credit {
    limit: usize,
    held: Held,
    // Of responses in which anything waits.
    responses: usize,
    // What paused partitions hold: their batches, and the responses in which anything of theirs waits.
    paused: usize,
    // Of that, their batches.
    paused_opened: usize,
}

impl Credit {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            held: Held::default(),
            responses: 0,
            paused: 0,
            paused_opened: 0,
        }
    }

    pub(super) fn held(&self) -> usize {
        self.held.opened.saturating_add(self.responses)
    }

    pub(super) fn has_unopened(&self) -> bool {
        self.held.unopened > 0
    }

    /// Whether more may be fetched.
    pub(super) fn has_room(&self) -> bool {
        self.held() < self.limit
    }

    /// Whether more of what was fetched may be opened. What is opened takes room beside the response until all of that is
    /// opened, and leaves the processor's caches when it waits for long: little is kept ready.
    pub(super) fn has_room_to_open(&self) -> bool {
        self.ready() < self.most_ready()
    }

    /// Whether enough of that was taken to go on opening: whoever opens is woken for many batches, not for each.
    pub(super) fn is_short_of_opened(&self) -> bool {
        self.ready() < self.most_ready() / 2
    }

    fn most_ready(&self) -> usize {
        (self.limit / 4).min(MOST_READY)
    }

    /// Opened, and not kept back by a pause.
    fn ready(&self) -> usize {
        self.held.opened.saturating_sub(self.paused_opened)
    }

    fn note_paused(&mut self, opened: usize) {
        self.paused = self.paused.saturating_add(opened);
        self.paused_opened = self.paused_opened.saturating_add(opened);
    }

    fn note_resumed(&mut self, opened: usize) {
        self.paused = self.paused.saturating_sub(opened);
        self.paused_opened = self.paused_opened.saturating_sub(opened);
    }

    /// Whether paused partitions hold what others need.
    pub(super) fn is_blocked_by_paused(&self) -> bool {
        let share = self.share_of_paused();
        !self.has_room()
            && self.paused > share
            && self.held().saturating_sub(self.paused) < self.limit - share
    }

    /// Whether paused partitions hold more than they may keep when others need it.
    pub(super) fn paused_exceed_share(&self) -> bool {
        self.paused > self.share_of_paused()
    }

    fn share_of_paused(&self) -> usize {
        self.limit / 4
    }

    pub(super) fn add(&mut self, cursor: &mut Cursor, more: Held) {
        for held in [&mut cursor.held, &mut self.held] {
            held.opened = held.opened.saturating_add(more.opened);
            held.unopened = held.unopened.saturating_add(more.unopened);
        }
        if cursor.paused {
            self.note_paused(more.opened);
        }
    }

    pub(super) fn remove(&mut self, cursor: &mut Cursor, less: Held) {
        for held in [&mut cursor.held, &mut self.held] {
            held.opened = held.opened.saturating_sub(less.opened);
            held.unopened = held.unopened.saturating_sub(less.unopened);
        }
        if cursor.paused {
            self.note_resumed(less.opened);
        }
    }

    /// A part of a response waits for a partition that is paused or not.
    pub(super) fn hold(&mut self, is_paused: bool, response: &ResponseMemory) {
        self.responses = self.responses.saturating_add(response.hold());
        if is_paused {
            self.paused = self.paused.saturating_add(response.pause());
        }
    }

    /// The reverse of [`Credit::hold`].
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
        self.note_paused(cursor.held.opened);
        for response in cursor.responses() {
            self.paused = self.paused.saturating_add(response.pause());
        }
    }

    pub(super) fn resume(&mut self, cursor: &mut Cursor) {
        if !std::mem::replace(&mut cursor.paused, false) {
            return;
        }
        self.note_resumed(cursor.held.opened);
        for response in cursor.responses() {
            self.paused = self.paused.saturating_sub(response.resume());
        }
    }
}

/// What opened batches take besides their responses.
pub(super) fn opened(bytes: usize) -> Held {
    Held {
        opened: bytes,
        unopened: 0,
    }
}

/// Bytes of responses that are not opened.
pub(super) fn unopened(bytes: usize) -> Held {
    Held {
        opened: 0,
        unopened: bytes,
    }
}
