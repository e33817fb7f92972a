//! The clock of the drivers.

use std::time::{Duration, Instant};

/// Monotonic, so that a change of the wall clock moves no deadline; paused and advanced by tests through tokio.
#[inline]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Settings may say "never" with a duration that no clock can hold; longer than this is for ever.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// A moment `pause` after `start`.
#[inline]
pub(crate) fn after(start: Instant, pause: Duration) -> Instant {
    start + pause.min(FOREVER)
}
