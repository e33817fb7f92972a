//! One request to the cluster under way, for synchronous and asyncio Python.

use std::future::Future;
use std::pin::Pin;

use parking_lot::Mutex;
use pyo3::prelude::*;

use crate::aio::{self, AwaitableCall, Forgotten, PyFuture, ToPython};
use crate::error;
use crate::runtime;

type AdminFuture = Pin<Box<dyn Future<Output = ToPython> + Send>>;

/// A question that has not been asked yet. Nothing is sent before it is waited for or awaited.
#[pyclass(name = "AdminRequest", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyAdminRequest {
    // Guards the future until it is started.
    question: Mutex<Option<AdminFuture>>,
    /// True if giving up the wait does not end what has begun.
    is_carried_out: bool,
}

impl PyAdminRequest {
    /// Makes a request of a future, and of a function that turns its output into Python.
    pub(super) fn new<T: Send + 'static>(
        question: impl Future<Output = T> + Send + 'static,
        answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> Self {
        let question = async move {
            let output = question.await;
            Box::new(move |py: Python<'_>| answer(py, output)) as ToPython
        };
        Self {
            question: Mutex::new(Some(Box::pin(question))),
            is_carried_out: false,
        }
    }

    /// The same request, but carried out to its end once it has begun, even if nothing waits for it any more.
    pub(super) fn carried_out(self) -> Self {
        Self {
            is_carried_out: true,
            ..self
        }
    }

    fn take(&self) -> PyResult<AdminFuture> {
        let question = self.question.lock().take();
        question.ok_or_else(|| error::state("this request was sent already"))
    }
}

#[pymethods]
impl PyAdminRequest {
    /// Sends it and blocks until the answer is there.
    fn wait(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let question = self.take()?;
        runtime::block_on(py, question)?(py)
    }

    /// Sends it and returns what awaits the answer.
    fn start(&self) -> PyResult<AwaitableCall> {
        let question = self.take()?;
        match self.is_carried_out {
            true => {
                let pending =
                    aio::carried_out(Forgotten::GoesOn, question, |py, answer| answer(py))?;
                Ok(AwaitableCall(PyFuture::pending(pending)))
            }
            false => aio::spawn(Forgotten::GoesOn, question, |py, answer| answer(py)),
        }
    }
}
