//! Why a consumer cannot be, or is no longer, a member of its group.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

use crate::error_kind::ErrorKind;

/// An error of group membership.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// The application did not ask for records in time, so the member left its group.
    #[error(
        "the application took no records for {} ms, more than max_poll_interval_ms={}: the consumer has left group {group:?} \
         and its partitions go to others; process fewer records at a time (max_poll_records) or raise max_poll_interval_ms",
        measured.as_millis(), limit.as_millis()
    )]
    PollIntervalExceeded {
        /// The group.
        group: Arc<str>,
        /// `max_poll_interval_ms`.
        limit: Duration,
        /// How long ago the application took records last.
        measured: Duration,
    },
    /// No response came for a whole session timeout, so the coordinator may have given the partitions to others.
    #[error(
        "no answer from the coordinator of group {group:?} for {} ms, more than session_timeout_ms={}: the partitions may \
         belong to others by now (last cause: {cause}); the consumer joins again",
        measured.as_millis(), limit.as_millis()
    )]
    SessionExpired {
        /// The group.
        group: Arc<str>,
        /// `session_timeout_ms`.
        limit: Duration,
        /// How long ago the last answered request was sent.
        measured: Duration,
        /// The cause of the last failed attempt.
        cause: Arc<str>,
    },
    /// The application took so long to give partitions up that the group has gone on without it.
    #[error(
        "partitions were not given up within {} ms, the limit is rebalance_timeout_ms={} (max_poll_interval_ms where that is not set): \
         group {group:?} goes on without this member and its partitions may belong to others by now; make listeners and the work \
         between two polls shorter or raise the limit; the consumer joins again",
        measured.as_millis(), limit.as_millis()
    )]
    RebalanceTimeout {
        /// The group.
        group: Arc<str>,
        /// `rebalance_timeout_ms`.
        limit: Duration,
        /// How long ago the group was last known not to be rebalancing.
        measured: Duration,
    },
    /// The coordinator has fenced this member: it refuses the member id or its generation.
    #[error(
        "{}: group {group:?} has gone on without this member: {}; the consumer joins again", code.name(), code.description()
    )]
    Fenced {
        /// The group.
        group: Arc<str>,
        /// The coordinator's error code.
        code: ErrorCode,
    },
    /// Another member has taken the instance id.
    #[error(
        "FENCED_INSTANCE_ID: another member of group {group:?} uses group_instance_id={instance:?}; give each process its own"
    )]
    FencedInstance {
        /// The group.
        group: Arc<str>,
        /// `group_instance_id`.
        instance: Arc<str>,
    },
    /// Another member still holds the instance id after the time limit.
    #[error(
        "UNRELEASED_INSTANCE_ID: group_instance_id={instance:?} of group {group:?} is still held by another member after {} ms \
         (limit {} ms, session_timeout_ms); give each process its own",
        measured.as_millis(), limit.as_millis()
    )]
    UnreleasedInstance {
        /// The group.
        group: Arc<str>,
        /// `group_instance_id`.
        instance: Arc<str>,
        /// How long the member waits for it.
        limit: Duration,
        /// How long it has waited.
        measured: Duration,
    },
    /// The user is not authorized to read with the group.
    #[error(
        "GROUP_AUTHORIZATION_FAILED: this user may not read with group {group:?}; grant READ on the group"
    )]
    Unauthorized {
        /// The group.
        group: Arc<str>,
    },
    /// The user is not authorized to see a subscribed topic.
    #[error("TOPIC_AUTHORIZATION_FAILED for a topic subscribed to in group {group:?}: {message}")]
    TopicUnauthorized {
        /// The group.
        group: Arc<str>,
        /// The coordinator's error message.
        message: Arc<str>,
    },
    /// The group's members share no assignor with this one, or the group speaks the other protocol.
    #[error(
        "INCONSISTENT_GROUP_PROTOCOL: group {group:?} has no assignment strategy in common with this member, which offers \
         {offered:?} (partition_assignment_strategy), or it is a group of group_protocol=\"consumer\""
    )]
    InconsistentProtocol {
        /// The group.
        group: Arc<str>,
        /// Names of the member's assignors.
        offered: Vec<Arc<str>>,
    },
    /// The group uses the other group protocol.
    #[error(
        "{}: group {group:?} cannot be used with group_protocol=\"{protocol}\": {message}; members of the other protocol hold it: \
         change group_protocol, use another group_id, or allow group.consumer.migration.policy on the brokers", code.name()
    )]
    OtherProtocol {
        /// The group.
        group: Arc<str>,
        /// The coordinator's error code.
        code: ErrorCode,
        /// `group_protocol` of this member.
        protocol: &'static str,
        /// The coordinator's error message.
        message: Arc<str>,
    },
    /// The brokers do not support the group protocol, or not everything that is asked of it.
    #[error(
        "the brokers cannot serve group {group:?} with group_protocol=\"{protocol}\": {cause}; \"consumer\" needs Kafka 4.0 and the \
         group version feature, \"classic\" works everywhere"
    )]
    Unsupported {
        /// The group.
        group: Arc<str>,
        /// `group_protocol` of this member.
        protocol: &'static str,
        /// What is missing.
        cause: Arc<str>,
    },
    /// The session timeout is outside what the brokers allow.
    #[error(
        "INVALID_SESSION_TIMEOUT: session_timeout_ms={} is outside what the brokers allow (group.min.session.timeout.ms to \
         group.max.session.timeout.ms)", session_timeout.as_millis()
    )]
    InvalidSessionTimeout {
        /// `session_timeout_ms`.
        session_timeout: Duration,
    },
    /// The group is full.
    #[error(
        "GROUP_MAX_SIZE_REACHED: group {group:?} has as many members as the brokers allow (group.max.size)"
    )]
    GroupFull {
        /// The group.
        group: Arc<str>,
    },
    /// The coordinator has no such assignor.
    #[error(
        "UNSUPPORTED_ASSIGNOR: the brokers have no assignor {assignor:?} (group_remote_assignor): {message}"
    )]
    UnsupportedAssignor {
        /// `group_remote_assignor`.
        assignor: Arc<str>,
        /// The coordinator's error message.
        message: Arc<str>,
    },
    /// The coordinator cannot parse the pattern, or the group protocol has no patterns.
    #[error(
        "INVALID_REGULAR_EXPRESSION: {pattern:?} cannot be subscribed to as a pattern: {message}"
    )]
    InvalidPattern {
        /// The pattern subscribed to.
        pattern: Arc<str>,
        /// The coordinator's error message.
        message: Arc<str>,
    },
    /// An assignor failed, or its assignment is not valid.
    #[error("assignor {assignor:?} of group {group:?} failed: {cause}")]
    Assignor {
        /// The group.
        group: Arc<str>,
        /// The assignor's name.
        assignor: Arc<str>,
        /// What went wrong.
        cause: Arc<str>,
    },
    /// Any other error code of the coordinator.
    #[error("{operation} of group {group:?}: {}: {message}", code.name())]
    Broker {
        /// The group.
        group: Arc<str>,
        /// The request or step that failed.
        operation: &'static str,
        /// The coordinator's error code.
        code: ErrorCode,
        /// The coordinator's error message, or else the description of the code.
        message: Arc<str>,
    },
    /// The coordinator refuses the member for good (KIP-848), as Java's client takes it, too.
    #[error(
        "{0}; it is refused for good: subscribe again, or make another consumer, when the cause is gone"
    )]
    ForGood(Box<Self>),
    /// A request cannot be encoded, or its response cannot be read or makes no sense.
    #[error("{operation} of group {group:?} failed: {cause}")]
    Failed {
        /// The group.
        group: Arc<str>,
        /// The request or step that failed.
        operation: &'static str,
        /// What went wrong.
        cause: Arc<str>,
    },
}

impl GroupError {
    /// What the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::PollIntervalExceeded { .. }
            | Self::SessionExpired { .. }
            | Self::RebalanceTimeout { .. }
            | Self::Fenced { .. }
            | Self::GroupFull { .. } => ErrorKind::Retriable,
            Self::FencedInstance { .. } | Self::UnreleasedInstance { .. } | Self::ForGood(_) => {
                ErrorKind::Fatal
            }
            Self::Broker { code, .. } if code.retriable() => ErrorKind::Retriable,
            Self::Unauthorized { .. }
            | Self::TopicUnauthorized { .. }
            | Self::InconsistentProtocol { .. }
            | Self::OtherProtocol { .. }
            | Self::Unsupported { .. }
            | Self::InvalidSessionTimeout { .. }
            | Self::UnsupportedAssignor { .. }
            | Self::InvalidPattern { .. }
            | Self::Assignor { .. }
            | Self::Broker { .. }
            | Self::Failed { .. } => ErrorKind::Invalid,
        }
    }

    /// The same as an error after which the member does not try again by itself. A topic may be allowed, or deleted, at
    /// any time, and the others are read meanwhile.
    pub(super) fn for_good(self) -> Self {
        match self {
            Self::TopicUnauthorized { .. } => self,
            _ if self.kind() == ErrorKind::Fatal => self,
            _ => Self::ForGood(Box::new(self)),
        }
    }

    /// True if it says what is wrong, so that the same request is refused again.
    pub(super) fn names_a_cause(&self) -> bool {
        !matches!(self, Self::Broker { .. } | Self::Failed { .. })
    }

    /// True if another member has the place that this one asks for.
    pub(super) fn is_displaced(&self) -> bool {
        matches!(
            self,
            Self::FencedInstance { .. } | Self::UnreleasedInstance { .. }
        )
    }

    /// The broker's code behind it, where there is one.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::ForGood(refusal) => refusal.code(),
            Self::Fenced { code, .. }
            | Self::OtherProtocol { code, .. }
            | Self::Broker { code, .. } => Some(*code),
            Self::FencedInstance { .. } => Some(ErrorCode::FencedInstanceId),
            Self::UnreleasedInstance { .. } => Some(ErrorCode::UnreleasedInstanceId),
            Self::Unauthorized { .. } => Some(ErrorCode::GroupAuthorizationFailed),
            Self::TopicUnauthorized { .. } => Some(ErrorCode::TopicAuthorizationFailed),
            Self::InconsistentProtocol { .. } => Some(ErrorCode::InconsistentGroupProtocol),
            Self::InvalidSessionTimeout { .. } => Some(ErrorCode::InvalidSessionTimeout),
            Self::GroupFull { .. } => Some(ErrorCode::GroupMaxSizeReached),
            Self::UnsupportedAssignor { .. } => Some(ErrorCode::UnsupportedAssignor),
            Self::InvalidPattern { .. } => Some(ErrorCode::InvalidRegularExpression),
            Self::PollIntervalExceeded { .. }
            | Self::SessionExpired { .. }
            | Self::RebalanceTimeout { .. }
            | Self::Unsupported { .. }
            | Self::Assignor { .. }
            | Self::Failed { .. } => None,
        }
    }
}
