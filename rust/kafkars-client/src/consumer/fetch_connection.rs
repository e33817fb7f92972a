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

impl Asked {
    /// True if an answer at `now` came long before the broker's wait was over; `None` for waits too short to tell.
    pub(super) fn is_early(&self, now: Instant) -> Option<bool> {
        let took = now.saturating_duration_since(self.sent_at);
        // Short waits say nothing.
        (self.wait >= EmptyResponsePause::FIRST_PAUSE).then_some(took * 2 < self.wait)
    }
}

/// Detects empty answers that come at once. A broker that gives them instead of holding the request would be asked
/// without end, so the pauses are made here.
#[derive(Debug, Default)]
pub(super) struct EmptyResponsePause {
    in_a_row: u32,
    not_before: Option<Instant>,
}

impl EmptyResponsePause {
    /// Early empty answers in a row that are nothing unusual.
    const USUAL: u32 = 5;
    const FIRST_PAUSE: Duration = Duration::from_millis(10);

    /// When the broker may be asked again, if it must not be yet.
    pub(super) fn wake_at(&self, now: Instant) -> Option<Instant> {
        self.not_before.filter(|until| *until > now)
    }

    /// Takes note of an answer, and sets the pause after it.
    pub(super) fn answered(&mut self, asked: &Asked, is_empty: bool, now: Instant, random: u64) {
        match asked.is_early(now) {
            Some(true) if is_empty => self.in_a_row = self.in_a_row.saturating_add(1),
            None if is_empty => return,
            _ => self.in_a_row = 0,
        }
        let backoff = Backoff::new(Self::FIRST_PAUSE, asked.wait);
        let pause = backoff.delay(self.in_a_row.saturating_sub(Self::USUAL), random);
        self.not_before = Some(now + pause);
    }
}
