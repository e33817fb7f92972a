//! Why a transaction cannot go on.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kafkars_protocol::ErrorCode;

use crate::error_kind::ErrorKind;
use crate::produce::error::ProduceError;

/// The calls that make up transactions, as messages name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransactionCall {
    /// `init_transactions`
    Init,
    /// `begin_transaction`
    Begin,
    /// `send`
    Send,
    /// `send_offsets_to_transaction`
    SendOffsets,
    /// `commit_transaction`
    Commit,
    /// `abort_transaction`
    Abort,
}

impl fmt::Display for TransactionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Init => "init_transactions()",
            Self::Begin => "begin_transaction()",
            Self::Send => "send()",
            Self::SendOffsets => "send_offsets_to_transaction()",
            Self::Commit => "commit_transaction()",
            Self::Abort => "abort_transaction()",
        })
    }
}

/// The one error of transactions. Cheap to clone: every record and call of a failed transaction reports it.
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
        /// Where the producer stands.
        state: &'static str,
        /// What can be called instead.
        advice: &'static str,
    },
    /// What was given to the call is not valid; nothing changed.
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
        /// How long the transaction had been open, where one was.
        elapsed: Option<Duration>,
        /// `transaction_timeout_ms`.
        limit: Duration,
        /// Whether an InitProducerId of this producer got no answer. Kafka takes one that arrives late for a newer
        /// producer's.
        init_lost: bool,
    },
    /// The transaction was open for nearly `transaction_timeout_ms`, and was given up before the broker did it
    /// (KIP-588). Abortable.
    #[error(
        "the transaction was open for {} ms, and transaction_timeout_ms={} leaves no time to commit it; abort it, and raise the \
         setting or make transactions shorter", measured.as_millis(), limit.as_millis()
    )]
    TimedOut {
        /// `transaction_timeout_ms`.
        limit: Duration,
        /// How long it was open.
        measured: Duration,
    },
    /// The broker refused a step.
    #[error("{api} was refused: {}: {}", code.name(), message.as_deref().unwrap_or_else(|| code.description()))]
    Refused {
        /// The request's name in Kafka.
        api: &'static str,
        /// What the broker said.
        code: ErrorCode,
        /// More words, such as the topic, the group or the setting concerned.
        message: Option<Arc<str>>,
        /// Whether the producer is lost with it; otherwise only the transaction is.
        fatal: bool,
    },
    /// A record of the transaction was not stored. Abortable.
    #[error("a record of the transaction was not stored: {0}")]
    Record(Arc<ProduceError>),
    /// Something that neither retry nor abort can mend, such as a broker that knows no transactions. Fatal.
    #[error("transactions are impossible here: {cause}")]
    Impossible {
        /// What is wrong.
        cause: Arc<str>,
    },
    /// An abort overtook the call.
    #[error("{call} was given up because the transaction is being aborted")]
    Superseded {
        /// The call that did not finish.
        call: TransactionCall,
    },
    /// The producer was closed when its commit had gone to the coordinator and was not answered. Fatal.
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

    /// Whether the transaction is lost, but the producer can go on after `abort_transaction()`.
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

    /// Whether the producer can do nothing any more but close.
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

/// Fencing looks the same whether a newer producer came or the coordinator ran out of patience; the time open tells
/// which is likely.
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

/// A first InitProducerId names no epoch, so that the coordinator cannot tell one that comes late from another
/// producer's.
fn late_init(lost: bool) -> &'static str {
    match lost {
        true => {
            ", or its own InitProducerId, which was not answered in time and asked again, reached the coordinator late"
        }
        false => "",
    }
}
