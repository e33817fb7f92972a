//! The one map from Rust errors to the classes of `kafkars.errors`. The client's errors are here, those of the embedded
//! broker in `embedded.rs`, and what this crate finds itself in `local.rs`.
//!
//! No match has a catch-all arm, so a new error in a crate below does not compile until it has a class here.

mod embedded;
mod exception;
mod local;

use kafkars_client::group::{CommitError, GroupError};
use kafkars_client::{
    AttemptError, ClientError, ConnectCause, ErrorKind, FetchError, ProduceError, SecurityError,
    SecurityProblem, TransactionError,
};
use kafkars_protocol::ErrorCode;
use pyo3::prelude::*;

use self::exception::{ErrorContext, bootstrap, broker, local, with_cause, with_words};

pub(crate) use self::embedded::embedded_broker;
pub(crate) use self::exception::{attached, is_of_signal, is_ours, no_end};
pub(crate) use self::local::{
    abandoned, argument, asyncio, buffer_full, closed, config, deserialization, forked,
    is_of_record, local_argument, runtime, serialization, setting, settings, state, timed_out,
    unfit_record,
};

/// A failed send or delivery.
pub(crate) fn produce(py: Python<'_>, error: &ProduceError) -> PyErr {
    let (class, context) = match error {
        ProduceError::MetadataTimedOut { topic, answer, .. } => {
            let context = ErrorContext::topic(topic);
            let made = local(py, "MetadataTimeoutError", error, &context);
            return match answer {
                None => made,
                Some(code) => {
                    with_cause(py, made, broker(py, *code, &code.description(), &context))
                }
            };
        }
        ProduceError::Bootstrap { causes } => return bootstrap(py, error, causes),
        ProduceError::Security(failure) => return security(py, failure),
        ProduceError::BufferFull { .. } => ("BufferFullError", ErrorContext::default()),
        ProduceError::RecordTooLarge { topic, .. } => {
            ("RecordTooLargeError", ErrorContext::topic(topic))
        }
        ProduceError::InvalidPartition {
            topic, partition, ..
        } => (
            "InvalidPartitionError",
            ErrorContext::partition(topic, *partition),
        ),
        ProduceError::InvalidTimestamp { .. } => {
            ("InvalidRecordTimestampError", ErrorContext::default())
        }
        ProduceError::Broker {
            code,
            topic,
            partition,
            ..
        } => {
            return broker(
                py,
                *code,
                error,
                &ErrorContext::partition(topic, *partition),
            );
        }
        ProduceError::DeliveryTimedOut {
            topic,
            partition,
            code,
            cause,
            ..
        } => {
            let place = ErrorContext::partition(topic, *partition);
            let made = local(py, "DeliveryTimeoutError", error, &place);
            let met = code.map(|code| match code {
                ErrorCode::NetworkException => local(py, "BrokerConnectionError", cause, &place),
                code => broker(py, code, cause, &place),
            });
            return match met {
                None => made,
                Some(met) => with_cause(py, made, met),
            };
        }
        ProduceError::RetriesExhausted {
            topic,
            partition,
            code,
            is_answer,
            cause,
            ..
        } => {
            let place = ErrorContext::partition(topic, *partition);
            if *code != ErrorCode::NetworkException {
                let made = broker(py, *code, error, &place);
                return match is_answer {
                    true => made,
                    false => with_cause(py, made, local(py, "KafkaTimeoutError", cause, &place)),
                };
            }
            ("BrokerConnectionError", place)
        }
        ProduceError::Topic { topic, code, .. } => {
            return broker(py, *code, error, &ErrorContext::topic(topic));
        }
        ProduceError::NoProducerId { code, .. } => {
            return broker(py, *code, error, &ErrorContext::default());
        }
        ProduceError::Impossible { topic, .. } => ("KafkaError", ErrorContext::topic(topic)),
        ProduceError::CallTimedOut { .. } => ("KafkaTimeoutError", ErrorContext::default()),
        ProduceError::Purged { in_flight } => {
            let made = local(py, "PurgedError", error, &ErrorContext::default());
            return marked(py, made, &[("in_flight", *in_flight)]);
        }
        ProduceError::Aborted => ("TransactionAbortedError", ErrorContext::default()),
        ProduceError::Transaction(cause) => return transaction(py, cause),
        ProduceError::Closed => ("ClosedError", ErrorContext::default()),
    };
    local(py, class, error, &context)
}

/// A failed transaction. The instance says whether the transaction or the producer is lost, because the same error code
/// may mean either.
pub(crate) fn transaction(py: Python<'_>, error: &TransactionError) -> PyErr {
    let class = match error {
        TransactionError::NotConfigured { .. } | TransactionError::OutOfOrder { .. } => {
            "TransactionStateError"
        }
        TransactionError::InvalidArgument { .. } => "InvalidArgumentError",
        TransactionError::Fenced { .. } => "ProducerFencedError",
        TransactionError::TimedOut { .. } => "TransactionTimedOutError",
        TransactionError::Refused { code, .. } => {
            let made = broker(py, *code, error, &ErrorContext::default());
            return with_severity(py, made, error);
        }
        TransactionError::Record(cause) => {
            let made = local(
                py,
                "TransactionFailedError",
                error,
                &ErrorContext::default(),
            );
            return with_severity(py, with_cause(py, made, produce(py, cause)), error);
        }
        TransactionError::Impossible { .. } => "UnsupportedByBrokerError",
        TransactionError::Superseded { .. } => "TransactionAbortedError",
        TransactionError::OutcomeUnknown => "TransactionOutcomeUnknownError",
        TransactionError::Closed => "ClosedError",
    };
    with_severity(py, local(py, class, error, &ErrorContext::default()), error)
}

fn with_severity(py: Python<'_>, made: PyErr, error: &TransactionError) -> PyErr {
    let marks = [
        ("fatal", error.is_fatal()),
        ("abortable", error.is_abortable()),
    ];
    marked(py, made, &marks)
}

/// Says what an error asks of its caller, where that is not what its class says.
fn marked(py: Python<'_>, made: PyErr, marks: &[(&str, bool)]) -> PyErr {
    let instance = made.value(py);
    for (name, holds) in marks {
        let known = instance.getattr(*name).and_then(|known| known.is_truthy());
        if known.is_ok_and(|known| known != *holds)
            && let Err(problem) = instance.setattr(*name, *holds)
        {
            return problem;
        }
    }
    made
}

/// A failed read, or a failed call about offsets.
pub(crate) fn fetch(py: Python<'_>, error: &FetchError) -> PyErr {
    let (class, context) = match error {
        FetchError::NoOffset { partition } => ("NoOffsetError", ErrorContext::of(partition)),
        FetchError::OffsetOutOfRange {
            partition, offset, ..
        } => {
            let context = ErrorContext::of(partition).at(*offset);
            return broker(py, ErrorCode::OffsetOutOfRange, error, &context);
        }
        FetchError::LogTruncated {
            partition, offset, ..
        } => (
            "LogTruncationError",
            ErrorContext::of(partition).at(*offset),
        ),
        FetchError::Corrupt {
            partition, offset, ..
        } => (
            "CorruptRecordError",
            ErrorContext::of(partition).at(*offset),
        ),
        FetchError::Broker {
            code,
            partition,
            node,
        } => {
            return broker(py, *code, error, &ErrorContext::of(partition).on(*node));
        }
        FetchError::Unsupported {
            partition, node, ..
        } => {
            let context = ErrorContext::of(partition).on(*node);
            return broker(py, ErrorCode::UnsupportedVersion, error, &context);
        }
        FetchError::Topic { topic, code } => {
            return broker(py, *code, error, &ErrorContext::topic(topic));
        }
        FetchError::NotAssigned { partition } => ("NotAssignedError", ErrorContext::of(partition)),
        FetchError::State { .. } => ("ClientStateError", ErrorContext::default()),
        FetchError::Group(error) => return group(py, error),
        FetchError::Commit(error) => return commit(py, error),
        FetchError::Stuck { .. } => ("ConsumerStuckError", ErrorContext::default()),
        FetchError::InvalidArgument { .. } => ("InvalidArgumentError", ErrorContext::default()),
        FetchError::TimedOut { .. } => ("KafkaTimeoutError", ErrorContext::default()),
        FetchError::Bootstrap { causes } => return bootstrap(py, error, causes),
        FetchError::Security(failure) => return security(py, failure),
        FetchError::Protocol { .. } => ("ProtocolError", ErrorContext::default()),
        FetchError::Failed { .. } => ("KafkaError", ErrorContext::default()),
        FetchError::Closed => ("ClosedError", ErrorContext::default()),
    };
    local(py, class, error, &context)
}

/// A failed group membership.
pub(crate) fn group(py: Python<'_>, error: &GroupError) -> PyErr {
    let made = refused_membership(py, error, error);
    match error.kind() {
        // Of a code that is not fatal by itself, too.
        ErrorKind::Fatal => marked(py, made, &[("fatal", true), ("retriable", false)]),
        _ => made,
    }
}

/// The exception of a refusal, which has the text of `told`.
fn refused_membership(py: Python<'_>, refusal: &GroupError, told: &GroupError) -> PyErr {
    let class = match refusal {
        GroupError::ForGood(refusal) => return refused_membership(py, refusal, told),
        GroupError::PollIntervalExceeded { .. } => "MaxPollIntervalExceededError",
        GroupError::SessionExpired { .. } => "SessionExpiredError",
        GroupError::RebalanceTimeout { .. } => "RebalanceTimeoutError",
        GroupError::Assignor { .. } => "AssignorError",
        GroupError::Unsupported { .. } => "UnsupportedByBrokerError",
        GroupError::Failed { .. } => "ProtocolError",
        GroupError::Fenced { .. }
        | GroupError::OtherProtocol { .. }
        | GroupError::Broker { .. }
        | GroupError::InvalidPattern { .. }
        | GroupError::FencedInstance { .. }
        | GroupError::UnreleasedInstance { .. }
        | GroupError::Unauthorized { .. }
        | GroupError::TopicUnauthorized { .. }
        | GroupError::InconsistentProtocol { .. }
        | GroupError::InvalidSessionTimeout { .. }
        | GroupError::GroupFull { .. }
        | GroupError::UnsupportedAssignor { .. } => {
            let code = refusal.code().unwrap_or(ErrorCode::UnknownServerError);
            return broker(py, code, told, &ErrorContext::default());
        }
    };
    local(py, class, told, &ErrorContext::default())
}

/// Offsets that were not committed, or committed ones that cannot be read.
pub(crate) fn commit(py: Python<'_>, error: &CommitError) -> PyErr {
    let (class, context) = match error {
        CommitError::Fenced { .. }
        | CommitError::NotOwned { .. }
        | CommitError::NotMember { .. } => ("CommitFailedError", ErrorContext::default()),
        CommitError::TimedOut { code, .. } => {
            let context = ErrorContext::default();
            let made = local(py, "KafkaTimeoutError", error, &context);
            return match code {
                None => made,
                Some(code) => {
                    with_cause(py, made, broker(py, *code, &code.description(), &context))
                }
            };
        }
        CommitError::Refused {
            code, partition, ..
        } => {
            let context = partition
                .as_ref()
                .map_or_else(ErrorContext::default, ErrorContext::of);
            return broker(py, *code, error, &context);
        }
        CommitError::InvalidOffset { partition, offset } => (
            "InvalidArgumentError",
            ErrorContext::of(partition).at(*offset),
        ),
        CommitError::TooMany { .. } => ("BufferFullError", ErrorContext::default()),
        CommitError::Security(failure) => return security(py, failure),
        CommitError::Ended(failure) => return group(py, failure),
        CommitError::Failed { .. } => ("ProtocolError", ErrorContext::default()),
    };
    local(py, class, error, &context)
}

/// A failed call of the client underneath.
pub(crate) fn client(py: Python<'_>, error: &ClientError) -> PyErr {
    if let Some(failure) = error.security() {
        return security(py, &failure);
    }
    match error {
        ClientError::Bootstrap(causes) => bootstrap(py, error, causes),
        ClientError::TimedOut { .. } => {
            local(py, "KafkaTimeoutError", error, &ErrorContext::default())
        }
        ClientError::Broker {
            code,
            topic,
            partition,
            message,
            ..
        } => {
            let context = ErrorContext {
                topic: topic.as_deref(),
                partition: *partition,
                offset: None,
                node: None,
            };
            with_words(py, broker(py, *code, error, &context), message.as_deref())
        }
        ClientError::InvalidTopic(topic) => broker(
            py,
            ErrorCode::InvalidTopicException,
            error,
            &ErrorContext::topic(topic),
        ),
        ClientError::Closed => local(py, "ClosedError", error, &ErrorContext::default()),
        ClientError::Attempt(attempt) => {
            local(py, attempt_class(attempt), error, &ErrorContext::default())
        }
        ClientError::NoBroker { causes, .. } => {
            let class = causes.first().map(|(_, first)| attempt_class(first));
            let class = class.unwrap_or("KafkaTimeoutError");
            local(py, class, error, &ErrorContext::default())
        }
    }
}

fn attempt_class(error: &AttemptError) -> &'static str {
    match error {
        AttemptError::Connect { cause, .. } => connect_class(cause),
        AttemptError::Disconnected(_) | AttemptError::UnknownNode(_) => "BrokerConnectionError",
        AttemptError::Tls(_) => "TlsError",
        AttemptError::TimedOut(_) | AttemptError::NoTime(_) => "KafkaTimeoutError",
        AttemptError::Decode(_)
        | AttemptError::Encode(_)
        | AttemptError::FrameTooLarge { .. }
        | AttemptError::Protocol(_) => "ProtocolError",
        AttemptError::Unsupported { .. } => "UnsupportedByBrokerError",
        AttemptError::NotKafka { .. } => "NotKafkaError",
        AttemptError::Closed => "ClosedError",
    }
}

fn connect_class(cause: &ConnectCause) -> &'static str {
    match cause {
        ConnectCause::Dns(_) => "UnresolvedHostError",
        ConnectCause::Refused
        | ConnectCause::TimedOut(_)
        | ConnectCause::Unreachable(_)
        | ConnectCause::Silent(_)
        | ConnectCause::ClosedAtOnce
        | ConnectCause::Refusal(_)
        | ConnectCause::Io(_) => "BrokerConnectionError",
        ConnectCause::NotKafka { .. } | ConnectCause::Garbled { .. } => "NotKafkaError",
        ConnectCause::Version(_) => "UnsupportedByBrokerError",
        ConnectCause::Tls(failure) => security_class(failure.problem()),
        ConnectCause::Sasl(failure) => security_class(failure.problem()),
        ConnectCause::Earlier { cause, .. } => connect_class(cause),
    }
}

/// A handshake that failed.
fn security(py: Python<'_>, error: &SecurityError) -> PyErr {
    let class = security_class(error.problem);
    local(py, class, error, &ErrorContext::default())
}

fn security_class(problem: SecurityProblem) -> &'static str {
    match problem {
        SecurityProblem::Certificate => "CertificateError",
        SecurityProblem::Tls => "TlsError",
        SecurityProblem::Authentication => "SaslAuthenticationFailedError",
        SecurityProblem::Mechanism => "UnsupportedSaslMechanismError",
        SecurityProblem::Credentials => "CredentialsError",
        SecurityProblem::TimedOut => "HandshakeTimeoutError",
    }
}

/// Code, name and whether it is retriable, of every broker error.
pub(crate) fn table() -> Vec<(i16, &'static str, bool)> {
    let row = |code: &ErrorCode| (code.code(), code.name(), code.retriable());
    ErrorCode::ALL.iter().map(row).collect()
}
