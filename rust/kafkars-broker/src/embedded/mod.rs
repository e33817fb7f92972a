//! The handle to a running broker.

mod access;
mod changes;
mod cleanup;
mod nodes;
mod quotas;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use socket2::Socket;

use crate::clock::Clock;
use crate::cluster::RunningCluster;
use crate::config::{BrokerConfig, NewTopic};
use crate::control::intercept::{Intercept, InterceptId};
use crate::control::requests::{self, SeenRequest};
use crate::error::EmbeddedBrokerError;
use crate::ids::random_uuid;
use crate::security::SecurityProtocol;
use crate::server::{self, Server};
use crate::storage::Storage;
use changes::{create_topic, save, set_user};

/// A Kafka cluster in this process, in memory, that any client can reach over TCP.
///
/// It runs on a thread of its own and ends when it is stopped or dropped; what it held is gone then, unless there is a
/// [`data_dir`](BrokerConfig::data_dir).
#[derive(Debug)]
pub struct EmbeddedBroker {
    pub(crate) cluster: Arc<RunningCluster>,
    pub(crate) server: Server,
    /// The ports of nodes that are stopped, bound so that nobody else gets them.
    pub(crate) reserved: Mutex<HashMap<i32, Vec<Socket>>>,
}

impl EmbeddedBroker {
    /// Starts a cluster. When this returns, its nodes accept connections.
    ///
    /// # Errors
    /// When a setting makes no sense, a port is taken, or the thread cannot be made.
    pub fn start(config: BrokerConfig) -> Result<Self, EmbeddedBrokerError> {
        let config = config.check()?;
        let listeners = server::listen(&config)?;
        let addresses = listeners.iter().map(|of_node| server::addresses(of_node));
        let addresses: Vec<Vec<SocketAddr>> = addresses.collect::<Result<_, _>>()?;
        let topics = config.user.topics.clone();
        let id = random_uuid().to_string();
        let cluster = match config.user.data_dir.clone() {
            None => RunningCluster::new(id, config, &addresses),
            Some(folder) => {
                let (storage, snapshot) = Storage::open(&folder, id)?;
                let cluster =
                    RunningCluster::new(storage.cluster_id().to_owned(), config, &addresses);
                cluster.restore(storage, snapshot)?;
                cluster
            }
        };
        let cluster = Arc::new(cluster);
        for user in &cluster.config.user.users {
            set_user(&cluster, user)?;
        }
        for topic in &topics {
            let is_there = cluster.state().topic(&topic.name).is_some();
            if !is_there {
                create_topic(&cluster, topic)?;
            }
        }
        save(&cluster)?;
        let server = Server::start(Arc::clone(&cluster), listeners)?;
        let reserved = Mutex::new(HashMap::new());
        Ok(Self {
            cluster,
            server,
            reserved,
        })
    }

    /// The addresses that its nodes listen at, as clients take them: `host:port,host:port`. The advertised ones may
    /// differ. Of several listeners this is the first.
    pub fn bootstrap_servers(&self) -> String {
        self.bootstrap_servers_at(0)
    }

    /// The addresses that its nodes listen at for one of several listeners, by its name.
    ///
    /// # Errors
    /// When there is no such listener.
    pub fn bootstrap_servers_of(&self, listener: &str) -> Result<String, EmbeddedBrokerError> {
        let mut listeners = self.cluster.config.listeners.iter();
        let found = listeners.position(|known| known.name == listener);
        let unknown = || EmbeddedBrokerError::UnknownListener(listener.to_owned());
        Ok(self.bootstrap_servers_at(found.ok_or_else(unknown)?))
    }

    /// Names and protocols of its listeners, in their order.
    pub fn listeners(&self) -> Vec<(String, SecurityProtocol)> {
        let listeners = self.cluster.config.listeners.iter();
        listeners
            .map(|listener| (listener.name.clone(), listener.protocol))
            .collect()
    }

    fn bootstrap_servers_at(&self, listener: usize) -> String {
        let nodes = self.cluster.nodes.all();
        let addresses = nodes.iter().map(|node| node.endpoint(listener).address);
        let addresses: Vec<String> = addresses.map(|address| address.to_string()).collect();
        addresses.join(",")
    }

    /// The cluster id that clients are told.
    pub fn cluster_id(&self) -> &str {
        &self.cluster.id
    }

    /// The clock that its time-outs go by; a test may move it.
    pub fn clock(&self) -> &Clock {
        &self.cluster.clock
    }

    /// Creates a topic, as an administrator would.
    ///
    /// # Errors
    /// When the topic exists, a client would be refused for another reason, or the broker is stopped.
    pub fn create_topic(&self, topic: &NewTopic) -> Result<(), EmbeddedBrokerError> {
        let cluster = self.running()?;
        create_topic(cluster, topic)?;
        save(cluster)
    }

    /// Names of its topics, in alphabetical order.
    pub fn topics(&self) -> Vec<String> {
        self.cluster
            .state()
            .topics()
            .map(|topic| topic.name.clone())
            .collect()
    }

    /// First offset and next offset of a partition.
    ///
    /// # Errors
    /// When there is no such partition, or the broker is stopped.
    pub fn offsets(&self, topic: &str, partition: i32) -> Result<(i64, i64), EmbeddedBrokerError> {
        let state = self.running()?.state();
        let found = state
            .topic(topic)
            .and_then(|topic| topic.partition(partition));
        let found = found.ok_or_else(|| unknown(topic, partition))?;
        Ok((found.log.start_offset(), found.log.end_offset()))
    }

    /// The node that leads a partition; -1 while none can.
    ///
    /// # Errors
    /// When there is no such partition, or the broker is stopped.
    pub fn leader(&self, topic: &str, partition: i32) -> Result<i32, EmbeddedBrokerError> {
        let state = self.running()?.state();
        let found = state
            .topic(topic)
            .and_then(|topic| topic.partition(partition));
        found
            .map(|partition| partition.leader)
            .ok_or_else(|| unknown(topic, partition))
    }

    /// Gives a partition to another node, under a new leader epoch. Nothing is lost: all nodes share the log.
    ///
    /// # Errors
    /// When there is no such partition or node, the node is down, or the broker is stopped.
    pub fn move_leader(
        &self,
        topic: &str,
        partition: i32,
        node: i32,
    ) -> Result<(), EmbeddedBrokerError> {
        let cluster = self.running()?;
        if self.live(node)?.is_fenced() {
            return Err(EmbeddedBrokerError::NodeDown(node));
        }
        let mut state = cluster.state();
        let found = state
            .topic_mut(topic)
            .and_then(|topic| topic.partition_mut(partition));
        found
            .ok_or_else(|| unknown(topic, partition))?
            .move_to(node);
        Ok(())
    }

    /// Sets a fault for requests to come. Where several take a request, the first that was set decides.
    pub fn intercept(&self, intercept: Intercept) -> InterceptId {
        self.cluster.control.intercept(intercept)
    }

    /// Removes a fault; false when it had run out already.
    pub fn remove_intercept(&self, id: InterceptId) -> bool {
        self.cluster.control.remove(id)
    }

    /// Removes all faults.
    pub fn clear_intercepts(&self) {
        self.cluster.control.clear();
    }

    /// The number of requests that an intercept has taken.
    pub fn intercept_hits(&self, id: InterceptId) -> u64 {
        self.cluster.control.hits(id)
    }

    /// Waits for requests: returns how many there have been since the start, at once when that is more than `known`,
    /// else when there is another one, or after at most 50 ms.
    pub fn wait_for_requests(&self, known: u64) -> u64 {
        self.cluster
            .control
            .wait_for_more_than(known, requests::SLICE)
    }

    /// The latest requests, oldest first, as many as `BrokerConfig::requests_recorded`.
    pub fn requests_seen(&self) -> Vec<SeenRequest> {
        self.cluster.control.seen()
    }

    /// Forgets the requests seen so far.
    pub fn forget_requests_seen(&self) {
        self.cluster.control.forget_seen();
    }

    /// True if it has neither been stopped nor failed.
    pub fn is_running(&self) -> bool {
        self.server.is_running()
    }

    /// Closes all listeners and connections, ends the thread, and leaves its data directory to others. Does nothing the
    /// second time.
    pub fn stop(&self) {
        self.server.stop();
        let mut state = self.cluster.state();
        if let Err(error) = self.cluster.save(&mut state) {
            tracing::error!(%error, "the last changes cannot be written to the data directory");
        }
        self.cluster.close_storage(&mut state);
    }

    pub(crate) fn running(&self) -> Result<&RunningCluster, EmbeddedBrokerError> {
        if self.is_running() {
            Ok(&self.cluster)
        } else {
            Err(EmbeddedBrokerError::Stopped)
        }
    }
}

impl Drop for EmbeddedBroker {
    fn drop(&mut self) {
        self.stop();
    }
}

fn unknown(topic: &str, partition: i32) -> EmbeddedBrokerError {
    EmbeddedBrokerError::UnknownPartition {
        topic: topic.to_owned(),
        partition,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_handle_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<EmbeddedBroker>();
    }
}
