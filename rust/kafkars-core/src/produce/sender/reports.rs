//! When a warning about records that wait is logged.

use std::time::{Duration, Instant};

/// Records are reported to the log after they have waited for this long, or for half of `delivery_timeout` where that
/// is shorter; one partition at a time, and each once until something is stored there.
const REPORT_DELAY: Duration = Duration::from_secs(10);

/// Returns how long records wait before a warning is logged.
pub(super) fn report_delay(delivery_timeout: Duration) -> Duration {
    REPORT_DELAY.min(delivery_timeout / 2)
}

/// The warnings that were logged about records that wait.
#[derive(Debug, Default)]
pub(super) struct Reports {
    not_before: Option<Instant>,
}

impl Reports {
    /// Returns true if a warning about one more partition may be logged now; then none may for a while.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.not_before.is_none_or(|until| now >= until);
        if is_due {
            self.not_before = Some(now + REPORT_DELAY);
        }
        is_due
    }
}
