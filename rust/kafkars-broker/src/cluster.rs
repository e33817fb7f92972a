//! The cluster that all nodes share: who the nodes are, which topics there are, and the numbers given out once.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kafkars_protocol::{ErrorCode, Uuid};
use parking_lot::{Mutex, MutexGuard};

use crate::clock::Clock;
use crate::config::CheckedConfig;
use crate::control::Control;
use crate::features::Features;
use crate::groups::Groups;
use crate::nodes::{CoordinatorKind, Node, Nodes};
use crate::partition::Partition;
use crate::quotas::Quotas;
use crate::scram::ScramCredentials;
use crate::security::acl::{Authorized, Authorizer};
use crate::security::users::Passwords;
use crate::sessions::Sessions;
use crate::settings::broker::BrokerSettings;
use crate::settings::client_metrics::ClientMetrics;
use crate::settings::loggers::Loggers;
use crate::shares::Shares;
use crate::storage::Storage;
use crate::topic::{Topic, TopicKey};
use crate::topics::Topics;
use crate::transactions::{ProducerIds, Transactions};

/// Producer ids start here, to be told from counts and offsets when reading a log.
const FIRST_PRODUCER_ID: i64 = 1000;

/// One cluster, shared by the connections of all its nodes and by the handle that steers it.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) config: CheckedConfig,
    /// Its id, as `Metadata` tells it.
    pub(crate) id: String,
    pub(crate) nodes: Nodes,
    pub(crate) control: Control,
    /// What all time-outs go by.
    pub(crate) clock: Clock,
    /// Locks for itself; may be asked while the state is locked.
    pub(crate) quotas: Arc<Quotas>,
    /// Who may do what; none in a cluster without access control. May be asked while the state is locked.
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    /// Locks for itself, for one look-up; may be asked while the state is locked.
    pub(crate) passwords: Passwords,
    connections: AtomicU64,
    state: Mutex<State>,
}

/// What changes while the cluster runs. Locked for as long as one request takes, never across an await.
#[derive(Debug)]
pub(crate) struct State {
    topics: BTreeMap<String, Topic>,
    names: HashMap<Uuid, String>,
    /// Of the fetches that go to each node.
    sessions: HashMap<i32, Sessions>,
    pub(crate) groups: Groups,
    pub(crate) shares: Shares,
    pub(crate) transactions: Transactions,
    pub(crate) settings: BrokerSettings,
    pub(crate) client_metrics: ClientMetrics,
    pub(crate) scram: ScramCredentials,
    pub(crate) features: Features,
    pub(crate) loggers: Loggers,
    /// The cluster's, to be kept with the rest.
    pub(crate) quotas: Arc<Quotas>,
    /// The cluster's, to be kept with the rest.
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    pub(crate) producer_ids: ProducerIds,
    /// Where everything is kept across restarts, if it is.
    pub(crate) storage: Option<Storage>,
    /// Whether something has changed that is to be kept, other than by a request that says so itself.
    pub(crate) unsaved: bool,
    topics_created: usize,
}

impl Cluster {
    pub(crate) fn new(id: String, config: CheckedConfig, addresses: &[Vec<SocketAddr>]) -> Self {
        let user = &config.user;
        let quotas = Arc::new(Quotas::default());
        let authorizer = user.acls.as_ref().map(Authorizer::new).map(Arc::new);
        let state = State {
            topics: BTreeMap::new(),
            names: HashMap::new(),
            sessions: HashMap::new(),
            groups: Groups::new(config.user.groups.clone()),
            shares: Shares::default(),
            transactions: Transactions::default(),
            settings: BrokerSettings::new(&config),
            client_metrics: ClientMetrics::default(),
            scram: ScramCredentials::default(),
            features: Features::of(config.release),
            loggers: Loggers::default(),
            quotas: Arc::clone(&quotas),
            authorizer: authorizer.clone(),
            producer_ids: ProducerIds::starting_at(FIRST_PRODUCER_ID),
            storage: None,
            unsaved: false,
            topics_created: 0,
        };
        let control = Control::new(user.requests_recorded);
        let clock = Clock::new(user.clock);
        Self {
            id,
            nodes: Nodes::new(user, addresses),
            control,
            clock,
            quotas,
            authorizer,
            passwords: Passwords::default(),
            connections: AtomicU64::new(0),
            state: Mutex::new(state),
            config,
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// The number of a connection that has just been accepted.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn node(&self, id: i32) -> Option<Arc<Node>> {
        self.nodes.node(id)
    }

    /// The node that says it is the controller. Every node carries out what only a controller may, so it is a matter of form.
    pub(crate) fn controller(&self) -> i32 {
        self.nodes.alive().first().map_or(-1, |node| node.id)
    }

    /// The node that coordinates a group, a transactional id or a share group; none while there is no node that could.
    ///
    /// Takes no lock of the cluster's state, so that it may be asked while that is held.
    pub(crate) fn coordinator(&self, kind: CoordinatorKind, key: &str) -> Option<Arc<Node>> {
        self.nodes.coordinator(kind, key)
    }

    /// Whether `node` coordinates `key`; a request that comes elsewhere is answered NOT_COORDINATOR.
    pub(crate) fn coordinates(&self, node: i32, kind: CoordinatorKind, key: &str) -> bool {
        self.coordinator(kind, key)
            .is_some_and(|found| found.id == node)
    }

    /// Milliseconds since 1970: the one clock behind timestamps.
    pub(crate) fn now(&self) -> i64 {
        self.clock.now()
    }
}

impl State {
    pub(crate) fn topics(&self) -> impl Iterator<Item = &Topic> {
        self.topics.values()
    }

    /// The groups, and beside them the topics as a client sees them, which stay as they are.
    pub(crate) fn groups_and_topics<'a>(
        &'a mut self,
        client: Option<&'a Authorized>,
    ) -> (&'a mut Groups, Topics<'a>) {
        let topics = Topics::new(&self.topics, &self.names, self.topics_created, client);
        (&mut self.groups, topics)
    }

    pub(crate) fn topic(&self, name: &str) -> Option<&Topic> {
        self.topics.get(name)
    }

    pub(crate) fn topic_mut(&mut self, name: &str) -> Option<&mut Topic> {
        self.topics.get_mut(name)
    }

    pub(crate) fn topics_mut(&mut self) -> impl Iterator<Item = &mut Topic> {
        self.topics.values_mut()
    }

    pub(crate) fn topic_by_id(&self, id: Uuid) -> Option<&Topic> {
        self.topics.get(self.names.get(&id)?)
    }

    /// The topic a request means, or the code that says it is not known under that name or that id.
    pub(crate) fn find(&mut self, key: &TopicKey) -> Result<&mut Topic, ErrorCode> {
        match key {
            TopicKey::Name(name) => self
                .topics
                .get_mut(name)
                .ok_or(ErrorCode::UnknownTopicOrPartition),
            TopicKey::Id(id) => {
                let name = self.names.get(id).ok_or(ErrorCode::UnknownTopicId)?;
                self.topics.get_mut(name).ok_or(ErrorCode::UnknownTopicId)
            }
        }
    }

    /// The partition a request means.
    pub(crate) fn find_partition(
        &mut self,
        key: &TopicKey,
        partition: i32,
    ) -> Result<&mut Partition, ErrorCode> {
        self.find(key)?
            .partition_mut(partition)
            .ok_or(ErrorCode::UnknownTopicOrPartition)
    }

    /// What share groups have read, and beside it the partition that is meant.
    pub(crate) fn shares_and_partition(
        &mut self,
        (topic, partition): (Uuid, i32),
    ) -> Result<(&mut Shares, &mut Partition), ErrorCode> {
        let name = self.names.get(&topic).ok_or(ErrorCode::UnknownTopicId)?;
        let topic = self.topics.get_mut(name).ok_or(ErrorCode::UnknownTopicId)?;
        let partition = topic
            .partition_mut(partition)
            .ok_or(ErrorCode::UnknownTopicOrPartition)?;
        Ok((&mut self.shares, partition))
    }

    /// Sessions of the fetches that go to one node.
    pub(crate) fn sessions(&mut self, node: i32) -> &mut Sessions {
        self.sessions.entry(node).or_default()
    }

    /// A node is gone, and with it what it knew of its clients.
    pub(crate) fn forget_sessions(&mut self, node: i32) {
        self.sessions.remove(&node);
    }

    pub(crate) fn topics_created(&self) -> usize {
        self.topics_created
    }

    pub(crate) fn insert_topic(&mut self, mut topic: Topic) {
        self.attach(&mut topic);
        self.topics_created += 1;
        self.names.insert(topic.id, topic.name.clone());
        self.topics.insert(topic.name.clone(), topic);
    }

    /// Adds partitions to a topic.
    pub(crate) fn add_partitions(&mut self, name: &str, partitions: Vec<Partition>) {
        // Taken out and put back: the directory and the topics are parts of one state.
        if let Some(mut topic) = self.topics.remove(name) {
            topic.partitions.extend(partitions);
            self.attach(&mut topic);
            self.topics.insert(topic.name.clone(), topic);
        }
    }

    /// Gives the partitions of a topic their files. Without, they take no records: better than to lose them.
    fn attach(&mut self, topic: &mut Topic) {
        self.unsaved = true;
        if let Some(storage) = &self.storage
            && let Err(error) = storage.attach(topic)
        {
            tracing::error!(topic = topic.name, %error, "the files of a topic cannot be made");
        }
    }

    /// Removes a topic; whoever waits on it is told so.
    pub(crate) fn remove_topic(&mut self, name: &str) -> Option<Topic> {
        let topic = self.topics.remove(name)?;
        self.names.remove(&topic.id);
        self.unsaved = true;
        if let Some(storage) = &self.storage {
            storage.remove(topic.id);
        }
        self.groups.offsets.forget_topic(name);
        self.shares.forget_topic(topic.id);
        topic
            .partitions
            .iter()
            .for_each(|partition| partition.waiters.wake());
        Some(topic)
    }
}
