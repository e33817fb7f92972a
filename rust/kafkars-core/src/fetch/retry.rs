//! When a partition, or a broker, may be asked again after it refused.
//!
//! Each cursor and each fetching task has one [`RetryState`], and every request about it keeps to that: Fetch,
//! ListOffsets, OffsetForLeaderEpoch. So no path can repeat a request without a pause.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::backoff::{Backoff, Random};

/// Why requests about a partition or broker fail, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// When it began.
    pub since: Instant,
    /// Refused or failed tries since then.
    pub failures: u32,
    /// What was tried last.
    pub operation: &'static str,
    /// Why that failed.
    pub cause: Arc<str>,
    /// Whether a log line was written about it.
    pub is_reported: bool,
}

/// The failures in a row of one partition or one broker.
#[derive(Debug, Default)]
pub struct RetryState {
    // Failures in a row that count for the pause.
    failures: u32,
    not_before: Option<Instant>,
    // The moment to which `shorten` may bring the end of the pause forward.
    soonest: Option<Instant>,
    trouble: Option<Trouble>,
    // True if the latest failure was a refusal that no retry will mend.
    is_for_good: bool,
}

/// How the pause after a failure grows.
///
/// What fails at one moment gets pauses that vary alike: partitions that were refused together are asked for together
/// again, in one request and not in as many as there are partitions.
#[derive(Debug, Clone)]
pub struct RetryPace {
    backoff: Backoff,
    random: Random,
    // The moment of the last failure, and the number that all pauses after it vary by.
    drawn: Option<(Instant, u64)>,
}

impl RetryPace {
    /// Creates a pace with the pauses of `backoff`; the same seed gives the same pauses.
    #[must_use]
    pub fn new(backoff: Backoff, seed: u64) -> Self {
        Self {
            backoff,
            random: Random::new(seed),
            drawn: None,
        }
    }

    fn pause(&mut self, now: Instant, failures: u32) -> Duration {
        let number = match self.drawn {
            Some((at, number)) if at == now => number,
            _ => self.random.next(),
        };
        self.drawn = Some((now, number));
        let pause = self.backoff.delay(failures, number);
        match failures {
            0 => pause,
            _ => pause.max(Duration::from_millis(1)),
        }
    }
}

impl RetryState {
    /// True if nothing may be asked yet.
    #[must_use]
    pub fn waits(&self, now: Instant) -> bool {
        self.not_before.is_some_and(|until| until > now)
    }

    /// When something may be asked again, if not now.
    #[must_use]
    pub fn wake_at(&self, now: Instant) -> Option<Instant> {
        self.not_before.filter(|until| *until > now)
    }

    /// Notes a failed try: the next one comes after a pause, which grows with every failure in a row.
    pub fn failed(
        &mut self,
        now: Instant,
        pace: &mut RetryPace,
        operation: &'static str,
        cause: impl Into<Arc<str>>,
    ) {
        self.repeated(now, pace);
        self.is_for_good = false;
        self.note(now, operation, cause);
    }

    /// Notes that the latest failure was a refusal that no retry will mend.
    pub fn failed_for_good(&mut self) {
        self.is_for_good = true;
    }

    /// True if the latest failure was a refusal that no retry will mend, and nothing else is to be asked since.
    #[must_use]
    pub fn is_for_good(&self) -> bool {
        self.is_for_good
    }

    /// Notes a try that will hardly succeed: the next one comes after a pause as after a failure.
    pub fn repeated(&mut self, now: Instant, pace: &mut RetryPace) {
        self.failures = self.failures.saturating_add(1);
        self.pause(now, pace, self.failures);
    }

    /// Notes a response after which something else may be asked at once: a position is no longer in the log, a fetch
    /// session is unknown. If that does not help, the second time waits as after any failure.
    pub fn redirected(
        &mut self,
        now: Instant,
        pace: &mut RetryPace,
        operation: &'static str,
        cause: impl Into<Arc<str>>,
    ) {
        self.pause(now, pace, self.failures);
        self.failures = self.failures.saturating_add(1);
        self.note(now, operation, cause);
    }

    /// Notes a failure whose pause is kept elsewhere, as that of a broker for all its partitions.
    pub fn note(&mut self, now: Instant, operation: &'static str, cause: impl Into<Arc<str>>) {
        let trouble = self.trouble.get_or_insert_with(|| Trouble {
            since: now,
            failures: 0,
            operation,
            cause: "".into(),
            is_reported: false,
        });
        trouble.failures = trouble.failures.saturating_add(1);
        trouble.operation = operation;
        trouble.cause = cause.into();
    }

    /// Notes a success. Returns the trouble that has ended by it.
    pub fn succeeded(&mut self) -> Option<Trouble> {
        self.failures = 0;
        self.not_before = None;
        self.soonest = None;
        self.is_for_good = false;
        self.trouble.take()
    }

    /// Shortens the pause to that of a first failure, because something else is to be asked now, or of another broker.
    /// The failures still count, so that an application which seeks all the time does not cause more requests.
    pub fn shorten(&mut self) {
        self.not_before = self.not_before.min(self.soonest);
        self.is_for_good = false;
    }

    /// The trouble, if there is any.
    #[must_use]
    pub fn trouble(&self) -> Option<&Trouble> {
        self.trouble.as_ref()
    }

    /// The trouble, once, when it has lasted for `limit`.
    pub fn to_report(&mut self, now: Instant, limit: Duration) -> Option<&Trouble> {
        let trouble = self.trouble.as_mut()?;
        let lasts = now.saturating_duration_since(trouble.since) >= limit;
        if !lasts || std::mem::replace(&mut trouble.is_reported, true) {
            return None;
        }
        Some(trouble)
    }

    fn pause(&mut self, now: Instant, pace: &mut RetryPace, failures: u32) {
        self.not_before = Some(now + pace.pause(now, failures));
        self.soonest = Some(now + pace.pause(now, failures.min(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Duration = Duration::from_millis(100);

    fn pace() -> RetryPace {
        RetryPace::new(Backoff::new(FIRST, Duration::from_secs(1)), 7)
    }

    /// Counts the tries in `seconds` of a caller that asks whenever it is allowed to.
    fn tries(seconds: u64, mut ask: impl FnMut(&mut RetryState, Instant, &mut RetryPace)) -> u32 {
        let (mut state, mut pace) = (RetryState::default(), pace());
        let start = Instant::now();
        let mut tries = 0;
        for millisecond in 0..seconds * 1_000 {
            let now = start + Duration::from_millis(millisecond);
            // Asks as often as the state lets it.
            while !state.waits(now) && tries < 100_000 {
                tries += 1;
                ask(&mut state, now, &mut pace);
            }
        }
        tries
    }

    #[test]
    fn failures_in_a_row_slow_down() {
        let tries = tries(10, |state, now, pace| {
            state.failed(now, pace, "fetch", "no")
        });
        assert!((10..=16).contains(&tries), "{tries}");
    }

    #[test]
    fn the_first_redirection_is_followed_at_once_and_the_others_are_not() {
        let count = tries(10, |state, now, pace| {
            state.redirected(now, pace, "fetch", "no");
        });
        assert!((11..=17).contains(&count), "{count}");
    }

    #[test]
    fn shortening_all_the_time_leaves_the_first_pause() {
        let count = tries(10, |state, now, pace| {
            state.failed(now, pace, "fetch", "no");
            state.shorten();
        });
        assert!((80..=130).contains(&count), "{count}");
    }

    #[test]
    fn what_fails_at_one_moment_may_be_asked_again_at_one_moment() {
        let (mut states, mut pace) = ([(); 50].map(|()| RetryState::default()), pace());
        let mut now = Instant::now();
        for _ in 0..20 {
            for state in &mut states {
                state.failed(now, &mut pace, "look-up", "no");
            }
            let next = states[0].wake_at(now);
            assert!(states.iter().all(|state| state.wake_at(now) == next));
            now = next.expect("there is a pause");
        }
    }

    #[test]
    fn trouble_is_told_once_and_ends_with_success() {
        let (mut state, mut pace) = (RetryState::default(), pace());
        let start = Instant::now();
        state.failed(start, &mut pace, "fetch", "first");
        state.failed(start, &mut pace, "fetch", "second");
        let limit = Duration::from_secs(10);
        assert!(state.to_report(start + FIRST, limit).is_none());
        let told = state.to_report(start + limit, limit).expect("it lasts");
        assert_eq!((told.failures, &*told.cause), (2, "second"));
        assert!(state.to_report(start + limit * 2, limit).is_none());
        assert!(state.succeeded().is_some_and(|ended| ended.is_reported));
        assert!(state.trouble().is_none());
    }
}
