//! The steps of a transaction, each of which is one kind of request.

use kafkars_protocol::ApiKey;

/// A request to a coordinator, or for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CoordinatorStep {
    /// Finds the transaction's own coordinator.
    FindCoordinator,
    /// Finds the coordinator of the group whose offsets are committed.
    FindGroupCoordinator,
    Init,
    AddPartitions,
    AddOffsets,
    CommitOffsets,
    End {
        committed: bool,
    },
}

impl CoordinatorStep {
    /// True if it finds a coordinator, which any broker answers.
    pub(super) fn is_search(self) -> bool {
        matches!(self, Self::FindCoordinator | Self::FindGroupCoordinator)
    }

    /// The API of the request.
    pub(super) fn api(self) -> ApiKey {
        match self {
            Self::FindCoordinator | Self::FindGroupCoordinator => ApiKey::FindCoordinator,
            Self::Init => ApiKey::InitProducerId,
            Self::AddPartitions => ApiKey::AddPartitionsToTxn,
            Self::AddOffsets => ApiKey::AddOffsetsToTxn,
            Self::CommitOffsets => ApiKey::TxnOffsetCommit,
            Self::End { .. } => ApiKey::EndTxn,
        }
    }

    /// True if the coordinator opens a transaction of the older protocol by it.
    pub(super) fn opens(self) -> bool {
        matches!(self, Self::AddPartitions | Self::AddOffsets)
    }
}
