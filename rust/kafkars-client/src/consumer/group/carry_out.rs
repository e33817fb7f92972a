//! How partitions go: what is finished of them is kept, and committed before they do.

use kafkars_core::group::{ChangeKind, Offsets};

use super::ending::{ChangeDone, Unfinished};
use crate::consumer::shared::{ConsumerShared, ConsumerState};

impl ConsumerState {
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

impl ConsumerShared {
    /// The application is gone: what it has not carried out or committed is left to the group's task.
    pub(in crate::consumer) fn keep_for_the_end(&self, inner: &mut ConsumerState) {
        if !inner.assigned_by_hand {
            let finished = self.finished_of_itself(inner);
            inner.ending.offsets.extend(finished);
        }
        let ConsumerState { queue, ending, .. } = inner;
        ending.unfinished.extend(queue.drain());
        if let Some(last) = &ending.last {
            last.begin(&ending.offsets);
        }
    }

    /// What the application has finished and automatic commits have not committed; nothing where there are none.
    pub(in crate::consumer) fn finished_of_itself(&self, inner: &mut ConsumerState) -> Offsets {
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
        inner: &mut ConsumerState,
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
    pub(super) fn carry_out(&self, inner: &mut ConsumerState, change: &Unfinished) -> ChangeDone {
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
