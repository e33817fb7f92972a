//! Serving: listeners and callbacks run on the thread that polls, listeners' coroutines on its loop.

use std::sync::Arc;

use kafkars_client::ConsumerEvent;
use kafkars_client::group::{Change, ChangeKind};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::core::ConsumerCore;
use crate::error;
use crate::imports::{CURRENT_TASK, ENSURE_FUTURE};
use crate::types;

/// The result of serving on a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// Nothing waits any more.
    All,
    /// A listener's coroutine runs, and records wait for its end.
    Running,
}

impl ConsumerCore {
    /// Runs the listeners and callbacks that are due on this thread, unless another thread does. Raises the exception
    /// of one; the others stay due.
    pub(crate) fn serve(&self, py: Python<'_>) -> PyResult<()> {
        self.check_reentry()?;
        let Some(_turn) = self.callback_turn.take() else {
            return Ok(());
        };
        while let Some(event) = self.next_event(py)? {
            match event {
                ConsumerEvent::Change(change) => {
                    let outcome = self.call_listener(py, &change);
                    let is_heard = !matches!(outcome, Ok(None));
                    self.consumer.finish_change(&change, is_heard);
                    if let Some(answer) = outcome? {
                        self.refuse_coroutine(&answer)?;
                    }
                }
                other => self.serve_other(py, other)?,
            }
        }
        Ok(())
    }

    /// Runs the listeners and callbacks that are due on an event loop, where listeners may be coroutines.
    pub(crate) fn serve_on_loop(self: &Arc<Self>, py: Python<'_>) -> PyResult<Served> {
        self.check_reentry()?;
        self.check_task(py)?;
        if let Some(error) = self.raised.lock().take() {
            return Err(error);
        }
        while let Some(event) = self.next_event(py)? {
            match event {
                ConsumerEvent::Change(change) => {
                    let answer = match self.call_listener(py, &change) {
                        Ok(answer) => answer,
                        Err(error) => {
                            self.consumer.finish_change(&change, true);
                            return Err(error);
                        }
                    };
                    let is_heard = answer.is_some();
                    match answer.filter(is_awaitable) {
                        None => self.consumer.finish_change(&change, is_heard),
                        Some(coroutine) => {
                            if let Err(error) = self.start_task(&coroutine, &change) {
                                self.consumer.finish_change(&change, true);
                                return Err(error);
                            }
                        }
                    }
                }
                other => self.serve_other(py, other)?,
            }
        }
        Ok(match self.listener_run.has_task() {
            true => Served::Running,
            false => Served::All,
        })
    }

    /// What is due next. A signal that has come raises before it is taken: a listener or callback is Python code, in
    /// which it would raise before the first line.
    fn next_event(&self, py: Python<'_>) -> PyResult<Option<ConsumerEvent>> {
        if self.consumer.has_event() {
            py.check_signals()?;
        }
        Ok(self.consumer.next_event(self.is_finished()))
    }

    pub(super) fn serve_other(&self, py: Python<'_>, event: ConsumerEvent) -> PyResult<()> {
        match event {
            ConsumerEvent::Change(change) => self.consumer.finish_change(&change, false),
            ConsumerEvent::Committed {
                callback: number,
                offsets,
                outcome,
            } => {
                let Some(callback) = self.commit_callbacks.take(number) else {
                    return Ok(());
                };
                match self.told(py, &callback, &outcome) {
                    Ok(told) => self.call_back(py, callback, told)?,
                    Err(interrupt) => {
                        // It is called by the next poll.
                        self.commit_callbacks.put_back(number, callback);
                        self.consumer.put_back(ConsumerEvent::Committed {
                            callback: number,
                            offsets,
                            outcome,
                        });
                        return Err(interrupt);
                    }
                }
            }
            ConsumerEvent::Failed(_) if self.is_leaving() => {}
            ConsumerEvent::Failed(failure) => return Err(error::group(py, &failure)),
            ConsumerEvent::Left(id) => self.note_left(id),
        }
        Ok(())
    }

    /// Calls the listener that a change is for, if there is one.
    fn call_listener<'py>(
        &self,
        py: Python<'py>,
        change: &Change,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        // A completed rebalance is reported even if no partition is new; an empty list of lost or revoked ones is not.
        if change.partitions.is_empty() && change.kind != ChangeKind::Assigned {
            return Ok(None);
        }
        let Some(listeners) = self.listeners.lock().clone() else {
            return Ok(None);
        };
        let listener = match &change.kind {
            ChangeKind::Assigned => &listeners.assigned,
            ChangeKind::Revoked => &listeners.revoked,
            // As in Java's client: a listener without `on_partitions_lost` gets lost partitions as revoked.
            ChangeKind::Lost(_) => match &listeners.lost {
                None => &listeners.revoked,
                lost => lost,
            },
        };
        let Some(listener) = listener else {
            return Ok(None);
        };
        let partitions = change.partitions.iter();
        let partitions = partitions.map(|partition| types::topic_partition(py, partition));
        let partitions = PyList::new(py, partitions.collect::<PyResult<Vec<_>>>()?)?;
        let _inside = self.listener_run.enter();
        listener.bind(py).call1((partitions,)).map(Some)
    }

    /// Runs a listener's coroutine as a task of the running loop; the change is done when the task is.
    fn start_task(self: &Arc<Self>, coroutine: &Bound<'_, PyAny>, change: &Change) -> PyResult<()> {
        let py = coroutine.py();
        let task = ENSURE_FUTURE.get(py)?.call1((coroutine,))?;
        let end = Bound::new(
            py,
            PyListenerEnd {
                core: Arc::clone(self),
                change: change.clone(),
            },
        )?;
        // Noted before the callback is added, which takes it back.
        self.listener_run.begin(&task);
        task.call_method1(intern!(py, "add_done_callback"), (end,))?;
        Ok(())
    }

    /// Fails for a listener that returns a coroutine: a synchronous consumer has no loop to run it on.
    fn refuse_coroutine(&self, answer: &Bound<'_, PyAny>) -> PyResult<()> {
        if !is_awaitable(answer) {
            return Ok(());
        }
        if answer.hasattr("close")? {
            answer.call_method0("close")?;
        }
        Err(error::state(
            "a listener of a synchronous consumer is a coroutine function, which nobody awaits; use kafkars.aio.Consumer",
        ))
    }

    /// Fails inside a listener or callback: it runs because of a call like this one, which waits for it.
    pub(crate) fn check_reentry(&self) -> PyResult<()> {
        if self.listener_run.is_on_this_thread() {
            return Err(error::state(
                "this call waits for the listener or callback it was made in; make it after that has returned",
            ));
        }
        Ok(())
    }

    /// Fails inside the task of a listener's coroutine, which waits for it.
    pub(crate) fn check_task(&self, py: Python<'_>) -> PyResult<()> {
        let Some(task) = self.listener_run.task(py) else {
            return Ok(());
        };
        let current = CURRENT_TASK.get(py)?.call0();
        if current.is_ok_and(|current| current.is(&task)) {
            return Err(error::state(
                "this call waits for the listener it was awaited in; make it after that has returned",
            ));
        }
        Ok(())
    }
}

fn is_awaitable(answer: &Bound<'_, PyAny>) -> bool {
    !answer.is_none()
        && answer
            .get_type()
            .hasattr(intern!(answer.py(), "__await__"))
            .unwrap_or(false)
}

/// What a loop calls when a listener's coroutine has ended.
#[pyclass(name = "ListenerEnd", module = "kafkars._kafkars", frozen)]
struct PyListenerEnd {
    core: Arc<ConsumerCore>,
    change: Change,
}

#[pymethods]
impl PyListenerEnd {
    #[pyo3(signature = (*arguments))]
    fn __call__(&self, py: Python<'_>, arguments: &Bound<'_, PyTuple>) -> PyResult<()> {
        let task = arguments.get_item(0)?;
        let outcome = task.call_method0(intern!(py, "result"));
        self.core.listener_run.end();
        if let Err(error) = outcome {
            *self.core.raised.lock() = Some(error);
        }
        self.core.consumer.finish_change(&self.change, true);
        if self.core.raised.lock().is_some() {
            self.core.consumer.wake_readers();
        }
        Ok(())
    }
}
