//! One connection to a broker: requests are pipelined, responses are matched in order, and a request may be cancelled.
//!
//! A request is written by the thread that makes it, unless another one is writing: then that one writes it too. Nobody
//! waits for the socket; what it does not take at once is written later by the connection's task. So starting a request
//! never suspends, and a caller that goes away leaves at most a slot whose response is thrown away.

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

/// A deadline that is this close to the request timeout needs no timer of its own: the connection keeps it.
const NO_TIMER: Duration = Duration::from_millis(100);

/// Stands for the correlation id of a message without header.
const NO_CORRELATION: i32 = -1;

/// A connection. Clones share it; it closes when the last one is dropped.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<ConnectionShared>,
    _last: Arc<ConnectionDropGuard>,
}

/// The terms of a request whose response goes to a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    /// The highest version to use.
    pub(crate) max_version: i16,
    /// Without a response by then the connection is given up.
    pub(crate) deadline: Instant,
    /// A pause that the broker asks for moves the deadline, but not beyond this.
    pub(crate) latest: Instant,
}

struct ConnectionDropGuard(Arc<ConnectionShared>);

/// A connection that others keep open.
pub(super) struct WeakConnection {
    shared: Weak<ConnectionShared>,
    last: Weak<ConnectionDropGuard>,
}

impl WeakConnection {
    /// Returns the connection as long as anybody uses it.
    pub(super) fn upgrade(&self) -> Option<Connection> {
        Some(Connection {
            shared: self.shared.upgrade()?,
            _last: self.last.upgrade()?,
        })
    }
}

impl Connection {
    /// Makes a connection over `reader` and `writer`. Nothing is received unless its task is polled.
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

    /// True if requests on it will only fail.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Acquire)
    }

    /// The end of a pause that the broker asked for, in which nothing is sent (KIP-219).
    pub(crate) fn muted_until(&self) -> Option<Instant> {
        let muted_until = self.shared.state.lock().muted_until;
        muted_until.filter(|until| *until > now())
    }

    /// True if the oldest request has waited for longer than `limit`. Responses come in order, so the next request
    /// would wait behind it.
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

    /// The oldest request without a response, of those that `counts` selects.
    pub(crate) fn unanswered(&self, counts: &dyn Fn(ApiKey) -> bool) -> Option<Unanswered> {
        let state = self.shared.state.lock();
        let mut pending = state.pending.iter();
        let oldest = pending.find(|pending| counts(pending.api))?;
        let waited = now().saturating_duration_since(oldest.sent_at);
        let broker = &self.shared.settings.broker;
        Some(broker.owes(oldest.api, waited, state.is_muted()))
    }

    /// The API versions that the broker supports; empty before the handshake.
    #[must_use]
    pub fn versions(&self) -> &ApiVersionTable {
        static NONE: OnceLock<ApiVersionTable> = OnceLock::new();
        match self.shared.versions.get() {
            Some(versions) => versions,
            None => NONE.get_or_init(ApiVersionTable::default),
        }
    }

    /// Notes whether the login waits for its credentials, so that the connection is not idle.
    pub(crate) fn await_credentials(&self, awaits: bool) {
        self.shared.await_credentials(awaits);
    }

    pub(crate) fn set_versions(&self, versions: ApiVersionTable) {
        // Set once, by the handshake.
        drop(self.shared.versions.set(versions));
    }

    /// Switches to messages without headers, or back. Only while nothing is in flight.
    pub(super) fn expect_tokens(&self, expected: bool) {
        self.shared.tokens.store(expected, Ordering::Release);
    }

    /// Holds back all requests except those of SASL.
    pub(super) fn hold(&self) {
        self.shared.state.lock().held.get_or_insert_default();
    }

    /// Sends the requests that were held back, in their order.
    pub(super) fn release(&self) {
        let mut state = self.shared.state.lock();
        for (frame, pending) in state.held.take().unwrap_or_default() {
            if let Some(pending) = pending {
                state.expect(pending);
            }
            state.outbox.push(frame);
        }
        state.wake_task();
    }

    /// When the last request in flight expires.
    pub(super) fn latest_expiry(&self) -> Option<Instant> {
        let state = self.shared.state.lock();
        state.pending.iter().map(|pending| pending.expires_at).max()
    }

    /// Returns a handle that does not keep the connection open.
    pub(super) fn downgrade(&self) -> WeakConnection {
        WeakConnection {
            shared: Arc::downgrade(&self.shared),
            last: Arc::downgrade(&self._last),
        }
    }

    /// Fails every request in flight and ends the connection's task.
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
