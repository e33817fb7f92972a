//! The one map from Rust errors to the classes of `kafkars.errors`.
//!
//! No arm catches all: a new error in a crate below does not compile until it has a class here.

use std::fmt::Display;
use std::sync::Arc;

use kafkars_arrow::{ColumnError, RecordColumnsError};
use kafkars_broker::BrokerError;
use kafkars_client::config::{ConfigError, TopicPartition};
use kafkars_client::group::{CommitError, GroupError};
use kafkars_client::{
    AttemptError, ClientError, ConnectCause, FetchError, ProduceError, SecurityError,
    SecurityProblem, TransactionError,
};
use kafkars_protocol::{ErrorCode, printable};
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyModule, PyString, PyTuple};

/// The longest message of an error, in bytes.
const LONGEST_MESSAGE: usize = 10_000;

/// What the message of an error is about.
#[derive(Default)]
struct ErrorContext<'a> {
    topic: Option<&'a str>,
    partition: Option<i32>,
    offset: Option<i64>,
    node: Option<i32>,
}

impl<'a> ErrorContext<'a> {
    fn topic(topic: &'a str) -> Self {
        Self {
            topic: Some(topic),
            ..Self::default()
        }
    }

    fn partition(topic: &'a str, partition: i32) -> Self {
        Self {
            topic: Some(topic),
            partition: Some(partition),
            offset: None,
            node: None,
        }
    }

    fn of(partition: &'a TopicPartition) -> Self {
        Self::partition(&partition.topic, partition.partition)
    }

    fn on(self, node: i32) -> Self {
        Self {
            node: Some(node),
            ..self
        }
    }

    fn at(self, offset: i64) -> Self {
        Self {
            offset: Some(offset),
            ..self
        }
    }
}

/// A failed send or delivery.
pub(crate) fn produce(py: Python<'_>, error: &ProduceError) -> PyErr {
    let (class, place) = match error {
        ProduceError::MetadataTimedOut { topic, answer, .. } => {
            let place = ErrorContext::topic(topic);
            let made = local(py, "MetadataTimeoutError", error, &place);
            if let Some(code) = answer {
                made.set_cause(py, Some(broker(py, *code, &code.description(), &place)));
            }
            return made;
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
            topic, partition, ..
        } => (
            "DeliveryTimeoutError",
            ErrorContext::partition(topic, *partition),
        ),
        ProduceError::Topic { topic, code, .. } => {
            return broker(py, *code, error, &ErrorContext::topic(topic));
        }
        ProduceError::NoProducerId { code, .. } => {
            return broker(py, *code, error, &ErrorContext::default());
        }
        ProduceError::Impossible { topic, .. } => ("KafkaError", ErrorContext::topic(topic)),
        ProduceError::CallTimedOut { .. } => ("KafkaTimeoutError", ErrorContext::default()),
        ProduceError::Purged { .. } => ("PurgedError", ErrorContext::default()),
        ProduceError::Aborted => ("TransactionAbortedError", ErrorContext::default()),
        ProduceError::Transaction(cause) => return transaction(py, cause),
        ProduceError::Closed => ("ClosedError", ErrorContext::default()),
    };
    local(py, class, error, &place)
}

/// What is wrong with a transaction. The instance tells whether the transaction is lost or the producer, because the
/// same code of a broker means either, depending on where it appears.
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
            return verdict(py, made, error);
        }
        TransactionError::Record(cause) => {
            let made = local(
                py,
                "TransactionFailedError",
                error,
                &ErrorContext::default(),
            );
            made.set_cause(py, Some(produce(py, cause)));
            return verdict(py, made, error);
        }
        TransactionError::Impossible { .. } => "UnsupportedByBrokerError",
        TransactionError::Superseded { .. } => "TransactionAbortedError",
        TransactionError::OutcomeUnknown => "TransactionOutcomeUnknownError",
        TransactionError::Closed => "ClosedError",
    };
    verdict(py, local(py, class, error, &ErrorContext::default()), error)
}

fn verdict(py: Python<'_>, made: PyErr, error: &TransactionError) -> PyErr {
    let instance = made.value(py);
    let marked = [
        ("fatal", error.is_fatal()),
        ("abortable", error.is_abortable()),
    ];
    for (name, holds) in marked {
        // The classes have most of it right already.
        let known = instance.getattr(name).and_then(|known| known.is_truthy());
        if known.is_ok_and(|known| known != holds)
            && let Err(problem) = instance.setattr(name, holds)
        {
            return problem;
        }
    }
    made
}

/// A failed read, or a failed question about offsets.
pub(crate) fn fetch(py: Python<'_>, error: &FetchError) -> PyErr {
    let (class, place) = match error {
        FetchError::NoOffset { partition } => ("NoOffsetError", ErrorContext::of(partition)),
        FetchError::OffsetOutOfRange {
            partition, offset, ..
        } => {
            let place = ErrorContext::of(partition).at(*offset);
            return broker(py, ErrorCode::OffsetOutOfRange, error, &place);
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
            let place = ErrorContext::of(partition).on(*node);
            return broker(py, ErrorCode::UnsupportedVersion, error, &place);
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
    local(py, class, error, &place)
}

/// Membership that failed.
pub(crate) fn group(py: Python<'_>, error: &GroupError) -> PyErr {
    let class = match error {
        GroupError::PollIntervalExceeded { .. } => "MaxPollIntervalExceededError",
        GroupError::SessionExpired { .. } => "SessionExpiredError",
        GroupError::RebalanceTimeout { .. } => "RebalanceTimeoutError",
        GroupError::Assignor { .. } => "AssignorError",
        GroupError::Unsupported { .. } => "UnsupportedByBrokerError",
        GroupError::InvalidPattern { .. } => {
            let code = ErrorCode::InvalidRegularExpression;
            return broker(py, code, error, &ErrorContext::default());
        }
        GroupError::Failed { .. } => "ProtocolError",
        GroupError::Fenced { code, .. }
        | GroupError::OtherProtocol { code, .. }
        | GroupError::Broker { code, .. } => {
            return broker(py, *code, error, &ErrorContext::default());
        }
        GroupError::FencedInstance { .. }
        | GroupError::UnreleasedInstance { .. }
        | GroupError::Unauthorized { .. }
        | GroupError::TopicUnauthorized { .. }
        | GroupError::InconsistentProtocol { .. }
        | GroupError::InvalidSessionTimeout { .. }
        | GroupError::GroupFull { .. }
        | GroupError::UnsupportedAssignor { .. } => {
            let code = error.code().unwrap_or(ErrorCode::UnknownServerError);
            return broker(py, code, error, &ErrorContext::default());
        }
    };
    local(py, class, error, &ErrorContext::default())
}

/// Offsets that were not committed, or committed ones that cannot be read.
pub(crate) fn commit(py: Python<'_>, error: &CommitError) -> PyErr {
    let (class, place) = match error {
        CommitError::Fenced { .. }
        | CommitError::NotOwned { .. }
        | CommitError::NotMember { .. } => ("CommitFailedError", ErrorContext::default()),
        CommitError::TimedOut { .. } => ("KafkaTimeoutError", ErrorContext::default()),
        CommitError::Refused {
            code, partition, ..
        } => {
            let place = partition
                .as_ref()
                .map_or_else(ErrorContext::default, ErrorContext::of);
            return broker(py, *code, error, &place);
        }
        CommitError::InvalidOffset { partition, offset } => (
            "InvalidArgumentError",
            ErrorContext::of(partition).at(*offset),
        ),
        CommitError::TooMany { .. } => ("BufferFullError", ErrorContext::default()),
        CommitError::Security(failure) => return security(py, failure),
        CommitError::Failed { .. } => ("ProtocolError", ErrorContext::default()),
    };
    local(py, class, error, &place)
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
            ..
        } => {
            let place = ErrorContext {
                topic: topic.as_deref(),
                partition: *partition,
                offset: None,
                node: None,
            };
            broker(py, *code, error, &place)
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
        AttemptError::TimedOut(_) => "KafkaTimeoutError",
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

/// Whether an exception is one of `kafkars.errors`.
pub(crate) fn is_ours(py: Python<'_>, error: &PyErr) -> bool {
    let class = errors(py).and_then(|errors| errors.getattr("KafkaError"));
    class.is_ok_and(|class| error.is_instance(py, &class))
}

/// A contradiction between settings.
pub(crate) fn settings(error: &ConfigError) -> PyErr {
    config(error.to_string())
}

/// The embedded broker could not start.
pub(crate) fn embedded_broker(error: &BrokerError) -> PyErr {
    match error {
        BrokerError::InvalidSetting { .. } => config(error.to_string()),
        BrokerError::Topic { code, topic, .. } => {
            Python::attach(|py| broker(py, *code, error, &ErrorContext::topic(topic)))
        }
        BrokerError::User { .. } | BrokerError::Acl { .. } | BrokerError::UnknownListener(_) => {
            attached("InvalidArgumentError", error.to_string())
        }
        BrokerError::NoAcls => attached("ClientStateError", error.to_string()),
        BrokerError::Compaction {
            topic, partition, ..
        } => Python::attach(|py| {
            let place = ErrorContext::partition(topic, *partition);
            broker(py, ErrorCode::CorruptMessage, error, &place)
        }),
        BrokerError::UnknownTopic(topic) => Python::attach(|py| {
            let code = ErrorCode::UnknownTopicOrPartition;
            broker(py, code, error, &ErrorContext::topic(topic))
        }),
        BrokerError::UnknownPartition { topic, partition } => Python::attach(|py| {
            local(
                py,
                "InvalidPartitionError",
                error,
                &ErrorContext::partition(topic, *partition),
            )
        }),
        BrokerError::UnknownNode(_) | BrokerError::TooManyNodes(_) => {
            attached("InvalidArgumentError", error.to_string())
        }
        BrokerError::NodeDown(_) => attached("ClientStateError", error.to_string()),
        BrokerError::Busy(_) => attached("KafkaTimeoutError", error.to_string()),
        BrokerError::Stopped => attached("ClosedError", error.to_string()),
        BrokerError::Listen { source, .. } => os_error(source, error),
        BrokerError::Thread(source) => os_error(source, error),
        BrokerError::Storage { .. } => PyOSError::new_err(error.to_string()),
    }
}

/// `OSError` with the system's number, as sockets of Python raise it.
fn os_error(source: &std::io::Error, message: &dyn Display) -> PyErr {
    match source.raw_os_error() {
        Some(number) => PyOSError::new_err((number, message.to_string())),
        None => PyOSError::new_err(message.to_string()),
    }
}

/// A setting that cannot be used.
pub(crate) fn config(message: String) -> PyErr {
    attached("ConfigError", message)
}

/// The client belongs to a parent process.
#[cold]
pub(crate) fn forked() -> PyErr {
    attached(
        "ForkedClientError",
        "this client was made before os.fork() and its threads are in the parent process; make a client in the child",
    )
}

/// The client was closed.
#[cold]
pub(crate) fn closed(what: &str) -> PyErr {
    attached(
        "ClosedError",
        format!("the {what} is closed; make a new one"),
    )
}

/// A call ended without saying how.
#[cold]
pub(crate) fn abandoned() -> PyErr {
    attached(
        "ClosedError",
        "the call was given up: its client or the runtime has ended",
    )
}

/// Nothing was given to do the asked with.
pub(crate) fn state(message: &str) -> PyErr {
    attached("ClientStateError", message)
}

/// An argument that cannot work.
pub(crate) fn argument(message: impl Into<String>) -> PyErr {
    attached("InvalidArgumentError", message)
}

/// A column that cannot be sent.
pub(crate) fn local_argument(py: Python<'_>, problem: &ColumnError) -> PyErr {
    local(
        py,
        "InvalidArgumentError",
        problem,
        &ErrorContext::default(),
    )
}

/// No room for a record that must not wait.
pub(crate) fn buffer_full(message: &str) -> PyErr {
    attached("BufferFullError", message)
}

/// A wait for a delivery ended before the delivery.
pub(crate) fn timed_out(message: String) -> PyErr {
    attached("KafkaTimeoutError", message)
}

/// The operating system gave no threads or sockets.
pub(crate) fn runtime(cause: &std::io::Error) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start the I/O threads of kafkars: {cause}"))
}

/// A serializer failed, or gave something that is not bytes.
pub(crate) fn serialization(
    py: Python<'_>,
    what: &str,
    topic: &str,
    problem: &str,
    cause: Option<PyErr>,
) -> PyErr {
    let error = local(
        py,
        "SerializationError",
        &format!("{what} of a record for topic {topic:?}: {problem}"),
        &ErrorContext::topic(topic),
    );
    error.set_cause(py, cause);
    error
}

/// A deserializer failed on `raw`.
pub(crate) fn deserialization(
    what: &str,
    partition: &TopicPartition,
    offset: i64,
    raw: &Bound<'_, PyBytes>,
    cause: PyErr,
) -> PyErr {
    let py = raw.py();
    let message = format!(
        "{what} of the record at {partition} offset {offset} cannot be deserialized: {cause}"
    );
    let place = ErrorContext::partition(&partition.topic, partition.partition).at(offset);
    let error = local(py, "DeserializationError", &message, &place);
    // One that cannot be set, such as a MemoryError in the place of ours, goes as it is.
    let _ = error.value(py).setattr("raw", raw);
    error.set_cause(py, Some(cause));
    error
}

/// A record does not fit into the columns that were asked for.
pub(crate) fn unfit_record(
    py: Python<'_>,
    topic: &str,
    partition: i32,
    offset: i64,
    problem: &RecordColumnsError,
) -> PyErr {
    let message = format!(
        "{problem}; leave the timestamp out (columns=...), take layout=\"native\", or seek past the record"
    );
    let place = ErrorContext::partition(topic, partition).at(offset);
    local(py, "DeserializationError", &message, &place)
}

/// Code, name and whether it is retriable, of every broker error.
pub(crate) fn table() -> Vec<(i16, &'static str, bool)> {
    let row = |code: &ErrorCode| (code.code(), code.name(), code.retriable());
    ErrorCode::ALL.iter().map(row).collect()
}

/// `asyncio.CancelledError` and `asyncio.InvalidStateError`, without importing asyncio before the application does.
pub(crate) fn asyncio(py: Python<'_>, class: &str, message: Option<Py<PyAny>>) -> PyErr {
    let made = py
        .import("asyncio")
        .and_then(|module| module.getattr(class))
        .and_then(|class| match message {
            None => class.call0(),
            Some(message) => class.call1((message,)),
        });
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

/// An error whose class is a broker's code.
fn broker(
    py: Python<'_>,
    code: ErrorCode,
    message: &dyn Display,
    place: &ErrorContext<'_>,
) -> PyErr {
    let made = errors(py).and_then(|errors| {
        let class = errors
            .getattr("BY_CODE")?
            .call_method1("get", (code.code(),))?;
        if !class.is_none() {
            return instance(&class, message, place);
        }
        // Newer than the table: the base class with the number it came with.
        let error = instance(&errors.getattr("BrokerError")?, message, place)?;
        error.setattr("code", code.code())?;
        Ok(error)
    });
    finish(made)
}

fn bootstrap<C: Display>(py: Python<'_>, message: &dyn Display, causes: &[(Arc<str>, C)]) -> PyErr {
    let made = errors(py).and_then(|errors| {
        let causes = causes
            .iter()
            .map(|(address, cause)| (text(address), text(cause)));
        let causes: Vec<_> = causes.collect();
        let keywords = PyDict::new(py);
        keywords.set_item("causes", PyTuple::new(py, causes)?)?;
        errors
            .getattr("BootstrapError")?
            .call((text(message),), Some(&keywords))
    });
    finish(made)
}

fn local(py: Python<'_>, class: &str, message: &dyn Display, place: &ErrorContext<'_>) -> PyErr {
    finish(errors(py).and_then(|errors| instance(&errors.getattr(class)?, message, place)))
}

/// For callers that are attached but hold no token.
pub(crate) fn attached(class: &'static str, message: impl Into<String>) -> PyErr {
    let message = message.into();
    Python::attach(|py| local(py, class, &message, &ErrorContext::default()))
}

fn instance<'py>(
    class: &Bound<'py, PyAny>,
    message: &dyn Display,
    place: &ErrorContext<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let keywords = PyDict::new(py);
    if let Some(topic) = place.topic {
        keywords.set_item("topic", topic)?;
    }
    if let Some(partition) = place.partition {
        keywords.set_item("partition", partition)?;
    }
    if let Some(offset) = place.offset {
        keywords.set_item("offset", offset)?;
    }
    let error = class.call((PyString::new(py, &text(message)),), Some(&keywords))?;
    if let Some(node) = place.node {
        error.setattr("broker", node)?;
    }
    Ok(error)
}

/// What a message says, with the words and names of brokers in it: on one line, and of bounded length.
fn text(message: &dyn Display) -> String {
    printable(&message.to_string(), LONGEST_MESSAGE).into_owned()
}

fn errors<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("kafkars.errors").map(Bound::unbind))?;
    Ok(module.bind(py).clone())
}

fn finish(made: PyResult<Bound<'_, PyAny>>) -> PyErr {
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
