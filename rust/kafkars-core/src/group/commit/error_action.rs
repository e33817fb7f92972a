//! What to do about the error codes of OffsetCommit and OffsetFetch.

use kafkars_protocol::ErrorCode;

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitErrorAction {
    /// Nothing: it is done.
    Done,
    /// Send the request again after a pause.
    Retry,
    /// Find the coordinator, then send the request again.
    FindCoordinator,
    /// The group is rebalancing: send the request again as a member of the next generation, if the partition is still
    /// owned.
    Rebalancing,
    /// The member id or generation is out of date: report it to the membership, then send the request again as above.
    Stale,
    /// Give up.
    Refused,
}

/// What to do about an error code of OffsetCommit or OffsetFetch.
#[must_use]
pub fn error_action(code: ErrorCode) -> CommitErrorAction {
    match code {
        ErrorCode::None => CommitErrorAction::Done,
        ErrorCode::NotCoordinator
        | ErrorCode::CoordinatorNotAvailable
        // The coordinator could not reach enough replicas in time; it may be on the wrong side of a network partition.
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
