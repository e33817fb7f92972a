//! The steps of a transaction, each of which is one request.

use kafkars_protocol::ApiKey;

/// What is asked of a coordinator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CoordinatorStep {
    /// The transaction's own coordinator is looked for.
    FindCoordinator,
    /// The coordinator of the group whose offsets are committed is looked for.
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
    /// Whether it looks for a coordinator, which any broker answers.
    pub(super) fn is_search(self) -> bool {
        matches!(self, Self::FindCoordinator | Self::FindGroupCoordinator)
    }

    /// The request.
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

    /// Whether the coordinator opens a transaction of the older protocol with it.
    pub(super) fn opens(self) -> bool {
        matches!(self, Self::AddPartitions | Self::AddOffsets)
    }
}
