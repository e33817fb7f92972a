//! Commits of the application and of the task itself, and changes of the assignment that wait for commits.

use std::sync::Arc;
use std::time::Instant;

use kafkars_core::cluster::Cluster;
use kafkars_core::group::{
    ChangeId, CommitCall, CommitError, CommitId, CommitOutcome, MembershipState, Offsets,
};

use super::GroupTask;
use crate::consumer::group::command::{Origin, Reply};
use crate::consumer::group::commit_tracking;
use crate::consumer::group::ending::ChangeDone;
use crate::{after, now};

/// How many partitions a line of the log names.
const MOST_SHOWN: usize = 20;

impl GroupTask {
    /// Commits finished positions of partitions that were assigned by hand. They were never the membership's.
    pub(super) fn commit_left(&mut self, now: Instant, offsets: Offsets) {
        let limit = after(now, self.group.config.request_timeout);
        let asked = offsets.clone();
        let (commits, membership) = (&mut self.commits, &mut self.membership);
        let queued = commits.commit(now, membership, offsets, limit);
        self.shared
            .note_queued(&asked, queued.as_ref().ok().copied());
        match queued {
            Ok(id) => {
                self.commits.note_last(id);
                self.commits.note_awaited(id);
                self.replies.insert(id, Reply::Left);
            }
            Err(error) => {
                let callbacks = &mut self.callbacks;
                commit_tracking::answer(&self.shared, callbacks, Reply::Left, asked, Err(error));
            }
        }
    }

    pub(super) fn commit(
        &mut self,
        now: Instant,
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
        reply: Reply,
    ) {
        if let Reply::Callback(callback) = reply {
            self.callbacks.made(callback);
        }
        let is_heard = matches!(reply, Reply::Waiter(_) | Reply::Callback(_));
        let queued = match self.group.fencing() {
            Some(end) if is_heard && offsets.is_empty() && !self.shared.is_assigned_by_hand() => {
                Err(CommitError::Ended(end))
            }
            _ => self.queue_commit(now, offsets.clone(), origin, deadline),
        };
        match queued {
            Ok(id) => {
                if matches!(reply, Reply::Last(_)) {
                    self.commits.note_awaited(id);
                }
                match reply {
                    Reply::Nobody => self.commits.note_unheard(id),
                    reply => drop(self.replies.insert(id, reply)),
                }
            }
            Err(error) => {
                if reply.is_unheard() {
                    self.unheard.failed(self.membership.group(), false, &error);
                }
                let callbacks = &mut self.callbacks;
                commit_tracking::answer(&self.shared, callbacks, reply, offsets, Err(error));
            }
        }
    }

    /// Notes how many commits wait, or their outcomes, so that there are not too many.
    pub(super) fn note_waiting(&self) {
        self.group
            .note_waiting(self.commits.waiting() + self.callbacks.waiting());
    }

    /// Notes that the application has carried out a change. Revoked partitions go when the earlier commits of them have
    /// ended, because their new owners start from there. Others wait for that, so there is a limit.
    pub(super) fn change_done(&mut self, now: Instant, done: ChangeDone) {
        let ChangeDone {
            id,
            goes,
            commit,
            lost,
            is_heard,
        } = done;
        // While it closes no later poll tells of it.
        if (self.is_closing || !is_heard) && !lost.is_empty() {
            let shown = lost.iter().take(MOST_SHOWN);
            let shown = shown.map(|(at, end)| format!("{at} at {}", end.offset));
            let mut partitions = shown.collect::<Vec<_>>().join(", ");
            if lost.len() > MOST_SHOWN {
                partitions.push_str(&format!(" and {} more", lost.len() - MOST_SHOWN));
            }
            let client = self.shared.client.name();
            if self.is_closing {
                tracing::warn!(target: "kafkars::group", %client, %partitions, "partitions were lost before the consumer was closed: their positions are not committed, and what was read of them is read again");
            } else {
                tracing::warn!(target: "kafkars::group", %client, %partitions, "partitions were lost: their positions are not committed, and what was read of them is read again");
            }
        }
        let config = &self.group.config;
        let within = config.request_timeout.min(config.rebalance_timeout() / 2);
        let limit = after(now, within);
        if !commit.is_empty() {
            self.commit_going(now, commit, limit);
        }
        match self.commits.newest().filter(|_| goes) {
            Some(newest) => {
                self.commits.end_by(limit);
                self.held_changes.push((newest, id));
            }
            None => self.membership.change_done(now, id),
        }
    }

    /// Commits finished positions of partitions that go. These are the group's, whatever the application has assigned
    /// itself since.
    pub(super) fn commit_going(&mut self, now: Instant, offsets: Offsets, limit: Instant) {
        let last = self.shared.inner.lock().ending.last.clone();
        let (commits, membership) = (&mut self.commits, &mut self.membership);
        let queued = commits.commit_positions(now, membership, offsets.clone(), limit);
        self.shared
            .note_queued(&offsets, queued.as_ref().ok().copied());
        match queued {
            Ok(id) => {
                self.commits.note_awaited(id);
                // Before `close()` arrives here, the time limit is still that of an earlier `unsubscribe()`, and it is
                // over.
                if !self.is_closing {
                    self.commits.note_last(id);
                }
                if let Some(last) = last {
                    self.replies.insert(id, Reply::Last(last));
                }
            }
            Err(error) => {
                tracing::warn!(target: "kafkars::group", client = %self.shared.client.name(), %error, "positions were not committed before their partitions went to other members");
                if let Some(last) = last {
                    last.end(&offsets, Err(error));
                }
            }
        }
    }

    /// Carries out the changes that the application has not taken, once the group is being left and nobody waits for
    /// it. Returns true if there were any.
    pub(super) fn release(&mut self) -> bool {
        if self.release_at.is_none_or(|at| at > now()) {
            return false;
        }
        // Whoever made earlier commits has got their outcome; commits made now have time of their own.
        self.commits_end_at = None;
        let changes = self.shared.release_changes();
        let is_any = !changes.is_empty();
        for done in changes {
            self.change_done(now(), done);
        }
        is_any
    }

    /// Ends the changes whose commits have ended. Returns true if there were any.
    pub(super) fn end_changes(&mut self) -> bool {
        let commits = &self.commits;
        let is_held = |held: &mut (CommitId, ChangeId)| !commits.waits_up_to(held.0);
        let done: Vec<_> = self.held_changes.extract_if(.., is_held).collect();
        let is_any = !done.is_empty();
        for (_, change) in done {
            self.membership.change_done(now(), change);
        }
        is_any
    }

    pub(super) fn commit_last(&mut self, now: Instant, offsets: Offsets, deadline: Instant) {
        let last = self.shared.inner.lock().ending.last.clone();
        if let Some(last) = last.filter(|_| !offsets.is_empty()) {
            self.commit(now, offsets, Origin::Positions, deadline, Reply::Last(last));
        }
    }

    /// Queues a commit that the handle has asked for.
    pub(super) fn queue_commit(
        &mut self,
        now: Instant,
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        let asked = offsets.clone();
        let queued = self.try_queue(now, offsets, origin, deadline);
        let queued = queued.map_err(|error| self.with_end(error));
        if queued.is_err() {
            self.shared.note_unwanted(&asked);
        }
        self.shared
            .note_queued(&asked, queued.as_ref().ok().copied());
        queued
    }

    /// Queues a commit, unless some of its partitions are lost and the application has not been told: the membership
    /// would take them for partitions of nobody, whose offsets anyone may commit.
    pub(super) fn try_queue(
        &mut self,
        now: Instant,
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
    ) -> Result<CommitId, CommitError> {
        let is_by_hand = self.shared.is_assigned_by_hand();
        let lost = self.shared.lost_among(&offsets);
        if !lost.is_empty() && !is_by_hand {
            return Err(CommitError::Fenced {
                group: Arc::clone(self.membership.group()),
                partitions: lost,
            });
        }
        // While topics for a pattern are being listed the membership has no subscription yet: it would take the
        // application for one that is no member of the group.
        let is_awaiting_topics =
            self.pattern.is_some() && self.membership.state() == MembershipState::Unsubscribed;
        let (commits, membership) = (&mut self.commits, &mut self.membership);
        let is_settled = matches!(
            membership.state(),
            MembershipState::Stable | MembershipState::Unsubscribed
        );
        let origin = match origin {
            Origin::UncheckedOnceAssigned if is_awaiting_topics || !is_settled => {
                Origin::Application
            }
            Origin::UncheckedOnceAssigned => Origin::Unchecked,
            origin => origin,
        };
        match origin {
            // What is assigned by hand belongs to no membership.
            _ if is_by_hand => commits.commit(now, membership, offsets, deadline),
            Origin::Application if is_awaiting_topics && !offsets.is_empty() => {
                Err(CommitError::NotOwned {
                    group: Arc::clone(membership.group()),
                    partitions: offsets.into_keys().collect(),
                })
            }
            Origin::Positions => commits.commit_positions(now, membership, offsets, deadline),
            Origin::Application => commits.commit_owned(now, membership, offsets, deadline),
            Origin::Unchecked | Origin::UncheckedOnceAssigned => {
                commits.commit(now, membership, offsets, deadline)
            }
        }
    }

    pub(super) fn commit_automatically(&mut self) {
        let shared = &self.shared;
        let mut asked = Offsets::new();
        let finished = || {
            asked = shared.take_finished();
            asked.clone()
        };
        let queued = self
            .commits
            .commit_automatically(now(), &mut self.membership, finished);
        let taken = queued.and_then(|id| self.commits.offsets(id).cloned());
        let taken = taken.unwrap_or_default();
        shared.note_queued(&taken, queued);
        shared.inner.lock().supersede(&taken);
        // Partitions that the member no longer owns were left out.
        asked.retain(|partition, _| !taken.contains_key(partition));
        shared.note_queued(&asked, None);
    }

    pub(super) fn next_commit(&mut self, cluster: &Cluster) -> Option<CommitCall> {
        self.commits
            .next_request(now(), &mut self.membership, cluster)
    }

    /// Adds to the error of a commit that timed out which broker is silent, if one is, and to one of a former member
    /// what has ended its membership.
    pub(super) fn explained(&self, mut outcome: CommitOutcome) -> CommitOutcome {
        outcome.result = outcome.result.map_err(|error| self.with_end(error));
        if let Err(CommitError::TimedOut {
            waited,
            cause,
            code,
            ..
        }) = &mut outcome.result
        {
            let client = &self.shared.client;
            if let Some(silence) = commit_tracking::silence(client, self.coordinator, *waited) {
                (*cause, *code) = (silence, None);
            } else if let Some(outage) = client.outage() {
                (*cause, *code) = (outage.to_string().into(), None);
            }
        }
        outcome
    }

    /// The error that has ended the membership for good, where that is why a commit failed.
    fn with_end(&self, error: CommitError) -> CommitError {
        let is_outside = matches!(
            error,
            CommitError::Fenced { .. } | CommitError::NotMember { .. }
        );
        match self.group.fencing() {
            Some(end) if is_outside => CommitError::Ended(end),
            _ => error,
        }
    }
}
