//! The listener or callback that runs now, for calls of its consumer that must not be made in it.

use std::thread::{self, ThreadId};

use parking_lot::Mutex;
use pyo3::prelude::*;

/// Where a listener of one consumer runs now, if one does.
#[derive(Default)]
pub(crate) struct ListenerRun {
    // Guards the thread that a listener runs on.
    thread: Mutex<Option<ThreadId>>,
    // Guards the task that a listener's coroutine runs in; kept, because a loop does not keep its tasks.
    task: Mutex<Option<Py<PyAny>>>,
}

impl ListenerRun {
    /// Notes that a listener runs on this thread until the returned value is dropped.
    pub(super) fn enter(&self) -> Inside<'_> {
        let before = self.thread.lock().replace(thread::current().id());
        Inside { run: self, before }
    }

    /// True if the caller is a listener, or was called by one.
    pub(super) fn is_on_this_thread(&self) -> bool {
        *self.thread.lock() == Some(thread::current().id())
    }

    /// Notes that a listener's coroutine runs in this task.
    pub(super) fn begin(&self, task: &Bound<'_, PyAny>) {
        *self.task.lock() = Some(task.clone().unbind());
    }

    /// The task of a listener's coroutine.
    pub(super) fn task<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let task = self.task.lock();
        task.as_ref().map(|task| task.bind(py).clone())
    }

    /// True if a listener's coroutine has not ended.
    pub(super) fn has_task(&self) -> bool {
        self.task.lock().is_some()
    }

    /// Notes that the coroutine has ended.
    pub(super) fn end(&self) {
        let done = self.task.lock().take();
        drop(done);
    }
}

/// The time in which a listener runs, maybe within another.
pub(super) struct Inside<'a> {
    run: &'a ListenerRun,
    before: Option<ThreadId>,
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        *self.run.thread.lock() = self.before;
    }
}
