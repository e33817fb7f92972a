//! The clocks: a monotonic one for deadlines, and the wall clock for timestamps of records.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The monotonic clock: a change of the wall clock moves no deadline. Tests pause and advance it through tokio.
#[inline]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Durations are cut to this: settings may say "never" with one that no clock can hold.
const FOREVER: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

/// Returns the instant `pause` after `start`; a pause longer than `FOREVER` counts as that.
#[inline]
pub(crate) fn after(start: Instant, pause: Duration) -> Instant {
    start + pause.min(FOREVER)
}

/// Returns the wall clock in milliseconds since 1970, the timestamp of records that have none of their own.
pub fn wall_clock_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or(0))
}
