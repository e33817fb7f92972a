//! What the group's coordinator has of each partition, as far as that is known while commits are under way.

use std::collections::HashMap;

use super::FetchBuffer;
use crate::config::TopicPartition;
use crate::group::CommitId;

/// One entry per partition that was committed, or looked up, since it was assigned.
///
/// A commit that is under way may arrive or not, so nothing is known from the moment it is asked for until the latest
/// one has succeeded. To know nothing costs a commit that was not needed; to take an older commit for the latest one
/// loses records.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    entries: HashMap<TopicPartition, Entry>,
}

#[derive(Debug, Default)]
struct Entry {
    /// Commits that were asked for and are not in the queue yet.
    asked: u32,
    /// The latest commit in the queue.
    queued: Option<CommitId>,
    /// What the coordinator has.
    known: Option<i64>,
}

impl Entry {
    fn is_under_way(&self) -> bool {
        self.asked > 0 || self.queued.is_some()
    }
}

impl Ledger {
    /// Whether the coordinator is known to have this offset.
    pub(super) fn has(&self, partition: &TopicPartition, offset: i64) -> bool {
        let entry = self.entries.get(partition);
        entry.is_some_and(|entry| entry.known == Some(offset))
    }

    /// Whether a commit was asked for that has not ended.
    pub(super) fn is_under_way(&self, partition: &TopicPartition) -> bool {
        let entry = self.entries.get(partition);
        entry.is_some_and(Entry::is_under_way)
    }

    /// The partition is not assigned any more: others may commit for it.
    pub(super) fn forget(&mut self, partition: &TopicPartition) {
        if let Some(entry) = self.entries.get_mut(partition) {
            entry.known = None;
            if !entry.is_under_way() {
                self.entries.remove(partition);
            }
        }
    }
}

impl FetchBuffer {
    /// The topic was made again: what the coordinator has, and what is under way, is of another one.
    pub(super) fn forget_commits(&mut self, partition: &TopicPartition) {
        self.ledger.entries.remove(partition);
    }

    /// A commit of these partitions was asked for. [`FetchBuffer::note_queued`] follows.
    pub fn note_asked<'a>(&mut self, partitions: impl IntoIterator<Item = &'a TopicPartition>) {
        for partition in partitions {
            let entry = self.ledger.entries.entry(partition.clone()).or_default();
            entry.asked += 1;
            entry.known = None;
        }
    }

    /// A commit of these partitions is in the queue with this id, or was not taken. Of commits in the queue
    /// [`FetchBuffer::note_ended`] follows.
    pub fn note_queued<'a>(
        &mut self,
        partitions: impl IntoIterator<Item = &'a TopicPartition>,
        id: Option<CommitId>,
    ) {
        for partition in partitions {
            if let Some(entry) = self.ledger.entries.get_mut(partition) {
                entry.asked = entry.asked.saturating_sub(1);
                entry.queued = id.or(entry.queued);
            }
            self.prune(partition);
        }
    }

    /// A commit has ended; `committed` is what the coordinator took of the partition.
    pub fn note_ended(&mut self, partition: &TopicPartition, id: CommitId, committed: Option<i64>) {
        if let Some(entry) = self.ledger.entries.get_mut(partition)
            && entry.queued == Some(id)
        {
            entry.queued = None;
            entry.known = committed.filter(|_| entry.asked == 0);
        }
        self.prune(partition);
    }

    /// The coordinator was asked, and has this offset. That may have been before a commit.
    pub fn note_found(&mut self, partition: &TopicPartition, offset: i64) {
        let fresh = || Entry {
            known: Some(offset),
            ..Entry::default()
        };
        let entries = &mut self.ledger.entries;
        let entry = entries.entry(partition.clone()).or_insert_with(fresh);
        entry.known = entry.known.filter(|known| *known == offset);
    }

    fn prune(&mut self, partition: &TopicPartition) {
        if !self.by_partition.contains_key(partition) {
            self.ledger.forget(partition);
        }
    }
}
