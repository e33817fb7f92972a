//! The id of a commit, and how it ended.

use crate::config::TopicPartition;
use crate::group::commit::error::CommitError;
use crate::group::commit::offsets::Offsets;

/// Identifies a commit within its queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(pub u64);

/// How a commit ended. Outcomes come in the order of the commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitOutcome {
    /// Which commit.
    pub id: CommitId,
    /// What it asked for.
    pub offsets: Offsets,
    /// Whether it was an automatic commit.
    pub is_automatic: bool,
    /// `Ok` if everything is committed, otherwise why not all of it is.
    pub result: Result<(), CommitError>,
    /// Partitions that the coordinator did not know until the end.
    pub unknown: Vec<TopicPartition>,
    /// Those of them that nobody can commit any more: according to metadata their topics were deleted, or deleted and
    /// created again.
    pub gone: Vec<TopicPartition>,
}

impl CommitOutcome {
    /// The partitions whose offsets the coordinator has stored.
    pub fn committed(&self) -> impl Iterator<Item = &TopicPartition> {
        let has_any = match &self.result {
            Ok(()) => true,
            Err(error) => error.is_unknown_topic(),
        };
        let partitions = self.offsets.keys().filter(move |_| has_any);
        partitions.filter(|partition| !self.unknown.contains(partition))
    }

    /// The result of a commit that the application has not asked for: deleted topics are no failure then.
    ///
    /// # Errors
    /// Any other error of the commit.
    pub fn unless_gone(&self) -> Result<(), CommitError> {
        match &self.result {
            Err(error) if error.is_unknown_topic() && self.gone.len() == self.unknown.len() => {
                Ok(())
            }
            result => result.clone(),
        }
    }
}
