//! The tries of a call that is repeated until its time is over: when the next one is made, and which of them says why
//! the call has failed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::{Backoff, LAST_TRY, Random};

use super::handle::Client;
use super::unanswered::LONG;
use crate::error::ClientError;
use crate::now;

/// What a try has met that another one may not meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TryFailure {
    /// A broker has answered, and refused.
    Refusal(Arc<str>),
    /// There is no answer.
    NoAnswer(Arc<str>),
}

impl TryFailure {
    /// Says what it was.
    pub(crate) fn text(self) -> Arc<str> {
        match self {
            Self::Refusal(text) | Self::NoAnswer(text) => text,
        }
    }
}

/// The tries of one call.
#[derive(Debug, Clone)]
pub(crate) struct Retries {
    backoff: Backoff,
    random: Random,
    started: Instant,
    deadline: Instant,
    /// A broker that has not answered for so long can be said to be silent.
    silence: Duration,
    /// When the current try began.
    began: Instant,
    failures: u32,
}

impl Client {
    /// The tries of a call that starts now, the first of which begins.
    pub(crate) fn retries(&self, deadline: Instant) -> Retries {
        let config = self.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        let random = Random::new(self.core.network.random.lock().next());
        Retries::new(backoff, random, config.request_timeout, deadline)
    }
}

impl Retries {
    pub(crate) fn new(
        backoff: Backoff,
        random: Random,
        request_timeout: Duration,
        deadline: Instant,
    ) -> Self {
        let started = now();
        Self {
            backoff,
            random,
            started,
            deadline,
            silence: LONG.min(request_timeout / 2),
            began: started,
            failures: 0,
        }
    }

    /// Begins the next try.
    pub(crate) fn begin(&mut self) {
        self.began = now();
    }

    /// How long the call has taken so far.
    pub(crate) fn waited(&self) -> Duration {
        now() - self.started
    }

    /// What is left of the time of the call.
    pub(crate) fn left(&self) -> Duration {
        self.deadline.saturating_duration_since(now())
    }

    /// True if the current try was ended by the end of the call, before a broker can be said to be silent.
    pub(crate) fn is_cut_off(&self) -> bool {
        let now = now();
        now + LAST_TRY >= self.deadline && now - self.began < self.silence
    }

    /// The cause of the call, whose current try has met this and those `before` it that. A try that was cut off takes
    /// nothing back.
    pub(crate) fn cause(&self, met: TryFailure, before: Option<Arc<str>>) -> Arc<str> {
        match (met, before) {
            (TryFailure::NoAnswer(_), Some(before)) if self.is_cut_off() => before,
            (met, _) => met.text(),
        }
    }

    /// The error of the call, for which there is no time left.
    pub(crate) fn late(&self, operation: String, cause: Arc<str>) -> ClientError {
        ClientError::TimedOut {
            operation: operation.into(),
            waited: self.waited(),
            cause,
        }
    }

    /// Counts the current try as failed. Returns the pause before the next one; none if there is no time for it.
    pub(crate) fn pause(&mut self) -> Option<Duration> {
        self.failures += 1;
        let random = self.random.next();
        self.backoff
            .delay_within(self.left(), self.failures, random)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    fn retries() -> Retries {
        let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
        Retries::new(backoff, Random::new(1), 3 * LIMIT, now() + LIMIT)
    }

    async fn last_try(retries: &mut Retries, length: Duration) {
        tokio::time::sleep(retries.left() - length).await;
        retries.begin();
        tokio::time::sleep(length).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_last_try_without_time_for_an_answer_takes_nothing_back() {
        let silence = || TryFailure::NoAnswer("silence".into());
        let before = || Some(Arc::from("refused"));
        let mut retries = retries();
        assert_eq!(&*retries.cause(silence(), before()), "silence");
        last_try(&mut retries, Duration::from_millis(900)).await;
        assert_eq!(&*retries.cause(silence(), before()), "refused");
        assert_eq!(&*retries.cause(silence(), None), "silence");
        let other = TryFailure::Refusal("refused for another reason".into());
        assert_eq!(
            &*retries.cause(other, before()),
            "refused for another reason"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_broker_that_was_silent_for_long_is_what_counts() {
        let mut retries = retries();
        last_try(&mut retries, LONG).await;
        let silence = TryFailure::NoAnswer("silence".into());
        assert_eq!(&*retries.cause(silence, Some("refused".into())), "silence");
    }

    #[tokio::test(start_paused = true)]
    async fn tries_end_with_the_time() {
        let mut retries = retries();
        let mut tries = 0;
        while let Some(pause) = retries.pause() {
            tokio::time::sleep(pause).await;
            tries += 1;
        }
        assert!(retries.waited() < LIMIT && retries.left() <= Duration::from_millis(100));
        assert!((10..30).contains(&tries), "{tries}");
    }
}
