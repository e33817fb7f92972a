//! The handle of a client: finding the cluster, what is known of it, closing.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::cluster::Cluster;
use kafkars_core::config::{Checked, ClientConfig, SaslConfig};
use kafkars_core::error_kind::SecurityError;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout_at;

use super::broker_status::BrokerStatus;
use super::core::Core;
use crate::error::{AttemptError, ClientError};
use crate::metadata::task;
use crate::metrics::ClientMetrics;
use crate::{after, now};

/// A client of one cluster. Clones share it; with the last one everything it runs ends.
#[derive(Clone)]
pub struct Client {
    pub(super) core: Arc<Core>,
    _last: Arc<StopOnDrop>,
}

struct StopOnDrop(Arc<Core>);

impl Client {
    /// A client that runs on `handle`. Does no I/O: the first request finds the cluster.
    #[must_use]
    pub fn new(config: Checked<ClientConfig>, handle: Handle) -> Self {
        warn_of_open_password(&config);
        let seed = RandomState::new().build_hasher().finish();
        let core = Arc::new(Core::new(config, handle, seed));
        core.network.tasks.spawn(task::run(Arc::clone(&core)));
        Self {
            _last: Arc::new(StopOnDrop(Arc::clone(&core))),
            core,
        }
    }

    /// A client that has found its cluster, on the runtime of the caller, within `request_timeout`.
    pub async fn connect(config: Checked<ClientConfig>) -> Result<Self, ClientError> {
        let deadline = after(now(), config.request_timeout);
        let client = Self::new(config, Handle::current());
        client.ready(deadline).await?;
        Ok(client)
    }

    /// Waits until the cluster is known. Fails early when no address can ever lead to one, and when all let handshakes
    /// run out of time.
    pub async fn ready(&self, deadline: Instant) -> Result<(), ClientError> {
        self.reach(deadline, ClientError::is_worth_telling).await
    }

    /// The same, but fails as soon as every address was tried once.
    pub async fn first_contact(&self, deadline: Instant) -> Result<(), ClientError> {
        self.reach(deadline, |_| true).await
    }

    async fn reach(
        &self,
        deadline: Instant,
        is_hopeless: impl Fn(&ClientError) -> bool,
    ) -> Result<(), ClientError> {
        if self.cluster().version > 0 && !self.core.desk.is_closed() {
            return Ok(());
        }
        let started = now();
        let mut round = self.core.desk.round();
        self.core.desk.doubt_everything();
        let settled = async {
            loop {
                {
                    let round = round.borrow_and_update();
                    if round.is_closed {
                        return Err(ClientError::Closed);
                    }
                    if self.cluster().version > 0 {
                        return Ok(());
                    }
                    if let Some(causes) = &round.failure {
                        let error = ClientError::Bootstrap(causes.as_ref().clone());
                        // The password or certificate may have been put right since.
                        let is_fresh = round.failure_began.is_some_and(|began| began >= started);
                        if is_hopeless(&error) && (is_fresh || error.security().is_none()) {
                            return Err(error);
                        }
                    }
                }
                if round.changed().await.is_err() {
                    return Err(ClientError::Closed);
                }
            }
        };
        match timeout_at(deadline.into(), settled).await {
            Ok(result) => result,
            Err(_) => Err(self.core.desk.failure(now() - started)),
        }
    }

    /// Why no cluster was ever reached, once every address has failed; `None` while that is open, and after the first
    /// answer, unless a broker and this client have come to distrust each other. Never blocks.
    #[must_use]
    pub fn bootstrap_failure(&self) -> Option<ClientError> {
        match self.cluster().version {
            0 => {
                let failure = self.core.desk.last_failure();
                if failure.is_some() {
                    self.core.desk.try_again();
                }
                failure
            }
            _ => self.distrust(),
        }
    }

    /// The failed handshake that keeps this client from its cluster, or from a broker of it, as of now.
    #[must_use]
    pub fn refusal(&self) -> Option<SecurityError> {
        self.bootstrap_failure()?.security()
    }

    /// Whether any broker refuses this client, as far as is known.
    pub(crate) fn is_distrusted(&self) -> bool {
        !self.core.network.distrust.is_empty()
    }

    /// The latest handshake that failed for good, while the cluster is known already: a password that was changed, a
    /// certificate that has run out.
    #[must_use]
    pub fn distrust(&self) -> Option<ClientError> {
        let (address, cause) = self.core.distrusted()?;
        Some(ClientError::Attempt(AttemptError::Connect {
            address,
            cause,
        }))
    }

    /// As [`Client::bootstrap_failure`], but also with what is known in the middle of the first attempts.
    #[must_use]
    pub fn bootstrap_progress(&self, waited: Duration) -> Option<ClientError> {
        match self.cluster().version {
            0 => Some(self.core.desk.failure(waited)),
            _ => None,
        }
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &Checked<ClientConfig> {
        &self.core.network.config
    }

    /// The runtime on which everything runs.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        self.core.network.tasks.handle()
    }

    /// The cluster as known now; empty (version 0) before the first answer. Never blocks.
    #[must_use]
    pub fn cluster(&self) -> Arc<Cluster> {
        self.core.cluster()
    }

    /// The version of the snapshot, whenever there is a new one.
    #[must_use]
    pub fn cluster_changed(&self) -> watch::Receiver<u64> {
        self.core.changed()
    }

    /// Counters since the client was made.
    #[must_use]
    pub fn metrics(&self) -> ClientMetrics {
        self.core.network.counters.snapshot()
    }

    /// The brokers of the cluster, or before it is known the bootstrap addresses. Never blocks.
    #[must_use]
    pub fn brokers(&self) -> Vec<BrokerStatus> {
        self.core.broker_statuses()
    }

    /// Told whenever an address begins to fail, fails for another cause, or is reached again. From now on the cluster
    /// is looked for, and asked for again when a connection ends: otherwise a client that has nothing to do does not
    /// find out.
    #[must_use]
    pub fn watch_brokers(&self) -> watch::Receiver<u64> {
        let core = Arc::downgrade(&self.core);
        let reachability = &self.core.network.reachability;
        let mut ends = reachability.ends();
        self.core.network.tasks.spawn(async move {
            while ends.changed().await.is_ok() {
                let Some(core) = core.upgrade() else {
                    return;
                };
                core.desk.doubt_everything();
            }
        });
        let changes = reachability.changes();
        self.refresh_metadata();
        changes
    }

    /// Ends every task and connection, and waits until they are gone. Whoever waits for an answer gets an error.
    pub async fn close(&self) {
        self.core.desk.close();
        self.core.network.tasks.stop().await;
        self.core.forget_brokers();
    }
}

fn warn_of_open_password(config: &ClientConfig) {
    let security = &config.security;
    if let Some(SaslConfig::Plain { .. }) = security.sasl
        && !security.protocol.has_tls()
    {
        tracing::warn!(
            target: "kafkars::net",
            "sasl_mechanism=PLAIN without TLS: everybody on the way to the brokers can read the password; use security_protocol=SASL_SSL"
        );
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("client_id", &self.config().client_id)
            .field("bootstrap_servers", &self.config().bootstrap_servers)
            .finish_non_exhaustive()
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.desk.close();
        self.0.network.tasks.abort();
        self.0.forget_brokers();
    }
}
