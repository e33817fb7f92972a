//! The future that a synchronous `send()` returns.

use std::hash::{Hash, Hasher};
use std::sync::mpsc;
use std::sync::{Arc, Weak};

use kafkars_client::Delivery;
use pyo3::prelude::*;

use super::callbacks::DeliveryFutures;
use super::core::ProducerCore;
use crate::argument;
use crate::error;
use crate::gc::{self, Uncollected};
use crate::metadata;
use crate::runtime;
use crate::types;

/// The delivery of one record.
///
/// A callback gets one of its own for the same record, and it is equal to the one that `send()` returned: callbacks
/// that wait must not keep a producer alive that the program has forgotten.
#[pyclass(name = "DeliveryFuture", module = "kafkars", frozen, eq, hash)]
pub(crate) struct PyDeliveryFuture {
    delivery: Delivery,
    core: Arc<ProducerCore>,
}

impl Uncollected for PyDeliveryFuture {
    fn may_release_objects(&self) -> bool {
        Arc::strong_count(&self.core) == 1
    }
}

impl PartialEq for PyDeliveryFuture {
    fn eq(&self, other: &Self) -> bool {
        let (mine, theirs) = (&self.delivery, &other.delivery);
        Arc::ptr_eq(mine.batch(), theirs.batch()) && mine.index() == theirs.index()
    }
}

impl Hash for PyDeliveryFuture {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (Arc::as_ptr(self.delivery.batch()), self.delivery.index()).hash(state);
    }
}

impl PyDeliveryFuture {
    #[inline]
    pub(crate) fn new(delivery: Delivery, core: Arc<ProducerCore>) -> Self {
        Self { delivery, core }
    }

    /// Runs a function once the record is reported.
    pub(super) fn call_back(&self, function: Py<PyAny>) {
        let core: Weak<ProducerCore> = Arc::downgrade(&self.core);
        self.core.callbacks.add(&self.delivery, function, core);
    }

    /// The delivery itself.
    pub(crate) fn delivery(&self) -> &Delivery {
        &self.delivery
    }

    /// Waits until the record is reported.
    fn wait(&self, py: Python<'_>, timeout: Option<f64>) -> PyResult<()> {
        if self.core.wait_reported(py, &self.delivery, timeout)? {
            return Ok(());
        }
        let batch = self.delivery.batch();
        Err(error::timed_out(format!(
            "no report on a record for {}-{} within {} s; it is still on its way",
            batch.topic(),
            batch.partition(),
            timeout.unwrap_or_default()
        )))
    }
}

impl DeliveryFutures for ProducerCore {
    fn future<'py>(
        self: Arc<Self>,
        py: Python<'py>,
        delivery: Delivery,
    ) -> PyResult<Bound<'py, PyAny>> {
        gc::new(py, PyDeliveryFuture::new(delivery, self)).map(Bound::into_any)
    }
}

impl ProducerCore {
    /// Waits until a record is reported; false when it was not in time.
    pub(crate) fn wait_reported(
        &self,
        py: Python<'_>,
        delivery: &Delivery,
        timeout: Option<f64>,
    ) -> PyResult<bool> {
        let batch = delivery.batch();
        if batch.is_done() {
            return Ok(true);
        }
        self.check()?;
        let limit = types::timeout(timeout)?;
        let (sender, receiver) = mpsc::channel();
        // Fails if the waiting thread has gone.
        batch.on_done(move || {
            let _ = sender.send(());
        });
        runtime::wait(py, limit, move |slice| match receiver.recv_timeout(slice) {
            Ok(()) => true,
            Err(mpsc::RecvTimeoutError::Timeout) => false,
            // The sender was dropped with the batch, whose outcome will never change then.
            Err(mpsc::RecvTimeoutError::Disconnected) => true,
        })
    }
}

#[pymethods]
impl PyDeliveryFuture {
    /// True if the record was reported as stored or as failed.
    fn done(&self) -> bool {
        self.delivery.batch().is_done()
    }

    /// Where the record was stored.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; None waits without end.
    ///
    /// Returns:
    ///     Its `RecordMetadata`.
    ///
    /// Raises:
    ///     KafkaTimeoutError: It was not reported in time.
    ///     KafkaError: Why it was not stored.
    #[pyo3(signature = (timeout=None))]
    fn result(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        self.wait(py, timeout)?;
        self.core.acknowledgements.serve(py)?;
        match self.delivery.result() {
            Some(outcome) => metadata::outcome(py, outcome),
            None => Err(error::abandoned()),
        }
    }

    /// Why the record was not stored.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; None waits without end.
    ///
    /// Returns:
    ///     The error, or None where it was stored.
    ///
    /// Raises:
    ///     KafkaTimeoutError: It was not reported in time.
    #[pyo3(signature = (timeout=None))]
    fn exception(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Option<Py<PyAny>>> {
        self.wait(py, timeout)?;
        match self.delivery.result() {
            Some(Ok(_)) => Ok(None),
            Some(Err(failure)) => Ok(Some(error::produce(py, &failure).into_value(py).into_any())),
            None => Err(error::abandoned()),
        }
    }

    /// Has a function called once the record is reported; at once if it is already.
    ///
    /// Args:
    ///     function: Called as `function(future)`, in `poll()`, `flush()` or `close()` of the producer.
    ///
    /// Raises:
    ///     TypeError: It is no function.
    #[pyo3(signature = (function, /))]
    pub(super) fn add_done_callback(slf: &Bound<'_, Self>, function: Py<PyAny>) -> PyResult<()> {
        let future = slf.get();
        argument::function(function.bind(slf.py()), "function")?;
        if future.delivery.batch().is_done() {
            let _heard = future.delivery.result();
            return function.call1(slf.py(), (slf,)).map(drop);
        }
        future.core.check()?;
        future.call_back(function);
        Ok(())
    }

    fn __repr__(&self) -> String {
        let batch = self.delivery.batch();
        let state = match self.delivery.result() {
            None => "pending".to_owned(),
            Some(Ok(metadata)) => format!("stored at offset {}", metadata.offset),
            Some(Err(_)) => "failed".to_owned(),
        };
        format!(
            "<DeliveryFuture to {}-{} {state}>",
            batch.topic(),
            batch.partition()
        )
    }
}
