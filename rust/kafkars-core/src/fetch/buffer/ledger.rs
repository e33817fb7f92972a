//! The ledger of committed offsets: which offsets the coordinator has, as far as that is known while commits are under
//! way.

use std::collections::HashMap;

use crate::config::TopicPartition;
use crate::group::CommitId;

/// One entry per partition that was committed, or looked up, since it was assigned.
///
/// A commit under way may arrive or not, so from the moment it is asked for the committed offset counts as unknown,
/// until the latest commit has succeeded. An unknown offset costs at most an unneeded commit; to take an older commit
/// for the latest one would lose records.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: HashMap<TopicPartition, LedgerEntry>,
}

#[derive(Debug, Default)]
struct LedgerEntry {
    /// How many commits were asked for and are not in the queue yet.
    asked: u32,
    /// The latest commit in the queue.
    queued: Option<CommitId>,
    /// The offset that the coordinator is known to have.
    known: Option<i64>,
}

impl LedgerEntry {
    fn is_under_way(&self) -> bool {
        self.asked > 0 || self.queued.is_some()
    }
}

impl Ledger {
    /// Returns true if the coordinator is known to have this offset.
    pub(super) fn has(&self, partition: &TopicPartition, offset: i64) -> bool {
        let entry = self.entries.get(partition);
        entry.is_some_and(|entry| entry.known == Some(offset))
    }

    /// Returns true if a commit was asked for that has not ended.
    pub(super) fn is_under_way(&self, partition: &TopicPartition) -> bool {
        let entry = self.entries.get(partition);
        entry.is_some_and(LedgerEntry::is_under_way)
    }

    /// Forgets a partition that is not assigned any more: others may commit for it.
    pub(super) fn forget(&mut self, partition: &TopicPartition) {
        if let Some(entry) = self.entries.get_mut(partition) {
            entry.known = None;
            if !entry.is_under_way() {
                self.entries.remove(partition);
            }
        }
    }

    /// Forgets a partition whose topic was created again: committed offsets and commits under way belong to the former
    /// topic.
    pub(super) fn begin_anew(&mut self, partition: &TopicPartition) {
        self.entries.remove(partition);
    }

    /// Notes that a commit was asked for.
    pub(super) fn asked(&mut self, partition: &TopicPartition) {
        let entry = self.entries.entry(partition.clone()).or_default();
        entry.asked += 1;
        entry.known = None;
    }

    /// Notes that a commit that was asked for is in the queue with this id, or was not accepted.
    pub(super) fn queued(&mut self, partition: &TopicPartition, id: Option<CommitId>) {
        if let Some(entry) = self.entries.get_mut(partition) {
            entry.asked = entry.asked.saturating_sub(1);
            entry.queued = id.or(entry.queued);
        }
    }

    /// Notes that a commit has ended; `committed` is the offset that the coordinator has stored, if it has.
    pub(super) fn ended(
        &mut self,
        partition: &TopicPartition,
        id: CommitId,
        committed: Option<i64>,
    ) {
        if let Some(entry) = self.entries.get_mut(partition)
            && entry.queued == Some(id)
        {
            entry.queued = None;
            entry.known = committed.filter(|_| entry.asked == 0);
        }
    }

    /// Notes that a look-up of the committed offset returned this one, perhaps from before a commit.
    pub(super) fn found(&mut self, partition: &TopicPartition, offset: i64) {
        let fresh = || LedgerEntry {
            known: Some(offset),
            ..LedgerEntry::default()
        };
        let entry = self.entries.entry(partition.clone());
        let entry = entry.or_insert_with(fresh);
        entry.known = entry.known.filter(|known| *known == offset);
    }
}
