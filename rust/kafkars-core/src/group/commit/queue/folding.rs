//! Commits whose outcome nobody gets: an application may make them faster than they can be sent.

use super::notes;
use super::outcome::CommitId;
use super::{Commit, CommitQueue, Open};
use crate::config::TopicPartition;

/// Metadata of this length is taken by every coordinator that is not set up to take next to none. Kafka's
/// `offset.metadata.max.bytes` is 4,096 by default.
const SHORT_NOTE: usize = 1_024;

impl CommitQueue {
    /// Notes that nobody gets the outcome of the newest commit. It takes the place of an earlier one of that kind and
    /// of the same partitions that was not sent yet: only the newest offset of a partition is sent.
    ///
    /// The oldest that waits keeps its place: while no coordinator answers, its end is what tells that.
    pub fn note_unheard(&mut self, id: CommitId) {
        let Some(newest) = self.waiting.back().filter(|newest| newest.id == id) else {
            return;
        };
        if !newest.may_be_folded() {
            return;
        }
        let partitions: Vec<TopicPartition> = newest.open.keys().cloned().collect();
        let earlier = self.unheard.insert(partitions, id);
        if let Some(index) = earlier.and_then(|earlier| self.find(earlier))
            && index > 0
            && self.waiting[index].is_repeated_by(newest)
        {
            self.waiting.remove(index);
        }
    }

    /// Notes that commits made so far were sent, or that something waits for them: none of them ends without that.
    pub(super) fn keep_all(&mut self) {
        self.unheard.clear();
    }

    /// Forgets commits that have ended.
    pub(super) fn forget_ended(&mut self) {
        let waiting = &self.waiting;
        let is_waiting =
            |id: &CommitId| waiting.binary_search_by_key(id, |commit| commit.id).is_ok();
        self.unheard.retain(|_, id| is_waiting(id));
    }

    /// How many commits could lose their place.
    #[cfg(test)]
    pub(in crate::group) fn remembered(&self) -> usize {
        self.unheard.len()
    }
}

impl Commit {
    /// True if all of it waits, and nothing is known against it.
    fn may_be_folded(&self) -> bool {
        self.error.is_none()
            && !self.is_last
            && self.is_patient
            && self.open.len() == self.offsets.len()
            && self.open.values().all(|open| open.unknown.is_none())
    }

    /// True if a later commit of the same partitions commits all that this one does.
    fn is_repeated_by(&self, later: &Self) -> bool {
        let both = || self.open.values().zip(later.open.values());
        self.may_be_folded()
            && self.is_outside == later.is_outside
            && both().all(|(one, other)| one.is_repeated_by(other))
    }
}

impl Open {
    /// True if the coordinator takes the later one where it would have taken this.
    fn is_repeated_by(&self, later: &Self) -> bool {
        let length = notes::length(&later.offset.metadata);
        self.offset.topic_id == later.offset.topic_id
            && (length <= SHORT_NOTE || length <= notes::length(&self.offset.metadata))
    }
}
