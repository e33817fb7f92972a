//! Commands from the handle to the group's task.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::group::{CommitError, Offsets};
use tokio::sync::oneshot;

use super::ending::{ChangeDone, LastCommits};
use super::event::LeaveId;
use super::pattern::Pattern;

/// A command to the group's task.
pub(in crate::consumer) enum Command {
    Subscribe(SubscriptionRequest),
    /// Leaves the group after a commit of what is finished. [`crate::ConsumerEvent::Left`] follows when all earlier
    /// commits have ended; those that have not are given up shortly before the deadline.
    Leave {
        id: LeaveId,
        reason: &'static str,
        deadline: Instant,
        /// If the consumer is closed: offsets still to be committed of partitions that are assigned by hand.
        last: Option<Offsets>,
    },
    /// Nobody waits for this leave any more, nor carries out the changes that it brings.
    GiveUp(LeaveId),
    /// The application has carried out a change; its offsets are to be committed before the partitions go.
    ChangeDone(ChangeDone),
    EnforceRebalance(String),
    /// Finished positions of partitions that were assigned by hand and are not any more.
    CommitLeft(Offsets),
    Commit {
        offsets: Offsets,
        origin: Origin,
        deadline: Instant,
        reply: Reply,
    },
}

/// Where the offsets of a commit come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The application names the offsets. A member of a group may commit its own partitions only: otherwise their owner
    /// would read records again, or skip some.
    Application,
    /// The application names the offsets, of any partition: for libraries that do not check who owns it.
    Unchecked,
    /// As `Unchecked`, where the member has its assignment; while it joins or the group rebalances, as `Application`.
    UncheckedOnceAssigned,
    /// The offsets are the consumer's own positions, which count as long as it owns the partitions.
    Positions,
}

/// Who gets the outcome of a commit.
pub(in crate::consumer) enum Reply {
    Waiter(oneshot::Sender<Result<(), CommitError>>),
    /// A callback of the application, by its number.
    Callback(u64),
    /// Nobody: a failure is logged.
    Nobody,
    /// The call that closes the consumer.
    Last(Arc<LastCommits>),
    /// Nobody, unless the consumer is closed before the commit has ended: its partitions were given up.
    Left,
}

impl Reply {
    /// True if nobody gets the outcome of the commit.
    pub(super) fn is_unheard(&self) -> bool {
        match self {
            Self::Nobody => true,
            Self::Waiter(waiter) => waiter.is_closed(),
            Self::Callback(_) | Self::Last(_) | Self::Left => false,
        }
    }
}

/// A subscription on its way to the group's task.
pub(in crate::consumer) enum SubscriptionRequest {
    Topics(BTreeSet<Arc<str>>),
    /// A pattern that the client matches against all topics (classic protocol).
    Local(Pattern),
    /// A pattern that the coordinator matches (KIP-848).
    Remote(Arc<str>),
}
