//! Waiting on an event loop until a poll would find something.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::WaitingRead;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::aio::{CompletionKey, CompletionQueue, PendingAnswer, Taker};
use crate::consumer::ConsumerCore;

/// A wait for records, events or errors. It takes none of them, so a cancelled wait loses nothing.
pub(super) struct ReadyWait {
    core: Arc<ConsumerCore>,
    deadline: Instant,
    _waits: WaitingRead,
}

impl ReadyWait {
    pub(super) fn new(core: &Arc<ConsumerCore>, timeout: Duration) -> Self {
        Self {
            core: Arc::clone(core),
            deadline: Instant::now() + timeout,
            _waits: core.consumer.start_waiting(),
        }
    }

    fn has_something(&self) -> bool {
        self.core.consumer.is_ready() || self.core.has_raised()
    }

    /// True after the deadline, or just before, because the clocks of the loop's timer and of this code differ
    /// slightly.
    fn is_over(&self) -> bool {
        self.deadline <= Instant::now() + Duration::from_millis(2)
    }
}

impl PendingAnswer for ReadyWait {
    fn is_ready(&self, woken: bool) -> bool {
        (woken && self.has_something()) || self.is_over()
    }

    fn taker(&self) -> Taker {
        Taker::Reader
    }

    /// True once there is something to read, and false when the time is over.
    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let found = self.has_something();
        let answer = PyBool::new(py, found).to_owned().into_any().unbind();
        (found || self.is_over()).then_some(Ok(answer))
    }

    fn key(&self) -> CompletionKey {
        self.core.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let key = self.core.key;
        self.core
            .consumer
            .on_ready(Box::new(move || completion_queue.push(key)));
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.deadline)
    }
}
