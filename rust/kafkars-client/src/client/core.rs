//! The state of a client, shared with its tasks: the snapshot, and the brokers in it.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kafkars_core::backoff::Random;
use kafkars_core::cluster::{Cluster, Scope};
use kafkars_core::config::{Checked, ClientConfig};
use parking_lot::{Mutex, RwLock};
use tokio::runtime::Handle;
use tokio::sync::watch;

use super::missing_topics::MissingTopics;
use crate::error::ConnectCause;
use crate::metadata::answer::MetadataAnswer;
use crate::metadata::updater::MetadataUpdater;
use crate::metrics::ClientCounters;
use crate::net::{
    Authenticator, Broker, ConnectionKind, Distrust, Network, Reachability, Tasks, Tls,
    handshake_limit,
};

/// A broker that has owed an answer for longer than this is asked only if there is no other.
const LONGEST_SILENCE: Duration = Duration::from_secs(1);

/// How many clients this process has made.
static CLIENTS: AtomicU64 = AtomicU64::new(0);

/// What log lines call a client. Most programs leave `client_id` as it is, so a number tells their clients apart.
fn name_of(client_id: &str) -> Arc<str> {
    let number = CLIENTS.fetch_add(1, Ordering::Relaxed) + 1;
    format!("{client_id}#{number}").into()
}

/// The part of a client that its own tasks hold, so that they do not keep the client alive.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) network: Arc<Network>,
    pub(crate) metadata_updater: MetadataUpdater,
    pub(super) brokers: RwLock<HashMap<i32, Arc<Broker>>>,
    /// Held by whoever makes a new snapshot, never by readers.
    updating: Mutex<()>,
    cluster: RwLock<Arc<Cluster>>,
    changed: watch::Sender<u64>,
    pub(super) missing_topics: MissingTopics,
    /// True if topics are read because they were there: then none is created by asking for it, as one that is deleted
    /// would be made again.
    pub(crate) topics_were_found: AtomicBool,
}

impl Core {
    pub(super) fn new(config: Checked<ClientConfig>, handle: Handle, seed: u64) -> Self {
        let name = name_of(&config.client_id);
        Self {
            metadata_updater: MetadataUpdater::new(&config, seed),
            network: Arc::new(Network {
                tls: config
                    .security
                    .protocol
                    .has_tls()
                    .then(|| Arc::new(Tls::new(Arc::clone(&name), config.security.tls.clone()))),
                authenticator: config
                    .security
                    .sasl
                    .clone()
                    .map(|sasl| Arc::new(Authenticator::new(sasl, handshake_limit(&config)))),
                distrust: Distrust::default(),
                first_versions: OnceLock::new(),
                config,
                counters: Arc::new(ClientCounters::default()),
                tasks: Tasks::new(handle),
                random: Mutex::new(Random::new(seed)),
                reachability: Reachability::new(Arc::clone(&name)),
                name,
            }),
            brokers: RwLock::default(),
            updating: Mutex::new(()),
            cluster: RwLock::default(),
            changed: watch::Sender::new(0),
            missing_topics: MissingTopics::default(),
            topics_were_found: AtomicBool::new(false),
        }
    }

    pub(crate) fn cluster(&self) -> Arc<Cluster> {
        Arc::clone(&self.cluster.read())
    }

    pub(super) fn changed(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(super) fn forget_brokers(&self) {
        self.brokers.write().clear();
    }

    /// Returns the brokers in the order in which to ask them: those with a connection first, otherwise at random; those
    /// that owe an answer or cannot be reached behind the others; `avoided` last.
    pub(crate) fn brokers_by_preference(&self, avoided: Option<&Arc<Broker>>) -> Vec<Arc<Broker>> {
        let mut brokers: Vec<Arc<Broker>> = self.brokers.read().values().cloned().collect();
        self.network.random.lock().shuffle(&mut brokers);
        // The key is computed once for each broker, because it may change while they are sorted.
        brokers.sort_by_cached_key(|broker| {
            let is_avoided = avoided.is_some_and(|avoided| Arc::ptr_eq(avoided, broker));
            let is_silent = broker.is_silent_for(ConnectionKind::Coordinator, LONGEST_SILENCE);
            (
                is_avoided,
                is_silent || broker.is_unreachable(),
                !broker.is_connected(ConnectionKind::Coordinator),
            )
        });
        brokers
    }

    /// Merges an answer into the snapshot, and keeps connections that were made to get it.
    pub(crate) fn merge(&self, answer: &MetadataAnswer) {
        let MetadataAnswer {
            response,
            api_version,
            connected,
        } = answer;
        self.update_with(connected, |cluster| {
            cluster.merge(response, *api_version, Scope::Named)
        });
    }

    pub(super) fn update(&self, change: impl FnOnce(&Cluster) -> Option<Cluster>) {
        self.update_with(&[], change);
    }

    fn update_with(
        &self,
        connected: &[Arc<Broker>],
        change: impl FnOnce(&Cluster) -> Option<Cluster>,
    ) {
        let _updating = self.updating.lock();
        let earlier = self.cluster();
        if let Some(next) = change(&earlier) {
            let version = next.version;
            self.take_brokers(&next, connected);
            *self.cluster.write() = Arc::new(next);
            self.changed.send_replace(version);
        }
        self.hurry_leaders(&earlier);
    }

    /// Takes over the brokers of a snapshot. Those that moved or are gone lose their connections once nobody uses them.
    fn take_brokers(&self, cluster: &Cluster, connected: &[Arc<Broker>]) {
        let mut brokers = self.brokers.write();
        brokers.retain(|id, broker| {
            let node = cluster.broker(*id);
            node.is_some_and(|node| broker.is_at(&node.host, node.port))
        });
        for node in cluster.brokers() {
            let broker = brokers.entry(node.id).or_insert_with(|| {
                let same = connected
                    .iter()
                    .find(|broker| broker.is_at(&node.host, node.port));
                same.cloned().unwrap_or_else(|| {
                    Broker::new(
                        node.host.as_str().into(),
                        node.port,
                        Arc::clone(&self.network),
                    )
                })
            });
            broker.is_node(node.id);
        }
        // Unlocked first: a handshake under way may want both locks.
        let known = addresses(&brokers);
        drop(brokers);
        self.network
            .distrust
            .keep(|address| known.contains(address));
    }

    /// Returns the latest handshake that failed for good: with a broker of the cluster, or with any address before the
    /// cluster is known.
    pub(super) fn distrusted(&self) -> Option<(Arc<str>, ConnectCause)> {
        let distrust = &self.network.distrust;
        // Every poll asks this, and mostly there is none at all.
        if distrust.is_empty() {
            return None;
        }
        let has_cluster = self.cluster().version > 0;
        let known = addresses(&self.brokers.read());
        distrust.latest(self.memory(), |address, _| {
            !has_cluster || known.contains(address)
        })
    }

    /// How long a refusal counts that nobody meets again: longer than the pauses between retries.
    pub(super) fn memory(&self) -> Duration {
        let config = &self.network.config;
        2 * (config.reconnect_backoff_max + config.retry_backoff_max)
    }

    /// Returns the addresses of the brokers that `needs` names and that have no connection of the kind it returns: none
    /// of them if no broker is needed, `None` if brokers are needed and all have one.
    pub(super) fn unconnected(
        &self,
        needs: impl Fn(i32) -> Option<ConnectionKind>,
    ) -> Option<Vec<Arc<str>>> {
        let brokers = self.brokers.read();
        let (mut unconnected, mut is_any_connected) = (Vec::new(), false);
        for (node, broker) in brokers.iter() {
            match needs(*node) {
                None => {}
                Some(kind) if broker.is_connected(kind) => is_any_connected = true,
                Some(_) => unconnected.push(Arc::clone(broker.address())),
            }
        }
        (!unconnected.is_empty() || !is_any_connected).then_some(unconnected)
    }

    /// The nodes to which connections fail, or are not made in time.
    pub(crate) fn unreachable(&self) -> HashSet<i32> {
        let brokers = self.brokers.read();
        let unreachable = brokers.iter().filter(|(_, broker)| broker.is_unreachable());
        unreachable.map(|(node, _)| *node).collect()
    }

    /// Shortens the pause before the next try to connect to a node that metadata names as a leader: it may be back. A
    /// leader that was just elected is there, so it is tried at once.
    fn hurry_leaders(&self, earlier: &Cluster) {
        let unreachable = self.unreachable();
        if unreachable.is_empty() {
            return;
        }
        let mut paces: HashMap<i32, Duration> = HashMap::new();
        for topic in self.cluster().topics() {
            for partition in &topic.partitions {
                let leader = topic.leader(partition.partition);
                let Some(leader) = leader.filter(|leader| unreachable.contains(&leader.node))
                else {
                    continue;
                };
                let is_new = earlier.leader(&topic.name, partition.partition) != Some(leader);
                let longest = match is_new {
                    true => Duration::ZERO,
                    false => self.network.config.retry_backoff_max,
                };
                let pace = paces.entry(leader.node).or_insert(longest);
                *pace = longest.min(*pace);
            }
        }
        for (node, longest) in paces {
            if let Some(broker) = self.broker(node) {
                broker.shorten_pause(longest);
            }
        }
    }

    pub(super) fn broker(&self, node: i32) -> Option<Arc<Broker>> {
        self.brokers.read().get(&node).cloned()
    }
}

fn addresses(brokers: &HashMap<i32, Arc<Broker>>) -> HashSet<Arc<str>> {
    let addresses = brokers.values().map(|broker| Arc::clone(broker.address()));
    addresses.collect()
}
