//! The handlers, by which the native clients of this face call its Python half: the Protocols `ConsumerHandler` and
//! `ProducerHandler` of `kafkars.compat.confluent_kafka._handlers`, and its translation of errors. Nothing else here
//! names a method of Python.

use kafkars_client::config::TopicPartition;
use pyo3::exceptions::PyIndexError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::imports::{
    CONFLUENT_ERROR_OF_DELIVERY, CONFLUENT_ERROR_OF_MESSAGE, CONFLUENT_FATAL_ERROR,
    CONFLUENT_REFUSAL,
};

/// The Python object that handles the rare events of a consumer.
pub(super) struct ConsumerHandler(pub(super) Py<PyAny>);

impl ConsumerHandler {
    /// Runs callbacks that are due on the application's thread, and reports subscribed topics that are not there: it
    /// takes from the end of `missing` what it has reported.
    pub(super) fn serve(&self, py: Python<'_>, missing: &Bound<'_, PyList>) -> PyResult<()> {
        let handler = self.0.bind(py);
        handler
            .call_method1(intern!(py, "serve"), (missing,))
            .map(drop)
    }

    /// A message that waits for the program, and whether there are more. Runs no Python code.
    pub(super) fn next_message<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Option<Bound<'py, PyAny>>, bool)> {
        let waiting = self.0.bind(py).getattr(intern!(py, "waiting"))?;
        if waiting.is_empty()? {
            return Ok((None, false));
        }
        match waiting.call_method0(intern!(py, "popleft")) {
            Ok(message) => Ok((Some(message), !waiting.is_empty()?)),
            // Another thread was quicker.
            Err(problem) if problem.is_instance_of::<PyIndexError>(py) => Ok((None, false)),
            Err(problem) => Err(problem),
        }
    }

    /// An error of the engine as a message; `None` if it does not concern the program.
    pub(super) fn message_of<'py>(
        &self,
        py: Python<'py>,
        problem: &PyErr,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.ask(py, intern!(py, "message_of"), (problem.value(py),))
    }

    /// The message that a partition was read to its end.
    pub(super) fn partition_end<'py>(
        &self,
        py: Python<'py>,
        partition: &TopicPartition,
        offset: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = (&*partition.topic, partition.partition, offset);
        let handler = self.0.bind(py);
        handler.call_method1(intern!(py, "partition_end"), arguments)
    }

    /// Reports that the cluster cannot be reached, or can be again.
    pub(super) fn reached(&self, py: Python<'_>, problem: Option<&PyErr>) -> PyResult<()> {
        reached(self.0.bind(py), problem)
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }

    fn ask<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, pyo3::types::PyString>,
        arguments: impl pyo3::call::PyCallArgs<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let message = self.0.bind(py).call_method1(name, arguments)?;
        Ok((!message.is_none()).then_some(message))
    }
}

/// The Python object that handles the rare events of a producer.
pub(super) struct ProducerHandler(pub(super) Py<PyAny>);

impl ProducerHandler {
    /// Runs callbacks that are due on the application's thread. Returns how many ran.
    pub(super) fn serve(&self, py: Python<'_>) -> PyResult<usize> {
        let served = self.0.bind(py).call_method0(intern!(py, "serve"))?;
        served.extract()
    }

    /// Reports that the cluster cannot be reached, or can be again.
    pub(super) fn reached(&self, py: Python<'_>, problem: Option<&PyErr>) -> PyResult<()> {
        reached(self.0.bind(py), problem)
    }

    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.0)
    }
}

fn reached(handler: &Bound<'_, PyAny>, problem: Option<&PyErr>) -> PyResult<()> {
    let py = handler.py();
    let problem = problem.map(|problem| problem.value(py));
    handler
        .call_method1(intern!(py, "reached"), (problem,))
        .map(drop)
}

/// The exception of `produce()` for a message that the engine does not accept.
pub(super) fn of_message(py: Python<'_>, problem: &PyErr) -> PyResult<PyErr> {
    let raised = CONFLUENT_ERROR_OF_MESSAGE
        .get(py)?
        .call1((problem.value(py),))?;
    Ok(PyErr::from_value(raised))
}

/// The exception of a poll, if this is an error that has ended its producer.
#[cold]
pub(super) fn fatal_of(py: Python<'_>, problem: &PyErr) -> PyResult<Option<PyErr>> {
    let raised = CONFLUENT_FATAL_ERROR.get(py)?.call1((problem.value(py),))?;
    Ok((!raised.is_none()).then(|| PyErr::from_value(raised)))
}

/// The error that a report has for a message that was not stored.
pub(super) fn of_delivery(py: Python<'_>, problem: &PyErr, in_flight: bool) -> PyResult<Py<PyAny>> {
    let error = CONFLUENT_ERROR_OF_DELIVERY.get(py)?;
    let error = error.call1((problem.value(py), in_flight))?;
    Ok(error.unbind())
}

/// The exception of a call that cannot be made, by the name of librdkafka's code.
pub(super) fn refusal(py: Python<'_>, code: &str, text: &str) -> PyResult<PyErr> {
    let raised = CONFLUENT_REFUSAL.get(py)?.call1((code, text))?;
    Ok(PyErr::from_value(raised))
}
