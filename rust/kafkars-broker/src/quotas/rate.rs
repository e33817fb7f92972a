//! The rate at which a client uses something, over the latest windows.

use std::collections::VecDeque;

/// `quota.window.size.seconds`, in ms.
const WINDOW_MS: i64 = 1000;
/// `quota.window.num`.
const WINDOWS: i64 = 11;
/// A rate is always one over at least so many seconds: all windows but the one that is not over.
pub(super) const FULL_SECONDS: f64 = 10.0;

/// Sums by window.
#[derive(Debug, Default)]
pub(super) struct Rate {
    /// The windows: when each began, and its sum.
    windows: VecDeque<(i64, f64)>,
}

impl Rate {
    pub(super) fn record(&mut self, amount: f64, now: i64) {
        self.forget(now);
        match self.windows.back_mut() {
            Some((began, sum)) if now - *began < WINDOW_MS => *sum += amount,
            _ => self.windows.push_back((now, amount)),
        }
    }

    /// The time for which nothing more may be used, until the rate is down to `limit`.
    pub(super) fn pause_ms(&self, limit: f64, now: i64) -> f64 {
        let Some((oldest, _)) = self.windows.front() else {
            return 0.0;
        };
        let elapsed = now - oldest;
        let missing = (WINDOWS - 1 - elapsed / WINDOW_MS).max(0);
        let span = (elapsed + missing * WINDOW_MS) as f64;
        let sum: f64 = self.windows.iter().map(|(_, sum)| sum).sum();
        let rate = sum / (span / 1000.0);
        if rate <= limit {
            return 0.0;
        }
        (rate - limit) / limit * span
    }

    pub(super) fn is_in_use(&self, now: i64) -> bool {
        let latest = self.windows.back();
        latest.is_some_and(|(began, _)| now - began < WINDOWS * WINDOW_MS)
    }

    fn forget(&mut self, now: i64) {
        while let Some((began, _)) = self.windows.front() {
            if now - began < WINDOWS * WINDOW_MS {
                return;
            }
            self.windows.pop_front();
        }
    }
}
