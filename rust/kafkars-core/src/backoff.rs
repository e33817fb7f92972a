//! How long to pause before trying again (KIP-580).

use std::time::Duration;

/// Pauses vary by a fifth up or down, so that many clients do not come back at the same moment.
const JITTER: f64 = 0.2;

/// No setting makes a pause longer than this, so adding one to a moment cannot overflow.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// No setting makes a pause shorter: brokers that refuse at once would be asked without end.
const SHORTEST: Duration = Duration::from_millis(5);

/// How long before the end of its time a call is tried for the last time, at most.
pub const LAST_TRY: Duration = Duration::from_millis(100);

/// Exponential pauses between a first and a longest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    initial: Duration,
    longest: Duration,
}

impl Backoff {
    /// Creates a back-off whose pauses start at `initial` and double up to `longest`.
    #[must_use]
    pub fn new(initial: Duration, longest: Duration) -> Self {
        let initial = initial.clamp(SHORTEST, LONGEST);
        Self {
            initial,
            longest: longest.clamp(initial, LONGEST),
        }
    }

    /// The same with a shorter first pause, for problems that mostly pass at once but may last.
    #[must_use]
    pub fn beginning_at(self, initial: Duration) -> Self {
        Self {
            initial: initial.clamp(SHORTEST, self.initial),
            ..self
        }
    }

    /// Returns the longest pause.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.longest
    }

    /// Returns the pause after `failures` tries in a row failed; none after zero failures.
    ///
    /// `random` is any evenly spread number: the same one gives the same pause, so simulations can be repeated.
    #[must_use]
    pub fn delay(&self, failures: u32, random: u64) -> Duration {
        if failures == 0 {
            return Duration::ZERO;
        }
        let doublings = (failures - 1).min(63);
        let plain = self.initial.as_secs_f64() * 2f64.powi(doublings as i32);
        let spread = 1.0 - JITTER + 2.0 * JITTER * unit(random);
        let longest = self.longest.as_secs_f64();
        Duration::from_secs_f64((plain.min(longest) * spread).min(longest))
    }

    /// Returns the pause after `failures` tries where there is no time but `left`: shorter than it would be, if a last
    /// try can be made by that which has as long as the first pause, or [`LAST_TRY`]; none if not.
    #[must_use]
    pub fn delay_within(&self, left: Duration, failures: u32, random: u64) -> Option<Duration> {
        let pause = self.delay(failures, random);
        match pause < left {
            true => Some(pause),
            false => {
                let rest = left.checked_sub(self.initial.min(LAST_TRY));
                rest.filter(|rest| !rest.is_zero())
            }
        }
    }
}

/// A number from 0 up to, not including, 1 out of the upper bits.
fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// A small generator of evenly spread numbers (SplitMix64), good enough for jitter and for choosing among brokers.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Creates a generator; the same seed gives the same numbers.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number and advances the generator.
    #[expect(
        clippy::should_implement_trait,
        reason = "numbers without end need no Option"
    )]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Puts `items` into a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = (self.next() % (last as u64 + 1)) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

    #[test]
    fn pauses_double_up_to_the_longest() {
        let backoff = Backoff::new(BACKOFF.0, BACKOFF.1);
        let middle = 1u64 << 63;
        let pauses: Vec<u64> = (0..7)
            .map(|failures| backoff.delay(failures, middle).as_millis() as u64)
            .collect();
        assert_eq!(pauses, [0, 50, 100, 200, 400, 800, 1000]);
    }

    #[test]
    fn a_longest_below_the_first_is_raised_to_it() {
        let backoff = Backoff::new(Duration::from_millis(500), Duration::from_millis(100));
        assert_eq!(backoff.delay(3, u64::MAX), Duration::from_millis(500));
    }

    #[test]
    fn the_last_try_is_made_while_there_is_time_for_an_answer() {
        let backoff = Backoff::new(BACKOFF.0, BACKOFF.1);
        let within =
            |left, failures| backoff.delay_within(Duration::from_millis(left), failures, 1 << 63);
        assert_eq!(within(101, 2), Some(Duration::from_millis(100)));
        assert_eq!(within(90, 2), Some(Duration::from_millis(40)));
        assert_eq!(within(900, 6), Some(Duration::from_millis(850)));
        assert_eq!(within(50, 2), None);
        assert_eq!(within(0, 1), None);
        let slow = Backoff::new(Duration::from_secs(2), Duration::from_secs(2));
        let left = Duration::from_millis(1_100);
        assert_eq!(slow.delay_within(left, 1, 0), Some(Duration::from_secs(1)));
    }

    proptest! {
        #[test]
        fn no_pause_outlasts_the_time(left in 0u64..3_000, failures in 0u32..12, random: u64) {
            let backoff = Backoff::new(BACKOFF.0, BACKOFF.1);
            let left = Duration::from_millis(left);
            match backoff.delay_within(left, failures, random) {
                Some(pause) => prop_assert!(pause < left),
                None => prop_assert!(left <= BACKOFF.0 || failures == 0),
            }
        }
    }

    #[test]
    fn absurd_settings_stay_countable() {
        let backoff = Backoff::new(Duration::MAX, Duration::MAX);
        assert_eq!(backoff.delay(u32::MAX, u64::MAX), LONGEST);
    }

    #[test]
    fn shuffling_keeps_every_item() {
        let mut items: Vec<u32> = (0..100).collect();
        Random::new(7).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        fn pauses_stay_within_a_fifth_and_below_the_longest(failures in 1u32.., random: u64) {
            let backoff = Backoff::new(BACKOFF.0, BACKOFF.1);
            let pause = backoff.delay(failures, random);
            let plain = BACKOFF.0.as_secs_f64() * 2f64.powi((failures - 1).min(60) as i32);
            let plain = plain.min(BACKOFF.1.as_secs_f64());
            prop_assert!(pause <= BACKOFF.1);
            prop_assert!(pause.as_secs_f64() >= plain * 0.8 - 1e-9);
            prop_assert!(pause.as_secs_f64() <= plain * 1.2 + 1e-9);
            prop_assert_eq!(pause, backoff.delay(failures, random));
        }
    }
}
