//! Finding the group's coordinator, and finding it again after it has moved.

use std::time::Instant;

use super::pace::Pace;

/// Which broker is the coordinator, and when to ask for it.
#[derive(Debug)]
pub(super) struct CoordinatorSearch {
    state: CoordinatorState,
    pace: Pace,
    /// True while a caller waits for the coordinator.
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
            state: CoordinatorState::Unknown,
            pace,
            is_wanted: false,
        }
    }

    pub(super) fn node(&self) -> Option<i32> {
        match self.state {
            CoordinatorState::At(node) => Some(node),
            CoordinatorState::Unknown | CoordinatorState::Asked => None,
        }
    }

    /// True while a caller waits for the coordinator.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Notes that the coordinator is needed. True if FindCoordinator is to be sent now.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        self.is_wanted = true;
        let asks = self.state == CoordinatorState::Unknown && self.pace.permit(now).is_some();
        if asks {
            self.state = CoordinatorState::Asked;
        }
        asks
    }

    /// When FindCoordinator may be sent; `None` if it is not needed or under way.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.state {
            CoordinatorState::Unknown if self.is_wanted => self.pace.next_at(),
            CoordinatorState::Unknown | CoordinatorState::Asked | CoordinatorState::At(_) => None,
        }
    }

    pub(super) fn found(&mut self, node: i32) {
        self.state = CoordinatorState::At(node);
        self.is_wanted = false;
    }

    /// Notes that the broker found has served a request as coordinator. Being named by FindCoordinator is not enough to
    /// end the back-off, because that answer may be out of date.
    pub(super) fn served(&mut self) {
        self.pace.rested();
    }

    pub(super) fn not_found(&mut self, now: Instant) {
        if self.state == CoordinatorState::Asked {
            self.state = CoordinatorState::Unknown;
        }
        self.pace.failed(now);
    }

    /// Ends the search, because it was refused.
    pub(super) fn give_up(&mut self) {
        self.is_wanted = false;
    }

    /// Notes that broker `node` is not the coordinator or cannot be reached. A late report about an earlier coordinator
    /// changes nothing.
    pub(super) fn lost(&mut self, now: Instant, node: i32) {
        if self.state == CoordinatorState::At(node) {
            self.state = CoordinatorState::Unknown;
            self.pace.failed(now);
        }
    }
}
