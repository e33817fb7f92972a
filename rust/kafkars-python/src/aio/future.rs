//! The awaitable that asynchronous calls return.
//!
//! It is a future to asyncio: `gather`, `wait`, `wait_for` and `shield` take it without wrapping it in a task. It
//! belongs to no loop until somebody waits, and then to the running one.
//!
//! It takes no part in garbage collection: tens of thousands of deliveries on their way would make every collection
//! slow. Cycles through callbacks end when the future is done, cancelled, or its loop_bridge goes.

use std::sync::Arc;

use kafkars_client::Delivery;
use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::completion_queue::Key;
use super::loop_bridge::{PyLoopBridge, Waiting, run_callback};
use super::pending::Pending;
use super::read::{FirstStep, ReadRequest, Reader, UnawaitedRead};
use super::state::{Callback, Inner, State, Waiter, Waits};
use crate::error;
use crate::gc::untracked;
use crate::metadata::Report;

/// An answer that is there or comes later.
#[pyclass(name = "Future", module = "kafkars.aio", frozen, subclass)]
pub(crate) struct PyFuture {
    // Never held while the interpreter runs: every Python object is created and dropped outside.
    pub(super) inner: Mutex<Inner>,
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

    /// The delivery of one record, told by `report`.
    #[inline]
    pub(crate) fn delivery(delivery: Delivery, report: Report) -> Self {
        Self::new(State::Delivery(delivery, report))
    }

    /// An answer that comes later.
    pub(crate) fn pending(pending: Arc<dyn Pending>) -> Self {
        Self::new(State::Pending(pending))
    }

    /// Lets the running loop bring it on though nobody awaits it. Where no loop runs, nothing happens.
    pub(crate) fn attend(self, py: Python<'_>) {
        if let Ok(future) = self.into_object(py) {
            drop(Self::register(&future));
        }
    }

    /// A read, which takes nothing before it is awaited.
    #[inline]
    pub(crate) fn read(reader: Arc<dyn Reader>, request: ReadRequest) -> Self {
        Self::new(State::Unawaited(UnawaitedRead { reader, request }))
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

    /// The loop_bridge's turn: runs the callbacks if the future is done, on the loop's thread and from the loop's own
    /// stack, so they need not go through `call_soon`.
    pub(crate) fn wake(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        Self::prelude(slf)?;
        let (done, in_steps) = {
            let mut inner = slf.get().inner.lock();
            inner.woken = true;
            if let Some(waiter) = &mut inner.waiter {
                waiter.expected = false;
            }
            (inner.is_done(), inner.goes_in_steps())
        };
        // Taking makes what goes in several steps take its next one.
        if !done && (!in_steps || slf.get().outcome(py).is_none()) {
            slf.get().inner.lock().woken = false;
            return Self::register(slf);
        }
        let waiter = {
            let mut inner = slf.get().inner.lock();
            inner.waiter.as_mut().map(|waiter| {
                (
                    waiter.loop_bridge.clone_ref(py),
                    std::mem::take(&mut waiter.callbacks),
                )
            })
        };
        let Some((loop_bridge, callbacks)) = waiter else {
            return Ok(());
        };
        let event_loop = loop_bridge.get().event_loop(py)?;
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

    /// Runs what comes before the answer in the context of the first one who waits.
    fn prelude(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let (pending, context) = {
            let inner = slf.get().inner.lock();
            let State::Pending(pending) = &inner.state else {
                return Ok(());
            };
            let first = inner
                .waiter
                .as_ref()
                .and_then(|waiter| waiter.callbacks.first());
            let context = first.map(|callback| callback.context.clone_ref(py));
            (Arc::clone(pending), context)
        };
        let Some(prelude) = pending.prelude(py)? else {
            return Ok(());
        };
        match context {
            Some(context) => context.call_method1(py, intern!(py, "run"), (prelude,)),
            None => prelude.call0(py),
        }
        .map(drop)
    }

    /// Puts callbacks on the loop's list.
    pub(super) fn schedule(
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
    #[cfg(not(Py_LIMITED_API))]
    pub(super) fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &self.inner.lock().state {
            State::Value(value) => Some(value.clone_ref(py)),
            _ => None,
        }
    }

    /// The outcome, if there is one.
    pub(crate) fn outcome(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let mut inner = self.inner.lock();
        let outcome = match &inner.state {
            State::Value(value) => Some(Ok(value.clone_ref(py))),
            State::Failed(error) => Some(Err(error.clone_ref(py))),
            State::Cancelled(message) => {
                let message = message.as_ref().map(|message| message.clone_ref(py));
                drop(inner);
                return Some(Err(error::asyncio(py, "CancelledError", message)));
            }
            State::Delivery(delivery, report) => {
                let (outcome, report) = (delivery.result()?, *report);
                inner.seen = true;
                drop(inner);
                return Some(report(py, outcome));
            }
            State::Pending(pending) => {
                let pending = Arc::clone(pending);
                drop(inner);
                return self.taken(py, &*pending);
            }
            State::Unawaited(_) | State::Beginning => return None,
        };
        inner.seen = true;
        outcome
    }

    /// Whether its turn has come and nothing was registered since.
    pub(super) fn is_woken(&self) -> bool {
        self.inner.lock().woken
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

    /// Joins the running loop, unless it has joined one, and makes that loop's loop_bridge wait for the answer.
    pub(super) fn register(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let loop_bridge = Self::loop_bridge(slf)?;
        let loop_bridge = loop_bridge.bind(py);
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
                PyLoopBridge::wait(loop_bridge, key, waiting, |completion_queue| {
                    batch.on_done(move || completion_queue.push(key))
                })
            }
            Some(Waits::Pending(pending)) => {
                let waiting = Waiting {
                    future,
                    deadline: pending.deadline(),
                    _keep: None,
                };
                PyLoopBridge::wait(loop_bridge, pending.key(), waiting, |completion_queue| {
                    pending.arm(completion_queue)
                })
            }
        }
    }

    pub(super) fn loop_bridge(slf: &Bound<'_, Self>) -> PyResult<Py<PyLoopBridge>> {
        let py = slf.py();
        if let Some(waiter) = &slf.get().inner.lock().waiter {
            return Ok(waiter.loop_bridge.clone_ref(py));
        }
        let loop_bridge = PyLoopBridge::current(py)?;
        let waiter = Waiter {
            loop_bridge: loop_bridge.clone_ref(py),
            expected: false,
            callbacks: Vec::new(),
        };
        slf.get().inner.lock().waiter = Some(Box::new(waiter));
        Ok(loop_bridge)
    }

    /// The first step of a read that nobody has awaited before: what it took, or none where there is something to wait
    /// for.
    #[inline]
    pub(super) fn begin(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let UnawaitedRead { reader, request } = {
            let mut inner = self.inner.lock();
            if !matches!(inner.state, State::Unawaited(_)) {
                return None;
            }
            match std::mem::replace(&mut inner.state, State::Beginning) {
                State::Unawaited(read) => read,
                // Just looked at.
                _ => return None,
            }
        };
        let (state, answer) = match reader.begin(py, request) {
            Ok(FirstStep::Answer(value)) => (State::Value(value.clone_ref(py)), Some(Ok(value))),
            Ok(FirstStep::Wait(pending)) => (State::Pending(pending), None),
            Err(error) => (
                State::Failed(Box::new(error.clone_ref(py))),
                Some(Err(error)),
            ),
        };
        let mut inner = self.inner.lock();
        inner.seen = answer.is_some();
        inner.state = state;
        answer
    }

    /// Makes a read wait that nobody has awaited, for those who want to be called when there is something to take.
    pub(super) fn begin_to_wait(&self) {
        let mut inner = self.inner.lock();
        let State::Unawaited(UnawaitedRead { reader, request }) = &inner.state else {
            return;
        };
        let (reader, request) = (Arc::clone(reader), *request);
        inner.state = State::Beginning;
        drop(inner);
        let state = match reader.wait(request) {
            Ok(pending) => State::Pending(pending),
            Err(error) => State::Failed(Box::new(error)),
        };
        self.inner.lock().state = state;
    }

    /// One step of awaiting: the outcome, or none after registering.
    #[inline]
    pub(super) fn step(slf: &Bound<'_, Self>) -> PyResult<Option<Py<PyAny>>> {
        if let Some(outcome) = slf.get().begin(slf.py()) {
            return outcome.map(Some);
        }
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
