//! Offsets that groups have committed.

use std::collections::BTreeMap;

use kafkars_protocol::ErrorCode;

/// Kafka's `offset.metadata.max.bytes`.
const METADATA_MAX_BYTES: usize = 4096;

/// By group, then by topic and partition.
#[derive(Debug, Default)]
pub(crate) struct Offsets {
    groups: BTreeMap<String, BTreeMap<(String, i32), Committed>>,
}

/// Where a group will go on reading a partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Committed {
    pub(crate) offset: i64,
    pub(crate) leader_epoch: i32,
    pub(crate) metadata: String,
}

impl Offsets {
    pub(crate) fn commit(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
        committed: Committed,
    ) -> Result<(), ErrorCode> {
        if committed.metadata.len() > METADATA_MAX_BYTES {
            return Err(ErrorCode::OffsetMetadataTooLarge);
        }
        let offsets = self.groups.entry(group.to_owned()).or_default();
        offsets.insert((topic.to_owned(), partition), committed);
        Ok(())
    }

    pub(crate) fn committed(&self, group: &str, topic: &str, partition: i32) -> Option<&Committed> {
        self.groups.get(group)?.get(&(topic.to_owned(), partition))
    }

    /// The partitions a group has committed, by topic.
    pub(crate) fn partitions(&self, group: &str) -> BTreeMap<&str, Vec<i32>> {
        let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        for (topic, partition) in self.groups.get(group).into_iter().flat_map(BTreeMap::keys) {
            topics.entry(topic).or_default().push(*partition);
        }
        topics
    }

    /// A topic is gone, and with it what was committed of it.
    pub(crate) fn forget_topic(&mut self, topic: &str) {
        for offsets in self.groups.values_mut() {
            offsets.retain(|(name, _), _| name != topic);
        }
    }
}
