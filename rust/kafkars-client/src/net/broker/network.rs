//! The state that all connections of one client share.

use std::sync::{Arc, OnceLock};

use kafkars_core::backoff::Random;
use kafkars_core::config::{Checked, ClientConfig};
use parking_lot::Mutex;

use crate::metrics::ClientCounters;
use crate::net::distrust::Distrust;
use crate::net::reachability::Reachability;
use crate::net::sasl::Authenticator;
use crate::net::tasks::Tasks;
use crate::net::tls::Tls;
use crate::net::versions::ApiVersionTable;

/// The state that all connections of one client share.
#[derive(Debug)]
pub(crate) struct Network {
    pub(crate) config: Checked<ClientConfig>,
    /// What log lines call the client: its `client_id`, and its number in this process.
    pub(crate) name: Arc<str>,
    pub(crate) counters: Arc<ClientCounters>,
    pub(crate) tasks: Tasks,
    pub(crate) random: Mutex<Random>,
    pub(crate) reachability: Reachability,
    /// TLS, if connections are encrypted.
    pub(crate) tls: Option<Arc<Tls>>,
    /// SASL, if connections are authenticated.
    pub(crate) authenticator: Option<Arc<Authenticator>>,
    pub(crate) distrust: Distrust,
    /// What the first broker that was greeted speaks.
    pub(crate) first_versions: OnceLock<ApiVersionTable>,
}
