//! The deliveries of one call that sent many records, as synchronous Python holds them.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::Delivery;
use pyo3::exceptions::{PyIndexError, PyOverflowError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

use super::core::ProducerCore;
use super::delivery::PyDeliveryFuture;
use crate::argument;
use crate::error;
use crate::gc;
use crate::metadata;
use crate::runtime;
use crate::types;

/// The deliveries of one call: one handle for all, and a future for each where asked for.
#[pyclass(name = "Deliveries", module = "kafkars", frozen)]
pub(crate) struct PyDeliveries {
    deliveries: Vec<Delivery>,
    core: Arc<ProducerCore>,
}

impl PyDeliveries {
    pub(super) fn new(deliveries: Vec<Delivery>, core: Arc<ProducerCore>) -> Self {
        Self { deliveries, core }
    }

    fn future<'py>(
        &self,
        py: Python<'py>,
        delivery: &Delivery,
    ) -> PyResult<Bound<'py, PyDeliveryFuture>> {
        let future = PyDeliveryFuture::new(delivery.clone(), Arc::clone(&self.core));
        gc::new(py, future)
    }

    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<()> {
        let limit = types::timeout(timeout)?;
        if self.done() {
            return Ok(());
        }
        self.core.check()?;
        let deadline = limit.map(|limit| Instant::now() + limit);
        let done = self.core.producer.delivered(&self.deliveries, deadline);
        if runtime::block_on(py, done)? {
            return self.core.acknowledgements.serve(py).map(drop);
        }
        let open = self.deliveries.iter().filter(|each| !each.is_done());
        Err(error::timed_out(format!(
            "no report on {} of {} records within {} s; they are still on their way",
            open.count(),
            self.deliveries.len(),
            timeout.unwrap_or_default()
        )))
    }
}

#[pymethods]
impl PyDeliveries {
    fn __len__(&self) -> usize {
        self.deliveries.len()
    }

    /// The future of one record, in the order of the call.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: Index,
    ) -> PyResult<Bound<'py, PyDeliveryFuture>> {
        let delivery =
            resolve_index(index.0, self.deliveries.len()).and_then(|at| self.deliveries.get(at));
        let delivery = delivery.ok_or_else(|| PyIndexError::new_err("no such record"))?;
        self.future(py, delivery)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let futures = self.deliveries.iter().map(|each| self.future(py, each));
        PyList::new(py, futures.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }

    /// True if every record was reported as stored or as failed.
    fn done(&self) -> bool {
        self.deliveries.iter().all(Delivery::is_done)
    }

    /// Where the records were stored, in the order of the call, once all are reported.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; None waits without end.
    ///
    /// Raises:
    ///     KafkaTimeoutError: Some were not reported in time; they may still be stored.
    ///     KafkaError: Why the first of those that failed was not stored.
    #[pyo3(signature = (timeout=None))]
    fn result<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyList>> {
        self.wait(py, timeout)?;
        // All are looked at, also behind the first failure: whoever has asked for all of them has been told.
        let outcomes: Vec<_> = self.deliveries.iter().map(Delivery::result).collect();
        let results = outcomes.into_iter().map(|outcome| match outcome {
            Some(outcome) => metadata::outcome(py, outcome),
            None => Err(error::abandoned()),
        });
        PyList::new(py, results.collect::<PyResult<Vec<_>>>()?)
    }

    /// Why records were not stored, by their place in the call, once all are reported; empty where all were.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; None waits without end.
    ///
    /// Raises:
    ///     KafkaTimeoutError: Some were not reported in time; they may still be stored.
    #[pyo3(signature = (timeout=None))]
    fn failures<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.wait(py, timeout)?;
        let failures = PyDict::new(py);
        for (index, delivery) in self.deliveries.iter().enumerate() {
            if let Some(Err(failure)) = delivery.result() {
                failures.set_item(index, error::produce(py, &failure).into_value(py))?;
            }
        }
        Ok(failures)
    }

    fn __repr__(&self) -> String {
        let done = self.deliveries.iter().filter(|each| each.is_done());
        format!(
            "<Deliveries of {} records, {} done>",
            self.deliveries.len(),
            done.count()
        )
    }
}

/// A Python index; one that does not fit becomes the largest or smallest, which is always out of range.
pub(super) struct Index(pub(super) isize);

impl<'py> FromPyObject<'_, 'py> for Index {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match given.extract::<isize>() {
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => {
                Ok(Self(isize::MAX))
            }
            number => number.map(Self),
        }
    }
}

/// The position among `count` items of a Python index; negative ones count from the end.
pub(super) fn resolve_index(index: isize, count: usize) -> Option<usize> {
    let at = match usize::try_from(index) {
        Ok(at) => at,
        Err(_) => count.checked_sub(index.unsigned_abs())?,
    };
    (at < count).then_some(at)
}
