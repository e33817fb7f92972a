//! One try to connect: pause, TCP, TLS, ApiVersions, SASL, and the consequences of a failure.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::backoff::Backoff;
use kafkars_core::error_kind::SecurityProblem;
use kafkars_protocol::ApiKey;
use tokio::sync::watch;

use super::causes::{cause_of, sasl_cause};
use super::reconnect::ConnectStage;
use super::{Broker, ConnectOutcome, ConnectionSlot};
use crate::error::{AttemptError, ConnectCause};
use crate::net::connection::{Connection, ConnectionSettings};
use crate::net::connection_kind::ConnectionKind;
use crate::net::connection_task::ConnectionTask;
use crate::net::handshake;
use crate::net::handshake_error::HandshakeError;
use crate::net::reauthentication::Renewal;
use crate::net::sasl::SaslFailure;
use crate::net::tls::TlsFailure;
use crate::net::transport::{Transport, handshake_limit, resolve};
use crate::{after, now};

/// Pauses after refused logins grow to this or to half of `connect_timeout`, whichever is less, so that a caller who
/// waits for `connect_timeout` gets a login of its own; but at least to `reconnect_backoff_max`. Brokers lock accounts
/// after many refused logins.
const REFUSED_LOGIN_PAUSE: Duration = Duration::from_secs(10);

impl Broker {
    /// Makes the connection, reports it to all who wait for it, then drives it until it ends.
    pub(super) async fn connect(
        self: Arc<Self>,
        kind: ConnectionKind,
        outcome: watch::Sender<ConnectOutcome>,
    ) {
        self.keep_pause(kind).await;
        if let Err(cause) = self.respect_refusal().await {
            *self.connections[kind.index()].lock() = ConnectionSlot::Empty;
            drop(outcome.send(Some(Err(self.failure(cause)))));
            return;
        }
        let attempted_at = now();
        self.pace.lock().attempted_at = Some(attempted_at);
        let established = match self.establish().await {
            // The broker may only know version 0 of ApiVersions: once more with that.
            Err(ConnectCause::ClosedAtOnce) if self.lower_greeting() => self.establish().await,
            // The credentials were changed while they were read: once more with those that belong together.
            Err(ConnectCause::Sasl(_)) if self.take_others() => self.establish().await,
            other => other,
        };
        let established = established.map_err(|cause| self.judge(cause));
        self.keep_pace(kind, attempted_at, established.as_ref().err());
        self.note_trust(attempted_at, established.as_ref().err());
        match established {
            Err(cause) => {
                self.counters.add(|each| &each.connections_failed, 1);
                self.network.reachability.failed(&self.address, &cause);
                *self.connections[kind.index()].lock() = ConnectionSlot::Empty;
                drop(outcome.send(Some(Err(self.failure(cause)))));
            }
            Ok((connection, task, lifetime)) => {
                tracing::debug!(
                    target: "kafkars::net",
                    client = %self.network.name,
                    broker = %self.address,
                    purpose = kind.name(),
                    "connected"
                );
                self.network.reachability.reached(&self.address);
                *self.connections[kind.index()].lock() = ConnectionSlot::Ready(connection.clone());
                let weak = connection.downgrade();
                drop(outcome.send(Some(Ok(connection))));
                drop(outcome);
                let config = &self.network.config;
                let authenticator = self.network.authenticator.clone();
                let renewal = Renewal {
                    client: Arc::clone(&self.network.name),
                    host: Arc::clone(&self.host),
                    limit: handshake_limit(config),
                    backoff: Backoff::new(config.reconnect_backoff, config.reconnect_backoff_max),
                };
                let network = Arc::clone(&self.network);
                // From here on only users of the connection keep it open, not its own task.
                drop(self);
                match authenticator {
                    Some(authenticator) if !lifetime.is_zero() => {
                        renewal.drive(task, weak, authenticator, lifetime).await;
                    }
                    _ => task.await,
                }
                network.reachability.ended();
            }
        }
    }

    pub(super) async fn keep_pause(&self, kind: ConnectionKind) {
        loop {
            let hurried = self.hurried.notified();
            let not_before = self.pace.lock().not_before[kind.index()];
            let Some(not_before) = not_before.filter(|not_before| *not_before > now()) else {
                return;
            };
            self.pace.lock().stage = ConnectStage::Pausing;
            tokio::select! {
                () = tokio::time::sleep_until(not_before.into()) => return,
                () = hurried => {}
            }
        }
    }

    /// Makes a connection that is ready for requests. Returns it with its task and how long the login is valid; zero
    /// means for ever.
    pub(super) async fn establish(
        &self,
    ) -> Result<(Connection, Pin<Box<ConnectionTask>>, Duration), ConnectCause> {
        let config = &self.network.config;
        let enter = |stage| self.pace.lock().stage = stage;
        enter(ConnectStage::Resolving);
        let started = now();
        let addresses = resolve(&self.host, self.port, config).await?;
        enter(ConnectStage::Connecting);
        let left = config.connect_timeout.saturating_sub(now() - started);
        let stream = Transport::connect(&addresses, left, config).await?;
        let transport = match &self.network.tls {
            None => Transport::Tcp(stream),
            Some(tls) => {
                enter(ConnectStage::Encrypting);
                let left = config.connect_timeout.saturating_sub(now() - started);
                let encrypted = tls.handshake(stream, &self.host, left).await;
                let encrypted = encrypted.map_err(ConnectCause::Tls)?;
                self.network.distrust.tls.answered();
                Transport::Tls(Box::new(encrypted))
            }
        };
        enter(ConnectStage::Greeting);
        let (reader, writer) = transport.split();
        let settings = ConnectionSettings {
            broker: self.name(),
            client_id: config.client_id.as_str().into(),
            request_timeout: config.request_timeout,
            max_idle: config.connections_max_idle,
            longest_frame: config.receive_message_max_bytes,
            counters: self.counters.clone(),
        };
        let (connection, task) = Connection::new(reader, writer, settings);
        let mut task = Box::pin(task);
        let limit = handshake_limit(config);
        let newest = self.pace.lock().api_versions_version;
        let greeted = {
            let mut greeting = pin!(self.greet(&connection, newest, limit));
            tokio::select! {
                biased;
                greeted = &mut greeting => greeted,
                // The connection is over, so the handshake has its error already.
                () = task.as_mut() => greeting.await,
            }
        };
        match greeted {
            Ok(lifetime) => Ok((connection, task, lifetime)),
            Err(cause) => Err(cause),
        }
    }

    /// Runs the handshake on a new connection: ApiVersions, then SASL.
    pub(super) async fn greet(
        &self,
        connection: &Connection,
        newest: i16,
        limit: Duration,
    ) -> Result<Duration, ConnectCause> {
        let deadline = after(now(), limit);
        let negotiated = handshake::negotiate(connection, newest, deadline).await;
        negotiated.map_err(|error| cause_of(error, limit))?;
        self.network
            .first_versions
            .get_or_init(|| connection.versions().clone());
        let Some(authenticator) = &self.network.authenticator else {
            return Ok(Duration::ZERO);
        };
        self.pace.lock().stage = ConnectStage::Preparing;
        connection.await_credentials(true);
        let login = authenticator.prepare(&self.host).await;
        connection.await_credentials(false);
        let login = login.map_err(ConnectCause::Sasl)?;
        let given = login.given().to_vec();
        self.pace.lock().stage = ConnectStage::Authenticating;
        // The time limit begins here: the broker is not to blame for the time that the credentials took.
        let deadline = after(now(), limit);
        let authenticated = authenticator.authenticate(connection, login, deadline);
        let in_time = tokio::time::timeout_at(deadline.into(), authenticated).await;
        let timed_out = || {
            let owes = self.name().owes(ApiKey::SaslAuthenticate, limit, false);
            HandshakeError::Attempt(AttemptError::TimedOut(owes))
        };
        match in_time.unwrap_or_else(|_| Err(timed_out())) {
            Ok(lifetime) => Ok(lifetime),
            Err(error) => {
                if let HandshakeError::Sasl(SaslFailure::Refused { .. }) = &error {
                    self.pace.lock().stage = ConnectStage::Preparing;
                    let has_others = authenticator.gives_others(&self.host, &given).await;
                    self.pace.lock().has_others = has_others;
                }
                Err(sasl_cause(error, authenticator.mechanism(), limit))
            }
        }
    }

    pub(super) fn take_others(&self) -> bool {
        std::mem::take(&mut self.pace.lock().has_others)
    }

    pub(super) fn lower_greeting(&self) -> bool {
        let mut pace = self.pace.lock();
        let was_newer = pace.api_versions_version > 0;
        pace.api_versions_version = 0;
        was_newer
    }

    /// Sets the pause before the next try. It counts from the last try, so a connection that lived for long is made
    /// again at once. The kinds of connections are made independently: after a success only the next try of the same
    /// kind waits, after a failure those of all.
    pub(super) fn keep_pace(
        &self,
        kind: ConnectionKind,
        attempted_at: Instant,
        failure: Option<&ConnectCause>,
    ) {
        let config = &self.network.config;
        let backoff = Backoff::new(config.reconnect_backoff, config.reconnect_backoff_max);
        let random = self.network.random.lock().next();
        let mut pace = self.pace.lock();
        pace.last_cause = failure.cloned();
        pace.stage = ConnectStage::Idle;
        if failure.is_none() {
            pace.failures = 0;
            pace.not_before[kind.index()] = Some(after(attempted_at, backoff.delay(1, random)));
            return;
        }
        pace.failures = pace.failures.saturating_add(1);
        pace.not_before = [Some(after(attempted_at, backoff.delay(pace.failures, random)));
            ConnectionKind::COUNT];
        // The broker may have been upgraded, so its newest version is asked for again.
        pace.api_versions_version = handshake::NEWEST;
    }

    /// Judges a failure by those before it: what happens twice in a row may be permanent.
    pub(super) fn judge(&self, cause: ConnectCause) -> ConnectCause {
        let mut cause = match cause {
            ConnectCause::Tls(failure) => ConnectCause::Tls(failure.before_first_answer()),
            other => other,
        };
        let (tls, logins) = (&self.network.distrust.tls, &self.network.distrust.logins);
        match &mut cause {
            // What happened twice counts, wherever between TCP and the end of the login it happened.
            ConnectCause::Tls(TlsFailure::Ended { is_repeated, .. })
            | ConnectCause::Sasl(SaslFailure::Garbled { is_repeated, .. })
            | ConnectCause::Garbled { is_repeated, .. } => {
                tls.interrupted(&self.address);
                *is_repeated = logins.is_telling(&self.address);
                cause
            }
            ConnectCause::Tls(TlsFailure::Closed) => {
                logins.interrupted(&self.address);
                match tls.is_telling(&self.address) {
                    true => ConnectCause::Tls(TlsFailure::NeverAnswers),
                    false => cause,
                }
            }
            ConnectCause::Sasl(SaslFailure::Closed { mechanism }) => {
                tls.interrupted(&self.address);
                match logins.is_telling(&self.address) {
                    true => ConnectCause::Sasl(SaslFailure::NeverAnswers { mechanism }),
                    false => cause,
                }
            }
            _ => {
                tls.interrupted(&self.address);
                logins.interrupted(&self.address);
                cause
            }
        }
    }

    pub(super) fn note_trust(&self, attempted_at: Instant, failure: Option<&ConnectCause>) {
        let distrust = &self.network.distrust;
        match failure {
            None => {
                distrust.trusted(&self.address);
                distrust.logins.answered();
            }
            Some(cause) if cause.is_permanent() && cause.security().is_some() => {
                let config = &self.network.config;
                let longest = match cause.security() {
                    // No broker has refused missing credentials.
                    Some(SecurityProblem::Credentials) => config.reconnect_backoff_max,
                    _ => REFUSED_LOGIN_PAUSE
                        .min(config.connect_timeout / 2)
                        .max(config.reconnect_backoff_max),
                };
                let backoff = Backoff::new(config.reconnect_backoff, longest);
                let random = self.network.random.lock().next();
                let delay = |refusals| backoff.delay(refusals, random);
                distrust.refused(&self.address, cause, attempted_at, delay);
            }
            // Any other failure says nothing about trust.
            Some(_) => {}
        }
    }

    /// Waits before a login if the last one at this address was refused, also if that was as a bootstrap address:
    /// brokers lock accounts. Where the wait would be long it fails with the old refusal instead, so that waiting tries
    /// do not pile up.
    pub(super) async fn respect_refusal(&self) -> Result<(), ConnectCause> {
        match self.network.distrust.pause(&self.address) {
            Some((until, cause)) if until > after(now(), self.network.config.retry_backoff) => {
                self.network.distrust.told_again(&self.address);
                Err(cause)
            }
            Some((until, _)) => {
                tokio::time::sleep_until(until.into()).await;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
