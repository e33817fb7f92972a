//! How long a broker asks its client to pause (KIP-219).

use std::time::Duration;

use kafkars_protocol::Message;

/// Quotas are enforced over windows of a second, a few dozen of them: a longer pause than this is not a broker's wish
/// but a damaged answer, and must not silence the connection for days.
const LONGEST: Duration = Duration::from_secs(300);

/// The pause that an answer asks for.
pub(crate) fn pause<M: Message>(response: &M) -> Duration {
    let asked = u64::try_from(response.throttle_time_ms()).unwrap_or(0);
    Duration::from_millis(asked).min(LONGEST)
}
