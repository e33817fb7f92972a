//! The cluster as a sender sees it.

use kafkars_protocol::Uuid;

/// What the sender must know of the cluster.
pub trait View {
    /// Returns a number that changes whenever another method's answer may have, except for connections.
    fn metadata_version(&self) -> u64;
    /// Returns the node that leads a partition, where known.
    fn leader(&self, topic: &str, partition: i32) -> Option<i32>;
    /// Returns the topic's id, which newer versions of Produce name topics by; zero where unknown.
    fn topic_id(&self, topic: &str) -> Uuid;
    /// Returns true if a request can be sent to the node now.
    fn is_connected(&self, node: i32) -> bool;
    /// Returns true if metadata names the topic, and too few partitions of it: it was made again meanwhile. Also, for
    /// producers that do not wait for it to be made again, if metadata denies the topic.
    fn is_gone(&self, _topic: &str, _partition: i32) -> bool {
        false
    }
    /// Returns what metadata says against sending to a partition, for errors: no leader, no such partition or broker.
    fn obstacle(&self, _topic: &str, _partition: i32) -> Option<String> {
        None
    }
}
