//! The clock of the drivers.

use std::time::Instant;

/// Monotonic, so that a change of the wall clock moves no deadline; paused and advanced by tests through tokio.
#[inline]
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}
