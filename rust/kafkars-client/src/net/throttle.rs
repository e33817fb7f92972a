//! How long a broker asks its client to pause (KIP-219).

use std::time::Duration;

use kafkars_protocol::Message;

/// The longest pause that is believed. Quotas are enforced over a few dozen windows of a second: a longer pause is no
/// broker's wish but a damaged response, and must not silence the connection for days.
const LONGEST: Duration = Duration::from_secs(300);

/// Returns the pause that a response asks for.
pub(crate) fn pause<M: Message>(response: &M) -> Duration {
    let asked = u64::try_from(response.throttle_time_ms()).unwrap_or(0);
    Duration::from_millis(asked).min(LONGEST)
}
