//! When the same one is asked again about partitions that it has refused for good.
//!
//! The application takes the errors of such partitions one by one, as slowly as it likes, and each of them may be asked
//! about again after that. With a pause of its own each would be asked about alone, so they share one.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Instant;

use crate::fetch::retry::{RetryPace, RetryState};

/// The pauses of those who are asked again, growing with every time.
#[derive(Debug)]
pub(super) struct Repeats<S>(HashMap<S, RetryState>);

impl<S> Default for Repeats<S> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<S: Eq + Hash> Repeats<S> {
    /// True if this one was asked again too recently.
    pub(super) fn waits(&self, source: &S, now: Instant) -> bool {
        self.0.get(source).is_some_and(|repeat| repeat.waits(now))
    }

    /// Notes that this one is asked again.
    pub(super) fn asked(&mut self, source: S, now: Instant, pace: &mut RetryPace) {
        self.0.entry(source).or_default().repeated(now, pace);
    }

    /// The earliest end of a pause.
    pub(super) fn wake_at(&self, now: Instant) -> Option<Instant> {
        let ends = self.0.values().filter_map(|repeat| repeat.wake_at(now));
        ends.min()
    }

    /// True if nobody was asked again.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Forgets all pauses.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
