//! What is committed.

use std::collections::BTreeMap;
use std::sync::Arc;

use kafkars_protocol::Uuid;

use crate::config::TopicPartition;

/// Offsets by partition.
pub type Offsets = BTreeMap<TopicPartition, OffsetAndMetadata>;

/// What is committed for a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OffsetAndMetadata {
    /// The next record to read.
    pub offset: i64,
    /// Leader epoch of the last record read, for noticing truncation (KIP-320); -1 when unknown.
    pub leader_epoch: i32,
    /// Anything the application wants to keep along with it.
    pub metadata: Arc<str>,
    /// The topic in which it was reached: a topic that is made again has another identifier, and this offset says
    /// nothing of it. [`Uuid::ZERO`] when unknown.
    pub topic_id: Uuid,
}

impl OffsetAndMetadata {
    /// An offset with nothing else.
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
