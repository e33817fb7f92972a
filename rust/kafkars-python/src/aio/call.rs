//! The awaitable of a call: a future that is a coroutine as well.
//!
//! `asyncio.create_task(consumer.poll())` is what people write, and it takes coroutines only; `asyncio.wait` refuses
//! them. So calls return an object that is a future and a coroutine, and the object of a delivery is a future only.

use pyo3::exceptions::{PyAttributeError, PyStopIteration};
use pyo3::prelude::*;

use super::future::PyFuture;
use crate::gc::untracked;

/// A call under way.
#[pyclass(name = "Call", module = "kafkars.aio", extends = PyFuture, frozen)]
pub(crate) struct PyCall;

#[pymethods]
impl PyCall {
    /// Says what is missing where an attribute of the outcome is asked of the call. Deliveries have no such method: the
    /// interpreter finds each of their other methods, of which `gather()` calls ten, in half the time without it.
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<()> {
        let advice = if name.starts_with('_') {
            ""
        } else {
            "; await it first"
        };
        let class = slf.get_type().fully_qualified_name()?;
        Err(PyAttributeError::new_err(format!(
            "'{class}' object has no attribute '{name}'{advice}"
        )))
    }

    /// Takes one step, as a coroutine does.
    #[pyo3(signature = (_value, /), text_signature = "($self, value, /)")]
    fn send<'py>(
        slf: &Bound<'py, Self>,
        _value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let future = slf.as_super();
        let yielded = PyFuture::step(future)?.yielded(future);
        yielded.map_err(|value| PyStopIteration::new_err((value,)))
    }

    /// Raises in the awaiting code, as a coroutine does. Where nobody else waits for it, the call is given up: a task
    /// that is cancelled before its first step comes here instead of `cancel()`.
    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        slf: &Bound<'_, Self>,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        PyFuture::give_up(slf.as_super());
        slf.as_super().get().raise(kind, value, traceback)
    }

    /// Ends the awaiting, as a coroutine does. Where nobody else waits for it, the call is given up.
    fn close(slf: &Bound<'_, Self>) {
        PyFuture::give_up(slf.as_super());
    }
}

/// A future that becomes a [`PyCall`] when it is handed to Python.
pub(crate) struct AwaitableCall(pub(crate) PyFuture);

impl<'py> IntoPyObject<'py> for AwaitableCall {
    type Target = PyCall;
    type Output = Bound<'py, PyCall>;
    type Error = PyErr;

    #[inline]
    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        Bound::new(py, PyClassInitializer::from(self.0).add_subclass(PyCall)).map(untracked)
    }
}
