//! The awaitable that asynchronous calls return.
//!
//! It is a future to asyncio: `gather`, `wait`, `wait_for` and `shield` take it without wrapping it in a task. It belongs
//! to no loop until somebody waits, and then to the running one.
//!
//! It takes no part in garbage collection: tens of thousands of deliveries on their way would make every collection
//! slow. Cycles through callbacks end when the future is done, cancelled, or its port goes.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::{BatchDelivery, Delivery};
use parking_lot::Mutex;
use pyo3::exceptions::{PyBaseException, PyStopIteration};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use super::inbox::{Inbox, Key};
use super::port::{PyPort, Waiting, run_callback, running_loop};
use crate::error;
use crate::metadata;
use crate::types;
use crate::untracked::{at_end_of_life, untracked};

/// Something whose answer comes later.
pub(crate) trait Pending: Send + Sync {
    /// Whether [`Pending::take`] has an answer; `woken` tells that the key has come.
    fn is_ready(&self, woken: bool) -> bool;
    /// The answer. `None` means that it is still to come, or that somebody else took what was there.
    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>>;
    /// What is told to the inbox.
    fn key(&self) -> Key;
    /// Arranges that `inbox` gets the key, once.
    fn arm(&self, inbox: Arc<Inbox>);
    /// When [`Pending::take`] has an answer at the latest.
    fn deadline(&self) -> Option<Instant> {
        None
    }
    /// Nobody wants the answer any more.
    fn cancel(&self) {}
    /// What went wrong although nobody asked: told when the future is forgotten.
    fn failure(&self, _py: Python<'_>) -> Option<PyErr> {
        None
    }
}

/// An answer that is there or comes later.
#[pyclass(name = "Future", module = "kafkars.aio", frozen, subclass)]
pub(crate) struct PyFuture {
    // Never held while the interpreter runs: every Python object is created and dropped outside.
    inner: Mutex<Inner>,
}

struct Inner {
    state: State,
    waiter: Option<Box<Waiter>>,
    /// asyncio's mark of a future that was yielded and must be waited for.
    blocking: bool,
    /// The port has come for it.
    woken: bool,
    /// Somebody has seen the outcome, so a failure need not be reported.
    seen: bool,
}

enum State {
    Value(Py<PyAny>),
    Failed(Box<PyErr>),
    Cancelled(Option<Py<PyAny>>),
    Delivery(Delivery),
    Pending(Arc<dyn Pending>),
}

/// The loop that waits, and what it calls when the future is done.
struct Waiter {
    port: Py<PyPort>,
    /// The port will come: its key is still to be told.
    expected: bool,
    callbacks: Vec<Callback>,
}

struct Callback {
    function: Py<PyAny>,
    context: Py<PyAny>,
}

impl PyFuture {
    /// An answer that is there.
    #[inline]
    pub(crate) fn ready(value: Py<PyAny>) -> Self {
        Self::new(State::Value(value))
    }

    /// A failure that is known.
    pub(crate) fn failed(error: PyErr) -> Self {
        Self::new(State::Failed(Box::new(error)))
    }

    /// The delivery of one record.
    #[inline]
    pub(crate) fn delivery(delivery: Delivery) -> Self {
        Self::new(State::Delivery(delivery))
    }

    /// An answer that comes later.
    pub(crate) fn pending(pending: Arc<dyn Pending>) -> Self {
        Self::new(State::Pending(pending))
    }

    /// As a Python object.
    #[inline]
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, Self>> {
        Bound::new(py, self).map(untracked)
    }

    #[inline]
    fn new(state: State) -> Self {
        Self {
            inner: Mutex::new(Inner {
                state,
                waiter: None,
                blocking: false,
                woken: false,
                seen: false,
            }),
        }
    }

    /// The port's turn: runs the callbacks if the future is done, on the loop's thread and from the loop's own stack,
    /// so they need not go through `call_soon`.
    pub(crate) fn wake(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let done = {
            let mut inner = slf.get().inner.lock();
            inner.woken = true;
            if let Some(waiter) = &mut inner.waiter {
                waiter.expected = false;
            }
            inner.is_done()
        };
        // Taking makes what goes in several steps take its next one.
        if !done && slf.get().outcome(py).is_none() {
            return Self::register(slf);
        }
        let waiter = {
            let mut inner = slf.get().inner.lock();
            inner.waiter.as_mut().map(|waiter| {
                (
                    waiter.port.clone_ref(py),
                    std::mem::take(&mut waiter.callbacks),
                )
            })
        };
        let Some((port, callbacks)) = waiter else {
            return Ok(());
        };
        let event_loop = port.get().event_loop(py)?;
        let mut callbacks = callbacks.into_iter();
        for callback in callbacks.by_ref() {
            let (function, context) = (callback.function.bind(py), callback.context.bind(py));
            if let Err(error) = run_callback(&event_loop, function, context, slf) {
                Self::schedule(slf, &event_loop, callbacks)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Puts callbacks on the loop's list.
    fn schedule(
        slf: &Bound<'_, Self>,
        event_loop: &Bound<'_, PyAny>,
        callbacks: impl IntoIterator<Item = Callback>,
    ) -> PyResult<()> {
        let py = slf.py();
        for callback in callbacks {
            let keywords = PyDict::new(py);
            keywords.set_item(intern!(py, "context"), callback.context)?;
            event_loop.call_method(
                intern!(py, "call_soon"),
                (callback.function, slf),
                Some(&keywords),
            )?;
        }
        Ok(())
    }

    /// The answer, where it is there and is no failure.
    #[inline]
    pub(super) fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &self.inner.lock().state {
            State::Value(value) => Some(value.clone_ref(py)),
            _ => None,
        }
    }

    /// The outcome, if there is one.
    fn outcome(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let mut inner = self.inner.lock();
        let outcome = match &inner.state {
            State::Value(value) => Some(Ok(value.clone_ref(py))),
            State::Failed(error) => Some(Err(error.clone_ref(py))),
            State::Cancelled(message) => {
                let message = message.as_ref().map(|message| message.clone_ref(py));
                drop(inner);
                return Some(Err(error::asyncio(py, "CancelledError", message)));
            }
            State::Delivery(delivery) => {
                let outcome = delivery.result()?;
                inner.seen = true;
                drop(inner);
                return Some(metadata::outcome(py, outcome));
            }
            State::Pending(pending) => {
                let pending = Arc::clone(pending);
                drop(inner);
                return self.taken(py, &*pending);
            }
        };
        inner.seen = true;
        outcome
    }

    /// The answer of `pending`, kept for those who ask again.
    fn taken(&self, py: Python<'_>, pending: &dyn Pending) -> Option<PyResult<Py<PyAny>>> {
        let answer = pending.take(py)?;
        let state = match &answer {
            Ok(value) => State::Value(value.clone_ref(py)),
            Err(error) => State::Failed(Box::new(error.clone_ref(py))),
        };
        let mut inner = self.inner.lock();
        inner.seen = true;
        let replaced = std::mem::replace(&mut inner.state, state);
        drop(inner);
        drop(replaced);
        Some(answer)
    }

    /// Joins the running loop, unless it has joined one, and makes that loop's port wait for the answer.
    fn register(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let port = Self::port(slf)?;
        let port = port.bind(py);
        let waits = {
            let mut inner = slf.get().inner.lock();
            let waits = inner.waits();
            if let Some(waiter) = &mut inner.waiter {
                waiter.expected = waits.is_some();
            }
            waits
        };
        let future = slf.clone().unbind();
        match waits {
            None => Ok(()),
            Some(Waits::Delivery(batch)) => {
                let key = Key::Batch(Arc::as_ptr(&batch) as usize);
                let waiting = Waiting {
                    future,
                    deadline: None,
                    _keep: Some(Arc::clone(&batch)),
                };
                PyPort::wait(port, key, waiting, |inbox| {
                    batch.on_done(move || inbox.push(key))
                })
            }
            Some(Waits::Pending(pending)) => {
                let waiting = Waiting {
                    future,
                    deadline: pending.deadline(),
                    _keep: None,
                };
                PyPort::wait(port, pending.key(), waiting, |inbox| pending.arm(inbox))
            }
        }
    }

    fn port(slf: &Bound<'_, Self>) -> PyResult<Py<PyPort>> {
        let py = slf.py();
        if let Some(waiter) = &slf.get().inner.lock().waiter {
            return Ok(waiter.port.clone_ref(py));
        }
        let port = PyPort::current(py)?;
        let waiter = Waiter {
            port: port.clone_ref(py),
            expected: false,
            callbacks: Vec::new(),
        };
        slf.get().inner.lock().waiter = Some(Box::new(waiter));
        Ok(port)
    }

    /// One step of awaiting: the outcome, or none after registering.
    #[inline]
    pub(super) fn step(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        if let Some(outcome) = slf.get().outcome(slf.py()) {
            return outcome.map(Some);
        }
        let expected = {
            let mut inner = slf.get().inner.lock();
            inner.blocking = true;
            inner.woken = false;
            inner.is_expected()
        };
        if !expected {
            Self::register(slf)?;
        }
        Ok(None)
    }
}

/// What a future waits for, taken out of the lock.
enum Waits {
    Delivery(Arc<BatchDelivery>),
    Pending(Arc<dyn Pending>),
}

impl Inner {
    fn is_done(&self) -> bool {
        match &self.state {
            State::Value(_) | State::Failed(_) | State::Cancelled(_) => true,
            State::Delivery(delivery) => delivery.batch().is_done(),
            State::Pending(pending) => pending.is_ready(self.woken),
        }
    }

    /// Whether the port will come for it.
    fn is_expected(&self) -> bool {
        self.waiter.as_ref().is_some_and(|waiter| waiter.expected)
    }

    fn waits(&self) -> Option<Waits> {
        match &self.state {
            State::Value(_) | State::Failed(_) | State::Cancelled(_) => None,
            State::Delivery(delivery) => Some(Waits::Delivery(Arc::clone(delivery.batch()))),
            State::Pending(pending) => Some(Waits::Pending(Arc::clone(pending))),
        }
    }
}

#[pymethods]
impl PyFuture {
    fn __await__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[inline]
    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, Self>>> {
        match Self::step(slf)? {
            None => Ok(Some(slf.clone())),
            Some(value) => stop(value.into_bound(slf.py())).map(|()| None),
        }
    }

    /// Raises in the awaiting code, as a coroutine does. The future itself goes on.
    #[pyo3(signature = (kind, value=None, traceback=None, /))]
    #[expect(clippy::unused_self, reason = "a method of coroutines")]
    fn throw(
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

    /// Ends the awaiting, as a coroutine does. The future itself goes on.
    #[expect(clippy::unused_self, reason = "a method of coroutines")]
    fn close(&self) {}

    /// Whether there is an outcome.
    fn done(&self) -> bool {
        self.inner.lock().is_done()
    }

    /// Whether it was cancelled.
    fn cancelled(&self) -> bool {
        matches!(self.inner.lock().state, State::Cancelled(_))
    }

    /// The answer. Raises what went wrong, or `asyncio.InvalidStateError` while there is none.
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Some(outcome) = self.outcome(py) {
            return outcome;
        }
        if self.done() {
            // Records were there and another reader took them: a task that awaits this future asks again on its own.
            return Ok(py.None());
        }
        Err(error::asyncio(
            py,
            "InvalidStateError",
            Some(
                "there is no result yet"
                    .into_pyobject(py)?
                    .into_any()
                    .unbind(),
            ),
        ))
    }

    /// What went wrong, or None. Raises `asyncio.InvalidStateError` while there is no outcome.
    fn exception(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let cancelled = self.cancelled();
        match self.result(py) {
            Ok(_) => Ok(None),
            Err(error) if cancelled || !self.done() => Err(error),
            Err(error) => Ok(Some(error.into_value(py).into_any())),
        }
    }

    /// Gives up waiting. Returns False where there is an outcome already. A record on its way is still sent.
    #[pyo3(signature = (msg=None))]
    fn cancel(slf: &Bound<'_, Self>, msg: Option<Py<PyAny>>) -> PyResult<bool> {
        let py = slf.py();
        let (replaced, waiter) = {
            let mut inner = slf.get().inner.lock();
            if inner.is_done() {
                return Ok(false);
            }
            let replaced = std::mem::replace(&mut inner.state, State::Cancelled(msg));
            let waiter = inner.waiter.as_mut();
            let waiter = waiter.map(|waiter| {
                (
                    waiter.port.clone_ref(py),
                    std::mem::take(&mut waiter.callbacks),
                )
            });
            (replaced, waiter)
        };
        if let State::Pending(pending) = replaced {
            pending.cancel();
        }
        if let Some((port, callbacks)) = waiter {
            Self::schedule(slf, &port.get().event_loop(py)?, callbacks)?;
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
        let callback = Callback { function, context };
        let port = Self::port(slf)?;
        let (expected, done) = {
            let inner = slf.get().inner.lock();
            (inner.is_expected(), inner.is_done())
        };
        // What is done but expected waits for its port: futures that were done earlier come first.
        if done && !expected {
            return Self::schedule(slf, &port.get().event_loop(py)?, [callback]);
        }
        if let Some(waiter) = &mut slf.get().inner.lock().waiter {
            waiter.callbacks.push(callback);
        }
        if expected {
            Ok(())
        } else {
            Self::register(slf)
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
    fn get_loop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let port = self
            .inner
            .lock()
            .waiter
            .as_ref()
            .map(|waiter| waiter.port.clone_ref(py));
        match port {
            Some(port) => port.get().event_loop(py),
            None => running_loop(py),
        }
    }

    #[getter(_asyncio_future_blocking)]
    fn blocking(&self) -> bool {
        self.inner.lock().blocking
    }

    #[setter(_asyncio_future_blocking)]
    fn set_blocking(&self, blocking: bool) {
        self.inner.lock().blocking = blocking;
    }

    /// asyncio asks for the error of a cancelled future this way.
    fn _make_cancelled_error(&self, py: Python<'_>) -> Py<PyAny> {
        let message = match &self.inner.lock().state {
            State::Cancelled(Some(message)) => Some(message.clone_ref(py)),
            _ => None,
        };
        error::asyncio(py, "CancelledError", message)
            .into_value(py)
            .into_any()
    }

    fn __repr__(&self) -> String {
        let inner = self.inner.lock();
        let state = match &inner.state {
            State::Value(_) => "finished",
            State::Failed(_) => "failed",
            State::Cancelled(_) => "cancelled",
            _ if inner.is_done() => "finished",
            _ => "pending",
        };
        match &inner.state {
            State::Delivery(delivery) => {
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

impl Drop for PyFuture {
    /// A failure that nobody has looked at is reported as asyncio reports it: through the loop's exception handler, or
    /// through `logging` where no loop has ever waited for it.
    fn drop(&mut self) {
        let inner = self.inner.get_mut();
        if inner.seen || !inner.is_done() {
            return;
        }
        if matches!(inner.state, State::Value(_) | State::Cancelled(_)) {
            return;
        }
        at_end_of_life(|py| {
            let error = match &inner.state {
                State::Failed(error) => Some(error.clone_ref(py)),
                State::Delivery(delivery) => match delivery.result() {
                    Some(Err(failure)) => Some(error::produce(py, &failure)),
                    Some(Ok(_)) | None => None,
                },
                State::Pending(pending) => pending.failure(py),
                State::Value(_) | State::Cancelled(_) => None,
            };
            if let Some(error) = error {
                // The loop may be closed, and there is nobody else to tell.
                drop(report(py, inner.waiter.as_deref(), error));
            }
        });
    }
}

fn report(py: Python<'_>, waiter: Option<&Waiter>, error: PyErr) -> PyResult<()> {
    const MESSAGE: &str = "the failure of a call was never retrieved";
    let error = error.into_value(py);
    let keywords = PyDict::new(py);
    let Some(waiter) = waiter else {
        let logger = py
            .import("logging")?
            .call_method1("getLogger", ("kafkars",))?;
        keywords.set_item("exc_info", error)?;
        logger.call_method("error", (MESSAGE,), Some(&keywords))?;
        return Ok(());
    };
    keywords.set_item("message", MESSAGE)?;
    keywords.set_item("exception", error)?;
    let event_loop = waiter.port.get().event_loop(py)?;
    event_loop.call_method1("call_exception_handler", (keywords,))?;
    Ok(())
}

/// Sets `StopIteration(value)`. The caller returns "no next item".
#[inline]
fn stop(value: Bound<'_, PyAny>) -> PyResult<()> {
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyBaseException>() {
        // The interpreter would take these for the exception's arguments, or for the exception itself.
        return Err(PyStopIteration::new_err((value.unbind(),)));
    }
    // SAFETY: attached (there is a Bound), and both pointers are valid objects. Setting the exception this way is
    // what generators do: no exception object is made where nobody looks at it.
    unsafe { pyo3::ffi::PyErr_SetObject(pyo3::ffi::PyExc_StopIteration, value.as_ptr()) };
    Ok(())
}

fn copy_context(py: Python<'_>) -> PyResult<Py<PyAny>> {
    // SAFETY: attached; the result is a new reference or null with an exception set.
    unsafe {
        Bound::from_owned_ptr_or_err(py, pyo3::ffi::PyContext_CopyCurrent()).map(Bound::unbind)
    }
}
