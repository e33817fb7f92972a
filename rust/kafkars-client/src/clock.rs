//! The clocks: the monotonic one of the drivers, and the wall clock that records are stamped by.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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

/// The wall clock in milliseconds since 1970, as records without timestamp get it.
pub fn wall_clock_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0))
}
