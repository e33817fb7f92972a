//! The end of a future whose failure nobody has looked at.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::future::PyFuture;
use super::state::{State, Waiter};
use crate::gc::at_end_of_life;

impl Drop for PyFuture {
    /// A failure that nobody has looked at is reported as asyncio reports it: through the loop's exception handler, or
    /// through `logging` where no loop has ever waited for it.
    fn drop(&mut self) {
        let inner = self.inner.get_mut();
        if inner.seen || !inner.is_done() {
            return;
        }
        if matches!(inner.state, State::Value(_) | State::Cancelled(_)) {
            return;
        }
        at_end_of_life(|py| {
            let error = match &inner.state {
                State::Failed(error) => Some(error.clone_ref(py)),
                State::Delivery(delivery, report) => match delivery.result() {
                    Some(Err(failure)) => report(py, Err(failure)).err(),
                    Some(Ok(_)) | None => None,
                },
                State::Pending(pending) => pending.failure(py),
                State::Value(_) | State::Cancelled(_) | State::Unawaited(_) | State::Beginning => {
                    None
                }
            };
            if let Some(error) = error {
                // The loop may be closed, and there is nobody else to tell.
                drop(report(py, inner.waiter.as_deref(), error));
            }
        });
    }
}

fn report(py: Python<'_>, waiter: Option<&Waiter>, error: PyErr) -> PyResult<()> {
    const MESSAGE: &str = "the failure of a call was never retrieved";
    let error = error.into_value(py);
    let keywords = PyDict::new(py);
    let Some(waiter) = waiter else {
        let logger = py
            .import("logging")?
            .call_method1("getLogger", ("kafkars",))?;
        keywords.set_item("exc_info", error)?;
        logger.call_method("error", (MESSAGE,), Some(&keywords))?;
        return Ok(());
    };
    keywords.set_item("message", MESSAGE)?;
    keywords.set_item("exception", error)?;
    let event_loop = waiter.loop_bridge.get().event_loop(py)?;
    event_loop.call_method1("call_exception_handler", (keywords,))?;
    Ok(())
}
