//! Whether the application still takes records (`max_poll_interval_ms`).

use std::time::{Duration, Instant};

/// Measures the time between two polls.
#[derive(Debug)]
pub(super) struct PollClock {
    limit: Duration,
    polled_at: Option<Instant>,
    is_waiting: bool,
}

impl PollClock {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            polled_at: None,
            is_waiting: false,
        }
    }

    /// The application polled, or joined just now.
    pub(super) fn polled(&mut self, now: Instant) {
        self.polled_at = Some(now);
    }

    /// The application waits inside a poll, or has left it again.
    pub(super) fn waiting(&mut self, now: Instant, is_waiting: bool) {
        self.polled_at = Some(now);
        self.is_waiting = is_waiting;
    }

    /// When the limit is reached, unless the application polls.
    pub(super) fn expires_at(&self) -> Option<Instant> {
        match self.is_waiting {
            true => None,
            false => self.polled_at?.checked_add(self.limit),
        }
    }

    /// The gap, when it has reached the limit.
    pub(super) fn exceeded(&self, now: Instant) -> Option<Duration> {
        let expires_at = self.expires_at()?;
        (now >= expires_at).then(|| now - expires_at + self.limit)
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }
}
