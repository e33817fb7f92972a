//! Why offsets were not committed.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

use crate::config::TopicPartition;
use crate::error_kind::{ErrorKind, SecurityError};

/// The one error of commits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// The partitions went to others since, or the member was thrown out: their new owners start from the last commit.
    #[error(
        "offsets of {} are not committed: group {group:?} has given the partitions away since (a poll gap above \
         max_poll_interval_ms, a lost session or a rebalance); their records will be read again",
        list(partitions)
    )]
    Fenced {
        /// The group.
        group: Arc<str>,
        /// Which offsets were refused.
        partitions: Vec<TopicPartition>,
    },
    /// The application names partitions that this member of the group does not own: whoever reads them starts from what
    /// is committed, and would read records again or leave some out.
    #[error(
        "offsets of {} are not committed: they are not assigned to this member of group {group:?}, and another one may read them; \
         commit what assignment() has, or set a group's offsets with a consumer that does not subscribe",
        list(partitions)
    )]
    NotOwned {
        /// The group.
        group: Arc<str>,
        /// Which offsets were refused.
        partitions: Vec<TopicPartition>,
    },
    /// The consumer is not in its group at the moment.
    #[error(
        "nothing is committed: the consumer is not a member of group {group:?} ({state}); poll to join again"
    )]
    NotMember {
        /// The group.
        group: Arc<str>,
        /// How far the membership is.
        state: &'static str,
    },
    /// Not done in time.
    #[error(
        "offsets of {} are not committed{}; last cause: {cause}",
        list(partitions), time(*waited, *limit)
    )]
    TimedOut {
        /// Which offsets are not committed, as far as is known.
        partitions: Vec<TopicPartition>,
        /// How long was tried.
        waited: Duration,
        /// The time limit.
        limit: Duration,
        /// What the last try met.
        cause: Arc<str>,
    },
    /// The coordinator refuses, and trying again would not help.
    #[error("{}{}: {}", code.name(), place(partition.as_ref(), group), code.description())]
    Refused {
        /// The group.
        group: Arc<str>,
        /// What the coordinator said.
        code: ErrorCode,
        /// The partition it is about, unless it is about the group.
        partition: Option<TopicPartition>,
    },
    /// An offset that no partition has.
    #[error("offset {offset} of {partition} cannot be committed: it must not be negative")]
    InvalidOffset {
        /// The partition.
        partition: TopicPartition,
        /// The offset.
        offset: i64,
    },
    /// Commits are made faster than the coordinator takes them.
    #[error(
        "{limit} commits wait for the coordinator already; commit less often, or wait for the outcomes"
    )]
    TooMany {
        /// How many may wait.
        limit: usize,
    },
    /// No broker lets this client in, or the coordinator does not.
    #[error(transparent)]
    Security(SecurityError),
    /// The request cannot be made, or its answer cannot be understood.
    #[error("committing offsets failed: {cause}")]
    Failed {
        /// What went wrong.
        cause: Arc<str>,
    },
}

impl CommitError {
    /// What the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::TimedOut { .. } | Self::TooMany { .. } | Self::NotMember { .. } => {
                ErrorKind::Retriable
            }
            Self::Security(error) => error.kind(),
            Self::Refused { code, .. } if code.retriable() => ErrorKind::Retriable,
            Self::Fenced { .. }
            | Self::NotOwned { .. }
            | Self::Refused { .. }
            | Self::InvalidOffset { .. }
            | Self::Failed { .. } => ErrorKind::Invalid,
        }
    }
}

/// How long a commit was tried. At the end of a consumer there may be no time for it, where no broker answers.
fn time(waited: Duration, limit: Duration) -> String {
    match limit.as_millis() {
        0 => ", for want of time, and their records will be read again".to_owned(),
        limit => format!(" after {} ms (limit {limit} ms)", waited.as_millis()),
    }
}

fn list(partitions: &[TopicPartition]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = partitions
        .iter()
        .take(SHOWN)
        .map(|one| one.to_string())
        .collect();
    match partitions.len().checked_sub(SHOWN) {
        None | Some(0) => shown.join(", "),
        Some(more) => format!("{} and {more} more", shown.join(", ")),
    }
}

fn place(partition: Option<&TopicPartition>, group: &str) -> String {
    match partition {
        Some(partition) => format!(" for {partition} in group {group:?}"),
        None => format!(" for group {group:?}"),
    }
}
