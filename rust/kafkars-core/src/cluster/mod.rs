//! The metadata of the cluster, as snapshots that never change.
//!
//! A snapshot shares everything that did not change with the one before it: merging the response for one topic copies
//! pointers to a small part of the topics, never the topics. Leader epochs decide which of two responses is newer,
//! because a refresh may reach a broker that does not know of the latest election (KIP-320).

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_protocol::Uuid;
use kafkars_protocol::messages::metadata::{MetadataResponse, MetadataResponseBroker};

mod sharded;
mod topic;

use self::sharded::Sharded;
pub use self::topic::{Leader, PartitionMetadata, TopicMetadata};

/// Brokers before Kafka 2.4 report wrong leader epochs while a partition is reassigned; this version came with 2.4.
const RELIABLE_EPOCHS_SINCE: i16 = 9;

/// One snapshot of the cluster's metadata. Cloning it copies a few pointers.
#[derive(Debug, Clone, Default)]
pub struct Cluster {
    /// Grows with every change; 0 before anything is known.
    pub version: u64,
    /// The cluster id.
    pub cluster_id: Option<String>,
    /// The node id of the controller, where brokers name it.
    pub controller: Option<i32>,
    brokers: Arc<BTreeMap<i32, Arc<BrokerNode>>>,
    topics: Sharded<Arc<str>, Arc<TopicMetadata>>,
    names: Sharded<Uuid, Arc<str>>,
}

/// A broker's address, as metadata describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerNode {
    /// The broker's node id.
    pub id: i32,
    /// Its advertised host.
    pub host: String,
    /// Its advertised port.
    pub port: u16,
    /// Its rack, if it says.
    pub rack: Option<String>,
}

/// Which topics a response is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only the topics that it has; it says nothing about others.
    Named,
    /// Every topic of the cluster: one that is absent is gone.
    All,
}

/// A partition's new leader, as a broker names it along with an error (KIP-951).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaderHint<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The partition.
    pub partition: i32,
    /// The new leader.
    pub leader: Leader,
}

impl Cluster {
    /// Returns the known brokers, by number.
    pub fn brokers(&self) -> impl ExactSizeIterator<Item = &Arc<BrokerNode>> {
        self.brokers.values()
    }

    /// Returns one broker.
    #[must_use]
    pub fn broker(&self, id: i32) -> Option<&Arc<BrokerNode>> {
        self.brokers.get(&id)
    }

    /// Returns a topic by name. It may be known only to be refused: look at its `error`.
    #[must_use]
    pub fn topic(&self, name: &str) -> Option<&Arc<TopicMetadata>> {
        self.topics.get(name)
    }

    /// Returns a topic by its id.
    #[must_use]
    pub fn topic_by_id(&self, id: Uuid) -> Option<&Arc<TopicMetadata>> {
        self.topics.get(self.names.get(&id)?)
    }

    /// Returns every topic that was asked for, in no order.
    pub fn topics(&self) -> impl Iterator<Item = &Arc<TopicMetadata>> {
        self.topics.iter().map(|(_, topic)| topic)
    }

    /// Returns how many topics [`Cluster::topics`] has.
    #[must_use]
    pub fn topic_count(&self) -> usize {
        self.topics.len()
    }

    /// Returns the topics that are new or changed since an earlier snapshot, at a cost that goes by the changes.
    pub fn topics_since<'a>(
        &'a self,
        earlier: &'a Self,
    ) -> impl Iterator<Item = &'a Arc<TopicMetadata>> {
        let candidates = self.topics.since(&earlier.topics);
        let changed = candidates.filter(|(name, topic)| {
            let known = earlier.topics.get(*name);
            known.is_none_or(|known| !Arc::ptr_eq(known, topic))
        });
        changed.map(|(_, topic)| topic)
    }

    /// Returns the leader of a partition; `None` while there is none or the partition is unknown.
    #[must_use]
    pub fn leader(&self, topic: &str, partition: i32) -> Option<Leader> {
        self.topic(topic)?.leader(partition)
    }

    /// Returns this snapshot with a metadata answer of `api_version` merged in; `None` when it says nothing new.
    #[must_use]
    pub fn merge(
        &self,
        response: &MetadataResponse,
        api_version: i16,
        scope: Scope,
    ) -> Option<Self> {
        let mut next = self.clone();
        let mut changed = next.merge_identity(response);
        changed |= next.merge_brokers(&response.brokers);
        let reliable_epochs = api_version >= RELIABLE_EPOCHS_SINCE;
        for wire in &response.topics {
            let by_id = || next.names.get(&wire.topic_id).cloned();
            let Some(name) = wire.name.as_deref().map(Arc::from).or_else(by_id) else {
                continue;
            };
            let previous = next.topic(&name).map(Arc::as_ref);
            let merged = topic::merge(previous, &name, wire, reliable_epochs);
            changed |= next.put(name, merged);
        }
        if scope == Scope::All {
            changed |= next.drop_absent(response);
        }
        next.published(changed)
    }

    /// Returns this snapshot with leaders that brokers named along with an error; `None` when nothing is newer.
    ///
    /// A hint counts only if its epoch is newer than ours and its broker's address is known.
    #[must_use]
    pub fn apply_leader_hints(
        &self,
        hints: &[LeaderHint<'_>],
        nodes: &[BrokerNode],
    ) -> Option<Self> {
        let mut next = self.clone();
        let mut changed = false;
        for hint in hints {
            let Some(topic) = next.topic(hint.topic) else {
                continue;
            };
            let endpoint = nodes.iter().find(|node| node.id == hint.leader.node);
            if endpoint.is_none() && next.broker(hint.leader.node).is_none() {
                continue;
            }
            let Some(topic) = topic.with_leader(hint.partition, hint.leader) else {
                continue;
            };
            if let Some(endpoint) = endpoint
                && next.broker(endpoint.id).map(Arc::as_ref) != Some(endpoint)
            {
                Arc::make_mut(&mut next.brokers).insert(endpoint.id, Arc::new(endpoint.clone()));
            }
            changed |= next.put(hint.topic.into(), topic);
        }
        next.published(changed)
    }

    /// Returns this snapshot without topics that are no longer in use; `None` when it has none of them.
    #[must_use]
    pub fn forget(&self, names: &[&str]) -> Option<Self> {
        let mut next = self.clone();
        let mut changed = false;
        for name in names {
            changed |= next.take(name);
        }
        next.published(changed)
    }

    fn published(mut self, changed: bool) -> Option<Self> {
        self.version += 1;
        changed.then_some(self)
    }

    fn merge_identity(&mut self, response: &MetadataResponse) -> bool {
        let controller = (response.controller_id >= 0).then_some(response.controller_id);
        let mut changed = self.controller != controller;
        self.controller = controller;
        if response.cluster_id.is_some() && self.cluster_id != response.cluster_id {
            if self.cluster_id.is_some() {
                // The address now leads to another cluster, so epochs and topic ids of the old one mean nothing.
                self.topics = Sharded::default();
                self.names = Sharded::default();
            }
            self.cluster_id.clone_from(&response.cluster_id);
            changed = true;
        }
        changed
    }

    /// Replaces the brokers, because a response has every live one. An empty list comes from a broker that is still
    /// starting, and is ignored.
    fn merge_brokers(&mut self, wire: &[MetadataResponseBroker]) -> bool {
        let brokers: BTreeMap<i32, Arc<BrokerNode>> = wire
            .iter()
            .filter_map(|broker| {
                let node = BrokerNode {
                    id: broker.node_id,
                    host: broker.host.clone(),
                    port: u16::try_from(broker.port).ok()?,
                    rack: broker.rack.clone(),
                };
                Some((node.id, Arc::new(node)))
            })
            .collect();
        if brokers.is_empty() || *self.brokers == brokers {
            return false;
        }
        self.brokers = Arc::new(brokers);
        true
    }

    fn put(&mut self, name: Arc<str>, topic: TopicMetadata) -> bool {
        let previous = self.topics.get(&name);
        if previous.is_some_and(|previous| **previous == topic) {
            return false;
        }
        let old_id = previous.map_or(Uuid::ZERO, |previous| previous.id);
        if old_id != topic.id {
            self.names.remove(&old_id);
            if !topic.id.is_zero() {
                self.names.insert(topic.id, Arc::clone(&name));
            }
        }
        self.topics.insert(name, Arc::new(topic));
        true
    }

    fn take(&mut self, name: &str) -> bool {
        let Some(topic) = self.topics.remove(name) else {
            return false;
        };
        self.names.remove(&topic.id);
        true
    }

    fn drop_absent(&mut self, response: &MetadataResponse) -> bool {
        let present: std::collections::HashSet<&str> = response
            .topics
            .iter()
            .filter_map(|topic| topic.name.as_deref())
            .collect();
        let absent: Vec<Arc<str>> = self
            .topics
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !present.contains(name.as_ref()))
            .cloned()
            .collect();
        for name in &absent {
            self.take(name);
        }
        !absent.is_empty()
    }
}

#[cfg(test)]
mod tests;
