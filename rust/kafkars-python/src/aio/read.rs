//! Calls that take records. Such a call takes none before somebody awaits it, as a coroutine would not have begun.
//!
//! asyncio's own functions make a task of a read that nobody has awaited: a future that is done may be dropped with
//! what it holds, while a task that is cancelled before its first step has taken nothing.

use std::sync::Arc;

use pyo3::prelude::*;

use super::pending::PendingAnswer;

/// How much a read takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    /// One record; none at the deadline.
    One,
    /// One record of an iteration, which ends when the consumer is closed.
    Next,
    /// At most so many records; nothing at the deadline.
    Many(usize),
}

/// What one call asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadRequest {
    pub(crate) amount: Amount,
    /// Seconds; none is as long as it takes.
    pub(crate) timeout: Option<f64>,
}

/// What the first step of a read gave.
pub(crate) enum FirstStep {
    Answer(Py<PyAny>),
    Wait(Arc<dyn PendingAnswer>),
}

/// Where records are read.
pub(crate) trait RecordReads: Send + Sync {
    /// Takes what is there, or begins to wait.
    fn begin(self: Arc<Self>, py: Python<'_>, request: ReadRequest) -> PyResult<FirstStep>;
    /// Begins to wait without taking anything.
    fn wait(self: Arc<Self>, request: ReadRequest) -> PyResult<Arc<dyn PendingAnswer>>;
}

/// A read that nobody has awaited.
pub(super) struct UnawaitedRead {
    pub(super) reader: Arc<dyn RecordReads>,
    pub(super) request: ReadRequest,
}
