//! The methods of futures, as asyncio expects them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pyo3::exceptions::{PyBaseException, PyRuntimeError, PyStopIteration, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

use super::driver;
use super::future::PyFuture;
use super::pending::Taker;
use super::running_loop::{has_running_loop, running_loop};
use super::state::{FutureCallback, FutureState};
use crate::error;
use crate::imports::{CANCELLED_ERROR, INVALID_STATE_ERROR};
use crate::types;

#[pymethods]
impl PyFuture {
    /// The iterator for `yield from`. The interpreter's `await` takes the future itself (`send.rs`), which is not
    /// iterable, because a `for` loop over a call that was not awaited would lose its result.
    fn __await__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAwaiting>> {
        Self::awaiting(slf)
    }

    /// Refuses a `for` loop, which is not what asyncio's futures do with one: the outcome would be lost.
    fn __iter__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a call of an asyncio client is not iterable; await it first",
        ))
    }

    /// A step of the interpreter's `await`; `next()` is refused because it would lose the result.
    #[inline]
    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if !slf.get().is_awaited.load(Ordering::Relaxed) {
            return Err(PyTypeError::new_err("await this call; it is no iterator"));
        }
        match Self::step(slf)?.yielded(slf) {
            Ok(yielded) => Ok(Some(yielded)),
            Err(value) => stop(value.into_bound(slf.py())).map(|()| None),
        }
    }

    /// Raises in the awaiting code, as a coroutine does. The future itself goes on.
    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    fn throw(
        &self,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.note_unbegun();
        self.raise(kind, value, traceback)
    }

    /// Ends the awaiting, as a coroutine does. The future itself goes on.
    fn close(&self) {
        self.note_unbegun();
    }

    /// True if there is an outcome.
    fn done(&self) -> bool {
        let mut inner = self.inner.lock();
        let is_done = inner.is_done();
        inner.was_asked |= is_done;
        is_done
    }

    /// What `cancel()` was given; `gather` reads it.
    #[getter]
    fn _cancel_message(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &self.inner.lock().state {
            FutureState::Cancelled(message) => {
                message.as_ref().map(|message| message.clone_ref(py))
            }
            _ => None,
        }
    }

    /// True if it was cancelled.
    fn cancelled(&self) -> bool {
        matches!(self.inner.lock().state, FutureState::Cancelled(_))
    }

    /// The answer. Raises what went wrong, or `asyncio.InvalidStateError` while there is none.
    fn result(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        let py = slf.py();
        let (taker, woken, resuming) = {
            let inner = slf.get().inner.lock();
            (inner.taker(), inner.woken, inner.resuming)
        };
        // A task that is resumed asks before it runs. It takes the outcome in its own step, as the current task.
        let is_task = resuming && matches!(taker, Taker::Reader | Taker::Task);
        if is_task || (woken && taker == Taker::Task) {
            return Ok(py.None());
        }
        if taker != Taker::Task
            && let Some(outcome) = Self::outcome(slf)
        {
            return outcome;
        }
        if woken {
            // There were records, and another reader took them: a task that awaits this future asks again by itself.
            return Ok(py.None());
        }
        Err(error::asyncio(
            py,
            &INVALID_STATE_ERROR,
            Some(
                "there is no result yet"
                    .into_pyobject(py)?
                    .into_any()
                    .unbind(),
            ),
        ))
    }

    /// What went wrong, or None. Raises `asyncio.InvalidStateError` while there is no outcome.
    fn exception(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        let py = slf.py();
        // The metadata of a stored record is not made here, because `gather` asks each of its futures this.
        {
            let mut inner = slf.get().inner.lock();
            if let FutureState::Delivery(delivery, _) = &inner.state
                && matches!(delivery.stored_at(), Some(Ok(_)))
            {
                inner.seen = true;
                return Ok(None);
            }
        }
        let cancelled = slf.get().cancelled();
        match Self::result(slf) {
            Ok(_) => Ok(None),
            Err(error) if cancelled || !slf.get().done() => Err(error),
            Err(error) => Ok(Some(error.into_value(py).into_any())),
        }
    }

    /// Gives up waiting. Returns False where there is an outcome already. A record on its way is still sent.
    #[pyo3(signature = (msg=None))]
    pub(super) fn cancel(slf: &Bound<'_, Self>, msg: Option<Py<PyAny>>) -> PyResult<bool> {
        let py = slf.py();
        let (replaced, waiter) = {
            let mut inner = slf.get().inner.lock();
            if inner.is_done() {
                return Ok(false);
            }
            let replaced = std::mem::replace(&mut inner.state, FutureState::Cancelled(msg));
            let waiter = inner.waiter.as_mut();
            let waiter = waiter.map(|waiter| {
                (
                    waiter.loop_bridge.clone_ref(py),
                    std::mem::take(&mut waiter.callbacks),
                )
            });
            (replaced, waiter)
        };
        Self::abandon(slf, replaced);
        if let Some((loop_bridge, callbacks)) = waiter {
            Self::schedule(slf, &loop_bridge.get().event_loop(py)?, callbacks)?;
        }
        Ok(true)
    }

    /// Calls `function(future)` on the loop once there is an outcome.
    #[pyo3(signature = (function, /, *, context=None))]
    fn add_done_callback(
        slf: &Bound<'_, Self>,
        function: Py<PyAny>,
        context: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let context = match context {
            Some(context) => context,
            None => copy_context(py)?,
        };
        slf.get().begin_to_wait(py);
        let loop_bridge = Self::loop_bridge(slf)?;
        let (callback, expected, done, taker) = {
            let mut inner = slf.get().inner.lock();
            let callback = FutureCallback {
                function,
                context,
                resumes_task: std::mem::take(&mut inner.is_taken_up),
            };
            (
                callback,
                inner.is_expected(),
                inner.is_done(),
                inner.taker(),
            )
        };
        // A future that is done but expected by its bridge waits for it: futures that were done earlier come first.
        if done && !expected {
            return Self::schedule(slf, &loop_bridge.get().event_loop(py)?, [callback]);
        }
        let resumes_task = callback.resumes_task;
        if let Some(waiter) = &mut slf.get().inner.lock().waiter {
            waiter.callbacks.push(callback);
        }
        match taker {
            // A task has to take the steps.
            Taker::Task if !resumes_task => driver::drive(slf, &loop_bridge.get().event_loop(py)?),
            _ if expected => Ok(()),
            _ => Self::register(slf),
        }
    }

    /// Forgets a callback. Returns how many times it had been added.
    #[pyo3(signature = (function, /))]
    fn remove_done_callback(slf: &Bound<'_, Self>, function: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = slf.py();
        let callbacks = slf
            .get()
            .inner
            .lock()
            .waiter
            .as_mut()
            .map(|waiter| std::mem::take(&mut waiter.callbacks));
        let (mut kept, mut removed) = (Vec::new(), 0);
        for callback in callbacks.into_iter().flatten() {
            if callback.function.bind(py).eq(function)? {
                removed += 1;
            } else {
                kept.push(callback);
            }
        }
        if let Some(waiter) = &mut slf.get().inner.lock().waiter {
            waiter.callbacks = kept;
        }
        Ok(removed)
    }

    /// The loop it belongs to: the one that waits for it, or the running one.
    ///
    /// Who asks is about to wait. A loop that is entered again (`nest_asyncio`) then just looks whether the future is
    /// done, after each of its turns, and adds no callback; so the loop has to be woken from now on.
    fn get_loop<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let (loop_bridge, is_to_come) = {
            let inner = slf.get().inner.lock();
            let waiter = inner.waiter.as_ref();
            (
                waiter.map(|waiter| waiter.loop_bridge.clone_ref(py)),
                waiter.is_none()
                    && matches!(inner.taker(), Taker::Anyone | Taker::Loop)
                    && !inner.is_done()
                    && inner.waits().is_some(),
            )
        };
        if let Some(loop_bridge) = loop_bridge {
            return loop_bridge.get().event_loop(py);
        }
        if !is_to_come {
            return running_loop(py);
        }
        Self::register(slf)?;
        Self::loop_bridge(slf)?.get().event_loop(py)
    }

    /// None says that this is no future to asyncio, which then wraps it in a task, as it does with a coroutine: where
    /// no loop runs and none waits for it (`run_until_complete`, `asyncio.run`), and where the outcome is taken by a
    /// task, except for the one that just awaits it.
    #[getter(_asyncio_future_blocking)]
    fn blocking(&self, py: Python<'_>) -> Option<bool> {
        let (blocking, belongs, taker) = {
            let inner = self.inner.lock();
            (inner.blocking, inner.waiter.is_some(), inner.taker())
        };
        let is_future = match taker {
            Taker::Reader | Taker::Task => blocking,
            Taker::Anyone | Taker::Loop => belongs || has_running_loop(py),
        };
        is_future.then_some(blocking)
    }

    /// A task takes the mark of what was yielded to it away, and adds the callback that resumes it.
    #[setter(_asyncio_future_blocking)]
    fn set_blocking(&self, blocking: bool) {
        let mut inner = self.inner.lock();
        inner.is_taken_up = inner.blocking && !blocking;
        inner.blocking = blocking;
    }

    /// asyncio asks for the error of a cancelled future this way.
    fn _make_cancelled_error(&self, py: Python<'_>) -> Py<PyAny> {
        let message = match &self.inner.lock().state {
            FutureState::Cancelled(Some(message)) => Some(message.clone_ref(py)),
            _ => None,
        };
        error::asyncio(py, &CANCELLED_ERROR, message)
            .into_value(py)
            .into_any()
    }

    fn __repr__(&self) -> String {
        let inner = self.inner.lock();
        let state = match &inner.state {
            FutureState::Value(_) => "finished",
            FutureState::Failed(_) => "failed",
            FutureState::Cancelled(_) => "cancelled",
            _ if inner.is_done() => "finished",
            _ => "pending",
        };
        match &inner.state {
            FutureState::Delivery(delivery, _) => {
                let batch = delivery.batch();
                format!(
                    "<Future {state} delivery to {}-{}>",
                    batch.topic(),
                    batch.partition()
                )
            }
            _ => format!("<Future {state}>"),
        }
    }

    /// `Future[T]` in annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        types::generic_alias(class.as_any(), item)
    }
}

/// A future that is awaited by hand: the iterator that `__await__()` gives.
#[pyclass(name = "Awaiting", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyAwaiting {
    future: Py<PyFuture>,
}

#[pymethods]
impl PyAwaiting {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        PyFuture::__next__(self.future.bind(py))
    }

    /// Raises in the awaiting code, as the future's own method does.
    #[pyo3(signature = (*error))]
    fn throw<'py>(
        &self,
        py: Python<'py>,
        error: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let future = self.future.bind(py);
        future.call_method1(intern!(py, "throw"), error)
    }

    /// Ends the call, as the future's own method does.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let future = self.future.bind(py);
        future.call_method0(intern!(py, "close")).map(drop)
    }
}

impl PyFuture {
    /// The iterator of an `await`, for an object that is awaited by way of this future.
    pub(crate) fn awaiting<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAwaiting>> {
        slf.get().note_awaited();
        let future = slf.clone().unbind();
        Bound::new(slf.py(), PyAwaiting { future })
    }

    /// Raises what `throw()` was given.
    #[expect(clippy::unused_self, reason = "a method of coroutines")]
    pub(super) fn raise(
        &self,
        kind: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let error = match (kind.is_instance_of::<PyBaseException>(), value) {
            (true, _) => kind.clone(),
            (false, None) => kind.call0()?,
            (false, Some(value)) if value.is_instance_of::<PyBaseException>() => value.clone(),
            (false, Some(value)) => kind.call1((value,))?,
        };
        if let Some(traceback) = traceback.filter(|traceback| !traceback.is_none()) {
            error.call_method1(intern!(kind.py(), "with_traceback"), (traceback,))?;
        }
        Err(PyErr::from_value(error))
    }

    /// Notes that the task which was to begin it has yielded before, and goes on elsewhere: it need not be told that
    /// nothing was read.
    fn note_unbegun(&self) {
        let mut inner = self.inner.lock();
        inner.seen |= matches!(inner.state, FutureState::Unawaited(_));
    }

    /// Gives up one wait: unless others wait, the future is cancelled if it is not done. A later failure is not
    /// reported.
    pub(super) fn give_up(slf: &Bound<'_, Self>) {
        let replaced = {
            let mut inner = slf.get().inner.lock();
            inner.seen = true;
            let waiter = inner.waiter.as_ref();
            let has_others = waiter.is_some_and(|waiter| !waiter.callbacks.is_empty());
            if has_others {
                drop(inner);
                // It fails if the loop is closed, and then there are no others.
                drop(Self::wait_on(slf));
                return;
            }
            if inner.is_done() || matches!(inner.state, FutureState::Delivery(..)) {
                return;
            }
            let over = match inner.state {
                // Nobody has awaited it. Who does so now would take a CancelledError for his own.
                FutureState::Unawaited(_) | FutureState::Unbegun(_) => {
                    let closed = PyRuntimeError::new_err("cannot await a call that was closed");
                    FutureState::Failed(Box::new(closed))
                }
                _ => FutureState::Cancelled(None),
            };
            std::mem::replace(&mut inner.state, over)
        };
        Self::abandon(slf, replaced);
    }

    /// Called by the bridge when its loop was closed: lets go of all that waits for the future, which is over where
    /// somebody does, as where a loop cancels its tasks at its end. A future that nobody waits for goes on, and so does
    /// what was sent.
    ///
    /// A task and the call that it awaits refer to each other, and calls take no part in garbage collection.
    pub(super) fn loop_ended(slf: &Bound<'_, Self>) {
        let (callbacks, pending) = {
            let mut inner = slf.get().inner.lock();
            let Some(waiter) = &mut inner.waiter else {
                return;
            };
            waiter.expected = false;
            let callbacks = std::mem::take(&mut waiter.callbacks);
            let pending = match &inner.state {
                FutureState::Pending(pending)
                    if !callbacks.is_empty() && pending.ends_with_loop() =>
                {
                    Some(Arc::clone(pending))
                }
                _ => None,
            };
            (callbacks, pending)
        };
        if let Some(pending) = pending {
            let cancelled = FutureState::Cancelled(None);
            let replaced = std::mem::replace(&mut slf.get().inner.lock().state, cancelled);
            drop(replaced);
            pending.loop_ended();
        }
        // Outside of the lock: this may be the end of tasks.
        drop(callbacks);
    }

    /// Drops what a cancelled future waited for.
    fn abandon(slf: &Bound<'_, Self>, replaced: FutureState) {
        let py = slf.py();
        let mut inner = slf.get().inner.lock();
        let loop_bridge = inner.waiter.as_mut().map(|waiter| {
            // Nothing is expected any more: callbacks that are added from now on run at once.
            waiter.expected = false;
            waiter.loop_bridge.clone_ref(py)
        });
        drop(inner);
        let pending = match replaced {
            FutureState::Pending(pending) => pending,
            FutureState::Unbegun(call) => return call.give_up(),
            _ => return,
        };
        if let Some(loop_bridge) = loop_bridge {
            loop_bridge.get().forget(pending.key(), slf);
        }
        pending.cancel();
    }
}

/// Sets `StopIteration(value)`. The caller returns "no next item".
#[inline]
fn stop(value: Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyBaseException>() {
        // The interpreter would take such a value for the exception's arguments, or for the exception itself.
        return Err(PyStopIteration::new_err((value.unbind(),)));
    }
    // SAFETY: attached (there is a Bound), and both pointers are valid objects. Generators set the exception this way
    // too: no exception object is made unless it is looked at.
    unsafe { pyo3::ffi::PyErr_SetObject(pyo3::ffi::PyExc_StopIteration, value.as_ptr()) };
    Ok(())
}

#[cfg(not(Py_LIMITED_API))]
fn copy_context(py: Python<'_>) -> PyResult<Py<PyAny>> {
    // SAFETY: attached; the result is a new reference or null with an exception set.
    unsafe {
        Bound::from_owned_ptr_or_err(py, pyo3::ffi::PyContext_CopyCurrent()).map(Bound::unbind)
    }
}

#[cfg(Py_LIMITED_API)]
fn copy_context(py: Python<'_>) -> PyResult<Py<PyAny>> {
    let function = crate::imports::COPY_CONTEXT.get(py)?;
    function.call0().map(Bound::unbind)
}
