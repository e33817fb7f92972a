//! What `cleanup.policy` asks for: old records deleted, and of each key only the latest kept.
//!
//! Kafka does both now and then, to whole segments but never to the one it appends to. Here both are done when asked for, or at
//! an interval of the cluster's clock, and every batch is a segment of its own that can be cleaned as soon as it is there.

mod compaction;
mod transactions;

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::Cluster;
use crate::embedded::EmbeddedBroker;
use crate::error::BrokerError;
use crate::topic::Topic;

impl EmbeddedBroker {
    /// Deletes what `retention.ms` and `retention.bytes` no longer keep of a topic, or of all, where `cleanup.policy` has
    /// `delete`. Returns by how many offsets the beginnings of their partitions have moved.
    ///
    /// # Errors
    /// When there is no such topic, or the broker is stopped.
    pub fn run_retention(&self, topic: Option<&str>) -> Result<u64, BrokerError> {
        let cluster = self.running()?;
        self.each(topic, |topic| Ok(retain(topic, cluster.now())))
    }

    /// Compacts a topic, or all, where `cleanup.policy` has `compact`. Returns how many records are gone.
    ///
    /// # Errors
    /// When there is no such topic, a batch cannot be read, or the broker is stopped.
    pub fn compact(&self, topic: Option<&str>) -> Result<u64, BrokerError> {
        let cluster = self.running()?;
        self.each(topic, |topic| compact(topic, cluster.now()))
    }

    fn each(
        &self,
        name: Option<&str>,
        mut clean: impl FnMut(&mut Topic) -> Result<u64, BrokerError>,
    ) -> Result<u64, BrokerError> {
        let mut state = self.running()?.state();
        let Some(name) = name else {
            return state.topics_mut().map(clean).sum();
        };
        let found = state.topic_mut(name);
        clean(found.ok_or_else(|| BrokerError::UnknownTopic(name.to_owned()))?)
    }
}

/// Runs as long as the cluster, which is asked to clean at an interval of its clock.
pub(crate) async fn run(cluster: Arc<Cluster>, interval: Duration) {
    let interval = i64::try_from(interval.as_millis()).unwrap_or(i64::MAX);
    loop {
        let due = cluster.now().saturating_add(interval.max(1));
        cluster.clock.until(due).await;
        let now = cluster.now();
        for topic in cluster.state().topics_mut() {
            retain(topic, now);
            if let Err(error) = compact(topic, now) {
                tracing::warn!(topic = topic.name, %error, "cannot compact");
            }
        }
    }
}

fn retain(topic: &mut Topic, now: i64) -> u64 {
    let config = &topic.config;
    let mut moved = 0;
    for partition in &mut topic.partitions {
        let before = partition.log.start_offset();
        let mut start = before;
        if let Some(keep) = config.retention_ms {
            start = partition.log.first_since(now.saturating_sub(keep));
        }
        if let Some(keep) = config.retention_bytes {
            start = start.max(partition.log.first_of_last(keep));
        }
        if start > before {
            moved += partition.delete_before(start).abs_diff(before);
        }
    }
    moved
}

fn compact(topic: &mut Topic, now: i64) -> Result<u64, BrokerError> {
    if !topic.config.compacted {
        return Ok(0);
    }
    let mut gone = 0;
    for (index, partition) in topic.partitions.iter_mut().enumerate() {
        let compacted = partition.compact(&topic.config, now);
        gone += compacted.map_err(|error| BrokerError::Compaction {
            topic: topic.name.clone(),
            partition: index as i32,
            reason: error.to_string(),
        })?;
    }
    Ok(gone)
}
