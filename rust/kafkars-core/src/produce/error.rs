//! Why a record was not sent, and why a transaction cannot go on: each may be the cause of the other.

use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

use crate::error_kind::ErrorKind;
use crate::transaction::call::TransactionCall;

/// An error of sending, whether it is raised by the call or in the delivery report. Cheap to clone, because every
/// record of a failed batch reports it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProduceError {
    /// The topic did not become known within `max_block_ms`.
    #[error(
        "no metadata for topic {topic:?} within max_block_ms={} ms: {cause}",
        waited.as_millis()
    )]
    MetadataTimedOut {
        /// The topic asked for.
        topic: Arc<str>,
        /// How long the call waited.
        waited: Duration,
        /// The last error code of the topic in metadata; `None` if brokers have not answered.
        answer: Option<ErrorCode>,
        /// The cause of the last failed try.
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
    /// The topic is refused: its name is not valid, or this user is not authorized.
    #[error("topic {topic:?}: {}: {}", code.name(), message.as_deref().unwrap_or_else(|| code.description()))]
    Topic {
        /// The topic.
        topic: Arc<str>,
        /// The error code.
        code: ErrorCode,
        /// A more exact text than the code's description, if there is one.
        message: Option<Arc<str>>,
    },
    /// `buffer_memory` stayed full for `max_block_ms`.
    #[error(
        "no room in buffer_memory={buffer_memory} bytes within {} ms: records arrive faster than brokers acknowledge them; \
         raise buffer_memory or max_block_ms, or send more slowly",
        waited.as_millis()
    )]
    BufferFull {
        /// The limit in bytes.
        buffer_memory: usize,
        /// How long the call waited.
        waited: Duration,
    },
    /// The record alone exceeds a limit of this producer.
    #[error(
        "a record of {size} bytes for topic {topic:?} exceeds max_request_size={limit}; raise max_request_size \
         (and the topic's max.message.bytes) or send less"
    )]
    RecordTooLarge {
        /// The topic of the record.
        topic: Arc<str>,
        /// Encoded size in bytes.
        size: usize,
        /// `max_request_size` in bytes.
        limit: usize,
    },
    /// The partition named by the caller does not exist.
    #[error("topic {topic:?} has partitions 0 to {}, not {partition}", count - 1)]
    InvalidPartition {
        /// The topic.
        topic: Arc<str>,
        /// The partition asked for.
        partition: i32,
        /// How many there are.
        count: usize,
    },
    /// The caller's timestamp cannot be stored.
    #[error("timestamp {timestamp} ms is negative; Kafka counts milliseconds from 1970-01-01")]
    InvalidTimestamp {
        /// The value given, in ms.
        timestamp: i64,
    },
    /// A broker refused with an error code that retries cannot mend.
    #[error("{} for {topic}-{partition}: {}", code.name(), broker_text(*code, message.as_deref()))]
    Broker {
        /// What the broker said.
        code: ErrorCode,
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// The broker's error message, if it sent one.
        message: Option<Arc<str>>,
    },
    /// Not acknowledged within `delivery_timeout_ms`. The record may or may not be stored.
    #[error(
        "no acknowledgement for {topic}-{partition} within delivery_timeout_ms={} ms; last cause: {cause}",
        waited.as_millis()
    )]
    DeliveryTimedOut {
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// The time limit.
        waited: Duration,
        /// What the last try has met, of the record or of those before it: the broker's refusal, `REQUEST_TIMED_OUT` or
        /// `NETWORK_EXCEPTION`. `None` if it could not leave, `LEADER_NOT_AVAILABLE` if there was no leader.
        code: Option<ErrorCode>,
        /// The cause of the last failed try.
        cause: Arc<str>,
    },
    /// Not stored by as many tries as `retries` allows. A try that got no answer may have stored the record.
    #[error(
        "no acknowledgement for {topic}-{partition}, and retries={retries} allows no other try; last cause: {cause}"
    )]
    RetriesExhausted {
        /// The topic.
        topic: Arc<str>,
        /// The partition.
        partition: i32,
        /// The limit.
        retries: u32,
        /// What the last try met: the broker's refusal, `REQUEST_TIMED_OUT` or `NETWORK_EXCEPTION`.
        code: ErrorCode,
        /// Whether a broker has said so.
        is_answer: bool,
        /// The same in words.
        cause: Arc<str>,
    },
    /// Brokers refuse the producer id that an idempotent producer needs.
    #[error(
        "the broker gives no producer id ({cause}); set enable_idempotence=False to send without"
    )]
    NoProducerId {
        /// The broker's error code.
        code: ErrorCode,
        /// The reason as text, with the broker's name.
        cause: Arc<str>,
    },
    /// A problem that no retry can mend: the broker is too old, the codec failed. If `topic` is empty, it holds for all
    /// topics.
    #[error("cannot send{}: {cause}", to(topic))]
    Impossible {
        /// The topic.
        topic: Arc<str>,
        /// What is wrong.
        cause: Arc<str>,
    },
    /// A call of transactions did not end in time. It goes on, and the same call waits for its end again.
    #[error("{call} did not end within {} ms, last cause: {cause}; call it again to wait on", waited.as_millis())]
    CallTimedOut {
        /// Which.
        call: TransactionCall,
        /// How long the caller waited.
        waited: Duration,
        /// What it waits for.
        cause: Arc<str>,
    },
    /// The application purged the record before it was acknowledged.
    #[error("purged before it was acknowledged{}", if *in_flight { "; it was under way and may be stored" } else { "" })]
    Purged {
        /// Whether a broker may have it.
        in_flight: bool,
    },
    /// The record was not sent because its transaction was aborted.
    #[error("not sent: the transaction was aborted")]
    Aborted,
    /// The record was refused or dropped for the state of its transaction.
    #[error("not sent: {0}")]
    Transaction(TransactionError),
    /// The producer was closed before the record was acknowledged.
    #[error("the producer is closed")]
    Closed,
}

impl ProduceError {
    /// What the caller should do.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::MetadataTimedOut { .. }
            | Self::Bootstrap { .. }
            | Self::BufferFull { .. }
            | Self::CallTimedOut { .. }
            | Self::DeliveryTimedOut { .. }
            | Self::RetriesExhausted { .. } => ErrorKind::Retriable,
            Self::Broker { code, .. } | Self::Topic { code, .. } if code.retriable() => {
                ErrorKind::Retriable
            }
            Self::Broker { .. }
            | Self::Topic { .. }
            | Self::RecordTooLarge { .. }
            | Self::InvalidPartition { .. }
            | Self::InvalidTimestamp { .. }
            | Self::NoProducerId { .. }
            | Self::Impossible { .. }
            | Self::Purged { .. }
            | Self::Aborted => ErrorKind::Invalid,
            Self::Transaction(error) => error.kind(),
            Self::Security(error) => error.kind(),
            Self::Closed => ErrorKind::Fatal,
        }
    }
}

/// The broker's message if it sent one, else the code's description; for size limits also what to change.
fn broker_text(code: ErrorCode, message: Option<&str>) -> String {
    let text = message.unwrap_or_else(|| code.description());
    match code {
        ErrorCode::MessageTooLarge => format!(
            "{text} (the topic's max.message.bytes; raise it, or lower batch_size or the record's size)"
        ),
        _ => text.to_owned(),
    }
}

fn to(topic: &str) -> String {
    match topic {
        "" => String::new(),
        topic => format!(" to {topic:?}"),
    }
}

/// An error of transactions. Cheap to clone, because every record and call of a failed transaction reports it.
///
/// [`TransactionError::is_abortable`] and [`TransactionError::is_fatal`] tell what remains possible; an error that is
/// neither leaves the transaction as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransactionError {
    /// The producer was made without `transactional_id`.
    #[error("{call} needs transactional_id, which this producer was made without")]
    NotConfigured {
        /// What was called.
        call: TransactionCall,
    },
    /// The call does not fit what was called before; nothing changed.
    #[error("{call} does not fit: {state}; {advice}")]
    OutOfOrder {
        /// What was called.
        call: TransactionCall,
        /// The state of the producer.
        state: &'static str,
        /// What can be called instead.
        advice: &'static str,
    },
    /// An argument of the call is not valid; nothing changed.
    #[error("{call}: {problem}")]
    InvalidArgument {
        /// What was called.
        call: TransactionCall,
        /// What is wrong, and with which value.
        problem: Arc<str>,
    },
    /// The coordinator no longer accepts this producer: a newer one has the transactional id, or the transaction ran
    /// out of time there. Fatal.
    #[error(
        "producer with transactional_id={transactional_id:?} is fenced ({}): a newer producer uses the same \
         transactional_id{}{}", code.name(), overdue(*elapsed, *limit), late_init(*init_lost)
    )]
    Fenced {
        /// The setting.
        transactional_id: Arc<str>,
        /// `PRODUCER_FENCED` or `INVALID_PRODUCER_EPOCH`.
        code: ErrorCode,
        /// How long the transaction had been open, if one was.
        elapsed: Option<Duration>,
        /// `transaction_timeout_ms`.
        limit: Duration,
        /// Whether an InitProducerId of this producer got no response. If it arrives late, Kafka takes it for that of a
        /// newer producer.
        init_lost: bool,
    },
    /// The transaction was open for `transaction_timeout_ms`, and is aborted before the coordinator does it (KIP-588).
    /// Abortable.
    #[error(
        "the transaction was open for {} ms, longer than transaction_timeout_ms={} allows; abort it, and raise the setting or \
         make transactions shorter", measured.as_millis(), limit.as_millis()
    )]
    TimedOut {
        /// `transaction_timeout_ms`.
        limit: Duration,
        /// How long it was open.
        measured: Duration,
    },
    /// A broker refused a request of the transaction.
    #[error("{api} was refused: {}: {}", code.name(), message.as_deref().unwrap_or_else(|| code.description()))]
    Refused {
        /// The request's name in Kafka.
        api: &'static str,
        /// What the broker said.
        code: ErrorCode,
        /// More text, such as the topic, the group or the setting concerned.
        message: Option<Arc<str>>,
        /// Whether the producer is lost by it; otherwise only the transaction is.
        fatal: bool,
    },
    /// A record of the transaction was not stored. Abortable.
    #[error("a record of the transaction was not stored: {0}")]
    Record(Arc<ProduceError>),
    /// A problem that neither retry nor abort can mend, such as a broker without transactions. Fatal.
    #[error("transactions are impossible here: {cause}")]
    Impossible {
        /// What is wrong.
        cause: Arc<str>,
    },
    /// The call was given up because the transaction is being aborted.
    #[error("{call} was given up because the transaction is being aborted")]
    Superseded {
        /// The call that did not finish.
        call: TransactionCall,
    },
    /// The producer was closed when EndTxn with its commit was sent and not answered. Fatal.
    #[error(
        "the producer was closed before {} had ended, which its coordinator may have carried out: whether the \
         transaction is committed is not known; look at what it wrote before the work is done again, and give close() \
         more time",
        TransactionCall::Commit
    )]
    OutcomeUnknown,
    /// The producer was closed. Fatal.
    #[error("the producer is closed")]
    Closed,
}

impl TransactionError {
    /// The refusal of a call while a commit is under way.
    #[must_use]
    pub fn committing(call: TransactionCall) -> Self {
        Self::OutOfOrder {
            call,
            state: "commit_transaction() has not ended",
            advice: "call commit_transaction() again to wait for it",
        }
    }

    /// Returns true if the transaction is lost, but the producer can go on after `abort_transaction()`.
    pub fn is_abortable(&self) -> bool {
        match self {
            Self::TimedOut { .. } | Self::Record(_) => true,
            Self::Refused { fatal, .. } => !fatal,
            Self::NotConfigured { .. }
            | Self::OutOfOrder { .. }
            | Self::InvalidArgument { .. }
            | Self::Fenced { .. }
            | Self::Impossible { .. }
            | Self::Superseded { .. }
            | Self::OutcomeUnknown
            | Self::Closed => false,
        }
    }

    /// Returns true if the producer can do nothing any more but close.
    pub fn is_fatal(&self) -> bool {
        match self {
            Self::Fenced { .. } | Self::Impossible { .. } | Self::OutcomeUnknown | Self::Closed => {
                true
            }
            Self::Refused { fatal, .. } => *fatal,
            Self::NotConfigured { .. }
            | Self::OutOfOrder { .. }
            | Self::InvalidArgument { .. }
            | Self::TimedOut { .. }
            | Self::Record(_)
            | Self::Superseded { .. } => false,
        }
    }

    /// What the caller should do.
    pub fn kind(&self) -> ErrorKind {
        if self.is_fatal() {
            ErrorKind::Fatal
        } else if self.is_abortable() {
            ErrorKind::Abortable
        } else {
            ErrorKind::Invalid
        }
    }
}

/// Adds the transaction timeout as a possible cause of fencing: it looks the same as fencing by a newer producer, and
/// the time that the transaction was open tells whether it is likely.
fn overdue(elapsed: Option<Duration>, limit: Duration) -> String {
    match elapsed {
        Some(elapsed) if elapsed >= limit => format!(
            ", or the coordinator aborted the transaction, open for {} ms, by transaction_timeout_ms={}",
            elapsed.as_millis(),
            limit.as_millis()
        ),
        _ => String::new(),
    }
}

/// Adds a late InitProducerId as a possible cause of fencing: the first one of a producer has no epoch, so the
/// coordinator cannot tell it from that of another producer.
fn late_init(lost: bool) -> &'static str {
    match lost {
        true => {
            ", or its own InitProducerId, which was not answered in time and asked again, reached the coordinator late"
        }
        false => "",
    }
}
