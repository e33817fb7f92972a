//! A member's subscription, identity and state.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::error::GroupError;
use crate::error_kind::ErrorKind;

/// What a member subscribes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscription {
    /// These topics: named by the application, or those that match its pattern now.
    Topics(BTreeSet<Arc<str>>),
    /// Topics that match this pattern (RE2), which the coordinator evaluates; consumer protocol only.
    Pattern(Arc<str>),
}

/// A member's identity, as OffsetCommit and TxnOffsetCommit carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMemberIdentity {
    /// The id that the coordinator knows the member by.
    pub member_id: Arc<str>,
    /// The generation (classic) or member epoch (consumer protocol).
    pub generation: i32,
    /// `group_instance_id`.
    pub instance: Option<Arc<str>>,
}

/// The state of a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipState {
    /// Not subscribed.
    Unsubscribed,
    /// Finding the coordinator, joining, or waiting for the others to join.
    Joining,
    /// A member while the group rebalances or its own partitions change.
    Rebalancing,
    /// A member with a settled assignment.
    Stable,
    /// Revoking all partitions, or telling the coordinator of the leave.
    Leaving,
    /// Out of the group because the application did not poll in time; the next poll joins again.
    Expelled,
    /// Ended with an error.
    Failed,
}

impl MembershipState {
    /// A name for logs and `health()`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unsubscribed => "unsubscribed",
            Self::Joining => "joining",
            Self::Rebalancing => "rebalancing",
            Self::Stable => "stable",
            Self::Leaving => "leaving",
            Self::Expelled => "expelled",
            Self::Failed => "failed",
        }
    }
}

/// True if a membership that ended with `error` may join again when the application polls.
pub(super) fn may_return(error: &GroupError) -> bool {
    error.kind() != ErrorKind::Fatal
}
