//! One socket to a broker: pipelined requests, answers matched in order, slots that survive being cancelled.
//!
//! A request is written by the task that makes it, unless somebody else is writing: then it is left for that writer.
//! Nobody ever waits for the socket to take bytes; what it does not take at once the driver task writes later. So
//! starting a request never suspends, and a caller that goes away leaves at most a slot whose answer is thrown away.

mod requests;
pub(super) mod shared;
pub(super) mod state;

use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use kafkars_protocol::ApiKey;

pub(crate) use self::shared::ConnectionSettings;
use self::shared::ConnectionShared;
use super::connection_task::ConnectionTask;
use super::frame_reader::FrameReader;
use super::transport::{ReadHalf, WriteHalf};
use super::unanswered::Unanswered;
use super::versions::ApiVersionTable;
use crate::error::AttemptError;
use crate::now;

/// A deadline that is this close to the connection's own time limit is kept by the connection.
const NO_TIMER: Duration = Duration::from_millis(100);

/// What stands for the number of a message without header.
const NO_CORRELATION: i32 = -1;

/// One connection. Clones share it; it closes when the last one is dropped.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<ConnectionShared>,
    _last: Arc<ConnectionDropGuard>,
}

/// How a request is sent whose answer a function gets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// The highest version to use.
    pub(crate) max_version: i16,
    /// Without an answer by then the connection is given up.
    pub(crate) deadline: Instant,
    /// A pause that the broker asks for puts the deadline off, but not beyond this.
    pub(crate) latest: Instant,
}

struct ConnectionDropGuard(Arc<ConnectionShared>);

/// A connection that others keep open.
pub(super) struct WeakConnection {
    shared: Weak<ConnectionShared>,
    last: Weak<ConnectionDropGuard>,
}

impl WeakConnection {
    /// The connection, while anybody uses it.
    pub(super) fn upgrade(&self) -> Option<Connection> {
        Some(Connection {
            shared: self.shared.upgrade()?,
            _last: self.last.upgrade()?,
        })
    }
}

impl Connection {
    /// A connection over `reader` and `writer`. Its driver must be polled for anything to be received.
    pub(crate) fn new(
        reader: ReadHalf,
        writer: WriteHalf,
        settings: ConnectionSettings,
    ) -> (Self, ConnectionTask) {
        settings.counters.add(|each| &each.connections_made, 1);
        settings.counters.add(|each| &each.connections_open, 1);
        let reader = FrameReader::new(reader, settings.longest_frame);
        let shared = Arc::new(ConnectionShared::new(settings, writer));
        let connection = Self {
            _last: Arc::new(ConnectionDropGuard(Arc::clone(&shared))),
            shared: Arc::clone(&shared),
        };
        (connection, ConnectionTask::new(shared, reader))
    }

    /// The broker's `host:port`.
    #[must_use]
    pub fn address(&self) -> &Arc<str> {
        &self.shared.settings.broker.address
    }

    /// Whether requests will only fail.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Acquire)
    }

    /// Until when nothing is sent because the broker asked for a pause (KIP-219).
    pub(crate) fn muted_until(&self) -> Option<Instant> {
        let muted_until = self.shared.state.lock().muted_until;
        muted_until.filter(|until| *until > now())
    }

    /// Whether the oldest request waits for longer than `limit`. Answers come in order: the next request would wait
    /// behind it.
    pub(crate) fn is_silent_for(&self, limit: Duration) -> bool {
        let sent_at = self
            .shared
            .state
            .lock()
            .pending
            .front()
            .map(|oldest| oldest.sent_at);
        sent_at.is_some_and(|sent_at| now().saturating_duration_since(sent_at) > limit)
    }

    /// The oldest request without an answer, of those that count.
    pub(crate) fn unanswered(&self, counts: &dyn Fn(ApiKey) -> bool) -> Option<Unanswered> {
        let state = self.shared.state.lock();
        let mut pending = state.pending.iter();
        let oldest = pending.find(|pending| counts(pending.api))?;
        let waited = now().saturating_duration_since(oldest.sent_at);
        let broker = &self.shared.settings.broker;
        Some(broker.owes(oldest.api, waited, state.is_muted()))
    }

    /// What the broker speaks; empty until it said so.
    #[must_use]
    pub fn versions(&self) -> &ApiVersionTable {
        static NONE: OnceLock<ApiVersionTable> = OnceLock::new();
        match self.shared.versions.get() {
            Some(versions) => versions,
            None => NONE.get_or_init(ApiVersionTable::default),
        }
    }

    pub(crate) fn set_versions(&self, versions: ApiVersionTable) {
        // Set once, by the handshake.
        drop(self.shared.versions.set(versions));
    }

    /// From now on messages have no headers, or have them again. Only while nothing is in flight.
    pub(super) fn expect_tokens(&self, expected: bool) {
        self.shared.tokens.store(expected, Ordering::Release);
    }

    /// Keeps back every request but those of SASL.
    pub(super) fn hold(&self) {
        self.shared.state.lock().held.get_or_insert_default();
    }

    /// Sends what was kept back, in its order.
    pub(super) fn release(&self) {
        let mut state = self.shared.state.lock();
        for (frame, pending) in state.held.take().unwrap_or_default() {
            if let Some(pending) = pending {
                state.expect(pending);
            }
            state.outbox.push(frame);
        }
        state.wake_driver();
    }

    /// When the last of the requests in flight expires.
    pub(super) fn latest_expiry(&self) -> Option<Instant> {
        let state = self.shared.state.lock();
        state.pending.iter().map(|pending| pending.expires_at).max()
    }

    /// The same connection, without keeping it open.
    pub(super) fn downgrade(&self) -> WeakConnection {
        WeakConnection {
            shared: Arc::downgrade(&self.shared),
            last: Arc::downgrade(&self._last),
        }
    }

    /// Fails every request in flight and ends the driver.
    pub(crate) fn close(&self, error: &AttemptError) {
        self.shared.fail(error);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Connection")
            .field("address", &self.shared.settings.broker.address)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

impl Drop for ConnectionDropGuard {
    fn drop(&mut self) {
        self.0.fail(&AttemptError::Closed);
    }
}

#[cfg(test)]
mod tests;
