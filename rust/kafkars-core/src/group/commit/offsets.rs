//! Offsets to be committed.

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_protocol::Uuid;

use crate::config::TopicPartition;

/// Offsets by partition.
pub type Offsets = BTreeMap<TopicPartition, OffsetAndMetadata>;

/// The offset to be committed for a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetAndMetadata {
    /// The offset of the next record to read.
    pub offset: i64,
    /// Leader epoch of the last record read, for noticing truncation (KIP-320); -1 when unknown.
    pub leader_epoch: i32,
    /// Anything the application wants to keep along with it.
    pub metadata: Arc<str>,
    /// The id of the topic in which the offset was reached: a topic that is deleted and created again has another id,
    /// and this offset says nothing about it. [`Uuid::ZERO`] when unknown.
    pub topic_id: Uuid,
}

impl OffsetAndMetadata {
    /// An offset without leader epoch, metadata and topic id.
    #[must_use]
    pub fn new(offset: i64) -> Self {
        Self {
            offset,
            leader_epoch: -1,
            metadata: "".into(),
            topic_id: Uuid::ZERO,
        }
    }
}
