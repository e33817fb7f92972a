//! Carries out changes of the assignment: finished positions of revoked partitions are kept, and committed before the
//! partitions go.

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{ChangeKind, Offsets};

use super::ending::{ChangeDone, Unfinished};
use crate::consumer::shared::{ConsumerShared, ConsumerState};

impl ConsumerState {
    /// Drops what was kept for the revocation of these partitions, because a later commit, of the application or an
    /// automatic one, says something else: it would take the committed offset back.
    pub(super) fn supersede(&mut self, offsets: &Offsets) {
        for partition in offsets.keys() {
            if self.ending.offsets.remove(partition).is_some() {
                self.buffer.note_queued([partition], None);
            }
        }
    }

    /// Keeps offsets for the revocation of their partitions. Until it is carried out they count as about to be
    /// committed.
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
    /// Keeps what the application leaves behind at its end: changes that it has not carried out and positions that it
    /// has not committed, for the group's task.
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

    /// The positions that the application has finished and automatic commits have not committed; empty if commits are
    /// not automatic.
    pub(in crate::consumer) fn finished_of_itself(&self, inner: &mut ConsumerState) -> Offsets {
        let group = self.group.as_deref();
        match group.is_some_and(|group| group.config.enable_auto_commit) {
            true => inner.finished_offsets(),
            false => Offsets::new(),
        }
    }

    /// Handles partitions that the application has taken out of the buffer, of which it had `finished` positions. Those
    /// that the group is still to revoke are kept for that, beside what is kept already; the rest, which nobody will
    /// ask for again, is returned to be committed at once. `was_by_hand` tells who had assigned the partitions.
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
        // A revocation that is still to come would take them back to where the group's reading had ended.
        for (partition, kept) in &mut inner.ending.offsets {
            if let Some(offset) = finished.remove(partition) {
                *kept = offset;
            }
        }
        inner.buffer.note_asked(finished.keys());
        inner.ending.left_begins(&finished);
        finished
    }

    /// Carries out a change: its partitions leave the buffer, unless the application has assigned its own since.
    pub(super) fn carry_out(&self, inner: &mut ConsumerState, change: &Unfinished) -> ChangeDone {
        if change.change.kind == ChangeKind::Revoked && !inner.assigned_by_hand {
            // Only of the partitions that go: those that stay may be read on, and a later commit would be taken back to
            // this position.
            let mut finished = self.finished_of_itself(inner);
            let gone = change.change.partitions.iter();
            let gone = gone.filter_map(|partition| finished.remove_entry(partition));
            inner.keep(gone.collect());
        }
        let kept = &mut inner.ending.offsets;
        let partitions = change.change.partitions.iter();
        let known: Vec<_> = partitions.filter(|one| kept.contains_key(one)).collect();
        let mut done = change.end(kept);
        let dropped = known.into_iter();
        let dropped = dropped.filter(|one| !done.commit.contains_key(one));
        inner.buffer.note_queued(dropped, None);
        if change.is_loss() && !inner.assigned_by_hand {
            let finished = self.finished_of_itself(inner);
            let owned = |partition: &TopicPartition| change.change.partitions.contains(partition);
            let is_lost = |at: &TopicPartition| owned(at) && inner.buffer.is_used(at);
            done.lost
                .extend(finished.into_iter().filter(|(at, _)| is_lost(at)));
        }
        if change.change.kind != ChangeKind::Assigned && !inner.assigned_by_hand {
            let partitions = &change.change.partitions;
            let is_kept = inner.keeps_positions && done.goes && change.change.rejoins;
            if is_kept {
                inner.buffer.keep(partitions);
            }
            inner.buffer.remove(partitions);
            if !is_kept {
                inner.buffer.forget_unfinished(partitions);
                inner.buffer.forget_kept();
            }
        }
        if let Some(last) = &inner.ending.last {
            last.begin(&done.commit);
        }
        done
    }

    /// Carries out the changes that the application has not taken yet. It still takes their events, but nobody waits
    /// for that.
    pub(super) fn release_changes(&self) -> Vec<ChangeDone> {
        let mut inner = self.inner.lock();
        let released = inner.queue.release();
        released
            .iter()
            .map(|change| self.carry_out(&mut inner, change))
            .collect()
    }
}
