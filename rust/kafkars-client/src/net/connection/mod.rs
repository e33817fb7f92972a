//! One socket to a broker: pipelined requests, answers matched in order, slots that survive being cancelled.
//!
//! A request is written by the task that makes it, unless somebody else is writing: then it is left for that writer.
//! Nobody ever waits for the socket to take bytes; what it does not take at once the driver task writes later. So
//! starting a request never suspends, and a caller that goes away leaves at most a slot whose answer is thrown away.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_protocol::{ApiKey, Frame, Message, Request, decode_response, encode_request};
use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::driver::Driver;
use super::frame_reader::FrameReader;
use super::throttle;
use super::transport::{ReadHalf, WriteHalf};
use super::unanswered::{BrokerName, Unanswered};
use super::versions::ApiVersionTable;
use crate::error::AttemptError;
use crate::metrics::BrokerCounters;
use crate::net::connection::state::{Pending, Slot, State};
use crate::{after, now};

pub(super) mod state;

/// A deadline that is this close to the connection's own time limit is kept by the connection.
const NO_TIMER: Duration = Duration::from_millis(100);

/// What stands for the number of a message without header.
const NO_CORRELATION: i32 = -1;

/// One connection. Clones share it; it closes when the last one is dropped.
#[derive(Clone)]
pub struct Connection {
    shared: Arc<Shared>,
    _last: Arc<CloseOnDrop>,
}

/// What a connection needs to know.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionSettings {
    pub(crate) broker: BrokerName,
    pub(crate) client_id: Arc<str>,
    pub(crate) request_timeout: Duration,
    pub(crate) max_idle: Duration,
    pub(crate) longest_frame: usize,
    pub(crate) counters: BrokerCounters,
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

pub(super) struct Shared {
    pub(super) settings: ConnectionSettings,
    correlation: AtomicI32,
    closed: AtomicBool,
    /// SASL messages travel without headers at the moment.
    tokens: AtomicBool,
    versions: OnceLock<ApiVersionTable>,
    state: Mutex<State>,
}

struct CloseOnDrop(Arc<Shared>);

/// A connection that others keep open.
pub(super) struct WeakConnection {
    shared: Weak<Shared>,
    last: Weak<CloseOnDrop>,
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
    ) -> (Self, Driver) {
        settings.counters.add(|each| &each.connections_made, 1);
        settings.counters.add(|each| &each.connections_open, 1);
        let reader = FrameReader::new(reader, settings.longest_frame);
        let shared = Arc::new(Shared {
            state: Mutex::new(State::new(writer, now())),
            settings,
            correlation: AtomicI32::new(0),
            closed: AtomicBool::new(false),
            tokens: AtomicBool::new(false),
            versions: OnceLock::new(),
        });
        let connection = Self {
            _last: Arc::new(CloseOnDrop(Arc::clone(&shared))),
            shared: Arc::clone(&shared),
        };
        (connection, Driver::new(shared, reader))
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

    /// Sends a request in the highest version that both sides speak. The bytes are on their way when this returns;
    /// the answer is awaited separately and may be dropped. After `deadline` the answer is [`AttemptError::TimedOut`];
    /// when that is not before `request_timeout`, the connection is then given up, because answers come in order.
    pub fn start<R: Request>(
        &self,
        request: &R,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<R::Response, AttemptError>> + Send + use<R>, AttemptError>
    {
        let version = self.versions().highest::<R>()?;
        self.start_version(request, version, deadline)
    }

    /// As [`Connection::start`], in a version chosen by the caller.
    pub fn start_version<R: Request>(
        &self,
        request: &R,
        version: i16,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<R::Response, AttemptError>> + Send + use<R>, AttemptError>
    {
        let answer = self.start_raw(request, version, deadline)?;
        let connection = self.clone();
        Ok(async move {
            let frame = answer.await?;
            connection.decode::<R>(frame, version)
        })
    }

    /// As [`Connection::start`], without a task that waits: `then` gets the answer where it is received, so it must be
    /// quick. It is called once in any case, from within this call when the request cannot leave. Only for a deadline
    /// that [`Connection::keeps`].
    pub(crate) fn start_then<R: Request>(
        &self,
        request: &R,
        terms: Terms,
        then: impl FnOnce(Result<R::Response, AttemptError>) + Send + 'static,
    ) {
        let version = self.versions().highest_up_to::<R>(terms.max_version);
        let encoded = version.and_then(|version| {
            let (correlation, frame) = self.encode(request, version)?;
            Ok((version, correlation, frame))
        });
        let (version, correlation, frame) = match encoded {
            Ok(encoded) => encoded,
            Err(error) => return then(Err(error)),
        };
        let connection = self.clone();
        let decode = move |answer: Result<Bytes, _>| {
            then(answer.and_then(|frame| connection.decode::<R>(frame, version)))
        };
        let pending = Pending {
            api: R::API_KEY,
            correlation,
            sent_at: now(),
            expires_at: terms.deadline,
            answer_by: terms.latest,
            slot: Slot::Function(Box::new(decode)),
        };
        // An error has reached `then` through the slot.
        drop(self.submit(R::API_KEY, frame, Some(pending)));
    }

    /// Whether the connection itself sees to it that a request started now has an end at `deadline`.
    pub(crate) fn keeps(&self, deadline: Instant) -> bool {
        !self.needs_timer(now(), deadline)
    }

    /// Most deadlines are the request timeout, counted from a moment earlier: those need no timer of their own.
    fn needs_timer(&self, sent_at: Instant, deadline: Instant) -> bool {
        let times_out_at = after(sent_at, self.shared.settings.request_timeout);
        times_out_at.saturating_duration_since(deadline) > NO_TIMER
    }

    /// Sends a request that the broker does not answer. The future ends when the socket has taken it: without it a
    /// sender would not notice that the broker is slower than itself. When that is not before `deadline` the connection
    /// is given up.
    pub fn start_oneway<R: Request>(
        &self,
        request: &R,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<(), AttemptError>> + Send + use<R>, AttemptError> {
        let version = self.versions().highest::<R>()?;
        self.submit(R::API_KEY, self.encode(request, version)?.1, None)?;
        let flushed = self.shared.state.lock().when_flushed();
        let connection = self.clone();
        Ok(async move {
            let started = now();
            let lost = match flushed {
                None => false,
                Some(flushed) => match tokio::time::timeout_at(deadline.into(), flushed).await {
                    Ok(flushed) => flushed.is_err(),
                    Err(_) => {
                        let shared = &connection.shared;
                        connection.close(&shared.timed_out(R::API_KEY, started, false));
                        true
                    }
                },
            };
            match &connection.shared.state.lock().failure {
                Some(failure) if lost => Err(failure.clone()),
                _ => Ok(()),
            }
        })
    }

    /// Sends a request whose answer stays a frame.
    pub(crate) fn start_raw<R: Request>(
        &self,
        request: &R,
        version: i16,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<Bytes, AttemptError>> + Send + use<R>, AttemptError>
    {
        let (correlation, frame) = self.encode(request, version)?;
        self.start_frame(R::API_KEY, correlation, frame, deadline)
    }

    fn start_frame(
        &self,
        api: ApiKey,
        correlation: i32,
        frame: Frame,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<Bytes, AttemptError>> + Send + use<>, AttemptError>
    {
        let (slot, answer) = oneshot::channel();
        let sent_at = now();
        let times_out_at = after(sent_at, self.shared.settings.request_timeout);
        let ends_early = self.needs_timer(sent_at, deadline);
        let pending = Pending {
            api,
            correlation,
            sent_at,
            expires_at: if ends_early { times_out_at } else { deadline },
            answer_by: if ends_early { times_out_at } else { deadline },
            slot: Slot::Task(slot),
        };
        self.submit(api, frame, Some(pending))?;
        let shared = Arc::clone(&self.shared);
        Ok(async move {
            let closed = |_| Err(AttemptError::Closed);
            if !ends_early {
                return answer.await.unwrap_or_else(closed);
            }
            match tokio::time::timeout_at(deadline.into(), answer).await {
                Ok(answer) => answer.unwrap_or_else(closed),
                Err(_) => {
                    let counters = &shared.settings.counters;
                    counters.add(|each| &each.requests_timed_out, 1);
                    let is_throttled = shared.state.lock().is_muted();
                    Err(shared.timed_out(api, sent_at, is_throttled))
                }
            }
        })
    }

    /// From now on messages have no headers, or have them again. Only while nothing is in flight.
    pub(super) fn expect_tokens(&self, expected: bool) {
        self.shared.tokens.store(expected, Ordering::Release);
    }

    /// Sends bytes without a header; the answer has none either.
    pub(super) fn start_token(
        &self,
        token: Bytes,
        deadline: Instant,
    ) -> Result<impl Future<Output = Result<Bytes, AttemptError>> + Send + use<>, AttemptError>
    {
        let frame = Frame::of_token(token)
            .ok_or_else(|| AttemptError::Protocol("the token is too long".into()))?;
        self.start_frame(ApiKey::SaslAuthenticate, NO_CORRELATION, frame, deadline)
    }

    /// Reads an answer and takes note of the pause it asks for.
    pub(crate) fn decode<R: Request>(
        &self,
        frame: Bytes,
        version: i16,
    ) -> Result<R::Response, AttemptError> {
        match decode_response::<R>(frame, version) {
            Ok((_, response)) => {
                self.pause(&response);
                Ok(response)
            }
            Err(error) => {
                tracing::error!(
                    target: "kafkars::net",
                    broker = %self.shared.settings.broker.address,
                    api = R::API_KEY.name(),
                    version,
                    %error,
                    "answer cannot be decoded"
                );
                self.shared.fail(&AttemptError::Decode(error));
                Err(AttemptError::Decode(error))
            }
        }
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

    fn encode<R: Request>(&self, request: &R, version: i16) -> Result<(i32, Frame), AttemptError> {
        let correlation = self.shared.correlation.fetch_add(1, Ordering::Relaxed) & i32::MAX;
        let client_id = &self.shared.settings.client_id;
        let frame = encode_request(request, version, correlation, Some(client_id))
            .map_err(AttemptError::Encode)?;
        tracing::trace!(
            target: "kafkars::net",
            broker = %self.shared.settings.broker.address,
            api = R::API_KEY.name(),
            version,
            correlation,
            bytes = frame.len(),
            "request"
        );
        Ok((correlation, frame))
    }

    fn submit(
        &self,
        api: ApiKey,
        frame: Frame,
        pending: Option<Pending>,
    ) -> Result<(), AttemptError> {
        let shared = &self.shared;
        let counters = &shared.settings.counters;
        let mut state = shared.state.lock();
        if let Some(failure) = state.failure.clone() {
            drop(state);
            if let Some(pending) = pending {
                pending.answer(Err(failure.clone()));
            }
            return Err(failure);
        }
        counters.add(|each| &each.requests_sent, 1);
        if pending.is_some() {
            counters.add(|each| &each.requests_in_flight, 1);
        }
        if !matches!(api, ApiKey::SaslHandshake | ApiKey::SaslAuthenticate)
            && let Some(held) = &mut state.held
        {
            held.push((frame, pending));
            return Ok(());
        }
        if let Some(pending) = pending {
            state.expect(pending);
        }
        state.outbox.push(frame);
        if state.is_muted() || state.is_blocked {
            return Ok(()); // the driver writes when it may
        }
        let Some(mut writer) = state.writer.take() else {
            return Ok(()); // whoever writes now takes it along
        };
        loop {
            let mut outbox = std::mem::take(&mut state.outbox);
            drop(state);
            let mut written = 0;
            let mut context = Context::from_waker(Waker::noop());
            let result = outbox.poll_write(&mut writer, &mut context, &mut written);
            counters.add(|each| &each.bytes_sent, written);
            state = shared.state.lock();
            if state.failure.is_some() {
                return Ok(()); // the slot has heard of it
            }
            outbox.append(std::mem::take(&mut state.outbox));
            state.outbox = outbox;
            match result {
                Poll::Ready(Ok(())) if !state.outbox.is_empty() && !state.is_muted() => {}
                Poll::Ready(Ok(())) => {
                    state.writer = Some(writer);
                    state.tell_flushed();
                    return Ok(());
                }
                Poll::Pending => {
                    state.writer = Some(writer);
                    state.is_blocked = true;
                    state.wake_driver();
                    return Ok(());
                }
                Poll::Ready(Err(error)) => {
                    drop(state);
                    shared.fail(&AttemptError::from_io(&error));
                    // A request in flight learns it through its slot, like all others.
                    return Ok(());
                }
            }
        }
    }

    fn pause<M: Message>(&self, response: &M) {
        let pause = throttle::pause(response);
        if pause.is_zero() {
            return;
        }
        tracing::debug!(
            target: "kafkars::net",
            broker = %self.shared.settings.broker.address,
            pause_ms = pause.as_millis() as u64,
            "throttled by the broker"
        );
        self.shared.settings.counters.throttled(pause);
        self.shared.state.lock().mute(now(), pause);
    }
}

impl Shared {
    /// Whether what comes has no header.
    pub(super) fn expects_tokens(&self) -> bool {
        self.tokens.load(Ordering::Acquire)
    }

    pub(super) fn lock(&self) -> parking_lot::MutexGuard<'_, State> {
        self.state.lock()
    }

    fn timed_out(&self, api: ApiKey, sent_at: Instant, is_throttled: bool) -> AttemptError {
        let waited = now().saturating_duration_since(sent_at);
        AttemptError::TimedOut(self.settings.broker.owes(api, waited, is_throttled))
    }

    /// The first failure decides what every waiting and every later request hears.
    pub(super) fn fail(&self, error: &AttemptError) {
        self.fail_each(error, |_| None);
    }

    /// Tells those whose time is over, while the connection waits on for the end of a pause.
    pub(super) fn answer_due(&self, now: Instant) {
        let (due, is_throttled): (Vec<Pending>, bool) = {
            let mut state = self.state.lock();
            let is_throttled = state.is_muted();
            let due = state
                .pending
                .iter_mut()
                .filter(|pending| pending.is_due(now));
            (due.map(Pending::take_slot).collect(), is_throttled)
        };
        self.settings
            .counters
            .add(|each| &each.requests_timed_out, due.len());
        for pending in due {
            let error = self.timed_out(pending.api, pending.sent_at, is_throttled);
            pending.answer(Err(error));
        }
    }

    /// Answers come in order, so a request without one holds up all behind it: the connection is given up.
    pub(super) fn expire(&self, now: Instant) {
        let late = {
            let state = self.state.lock();
            let late = state.pending.iter().find(|each| each.expires_at <= now);
            late.map(|late| (late.api, now.saturating_duration_since(late.sent_at)))
        };
        let cause = late.map_or_else(
            || "another request on it got no answer in time".to_owned(),
            |(api, waited)| self.settings.broker.owes(api, waited, false).to_string(),
        );
        let error = AttemptError::Disconnected(cause.into());
        self.fail_each(&error, |pending| {
            let is_late = pending.expires_at <= now;
            is_late.then(|| self.timed_out(pending.api, pending.sent_at, false))
        });
    }

    fn fail_each(&self, error: &AttemptError, own: impl Fn(&Pending) -> Option<AttemptError>) {
        let pending = {
            let mut state = self.state.lock();
            if state.failure.is_some() {
                return;
            }
            state.failure = Some(error.clone());
            self.closed.store(true, Ordering::Release);
            state.outbox = super::outbox::Outbox::default();
            state.writer = None;
            state.forget_flushed();
            state.wake_driver();
            let mut pending = std::mem::take(&mut state.pending);
            let held = state.held.take().unwrap_or_default();
            pending.extend(held.into_iter().filter_map(|(_, pending)| pending));
            pending
        };
        let counters = &self.settings.counters;
        counters.subtract(|each| &each.connections_open, 1);
        counters.subtract(|each| &each.requests_in_flight, pending.len());
        tracing::debug!(
            target: "kafkars::net",
            broker = %self.settings.broker.address,
            in_flight = pending.len(),
            %error,
            "connection closed"
        );
        for pending in pending {
            let own = own(&pending);
            if let Some(AttemptError::TimedOut(_)) = own {
                counters.add(|each| &each.requests_timed_out, 1);
            }
            pending.answer(Err(own.unwrap_or_else(|| error.clone())));
        }
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

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.fail(&AttemptError::Closed);
    }
}

#[cfg(test)]
mod tests;
