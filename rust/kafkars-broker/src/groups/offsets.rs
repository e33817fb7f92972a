//! Offsets that groups have committed, and those that wait for the end of a transaction.

use std::collections::{BTreeMap, BTreeSet};

use kafkars_protocol::ErrorCode;
use serde::{Deserialize, Serialize};

/// Bytes that one commit may take besides its text: keys of maps, numbers.
const ENTRY_BYTES: usize = 200;

type OffsetKey = (String, i32);

/// The committed offsets of all groups.
#[derive(Debug)]
pub(crate) struct CommittedOffsets {
    groups: BTreeMap<String, GroupOffsets>,
    metadata_max_bytes: usize,
    /// Bytes that all commits take, and may take.
    bytes: usize,
    max_bytes: usize,
    /// The commits since the last look, other than by transactions; none where nobody looks.
    changed: Option<BTreeSet<(String, String, i32)>>,
}

#[derive(Debug, Default)]
struct GroupOffsets {
    committed: BTreeMap<OffsetKey, CommittedOffset>,
    /// By producer id, the offsets that become committed when its transaction is.
    pending: BTreeMap<i64, BTreeMap<OffsetKey, CommittedOffset>>,
}

/// A committed offset: where a group will go on reading a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CommittedOffset {
    pub(crate) offset: i64,
    pub(crate) leader_epoch: i32,
    pub(crate) metadata: String,
    /// The time of the commit, in ms since 1970.
    pub(crate) committed_at: i64,
    /// The time when the offset is forgotten whatever the group does: versions 2 to 4 of `OffsetCommit` can say so.
    pub(crate) expires_at: Option<i64>,
}

impl Default for CommittedOffset {
    fn default() -> Self {
        Self {
            offset: -1,
            leader_epoch: -1,
            metadata: String::new(),
            committed_at: 0,
            expires_at: None,
        }
    }
}

impl CommittedOffsets {
    pub(super) fn new(metadata_max_bytes: usize, max_bytes: usize) -> Self {
        Self {
            groups: BTreeMap::new(),
            metadata_max_bytes,
            bytes: 0,
            max_bytes,
            changed: None,
        }
    }

    /// Takes the commits since the last time, some of which may have been deleted meanwhile. Commits are noted from now
    /// on.
    pub(crate) fn take_changed(&mut self) -> BTreeSet<(String, String, i32)> {
        self.changed.replace(BTreeSet::new()).unwrap_or_default()
    }

    pub(crate) fn commit(
        &mut self,
        group: &str,
        topic: &str,
        partition: i32,
        committed: CommittedOffset,
    ) -> Result<(), ErrorCode> {
        self.check(topic, &committed)?;
        if let Some(changed) = &mut self.changed {
            changed.insert((group.to_owned(), topic.to_owned(), partition));
        }
        self.store(group, (topic.to_owned(), partition), committed);
        Ok(())
    }

    /// Keeps an offset until the transaction of its producer ends.
    pub(crate) fn commit_pending(
        &mut self,
        producer_id: i64,
        group: &str,
        topic: &str,
        partition: i32,
        committed: CommittedOffset,
    ) -> Result<(), ErrorCode> {
        self.check(topic, &committed)?;
        self.bytes += size_of(topic, &committed);
        let offsets = self.groups.entry(group.to_owned()).or_default();
        let pending = offsets.pending.entry(producer_id).or_default();
        let before = pending.insert((topic.to_owned(), partition), committed);
        if let Some(before) = before {
            self.bytes -= size_of(topic, &before);
        }
        Ok(())
    }

    /// Ends the transaction of a producer: what it committed for `group` holds from now on, or never did.
    pub(crate) fn end_transaction(&mut self, producer_id: i64, group: &str, committed: bool) {
        let Some(offsets) = self.groups.get_mut(group) else {
            return;
        };
        for (key, offset) in offsets.pending.remove(&producer_id).unwrap_or_default() {
            self.bytes -= size_of(&key.0, &offset);
            if committed {
                self.store(group, key, offset);
            }
        }
        self.forget_if_empty(group);
    }

    /// True if a transaction that has not ended has committed an offset of this partition.
    pub(crate) fn is_pending(&self, group: &str, topic: &str, partition: i32) -> bool {
        let key = (topic.to_owned(), partition);
        self.groups.get(group).is_some_and(|offsets| {
            offsets
                .pending
                .values()
                .any(|pending| pending.contains_key(&key))
        })
    }

    pub(crate) fn committed(
        &self,
        group: &str,
        topic: &str,
        partition: i32,
    ) -> Option<&CommittedOffset> {
        self.groups
            .get(group)?
            .committed
            .get(&(topic.to_owned(), partition))
    }

    /// The partitions a group has committed, by topic.
    pub(crate) fn partitions(&self, group: &str) -> BTreeMap<&str, Vec<i32>> {
        let mut topics: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
        let committed = self.groups.get(group).map(|offsets| &offsets.committed);
        for (topic, partition) in committed.into_iter().flat_map(BTreeMap::keys) {
            topics.entry(topic).or_default().push(*partition);
        }
        topics
    }

    /// True if a group has nothing committed, for good or in a transaction.
    pub(crate) fn is_empty(&self, group: &str) -> bool {
        !self.groups.contains_key(group)
    }

    /// Every offset of every group, to be kept across a restart. What transactions have not ended is not among them.
    pub(crate) fn snapshot(&self) -> impl Iterator<Item = (&str, &str, i32, &CommittedOffset)> {
        self.groups.iter().flat_map(|(group, offsets)| {
            let committed = offsets.committed.iter();
            committed.map(move |((topic, partition), committed)| {
                (group.as_str(), topic.as_str(), *partition, committed)
            })
        })
    }

    /// The offsets that transactions have committed which have not ended, with the producer of each.
    pub(crate) fn pending(&self) -> impl Iterator<Item = (i64, &str, &str, i32, &CommittedOffset)> {
        self.groups.iter().flat_map(|(group, offsets)| {
            offsets.pending.iter().flat_map(move |(producer, pending)| {
                pending.iter().map(move |((topic, partition), committed)| {
                    (
                        *producer,
                        group.as_str(),
                        topic.as_str(),
                        *partition,
                        committed,
                    )
                })
            })
        })
    }

    /// Forgets what one group has committed of one partition; returns true if there was something.
    pub(super) fn delete(&mut self, group: &str, topic: &str, partition: i32) -> bool {
        let key = (topic.to_owned(), partition);
        let removed = self
            .groups
            .get_mut(group)
            .and_then(|offsets| offsets.committed.remove(&key));
        if let Some(removed) = &removed {
            self.bytes -= size_of(topic, removed);
        }
        self.forget_if_empty(group);
        removed.is_some()
    }

    pub(super) fn delete_group(&mut self, group: &str) {
        if let Some(offsets) = self.groups.remove(group) {
            self.bytes -= offsets.bytes();
        }
    }

    /// Forgets the commits of one group that `expired` says have had their time, unless a transaction is about to
    /// replace them.
    pub(super) fn expire(&mut self, group: &str, expired: impl Fn(&str, &CommittedOffset) -> bool) {
        let Some(offsets) = self.groups.get_mut(group) else {
            return;
        };
        let before = offsets.bytes();
        let GroupOffsets { committed, pending } = offsets;
        committed.retain(|key, committed| {
            !expired(&key.0, committed) || pending.values().any(|keys| keys.contains_key(key))
        });
        self.bytes -= before - offsets.bytes();
        self.forget_if_empty(group);
    }

    /// Forgets what was committed of a topic that is gone.
    pub(crate) fn forget_topic(&mut self, topic: &str) {
        for offsets in self.groups.values_mut() {
            let before = offsets.bytes();
            offsets.committed.retain(|(name, _), _| name != topic);
            for pending in offsets.pending.values_mut() {
                pending.retain(|(name, _), _| name != topic);
            }
            offsets.pending.retain(|_, pending| !pending.is_empty());
            self.bytes -= before - offsets.bytes();
        }
        self.groups.retain(|_, offsets| !offsets.is_empty());
    }

    fn check(&self, topic: &str, committed: &CommittedOffset) -> Result<(), ErrorCode> {
        // As Kafka does, which counts the units of a Java string.
        if committed.metadata.encode_utf16().count() > self.metadata_max_bytes {
            return Err(ErrorCode::OffsetMetadataTooLarge);
        }
        if self.bytes + size_of(topic, committed) > self.max_bytes {
            return Err(ErrorCode::InvalidCommitOffsetSize);
        }
        Ok(())
    }

    fn store(&mut self, group: &str, key: OffsetKey, committed: CommittedOffset) {
        self.bytes += size_of(&key.0, &committed);
        let topic = key.0.clone();
        let offsets = self.groups.entry(group.to_owned()).or_default();
        if let Some(before) = offsets.committed.insert(key, committed) {
            self.bytes -= size_of(&topic, &before);
        }
    }

    fn forget_if_empty(&mut self, group: &str) {
        if self.groups.get(group).is_some_and(GroupOffsets::is_empty) {
            self.groups.remove(group);
        }
    }
}

impl GroupOffsets {
    fn is_empty(&self) -> bool {
        self.committed.is_empty() && self.pending.is_empty()
    }

    fn bytes(&self) -> usize {
        let all = self.pending.values().flatten().chain(&self.committed);
        all.map(|((topic, _), committed)| size_of(topic, committed))
            .sum()
    }
}

fn size_of(topic: &str, committed: &CommittedOffset) -> usize {
    ENTRY_BYTES + topic.len() + committed.metadata.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(offset: i64) -> CommittedOffset {
        CommittedOffset {
            offset,
            ..CommittedOffset::default()
        }
    }

    fn offsets() -> CommittedOffsets {
        CommittedOffsets::new(10, 1000)
    }

    fn committed(offsets: &CommittedOffsets) -> Option<i64> {
        offsets
            .committed("g", "t", 0)
            .map(|committed| committed.offset)
    }

    #[test]
    fn a_transaction_commits_its_offsets_when_it_ends() {
        let mut offsets = offsets();
        offsets.commit("g", "t", 0, at(1)).unwrap();
        offsets.commit_pending(7, "g", "t", 0, at(5)).unwrap();
        assert!(offsets.is_pending("g", "t", 0));
        assert_eq!(committed(&offsets), Some(1));
        offsets.end_transaction(7, "g", true);
        assert!(!offsets.is_pending("g", "t", 0));
        assert_eq!(committed(&offsets), Some(5));
    }

    #[test]
    fn an_aborted_transaction_leaves_nothing() {
        let mut offsets = offsets();
        offsets.commit_pending(7, "g", "t", 0, at(5)).unwrap();
        offsets.end_transaction(7, "g", false);
        assert!(offsets.is_empty("g"));
        assert_eq!(offsets.bytes, 0);
    }

    #[test]
    fn what_a_transaction_is_about_to_replace_does_not_expire() {
        let mut offsets = offsets();
        offsets.commit("g", "t", 0, at(1)).unwrap();
        offsets.commit("g", "t", 1, at(1)).unwrap();
        offsets.commit_pending(7, "g", "t", 0, at(5)).unwrap();
        offsets.expire("g", |_, _| true);
        assert_eq!(committed(&offsets), Some(1));
        assert!(offsets.committed("g", "t", 1).is_none());
    }

    #[test]
    fn metadata_is_as_long_as_its_string_is_in_java() {
        let of_length = |length| CommittedOffset {
            metadata: "é".repeat(length),
            ..at(1)
        };
        let mut offsets = offsets();
        assert_eq!(offsets.commit("g", "t", 0, of_length(10)), Ok(()));
        assert_eq!(
            offsets.commit("g", "t", 0, of_length(11)),
            Err(ErrorCode::OffsetMetadataTooLarge)
        );
    }

    #[test]
    fn commits_are_limited_in_size_and_all_together() {
        let mut offsets = offsets();
        let wordy = CommittedOffset {
            metadata: "m".repeat(11),
            ..at(1)
        };
        assert_eq!(
            offsets.commit("g", "t", 0, wordy),
            Err(ErrorCode::OffsetMetadataTooLarge)
        );
        for partition in 0..4 {
            offsets.commit("g", "t", partition, at(1)).unwrap();
        }
        assert_eq!(
            offsets.commit("g", "t", 4, at(1)),
            Err(ErrorCode::InvalidCommitOffsetSize)
        );
        offsets.forget_topic("t");
        assert_eq!(offsets.bytes, 0);
        offsets.commit("g", "t", 4, at(1)).unwrap();
    }
}
