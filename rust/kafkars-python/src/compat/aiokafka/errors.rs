//! The face's errors. Those of the engine go through one map, `kafkars.compat.aiokafka.errors.of`.

use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;

use crate::error;
use crate::imports::{
    AIOKAFKA_CONSUMER_STOPPED, AIOKAFKA_ERROR_OF, AIOKAFKA_ILLEGAL_STATE, AIOKAFKA_PRODUCER_CLOSED,
    PythonName,
};

/// The exception that a program written for aiokafka expects instead, of a member of `group`; `None` where aiokafka
/// raises nothing.
pub(super) fn translated(py: Python<'_>, error: PyErr, group: Option<&str>) -> Option<PyErr> {
    let made = AIOKAFKA_ERROR_OF
        .get(py)
        .and_then(|map| map.call1((error.value(py), group)));
    match made {
        Ok(made) if made.is_none() => None,
        Ok(made) => Some(PyErr::from_value(made)),
        Err(problem) => Some(problem),
    }
}

/// The exception for an error where one must be raised.
pub(super) fn raised(py: Python<'_>, error: PyErr) -> PyErr {
    raised_to_member(py, error, None)
}

/// The same for a member of a group.
pub(super) fn raised_to_member(py: Python<'_>, error: PyErr, group: Option<&str>) -> PyErr {
    translated(py, error, group).unwrap_or_else(error::abandoned)
}

/// `ConsumerStoppedError`.
pub(super) fn stopped(py: Python<'_>) -> PyErr {
    made(py, &AIOKAFKA_CONSUMER_STOPPED, ())
}

/// `ProducerClosed`.
pub(super) fn producer_closed(py: Python<'_>) -> PyErr {
    made(py, &AIOKAFKA_PRODUCER_CLOSED, ())
}

/// `IllegalStateError` of a call before `start()`.
pub(super) fn not_started(py: Python<'_>, what: &str) -> PyErr {
    let message = format!("the {what} has no connection yet: await {what}.start() first");
    made(py, &AIOKAFKA_ILLEGAL_STATE, (message,))
}

/// `AssertionError`, which aiokafka raises for invalid arguments.
pub(super) fn assertion(message: &'static str) -> PyErr {
    PyAssertionError::new_err(message)
}

fn made<'py>(
    py: Python<'py>,
    class: &PythonName,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    match class.get(py).and_then(|class| class.call1(arguments)) {
        Ok(made) => PyErr::from_value(made),
        Err(problem) => problem,
    }
}
