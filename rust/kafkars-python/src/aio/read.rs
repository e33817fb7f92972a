//! Calls that take records. Such a call takes none before it is awaited, just as a coroutine would not have begun.
//!
//! asyncio's own functions make a task of a read that was not awaited. A future that is done may be dropped with its
//! records, while a task that is cancelled before its first step has taken nothing.

use std::sync::Arc;

use pyo3::prelude::*;

use super::pending::PendingAnswer;

/// How much a read takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Amount {
    /// One record, or `None` at the deadline.
    One,
    /// One record of an iteration, which ends when the consumer is closed.
    Next,
    /// At most this many records, or an empty batch at the deadline.
    Many(usize),
}

/// The arguments of a read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadRequest {
    pub(crate) amount: Amount,
    /// In seconds; `None` waits without limit.
    pub(crate) timeout: Option<f64>,
}

/// The outcome of the first step of a read.
pub(crate) enum FirstStep {
    Answer(Py<PyAny>),
    Wait(Arc<dyn PendingAnswer>),
}

/// A consumer, for reads of its records.
pub(crate) trait RecordReads: Send + Sync {
    /// Takes the records that are there, or begins to wait.
    fn begin(self: Arc<Self>, py: Python<'_>, request: ReadRequest) -> PyResult<FirstStep>;
    /// Begins to wait without taking anything.
    fn wait(self: Arc<Self>, request: ReadRequest) -> PyResult<Arc<dyn PendingAnswer>>;
}

/// A read that was not awaited yet.
pub(super) struct UnawaitedRead {
    pub(super) reader: Arc<dyn RecordReads>,
    pub(super) request: ReadRequest,
}
