//! The client underneath producers and consumers: the cluster as known now, and requests to its brokers.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::backoff::{Backoff, Random};
use kafkars_core::cluster::{BrokerNode, Cluster, Leader, LeaderHint, Scope, TopicMetadata};
use kafkars_core::config::{Checked, ClientConfig};
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::{ErrorCode, Request};
use parking_lot::{Mutex, RwLock};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout_at;

use crate::error::{AttemptError, ClientError};
use crate::metadata::{self, Answer, MetadataDesk};
use crate::metrics::{ClientMetrics, Counters};
use crate::net::{Broker, Connection, Lane, Network, Tasks};
use crate::{after, now, topic_name};

/// A client of one cluster. Clones share it; with the last one everything it runs ends.
#[derive(Clone)]
pub struct Client {
    core: Arc<Core>,
    _last: Arc<StopOnDrop>,
}

/// What the client's own tasks hold, so that they do not keep the client alive.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) network: Arc<Network>,
    pub(crate) desk: MetadataDesk,
    brokers: RwLock<HashMap<i32, Arc<Broker>>>,
    /// Held while a new snapshot is made, never by readers.
    updating: Mutex<()>,
    cluster: RwLock<Arc<Cluster>>,
    changed: watch::Sender<u64>,
}

struct StopOnDrop(Arc<Core>);

impl Client {
    /// A client that runs on `handle`. Does no I/O: the first request finds the cluster.
    #[must_use]
    pub fn new(config: Checked<ClientConfig>, handle: Handle) -> Self {
        let seed = RandomState::new().build_hasher().finish();
        let core = Arc::new(Core {
            desk: MetadataDesk::new(&config, seed),
            network: Arc::new(Network {
                config,
                counters: Arc::new(Counters::default()),
                tasks: Tasks::new(handle),
                random: Mutex::new(Random::new(seed)),
            }),
            brokers: RwLock::default(),
            updating: Mutex::new(()),
            cluster: RwLock::default(),
            changed: watch::Sender::new(0),
        });
        core.network.tasks.spawn(metadata::run(Arc::clone(&core)));
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

    /// Waits until the cluster is known. Fails early when no address can ever lead to one.
    pub async fn ready(&self, deadline: Instant) -> Result<(), ClientError> {
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
                    if let Some(causes) = &round.failure
                        && causes.iter().all(|(_, cause)| cause.is_permanent())
                    {
                        return Err(ClientError::Bootstrap(causes.as_ref().clone()));
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
        self.core.changed.subscribe()
    }

    /// These topics are in use: they are asked for now and refreshed from then on. Names that no topic can have
    /// are left out, because one of them would spoil the request for all.
    pub fn want_topics(&self, topics: &[&str]) {
        let valid: Vec<&str> = topics
            .iter()
            .copied()
            .filter(|topic| topic_name::is_valid(topic))
            .collect();
        self.core.desk.want(&valid);
    }

    /// These topics are no longer in use.
    pub fn forget_topics(&self, topics: &[&str]) {
        self.core.desk.forget(topics);
        self.core.update(|cluster| cluster.forget(topics));
    }

    /// Asks for all topics in use again, soon: many calls become one request.
    pub fn refresh_metadata(&self) {
        self.core.desk.doubt_everything();
    }

    /// Asks for these topics again, soon.
    pub fn refresh_topics(&self, topics: &[&str]) {
        self.core.desk.doubt(topics);
    }

    /// A broker's word on a new leader (KIP-951), with the addresses that came along. Older news is ignored.
    pub fn apply_leader_hint(
        &self,
        topic: &str,
        partition: i32,
        leader_id: i32,
        leader_epoch: i32,
        nodes: impl IntoIterator<Item = (i32, String, i32)>,
    ) {
        let leader = Leader {
            node: leader_id,
            epoch: leader_epoch,
        };
        let node = |(id, host, port)| {
            let port = u16::try_from(port).ok()?;
            Some(BrokerNode {
                id,
                host,
                port,
                rack: None,
            })
        };
        let nodes: Vec<BrokerNode> = nodes.into_iter().filter_map(node).collect();
        let hint = LeaderHint {
            topic,
            partition,
            leader,
        };
        self.core
            .update(|cluster| cluster.apply_leader_hints(&[hint], &nodes));
    }

    /// The topic's metadata. Waits until it is known; a topic that does not exist may be about to be created, so it
    /// is asked for until the deadline. Names that cannot exist and topics that may not be seen fail at once.
    pub async fn topic(
        &self,
        name: &str,
        deadline: Instant,
    ) -> Result<Arc<TopicMetadata>, ClientError> {
        if !topic_name::is_valid(name) {
            return Err(ClientError::InvalidTopic(name.into()));
        }
        if let Some(found) = self.settled_topic(name) {
            return found;
        }
        let started = now();
        let mut changed = self.cluster_changed();
        let mut round = self.core.desk.round();
        let _awaiting = self.core.desk.start_awaiting(name);
        self.ready(deadline).await?;
        let settled = async {
            loop {
                changed.borrow_and_update();
                if let Some(found) = self.settled_topic(name) {
                    return found;
                }
                let closed = round.wait_for(|round| round.is_closed);
                tokio::select! {
                    result = changed.changed() => if result.is_err() { return Err(ClientError::Closed) },
                    _ = closed => return Err(ClientError::Closed),
                }
            }
        };
        match timeout_at(deadline.into(), settled).await {
            Ok(result) => result,
            Err(_) => Err(ClientError::TimedOut {
                operation: format!("metadata of topic {name:?}").into(),
                waited: now() - started,
                cause: self.missing_topic(name),
            }),
        }
    }

    /// Names of all topics that may be seen, in order.
    pub async fn topics(&self, deadline: Instant) -> Result<Vec<String>, ClientError> {
        let request = MetadataRequest {
            topics: None,
            allow_auto_topic_creation: false,
            ..MetadataRequest::default()
        };
        let response = self.request_any(request, deadline).await?;
        let visible = response
            .topics
            .into_iter()
            .filter(|topic| topic.error_code == 0);
        let mut names: Vec<String> = visible.filter_map(|topic| topic.name).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// A connection to a broker; made when there is none.
    pub async fn connection(
        &self,
        node: i32,
        lane: Lane,
        deadline: Instant,
    ) -> Result<Connection, AttemptError> {
        if self.core.desk.is_closed() {
            return Err(AttemptError::Closed);
        }
        let broker = self.core.broker(node);
        let result = match broker {
            Some(broker) => broker.connection(lane, deadline).await,
            None => Err(AttemptError::UnknownNode(node)),
        };
        self.noted(result)
    }

    /// One try of one request to one broker, in the highest version that both speak.
    pub async fn request<R: Request + Send + Sync>(
        &self,
        node: i32,
        lane: Lane,
        request: R,
        deadline: Instant,
    ) -> Result<R::Response, AttemptError> {
        let connection = self.connection(node, lane, deadline).await?;
        let answer = connection.start(&request, self.within_request_timeout(deadline))?;
        drop(request);
        self.noted(answer.await)
    }

    /// As [`Client::request`], for a request that depends on the version it travels in.
    pub async fn request_with<R, F>(
        &self,
        node: i32,
        lane: Lane,
        build: F,
        deadline: Instant,
    ) -> Result<R::Response, AttemptError>
    where
        R: Request + Send + Sync,
        F: FnOnce(i16) -> R + Send,
    {
        let connection = self.connection(node, lane, deadline).await?;
        let version = connection.versions().highest::<R>()?;
        let deadline = self.within_request_timeout(deadline);
        let answer = connection.start_version(&build(version), version, deadline)?;
        self.noted(answer.await)
    }

    /// A request that any broker can answer: tried on one after the other, with pauses, until the deadline.
    pub async fn request_any<R: Request + Send + Sync>(
        &self,
        request: R,
        deadline: Instant,
    ) -> Result<R::Response, ClientError> {
        let started = now();
        self.ready(deadline).await?;
        let config = self.config();
        let backoff = Backoff::new(config.retry_backoff, config.retry_backoff_max);
        let mut failures = 0;
        let mut avoided: Option<Arc<Broker>> = None;
        let mut last: Option<AttemptError> = None;
        while now() < deadline {
            if self.core.desk.is_closed() {
                return Err(ClientError::Closed);
            }
            let brokers = self.core.brokers_by_preference(avoided.as_ref());
            if let Some(broker) = brokers.into_iter().next() {
                let result = self.try_on(&broker, &request, deadline).await;
                match self.noted(result) {
                    Ok(response) => return Ok(response),
                    Err(AttemptError::Closed) if self.core.desk.is_closed() => {
                        return Err(ClientError::Closed);
                    }
                    Err(AttemptError::Closed) => {}
                    Err(error) if !error.retriable() => return Err(error.into()),
                    Err(error) => last = Some(error),
                }
                avoided = Some(broker);
            }
            failures += 1;
            let pause = backoff.delay(failures, self.core.network.random.lock().next());
            tokio::time::sleep_until((now() + pause).min(deadline).into()).await;
        }
        let cause = last.map_or_else(
            || "no broker is known".to_owned(),
            |error| error.to_string(),
        );
        Err(ClientError::TimedOut {
            operation: R::API_KEY.name().into(),
            waited: now() - started,
            cause: cause.into(),
        })
    }

    /// Counters since the client was made.
    #[must_use]
    pub fn metrics(&self) -> ClientMetrics {
        self.core.network.counters.snapshot()
    }

    /// Ends every task and connection, and waits until they are gone. Whoever waits for an answer gets an error.
    pub async fn close(&self) {
        self.core.desk.close();
        self.core.network.tasks.stop().await;
        self.core.brokers.write().clear();
    }

    async fn try_on<R: Request + Send + Sync>(
        &self,
        broker: &Arc<Broker>,
        request: &R,
        deadline: Instant,
    ) -> Result<R::Response, AttemptError> {
        let connection = broker.connection(Lane::Coordinator, deadline).await?;
        let answer = connection.start(request, self.within_request_timeout(deadline))?;
        answer.await
    }

    fn within_request_timeout(&self, deadline: Instant) -> Instant {
        deadline.min(after(now(), self.config().request_timeout))
    }

    /// A lost broker is a reason to ask where its partitions went.
    fn noted<T>(&self, result: Result<T, AttemptError>) -> Result<T, AttemptError> {
        if let Err(error) = &result
            && error.needs_metadata()
        {
            self.core.desk.doubt_everything();
        }
        result
    }

    /// The answer to "what is this topic?", unless asking again may change it.
    fn settled_topic(&self, name: &str) -> Option<Result<Arc<TopicMetadata>, ClientError>> {
        if self.core.desk.is_closed() {
            return Some(Err(ClientError::Closed));
        }
        let topic = Arc::clone(self.cluster().topic(name)?);
        match topic.error {
            None => Some(Ok(topic)),
            Some(ErrorCode::InvalidTopicException) => {
                Some(Err(ClientError::InvalidTopic(name.into())))
            }
            Some(code) if code.retriable() => None,
            Some(code) => Some(Err(ClientError::Broker {
                code,
                topic: Some(name.into()),
                partition: None,
                message: None,
            })),
        }
    }

    fn missing_topic(&self, name: &str) -> Arc<str> {
        let cluster = self.cluster();
        let Some(code) = cluster.topic(name).and_then(|topic| topic.error) else {
            return match &self.core.desk.round().borrow().failure {
                Some(failure) => ClientError::Bootstrap(failure.as_ref().clone())
                    .to_string()
                    .into(),
                None => "no answer yet".into(),
            };
        };
        let advice = match (code, self.config().allow_auto_create_topics) {
            (ErrorCode::UnknownTopicOrPartition, true) => {
                "; the brokers do not create it by themselves (auto.create.topics.enable)"
            }
            (ErrorCode::UnknownTopicOrPartition, false) => {
                "; allow_auto_create_topics is off, so it must be created first"
            }
            _ => "",
        };
        format!("{}: {}{advice}", code.name(), code.description()).into()
    }
}

impl Core {
    pub(crate) fn cluster(&self) -> Arc<Cluster> {
        Arc::clone(&self.cluster.read())
    }

    /// Brokers in the order in which to ask them: those with a connection first, otherwise at random; `avoided` last.
    pub(crate) fn brokers_by_preference(&self, avoided: Option<&Arc<Broker>>) -> Vec<Arc<Broker>> {
        let mut brokers: Vec<Arc<Broker>> = self.brokers.read().values().cloned().collect();
        self.network.random.lock().shuffle(&mut brokers);
        brokers.sort_by_key(|broker| {
            let is_avoided = avoided.is_some_and(|avoided| Arc::ptr_eq(avoided, broker));
            (is_avoided, !broker.is_connected(Lane::Coordinator))
        });
        brokers
    }

    /// Takes an answer into the snapshot, and keeps connections made on the way to it.
    pub(crate) fn merge(&self, answer: &Answer) {
        let Answer {
            response,
            api_version,
            connected,
        } = answer;
        self.update_with(connected, |cluster| {
            cluster.merge(response, *api_version, Scope::Named)
        });
    }

    fn update(&self, change: impl FnOnce(&Cluster) -> Option<Cluster>) {
        self.update_with(&[], change);
    }

    fn update_with(
        &self,
        connected: &[Arc<Broker>],
        change: impl FnOnce(&Cluster) -> Option<Cluster>,
    ) {
        let _updating = self.updating.lock();
        let Some(next) = change(&self.cluster()) else {
            return;
        };
        let version = next.version;
        self.take_brokers(&next, connected);
        *self.cluster.write() = Arc::new(next);
        self.changed.send_replace(version);
    }

    /// Brokers that moved or went lose their connections once nobody uses them any more.
    fn take_brokers(&self, cluster: &Cluster, connected: &[Arc<Broker>]) {
        let mut brokers = self.brokers.write();
        brokers.retain(|id, broker| {
            let node = cluster.broker(*id);
            node.is_some_and(|node| broker.is_at(&node.host, node.port))
        });
        for node in cluster.brokers() {
            brokers.entry(node.id).or_insert_with(|| {
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
        }
    }

    fn broker(&self, node: i32) -> Option<Arc<Broker>> {
        self.brokers.read().get(&node).cloned()
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
        self.0.brokers.write().clear();
    }
}
