//! What a future may wait for.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;

use super::completion_queue::{CompletionKey, CompletionQueue};

/// Who may take an answer, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taker {
    /// Anybody who asks, also several: nothing is lost with it, and nothing of the application runs.
    Anyone,
    /// The awaiting task in its own step, or whoever asks for the result: what is taken is lost with a task that is
    /// cancelled before it runs again, so records are left alone until somebody is there to get them.
    Reader,
    /// A task, step by step: functions of the application run meanwhile, and the answer comes of the last step. Before
    /// that nothing is done, whatever has happened.
    Task,
    /// The loop, whether or not somebody awaits it.
    Loop,
}

/// Something whose answer comes later.
pub(crate) trait PendingAnswer: Send + Sync {
    /// True if [`PendingAnswer::take`] is worth a try; `woken` tells that the key has come.
    fn is_ready(&self, woken: bool) -> bool;
    /// The answer. `None` means that it is still to come, or that somebody else took what was there.
    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>>;
    /// Who may call [`PendingAnswer::take`].
    fn taker(&self) -> Taker {
        Taker::Anyone
    }
    /// What must run before it is known whether there is an answer, where no task waits that would run it; to be
    /// called in the context of whoever waits.
    fn prelude(&self, _py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        Ok(None)
    }
    /// A loop begins to wait, and so can bring on what needs one.
    fn join(&self, _py: Python<'_>) {}
    /// What is told to the completion queue.
    fn key(&self) -> CompletionKey;
    /// Arranges that `completion_queue` gets the key, once.
    fn arm(&self, completion_queue: Arc<CompletionQueue>);
    /// When [`PendingAnswer::take`] has an answer at the latest.
    fn deadline(&self) -> Option<Instant> {
        None
    }
    /// Nobody wants the answer any more.
    fn cancel(&self) {}
    /// It goes though nobody has ever awaited it. Returns what the call is named, where that is a mistake.
    fn forget(&self) -> Option<&'static str> {
        None
    }
    /// What went wrong although nobody asked: told when the future is forgotten.
    fn failure(&self, _py: Python<'_>) -> Option<PyErr> {
        None
    }
}
