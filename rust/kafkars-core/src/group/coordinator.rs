//! Finding the group's coordinator, and again after it moved.

use std::time::Instant;

use super::pace::Pace;

/// Where the coordinator is, and when to ask.
#[derive(Debug)]
pub(super) struct CoordinatorSearch {
    place: CoordinatorState,
    pace: Pace,
    /// Somebody needs it.
    is_wanted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CoordinatorState {
    Unknown,
    Asked,
    At(i32),
}

impl CoordinatorSearch {
    pub(super) fn new(pace: Pace) -> Self {
        Self {
            place: CoordinatorState::Unknown,
            pace,
            is_wanted: false,
        }
    }

    pub(super) fn node(&self) -> Option<i32> {
        match self.place {
            CoordinatorState::At(node) => Some(node),
            CoordinatorState::Unknown | CoordinatorState::Asked => None,
        }
    }

    /// Whether somebody waits for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Somebody needs the coordinator: whether to ask for it now.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        self.is_wanted = true;
        let asks = self.place == CoordinatorState::Unknown && self.pace.permit(now).is_some();
        if asks {
            self.place = CoordinatorState::Asked;
        }
        asks
    }

    /// When asking may be tried again, if it may not be now.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.place {
            CoordinatorState::Unknown if self.is_wanted => self.pace.next_at(),
            CoordinatorState::Unknown | CoordinatorState::Asked | CoordinatorState::At(_) => None,
        }
    }

    pub(super) fn found(&mut self, node: i32) {
        self.place = CoordinatorState::At(node);
        self.is_wanted = false;
    }

    /// What was found is the coordinator indeed: it has served somebody. One that is only named may be named in vain.
    pub(super) fn served(&mut self) {
        self.pace.rested();
    }

    pub(super) fn not_found(&mut self, now: Instant) {
        if self.place == CoordinatorState::Asked {
            self.place = CoordinatorState::Unknown;
        }
        self.pace.failed(now);
    }

    /// Nobody waits for it any more: the search was refused.
    pub(super) fn give_up(&mut self) {
        self.is_wanted = false;
    }

    /// The broker at `node` does not coordinate the group, or cannot be reached. Later news of an older place change
    /// nothing.
    pub(super) fn lost(&mut self, now: Instant, node: i32) {
        if self.place == CoordinatorState::At(node) {
            self.place = CoordinatorState::Unknown;
            self.pace.failed(now);
        }
    }
}
