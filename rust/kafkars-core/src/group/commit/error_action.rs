//! What the coordinator's refusal of a commit, or of a look at committed offsets, means.

use kafkars_protocol::ErrorCode;

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitErrorAction {
    /// Nothing: it is done.
    Done,
    /// The same again after a pause.
    Retry,
    /// Find the coordinator, then the same again.
    FindCoordinator,
    /// The group is between two generations: the same again as member of the next one, if the partition is still owned.
    Rebalancing,
    /// The one who asked is no longer who it was: report it to the membership, then as above.
    Stale,
    /// Give up.
    Refused,
}

/// The error_action on a code of OffsetCommit or OffsetFetch.
#[must_use]
pub fn error_action(code: ErrorCode) -> CommitErrorAction {
    match code {
        ErrorCode::None => CommitErrorAction::Done,
        ErrorCode::NotCoordinator
        | ErrorCode::CoordinatorNotAvailable
        // The coordinator could not reach enough replicas in time; it may be on the wrong side of a split.
        | ErrorCode::RequestTimedOut => CommitErrorAction::FindCoordinator,
        ErrorCode::RebalanceInProgress => CommitErrorAction::Rebalancing,
        ErrorCode::IllegalGeneration
        | ErrorCode::UnknownMemberId
        | ErrorCode::FencedMemberEpoch
        | ErrorCode::StaleMemberEpoch
        | ErrorCode::FencedInstanceId => CommitErrorAction::Stale,
        ErrorCode::UnstableOffsetCommit => CommitErrorAction::Retry,
        code if code.retriable() => CommitErrorAction::Retry,
        _ => CommitErrorAction::Refused,
    }
}
