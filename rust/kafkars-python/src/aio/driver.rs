//! A task that drives a call whose outcome only a task can take.
//!
//! asyncio's functions make a task of a call whose steps run functions of the application. When a callback is added to
//! such a call without a task, this task takes the steps, and leaves the outcome, also a failure, in the call.

use pyo3::exceptions::PyStopIteration;
use pyo3::intern;
use pyo3::prelude::*;

use super::future::PyFuture;
use super::state::FutureState;
use super::turns;
use crate::gc::untracked;

/// Starts a task that takes the steps of `future`, unless there is one already.
pub(super) fn drive(future: &Bound<'_, PyFuture>, event_loop: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = future.py();
    let had_driver = std::mem::replace(&mut future.get().inner.lock().has_driver, true);
    if had_driver {
        return Ok(());
    }
    let driver = PyDriver {
        future: future.clone().unbind(),
    };
    let driver = Bound::new(py, driver).map(untracked)?;
    event_loop
        .call_method1(intern!(py, "create_task"), (driver,))
        .map(drop)
}

/// The coroutine of that task.
#[pyclass(name = "CallDriver", module = "kafkars._kafkars", frozen)]
struct PyDriver {
    future: Py<PyFuture>,
}

#[pymethods]
impl PyDriver {
    fn __await__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.step(py)
    }

    /// Takes one step, as a coroutine does.
    #[pyo3(signature = (_value, /))]
    fn send<'py>(
        &self,
        py: Python<'py>,
        _value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.step(py)
    }

    /// Either another task has taken the outcome, a failure that is told to those who look at the call; or this task is
    /// cancelled, and so is the call: nobody else takes its steps.
    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let future = self.future.bind(py);
        if matches!(future.get().inner.lock().state, FutureState::Failed(_)) {
            return Err(PyStopIteration::new_err(()));
        }
        PyFuture::cancel(future, None)?;
        future.get().raise(kind, value, traceback)
    }

    fn close(&self, py: Python<'_>) -> PyResult<()> {
        PyFuture::cancel(self.future.bind(py), None).map(drop)
    }
}

impl PyDriver {
    fn step<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let future = self.future.bind(py);
        if turns::count_step() && PyFuture::is_turn(future)? {
            return Ok(py.None().into_bound(py));
        }
        let Ok(Ok(yielded)) = PyFuture::taken_step(future).map(|step| step.yielded(future)) else {
            let mut inner = future.get().inner.lock();
            // No caller has seen it yet: the callbacks run now.
            if matches!(inner.state, FutureState::Failed(_)) {
                inner.seen = false;
            }
            drop(inner);
            return Err(PyStopIteration::new_err(()));
        };
        Ok(yielded)
    }
}
