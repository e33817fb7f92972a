//! What a member owns, and which changes of it the application is still carrying out.

use std::collections::{BTreeMap, BTreeSet};

use super::error::GroupError;
use super::event::{Change, ChangeId, ChangeKind};
use crate::config::TopicPartition;

/// Owned partitions, each with the serial number of its assignment: a partition that went and came back has another one, so
/// that a commit made before does not count after.
#[derive(Debug, Default)]
pub(super) struct Ownership {
    owned: BTreeMap<TopicPartition, u64>,
    /// Being given up: owned until the change is done.
    revoking: BTreeMap<ChangeId, Vec<TopicPartition>>,
    /// Lost, and the application has not finished hearing of it.
    losing: BTreeSet<ChangeId>,
    next: u64,
}

impl Ownership {
    /// Everything owned, being given up or not.
    pub(super) fn owned(&self) -> impl Iterator<Item = &TopicPartition> {
        self.owned.keys()
    }

    pub(super) fn owns(&self, partition: &TopicPartition) -> bool {
        self.owned.contains_key(partition)
    }

    /// Which assignment of it this is.
    pub(super) fn serial(&self, partition: &TopicPartition) -> Option<u64> {
        self.owned.get(partition).copied()
    }

    /// Whether nothing is being given up or mourned.
    pub(super) fn is_settled(&self) -> bool {
        self.revoking.is_empty() && self.losing.is_empty()
    }

    /// Adds partitions.
    pub(super) fn assign(&mut self, mut partitions: Vec<TopicPartition>) -> Change {
        partitions.sort_unstable();
        let change = self.change(ChangeKind::Assigned, partitions);
        for partition in &change.partitions {
            self.owned.insert(partition.clone(), change.id.0);
        }
        change
    }

    /// Starts to give up those of the owned partitions that are not being given up yet; `None` when there are none.
    pub(super) fn revoke(
        &mut self,
        mut gone: impl FnMut(&TopicPartition) -> bool,
    ) -> Option<Change> {
        let revoking: BTreeSet<&TopicPartition> = self.revoking.values().flatten().collect();
        let partitions: Vec<TopicPartition> = self
            .owned
            .keys()
            .filter(|partition| !revoking.contains(partition) && gone(partition))
            .cloned()
            .collect();
        if partitions.is_empty() {
            return None;
        }
        let change = self.change(ChangeKind::Revoked, partitions);
        self.revoking.insert(change.id, change.partitions.clone());
        Some(change)
    }

    /// Nothing is owned any more. Partitions that the application gives up at the moment are not told of again.
    pub(super) fn lose(&mut self, error: GroupError) -> Option<Change> {
        let revoking: BTreeSet<TopicPartition> =
            self.revoking.values().flatten().cloned().collect();
        let owned = std::mem::take(&mut self.owned);
        let partitions: Vec<TopicPartition> = owned
            .into_keys()
            .filter(|partition| !revoking.contains(partition))
            .collect();
        if partitions.is_empty() {
            return None;
        }
        let change = self.change(ChangeKind::Lost(error), partitions);
        self.losing.insert(change.id);
        Some(change)
    }

    /// The application has carried out a change. False when there was nothing to wait for.
    pub(super) fn done(&mut self, id: ChangeId) -> bool {
        if let Some(partitions) = self.revoking.remove(&id) {
            for partition in &partitions {
                // Assigned anew meanwhile, after a loss: that one stays.
                if self
                    .owned
                    .get(partition)
                    .is_some_and(|serial| *serial < id.0)
                {
                    self.owned.remove(partition);
                }
            }
            return true;
        }
        self.losing.remove(&id)
    }

    fn change(&mut self, kind: ChangeKind, partitions: Vec<TopicPartition>) -> Change {
        self.next += 1;
        Change {
            id: ChangeId(self.next),
            kind,
            partitions,
        }
    }
}
