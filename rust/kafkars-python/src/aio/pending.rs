//! The trait of results that a future may wait for.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;

use super::completion_queue::{CompletionKey, CompletionQueue};

/// Who may take the result of a future, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taker {
    /// Any caller, also several: nothing is lost by it, and no function of the application runs.
    Anyone,
    /// The awaiting task in its own step, or a caller that asks for the result. Records that were taken are lost with a
    /// task that is cancelled before it runs again, so they are only taken when they can be handed over.
    Reader,
    /// A task, step by step: functions of the application run meanwhile, and the result comes with the last step. Until
    /// then the future is not done, whatever has happened.
    Task,
    /// The loop, whether or not the future is awaited.
    Loop,
}

/// An operation whose result comes later.
pub(crate) trait PendingAnswer: Send + Sync {
    /// True if [`PendingAnswer::take`] is worth a try; `woken` tells that the key has come.
    fn is_ready(&self, woken: bool) -> bool;
    /// Takes the result. `None` means that it is still to come, or that another reader took what was there.
    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>>;
    /// Who may call [`PendingAnswer::take`].
    fn taker(&self) -> Taker {
        Taker::Anyone
    }
    /// Runs what must run before it is known whether there is a result, if no task waits that would run it. Called in
    /// the context of the first waiter.
    fn prelude(&self, _py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        Ok(None)
    }
    /// Notes that a loop begins to wait, for operations that need a loop.
    fn join(&self, _py: Python<'_>) {}
    /// The key that the completion queue will get.
    fn key(&self) -> CompletionKey;
    /// Arranges that `completion_queue` gets the key, once.
    fn arm(&self, completion_queue: Arc<CompletionQueue>);
    /// When [`PendingAnswer::take`] has a result at the latest.
    fn deadline(&self) -> Option<Instant> {
        None
    }
    /// Notes that the result is not wanted any more.
    fn cancel(&self) {}
    /// Whether the wait is over when the loop is closed on which somebody waits for the result. What was sent is sent:
    /// nobody has taken that back.
    fn ends_with_loop(&self) -> bool {
        true
    }
    /// Notes that it is.
    fn loop_ended(&self) {
        self.cancel();
    }
    /// Notes that the future is dropped without ever having been awaited. Returns the name of the call if that is a
    /// mistake.
    fn forget(&self) -> Option<&'static str> {
        None
    }
    /// A failure that was not asked for, to be reported when the future is dropped.
    fn failure(&self, _py: Python<'_>) -> Option<PyErr> {
        None
    }
}
