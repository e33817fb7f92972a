//! Leaving a group, and closing a consumer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::group::{CommitError, Offsets};

use super::command::Command;
use super::ending::LastCommits;
use super::event::LeaveId;
use crate::consumer::handle::Consumer;
use crate::now;

/// A consumer that is being closed.
#[derive(Debug)]
pub struct Closing {
    id: LeaveId,
    started: Instant,
    limit: Duration,
    last: Arc<LastCommits>,
}

impl Closing {
    /// The id that [`crate::ConsumerEvent::Left`] will have.
    #[must_use]
    pub fn id(&self) -> LeaveId {
        self.id
    }

    /// The outcome of the last commits, those of revoked partitions included; to be asked after
    /// [`crate::ConsumerEvent::Left`] or the deadline.
    ///
    /// # Errors
    /// The error of a commit that failed; [`CommitError::TimedOut`] if one has no outcome yet.
    pub fn last_commit(&self) -> Result<(), CommitError> {
        let waited = now().saturating_duration_since(self.started);
        self.last.outcome(waited, self.limit)
    }
}

impl Consumer {
    /// Gives up the subscription: revocations come as events, and [`crate::ConsumerEvent::Left`] with the returned id
    /// comes last. `None` without a subscription. Earlier commits end before `deadline` or are given up; changes that
    /// the application has not handled by then are carried out without it. `is_finished` is true if it has finished
    /// what was returned last.
    pub fn start_leaving(
        &self,
        reason: &'static str,
        deadline: Instant,
        is_finished: bool,
    ) -> Option<LeaveId> {
        let group = self.shared.group.as_ref()?;
        let was_subscribed = group.status.lock().subscription.take().is_some();
        if was_subscribed && is_finished {
            self.shared.inner.lock().buffer.finish_all();
        }
        was_subscribed.then(|| group.leave(reason, deadline, None))?
    }

    /// Gives up waiting for a leave. The group is left all the same, without the application, which gets the events
    /// with its next poll.
    pub fn give_up_leaving(&self, id: LeaveId) {
        if let Some(group) = &self.shared.group {
            group.tell(Command::GiveUp(id));
        }
    }

    /// As [`Consumer::start_leaving`], for a consumer that is about to be closed, subscribed or not: its commits end
    /// first. `None` without a group, and if it is closed already. `is_finished` is true if the application has
    /// finished what was returned last.
    pub fn start_closing(&self, deadline: Instant, is_finished: bool) -> Option<Closing> {
        if self.is_closed() {
            return None;
        }
        let group = self.shared.group.as_ref()?;
        let was_subscribed = group.status.lock().subscription.take().is_some();
        // What a member owns is committed when it is revoked, also if it has given up its subscription just before.
        let is_by_hand = !was_subscribed && self.shared.inner.lock().assigned_by_hand;
        let offsets = match is_by_hand {
            true => self.last_offsets(is_finished),
            false => Offsets::new(),
        };
        let started = now();
        let last = {
            let mut inner = self.shared.inner.lock();
            if is_finished {
                inner.buffer.finish_all();
            }
            inner.supersede(&offsets);
            inner.ending.begin_last()
        };
        last.begin(&offsets);
        let id = group.leave("the consumer is closed", deadline, Some(offsets))?;
        Some(Closing {
            id,
            started,
            limit: deadline.saturating_duration_since(started),
            last,
        })
    }
}
