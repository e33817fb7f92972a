//! Why records cannot be read.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

use crate::config::TopicPartition;
use crate::error_kind::ErrorKind;
use crate::group::{CommitError, GroupError};

/// An error of reading, positions or offsets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// `auto_offset_reset="none"` and nothing says where to start.
    #[error(
        "no position for {partition} and auto_offset_reset is \"none\"; seek it, assign it with an offset, or choose \
         \"earliest\" or \"latest\""
    )]
    NoOffset {
        /// The partition without a position.
        partition: TopicPartition,
    },
    /// The position is not in the log and `auto_offset_reset="none"`.
    #[error(
        "offset {offset} of {partition} is outside the log{} and auto_offset_reset is \"none\"; records \
         were deleted, or the position is wrong",
        bounds(*log_start, *high_watermark)
    )]
    OffsetOutOfRange {
        /// The partition.
        partition: TopicPartition,
        /// The position asked for.
        offset: i64,
        /// The first offset kept, or -1 where unknown.
        log_start: i64,
        /// The high watermark, or -1 where unknown.
        high_watermark: i64,
    },
    /// Records that were read are no longer in the log, and `auto_offset_reset="none"` (KIP-320).
    #[error(
        "the log of {partition} was truncated below offset {offset} (leader epoch {leader_epoch}) by an unclean leader election{} \
         and auto_offset_reset is \"none\"; records that were read are gone: seek to where reading should go on",
        diverging(*diverging_offset)
    )]
    LogTruncated {
        /// The partition.
        partition: TopicPartition,
        /// The next offset that was to be read.
        offset: i64,
        /// Leader epoch of the record before it.
        leader_epoch: i32,
        /// The first offset where the log differs from what was read, if the broker knows.
        diverging_offset: Option<i64>,
    },
    /// A batch cannot be read: checksum, compression or structure.
    #[error(
        "records of {partition} at offset {offset} cannot be read: {cause}; seek past the batch to go on without it"
    )]
    Corrupt {
        /// The partition.
        partition: TopicPartition,
        /// Where the batch starts.
        offset: i64,
        /// What is wrong with it.
        cause: Arc<str>,
    },
    /// The broker answered with an error code.
    #[error("{} for {partition}, by broker {node}: {}", code.name(), code.description())]
    Broker {
        /// The broker's error code.
        code: ErrorCode,
        /// The partition.
        partition: TopicPartition,
        /// The broker's id.
        node: i32,
    },
    /// The broker does not support a request without which the partition cannot be read.
    #[error("{partition} cannot be read from broker {node}: {cause}")]
    Unsupported {
        /// The partition.
        partition: TopicPartition,
        /// The broker's id.
        node: i32,
        /// Which request, and the versions of both sides.
        cause: Arc<str>,
    },
    /// The topic does not exist, or this user may not see it.
    #[error("topic {topic:?}: {}: {}{}", code.name(), code.description(), pattern_advice(topic))]
    Topic {
        /// The topic.
        topic: Arc<str>,
        /// The error code of the topic in metadata.
        code: ErrorCode,
    },
    /// The call names a partition that is not assigned to this consumer.
    #[error("{partition} is not assigned to this consumer; assign it first")]
    NotAssigned {
        /// The partition.
        partition: TopicPartition,
    },
    /// The call does not fit the state of the consumer.
    #[error("{problem}")]
    State {
        /// What does not fit, and what to do instead.
        problem: Arc<str>,
    },
    /// Membership of the group failed.
    #[error(transparent)]
    Group(GroupError),
    /// Offsets were not committed, or committed ones cannot be read.
    #[error(transparent)]
    Commit(CommitError),
    /// No response came for longer than `stuck_timeout_ms`.
    #[error(
        "the consumer is stuck: nothing was heard of {what} for {} ms, more than stuck_timeout_ms={}; {cause}",
        measured.as_millis(), limit.as_millis()
    )]
    Stuck {
        /// What no response came about.
        what: &'static str,
        /// `stuck_timeout_ms`.
        limit: Duration,
        /// How long nothing was heard.
        measured: Duration,
        /// The cause of the last failed attempt, where known.
        cause: Arc<str>,
    },
    /// The call's arguments cannot work.
    #[error("{problem}")]
    InvalidArgument {
        /// What is wrong with them.
        problem: Arc<str>,
    },
    /// No response came in time.
    #[error("{operation} took longer than {} ms; last cause: {cause}", waited.as_millis())]
    TimedOut {
        /// The operation that failed.
        operation: &'static str,
        /// How long it took.
        waited: Duration,
        /// The cause of the last failed attempt.
        cause: Arc<str>,
    },
    /// No bootstrap address led to a cluster.
    #[error("{}", crate::error_kind::no_cluster(causes))]
    Bootstrap {
        /// Each address with its cause.
        causes: Vec<(Arc<str>, Arc<str>)>,
    },
    /// TLS or SASL between this client and a broker failed.
    #[error(transparent)]
    Security(crate::error_kind::SecurityError),
    /// Client and broker have no version of a request in common, or a response is invalid or exceeds a limit: trying
    /// again would not help.
    #[error("{operation} failed: {cause}")]
    Protocol {
        /// The operation that failed.
        operation: &'static str,
        /// What is wrong, and which setting decides.
        cause: Arc<str>,
    },
    /// No broker can be asked.
    #[error("{operation} failed: {cause}")]
    Failed {
        /// The operation that failed.
        operation: &'static str,
        /// What went wrong.
        cause: Arc<str>,
    },
    /// The consumer was closed.
    #[error("the consumer is closed")]
    Closed,
}

/// What is added for a topic that was perhaps meant as a pattern.
fn pattern_advice(topic: &str) -> &'static str {
    match topic.contains(['*', '^', '$', '|', '(', '[', '?', '+', '\\']) {
        true => " subscribe(pattern=...) takes a regular expression.",
        false => "",
    }
}

/// Says where a log begins and ends, as far as that is known.
fn bounds(log_start: i64, high_watermark: i64) -> String {
    match (log_start, high_watermark) {
        (..0, ..0) => String::new(),
        (..0, end) => format!(" (its high watermark is {end})"),
        (start, ..0) => format!(" (it starts at {start})"),
        (start, end) => format!(" (it starts at {start}, its high watermark is {end})"),
    }
}

fn diverging(offset: Option<i64>) -> String {
    offset.map_or_else(String::new, |offset| {
        format!("; it differs from offset {offset} on")
    })
}

impl FetchError {
    /// True if the partition has no position from which it can be read, and no policy says where to begin.
    pub fn is_of_position(&self) -> bool {
        matches!(
            self,
            Self::NoOffset { .. } | Self::OffsetOutOfRange { .. } | Self::LogTruncated { .. }
        )
    }

    /// What the caller should do.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Broker { code, .. } | Self::Topic { code, .. } if code.retriable() => {
                ErrorKind::Retriable
            }
            Self::TimedOut { .. } | Self::Bootstrap { .. } | Self::Stuck { .. } => {
                ErrorKind::Retriable
            }
            Self::Group(error) => error.kind(),
            Self::Commit(error) => error.kind(),
            Self::Security(error) => error.kind(),
            Self::NoOffset { .. }
            | Self::OffsetOutOfRange { .. }
            | Self::LogTruncated { .. }
            | Self::Corrupt { .. }
            | Self::Broker { .. }
            | Self::Unsupported { .. }
            | Self::Topic { .. }
            | Self::NotAssigned { .. }
            | Self::State { .. }
            | Self::InvalidArgument { .. }
            | Self::Protocol { .. }
            | Self::Failed { .. } => ErrorKind::Invalid,
            Self::Closed => ErrorKind::Fatal,
        }
    }
}
