//! What goes to one broker and comes from it: requests by kind, how long their answers take, and when something moved.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use kafkars_protocol::ApiKey;

use crate::now;

/// What has gone over the connections to one broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BrokerTraffic {
    /// How many requests of each kind were sent, of those that were.
    pub requests: Vec<(ApiKey, u64)>,
    /// How many answers took how long, in microseconds: a time stands for those that are some 3 % shorter or longer.
    pub round_trips: Vec<(u64, u64)>,
    /// How long ago the last request was sent.
    pub since_request: Option<Duration>,
    /// How long ago the last answer came.
    pub since_answer: Option<Duration>,
}

/// One more than the largest number of an API, and some.
const APIS: usize = 128;

#[derive(Debug)]
pub(crate) struct TrafficCounters {
    requests: [AtomicU64; APIS],
    round_trips: [AtomicU64; STEPS],
    sent_at: Moment,
    answered_at: Moment,
}

impl Default for TrafficCounters {
    fn default() -> Self {
        Self {
            requests: [const { AtomicU64::new(0) }; APIS],
            round_trips: [const { AtomicU64::new(0) }; STEPS],
            sent_at: Moment::default(),
            answered_at: Moment::default(),
        }
    }
}

impl TrafficCounters {
    pub(crate) fn sent(&self, api: ApiKey, at: Instant) {
        if let Some(counter) = self.requests.get(api.as_i16() as usize) {
            counter.fetch_add(1, Relaxed);
        }
        self.sent_at.set(at);
    }

    /// Notes an answer, and how long it took where its request is known.
    pub(crate) fn answered(&self, at: Instant, taken: Option<Duration>) {
        let taken = taken.and_then(|taken| self.round_trips.get(step(taken.as_micros() as u64)));
        if let Some(counter) = taken {
            counter.fetch_add(1, Relaxed);
        }
        self.answered_at.set(at);
    }

    pub(crate) fn snapshot(&self, now: Instant) -> BrokerTraffic {
        let since = |moment: &Moment| moment.get().map(|at| now.saturating_duration_since(at));
        let requests = counted(&self.requests).filter_map(|(number, count)| {
            let api = ApiKey::try_from(i16::try_from(number).ok()?).ok()?;
            Some((api, count))
        });
        let round_trips = counted(&self.round_trips);
        BrokerTraffic {
            requests: requests.collect(),
            round_trips: round_trips
                .map(|(step, count)| (middle(step), count))
                .collect(),
            since_request: since(&self.sent_at),
            since_answer: since(&self.answered_at),
        }
    }
}

fn counted(counters: &[AtomicU64]) -> impl Iterator<Item = (usize, u64)> {
    let counts = counters.iter().map(|counter| counter.load(Relaxed));
    counts.enumerate().filter(|(_, count)| *count > 0)
}

/// Steps of a scale on which each power of two has `FINE` of them; below, each number is one.
const FINE: usize = 16;
const LONGEST: u64 = u32::MAX as u64;
const STEPS: usize = step(LONGEST) + 1;

/// The step of a number of microseconds.
const fn step(value: u64) -> usize {
    let value = if value > LONGEST { LONGEST } else { value };
    if value < FINE as u64 {
        return value as usize;
    }
    let power = value.ilog2();
    let within = (value >> (power - FINE.ilog2())) as usize % FINE;
    (power - FINE.ilog2() + 1) as usize * FINE + within
}

/// The number in the middle of a step.
fn middle(step: usize) -> u64 {
    if step < FINE {
        return step as u64;
    }
    let width = 1_u64 << (step / FINE - 1);
    (FINE + step % FINE) as u64 * width + width / 2
}

/// When something happened last, without a lock: milliseconds after `EPOCH` plus one; 0 before the first time.
#[derive(Debug, Default)]
pub(crate) struct Moment(AtomicU64);

/// The instant from which moments are counted.
static EPOCH: LazyLock<Instant> = LazyLock::new(now);

impl Moment {
    pub(crate) fn set(&self, at: Instant) {
        let since = at.saturating_duration_since(*EPOCH).as_millis() as u64;
        self.0.store(since + 1, Relaxed);
    }

    pub(crate) fn get(&self) -> Option<Instant> {
        let since = self.0.load(Relaxed).checked_sub(1)?;
        Some(*EPOCH + Duration::from_millis(since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_stands_for_numbers_that_are_nearly_the_same() {
        for exact in 0..16 {
            assert_eq!(middle(step(exact)), exact);
        }
        for value in [16, 17, 100, 999, 1_000_000, 123_456_789, LONGEST] {
            let told = middle(step(value));
            assert!(
                told.abs_diff(value) * 32 <= value,
                "{value} is told as {told}"
            );
        }
        assert_eq!(step(u64::MAX), STEPS - 1);
        assert!((1..STEPS).all(|each| middle(each - 1) < middle(each)));
    }

    #[test]
    fn traffic_is_told_by_kind_and_time() {
        let counters = TrafficCounters::default();
        let start = now();
        assert_eq!(counters.snapshot(start), BrokerTraffic::default());
        counters.sent(ApiKey::Fetch, start);
        counters.sent(ApiKey::Fetch, start);
        counters.answered(start, Some(Duration::from_micros(7)));
        let told = counters.snapshot(start + Duration::from_secs(5));
        assert_eq!(told.requests, [(ApiKey::Fetch, 2)]);
        assert_eq!(told.round_trips, [(7, 1)]);
        assert!(told.since_answer > Some(Duration::from_secs(4)));
    }
}
