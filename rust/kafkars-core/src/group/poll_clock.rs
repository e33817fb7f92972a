//! The time between two polls of the application, which `max_poll_interval_ms` limits.

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

    /// Starts the interval anew: the application polled or changed its subscription.
    pub(super) fn polled(&mut self, now: Instant) {
        self.polled_at = Some(now);
    }

    /// Notes that the application waits inside a poll, or that this poll has returned.
    pub(super) fn waiting(&mut self, now: Instant, is_waiting: bool) {
        self.polled_at = Some(now);
        self.is_waiting = is_waiting;
    }

    /// When the limit will be exceeded, unless the application polls.
    pub(super) fn expires_at(&self) -> Option<Instant> {
        match self.is_waiting {
            true => None,
            false => self.polled_at?.checked_add(self.limit),
        }
    }

    /// The time since the last poll, if it has reached the limit.
    pub(super) fn exceeded(&self, now: Instant) -> Option<Duration> {
        let expires_at = self.expires_at()?;
        (now >= expires_at).then(|| now - expires_at + self.limit)
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }
}
