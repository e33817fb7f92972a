//! Commits whose outcome nobody gets: an application may make them faster than they can be sent.

use super::outcome::CommitId;
use super::{Commit, CommitQueue};
use crate::config::TopicPartition;

impl CommitQueue {
    /// Notes that nobody gets the outcome of the newest commit. It takes the place of an earlier one of that kind and
    /// of the same partitions that was not sent yet: only the newest offset of a partition is sent.
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
            && self.waiting[index].is_repeated_by(newest)
        {
            self.waiting.remove(index);
        }
    }

    /// Notes that commits made so far were sent, or that something waits for them: none of them ends without that.
    pub(super) fn keep_all(&mut self) {
        self.unheard.clear();
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
        let same_topics = || {
            let both = self.open.values().zip(later.open.values());
            both.into_iter()
                .all(|(one, other)| one.offset.topic_id == other.offset.topic_id)
        };
        self.may_be_folded() && self.is_outside == later.is_outside && same_topics()
    }
}
