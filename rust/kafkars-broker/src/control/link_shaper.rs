//! A slow network on purpose: latency and bandwidth of one node.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// The unit that timers count in.
const TICK: Duration = Duration::from_millis(1);

/// The settings of a node's link: how its traffic is slowed down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkSettings {
    /// The time by which each answer leaves later. Answers keep their order and do not wait for each other.
    pub latency: Duration,
    /// Bytes a second in each direction, shared by all connections of the node; none: no limit.
    pub bytes_per_second: Option<u64>,
}

/// The direction of bytes, as the node sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    In,
    Out,
}

/// The settings of one node, and until when each direction is taken.
#[derive(Debug, Default)]
pub(crate) struct Link {
    /// True if the settings are other than the default: the common case costs one load.
    shaped: AtomicBool,
    inner: Mutex<LinkState>,
}

#[derive(Debug, Default)]
struct LinkState {
    settings: LinkSettings,
    busy_until: [Option<Instant>; 2],
}

impl Link {
    pub(crate) fn is_shaped(&self) -> bool {
        self.shaped.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, settings: LinkSettings) {
        let mut inner = self.inner.lock();
        inner.settings = settings;
        inner.busy_until = [None; 2];
        let shaped = settings != LinkSettings::default();
        self.shaped.store(shaped, Ordering::Relaxed);
    }

    pub(crate) fn latency(&self) -> Duration {
        self.inner.lock().settings.latency
    }

    /// Waits as long as the line needs for so many bytes.
    ///
    /// No timer waits for less than a tick, so what is left of one is not waited for but owed: the next bytes wait for
    /// it too.
    pub(crate) async fn carry(&self, direction: Direction, bytes: usize) {
        let now = Instant::now();
        let through = self.reserve(direction, bytes, now);
        if through >= now + TICK {
            sleep_until(through).await;
        }
    }

    /// Takes the line for so many bytes and gives the time at which they are through.
    fn reserve(&self, direction: Direction, bytes: usize, now: Instant) -> Instant {
        let mut inner = self.inner.lock();
        let Some(rate) = inner.settings.bytes_per_second else {
            return now;
        };
        let micros = (bytes as u64).saturating_mul(1_000_000) / rate.max(1);
        let busy = &mut inner.busy_until[direction as usize];
        let start = busy.map_or(now, |until| until.max(now));
        let end = start + Duration::from_micros(micros);
        *busy = Some(end);
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time_one_after_the_other_in_each_direction() {
        let link = Link::default();
        let now = Instant::now();
        assert_eq!(link.reserve(Direction::In, 1 << 30, now), now);
        link.set(LinkSettings {
            bytes_per_second: Some(1000),
            ..LinkSettings::default()
        });
        assert!(link.is_shaped());
        let second = Duration::from_secs(1);
        assert_eq!(link.reserve(Direction::In, 1000, now), now + second);
        assert_eq!(link.reserve(Direction::In, 2000, now), now + second * 3);
        assert_eq!(link.reserve(Direction::Out, 1000, now), now + second);
        let later = now + second * 10;
        assert_eq!(link.reserve(Direction::In, 1000, later), later + second);
        link.set(LinkSettings::default());
        assert!(!link.is_shaped());
        assert_eq!(link.reserve(Direction::In, 1000, now), now);
    }
}
