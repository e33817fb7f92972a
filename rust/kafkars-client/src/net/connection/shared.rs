//! The state shared by a connection's handles and its task, and how its end fails requests.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_protocol::ApiKey;
use parking_lot::Mutex;

use super::state::{ConnectionState, Pending};
use crate::error::AttemptError;
use crate::metrics::BrokerCounters;
use crate::net::outbox::Outbox;
use crate::net::transport::WriteHalf;
use crate::net::unanswered::BrokerName;
use crate::net::versions::ApiVersionTable;
use crate::now;

#[derive(Debug, Clone)]
pub(crate) struct ConnectionSettings {
    pub(crate) broker: BrokerName,
    pub(crate) client_id: Arc<str>,
    pub(crate) request_timeout: Duration,
    pub(crate) max_idle: Duration,
    pub(crate) longest_frame: usize,
    pub(crate) counters: BrokerCounters,
}

/// A connection as its handles and its task share it.
pub(in crate::net) struct ConnectionShared {
    pub(in crate::net) settings: ConnectionSettings,
    pub(super) correlation: AtomicI32,
    pub(super) closed: AtomicBool,
    /// True while SASL messages travel without headers.
    pub(super) tokens: AtomicBool,
    pub(super) versions: OnceLock<ApiVersionTable>,
    pub(super) state: Mutex<ConnectionState>,
}

impl ConnectionShared {
    pub(super) fn new(settings: ConnectionSettings, writer: WriteHalf) -> Self {
        Self {
            state: Mutex::new(ConnectionState::new(writer, now())),
            settings,
            correlation: AtomicI32::new(0),
            closed: AtomicBool::new(false),
            tokens: AtomicBool::new(false),
            versions: OnceLock::new(),
        }
    }

    /// True if incoming messages have no header.
    pub(in crate::net) fn expects_tokens(&self) -> bool {
        self.tokens.load(Ordering::Acquire)
    }

    pub(in crate::net) fn lock(&self) -> parking_lot::MutexGuard<'_, ConnectionState> {
        self.state.lock()
    }

    pub(super) fn timed_out(
        &self,
        api: ApiKey,
        sent_at: Instant,
        is_throttled: bool,
    ) -> AttemptError {
        let waited = now().saturating_duration_since(sent_at);
        AttemptError::TimedOut(self.settings.broker.owes(api, waited, is_throttled))
    }

    /// Fails the connection: the first failure is what every request in flight and every later one gets.
    pub(in crate::net) fn fail(&self, error: &AttemptError) {
        self.fail_each(error, |_| true, |_| None);
    }

    /// Fails the connection if nobody has used it for long, and not since its task looked either. Returns true if it
    /// has ended.
    pub(in crate::net) fn fail_idle(&self, now: Instant) -> bool {
        let is_idle = |state: &ConnectionState| {
            state.is_flushed() && state.next_event(self.settings.max_idle) <= now
        };
        let error = AttemptError::Disconnected("idle for long".into());
        self.fail_each(&error, is_idle, |_| None);
        self.closed.load(Ordering::Acquire)
    }

    /// Notes whether the login waits for its credentials.
    pub(in crate::net) fn await_credentials(&self, awaits: bool) {
        let mut state = self.state.lock();
        state.awaits_credentials = awaits;
        state.last_used = now();
        state.armed_until = None;
        state.wake_task();
    }

    /// Fails requests whose deadline has passed, while the connection waits for the end of a pause.
    pub(in crate::net) fn answer_due(&self, now: Instant) {
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

    /// Fails the connection because a request got no response in time: responses come in order, so it holds up all
    /// behind it.
    pub(in crate::net) fn expire(&self, now: Instant) {
        let (late, is_throttled) = {
            let state = self.state.lock();
            let late = state.pending.iter().find(|each| each.expires_at <= now);
            let late = late.map(|late| (late.api, now.saturating_duration_since(late.sent_at)));
            (late, state.is_muted())
        };
        let broker = &self.settings.broker;
        let cause = late.map_or_else(
            || "another request on it got no answer in time".to_owned(),
            |(api, waited)| broker.owes(api, waited, is_throttled).to_string(),
        );
        let error = AttemptError::Disconnected(cause.into());
        // What has had no answer for long has met the same silence.
        let limit = self.settings.request_timeout / 2;
        let own = |pending: &Pending| {
            let waited = now.saturating_duration_since(pending.sent_at);
            let is_late = pending.expires_at <= now || waited >= limit;
            is_late.then(|| self.timed_out(pending.api, pending.sent_at, is_throttled))
        };
        self.fail_each(&error, |_| true, own);
    }

    /// Fails the connection because the answer to its oldest request is too long.
    pub(in crate::net) fn fail_oldest(&self, error: &AttemptError) {
        let oldest = self
            .state
            .lock()
            .pending
            .front()
            .map(|oldest| (oldest.api, oldest.correlation));
        match oldest {
            None => self.fail(error),
            Some((api, correlation)) => {
                let is_own = |pending: &Pending| pending.correlation == correlation;
                self.fail_others(api, error, is_own);
            }
        }
    }

    /// Fails the connection because an answer cannot be read. Only the request that it is for gets `error`: nothing is
    /// wrong with the others, which may be sent again.
    pub(super) fn fail_others(
        &self,
        api: ApiKey,
        error: &AttemptError,
        is_own: impl Fn(&Pending) -> bool,
    ) {
        let cause = format!("the answer to {} on it cannot be read: {error}", api.name());
        let own = |pending: &Pending| is_own(pending).then(|| error.clone());
        self.fail_each(&AttemptError::Disconnected(cause.into()), |_| true, own);
    }

    fn fail_each(
        &self,
        error: &AttemptError,
        is_due: impl Fn(&ConnectionState) -> bool,
        own: impl Fn(&Pending) -> Option<AttemptError>,
    ) {
        let pending = {
            let mut state = self.state.lock();
            if state.failure.is_some() || !is_due(&state) {
                return;
            }
            state.failure = Some(error.clone());
            self.closed.store(true, Ordering::Release);
            state.outbox = Outbox::default();
            state.writer = None;
            state.forget_flushed();
            state.wake_task();
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
            client = %self.settings.broker.client,
            broker = %self.settings.broker.address,
            in_flight = pending.len(),
            %error,
            "a connection was closed"
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
