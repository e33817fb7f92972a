//! The future that `KafkaProducer.send()` returns, as far as most programs use it: the outcome, once it is there.
//! Callbacks, and everything else that a future of kafka-python can do, are Python code in the class that derives from
//! this one.

use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use kafkars_client::Delivery;
use pyo3::exceptions::PyAttributeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

use super::send_engine::KafkaPythonSendEngine;
use crate::gc;
use crate::imports::hooks;
use crate::producer::PyDeliveryFuture;

/// The delivery of one record.
#[pyclass(
    name = "KafkaPythonFuture",
    module = "kafkars._kafkars",
    frozen,
    subclass
)]
pub(crate) struct PySendFuture {
    // Set if a producer has made the future; one without it has its outcome from the beginning.
    sent: OnceLock<SentRecord>,
    metadata: PyOnceLock<Py<PyAny>>,
    /// True if there are callbacks, or the program has set the outcome: Python code handles the future then.
    is_special: AtomicBool,
}

struct SentRecord {
    delivery: Delivery,
    headers_size: i64,
    engine: Arc<KafkaPythonSendEngine>,
}

#[pymethods]
impl PySendFuture {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            sent: OnceLock::new(),
            metadata: PyOnceLock::new(),
            is_special: AtomicBool::new(false),
        }
    }

    /// Waits for the outcome and returns the metadata.
    ///
    /// Args:
    ///     timeout: Time limit in seconds; None waits for the outcome, which comes within `delivery_timeout_ms`.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There is no outcome in time; the record is still in flight.
    ///     KafkaError: The record was not stored.
    #[pyo3(signature = (timeout=None))]
    fn get<'py>(
        slf: &Bound<'py, Self>,
        timeout: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, future) = (slf.py(), slf.get());
        if let Some(sent) = future.sent.get()
            && !future.is_special.load(Ordering::Acquire)
            && let Ok(seconds) = timeout.map(seconds).transpose()
        {
            if !sent
                .engine
                .core
                .wait_reported(py, &sent.delivery, seconds)?
            {
                return slf.call_method1(intern!(py, hooks::LATE), (timeout,));
            }
            if let Some(metadata) = future.stored(py, sent)? {
                return Ok(metadata);
            }
        }
        slf.call_method1(intern!(py, hooks::GET), (timeout,))
    }

    /// The engine's own future of the delivery.
    #[getter]
    fn _delivery<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDeliveryFuture>> {
        let sent = self.sent()?;
        let core = Arc::clone(&sent.engine.core);
        gc::new(py, PyDeliveryFuture::new(sent.delivery.clone(), core))
    }

    /// The object that runs the producer's callbacks.
    #[getter]
    fn _reporter(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.sent()?.engine.reporter.clone_ref(py))
    }

    /// The metadata of a stored record; None before it is stored, and if it is not.
    fn _metadata<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.stored(py, self.sent()?)
    }

    /// Lets Python code handle the future from now on.
    fn _become_special(&self) {
        self.is_special.store(true, Ordering::Release);
    }
}

impl PySendFuture {
    /// Makes the future of a record under way.
    #[inline]
    pub(super) fn of<'py>(
        py: Python<'py>,
        engine: &Arc<KafkaPythonSendEngine>,
        delivery: Delivery,
        headers_size: i64,
    ) -> PyResult<Bound<'py, PyAny>> {
        // Only `__new__` is called: `__init__` is Python code, and has nothing to do for these.
        let future = engine.new_future.bind(py).call1((&engine.future_class,))?;
        future
            .cast::<Self>()?
            .get()
            .sent
            .get_or_init(|| SentRecord {
                delivery,
                headers_size,
                engine: Arc::clone(engine),
            });
        Ok(future)
    }

    fn sent(&self) -> PyResult<&SentRecord> {
        let sent = self.sent.get();
        sent.ok_or_else(|| PyAttributeError::new_err("this future is of no record under way"))
    }

    /// The metadata, made once.
    fn stored<'py>(
        &self,
        py: Python<'py>,
        sent: &SentRecord,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(known) = self.metadata.get(py) {
            return Ok(Some(known.bind(py).clone()));
        }
        let Some(Ok(found)) = sent.delivery.result() else {
            return Ok(None);
        };
        let made = sent.engine.metadata.make(py, &found, sent.headers_size)?;
        let metadata = self.metadata.get_or_init(py, || made.unbind());
        Ok(Some(metadata.bind(py).clone()))
    }
}

/// A time limit in seconds, if it is valid for the engine.
fn seconds(given: &Bound<'_, PyAny>) -> Result<f64, ()> {
    let seconds = given.extract::<f64>().map_err(drop)?;
    Some(seconds).filter(|seconds| *seconds >= 0.0).ok_or(())
}
