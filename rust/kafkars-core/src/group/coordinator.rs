//! Finding the group's coordinator, and again after it moved.

use std::time::Instant;

use crate::backoff::{Backoff, Random};

/// Where the coordinator is, and when to ask.
#[derive(Debug)]
pub(super) struct CoordinatorSearch {
    place: Place,
    failures: u32,
    not_before: Option<Instant>,
    /// Somebody needs it.
    is_wanted: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Unknown,
    Asked,
    At(i32),
}

impl CoordinatorSearch {
    pub(super) fn new() -> Self {
        Self {
            place: Place::Unknown,
            failures: 0,
            not_before: None,
            is_wanted: false,
        }
    }

    pub(super) fn node(&self) -> Option<i32> {
        match self.place {
            Place::At(node) => Some(node),
            Place::Unknown | Place::Asked => None,
        }
    }

    /// Whether somebody waits for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Somebody needs the coordinator: whether to ask for it now.
    pub(super) fn ask(&mut self, now: Instant) -> bool {
        self.is_wanted = true;
        let asks =
            self.place == Place::Unknown && self.not_before.is_none_or(|instant| instant <= now);
        if asks {
            self.place = Place::Asked;
        }
        asks
    }

    /// When asking may be tried again, if it may not be now.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match self.place {
            Place::Unknown if self.is_wanted => self.not_before,
            Place::Unknown | Place::Asked | Place::At(_) => None,
        }
    }

    pub(super) fn found(&mut self, node: i32) {
        self.place = Place::At(node);
        self.failures = 0;
        self.is_wanted = false;
    }

    pub(super) fn not_found(&mut self, now: Instant, backoff: &Backoff, random: &mut Random) {
        if self.place == Place::Asked {
            self.place = Place::Unknown;
        }
        self.pause(now, backoff, random);
    }

    /// The broker at `node` does not coordinate the group, or cannot be reached. Later news of an older place change nothing.
    pub(super) fn lost(&mut self, now: Instant, node: i32, backoff: &Backoff, random: &mut Random) {
        if self.place == Place::At(node) {
            self.place = Place::Unknown;
            self.pause(now, backoff, random);
        }
    }

    fn pause(&mut self, now: Instant, backoff: &Backoff, random: &mut Random) {
        self.failures = self.failures.saturating_add(1);
        self.not_before = Some(now + backoff.delay(self.failures, random.next()));
    }
}
