//! A token bucket: allows bursts, and debts that later requests wait for (KIP-599).

/// The bucket holds what the quota gives in so many seconds: all windows together.
const BURST_SECONDS: f64 = 11.0;

#[derive(Debug)]
pub(super) struct Bucket {
    tokens: f64,
    filled: i64,
}

impl Bucket {
    pub(super) fn full(rate: f64, now: i64) -> Self {
        Self {
            tokens: rate * BURST_SECONDS,
            filled: now,
        }
    }

    pub(super) fn refill(&mut self, rate: f64, now: i64) {
        let seconds = (now - self.filled).max(0) as f64 / 1000.0;
        self.tokens = (self.tokens + seconds * rate).min(rate * BURST_SECONDS);
        self.filled = now;
    }

    pub(super) fn take(&mut self, tokens: f64) {
        self.tokens -= tokens;
    }

    pub(super) fn is_overdrawn(&self) -> bool {
        self.tokens < 0.0
    }

    /// The time until nothing is owed.
    pub(super) fn pause_ms(&self, rate: f64) -> f64 {
        (-self.tokens).max(0.0) / rate * 1000.0
    }
}
