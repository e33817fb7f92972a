//! Why offsets were not committed.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

use crate::config::TopicPartition;
use crate::error_kind::{ErrorKind, SecurityError};
use crate::group::error::GroupError;

/// An error of a commit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// The partitions were given to others since, or the member was fenced: the new owners start from the last commit.
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
    /// The application named partitions that this member of the group does not own. Their owner may start from what is
    /// committed, and would read records again or leave some out.
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
    /// The consumer is not a member of its group at the moment.
    #[error(
        "nothing is committed: the consumer is not a member of group {group:?} ({state}); poll to join again"
    )]
    NotMember {
        /// The group.
        group: Arc<str>,
        /// The state of the membership.
        state: &'static str,
    },
    /// The membership has ended for good, because another member has taken its instance id.
    #[error("nothing is committed: {0}")]
    Ended(GroupError),
    /// The commit was not confirmed before its deadline.
    #[error(
        "offsets of {} are not committed{}; last cause: {cause}",
        list(partitions), time(*waited, *limit)
    )]
    TimedOut {
        /// The partitions whose offsets are not known to be committed.
        partitions: Vec<TopicPartition>,
        /// How long the commit was tried.
        waited: Duration,
        /// The time limit.
        limit: Duration,
        /// The cause of the last failed attempt.
        cause: Arc<str>,
        /// What the coordinator answered to it, if that is the cause.
        code: Option<ErrorCode>,
    },
    /// The coordinator refused the commit with an error code.
    #[error("{}{}: {}", code.name(), place(partition.as_ref(), group), code.description())]
    Refused {
        /// The group.
        group: Arc<str>,
        /// The coordinator's error code.
        code: ErrorCode,
        /// The partition it is about, unless it is about the group.
        partition: Option<TopicPartition>,
    },
    /// A negative offset.
    #[error("offset {offset} of {partition} cannot be committed: it must not be negative")]
    InvalidOffset {
        /// The partition.
        partition: TopicPartition,
        /// The offset.
        offset: i64,
    },
    /// Too many commits wait, because they are made faster than the coordinator answers.
    #[error(
        "{limit} commits wait for the coordinator already; commit less often, or wait for the outcomes"
    )]
    TooMany {
        /// How many may wait.
        limit: usize,
    },
    /// No broker, or not the coordinator, accepts this client's login.
    #[error(transparent)]
    Security(SecurityError),
    /// The request cannot be encoded, or its response cannot be read or makes no sense.
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
            Self::Ended(error) => error.kind(),
            Self::Refused { code, .. } if code.retriable() => ErrorKind::Retriable,
            Self::Fenced { .. }
            | Self::NotOwned { .. }
            | Self::Refused { .. }
            | Self::InvalidOffset { .. }
            | Self::Failed { .. } => ErrorKind::Invalid,
        }
    }
}

/// Says how long a commit was tried. When a consumer closes there may be no time for it, if no broker answers.
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
