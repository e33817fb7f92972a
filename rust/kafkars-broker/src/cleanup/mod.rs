//! Cleaning as `cleanup.policy` asks for it: old records are deleted, and of each key only the latest is kept.
//!
//! Kafka does both now and then, to whole segments but never to the one it appends to. Here both are done when asked
//! for, or at an interval of the cluster's clock, and every batch is a segment of its own that can be cleaned as soon
//! as it is there.

mod compaction;
mod transactions;

use crate::error::EmbeddedBrokerError;
use crate::topic::Topic;

/// Deletes what `retention.ms` and `retention.bytes` no longer keep; gives by how many offsets the beginnings have
/// moved.
pub(crate) fn retain(topic: &mut Topic, now: i64) -> u64 {
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

/// Compacts a topic where `cleanup.policy` has `compact`; gives how many records are gone.
pub(crate) fn compact(topic: &mut Topic, now: i64) -> Result<u64, EmbeddedBrokerError> {
    if !topic.config.compacted {
        return Ok(0);
    }
    let mut gone = 0;
    for (index, partition) in topic.partitions.iter_mut().enumerate() {
        let compacted = partition.compact(&topic.config, now);
        gone += compacted.map_err(|error| EmbeddedBrokerError::Compaction {
            topic: topic.name.clone(),
            partition: index as i32,
            reason: error.to_string(),
        })?;
    }
    Ok(gone)
}
