//! The broker's clock gives the time to time-outs of groups and transactions, to retention and to log-append times.
//!
//! It follows the machine's clock unless a test takes it over. A frozen clock moves only by [`Clock::advance`], so a
//! session that times out after 45 seconds does so at once and never by accident.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use tokio::sync::Notify;

/// Milliseconds since 1970, as Kafka's timestamps.
#[derive(Debug)]
pub struct Clock {
    hands: Mutex<Hands>,
    moved: Notify,
}

/// A reading of the clock: it was `time` at the instant `at`, and since then runs with the machine or stands still.
#[derive(Debug, Clone, Copy)]
struct Hands {
    /// The time since 1970, finer than what is told so that the clock is never a millisecond behind the machine's.
    time: Duration,
    at: Instant,
    frozen: bool,
}

/// The behaviour of a clock until a test moves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ClockMode {
    /// The clock starts at the machine's time and runs with it, but never jumps when somebody sets the machine's.
    #[default]
    Wall,
    /// The clock starts at the machine's time and stands still until it is advanced.
    Manual,
}

impl Hands {
    fn time(self) -> Duration {
        if self.frozen {
            return self.time;
        }
        self.time.saturating_add(self.at.elapsed())
    }
}

impl Clock {
    /// A clock that starts now.
    pub fn new(mode: ClockMode) -> Self {
        let at = Instant::now();
        let time = SystemTime::now().duration_since(UNIX_EPOCH);
        let hands = Hands {
            time: time.unwrap_or_default(),
            at,
            frozen: mode == ClockMode::Manual,
        };
        Self {
            hands: Mutex::new(hands),
            moved: Notify::new(),
        }
    }

    /// The time, in milliseconds since 1970.
    pub fn now(&self) -> i64 {
        milliseconds(self.hands.lock().time())
    }

    /// Moves the time ahead, whether the clock is frozen or not; whatever is due by then happens.
    pub fn advance(&self, by: Duration) {
        self.set(|hands| hands.time = hands.time.saturating_add(by));
    }

    /// Stops the clock where it is. It can still be advanced.
    pub fn freeze(&self) {
        self.set(|hands| hands.frozen = true);
    }

    /// Lets the clock run on from where it is.
    pub fn unfreeze(&self) {
        self.set(|hands| hands.frozen = false);
    }

    /// True if it moves only by [`advance`](Self::advance).
    pub fn is_frozen(&self) -> bool {
        self.hands.lock().frozen
    }

    /// Returns when the time is `deadline` or later. May be dropped at any await.
    pub(crate) async fn until(&self, deadline: i64) {
        loop {
            // Registered before the time is read, so that no move between the two is missed.
            let mut moved = std::pin::pin!(self.moved.notified());
            moved.as_mut().enable();
            let Hands { frozen, .. } = *self.hands.lock();
            let left = deadline.saturating_sub(self.now());
            if left <= 0 {
                return;
            }
            if frozen {
                moved.await;
                continue;
            }
            tokio::select! {
                () = moved => {}
                () = tokio::time::sleep(Duration::from_millis(left.unsigned_abs())) => {}
            }
        }
    }

    /// Returns when the time is `deadline` or later, or so much real time has passed as the clock has to go until then.
    ///
    /// For long polls: a frozen clock must not leave clients without the answers that they wait for in real time.
    pub(crate) async fn until_or_elapsed(&self, deadline: i64) {
        let left = deadline.saturating_sub(self.now()).max(0).unsigned_abs();
        // The limit of tokio's timers is far beyond; a deadline at the end of time must not overflow what they add up.
        let left = Duration::from_millis(left.min(1 << 40));
        tokio::select! {
            () = self.until(deadline) => {}
            () = tokio::time::sleep(left) => {}
        }
    }

    fn set(&self, change: impl FnOnce(&mut Hands)) {
        let mut hands = self.hands.lock();
        hands.time = hands.time();
        hands.at = Instant::now();
        change(&mut hands);
        drop(hands);
        self.moved.notify_waiters();
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(20);

    fn run<T>(test: impl Future<Output = T>) -> T {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { timeout(LIMIT, test).await.unwrap() })
    }

    #[test]
    fn a_manual_clock_stands_still_until_it_is_advanced() {
        let clock = Clock::new(ClockMode::Manual);
        let start = clock.now();
        std::thread::yield_now();
        assert_eq!(clock.now(), start);
        clock.advance(Duration::from_secs(30));
        assert_eq!(clock.now(), start + 30_000);
    }

    #[test]
    fn a_wall_clock_runs_and_can_jump_ahead() {
        let clock = Clock::new(ClockMode::Wall);
        let start = clock.now();
        clock.advance(Duration::from_secs(3600));
        assert!(clock.now() >= start + 3_600_000);
        run(clock.until(start + 3_600_020));
        assert!(clock.now() >= start + 3_600_020);
    }

    #[test]
    fn waiting_ends_when_the_clock_reaches_the_deadline_and_not_before() {
        run(async {
            let clock = Arc::new(Clock::new(ClockMode::Manual));
            let deadline = clock.now() + 45_000;
            let waiting = Arc::clone(&clock);
            let mut wait = std::pin::pin!(async move { waiting.until(deadline).await });
            let short = Duration::from_millis(20);
            assert!(timeout(short, wait.as_mut()).await.is_err());
            clock.advance(Duration::from_millis(44_999));
            assert!(timeout(short, wait.as_mut()).await.is_err());
            clock.advance(Duration::from_millis(1));
            wait.await;
        });
    }

    #[test]
    fn a_frozen_clock_that_is_let_go_reaches_the_deadline_by_itself() {
        run(async {
            let clock = Clock::new(ClockMode::Manual);
            clock.unfreeze();
            clock.until(clock.now() + 20).await;
            clock.freeze();
            assert!(clock.is_frozen());
        });
    }

    #[test]
    fn long_polls_end_in_real_time_too() {
        let clock = Clock::new(ClockMode::Manual);
        run(clock.until_or_elapsed(clock.now() + 20));
    }

    #[test]
    fn deadlines_at_the_ends_of_time_are_no_overflow() {
        let clock = Clock::new(ClockMode::Manual);
        run(clock.until(i64::MIN));
        run(clock.until_or_elapsed(i64::MIN));
        clock.advance(Duration::MAX);
        run(clock.until_or_elapsed(i64::MAX));
    }
}
