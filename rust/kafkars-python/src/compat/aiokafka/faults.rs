//! The face's errors: the engine's go through one map, `kafkars.compat.aiokafka.errors.of`.

use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::error;

const MODULE: &str = "kafkars.compat.aiokafka.errors";

/// What a program written for aiokafka expects instead; none where aiokafka raises nothing.
pub(super) fn translated(py: Python<'_>, error: PyErr) -> Option<PyErr> {
    static MAP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let made = MAP
        .import(py, MODULE, "of")
        .and_then(|map| map.call1((error.value(py),)));
    match made {
        Ok(made) if made.is_none() => None,
        Ok(made) => Some(PyErr::from_value(made)),
        Err(problem) => Some(problem),
    }
}

/// The same where something must be raised.
pub(super) fn raised(py: Python<'_>, error: PyErr) -> PyErr {
    translated(py, error).unwrap_or_else(error::abandoned)
}

/// `ConsumerStoppedError`.
pub(super) fn stopped(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    made(py, &CLASS, "ConsumerStoppedError", ())
}

/// `ProducerClosed`.
pub(super) fn producer_closed(py: Python<'_>) -> PyErr {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    made(py, &CLASS, "ProducerClosed", ())
}

/// `IllegalStateError` of a call before `start()`.
pub(super) fn not_started(py: Python<'_>, what: &str) -> PyErr {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let message = format!("the {what} has no connection yet: await {what}.start() first");
    made(py, &CLASS, "IllegalStateError", (message,))
}

/// `AssertionError`, which aiokafka raises for arguments that make no sense.
pub(super) fn assertion(message: &'static str) -> PyErr {
    PyAssertionError::new_err(message)
}

fn made<'py>(
    py: Python<'py>,
    class: &PyOnceLock<Py<PyAny>>,
    name: &str,
    arguments: impl pyo3::call::PyCallArgs<'py>,
) -> PyErr {
    match class
        .import(py, MODULE, name)
        .and_then(|class| class.call1(arguments))
    {
        Ok(made) => PyErr::from_value(made),
        Err(problem) => problem,
    }
}
