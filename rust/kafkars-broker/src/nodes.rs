//! The nodes of a cluster: where they listen, whether they run, and who coordinates what.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use parking_lot::RwLock;
use tokio::sync::watch;

use crate::config::BrokerConfig;
use crate::control::link_shaper::Link;

/// A task of a node holds this and drops it when it ends; nothing is ever sent on it.
pub(crate) type Alive = mpsc::SyncSender<()>;

/// Partitions of `__consumer_offsets` and `__transaction_state`, over which Kafka spreads what is coordinated.
const COORDINATOR_PARTITIONS: u32 = 50;

/// The state of a node, as tests set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeState {
    /// The node accepts connections and answers.
    Running,
    /// The node accepts nothing and answers nothing; its connections stay open, as those of a process that was halted.
    Paused,
    /// The node's port refuses connections.
    Stopped,
}

/// The kind of thing that is coordinated; the numbers are those of `FindCoordinator`'s `key_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CoordinatorType {
    /// Members and committed offsets of a consumer group, by its id.
    Group = 0,
    /// A transactional producer, by its transactional id.
    Transaction = 1,
    /// The state of a share group's partition, by `group:topic-id:partition` (KIP-932).
    Share = 2,
}

/// One node. What it is told to do reaches its tasks through `orders`.
#[derive(Debug)]
pub(crate) struct EmbeddedNode {
    pub(crate) id: i32,
    /// The endpoint of the node's first listener.
    first: Endpoint,
    /// The endpoints of the other listeners, in their order.
    others: Vec<Endpoint>,
    /// The node's link, which may be slowed down.
    pub(crate) link: Link,
    orders: watch::Sender<Orders>,
    /// True if the controller holds it for dead: it leads and coordinates nothing, and no client is told of it.
    fenced: AtomicBool,
}

/// The address of a listener of a node, and the host and port that its clients are told.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) address: SocketAddr,
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Endpoint {
    fn new(address: SocketAddr, config: &BrokerConfig) -> Self {
        let host = config.advertised_host.clone();
        Self {
            address,
            host: host.unwrap_or_else(|| address.ip().to_string()),
            port: config.advertised_port.unwrap_or(address.port()),
        }
    }
}

/// The orders that the tasks of a node obey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Orders {
    pub(crate) state: NodeState,
    /// A number that counts up; connections that were accepted under another one end.
    pub(crate) cut: u64,
}

impl EmbeddedNode {
    /// `first` is the address of its first listener, `others` those of the others.
    pub(crate) fn new(
        id: i32,
        first: SocketAddr,
        others: &[SocketAddr],
        config: &BrokerConfig,
    ) -> Self {
        let orders = Orders {
            state: NodeState::Running,
            cut: 0,
        };
        Self {
            id,
            first: Endpoint::new(first, config),
            others: others
                .iter()
                .map(|address| Endpoint::new(*address, config))
                .collect(),
            link: Link::default(),
            orders: watch::Sender::new(orders),
            fenced: AtomicBool::new(false),
        }
    }

    /// The endpoint of a listener, by its place among all.
    pub(crate) fn endpoint(&self, listener: usize) -> &Endpoint {
        let other = listener.checked_sub(1);
        let other = other.and_then(|index| self.others.get(index));
        other.unwrap_or(&self.first)
    }

    /// The addresses that the listeners are bound to, in their order.
    pub(crate) fn addresses(&self) -> impl Iterator<Item = SocketAddr> {
        let all = std::iter::once(&self.first).chain(&self.others);
        all.map(|endpoint| endpoint.address)
    }

    /// Host and port that clients of a listener are told, by the listener's place among all.
    pub(crate) fn host_and_port(&self, listener: usize) -> (String, i32) {
        let endpoint = self.endpoint(listener);
        (endpoint.host.clone(), i32::from(endpoint.port))
    }

    pub(crate) fn state(&self) -> NodeState {
        self.orders.borrow().state
    }

    pub(crate) fn orders(&self) -> watch::Receiver<Orders> {
        self.orders.subscribe()
    }

    /// Waits until the node stops or cuts the connections that are open at the time of this call. That counts from the
    /// call on, not from the first poll: a task that is busy with its socket may poll this late.
    pub(crate) fn connections_end(&self) -> impl Future<Output = ()> + use<> {
        let mut orders = self.orders();
        let cut = orders.borrow().cut;
        async move {
            let ended = |orders: &Orders| orders.state == NodeState::Stopped || orders.cut != cut;
            let _ = orders.wait_for(ended).await;
        }
    }

    pub(crate) fn order(&self, state: NodeState) {
        self.orders.send_modify(|orders| orders.state = state);
    }

    /// Ends every connection that is open now.
    pub(crate) fn cut_connections(&self) {
        self.orders.send_modify(|orders| orders.cut += 1);
    }

    pub(crate) fn is_fenced(&self) -> bool {
        self.fenced.load(Ordering::Acquire)
    }

    pub(crate) fn set_fenced(&self, fenced: bool) {
        self.fenced.store(fenced, Ordering::Release);
    }
}

/// The partition of `__consumer_offsets` or `__transaction_state` where Kafka keeps what is coordinated under a key:
/// Java's hash of the key, by the number of partitions.
pub(crate) fn coordinator_partition(key: &str) -> u32 {
    let hash = key.encode_utf16().fold(0u32, |hash, unit| {
        hash.wrapping_mul(31).wrapping_add(unit.into())
    });
    (hash & 0x7fff_ffff) % COORDINATOR_PARTITIONS
}

/// All nodes by their ids, which count from 1, and the coordinators that were moved.
#[derive(Debug)]
pub(crate) struct Nodes {
    // Held for look-ups only; never while another lock is taken.
    table: RwLock<Table>,
}

#[derive(Debug)]
struct Table {
    nodes: BTreeMap<i32, Arc<EmbeddedNode>>,
    /// The number of nodes at the start: what they coordinate does not change when others join.
    first: u32,
    moved: HashMap<(CoordinatorType, String), i32>,
}

impl Nodes {
    /// `addresses` are those of the listeners of each node; a node without any is none.
    pub(crate) fn new(config: &BrokerConfig, addresses: &[Vec<SocketAddr>]) -> Self {
        let node = |(index, addresses): (usize, &Vec<SocketAddr>)| {
            let (first, others) = addresses.split_first()?;
            let id = index as i32 + 1;
            Some((id, Arc::new(EmbeddedNode::new(id, *first, others, config))))
        };
        let nodes = addresses.iter().enumerate().filter_map(node);
        let nodes: BTreeMap<i32, Arc<EmbeddedNode>> = nodes.collect();
        let table = Table {
            first: nodes.len() as u32,
            nodes,
            moved: HashMap::new(),
        };
        Self {
            table: RwLock::new(table),
        }
    }

    pub(crate) fn node(&self, id: i32) -> Option<Arc<EmbeddedNode>> {
        self.table.read().nodes.get(&id).cloned()
    }

    /// Every node, also those that do not run, in order of their ids.
    pub(crate) fn all(&self) -> Vec<Arc<EmbeddedNode>> {
        self.table.read().nodes.values().cloned().collect()
    }

    /// The nodes that clients are told of, in order of their ids.
    pub(crate) fn alive(&self) -> Vec<Arc<EmbeddedNode>> {
        let table = self.table.read();
        let alive = table.nodes.values().filter(|node| !node.is_fenced());
        alive.cloned().collect()
    }

    pub(crate) fn add(&self, make: impl FnOnce(i32) -> EmbeddedNode) -> Arc<EmbeddedNode> {
        let mut table = self.table.write();
        let id = table.nodes.keys().next_back().map_or(1, |last| last + 1);
        let node = Arc::new(make(id));
        table.nodes.insert(id, Arc::clone(&node));
        node
    }

    /// The node a coordinator was moved to, or else the one that its key stands for; where that is fenced, the next
    /// one.
    pub(crate) fn coordinator(
        &self,
        kind: CoordinatorType,
        key: &str,
    ) -> Option<Arc<EmbeddedNode>> {
        let table = self.table.read();
        let alive = |id: &i32| table.nodes.get(id).filter(|node| !node.is_fenced());
        if !table.moved.is_empty()
            && let Some(node) = table.moved.get(&(kind, key.to_owned())).and_then(alive)
        {
            return Some(Arc::clone(node));
        }
        let home = (coordinator_partition(key) + kind as u32) % table.first.max(1);
        let from_home = table.nodes.iter().cycle().skip(home as usize);
        let mut order = from_home.take(table.nodes.len());
        order
            .find(|(_, node)| !node.is_fenced())
            .map(|(_, node)| Arc::clone(node))
    }

    pub(crate) fn move_coordinator(&self, kind: CoordinatorType, key: &str, node: i32) {
        let mut table = self.table.write();
        table.moved.insert((kind, key.to_owned()), node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Nodes {
        let addresses =
            [9001, 9002, 9003].map(|port| vec![SocketAddr::from(([127, 0, 0, 1], port))]);
        Nodes::new(&BrokerConfig::default(), &addresses)
    }

    fn coordinator(nodes: &Nodes, key: &str) -> Option<i32> {
        let found = nodes.coordinator(CoordinatorType::Group, key);
        found.map(|node| node.id)
    }

    #[test]
    fn coordinators_are_spread_and_leave_a_fenced_node() {
        let nodes = three();
        let keys: Vec<String> = (0..60).map(|number| format!("group-{number}")).collect();
        let before: Vec<_> = keys.iter().map(|key| coordinator(&nodes, key)).collect();
        for id in 1..=3 {
            assert!(before.contains(&Some(id)), "{before:?}");
        }
        nodes.node(2).unwrap().set_fenced(true);
        for (key, before) in keys.iter().zip(&before) {
            let now = coordinator(&nodes, key);
            assert_ne!(now, Some(2));
            assert!(*before == Some(2) || now == *before);
        }
        nodes.all().iter().for_each(|node| node.set_fenced(true));
        assert_eq!(coordinator(&nodes, "group"), None);
    }

    #[test]
    fn a_coordinator_that_was_moved_stays_there_while_the_node_lives() {
        let nodes = three();
        let home = coordinator(&nodes, "g").unwrap();
        let other = home % 3 + 1;
        nodes.move_coordinator(CoordinatorType::Group, "g", other);
        assert_eq!(coordinator(&nodes, "g"), Some(other));
        nodes.node(other).unwrap().set_fenced(true);
        assert_eq!(coordinator(&nodes, "g"), Some(home));
        nodes.node(other).unwrap().set_fenced(false);
        assert_eq!(coordinator(&nodes, "g"), Some(other));
    }

    #[test]
    fn a_node_that_joins_takes_no_coordinator_from_others() {
        let nodes = three();
        let keys: Vec<String> = (0..60).map(|number| format!("group-{number}")).collect();
        let before: Vec<_> = keys.iter().map(|key| coordinator(&nodes, key)).collect();
        let address = SocketAddr::from(([127, 0, 0, 1], 9004));
        let joined = nodes.add(|id| EmbeddedNode::new(id, address, &[], &BrokerConfig::default()));
        assert_eq!(joined.id, 4);
        let after: Vec<_> = keys.iter().map(|key| coordinator(&nodes, key)).collect();
        assert_eq!(before, after);
    }

    #[tokio::test]
    async fn a_cut_counts_before_the_first_poll_of_who_waits_for_it() {
        let nodes = three();
        let node = nodes.node(1).unwrap();
        let end = node.connections_end();
        node.cut_connections();
        let waited = tokio::time::timeout(std::time::Duration::from_secs(10), end).await;
        assert!(waited.is_ok());
    }
}
