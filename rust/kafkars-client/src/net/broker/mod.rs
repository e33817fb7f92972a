//! The connections of one broker: one of each kind, made when first needed, and made again after a pause when they
//! fail.

mod causes;
mod connecting;
mod network;
mod reconnect;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_protocol::ApiKey;
use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use self::causes::between_connections;
pub(crate) use self::network::Network;
use self::reconnect::{ConnectStage, ReconnectBackoff};
use super::connection::Connection;
use super::connection_kind::ConnectionKind;
use super::handshake;
use super::sasl::SaslFailure;
use super::tls::TlsFailure;
use super::unanswered::{BrokerName, Unanswered};
use super::versions::ApiVersionTable;
use crate::broker_traffic::BrokerTraffic;
use crate::error::{AttemptError, ConnectCause};
use crate::metrics::{BrokerCounters, ClientMetrics};
use crate::{after, now};

/// If connecting takes longer than this, metadata is asked for: the broker's partitions may have a new leader.
pub(crate) const SLOW_CONNECT: Duration = Duration::from_millis(500);

/// A node of the cluster, or a bootstrap address.
#[derive(Debug)]
pub(crate) struct Broker {
    address: Arc<str>,
    node: Arc<OnceLock<i32>>,
    host: Arc<str>,
    port: u16,
    network: Arc<Network>,
    counters: BrokerCounters,
    connections: [Mutex<ConnectionSlot>; ConnectionKind::COUNT],
    pace: Mutex<ReconnectBackoff>,
    /// Notified when a pause becomes shorter.
    hurried: Notify,
}

/// The connection of one kind, or the state of making it.
#[derive(Debug)]
enum ConnectionSlot {
    Empty,
    Connecting(watch::Receiver<ConnectOutcome>),
    Ready(Connection),
}

/// The outcome of connecting; `None` while it is under way.
type ConnectOutcome = Option<Result<Connection, AttemptError>>;

impl Broker {
    pub(crate) fn new(host: Arc<str>, port: u16, network: Arc<Network>) -> Arc<Self> {
        Arc::new(Self {
            address: format!("{host}:{port}").into(),
            node: Arc::default(),
            host,
            port,
            counters: BrokerCounters::new(Arc::clone(&network.counters)),
            network,
            connections: std::array::from_fn(|_| Mutex::new(ConnectionSlot::Empty)),
            pace: Mutex::new(ReconnectBackoff {
                failures: 0,
                attempted_at: None,
                not_before: [None; ConnectionKind::COUNT],
                last_cause: None,
                stage: ConnectStage::Idle,
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

    /// Notes the node id of this broker.
    pub(crate) fn is_node(&self, node: i32) {
        self.node.get_or_init(|| node);
    }

    fn name(&self) -> BrokerName {
        BrokerName {
            client: Arc::clone(&self.network.name),
            address: Arc::clone(&self.address),
            node: Arc::clone(&self.node),
        }
    }

    /// The request that has waited longest for a response, of those that `counts` selects.
    pub(crate) fn unanswered(&self, counts: &dyn Fn(ApiKey) -> bool) -> Option<Unanswered> {
        let each = self
            .connections
            .iter()
            .filter_map(|slot| match &*slot.lock() {
                ConnectionSlot::Ready(connection) => connection.unanswered(counts),
                ConnectionSlot::Empty | ConnectionSlot::Connecting(_) => None,
            });
        each.max_by_key(|unanswered| unanswered.waited)
    }

    /// The counters of its connections.
    pub(crate) fn metrics(&self) -> ClientMetrics {
        self.counters.broker.snapshot()
    }

    /// What has gone over its connections.
    pub(crate) fn traffic(&self) -> BrokerTraffic {
        self.counters.traffic()
    }

    pub(crate) fn is_at(&self, host: &str, port: u16) -> bool {
        *self.host == *host && self.port == port
    }

    /// True if a request on a connection of this kind could leave at once.
    pub(crate) fn is_connected(&self, kind: ConnectionKind) -> bool {
        matches!(&*self.connections[kind.index()].lock(), ConnectionSlot::Ready(connection) if !connection.is_closed())
    }

    /// True if a request on a connection of this kind would wait behind one that has waited for longer than `limit`.
    pub(crate) fn is_silent_for(&self, kind: ConnectionKind, limit: Duration) -> bool {
        matches!(&*self.connections[kind.index()].lock(), ConnectionSlot::Ready(connection) if connection.is_silent_for(limit))
    }

    /// True if it has asked for a pause on a connection of this kind, in which nothing is sent (KIP-219).
    pub(crate) fn is_muted(&self, kind: ConnectionKind) -> bool {
        matches!(&*self.connections[kind.index()].lock(), ConnectionSlot::Ready(connection) if connection.muted_until().is_some())
    }

    /// True if connections to this broker fail, or are not made in time. An old failure does not count: if nobody tries
    /// any more, the broker may be back.
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
        let is_slow = pace.stage != ConnectStage::Idle && since >= SLOW_CONNECT / 2;
        is_slow
            || pace.failures > 0
                && since <= 2 * (config.reconnect_backoff_max + config.connect_timeout)
    }

    /// Shortens the pause before the next try to `longest`, counted from the last one.
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

    /// Returns the connection of this kind, and makes it if there is none; all callers wait for the same try, which
    /// goes on when one of them is dropped. Nobody waits through a long pause after failures: meanwhile another broker
    /// may lead, and callers pace their own retries.
    pub(crate) async fn connection(
        self: &Arc<Self>,
        kind: ConnectionKind,
        deadline: Instant,
    ) -> Result<Connection, AttemptError> {
        let mut outcome = {
            let mut slot = self.connections[kind.index()].lock();
            match &*slot {
                ConnectionSlot::Ready(connection) if !connection.is_closed() => {
                    return Ok(connection.clone());
                }
                ConnectionSlot::Connecting(outcome)
                    if outcome.borrow().is_none() && outcome.has_changed().is_ok() =>
                {
                    outcome.clone()
                }
                ConnectionSlot::Empty
                | ConnectionSlot::Ready(_)
                | ConnectionSlot::Connecting(_) => {
                    let (sender, outcome) = watch::channel(None);
                    *slot = ConnectionSlot::Connecting(outcome.clone());
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

    /// The failure of the last try, while the next one has to wait.
    fn failure_during_pause(&self, kind: ConnectionKind) -> Option<ConnectCause> {
        let pace = self.pace.lock();
        let is_paused = pace.not_before[kind.index()].is_some_and(|not_before| not_before > now());
        is_paused.then(|| pace.last_cause.clone().unwrap_or_else(between_connections))
    }

    /// Explains to a caller whose time is over why a connection under way is not made yet.
    pub(crate) fn present_cause(&self, waited: Duration) -> ConnectCause {
        let pace = self.pace.lock();
        match (pace.stage, &pace.last_cause) {
            (ConnectStage::Encrypting, _) => ConnectCause::Tls(TlsFailure::TimedOut(waited)),
            (ConnectStage::Greeting, _) => ConnectCause::Silent(waited),
            (ConnectStage::Preparing, _) => ConnectCause::Sasl(SaslFailure::Credentials {
                mechanism: self.mechanism(),
                problem: format!(
                    "{} has not answered within {} ms",
                    self.credentials_source(),
                    waited.as_millis()
                )
                .into(),
            }),
            (ConnectStage::Authenticating, _) => ConnectCause::Sasl(SaslFailure::TimedOut {
                mechanism: self.mechanism(),
                limit: waited,
            }),
            (_, Some(cause)) => cause.clone(),
            (ConnectStage::Resolving, None) => ConnectCause::Dns("the name service is slow".into()),
            (ConnectStage::Pausing, None) => between_connections(),
            (ConnectStage::Idle | ConnectStage::Connecting, None) => ConnectCause::TimedOut(waited),
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

    /// Notes that a request got its response: this broker does not demand a login that it does not get.
    pub(crate) fn has_answered(&self) {
        self.network.distrust.requests.answered();
    }

    /// True if a broker that closed the connection on a request probably demands a login.
    pub(crate) fn wants_login(&self, error: &AttemptError, versions: &ApiVersionTable) -> bool {
        let hang_ups = &self.network.distrust.requests;
        self.network.authenticator.is_none()
            && matches!(error, AttemptError::Disconnected(_))
            && versions.range(ApiKey::SaslHandshake).is_some()
            && hang_ups.is_telling(&self.address)
    }

    fn failure(&self, cause: ConnectCause) -> AttemptError {
        AttemptError::Connect {
            address: Arc::clone(&self.address),
            cause,
        }
    }
}
