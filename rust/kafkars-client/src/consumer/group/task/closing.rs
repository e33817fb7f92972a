//! The end of a membership: the consumer is closed, or a coordinator does not answer or refuses this client.

use std::time::Instant;

use kafkars_core::group::{GroupEvent, MembershipState};
use tokio::sync::mpsc;

use super::{GroupTask, LEAVE_WITHIN, commits_end_at, leave};
use crate::client::silence;
use crate::consumer::group::command::Command;
use crate::consumer::group::ending::Unfinished;
use crate::consumer::group::event::ConsumerEvent;
use crate::net::ConnectionKind;
use crate::{after, now};

impl GroupTask {
    /// Leaves the group after the consumer was closed, without the application, which is gone. Commits that it asked
    /// for before are made first.
    pub(super) async fn finish(&mut self, mut commands: mpsc::UnboundedReceiver<Command>) {
        let deadline = after(now(), LEAVE_WITHIN);
        self.commits.end_automatic();
        commands.close();
        while let Ok(command) = commands.try_recv() {
            match command {
                Command::Commit { .. } | Command::CommitLeft(_) | Command::ChangeDone(_) => {
                    self.obey(command);
                }
                Command::Leave { last, .. } => {
                    self.commit_last(now(), last.unwrap_or_default(), deadline);
                }
                Command::Subscribe(_) | Command::EnforceRebalance(_) | Command::GiveUp(_) => {}
            }
        }
        let commits_end_at = commits_end_at(now(), deadline);
        self.commits.end_by(commits_end_at);
        if !self.membership.may_have_place() && self.commits.is_idle() {
            return;
        }
        self.leaves_since = Some(now());
        self.membership
            .leave(now(), leave("the consumer is closed"));
        let (unfinished, mut finished) = {
            let ending = &mut self.shared.inner.lock().ending;
            let unfinished = std::mem::take(&mut ending.unfinished);
            (unfinished, std::mem::take(&mut ending.offsets))
        };
        for change in unfinished {
            self.change_done(now(), change.end(&mut finished));
        }
        let mut has_left = false;
        while !has_left {
            self.act();
            let mut is_moving = false;
            while let Some(event) = self.membership.next_event() {
                is_moving = true;
                match event {
                    GroupEvent::Change(change) => {
                        let done = Unfinished::from(change).end(&mut finished);
                        self.change_done(now(), done);
                    }
                    GroupEvent::Left => has_left = true,
                    GroupEvent::PollIntervalExceeded(_) | GroupEvent::Failed(_) => {}
                }
            }
            self.commits.end_by(commits_end_at);
            if is_moving && !has_left {
                continue; // events may have led to new requests
            }
            let wake_at = [self.membership.wake_at(), self.commits.wake_at()];
            let wake_at = wake_at.into_iter().flatten().fold(deadline, Instant::min);
            tokio::select! {
                Some(done) = self.tasks.join_next(), if !has_left && !self.tasks.is_empty() => {
                    if let Ok(done) = done {
                        self.note(done);
                    }
                }
                true = self.refusals.changed(), if !has_left => {}
                () = tokio::time::sleep_until(wake_at.into()), if !has_left => {}
                else => {}
            }
            if now() >= deadline {
                tracing::info!(target: "kafkars::group", client = %self.shared.client.name(), group = %self.membership.group(), "closed before the coordinator has confirmed that the member leaves");
                break;
            }
        }
        self.tasks.shutdown().await;
    }

    /// Ends what a closing consumer waits for when no broker has answered for long: commits, and leaving the group.
    /// Returns when to look again.
    pub(super) fn end_unheard(&mut self) -> Option<Instant> {
        let began = self.leaves_since?;
        if !self.is_closing {
            return self.end_unheard_waits(began);
        }
        let client = &self.shared.client;
        if !self.commits.is_idle() {
            if client.is_unheard(began, silence::COMMIT) {
                self.commits.end_by(now());
            }
        } else if self.membership.state() == MembershipState::Leaving
            && client.is_unheard(began, silence::GOODBYE)
        {
            self.membership.leave_unsaid(now());
        }
        Some(after(now(), silence::LOOK_INTERVAL))
    }

    /// Ends the waits of those who gave up a subscription when no broker has answered for long. The group is left all
    /// the same, as soon as one does. Returns when to look again.
    fn end_unheard_waits(&mut self, began: Instant) -> Option<Instant> {
        let newest = self.leaves.back().copied();
        let newest = newest.filter(|newest| self.told_unheard != Some(*newest))?;
        if !self.shared.client.is_unheard(began, silence::GOODBYE) {
            return Some(after(now(), silence::LOOK_INTERVAL));
        }
        tracing::warn!(target: "kafkars::group", client = %self.shared.client.name(), group = %self.membership.group(), "no broker has answered for a second: the group is left when one does");
        self.told_unheard = Some(newest);
        self.release_at = Some(now());
        // This ends the waits for earlier ones, too.
        self.shared.push_event(ConsumerEvent::Left(newest));
        None
    }

    /// Ends what waits for a coordinator that refuses this client: commits, and leaving the group.
    pub(super) fn end_locked_out(&mut self) {
        let is_leaving = self.membership.state() == MembershipState::Leaving;
        let leaves_since = self.leaves_since.filter(|_| is_leaving);
        if (self.commits.is_idle() && leaves_since.is_none()) || !self.refusals.take() {
            return;
        }
        let (client, coordinator) = (&self.shared.client, self.coordinator);
        let needs = |node| (Some(node) == coordinator).then_some(ConnectionKind::Coordinator);
        // Nothing comes after the end, so it is worth a second try.
        let is_ending = leaves_since.is_some() || self.commits_end_at.is_some();
        if is_ending && !client.is_refused_again(needs) {
            return;
        }
        let refusal = |began| client.refusal_since(began, needs)?.security();
        if leaves_since.and_then(refusal).is_some() {
            self.membership.leave_unsaid(now());
        }
        self.commits
            .end_locked_out(now(), &mut self.membership, refusal);
    }
}
