//! The state that the nodes of a cluster share and change: topics, groups, transactions, settings.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use kafkars_protocol::{ErrorCode, Uuid};

use crate::config::CheckedConfig;
use crate::features::Features;
use crate::groups::Groups;
use crate::log::folder::LogFolder;
use crate::partition::Partition;
use crate::quotas::Quotas;
use crate::scram::ScramCredentials;
use crate::security::acl::{Authorized, Authorizer};
use crate::sessions::Sessions;
use crate::settings::broker::BrokerSettings;
use crate::settings::client_metrics::MetricsSubscriptions;
use crate::settings::loggers::Loggers;
use crate::shares::acknowledging::release;
use crate::shares::{SessionKey, SharedLog, Shares};
use crate::topic::{Topic, TopicIdPartition, TopicKey};
use crate::topics::Topics;
use crate::transactions::{ProducerIds, TransactionCoordinator, TransactionalIds};

/// Producer ids start here, to be told from counts and offsets when reading a log.
const FIRST_PRODUCER_ID: i64 = 1000;

/// The state of a running cluster. It is locked for as long as one request takes, never across an await.
#[derive(Debug)]
pub(crate) struct ClusterState {
    topics: BTreeMap<String, Topic>,
    names: HashMap<Uuid, String>,
    /// The sessions of the fetches that go to each node.
    sessions: HashMap<i32, Sessions>,
    pub(crate) groups: Groups,
    pub(crate) shares: Shares,
    pub(crate) transactions: TransactionalIds,
    pub(crate) settings: BrokerSettings,
    pub(crate) client_metrics: MetricsSubscriptions,
    pub(crate) scram: ScramCredentials,
    pub(crate) features: Features,
    pub(crate) loggers: Loggers,
    /// The cluster's own, here to be kept with the rest.
    pub(crate) quotas: Arc<Quotas>,
    /// The cluster's, to be kept with the rest.
    pub(crate) authorizer: Option<Arc<Authorizer>>,
    pub(crate) producer_ids: ProducerIds,
    /// The folder that keeps records across restarts, if there is one.
    pub(crate) logs: Option<LogFolder>,
    /// True if something has changed that is to be kept, other than by a request that says so itself.
    pub(crate) unsaved: bool,
    topics_created: usize,
}

impl ClusterState {
    pub(crate) fn new(
        config: &CheckedConfig,
        quotas: &Arc<Quotas>,
        authorizer: &Option<Arc<Authorizer>>,
    ) -> Self {
        Self {
            topics: BTreeMap::new(),
            names: HashMap::new(),
            sessions: HashMap::new(),
            groups: Groups::new(config.user.groups.clone()),
            shares: Shares::default(),
            transactions: TransactionalIds::default(),
            settings: BrokerSettings::new(config),
            client_metrics: MetricsSubscriptions::default(),
            scram: ScramCredentials::default(),
            features: Features::of(config.release),
            loggers: Loggers::default(),
            quotas: Arc::clone(quotas),
            authorizer: authorizer.clone(),
            producer_ids: ProducerIds::starting_at(FIRST_PRODUCER_ID),
            logs: None,
            unsaved: false,
            topics_created: 0,
        }
    }

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

    /// The coordinator of transactions, at work on this state.
    pub(crate) fn transaction_coordinator(&mut self) -> TransactionCoordinator<'_> {
        TransactionCoordinator {
            transactions: &mut self.transactions,
            producer_ids: &mut self.producer_ids,
            offsets: &mut self.groups.offsets,
            topics: &mut self.topics,
            unsaved: &mut self.unsaved,
        }
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

    /// The partition a request means, of a node that leads it.
    pub(crate) fn led_partition(
        &mut self,
        key: &TopicKey,
        partition: i32,
        node: i32,
    ) -> Result<&mut Partition, ErrorCode> {
        let partition = self.find_partition(key, partition)?;
        partition.check_leader(node)?;
        Ok(partition)
    }

    /// The topic of this name, if it has this partition.
    pub(crate) fn topic_with(&self, name: &str, partition: i32) -> Result<&Topic, ErrorCode> {
        let topic = self.topic(name);
        let topic = topic.filter(|topic| topic.partition(partition).is_some());
        topic.ok_or(ErrorCode::UnknownTopicOrPartition)
    }

    /// The partition that share groups read, with what they have read.
    pub(crate) fn shared_log(
        &mut self,
        (topic, partition): TopicIdPartition,
    ) -> Result<SharedLog<'_>, ErrorCode> {
        let name = self.names.get(&topic).ok_or(ErrorCode::UnknownTopicId)?;
        let topic = self.topics.get_mut(name).ok_or(ErrorCode::UnknownTopicId)?;
        let partition = topic.partition_mut(partition);
        Ok(SharedLog {
            configs: &self.groups.configs,
            shares: &mut self.shares,
            log: partition.ok_or(ErrorCode::UnknownTopicOrPartition)?,
        })
    }

    /// Lets other members have what a member had of these partitions, whose session has ended.
    pub(crate) fn release_shared(&mut self, key: &SessionKey, partitions: &[TopicIdPartition]) {
        for partition in partitions {
            if let Ok(shared_log) = self.shared_log(*partition) {
                release(shared_log, key, *partition);
            }
        }
    }

    /// Closes the share sessions that were opened on a connection that is gone.
    pub(crate) fn close_share_sessions(&mut self, connection: u64) {
        for (key, partitions) in self.shares.sessions.close_connection(connection) {
            self.release_shared(&key, &partitions);
        }
    }

    /// Sessions of the fetches that go to one node.
    pub(crate) fn sessions(&mut self, node: i32) -> &mut Sessions {
        self.sessions.entry(node).or_default()
    }

    /// Forgets what a node that is gone knew of its clients.
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

    /// Gives the partitions of a topic their files, where there is a folder for them. A partition whose file cannot be
    /// made takes no records, rather than lose them.
    fn attach(&mut self, topic: &mut Topic) {
        self.unsaved = true;
        if let Some(logs) = &self.logs
            && let Err(error) =
                logs.attach(topic.id, topic.partitions.iter_mut().map(|it| &mut it.file))
        {
            tracing::error!(topic = topic.name, %error, "the files of a topic cannot be made");
        }
    }

    /// Removes a topic; fetches that wait on it look again.
    pub(crate) fn remove_topic(&mut self, name: &str) -> Option<Topic> {
        let topic = self.topics.remove(name)?;
        self.names.remove(&topic.id);
        self.unsaved = true;
        if let Some(logs) = &self.logs {
            logs.remove(topic.id);
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
