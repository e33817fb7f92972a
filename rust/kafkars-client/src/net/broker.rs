//! The connections of one broker: one of each kind, made when first needed, remade after a pause when they fail.

use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::config::{Checked, ClientConfig};
use kafkars_core::error_kind::SecurityProblem;
use kafkars_protocol::ApiKey;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use super::connection::{Connection, ConnectionSettings};
use super::distrust::Distrust;
use super::driver::Driver;
use super::handshake::{self, HandshakeError};
use super::reachability::Reachability;
use super::reauthentication::Renewal;
use super::sasl::{Authenticator, SaslFailure};
use super::tls::{Tls, TlsFailure};
use super::transport::{Transport, handshake_limit, resolve};
use super::unanswered::{BrokerName, Unanswered};
use super::versions::ApiVersionTable;
use super::{ConnectionKind, Tasks};
use crate::error::{AttemptError, ConnectCause};
use crate::metrics::{BrokerCounters, ClientMetrics, Counters};
use crate::{after, now};

/// A connection that takes longer is a reason to ask where the broker's partitions went.
pub(crate) const SLOW_CONNECT: Duration = Duration::from_millis(500);

/// Pauses between logins that are refused grow up to this, or to half of `connect_timeout` so that whoever waits for so
/// long has a login of its own, or to `reconnect_backoff_max` if that is longer: brokers lock accounts.
const REFUSED_LOGIN_PAUSE: Duration = Duration::from_secs(10);

/// What all connections of one client share.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) config: Checked<ClientConfig>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) tasks: Tasks,
    pub(crate) random: Mutex<Random>,
    pub(crate) reachability: Reachability,
    /// How connections are encrypted, if they are.
    pub(crate) tls: Option<Arc<Tls>>,
    /// How we say who we are, if we do.
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    pub(crate) distrust: Distrust,
}

/// One node of the cluster, or one bootstrap address.
#[derive(Debug)]
pub(crate) struct Broker {
    address: Arc<str>,
    node: Arc<OnceLock<i32>>,
    host: Arc<str>,
    port: u16,
    network: Arc<Network>,
    counters: BrokerCounters,
    connections: [Mutex<Slot>; ConnectionKind::COUNT],
    pace: Mutex<Pace>,
    /// Told when a pause becomes shorter.
    hurried: Notify,
}

/// A connection of one kind.
#[derive(Debug)]
enum Slot {
    Empty,
    Connecting(watch::Receiver<Outcome>),
    Ready(Connection),
}

/// `None` while under way.
type Outcome = Option<Result<Connection, AttemptError>>;

/// How often connecting may be tried, whichever kind of connection wants it.
#[derive(Debug)]
struct Pace {
    failures: u32,
    attempted_at: Option<Instant>,
    not_before: [Option<Instant>; ConnectionKind::COUNT],
    last_cause: Option<ConnectCause>,
    stage: Stage,
    /// Lower after the broker hung up on a newer one.
    api_versions_version: i16,
    /// Whether other credentials were given after a login was refused than it was made with.
    has_others: bool,
}

/// How far the latest try has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Idle,
    Pausing,
    Resolving,
    Connecting,
    Encrypting,
    Greeting,
    /// A file, a function or Kerberos is asked for credentials.
    Preparing,
    Authenticating,
}

impl Broker {
    pub(crate) fn new(host: Arc<str>, port: u16, network: Arc<Network>) -> Arc<Self> {
        Arc::new(Self {
            address: format!("{host}:{port}").into(),
            node: Arc::default(),
            host,
            port,
            counters: BrokerCounters {
                broker: Arc::default(),
                client: Arc::clone(&network.counters),
            },
            network,
            connections: std::array::from_fn(|_| Mutex::new(Slot::Empty)),
            pace: Mutex::new(Pace {
                failures: 0,
                attempted_at: None,
                not_before: [None; ConnectionKind::COUNT],
                last_cause: None,
                stage: Stage::Idle,
                api_versions_version: handshake::NEWEST,
                has_others: false,
            }),
            hurried: Notify::new(),
        })
    }

    /// `host:port`.
    pub(crate) fn address(&self) -> &Arc<str> {
        &self.address
    }

    /// The cluster knows it by this number.
    pub(crate) fn is_node(&self, node: i32) {
        self.node.get_or_init(|| node);
    }

    fn name(&self) -> BrokerName {
        BrokerName {
            address: Arc::clone(&self.address),
            node: Arc::clone(&self.node),
        }
    }

    /// The request that has waited longest for an answer, of those that count.
    pub(crate) fn unanswered(&self, counts: &dyn Fn(ApiKey) -> bool) -> Option<Unanswered> {
        let each = self
            .connections
            .iter()
            .filter_map(|slot| match &*slot.lock() {
                Slot::Ready(connection) => connection.unanswered(counts),
                Slot::Empty | Slot::Connecting(_) => None,
            });
        each.max_by_key(|unanswered| unanswered.waited)
    }

    /// What was counted of its connections.
    pub(crate) fn metrics(&self) -> ClientMetrics {
        self.counters.broker.snapshot()
    }

    pub(crate) fn is_at(&self, host: &str, port: u16) -> bool {
        *self.host == *host && self.port == port
    }

    /// Whether a request on this kind of connection could leave at once.
    pub(crate) fn is_connected(&self, kind: ConnectionKind) -> bool {
        matches!(&*self.connections[kind.index()].lock(), Slot::Ready(connection) if !connection.is_closed())
    }

    /// Whether a request on this kind of connection would wait behind one that has waited for longer than `limit`.
    pub(crate) fn is_silent_for(&self, kind: ConnectionKind, limit: Duration) -> bool {
        matches!(&*self.connections[kind.index()].lock(), Slot::Ready(connection) if connection.is_silent_for(limit))
    }

    /// Whether connections fail or do not come about, for somebody who wants one. Who stops trying finds out nothing
    /// new, so an old failure does not count.
    pub(crate) fn is_unreachable(&self) -> bool {
        let now = now();
        let config = &self.network.config;
        let pace = self.pace.lock();
        let since = pace
            .attempted_at
            .map(|attempted_at| now.saturating_duration_since(attempted_at));
        let Some(since) = since else {
            return false;
        };
        let is_slow = pace.stage != Stage::Idle && since >= SLOW_CONNECT / 2;
        is_slow
            || pace.failures > 0
                && since <= 2 * (config.reconnect_backoff_max + config.connect_timeout)
    }

    /// The next try is made no later than so long after the last one.
    pub(crate) fn shorten_pause(&self, longest: Duration) {
        {
            let mut pace = self.pace.lock();
            let Some(attempted_at) = pace.attempted_at else {
                return;
            };
            let limit = after(attempted_at, longest);
            let mut is_shorter = false;
            for not_before in pace.not_before.iter_mut().flatten() {
                is_shorter |= *not_before > limit;
                *not_before = limit.min(*not_before);
            }
            if !is_shorter {
                return;
            }
        }
        self.hurried.notify_waiters();
    }

    /// The connection of this kind. Makes it when there is none, together with everybody else who wants it; that goes
    /// on when this caller goes away. Nobody waits through a long pause after failures: meanwhile there may be another
    /// leader, and callers have a pace of their own.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        kind: ConnectionKind,
        deadline: Instant,
    ) -> Result<Connection, AttemptError> {
        let mut outcome = {
            let mut slot = self.connections[kind.index()].lock();
            match &*slot {
                Slot::Ready(connection) if !connection.is_closed() => {
                    return Ok(connection.clone());
                }
                Slot::Connecting(outcome)
                    if outcome.borrow().is_none() && outcome.has_changed().is_ok() =>
                {
                    outcome.clone()
                }
                Slot::Empty | Slot::Ready(_) | Slot::Connecting(_) => {
                    let (sender, outcome) = watch::channel(None);
                    *slot = Slot::Connecting(outcome.clone());
                    let broker = Arc::clone(self);
                    self.network.tasks.spawn(broker.connect(kind, sender));
                    outcome
                }
            }
        };
        let started = now();
        let mut until = deadline.min(after(started, self.network.config.retry_backoff));
        loop {
            let done = outcome.wait_for(Option::is_some);
            match tokio::time::timeout_at(until.into(), done).await {
                Err(_) if until < deadline => match self.failure_during_pause(kind) {
                    Some(cause) => return Err(self.failure(cause)),
                    None => until = deadline,
                },
                Err(_) => return Err(self.failure(self.present_cause(now() - started))),
                Ok(Err(_)) => return Err(AttemptError::Closed),
                Ok(Ok(done)) => return done.clone().unwrap_or(Err(AttemptError::Closed)),
            }
        }
    }

    /// Why the last try failed, as long as the next one waits.
    fn failure_during_pause(&self, kind: ConnectionKind) -> Option<ConnectCause> {
        let pace = self.pace.lock();
        let is_paused = pace.not_before[kind.index()].is_some_and(|not_before| not_before > now());
        is_paused.then(|| pace.last_cause.clone().unwrap_or_else(between_connections))
    }

    /// What an impatient caller should hear about a connection under way.
    pub(crate) fn present_cause(&self, waited: Duration) -> ConnectCause {
        let pace = self.pace.lock();
        match (pace.stage, &pace.last_cause) {
            (Stage::Encrypting, _) => ConnectCause::Tls(TlsFailure::TimedOut(waited)),
            (Stage::Greeting, _) => ConnectCause::Silent(waited),
            (Stage::Preparing, _) => ConnectCause::Sasl(SaslFailure::Credentials {
                mechanism: self.mechanism(),
                problem: format!(
                    "{} has not answered within {} ms",
                    self.credentials_source(),
                    waited.as_millis()
                )
                .into(),
            }),
            (Stage::Authenticating, _) => ConnectCause::Sasl(SaslFailure::TimedOut {
                mechanism: self.mechanism(),
                limit: waited,
            }),
            (_, Some(cause)) => cause.clone(),
            (Stage::Resolving, None) => ConnectCause::Dns("the name service is slow".into()),
            (Stage::Pausing, None) => between_connections(),
            (Stage::Idle | Stage::Connecting, None) => ConnectCause::TimedOut(waited),
        }
    }

    fn mechanism(&self) -> &'static str {
        let authenticator = self.network.authenticator.as_ref();
        authenticator.map_or("SASL", |authenticator| authenticator.mechanism())
    }

    fn credentials_source(&self) -> Arc<str> {
        let authenticator = self.network.authenticator.as_ref();
        authenticator.map_or_else(|| "what gives them".into(), |each| each.source_name())
    }

    /// Makes the connection, tells everybody, then drives it until it ends.
    async fn connect(self: Arc<Self>, kind: ConnectionKind, outcome: watch::Sender<Outcome>) {
        self.keep_pause(kind).await;
        if let Err(cause) = self.respect_refusal().await {
            *self.connections[kind.index()].lock() = Slot::Empty;
            drop(outcome.send(Some(Err(self.failure(cause)))));
            return;
        }
        let attempted_at = now();
        self.pace.lock().attempted_at = Some(attempted_at);
        let established = match self.establish().await {
            // The broker may only know an older greeting: once more, in that.
            Err(ConnectCause::ClosedAtOnce) if self.lower_greeting() => self.establish().await,
            // They were changed while they were got: once more, with those that belong together.
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
                *self.connections[kind.index()].lock() = Slot::Empty;
                drop(outcome.send(Some(Err(self.failure(cause)))));
            }
            Ok((connection, driver, lifetime)) => {
                tracing::debug!(
                    target: "kafkars::net",
                    broker = %self.address,
                    purpose = kind.name(),
                    "connected"
                );
                self.network.reachability.reached(&self.address);
                *self.connections[kind.index()].lock() = Slot::Ready(connection.clone());
                let weak = connection.downgrade();
                drop(outcome.send(Some(Ok(connection))));
                drop(outcome);
                let config = &self.network.config;
                let authenticator = self.network.authenticator.clone();
                let renewal = Renewal {
                    host: Arc::clone(&self.host),
                    limit: handshake_limit(config),
                    backoff: Backoff::new(config.reconnect_backoff, config.reconnect_backoff_max),
                };
                let network = Arc::clone(&self.network);
                // From here on only users of the connection keep it, not its own driver.
                drop(self);
                match authenticator {
                    Some(authenticator) if !lifetime.is_zero() => {
                        renewal.drive(driver, weak, authenticator, lifetime).await;
                    }
                    _ => driver.await,
                }
                network.reachability.ended();
            }
        }
    }

    async fn keep_pause(&self, kind: ConnectionKind) {
        loop {
            let hurried = self.hurried.notified();
            let not_before = self.pace.lock().not_before[kind.index()];
            let Some(not_before) = not_before.filter(|not_before| *not_before > now()) else {
                return;
            };
            self.pace.lock().stage = Stage::Pausing;
            tokio::select! {
                () = tokio::time::sleep_until(not_before.into()) => return,
                () = hurried => {}
            }
        }
    }

    /// A connection that is ready for requests, its driver, and how long the broker believes who we are; zero stands
    /// for ever.
    async fn establish(&self) -> Result<(Connection, Pin<Box<Driver>>, Duration), ConnectCause> {
        let config = &self.network.config;
        let enter = |stage| self.pace.lock().stage = stage;
        enter(Stage::Resolving);
        let started = now();
        let addresses = resolve(&self.host, self.port, config).await?;
        enter(Stage::Connecting);
        let left = config.connect_timeout.saturating_sub(now() - started);
        let stream = Transport::connect(&addresses, left, config).await?;
        let transport = match &self.network.tls {
            None => Transport::Tcp(stream),
            Some(tls) => {
                enter(Stage::Encrypting);
                let left = config.connect_timeout.saturating_sub(now() - started);
                let encrypted = tls.handshake(stream, &self.host, left).await;
                let encrypted = encrypted.map_err(ConnectCause::Tls)?;
                self.network.distrust.tls.answered();
                Transport::Tls(Box::new(encrypted))
            }
        };
        enter(Stage::Greeting);
        let (reader, writer) = transport.split();
        let settings = ConnectionSettings {
            broker: self.name(),
            client_id: config.client_id.as_str().into(),
            request_timeout: config.request_timeout,
            max_idle: config.connections_max_idle,
            longest_frame: config.receive_message_max_bytes,
            counters: self.counters.clone(),
        };
        let (connection, driver) = Connection::new(reader, writer, settings);
        let mut driver = Box::pin(driver);
        let limit = handshake_limit(config);
        let newest = self.pace.lock().api_versions_version;
        let greeted = {
            let mut greeting = pin!(self.greet(&connection, newest, limit));
            tokio::select! {
                biased;
                greeted = &mut greeting => greeted,
                // The connection is over, so the greeting has its error already.
                () = driver.as_mut() => greeting.await,
            }
        };
        match greeted {
            Ok(lifetime) => Ok((connection, driver, lifetime)),
            Err(cause) => Err(cause),
        }
    }

    /// Learns what the broker speaks, and says who we are.
    async fn greet(
        &self,
        connection: &Connection,
        newest: i16,
        limit: Duration,
    ) -> Result<Duration, ConnectCause> {
        let deadline = after(now(), limit);
        let negotiated = handshake::negotiate(connection, newest, deadline).await;
        negotiated.map_err(|error| cause_of(error, limit))?;
        let Some(authenticator) = &self.network.authenticator else {
            return Ok(Duration::ZERO);
        };
        self.pace.lock().stage = Stage::Preparing;
        let login = authenticator.prepare(&self.host).await;
        let login = login.map_err(ConnectCause::Sasl)?;
        let given = login.given().to_vec();
        self.pace.lock().stage = Stage::Authenticating;
        // The broker is not to blame for what it took to get the credentials.
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
                    self.pace.lock().stage = Stage::Preparing;
                    let has_others = authenticator.gives_others(&self.host, &given).await;
                    self.pace.lock().has_others = has_others;
                }
                Err(sasl_cause(error, authenticator.mechanism(), limit))
            }
        }
    }

    fn take_others(&self) -> bool {
        std::mem::take(&mut self.pace.lock().has_others)
    }

    fn lower_greeting(&self) -> bool {
        let mut pace = self.pace.lock();
        let was_newer = pace.api_versions_version > 0;
        pace.api_versions_version = 0;
        was_newer
    }

    /// Pauses count from the last try, so a connection that lived for long is remade at once. Kinds connect side by
    /// side: a success delays only the next try of its own kind, a failure those of all.
    fn keep_pace(
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
        pace.stage = Stage::Idle;
        if failure.is_none() {
            pace.failures = 0;
            pace.not_before[kind.index()] = Some(after(attempted_at, backoff.delay(1, random)));
            return;
        }
        pace.failures = pace.failures.saturating_add(1);
        pace.not_before = [Some(after(attempted_at, backoff.delay(pace.failures, random)));
            ConnectionKind::COUNT];
        // An old broker that came back as a new one is greeted in our newest version again.
        pace.api_versions_version = handshake::NEWEST;
    }

    /// What a failure means after those before it.
    fn judge(&self, cause: ConnectCause) -> ConnectCause {
        let mut cause = match cause {
            ConnectCause::Tls(failure) => ConnectCause::Tls(failure.before_first_answer()),
            other => other,
        };
        let (tls, logins) = (&self.network.distrust.tls, &self.network.distrust.logins);
        match &mut cause {
            // What was said twice is meant, wherever between TCP and the end of the login it was said.
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

    /// A request has its answer, so this broker wants no login that it does not get.
    pub(crate) fn has_answered(&self) {
        self.network.distrust.requests.answered();
    }

    /// Whether a broker that hung up on a request seems to want a login.
    pub(crate) fn wants_login(&self, error: &AttemptError, versions: &ApiVersionTable) -> bool {
        let hang_ups = &self.network.distrust.requests;
        self.network.authenticator.is_none()
            && matches!(error, AttemptError::Disconnected(_))
            && versions.range(ApiKey::SaslHandshake).is_some()
            && hang_ups.is_telling(&self.address)
    }

    fn note_trust(&self, attempted_at: Instant, failure: Option<&ConnectCause>) {
        let distrust = &self.network.distrust;
        match failure {
            None => {
                distrust.trusted(&self.address);
                distrust.logins.answered();
            }
            Some(cause) if cause.is_permanent() && cause.security().is_some() => {
                let config = &self.network.config;
                let longest = match cause.security() {
                    // No broker has heard of those.
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
            // Another failure says nothing about trust.
            Some(_) => {}
        }
    }

    /// A login that was refused is not tried again at once, also where this broker is known by a new name: brokers lock
    /// accounts. Whoever would have to wait for long hears the old refusal instead, so that waiting tries do not pile
    /// up.
    async fn respect_refusal(&self) -> Result<(), ConnectCause> {
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

    fn failure(&self, cause: ConnectCause) -> AttemptError {
        AttemptError::Connect {
            address: Arc::clone(&self.address),
            cause,
        }
    }
}

/// A connection was lost so soon that the pause after making it is not over.
fn between_connections() -> ConnectCause {
    ConnectCause::Io(
        "the connection was lost; the next one is made after reconnect_backoff_ms".into(),
    )
}

fn cause_of(error: HandshakeError, limit: Duration) -> ConnectCause {
    let error = match error {
        HandshakeError::Refused(code) => return ConnectCause::Refusal(code),
        HandshakeError::Sasl(failure) => return ConnectCause::Sasl(failure),
        HandshakeError::Attempt(error) => error,
    };
    match error {
        AttemptError::Disconnected(_) | AttemptError::Closed => ConnectCause::ClosedAtOnce,
        AttemptError::Tls(failure) => ConnectCause::Tls(failure),
        AttemptError::TimedOut(_) => ConnectCause::Silent(limit),
        AttemptError::NotKafka { hint } => ConnectCause::NotKafka { hint },
        AttemptError::Unsupported { .. } => ConnectCause::Version(error.to_string().into()),
        AttemptError::Connect { cause, .. } => cause,
        AttemptError::Decode(_)
        | AttemptError::Encode(_)
        | AttemptError::FrameTooLarge { .. }
        | AttemptError::Protocol(_)
        | AttemptError::UnknownNode(_) => ConnectCause::Garbled {
            problem: error.to_string().into(),
            is_repeated: false,
        },
    }
}

/// The same in the middle of an authentication, where silence and hanging up mean something else.
fn sasl_cause(error: HandshakeError, mechanism: &'static str, limit: Duration) -> ConnectCause {
    ConnectCause::Sasl(match error {
        HandshakeError::Attempt(AttemptError::TimedOut(_)) => {
            SaslFailure::TimedOut { mechanism, limit }
        }
        HandshakeError::Attempt(AttemptError::Disconnected(_) | AttemptError::Closed) => {
            SaslFailure::Closed { mechanism }
        }
        other => match cause_of(other, limit) {
            ConnectCause::Garbled {
                problem,
                is_repeated,
            } => SaslFailure::Garbled {
                mechanism,
                problem,
                is_repeated,
            },
            cause => return cause,
        },
    })
}
