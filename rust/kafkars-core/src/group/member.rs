//! What a member wants, who it is, and how far it has come.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::error::GroupError;
use crate::error_kind::ErrorKind;

/// What a member wants to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscription {
    /// These topics: named by the application, or those that match its pattern now.
    Topics(BTreeSet<Arc<str>>),
    /// Topics that match this pattern (RE2), which the coordinator evaluates; consumer protocol only.
    Pattern(Arc<str>),
}

/// Who a member is to its coordinator, as commits and transactions say it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupMemberIdentity {
    /// The id that the coordinator knows the member by.
    pub member_id: Arc<str>,
    /// The generation (classic) or member epoch (consumer protocol).
    pub generation: i32,
    /// `group_instance_id`.
    pub instance: Option<Arc<str>>,
}

/// How far a membership is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MembershipState {
    /// Not subscribed.
    Unsubscribed,
    /// Finding the coordinator, joining, or waiting for the others to join.
    Joining,
    /// Member, while partitions change hands.
    Rebalancing,
    /// Member, and nothing changes.
    Stable,
    /// About to leave.
    Leaving,
    /// Out because the application does not poll.
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

/// Whether a membership that ended so may try again when the application polls.
pub(super) fn may_return(error: &GroupError) -> bool {
    error.kind() != ErrorKind::Fatal
}
