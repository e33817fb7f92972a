//! The partitions that a member owns, and the changes that the application is still carrying out.

use std::collections::{BTreeMap, BTreeSet};

use super::error::GroupError;
use super::event::{Change, ChangeId, ChangeKind};
use crate::config::TopicPartition;

/// Owned partitions, each with the serial number of its assignment: a partition that went and came back has another
/// one, so that a commit made before does not count after.
#[derive(Debug, Default)]
pub(super) struct Ownership {
    owned: BTreeMap<TopicPartition, u64>,
    /// Revocations under way: their partitions stay owned until the change is done.
    revoking: BTreeMap<ChangeId, Vec<TopicPartition>>,
    /// Losses that the application has not finished handling.
    losing: BTreeSet<ChangeId>,
    next: u64,
}

impl Ownership {
    /// All owned partitions, including those being revoked.
    pub(super) fn owned(&self) -> impl Iterator<Item = &TopicPartition> {
        self.owned.keys()
    }

    pub(super) fn owns(&self, partition: &TopicPartition) -> bool {
        self.owned.contains_key(partition)
    }

    /// The serial number of the assignment by which `partition` is owned.
    pub(super) fn serial(&self, partition: &TopicPartition) -> Option<u64> {
        self.owned.get(partition).copied()
    }

    /// True if nothing is owned.
    pub(super) fn is_empty(&self) -> bool {
        self.owned.is_empty()
    }

    /// True if no revocation and no loss is under way.
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

    /// Ends the ownership of all partitions, also of those being revoked: the loss supersedes their revocation.
    pub(super) fn lose(&mut self, error: GroupError) -> Option<Change> {
        self.revoking.clear();
        let owned = std::mem::take(&mut self.owned);
        if owned.is_empty() {
            return None;
        }
        let change = self.change(ChangeKind::Lost(error), owned.into_keys().collect());
        self.losing.insert(change.id);
        Some(change)
    }

    /// Notes that the application has carried out a change. False if nothing waited for it.
    pub(super) fn done(&mut self, id: ChangeId) -> bool {
        let Some(partitions) = self.revoking.remove(&id) else {
            return self.losing.remove(&id);
        };
        for partition in &partitions {
            self.owned.remove(partition);
        }
        true
    }

    fn change(&mut self, kind: ChangeKind, partitions: Vec<TopicPartition>) -> Change {
        self.next += 1;
        Change {
            id: ChangeId(self.next),
            kind,
            partitions,
            rejoins: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn partition(number: i32) -> TopicPartition {
        TopicPartition {
            topic: Arc::from("orders"),
            partition: number,
        }
    }

    fn error() -> GroupError {
        GroupError::GroupFull {
            group: Arc::from("group"),
        }
    }

    /// Another member may own the partition by now, so it must not be read on until a slow callback has run.
    #[test]
    fn a_loss_overtakes_pending_revocations() {
        let mut ownership = Ownership::default();
        let assigned = ownership.assign(vec![partition(0), partition(1)]);
        assert!(!ownership.done(assigned.id));
        let revoked = ownership.revoke(|one| one.partition == 0).unwrap();
        assert_eq!(revoked.partitions, [partition(0)]);

        let lost = ownership.lose(error()).unwrap();
        assert_eq!(lost.partitions, [partition(0), partition(1)]);
        assert_eq!(ownership.owned().count(), 0);
        assert!(!ownership.done(revoked.id));
        assert!(!ownership.is_settled());
        assert!(ownership.done(lost.id));
        assert!(ownership.is_settled());
    }

    #[test]
    fn revoked_partitions_stay_owned_until_the_change_is_done() {
        let mut ownership = Ownership::default();
        ownership.assign(vec![partition(0), partition(1)]);
        let revoked = ownership.revoke(|_| true).unwrap();
        assert!(ownership.revoke(|_| true).is_none());
        assert_eq!(ownership.owned().count(), 2);
        assert!(ownership.done(revoked.id));
        assert_eq!(ownership.owned().count(), 0);
    }

    #[test]
    fn a_partition_that_comes_back_has_another_serial() {
        let mut ownership = Ownership::default();
        ownership.assign(vec![partition(0)]);
        let before = ownership.serial(&partition(0));
        let lost = ownership.lose(error()).unwrap();
        ownership.done(lost.id);
        assert!(ownership.lose(error()).is_none());
        ownership.assign(vec![partition(0)]);
        assert_ne!(ownership.serial(&partition(0)), before);
    }
}
