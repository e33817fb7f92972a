//! What a commit is called, and how it ended.

use crate::config::TopicPartition;
use crate::group::commit::error::CommitError;
use crate::group::commit::offsets::Offsets;

/// Tells one commit from every other of the same queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId(pub u64);

/// How a commit ended. Outcomes come in the order of the commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitOutcome {
    /// Which commit.
    pub id: CommitId,
    /// What it asked for.
    pub offsets: Offsets,
    /// Whether it was made by itself, not asked for.
    pub is_automatic: bool,
    /// Everything is committed, or why not all of it is.
    pub result: Result<(), CommitError>,
    /// Partitions that the coordinator did not know until the end.
    pub unknown: Vec<TopicPartition>,
    /// Those of them that nobody can commit any more: metadata says that their topics are gone, or were made again.
    pub gone: Vec<TopicPartition>,
}

impl CommitOutcome {
    /// What the coordinator has by this.
    pub fn committed(&self) -> impl Iterator<Item = &TopicPartition> {
        let has_any = match &self.result {
            Ok(()) => true,
            Err(error) => error.is_unknown_topic(),
        };
        let partitions = self.offsets.keys().filter(move |_| has_any);
        partitions.filter(|partition| !self.unknown.contains(partition))
    }

    /// The outcome for whoever has not asked for the commit: that topics are gone is no failure then.
    ///
    /// # Errors
    /// Whatever else stood against it.
    pub fn unless_gone(&self) -> Result<(), CommitError> {
        match &self.result {
            Err(error) if error.is_unknown_topic() && self.gone.len() == self.unknown.len() => {
                Ok(())
            }
            result => result.clone(),
        }
    }
}
