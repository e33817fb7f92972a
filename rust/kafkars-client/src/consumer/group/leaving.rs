//! The end of a subscription, and of a consumer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::group::{CommitError, Offsets};

use super::command::Command;
use super::ending::LastCommits;
use super::event::LeaveId;
use crate::consumer::handle::Consumer;
use crate::now;

/// A consumer on its way out.
#[derive(Debug)]
pub struct Closing {
    id: LeaveId,
    started: Instant,
    limit: Duration,
    last: Arc<LastCommits>,
}

impl Closing {
    /// What [`crate::ConsumerEvent::Left`] will say.
    #[must_use]
    pub fn id(&self) -> LeaveId {
        self.id
    }

    /// What came of the last commits, those of revoked partitions too, after [`crate::ConsumerEvent::Left`] or the
    /// deadline.
    ///
    /// # Errors
    /// The commit has failed, or its outcome has not come: [`CommitError::TimedOut`].
    pub fn last_commit(&self) -> Result<(), CommitError> {
        let waited = now().saturating_duration_since(self.started);
        self.last.outcome(waited, self.limit)
    }
}

impl Consumer {
    /// Gives up the subscription: revocations come as events, and [`crate::ConsumerEvent::Left`] with this id is the
    /// end. `None` where there is none. Commits made before are done or given up before `deadline`; what the
    /// application has not heard of by then is carried out without it. `is_finished` tells whether it has finished what
    /// was handed out last.
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

    /// Nobody waits for this end of a subscription any more. The group is left all the same, without the application,
    /// which hears of it with its next poll.
    pub fn give_up_leaving(&self, id: LeaveId) {
        if let Some(group) = &self.shared.group {
            group.tell(Command::GiveUp(id));
        }
    }

    /// As [`Consumer::start_leaving`] for a consumer that is about to be closed, subscribed or not: its commits are to
    /// end first. `None` without a group, and when it is closed already. `is_finished` tells whether the application
    /// has finished what was handed out last.
    pub fn start_closing(&self, deadline: Instant, is_finished: bool) -> Option<Closing> {
        if self.is_closed() {
            return None;
        }
        let group = self.shared.group.as_ref()?;
        let was_subscribed = group.status.lock().subscription.take().is_some();
        // What a member owns is committed when it is revoked, also where it has given up its subscription just before.
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
