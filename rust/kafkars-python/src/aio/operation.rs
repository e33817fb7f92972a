//! One call that runs on the runtime while Python does something else.

use std::future::Future;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use pyo3::prelude::*;
use tokio::task::AbortHandle;

use super::call::AwaitableCall;
use super::completion_queue::{CompletionKey, CompletionQueue};
use super::future::PyFuture;
use super::pending::PendingAnswer;
use crate::error;
use crate::runtime;

/// Makes the Python result of an output, on a thread that is attached.
pub(crate) type ToPython = Box<dyn FnOnce(Python<'_>) -> PyResult<Py<PyAny>> + Send>;

/// What happens to a call whose future is dropped before it was awaited or cancelled.
pub(crate) enum Forgotten<T> {
    /// It goes on silently, because another object is awaited in its place.
    GoesOn,
    /// It ends; what it has begun goes on and reports a failure itself.
    Ends,
    /// It has no effect besides its result, so it ends, with a warning of this name.
    Question(&'static str),
    /// It goes on, with a warning of this name, because the program does not know when it has ended. The function
    /// reports a failure.
    Waiting(&'static str, fn(&T)),
}

/// Starts `future` now and returns its Python future; `answer` turns the output into Python, on the thread that asks
/// for it. Cancelling the Python future drops the Rust one.
pub(crate) fn spawn<T: Send + 'static>(
    forgotten: Forgotten<T>,
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<AwaitableCall> {
    let pending = start(future, answer, true, forgotten)?;
    Ok(AwaitableCall(PyFuture::pending(pending)))
}

/// Starts `future` now, and carries it out even if nothing waits for it any more: for operations that must not end
/// halfway.
pub(crate) fn carried_out<T: Send + 'static>(
    forgotten: Forgotten<T>,
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Arc<dyn PendingAnswer>> {
    start(future, answer, false, forgotten)
}

fn start<T: Send + 'static>(
    future: impl Future<Output = T> + Send + 'static,
    answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    may_be_dropped: bool,
    forgotten: Forgotten<T>,
) -> PyResult<Arc<dyn PendingAnswer>> {
    let shared = Arc::new(SharedSlot {
        key: CompletionKey::unique(),
        slot: Mutex::new(ResultSlot::Waiting(None)),
    });
    let guard = AbandonedGuard(Arc::clone(&shared));
    let (question, name, tell) = match forgotten {
        Forgotten::GoesOn => (false, None, None),
        Forgotten::Ends => (true, None, None),
        Forgotten::Question(name) => (true, Some(name), None),
        Forgotten::Waiting(name, tell) => (false, Some(name), Some(tell)),
    };
    let task = runtime::handle()?.spawn(async move {
        let output = future.await;
        guard.0.finish(output, answer, tell);
    });
    Ok(Arc::new(Operation {
        shared,
        is_question: question,
        name,
        may_be_dropped,
        task: task.abort_handle(),
    }))
}

struct Operation {
    shared: Arc<SharedSlot>,
    /// Whether nothing is left to do once nothing waits for the result.
    is_question: bool,
    /// The name of a call that warns if it is never awaited.
    name: Option<&'static str>,
    /// False if the task is carried out in any case.
    may_be_dropped: bool,
    task: AbortHandle,
}

struct SharedSlot {
    key: CompletionKey,
    // Guards the change from pending to done; completion queues are told outside of the lock.
    slot: Mutex<ResultSlot>,
}

enum ResultSlot {
    /// Under way, with the completion queue of the loop that waits, if one does.
    Waiting(Option<Arc<CompletionQueue>>),
    /// Under way, and nothing will wait for it.
    Forgotten,
    /// The result, until it is taken.
    Done(Option<ToPython>),
}

impl SharedSlot {
    /// Keeps an output for whoever takes it. If nobody will, it is told instead.
    fn finish<T: Send + 'static>(
        &self,
        output: T,
        answer: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
        tell: Option<fn(&T)>,
    ) {
        let slot = self.slot.lock();
        match *slot {
            ResultSlot::Waiting(_) => self.fill(slot, Box::new(move |py| answer(py, output))),
            ResultSlot::Done(_) => {}
            ResultSlot::Forgotten => {
                drop(slot);
                if let Some(tell) = tell {
                    tell(&output);
                }
            }
        }
    }

    fn fill(&self, mut slot: MutexGuard<'_, ResultSlot>, answer: ToPython) {
        let before = std::mem::replace(&mut *slot, ResultSlot::Done(Some(answer)));
        drop(slot);
        if let ResultSlot::Waiting(Some(completion_queue)) = before {
            completion_queue.push(self.key);
        }
    }
}

impl PendingAnswer for Operation {
    fn is_ready(&self, _woken: bool) -> bool {
        matches!(*self.shared.slot.lock(), ResultSlot::Done(_))
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let answer = match &mut *self.shared.slot.lock() {
            ResultSlot::Waiting(_) | ResultSlot::Forgotten => None,
            ResultSlot::Done(answer) => answer.take(),
        }?;
        Some(answer(py))
    }

    fn key(&self) -> CompletionKey {
        self.shared.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let mut slot = self.shared.slot.lock();
        match &mut *slot {
            ResultSlot::Waiting(waiting) => *waiting = Some(completion_queue),
            ResultSlot::Done(_) => {
                drop(slot);
                completion_queue.push(self.shared.key);
            }
            // Nothing can wait for the result any more.
            ResultSlot::Forgotten => {}
        }
    }

    fn cancel(&self) {
        if self.may_be_dropped {
            self.task.abort();
        }
    }

    fn forget(&self) -> Option<&'static str> {
        let mut slot = self.shared.slot.lock();
        if matches!(*slot, ResultSlot::Waiting(_)) {
            *slot = ResultSlot::Forgotten;
        }
        drop(slot);
        if self.is_question {
            self.task.abort();
        }
        // Whether the operation has ended by now is chance, and the mistake is the same.
        self.name
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

/// Ends the wait for a task that ends without a result (it panicked, or the runtime ended).
struct AbandonedGuard(Arc<SharedSlot>);

impl Drop for AbandonedGuard {
    fn drop(&mut self) {
        let slot = self.0.slot.lock();
        // A forgotten call that was ended for that is no failure.
        if matches!(*slot, ResultSlot::Waiting(_)) {
            self.0.fill(slot, Box::new(|_| Err(error::abandoned())));
        }
    }
}
