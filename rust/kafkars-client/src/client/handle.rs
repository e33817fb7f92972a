//! The handle of a client: finding the cluster, looking at its metadata, closing.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kafkars_core::cluster::Cluster;
use kafkars_core::config::{Checked, ClientConfig, SaslConfig};
use kafkars_core::error_kind::SecurityError;
use kafkars_protocol::{ApiKey, VersionRange};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout_at;

use super::broker_status::BrokerStatus;
use super::core::Core;
use crate::error::{AttemptError, ClientError};
use crate::metadata::task;
use crate::metrics::ClientMetrics;
use crate::net::ApiVersionTable;
use crate::random_seed::random_seed;
use crate::{after, now};

/// A client of one cluster. Clones share it; dropping the last one ends everything it runs.
#[derive(Clone)]
pub struct Client {
    pub(super) core: Arc<Core>,
    _last: Arc<StopOnDrop>,
}

struct StopOnDrop(Arc<Core>);

impl Client {
    /// Makes a client that runs on `handle`. Does no I/O: the first request finds the cluster.
    #[must_use]
    pub fn new(config: Checked<ClientConfig>, handle: Handle) -> Self {
        let core = Arc::new(Core::new(config, handle, random_seed()));
        warn_of_open_password(&core);
        core.network.tasks.spawn(task::run(Arc::clone(&core)));
        Self {
            _last: Arc::new(StopOnDrop(Arc::clone(&core))),
            core,
        }
    }

    /// Makes a client on the runtime of the caller and waits until it has found its cluster, for at most
    /// `request_timeout`.
    ///
    /// # Errors
    /// As for [`Client::ready`].
    pub async fn connect(config: Checked<ClientConfig>) -> Result<Self, ClientError> {
        let deadline = after(now(), config.request_timeout);
        let client = Self::new(config, Handle::current());
        client.ready(deadline).await?;
        Ok(client)
    }

    /// Waits until the cluster is known. Fails before the deadline if no address can ever lead to one, and if the
    /// handshakes with all of them ran out of time.
    ///
    /// # Errors
    /// [`ClientError::Bootstrap`] with the cause of each address; [`ClientError::Closed`] if the client is closed
    /// meanwhile.
    pub async fn ready(&self, deadline: Instant) -> Result<(), ClientError> {
        self.reach(deadline, ClientError::is_worth_telling, None)
            .await
    }

    /// As [`Client::ready`], but fails as soon as every address was tried once: by this call, if it is not the first. A
    /// broker that answers and does not name any broker yet is asked again.
    ///
    /// # Errors
    /// As for [`Client::ready`].
    pub async fn first_contact(&self, deadline: Instant) -> Result<(), ClientError> {
        let past = self.core.metadata_updater.round().borrow().failure_began;
        self.reach(deadline, |error| !error.is_brokerless(), past)
            .await
    }

    /// The failure that began at `past` is that of an earlier call.
    async fn reach(
        &self,
        deadline: Instant,
        is_hopeless: impl Fn(&ClientError) -> bool,
        past: Option<Instant>,
    ) -> Result<(), ClientError> {
        if self.cluster().version > 0 && !self.core.metadata_updater.is_closed() {
            return Ok(());
        }
        let started = now();
        let mut round = self.core.metadata_updater.round();
        self.core.metadata_updater.doubt_everything();
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
                        // The password or certificate may have been corrected since.
                        let is_fresh = round.failure_began.is_some_and(|began| began >= started);
                        let is_past = past.is_some() && round.failure_began == past;
                        let counts = is_fresh || error.security().is_none() && !is_past;
                        if is_hopeless(&error) && counts {
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
            Err(_) => Err(self.core.metadata_updater.failure(now() - started)),
        }
    }

    /// Returns why the cluster was not reached, once every address has failed; `None` before that. Once the cluster is
    /// known it returns a failed handshake with one of its brokers, if there is one. Never blocks.
    #[must_use]
    pub fn bootstrap_failure(&self) -> Option<ClientError> {
        match self.cluster().version {
            0 => {
                let failure = self.core.metadata_updater.last_failure();
                if failure.is_some() {
                    self.core.metadata_updater.try_again();
                }
                failure
            }
            _ => self.distrust(),
        }
    }

    /// Returns the failed handshake that keeps this client from its cluster, or from a broker of it, as of now.
    #[must_use]
    pub fn refusal(&self) -> Option<SecurityError> {
        self.bootstrap_failure()?.security()
    }

    /// True if the latest handshake with any broker failed for good.
    pub(crate) fn is_distrusted(&self) -> bool {
        !self.core.network.distrust.is_empty()
    }

    /// Returns the latest handshake that failed for good although the cluster is known: a password was changed, or a
    /// certificate has expired.
    #[must_use]
    pub fn distrust(&self) -> Option<ClientError> {
        let (address, cause) = self.core.distrusted()?;
        Some(ClientError::Attempt(AttemptError::Connect {
            address,
            cause,
        }))
    }

    /// As [`Client::bootstrap_failure`], but also during the first tries, with what is known by then.
    #[must_use]
    pub fn bootstrap_progress(&self, waited: Duration) -> Option<ClientError> {
        match self.cluster().version {
            0 => Some(self.core.metadata_updater.failure(waited)),
            _ => None,
        }
    }

    /// The client's settings.
    #[must_use]
    pub fn config(&self) -> &Checked<ClientConfig> {
        &self.core.network.config
    }

    /// What log lines call the client: its `client_id`, and its number in this process.
    #[must_use]
    pub fn name(&self) -> &Arc<str> {
        &self.core.network.name
    }

    /// The runtime on which the client runs.
    #[must_use]
    pub fn handle(&self) -> &Handle {
        self.core.network.tasks.handle()
    }

    /// The latest snapshot of the cluster; empty (version 0) before the first answer. Never blocks.
    #[must_use]
    pub fn cluster(&self) -> Arc<Cluster> {
        self.core.cluster()
    }

    /// Watches the version of the snapshot.
    #[must_use]
    pub fn cluster_changed(&self) -> watch::Receiver<u64> {
        self.core.changed()
    }

    /// Counters since the client was made.
    #[must_use]
    pub fn metrics(&self) -> ClientMetrics {
        self.core.network.counters.snapshot()
    }

    /// The brokers of the cluster, or the bootstrap addresses before it is known. Never blocks.
    #[must_use]
    pub fn brokers(&self) -> Vec<BrokerStatus> {
        self.core.broker_statuses()
    }

    /// The versions of each API that the first broker speaks that was connected to; none before.
    #[must_use]
    pub fn api_versions(&self) -> Vec<(ApiKey, VersionRange)> {
        let first = self.core.network.first_versions.get().into_iter();
        first.flat_map(ApiVersionTable::ranges).collect()
    }

    /// Says whether the topics that are read were found by a pattern. These are not created by asking for them,
    /// whatever `allow_auto_create_topics` says.
    pub fn topics_were_found(&self, found: bool) {
        self.core.topics_were_found.store(found, Ordering::Relaxed);
    }

    /// True if the caller has said so.
    #[must_use]
    pub fn are_topics_found(&self) -> bool {
        self.core.topics_were_found.load(Ordering::Relaxed)
    }

    /// Watches the reachability of brokers: notified whenever a try to connect fails, and when an address is reached
    /// again. From this call on the client looks for its cluster, and asks for metadata when a connection ends:
    /// otherwise a client with nothing to do would not find out.
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
                core.metadata_updater.doubt_everything();
            }
        });
        let changes = reachability.changes();
        self.refresh_metadata();
        changes
    }

    /// Ends every task and connection, and waits until they are gone. Calls under way fail with an error.
    pub async fn close(&self) {
        self.core.metadata_updater.close();
        self.core.network.tasks.stop().await;
        self.core.forget_brokers();
    }
}

fn warn_of_open_password(core: &Core) {
    let security = &core.network.config.security;
    if let Some(SaslConfig::Plain { .. }) = security.sasl
        && !security.protocol.has_tls()
    {
        tracing::warn!(
            target: "kafkars::net",
            client = %core.network.name,
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
        self.0.metadata_updater.close();
        self.0.network.tasks.abort();
        self.0.forget_brokers();
    }
}
