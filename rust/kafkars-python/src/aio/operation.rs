//! One call that runs on the runtime while Python does something else.

use std::future::Future;
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::task::AbortHandle;

use super::call::Call;
use super::completion_queue::{CompletionQueue, Key};
use super::future::PyFuture;
use super::pending::Pending;
use crate::error;
use crate::runtime;

type Answer = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// Starts `future` now and returns what awaits it; `answer` turns its output into Python, on the thread that asks.
/// Cancelling the Python future drops the Rust one.
pub(crate) fn spawn<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Call> {
    Ok(Call(PyFuture::pending(pending(future, answer)?)))
}

/// The same, as a part of something larger.
pub(crate) fn pending<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Arc<dyn Pending>> {
    start(future, answer, true)
}

/// Starts `future` now, and carries it out also where nobody waits for it any more: for what must not end halfway.
pub(crate) fn carried_out<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Arc<dyn Pending>> {
    start(future, answer, false)
}

fn start<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    may_be_dropped: bool,
) -> PyResult<Arc<dyn Pending>> {
    let shared = Arc::new(Shared {
        key: Key::unique(),
        slot: Mutex::new(Slot::Waiting(None)),
    });
    let guard = Guard(Arc::clone(&shared));
    let task = runtime::handle()?.spawn(async move {
        let output = future.await;
        guard.0.fill(Box::new(move |py| answer(py, output)));
    });
    Ok(Arc::new(Operation {
        shared,
        task: may_be_dropped.then(|| task.abort_handle()),
    }))
}

struct Operation {
    shared: Arc<Shared>,
    /// None where the task is carried out in any case.
    task: Option<AbortHandle>,
}

struct Shared {
    key: Key,
    // Guards the way from "nobody knows" to "answered"; callbacks are told outside.
    slot: Mutex<Slot>,
}

enum Slot {
    /// Under way; the loop that waits, if one does.
    Waiting(Option<Arc<CompletionQueue>>),
    /// The answer, until it is taken.
    Done(Option<Answer>),
}

impl Shared {
    fn fill(&self, answer: Answer) {
        let mut slot = self.slot.lock();
        if matches!(*slot, Slot::Done(_)) {
            return;
        }
        let before = std::mem::replace(&mut *slot, Slot::Done(Some(answer)));
        drop(slot);
        if let Slot::Waiting(Some(completion_queue)) = before {
            completion_queue.push(self.key);
        }
    }
}

impl Pending for Operation {
    fn is_ready(&self, _woken: bool) -> bool {
        matches!(*self.shared.slot.lock(), Slot::Done(_))
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let answer = match &mut *self.shared.slot.lock() {
            Slot::Waiting(_) => None,
            Slot::Done(answer) => answer.take(),
        }?;
        Some(answer(py))
    }

    fn key(&self) -> Key {
        self.shared.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let mut slot = self.shared.slot.lock();
        match &mut *slot {
            Slot::Waiting(waiting) => *waiting = Some(completion_queue),
            Slot::Done(_) => {
                drop(slot);
                completion_queue.push(self.shared.key);
            }
        }
    }

    fn cancel(&self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

/// A task that ends without an answer (it panicked, or the runtime ended) must not leave its future waiting.
struct Guard(Arc<Shared>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fill(Box::new(|_| Err(error::abandoned())));
    }
}
