//! One consumer's group: settings, a way to the task, and what the task shows.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::config::{Checked, GroupConfig};
use kafkars_core::group::{GroupMemberIdentity, MembershipState, Offsets};
use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::command::Command;
use super::event::LeaveId;

/// What a consumer wants to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubscriptionView {
    /// These topics.
    Topics(BTreeSet<Arc<str>>),
    /// Topics whose whole name matches.
    Pattern(Arc<str>),
}

impl SubscriptionView {
    /// Whether a pattern is subscribed.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        matches!(self, Self::Pattern(_))
    }
}

/// What the task shows of itself.
#[derive(Debug, Clone)]
pub(in crate::consumer) struct Status {
    pub(in crate::consumer) subscription: Option<SubscriptionView>,
    pub(in crate::consumer) state: MembershipState,
    pub(in crate::consumer) identity: Option<GroupMemberIdentity>,
    pub(in crate::consumer) subscribed_at: Option<Instant>,
    pub(in crate::consumer) heard_at: Option<Instant>,
    pub(in crate::consumer) committed_at: Option<Instant>,
    /// What stands against the commits that wait, where any do.
    pub(in crate::consumer) commit_cause: Option<Arc<str>>,
    /// The coordinator that was asked last.
    pub(in crate::consumer) coordinator: Option<i32>,
    /// How many ends of subscriptions the task was told of.
    leaves: u64,
}

/// What consumer and task share of the group.
pub(in crate::consumer) struct GroupHandle {
    pub(in crate::consumer) config: Checked<GroupConfig>,
    commands: mpsc::UnboundedSender<Command>,
    pub(in crate::consumer) status: Mutex<Status>,
}

impl GroupHandle {
    /// The handle's half, and where the task hears its commands.
    pub(in crate::consumer) fn new(
        config: Checked<GroupConfig>,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<Command>) {
        let (commands, receiver) = mpsc::unbounded_channel();
        let group = Arc::new(Self {
            config,
            commands,
            status: Mutex::new(Status {
                subscription: None,
                state: MembershipState::Unsubscribed,
                identity: None,
                subscribed_at: None,
                heard_at: None,
                committed_at: None,
                commit_cause: None,
                coordinator: None,
                leaves: 0,
            }),
        });
        (group, receiver)
    }

    /// The coordinator of a subscription, as far as it is known.
    pub(in crate::consumer) fn coordinator(&self) -> Option<i32> {
        let status = self.status.lock();
        status.coordinator.filter(|_| status.subscription.is_some())
    }

    /// False once the task has ended.
    pub(super) fn tell(&self, command: Command) -> bool {
        self.commands.send(command).is_ok()
    }

    /// Tells the task to leave; `None` once it has ended. Commands come in the order of their ids.
    pub(super) fn leave(
        &self,
        reason: &'static str,
        deadline: Instant,
        last: Option<Offsets>,
    ) -> Option<LeaveId> {
        let mut status = self.status.lock();
        status.leaves += 1;
        let id = LeaveId(status.leaves);
        let command = Command::Leave {
            id,
            reason,
            deadline,
            last,
        };
        self.tell(command).then_some(id)
    }

    pub(in crate::consumer) fn is_subscribed(&self) -> bool {
        self.status.lock().subscription.is_some()
    }
}
