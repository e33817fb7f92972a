//! What is left to do for the group when the application is gone, or has given up waiting: changes that it has not
//! carried out, and what it has finished and nobody has committed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{Change, ChangeId, ChangeKind, CommitError, Offsets};
use parking_lot::Mutex;

/// What the group's task does in the application's place.
#[derive(Debug, Default)]
pub(in crate::consumer) struct GroupEnding {
    /// Changes that nobody will carry out.
    pub(in crate::consumer) unfinished: Vec<Unfinished>,
    /// What is finished and not committed of partitions that have left the buffer before they left the group.
    pub(in crate::consumer) offsets: Offsets,
    /// Commits under way of partitions that were assigned by hand and are not any more, each as often as there are any.
    left: BTreeMap<TopicPartition, usize>,
    /// Whom the commits of the end concern.
    pub(super) last: Option<Arc<LastCommits>>,
}

/// A change that the application has not carried out.
#[derive(Debug)]
pub(in crate::consumer) struct Unfinished {
    pub(super) change: Change,
    // The partitions were lost meanwhile: there is nothing left to commit.
    pub(super) is_overtaken: bool,
}

/// A change that is carried out, as the group's task hears of it.
pub(in crate::consumer) struct ChangeDone {
    pub(super) id: ChangeId,
    /// Whether the partitions are still owned, and go when this is done: commits made before come first.
    pub(super) goes: bool,
    pub(super) commit: Offsets,
}

impl From<Change> for Unfinished {
    fn from(change: Change) -> Self {
        Self {
            change,
            is_overtaken: false,
        }
    }
}

impl Unfinished {
    /// The end of it, with those of the `finished` offsets that are to be committed before its partitions go.
    pub(super) fn end(&self, finished: &mut Offsets) -> ChangeDone {
        let goes = self.change.kind == ChangeKind::Revoked && !self.is_overtaken;
        let mut commit = Offsets::new();
        for partition in &self.change.partitions {
            if let Some(offset) = finished.remove(partition)
                && goes
            {
                commit.insert(partition.clone(), offset);
            }
        }
        ChangeDone {
            id: self.change.id,
            goes,
            commit,
        }
    }
}

/// What becomes of the commits that a consumer makes at its end.
#[derive(Debug, Default)]
pub(in crate::consumer) struct LastCommits(Mutex<CommitOutcomes>);

#[derive(Debug, Default)]
struct CommitOutcomes {
    open: BTreeSet<TopicPartition>,
    /// The same of partitions that were given up before.
    left: BTreeSet<TopicPartition>,
    failure: Option<CommitError>,
}

impl GroupEnding {
    /// Commits of partitions that were given up are under way.
    pub(super) fn left_begins(&mut self, offsets: &Offsets) {
        for partition in offsets.keys() {
            *self.left.entry(partition.clone()).or_default() += 1;
        }
    }

    /// One of them has ended. Whoever closes the consumer meanwhile hears of it.
    pub(super) fn left_ended(&mut self, offsets: &Offsets, outcome: Result<(), CommitError>) {
        for partition in offsets.keys() {
            if let Some(count) = self.left.get_mut(partition) {
                *count -= 1;
                if *count == 0 {
                    self.left.remove(partition);
                }
            }
        }
        if let Some(last) = &self.last {
            let mut outcomes = last.0.lock();
            outcomes.left = self.left.keys().cloned().collect();
            if let Err(error) = outcome {
                outcomes.failure.get_or_insert(error);
            }
        }
    }

    /// The consumer is being closed: from now on somebody hears of what is under way.
    pub(super) fn begin_last(&mut self) -> Arc<LastCommits> {
        let last = self.last.get_or_insert_default();
        last.0.lock().left = self.left.keys().cloned().collect();
        Arc::clone(last)
    }
}

impl LastCommits {
    pub(super) fn begin(&self, offsets: &Offsets) {
        self.0.lock().open.extend(offsets.keys().cloned());
    }

    /// A commit has ended; the first failure counts.
    pub(super) fn end(&self, offsets: &Offsets, outcome: Result<(), CommitError>) {
        let mut outcomes = self.0.lock();
        outcomes.open.retain(|one| !offsets.contains_key(one));
        if let Err(error) = outcome {
            outcomes.failure.get_or_insert(error);
        }
    }

    /// What came of all of them, when `limit` is over or all have ended.
    pub(super) fn outcome(&self, waited: Duration, limit: Duration) -> Result<(), CommitError> {
        let outcomes = self.0.lock();
        match &outcomes.failure {
            Some(error) => Err(error.clone()),
            None if outcomes.open.is_empty() && outcomes.left.is_empty() => Ok(()),
            None => Err(CommitError::TimedOut {
                partitions: outcomes.open.union(&outcomes.left).cloned().collect(),
                waited,
                limit,
                cause: "the consumer was closed before the coordinator answered".into(),
            }),
        }
    }
}
