//! Interceptors: objects of the application that see every record before it is sent, and its outcome afterwards
//! (KIP-42).
//!
//! Their exceptions are only logged, because a program must not lose records by an interceptor that observes it.

use std::sync::Arc;

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};

use super::send_arguments::Arguments;
use crate::aio::PyFuture;
use crate::imports::{GET_LOGGER, PRODUCER_RECORD};

/// The interceptors of one producer, in their order.
pub(crate) struct Interceptors {
    on_send: Vec<Py<PyAny>>,
    on_acknowledgement: Vec<Py<PyAny>>,
}

/// A record as the interceptors leave it.
pub(super) struct Intercepted<'py> {
    pub(super) topic: Bound<'py, PyAny>,
    pub(super) value: Bound<'py, PyAny>,
    pub(super) key: Bound<'py, PyAny>,
    pub(super) partition: Option<i32>,
    pub(super) timestamp: Option<i64>,
    pub(super) headers: Bound<'py, PyAny>,
}

impl<'py> Intercepted<'py> {
    pub(super) fn arguments(&self) -> Arguments<'_, 'py> {
        let present = |part| Some(part).filter(|part: &&Bound<'py, PyAny>| !part.is_none());
        Arguments::new(
            &self.topic,
            present(&self.value),
            present(&self.key),
            self.partition,
            self.timestamp,
            present(&self.headers),
        )
    }

    fn read(record: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = record.py();
        if !record.is_instance(PRODUCER_RECORD.get(py)?)? {
            return Err(PyTypeError::new_err(format!(
                "on_send must return a ProducerRecord, or None to leave the record as it is, not {}",
                record.get_type().name()?
            )));
        }
        Ok(Self {
            topic: record.getattr(intern!(py, "topic"))?,
            value: record.getattr(intern!(py, "value"))?,
            key: record.getattr(intern!(py, "key"))?,
            partition: record.getattr(intern!(py, "partition"))?.extract()?,
            timestamp: record.getattr(intern!(py, "timestamp"))?.extract()?,
            headers: record.getattr(intern!(py, "headers"))?,
        })
    }
}

impl Interceptors {
    /// Finds the methods that the objects have.
    pub(super) fn new(py: Python<'_>, objects: &[Py<PyAny>]) -> PyResult<Option<Arc<Self>>> {
        let methods = |name| {
            let found = objects
                .iter()
                .map(|object| object.bind(py).getattr_opt(name));
            let found = found.collect::<PyResult<Vec<_>>>()?;
            PyResult::Ok(found.into_iter().flatten().map(Bound::unbind).collect())
        };
        let made = Self {
            on_send: methods("on_send")?,
            on_acknowledgement: methods("on_acknowledgement")?,
        };
        Ok((!objects.is_empty()).then(|| Arc::new(made)))
    }

    /// Shows the methods to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut methods = self.on_send.iter().chain(&self.on_acknowledgement);
        methods.try_for_each(|method| visit.call(method))
    }

    /// True if an interceptor wants the outcome of records.
    pub(super) fn listens(&self) -> bool {
        !self.on_acknowledgement.is_empty()
    }

    /// Shows a record to each interceptor, which may return another one to be sent instead.
    pub(super) fn before<'py>(
        &self,
        py: Python<'py>,
        arguments: &Arguments<'_, 'py>,
    ) -> PyResult<Intercepted<'py>> {
        let mut record = PRODUCER_RECORD.get(py)?.call1((
            arguments.topic,
            arguments.value,
            arguments.key,
            arguments.partition,
            arguments.timestamp,
            pairs(py, arguments.headers)?,
        ))?;
        let mut read = Intercepted::read(&record)?;
        for function in &self.on_send {
            let answer = function.bind(py).call1((&record,)).and_then(|given| {
                if given.is_none() {
                    return Ok(None);
                }
                Ok(Some((Intercepted::read(&given)?, given)))
            });
            match answer {
                Ok(None) => {}
                Ok(Some((intercepted, given))) => (read, record) = (intercepted, given),
                Err(problem) => report(py, function, problem)?,
            }
        }
        Ok(read)
    }

    /// Calls each interceptor with the outcome of a record.
    pub(super) fn after(
        &self,
        py: Python<'_>,
        outcome: Result<&Py<PyAny>, &PyErr>,
    ) -> PyResult<()> {
        let none = py.None();
        let (metadata, error) = match outcome {
            Ok(metadata) => (metadata.bind(py).clone(), none.bind(py).clone()),
            Err(error) => (none.bind(py).clone(), error.value(py).clone().into_any()),
        };
        for function in &self.on_acknowledgement {
            if let Err(problem) = function.bind(py).call1((&metadata, &error)) {
                report(py, function, problem)?;
            }
        }
        Ok(())
    }
}

/// Tells interceptors of a future that is done: a callback of it.
#[pyclass(frozen, module = "kafkars._kafkars")]
pub(super) struct AcknowledgementCallback(pub(super) Arc<Interceptors>);

#[pymethods]
impl AcknowledgementCallback {
    fn __call__(&self, future: &Bound<'_, PyFuture>) -> PyResult<()> {
        let py = future.py();
        match PyFuture::outcome(future) {
            None => Ok(()),
            Some(outcome) => self.0.after(py, outcome.as_ref()),
        }
    }
}

/// Headers as a tuple of pairs, so that several interceptors can read them.
fn pairs<'py>(py: Python<'py>, given: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyTuple>> {
    let Some(given) = given else {
        return Ok(PyTuple::empty(py));
    };
    match given.cast::<PyMapping>() {
        Ok(mapping) => PyTuple::new(py, mapping.items()?.iter()),
        Err(_) => PyTuple::new(py, given.try_iter()?.collect::<PyResult<Vec<_>>>()?),
    }
}

/// Logs an exception. One that is no `Exception`, such as Ctrl+C, is returned.
#[cold]
fn report(py: Python<'_>, function: &Py<PyAny>, problem: PyErr) -> PyResult<()> {
    if !problem.is_instance_of::<PyException>(py) {
        return Err(problem);
    }
    let logger = GET_LOGGER.get(py)?.call1(("kafkars.producer",))?;
    let keywords = PyDict::new(py);
    keywords.set_item("exc_info", problem.value(py))?;
    let function = function.bind(py);
    let name = function
        .getattr_opt("__qualname__")?
        .unwrap_or_else(|| function.clone());
    logger.call_method(
        "error",
        ("interceptor %s failed; the record goes on", name),
        Some(&keywords),
    )?;
    Ok(())
}
