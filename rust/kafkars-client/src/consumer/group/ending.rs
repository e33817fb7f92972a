//! What is left to do for the group when the application is gone, or has given up waiting: changes that it has not
//! carried out, and what it has finished and nobody has committed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{Change, ChangeId, ChangeKind, CommitError, Offsets};
use parking_lot::Mutex;

use crate::consumer::shared::{Inner, Shared};

/// What the group's task does in the application's place.
#[derive(Debug, Default)]
pub(in crate::consumer) struct Ending {
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
pub(in crate::consumer) struct LastCommits(Mutex<Outcomes>);

#[derive(Debug, Default)]
struct Outcomes {
    open: BTreeSet<TopicPartition>,
    /// The same of partitions that were given up before.
    left: BTreeSet<TopicPartition>,
    failure: Option<CommitError>,
}

impl Ending {
    /// Commits of partitions that were given up are under way.
    fn left_begins(&mut self, offsets: &Offsets) {
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

impl Inner {
    /// The application, or what it has read since, says something else about these partitions: what was kept for their
    /// revocation would take them back.
    pub(super) fn supersede(&mut self, offsets: &Offsets) {
        for partition in offsets.keys() {
            if self.ending.offsets.remove(partition).is_some() {
                self.buffer.note_queued([partition], None);
            }
        }
    }

    /// Keeps offsets for the revocation of their partitions. Until it is carried out a commit of them is to come.
    fn keep(&mut self, offsets: Offsets) {
        for (partition, offset) in offsets {
            if !self.ending.offsets.contains_key(&partition) {
                self.buffer.note_asked([&partition]);
            }
            self.ending.offsets.insert(partition, offset);
        }
    }
}

impl Shared {
    /// The application is gone: what it has not carried out or committed is left to the group's task.
    pub(in crate::consumer) fn keep_for_the_end(&self, inner: &mut Inner) {
        if !inner.assigned_by_hand {
            let finished = self.finished_of_itself(inner);
            inner.ending.offsets.extend(finished);
        }
        let Inner { queue, ending, .. } = inner;
        ending.unfinished.extend(queue.drain());
        if let Some(last) = &ending.last {
            last.begin(&ending.offsets);
        }
    }

    /// What the application has finished and automatic commits have not committed; nothing where there are none.
    pub(in crate::consumer) fn finished_of_itself(&self, inner: &mut Inner) -> Offsets {
        let group = self.group.as_deref();
        match group.is_some_and(|group| group.config.enable_auto_commit) {
            true => inner.finished_offsets(),
            false => Offsets::new(),
        }
    }

    /// Partitions have left the buffer at the application's wish: what it had `finished` before is not forgotten. What
    /// the group is still to take away is kept for that, beside what is kept already; returns the rest, which nobody
    /// will ever ask for again, to be committed at once. `was_by_hand` tells who had assigned them.
    pub(in crate::consumer) fn leave_behind(
        &self,
        inner: &mut Inner,
        mut finished: Offsets,
        was_by_hand: bool,
    ) -> Offsets {
        if inner.assigned_by_hand == was_by_hand {
            finished.retain(|partition, _| inner.buffer.cursor(partition).is_err());
        }
        if !was_by_hand {
            inner.keep(finished);
            return Offsets::new();
        }
        // A revocation that is still to come would take it back to where the group's reading had ended.
        for (partition, kept) in &mut inner.ending.offsets {
            if let Some(offset) = finished.remove(partition) {
                *kept = offset;
            }
        }
        inner.buffer.note_asked(finished.keys());
        inner.ending.left_begins(&finished);
        finished
    }

    /// Carries out a change: its partitions leave the buffer, unless that is the application's own by now.
    pub(super) fn carry_out(&self, inner: &mut Inner, change: &Unfinished) -> ChangeDone {
        if change.change.kind == ChangeKind::Revoked && !inner.assigned_by_hand {
            // Only of those that go: what stays is finished again later, and would be taken back to where it stands
            // now.
            let mut finished = self.finished_of_itself(inner);
            let gone = change.change.partitions.iter();
            let gone = gone.filter_map(|partition| finished.remove_entry(partition));
            inner.keep(gone.collect());
        }
        let kept = &mut inner.ending.offsets;
        let partitions = change.change.partitions.iter();
        let known: Vec<_> = partitions.filter(|one| kept.contains_key(one)).collect();
        let done = change.end(kept);
        let dropped = known.into_iter();
        let dropped = dropped.filter(|one| !done.commit.contains_key(one));
        inner.buffer.note_queued(dropped, None);
        if change.change.kind != ChangeKind::Assigned && !inner.assigned_by_hand {
            inner.buffer.remove(&change.change.partitions);
            inner.buffer.forget_unfinished(&change.change.partitions);
        }
        if let Some(last) = &inner.ending.last {
            last.begin(&done.commit);
        }
        done
    }

    /// Carries out what the application is still to hear of. It hears of that all the same, but nobody waits for it.
    pub(super) fn release_changes(&self) -> Vec<ChangeDone> {
        let mut inner = self.inner.lock();
        let released = inner.queue.release();
        released
            .iter()
            .map(|change| self.carry_out(&mut inner, change))
            .collect()
    }
}
