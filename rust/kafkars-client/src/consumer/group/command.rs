//! What the handle tells the group's task.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use kafkars_core::group::{CommitError, Offsets};
use tokio::sync::oneshot;

use super::ending::{ChangeDone, LastCommits};
use super::event::LeaveId;
use super::pattern::Pattern;

/// One thing that it tells.
pub(in crate::consumer) enum Command {
    Subscribe(SubscriptionRequest),
    /// Give up everything, after a commit of what is finished. [`crate::ConsumerEvent::Left`] comes when all commits
    /// made before are done or given up, which they are before the deadline.
    Leave {
        id: LeaveId,
        reason: &'static str,
        deadline: Instant,
        /// Where the consumer is closed: what is still to be committed of partitions that are assigned by hand.
        last: Option<Offsets>,
    },
    /// Nobody waits for this end any more, nor carries out what it brings.
    GiveUp(LeaveId),
    /// The application has carried out a change; its offsets are to be committed before the partitions go.
    ChangeDone(ChangeDone),
    EnforceRebalance(String),
    /// What is finished of partitions that were assigned by hand and are not any more.
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
    /// The application names them. A member of a group may name its own partitions only: whoever owns the others would
    /// read records again, or leave some out.
    Application,
    /// The application names them, and may name any partition, as with libraries that do not look.
    Unchecked,
    /// They are the consumer's own positions, which count as long as it owns the partitions.
    Positions,
}

/// Who waits for a commit.
pub(in crate::consumer) enum Reply {
    Waiter(oneshot::Sender<Result<(), CommitError>>),
    /// A callback of the application's, by its number.
    Callback(u64),
    /// Nobody: the log tells of a failure.
    Nobody,
    /// Whoever closes the consumer.
    Last(Arc<LastCommits>),
    /// Nobody, unless the consumer is closed before: these partitions were given up.
    Left,
}

impl Reply {
    /// True if nobody hears what comes of the commit.
    pub(super) fn is_unheard(&self) -> bool {
        match self {
            Self::Nobody => true,
            Self::Waiter(waiter) => waiter.is_closed(),
            Self::Callback(_) | Self::Last(_) | Self::Left => false,
        }
    }
}

/// A subscription on its way to the task.
pub(in crate::consumer) enum SubscriptionRequest {
    Topics(BTreeSet<Arc<str>>),
    /// Matched here against the topics there are (classic protocol).
    Local(Pattern),
    /// Matched by the coordinator (KIP-848).
    Remote(Arc<str>),
}
