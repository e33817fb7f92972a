//! One thing after another, where the second needs the interpreter.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use pyo3::prelude::*;

use super::completion_queue::{CompletionQueue, Key};
use super::future::PyFuture;
use super::pending::Pending;

type Next = Box<dyn FnOnce(Python<'_>) -> PyResult<Arc<dyn Pending>> + Send>;

/// Waits for `first`, then calls `next` on the thread that awaits, then waits for what that started.
pub(crate) fn then(
    first: Arc<dyn Pending>,
    next: impl FnOnce(Python<'_>) -> PyResult<Arc<dyn Pending>> + Send + 'static,
) -> PyFuture {
    PyFuture::pending(Arc::new(Then(Mutex::new(Stage {
        now: first,
        next: Some(Box::new(next)),
    }))))
}

/// Guards the change from the first to the second; nothing is called under the lock.
struct Then(Mutex<Stage>);

struct Stage {
    now: Arc<dyn Pending>,
    next: Option<Next>,
}

impl Then {
    fn now(&self) -> Arc<dyn Pending> {
        Arc::clone(&self.0.lock().now)
    }
}

impl Pending for Then {
    fn is_ready(&self, woken: bool) -> bool {
        let stage = self.0.lock();
        stage.next.is_none() && stage.now.is_ready(woken)
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let answer = self.now().take(py)?;
        let Some(next) = self.0.lock().next.take() else {
            return Some(answer);
        };
        match answer.and_then(|_| next(py)) {
            Err(error) => Some(Err(error)),
            Ok(started) => {
                let replaced = std::mem::replace(&mut self.0.lock().now, started);
                drop(replaced);
                self.now().take(py)
            }
        }
    }

    fn key(&self) -> Key {
        self.now().key()
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        self.now().arm(completion_queue);
    }

    fn deadline(&self) -> Option<Instant> {
        self.now().deadline()
    }

    fn cancel(&self) {
        self.now().cancel();
    }
}
