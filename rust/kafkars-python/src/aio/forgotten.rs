//! The end of a future that was never awaited, or whose failure was never looked at.

use std::ffi::CString;

use kafkars_client::ProduceError;
use pyo3::exceptions::{PyBaseException, PyRuntimeWarning};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::future::PyFuture;
use super::running_loop::running_loop;
use super::state::{FutureState, LoopWaiter};
use crate::gc::at_end_of_life;
use crate::imports::GET_LOGGER;

impl Drop for PyFuture {
    /// Reports a failure that was never looked at as asyncio does: through the loop's exception handler, or through
    /// `logging` if no loop has ever waited for the future and none runs.
    fn drop(&mut self) {
        let inner = self.inner.get_mut();
        if matches!(inner.state, FutureState::Unawaited(_)) {
            if !inner.seen {
                at_end_of_life(|py| never_awaited(py, READ));
            }
            return;
        }
        if let FutureState::Pending(pending) = &inner.state
            && !inner.seen
            && !inner.was_asked
            && inner.waiter.is_none()
            && let Some(name) = pending.forget()
        {
            at_end_of_life(|py| never_awaited(py, name));
        }
        if inner.seen || !inner.is_done() {
            return;
        }
        if matches!(
            inner.state,
            FutureState::Value(_) | FutureState::Cancelled(_)
        ) {
            return;
        }
        at_end_of_life(|py| {
            let error = match &inner.state {
                FutureState::Failed(error) => Some(error.clone_ref(py)),
                FutureState::Delivery(delivery, report) => match delivery.result() {
                    // Whoever aborts a transaction knows what becomes of its records.
                    Some(Ok(_) | Err(ProduceError::Aborted)) | None => None,
                    Some(Err(failure)) => report(py, Err(failure)).err(),
                },
                FutureState::Pending(pending) => pending.failure(py),
                FutureState::Value(_)
                | FutureState::Cancelled(_)
                | FutureState::Unawaited(_)
                | FutureState::Unbegun(_)
                | FutureState::Beginning => None,
            };
            if let Some(error) = error {
                // The loop may be closed, and then there is nowhere to report it.
                drop(report(py, inner.waiter.as_deref(), error));
            }
        });
    }
}

const READ: &str = "a read of an asyncio consumer was never awaited, and has read nothing";

/// Warns as the interpreter does of coroutines that were never awaited.
fn never_awaited(py: Python<'_>, message: &str) {
    let category = py.get_type::<PyRuntimeWarning>();
    // Warnings that are errors cannot be raised from here; the interpreter shows them.
    let warned = CString::new(message)
        .map_err(PyErr::from)
        .and_then(|message| PyErr::warn(py, &category, &message, 1));
    if let Err(error) = warned {
        error.write_unraisable(py, None);
    }
}

/// Lets a future of the loop fail that nobody has, which asyncio reports; logs the failure where there is no loop.
fn report(py: Python<'_>, waiter: Option<&LoopWaiter>, error: PyErr) -> PyResult<()> {
    let error = error.into_value(py);
    let event_loop = match waiter {
        Some(waiter) => waiter.loop_bridge.get().event_loop(py)?,
        None => match running_loop(py) {
            Ok(event_loop) => event_loop,
            Err(_) => return log(py, error),
        },
    };
    let future = event_loop.call_method0("create_future")?;
    future.call_method1("set_exception", (error,))?;
    Ok(())
}

fn log(py: Python<'_>, error: Py<PyBaseException>) -> PyResult<()> {
    let logger = GET_LOGGER.get(py)?.call1(("kafkars",))?;
    let keywords = PyDict::new(py);
    keywords.set_item("exc_info", error)?;
    let message = "the failure of a call was never retrieved";
    logger.call_method("error", (message,), Some(&keywords))?;
    Ok(())
}
