//! What the group's task does when the application is gone or has given up waiting: it carries out the changes that the
//! application has not, and commits what was finished.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{Change, ChangeId, ChangeKind, CommitError, Offsets};
use parking_lot::Mutex;

/// What the group's task has to do in the application's place.
#[derive(Debug, Default)]
pub(in crate::consumer) struct GroupEnding {
    /// Changes that the application will not carry out.
    pub(in crate::consumer) unfinished: Vec<Unfinished>,
    /// Finished positions of partitions that have left the buffer before they left the group, not committed yet.
    pub(in crate::consumer) offsets: Offsets,
    /// Commits under way of partitions that were assigned by hand and are not any more: how many for each partition.
    left: BTreeMap<TopicPartition, usize>,
    /// The outcome of the commits that `close()` waits for.
    pub(super) last: Option<Arc<LastCommits>>,
}

/// A change that the application has not carried out.
#[derive(Debug)]
pub(in crate::consumer) struct Unfinished {
    pub(super) change: Change,
    // True if the partitions were lost meanwhile: then there is nothing left to commit.
    pub(super) is_overtaken: bool,
}

/// A change that was carried out, as the group's task is told.
pub(in crate::consumer) struct ChangeDone {
    pub(super) id: ChangeId,
    /// True if the partitions are still owned, and go when this is done: earlier commits come first.
    pub(super) goes: bool,
    pub(super) commit: Offsets,
    /// Finished positions of partitions that the group has taken away, which cannot be committed any more.
    pub(super) lost: Offsets,
    /// True if the application has been told that the partitions go, or will be.
    pub(super) is_heard: bool,
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
    /// True if the group has taken the partitions away, so that nothing of them can be committed.
    pub(super) fn is_loss(&self) -> bool {
        self.is_overtaken || matches!(self.change.kind, ChangeKind::Lost(_))
    }

    /// Completes a change, with those of the `finished` offsets that are to be committed before its partitions go.
    pub(super) fn end(&self, finished: &mut Offsets) -> ChangeDone {
        let goes = self.change.kind == ChangeKind::Revoked && !self.is_overtaken;
        let own = self.change.partitions.iter();
        let own = own.filter_map(|partition| finished.remove_entry(partition));
        let (commit, lost) = match goes {
            true => (own.collect(), Offsets::new()),
            false => (Offsets::new(), own.collect()),
        };
        ChangeDone {
            id: self.change.id,
            goes,
            commit,
            lost,
            is_heard: true,
        }
    }
}

/// Outcomes of the commits that a consumer makes at its end.
#[derive(Debug, Default)]
pub(in crate::consumer) struct LastCommits(Mutex<CommitOutcomes>);

#[derive(Debug, Default)]
struct CommitOutcomes {
    open: BTreeSet<TopicPartition>,
    /// As `open`, for partitions that were given up before.
    left: BTreeSet<TopicPartition>,
    failure: Option<CommitError>,
}

impl GroupEnding {
    /// Notes commits of partitions that were given up, which begin now.
    pub(super) fn left_begins(&mut self, offsets: &Offsets) {
        for partition in offsets.keys() {
            *self.left.entry(partition.clone()).or_default() += 1;
        }
    }

    /// Notes the outcome of such a commit, also for a `close()` that waits.
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

    /// Begins the end of the consumer: from now on the outcomes of commits under way are kept.
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

    /// Notes that a commit has ended; the first failure counts.
    pub(super) fn end(&self, offsets: &Offsets, outcome: Result<(), CommitError>) {
        let mut outcomes = self.0.lock();
        outcomes.open.retain(|one| !offsets.contains_key(one));
        if let Err(error) = outcome {
            outcomes.failure.get_or_insert(error);
        }
    }

    /// The outcome of all commits so far. Those that have not ended count as timed out.
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
                code: None,
            }),
        }
    }
}
