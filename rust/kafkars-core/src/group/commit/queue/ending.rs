//! Ending commits that cannot be made any more.

use std::sync::Arc;
use std::time::Instant;

use super::outcome::CommitOutcome;
use super::refused::{failed_with, refused_with};
use super::{Commit, CommitQueue, Open};
use crate::cluster::Cluster;
use crate::config::TopicPartition;
use crate::error_kind::SecurityError;
use crate::group::commit::error::CommitError;
use crate::group::commit::request::OffsetsToSend;
use crate::group::commit::unknown_topic::is_gone;
use crate::group::member::MembershipState;
use crate::group::membership::Membership;

impl CommitQueue {
    /// Ends commits because of failed handshakes. `refusal` returns the failure for a commit that has waited since the
    /// given time, if there is one.
    pub fn end_locked_out(
        &mut self,
        now: Instant,
        membership: &mut Membership,
        refusal: impl Fn(Instant) -> Option<SecurityError>,
    ) {
        let mut has_ended = false;
        // A commit that has waited for less time has no failure if this one has none.
        for commit in &mut self.waiting {
            let Some(failure) = refusal(commit.started) else {
                break;
            };
            CommitError::note(&mut commit.error, CommitError::Security(failure));
            commit.open.clear();
            has_ended = true;
        }
        if has_ended {
            self.finish(|commit| commit.open.is_empty());
            self.tell(now, membership);
        }
    }

    /// Ends all commits at `deadline` at the latest, because the consumer closes then: each gets its outcome.
    pub fn end_by(&mut self, deadline: Instant) {
        self.limit(deadline, |_| true);
    }

    /// Ends commits that were made before the subscription at `deadline` at the latest, because the join waits for
    /// them.
    pub fn end_outside_by(&mut self, deadline: Instant) {
        self.limit(deadline, |commit| commit.is_outside);
    }

    /// As [`CommitQueue::end_by`], at the end of a subscription: automatic commits and last ones keep their deadlines,
    /// because no call waits for them.
    pub fn end_awaited_by(&mut self, deadline: Instant) {
        self.limit(deadline, |commit| !commit.is_last && !commit.is_automatic);
    }

    fn limit(&mut self, deadline: Instant, which: impl Fn(&Commit) -> bool) {
        self.keep_all();
        for commit in self.waiting.iter_mut().filter(|commit| which(commit)) {
            commit.deadline = commit.deadline.min(deadline);
        }
        self.note_earliest();
    }

    fn note_earliest(&mut self) {
        self.earliest = self.waiting.iter().map(|commit| commit.deadline).min();
    }

    /// Ends automatic commits, because the consumer closes: [`CommitQueue::wake_at`] no longer counts them.
    pub fn end_automatic(&mut self) {
        self.automatic = None;
        self.automatic_at = None;
    }

    /// Ends commits of partitions that the coordinator does not know, if metadata confirms that or they were refused
    /// too often.
    pub(super) fn end_unknown(&mut self, membership: &Membership, cluster: &Cluster) {
        if !std::mem::take(&mut self.has_unknown) {
            return;
        }
        let (mut has_ended, mut has_unknown) = (false, false);
        for commit in &mut self.waiting {
            let is_patient = commit.is_patient;
            let Commit {
                open,
                error,
                unknown: given_up,
                gone,
                ..
            } = commit;
            open.retain(|partition, open| {
                let Some(unknown) = open.unknown else {
                    return true;
                };
                let is_gone = is_gone(cluster, partition, open.offset.topic_id);
                if !unknown.is_final(is_gone, is_patient) {
                    has_unknown = true;
                    return true;
                }
                has_ended = true;
                given_up.push(partition.clone());
                if is_gone {
                    gone.push(partition.clone());
                }
                let refused = refused_with(membership.group(), None, unknown.code, partition);
                CommitError::note(error, refused);
                false
            });
        }
        self.has_unknown = has_unknown;
        if has_ended {
            self.finish(|commit| commit.open.is_empty());
            if self.waiting.is_empty() {
                // The pause was for the commits that have ended; the next one does not wait for it.
                self.failures = 0;
                self.retry_at = None;
            }
        }
    }

    /// Ends what can no longer be committed: offsets of partitions that went away, or everything if the member is out
    /// of its group.
    pub(super) fn end_stale(&mut self, membership: &Membership) {
        let group = membership.group();
        let state = membership.state();
        for commit in &mut self.waiting {
            if matches!(state, MembershipState::Expelled | MembershipState::Failed) {
                let error = CommitError::NotMember {
                    group: Arc::clone(group),
                    state: state.name(),
                };
                CommitError::note(&mut commit.error, error);
                commit.open.clear();
            }
            let is_stale = |(partition, open): (&TopicPartition, &Open)| {
                let is_stale =
                    open.serial.is_some() && membership.assignment_serial(partition) != open.serial;
                is_stale.then(|| partition.clone())
            };
            let stale: Vec<TopicPartition> = commit.open.iter().filter_map(is_stale).collect();
            if stale.is_empty() {
                continue;
            }
            commit
                .open
                .retain(|partition, _| !stale.contains(partition));
            commit.error = Some(CommitError::Fenced {
                group: Arc::clone(group),
                partitions: stale,
            });
        }
        self.finish(|commit| commit.open.is_empty());
    }

    /// Ends everything if the search for the coordinator was refused and no membership has failed with that error.
    pub(super) fn end_refused(&mut self, membership: &mut Membership) {
        if let Some(failure) = membership.take_search_failure() {
            let error = failed_with(membership.group(), failure);
            self.end_all(&error, |_| true);
        }
    }

    pub(super) fn end_all(&mut self, error: &CommitError, which: impl Fn(&Commit) -> bool) {
        for commit in self.waiting.iter_mut().filter(|commit| which(commit)) {
            CommitError::note(&mut commit.error, error.clone());
            commit.open.clear();
        }
        self.finish(|commit| commit.open.is_empty());
    }

    /// Ends commits whose deadline has passed. Such a commit may have arrived all the same, so commits made before it
    /// that still wait send its offsets instead of their own, which would take the offset back.
    pub(super) fn end_late(&mut self, now: Instant) {
        if self.earliest.is_none_or(|earliest| earliest > now) {
            return;
        }
        let mut newest_late = OffsetsToSend::new();
        for commit in self.waiting.iter_mut().rev() {
            let is_late = commit.deadline <= now;
            for (partition, open) in &mut commit.open {
                let place = (partition.clone(), open.offset.topic_id);
                match newest_late.get(&place) {
                    Some(later) => open.overtake(later.clone()),
                    None if is_late => drop(newest_late.insert(place, open.offset.clone())),
                    None => {}
                }
            }
        }
        let (cause, code) = (Arc::clone(&self.last_cause), self.last_code);
        for commit in &mut self.waiting {
            if commit.deadline <= now {
                let error = CommitError::TimedOut {
                    partitions: commit.open.keys().cloned().collect(),
                    waited: now - commit.started,
                    limit: commit.deadline - commit.started,
                    cause: Arc::clone(&cause),
                    code,
                };
                CommitError::note(&mut commit.error, error);
            }
        }
        self.finish(|commit| commit.deadline <= now);
        // That of a commit whose place another one has taken counts until then.
        self.note_earliest();
    }

    /// Moves commits that are over to the outcomes.
    pub(super) fn finish(&mut self, is_over: impl Fn(&Commit) -> bool) {
        let Some(first) = self.waiting.iter().position(&is_over) else {
            return;
        };
        for commit in self.waiting.split_off(first) {
            if !is_over(&commit) {
                self.waiting.push_back(commit);
                continue;
            }
            self.outcomes.push_back(CommitOutcome {
                id: commit.id,
                offsets: commit.offsets,
                is_automatic: commit.is_automatic,
                result: commit.error.map_or(Ok(()), Err),
                unknown: commit.unknown,
                gone: commit.gone,
            });
        }
        let outside = self.waiting.iter().rev().find(|commit| commit.is_outside);
        self.newest_outside = outside.map(|commit| commit.id);
        self.note_earliest();
        self.forget_ended();
    }
}
