//! How often a membership may send requests. None can be made without a [`Permit`], and permits are given at growing
//! intervals (KIP-580), so that code which forgets to report a failure is slowed down all the same.

use std::time::{Duration, Instant};

use crate::backoff::{Backoff, Random};
use crate::config::GroupConfig;

/// How many permits are given in a row without a pause. Joining takes two requests, giving up partitions for others two
/// more; a member that needs more than five in a row is in trouble.
const AT_ONCE: u32 = 5;

/// The shortest pause, even if `retry_backoff_ms` is less.
const SHORTEST: Duration = Duration::from_millis(10);

/// Permission to send one request, which cannot be made without it.
#[derive(Debug)]
#[must_use = "a request that is not sent need not ask"]
pub(super) struct Permit(());

impl Permit {
    /// Makes two permits of one, for JoinGroup and for the SyncGroup that follows its response.
    pub(super) fn round(self) -> (Self, Self) {
        (self, Self(()))
    }
}

/// Gives permits for requests of one kind.
#[derive(Debug)]
pub(super) struct Pace {
    backoff: Backoff,
    random: Random,
    /// Permits since the last rest.
    given: u32,
    /// Failures since the last success.
    failures: u32,
    /// When the next permit may be given.
    not_before: Option<Instant>,
}

impl Pace {
    pub(super) fn new(config: &GroupConfig, random: &mut Random) -> Self {
        Self {
            backoff: Backoff::new(config.retry_backoff.max(SHORTEST), config.retry_backoff_max),
            random: Random::new(random.next()),
            given: 0,
            failures: 0,
            not_before: None,
        }
    }

    /// A permit, unless it is too early for one.
    pub(super) fn permit(&mut self, now: Instant) -> Option<Permit> {
        if self.not_before.is_some_and(|at| at > now) {
            return None;
        }
        // No permit was asked for during a whole longest pause, which counts as a rest.
        let rested_at = self.not_before.map(|at| at + self.backoff.longest());
        if self.failures == 0 && rested_at.is_none_or(|at| at <= now) {
            self.given = 0;
        }
        self.given = self.given.saturating_add(1);
        self.pause(now, self.failures.max(self.given.saturating_sub(AT_ONCE)));
        Some(Permit(()))
    }

    /// Notes that the request of the last permit has failed.
    pub(super) fn failed(&mut self, now: Instant) {
        self.failures = self.failures.saturating_add(1);
        self.pause(now, self.failures);
    }

    /// Notes that the request of the last permit has succeeded, but that another may follow at once.
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Notes that nothing is left to send: the next permits come without a pause.
    pub(super) fn rested(&mut self) {
        self.given = 0;
        self.failures = 0;
        self.not_before = None;
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failures > 0
    }

    /// When the next permit may be given; `None`: at any time.
    pub(super) fn next_at(&self) -> Option<Instant> {
        self.not_before
    }

    /// When a request that is due at `at` may be sent.
    pub(super) fn not_before(&self, at: Instant) -> Instant {
        self.not_before.map_or(at, |earliest| earliest.max(at))
    }

    fn pause(&mut self, now: Instant, tries: u32) {
        let next_at = now + self.backoff.delay(tries, self.random.next());
        self.not_before = self.not_before.max(Some(next_at));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace() -> Pace {
        Pace::new(&GroupConfig::default(), &mut Random::new(1))
    }

    /// Counts the permits given within `time` to a caller that asks every millisecond.
    fn given(pace: &mut Pace, time: Duration, mut then: impl FnMut(&mut Pace, Instant)) -> u32 {
        let mut now = Instant::now();
        let ends_at = now + time;
        let mut count = 0;
        while now < ends_at {
            if pace.permit(now).is_some() {
                count += 1;
                then(pace, now);
            }
            now += Duration::from_millis(1);
        }
        count
    }

    #[test]
    fn one_who_never_says_what_came_of_it_is_slowed_down() {
        let count = given(&mut pace(), Duration::from_secs(10), |_, _| {});
        assert!((10..20).contains(&count), "{count}");
    }

    #[test]
    fn one_who_fails_is_slowed_down_from_the_start() {
        let count = given(&mut pace(), Duration::from_secs(10), |pace, now| {
            pace.failed(now);
        });
        assert!((8..16).contains(&count), "{count}");
    }

    #[test]
    fn success_alone_is_no_rest() {
        let count = given(&mut pace(), Duration::from_secs(10), |pace, _| {
            pace.succeeded();
        });
        assert!((10..20).contains(&count), "{count}");
    }

    #[test]
    fn after_a_rest_there_is_no_pause() {
        let mut pace = pace();
        let now = Instant::now();
        for _ in 0..AT_ONCE {
            assert!(pace.permit(now).is_some());
        }
        assert!(pace.permit(now).is_some(), "the pause follows it");
        assert!(pace.permit(now).is_none());
        pace.rested();
        assert!(pace.permit(now).is_some());
        assert!(pace.permit(now + Duration::from_secs(5)).is_some());
        assert_eq!(pace.given, 1, "a quiet time is a rest");
    }
}
