//! What a future may wait for.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;

use super::completion_queue::{CompletionQueue, Key};

/// Something whose answer comes later.
pub(crate) trait Pending: Send + Sync {
    /// Whether [`Pending::take`] has an answer; `woken` tells that the key has come.
    fn is_ready(&self, woken: bool) -> bool;
    /// The answer. `None` means that it is still to come, or that somebody else took what was there.
    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>>;
    /// Whether [`Pending::take`] may be tried as soon as the key comes. What it takes is lost with a task that is
    /// cancelled before it runs again, so records are left alone until somebody is there to get them.
    fn goes_in_steps(&self) -> bool {
        true
    }
    /// What must run before it is known whether there is an answer; to be called in the context of whoever waits.
    fn prelude(&self, _py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        Ok(None)
    }
    /// What is told to the completion_queue.
    fn key(&self) -> Key;
    /// Arranges that `completion_queue` gets the key, once.
    fn arm(&self, completion_queue: Arc<CompletionQueue>);
    /// When [`Pending::take`] has an answer at the latest.
    fn deadline(&self) -> Option<Instant> {
        None
    }
    /// Nobody wants the answer any more.
    fn cancel(&self) {}
    /// What went wrong although nobody asked: told when the future is forgotten.
    fn failure(&self, _py: Python<'_>) -> Option<PyErr> {
        None
    }
}
