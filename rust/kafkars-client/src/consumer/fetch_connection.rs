//! One of a fetcher's two connections to its broker, and the request under way on it.

use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::fetch::buffer::FetchTarget;
use kafkars_core::fetch::session::FetchSession;
use kafkars_protocol::messages::fetch::FetchResponse;

use crate::error::AttemptError;
use crate::net::{Connection, ConnectionKind};

type FetchInFlight = Pin<Box<dyn Future<Output = Result<FetchResponse, AttemptError>> + Send>>;
type Connecting = Pin<Box<dyn Future<Output = Result<Connection, AttemptError>> + Send>>;

/// One connection to a broker, its fetch session and the request under way on it.
pub(super) struct FetchConnection {
    pub(super) kind: ConnectionKind,
    pub(super) session: FetchSession,
    pub(super) connection: Option<Connection>,
    stage: FetchStage,
}

enum FetchStage {
    Free,
    /// Nothing is asked yet: the connection is being made for these partitions, and others may be asked about when it
    /// is there.
    Connecting(Vec<FetchTarget>, Connecting),
    Asked(Asked),
}

/// A request under way.
pub(super) struct Asked {
    pub(super) targets: Vec<FetchTarget>,
    answer: FetchInFlight,
    sent_at: Instant,
    /// How long the request may wait at the broker.
    wait: Duration,
}

pub(super) enum FetchConnectionEvent {
    Connected,
    Failed(Vec<FetchTarget>, AttemptError),
    Answered(Asked, FetchResponse),
}

impl FetchConnection {
    pub(super) fn new(kind: ConnectionKind) -> Self {
        Self {
            kind,
            session: FetchSession::new(),
            connection: None,
            stage: FetchStage::Free,
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        let connection = self.connection.as_ref();
        connection.is_some_and(|connection| !connection.is_closed())
    }

    pub(super) fn is_connecting(&self) -> bool {
        matches!(self.stage, FetchStage::Connecting(..))
    }

    pub(super) fn is_free(&self) -> bool {
        matches!(self.stage, FetchStage::Free)
    }

    /// When the broker's wait for the request under way ends.
    pub(super) fn ends_at(&self) -> Option<Instant> {
        match &self.stage {
            FetchStage::Asked(asked) => Some(asked.sent_at + asked.wait),
            FetchStage::Free | FetchStage::Connecting(..) => None,
        }
    }

    pub(super) fn connect(&mut self, targets: Vec<FetchTarget>, connecting: Connecting) {
        self.session.lost();
        self.connection = None;
        self.stage = FetchStage::Connecting(targets, connecting);
    }

    pub(super) fn asked(
        &mut self,
        targets: Vec<FetchTarget>,
        answer: FetchInFlight,
        sent_at: Instant,
        wait: Duration,
    ) {
        self.stage = FetchStage::Asked(Asked {
            targets,
            answer,
            sent_at,
            wait,
        });
    }

    /// Drops the connection; the next one begins a new session.
    pub(super) fn lost(&mut self) {
        self.connection = None;
        self.session.lost();
    }

    /// Waits for the next event; for ever if nothing is under way.
    pub(super) async fn event(&mut self) -> FetchConnectionEvent {
        let result = match &mut self.stage {
            FetchStage::Free => return std::future::pending().await,
            FetchStage::Connecting(_, connecting) => connecting.await.map(|connection| {
                self.connection = Some(connection);
                None
            }),
            FetchStage::Asked(asked) => asked.answer.as_mut().await.map(Some),
        };
        match (std::mem::replace(&mut self.stage, FetchStage::Free), result) {
            (FetchStage::Asked(asked), Ok(Some(response))) => {
                FetchConnectionEvent::Answered(asked, response)
            }
            (
                FetchStage::Asked(Asked { targets, .. }) | FetchStage::Connecting(targets, _),
                Err(error),
            ) => {
                self.lost();
                FetchConnectionEvent::Failed(targets, error)
            }
            _ => FetchConnectionEvent::Connected,
        }
    }
}

/// How an answer without anything compares with the wait that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EmptyAnswer {
    /// It came long before the wait was over.
    Early,
    /// The broker has waited, or something else has taken as long.
    Waited,
    /// The wait is too short to tell.
    Short,
}

/// Makes the pauses after empty answers that come at once. A broker that gives them instead of holding the request
/// would be asked without end.
#[derive(Debug, Default)]
pub(super) struct EmptyResponsePause {
    // Early empty answers, less those for which the broker has waited.
    early: u32,
    not_before: Option<Instant>,
}

impl EmptyResponsePause {
    /// Early empty answers that are nothing unusual.
    const USUAL: u32 = 5;
    /// No more are counted, so that a broker that waits again is soon asked without pauses.
    const MOST: u32 = 20;
    const FIRST_PAUSE: Duration = Duration::from_millis(10);

    /// When the broker may be asked again, if it must not be yet.
    pub(super) fn wake_at(&self, now: Instant) -> Option<Instant> {
        self.not_before.filter(|until| *until > now)
    }

    /// Takes note of an answer, and sets the pause after it.
    pub(super) fn answered(&mut self, asked: &Asked, is_empty: bool, now: Instant, random: u64) {
        self.noted(asked.sent_at, asked.wait, is_empty, now, random);
    }

    fn noted(
        &mut self,
        sent_at: Instant,
        wait: Duration,
        is_empty: bool,
        now: Instant,
        random: u64,
    ) {
        if !is_empty {
            *self = Self::default();
            return;
        }
        let took = now.saturating_duration_since(sent_at);
        let kind = match wait {
            wait if wait < Self::FIRST_PAUSE => EmptyAnswer::Short,
            wait if took * 4 < wait * 3 => EmptyAnswer::Early,
            _ => EmptyAnswer::Waited,
        };
        let pause_ends = match kind {
            // What is left of it is waited for here. This is never long.
            EmptyAnswer::Short => Some(sent_at + wait),
            EmptyAnswer::Early => {
                self.early = (self.early + 1).min(Self::MOST);
                let backoff = Backoff::new(Self::FIRST_PAUSE, wait);
                Some(now + backoff.delay(self.early.saturating_sub(Self::USUAL), random))
            }
            // On a busy machine some answers that came at once are noticed late. They take back one early answer each,
            // not all: else there would be no pause after the next ones.
            EmptyAnswer::Waited => {
                self.early = self.early.saturating_sub(1);
                None
            }
        };
        // The pause after an answer on the other connection lasts, too.
        self.not_before = self.not_before.max(pause_ends);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn milliseconds(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    /// Counts the requests in ten seconds of a fetcher that sends whenever it may. `took` says how long the answer to
    /// each takes, which is empty.
    fn requests(wait: Duration, took: impl Fn(u32) -> Duration) -> u32 {
        let mut pause = EmptyResponsePause::default();
        let start = Instant::now();
        let (mut now, mut requests) = (start, 0);
        while now < start + Duration::from_secs(10) {
            now = pause.wake_at(now).unwrap_or(now);
            let sent_at = now;
            now += took(requests);
            requests += 1;
            pause.noted(sent_at, wait, true, now, u64::from(requests) << 60);
        }
        requests
    }

    const AT_ONCE: Duration = Duration::from_micros(100);

    #[test]
    fn a_broker_that_never_waits_is_asked_about_as_often_as_one_that_does() {
        for wait in [50, 100, 500].map(milliseconds) {
            let waits = requests(wait, |_| wait);
            let never_waits = requests(wait, |_| AT_ONCE);
            assert!(
                never_waits <= waits * 5 / 4 + 20,
                "{never_waits} instead of {waits} requests that may wait {wait:?}"
            );
        }
    }

    #[test]
    fn answers_that_are_noticed_late_let_nobody_ask_without_end() {
        for every in [2, 3, 5] {
            let wait = milliseconds(50);
            let asked = requests(wait, |number| match number % every {
                0 => wait * 4 / 5,
                _ => AT_ONCE,
            });
            // A late one takes four fifths of the wait, and excuses at most one that came at once.
            assert!(asked <= 510, "{asked} requests, one of {every} is late");
        }
    }

    #[test]
    fn short_waits_are_made_up_for() {
        for wait in [1, 2, 9].map(milliseconds) {
            let asked = requests(wait, |_| AT_ONCE);
            let most = 10_000 / u32::try_from(wait.as_millis()).expect("it is short") + 2;
            assert!(asked <= most, "{asked} requests that may wait {wait:?}");
        }
    }

    #[test]
    fn records_and_a_broker_that_waits_again_end_the_pauses() {
        let (wait, now) = (milliseconds(100), Instant::now());
        let mut pause = EmptyResponsePause::default();
        for _ in 0..1_000 {
            pause.noted(now, wait, true, now, 0);
        }
        assert!(pause.wake_at(now).is_some());
        pause.noted(now, wait, false, now, 0);
        assert_eq!(pause.wake_at(now), None, "there were records");
        for _ in 0..1_000 {
            pause.noted(now, wait, true, now, 0);
        }
        let mut now = now;
        for _ in 0..EmptyResponsePause::MOST {
            let sent_at = now;
            now += wait;
            pause.noted(sent_at, wait, true, now, 0);
            assert_eq!(pause.wake_at(now), None, "the broker has waited");
        }
        pause.noted(now, wait, true, now, 0);
        assert_eq!(
            pause.wake_at(now),
            None,
            "one early answer is nothing unusual"
        );
    }
}
