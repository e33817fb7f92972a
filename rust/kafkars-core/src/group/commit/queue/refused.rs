//! What the coordinator's refusals mean to the commits of a request.

use std::sync::Arc;

use kafkars_protocol::ErrorCode;

use crate::config::TopicPartition;
use crate::group::action::RequestFailure;
use crate::group::commit::error::CommitError;
use crate::group::commit::error_action::{CommitErrorAction, error_action};
use crate::group::member::GroupMemberIdentity;

/// What to do about an error code in a response to a request with this identity.
pub(super) fn error_action_for(
    identity: Option<&GroupMemberIdentity>,
    code: ErrorCode,
) -> CommitErrorAction {
    match (error_action(code), identity) {
        // A consumer that is not a member has no newer identity to come with.
        (CommitErrorAction::Stale | CommitErrorAction::Rebalancing, None) => {
            CommitErrorAction::Refused
        }
        // A member without an instance id cannot be fenced by one.
        (CommitErrorAction::Stale, Some(identity))
            if code == ErrorCode::FencedInstanceId && identity.instance.is_none() =>
        {
            CommitErrorAction::Refused
        }
        (error_action, _) => error_action,
    }
}

/// The error of a commit one of whose offsets was refused.
pub(super) fn refused_with(
    group: &Arc<str>,
    identity: Option<&GroupMemberIdentity>,
    code: ErrorCode,
    partition: &TopicPartition,
) -> CommitError {
    let instance = identity.and_then(|identity| identity.instance.as_ref());
    match code {
        // The answer makes no sense, and the member goes on.
        ErrorCode::FencedInstanceId if instance.is_none() => CommitError::Failed {
            cause: format!(
                "{} about a consumer without a group_instance_id",
                code.name()
            )
            .into(),
        },
        _ => CommitError::Refused {
            group: Arc::clone(group),
            code,
            partition: Some(partition.clone()),
        },
    }
}

/// The error of a commit whose request failed for good.
pub(super) fn failed_with(group: &Arc<str>, failure: RequestFailure) -> CommitError {
    match failure {
        RequestFailure::Retriable(cause)
        | RequestFailure::Unsupported(cause)
        | RequestFailure::Permanent(cause) => CommitError::Failed { cause },
        RequestFailure::Refused(code, _) => CommitError::Refused {
            group: Arc::clone(group),
            code,
            partition: None,
        },
    }
}

impl CommitErrorAction {
    /// The action that takes more work.
    pub(super) fn max_with(self, other: Self) -> Self {
        let rank = |error_action: Self| match error_action {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Retry => 2,
            Self::Rebalancing => 3,
            Self::Stale => 4,
            Self::FindCoordinator => 5,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}
