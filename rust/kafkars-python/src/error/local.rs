//! Errors that this crate itself finds: in arguments, states and settings, and in functions of the application.

use std::fmt::Display;

use kafkars_arrow::{ColumnError, RecordColumnsError};
use kafkars_client::config::{ConfigError, TopicPartition};
use pyo3::exceptions::{PyException, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::imports::PythonName;

use super::exception::{ErrorContext, attached, local, of_setting};

/// A contradiction between settings.
pub(crate) fn settings(error: &ConfigError) -> PyErr {
    setting(error.setting, &error.problem)
}

/// A problem with one setting, by its name.
pub(crate) fn setting(name: &str, problem: impl Display) -> PyErr {
    of_setting(name, &problem)
}

/// A problem with what is no single setting.
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

/// A call that ended without a result.
#[cold]
pub(crate) fn abandoned() -> PyErr {
    attached(
        "ClosedError",
        "the call was given up: its client or the runtime has ended",
    )
}

/// A call that does not fit the state of the client.
pub(crate) fn state(message: &str) -> PyErr {
    attached("ClientStateError", message)
}

/// An argument that is not valid.
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

/// The runtime's threads or sockets could not be created.
pub(crate) fn runtime(cause: &std::io::Error) -> PyErr {
    PyRuntimeError::new_err(format!("cannot start the I/O threads of kafkars: {cause}"))
}

/// A serializer failed, or returned something that is not bytes.
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

/// Whether it says something about a record: what ends the program, such as a KeyboardInterrupt, passes as it is,
/// whatever function it comes out of.
pub(crate) fn is_of_record(py: Python<'_>, cause: &PyErr) -> bool {
    cause.is_instance_of::<PyException>(py)
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
    if !is_of_record(py, &cause) {
        return cause;
    }
    let message = format!(
        "{what} of the record at {partition} offset {offset} cannot be deserialized: {cause}"
    );
    let context = ErrorContext::partition(&partition.topic, partition.partition).at(offset);
    let error = local(py, "DeserializationError", &message, &context);
    // An error whose attribute cannot be set, such as a MemoryError in place of the intended one, is raised as it is.
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
    let context = ErrorContext::partition(topic, partition).at(offset);
    local(py, "DeserializationError", &message, &context)
}

/// `CANCELLED_ERROR` or `INVALID_STATE_ERROR` of asyncio.
pub(crate) fn asyncio(py: Python<'_>, class: &PythonName, message: Option<Py<PyAny>>) -> PyErr {
    let made = class.get(py).and_then(|class| match message {
        None => class.call0(),
        Some(message) => class.call1((message,)),
    });
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}
