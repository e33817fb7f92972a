//! The awaitable that asynchronous calls return.
//!
//! asyncio treats it as a future: `gather`, `wait`, `wait_for` and `shield` take it without wrapping it in a task,
//! unless only a task may take the outcome ([`Taker`]). It belongs to no loop until it is waited for, and then to the
//! running one.
//!
//! It takes no part in garbage collection, because tens of thousands of pending deliveries would make every collection
//! slow. Cycles through callbacks end when the future is done, is cancelled, or its bridge ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kafkars_client::Delivery;
use parking_lot::Mutex;
use pyo3::exceptions::PyStopIteration;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::completion_queue::CompletionKey;
use super::loop_bridge::{PyLoopBridge, Sleeper, WaitingFuture, run_callback};
use super::pending::{PendingAnswer, Taker};
use super::read::{FirstStep, ReadRequest, RecordReads, UnawaitedRead};
use super::state::{Begun, FutureCallback, FutureInner, FutureState, LoopWaiter, Unbegun, Waits};
use super::turns;
use crate::error;
use crate::gc::untracked;
use crate::imports::CANCELLED_ERROR;
use crate::metadata::ReportFunction;

/// A call that is to fail.
struct Refusal(PyErr);

impl Unbegun for Refusal {
    fn begin(self: Box<Self>, _py: Python<'_>) -> Begun {
        PyFuture::failed(self.0).begun()
    }

    fn give_up(self: Box<Self>) {}
}

/// What a step of awaiting comes to.
pub(super) enum Step {
    /// The awaiting has ended.
    Outcome(Py<PyAny>),
    /// The future was registered with the loop, and wakes who yields it.
    Wait,
    /// Others are to run first: to be yielded is None, and the next step is taken in the loop's next turn.
    Turn,
}

impl Step {
    /// What the awaiting code yields to its task; `Err` has the outcome.
    #[inline]
    pub(super) fn yielded<'py>(
        self,
        future: &Bound<'py, PyFuture>,
    ) -> Result<Bound<'py, PyAny>, Py<PyAny>> {
        match self {
            Self::Outcome(value) => Err(value),
            Self::Wait => Ok(future.as_any().clone()),
            Self::Turn => Ok(future.py().None().into_bound(future.py())),
        }
    }
}

/// An answer that is there or comes later.
#[pyclass(name = "Future", module = "kafkars.aio", frozen, subclass)]
pub(crate) struct PyFuture {
    // Never held while the interpreter runs: every Python object is created and dropped outside.
    pub(super) inner: Mutex<FutureInner>,
    // Whether `__await__` or the like was called, so that iterator steps are those of an `await`.
    pub(super) is_awaited: AtomicBool,
}

impl PyFuture {
    /// Creates a future that has its result.
    #[inline]
    pub(crate) fn ready(value: Py<PyAny>) -> Self {
        Self::new(FutureState::Value(value))
    }

    /// Notes that the call has been carried out: who awaits it is not to be cancelled before he knows.
    pub(crate) fn carried_out(mut self) -> Self {
        self.inner.get_mut().is_carried_out = true;
        self
    }

    /// Creates a future that has failed.
    pub(crate) fn failed(error: PyErr) -> Self {
        Self::new(FutureState::Failed(Box::new(error)))
    }

    /// Creates the future of a call that fails when it is awaited, and that is no future to asyncio before, as a
    /// coroutine is none.
    pub(crate) fn refused(error: PyErr) -> Self {
        Self::unbegun(Box::new(Refusal(error)))
    }

    /// Creates the future of one record's delivery; `report` makes its result.
    #[inline]
    pub(crate) fn delivery(delivery: Delivery, report: ReportFunction) -> Self {
        Self::new(FutureState::Delivery(delivery, report))
    }

    /// Creates a future whose result comes later.
    pub(crate) fn pending(pending: Arc<dyn PendingAnswer>) -> Self {
        Self::new(FutureState::Pending(pending))
    }

    /// Lets the running loop drive it even if it is not awaited. False if no loop runs.
    pub(crate) fn attend(self, py: Python<'_>) -> bool {
        let future = self.into_object(py);
        future.is_ok_and(|future| Self::register(&future).is_ok())
    }

    /// Creates the future of a read, which takes nothing before it is awaited.
    #[inline]
    pub(crate) fn read(reader: Arc<dyn RecordReads>, request: ReadRequest) -> Self {
        Self::new(FutureState::Unawaited(UnawaitedRead { reader, request }))
    }

    /// Creates the future of a call that is made when it is awaited.
    #[inline]
    pub(crate) fn unbegun(call: Box<dyn Unbegun>) -> Self {
        Self::new(FutureState::Unbegun(call))
    }

    /// Takes the state of a call that has begun, for one that begins when it is awaited.
    #[inline]
    pub(crate) fn begun(self) -> Begun {
        Begun(std::mem::replace(
            &mut self.inner.lock().state,
            FutureState::Beginning,
        ))
    }

    /// Notes that iterator steps are those of an `await` from now on.
    #[inline]
    pub(super) fn note_awaited(&self) {
        self.is_awaited.store(true, Ordering::Relaxed);
    }

    /// Makes a Python object of the future.
    #[inline]
    pub(crate) fn into_object(self, py: Python<'_>) -> PyResult<Bound<'_, Self>> {
        Bound::new(py, self).map(untracked)
    }

    #[inline]
    fn new(state: FutureState) -> Self {
        Self {
            is_awaited: AtomicBool::new(false),
            inner: Mutex::new(FutureInner {
                state,
                waiter: None,
                blocking: false,
                is_taken_up: false,
                resuming: false,
                has_driver: false,
                woken: false,
                is_carried_out: false,
                seen: false,
                was_asked: false,
            }),
        }
    }

    /// Called by the bridge: runs the callbacks if the future is done, on the loop's thread and from the loop's own
    /// stack, so they need not go through `call_soon`. If tasks take the outcome they go first, and other callbacks run
    /// when one has it.
    pub(crate) fn wake(slf: &Bound<'_, Self>) -> PyResult<()> {
        let (taker, has_task) = {
            let mut inner = slf.get().inner.lock();
            inner.woken = true;
            if let Some(waiter) = &mut inner.waiter {
                waiter.expected = false;
            }
            (inner.taker(), inner.has_task())
        };
        let goes_on = match taker {
            // The outcome is taken now.
            Taker::Loop => slf.get().is_done() || Self::outcome(slf).is_some(),
            Taker::Task if has_task => true,
            // The driver is about to take its first step.
            Taker::Task => return Ok(()),
            Taker::Anyone | Taker::Reader => {
                if taker == Taker::Reader && !has_task {
                    Self::prelude(slf)?;
                }
                slf.get().is_done()
            }
        };
        if !goes_on {
            slf.get().inner.lock().woken = false;
            return Self::register(slf);
        }
        let tasks_first = has_task && matches!(taker, Taker::Reader | Taker::Task);
        Self::run_callbacks(slf, tasks_first)?;
        match tasks_first {
            true => Self::wait_on(slf),
            false => Ok(()),
        }
    }

    fn run_callbacks(slf: &Bound<'_, Self>, tasks_first: bool) -> PyResult<()> {
        let py = slf.py();
        let waiter = {
            let mut inner = slf.get().inner.lock();
            inner.waiter.as_mut().map(|waiter| {
                let mut now = std::mem::take(&mut waiter.callbacks);
                if tasks_first && now.iter().any(|each| !each.resumes_task) {
                    (now, waiter.callbacks) = now.into_iter().partition(|each| each.resumes_task);
                }
                (waiter.loop_bridge.clone_ref(py), now)
            })
        };
        let Some((loop_bridge, callbacks)) = waiter else {
            return Ok(());
        };
        let event_loop = loop_bridge.get().event_loop(py)?;
        let mut callbacks = callbacks.into_iter();
        for callback in callbacks.by_ref() {
            let (function, context) = (callback.function.bind(py), callback.context.bind(py));
            if tasks_first {
                slf.get().inner.lock().resuming = true;
            }
            let resumed = if callback.resumes_task {
                slf.as_ptr() as usize
            } else {
                0
            };
            let outcome = turns::resuming(resumed, || {
                run_callback(&event_loop, function, context, slf.as_any())
            });
            if tasks_first {
                slf.get().inner.lock().resuming = false;
            }
            if let Err(error) = outcome {
                Self::schedule(slf, &event_loop, callbacks)?;
                return Err(error);
            }
        }
        Ok(())
    }

    /// Waits again if callbacks are left because no task has taken the outcome.
    pub(super) fn wait_on(slf: &Bound<'_, Self>) -> PyResult<()> {
        let is_left = {
            let inner = slf.get().inner.lock();
            let has_callbacks =
                (inner.waiter.as_ref()).is_some_and(|waiter| !waiter.callbacks.is_empty());
            has_callbacks && !inner.is_expected() && inner.waits().is_some()
        };
        match is_left {
            true => Self::register(slf),
            false => Ok(()),
        }
    }

    /// Runs what comes before the outcome, in the context of the first waiter.
    fn prelude(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let (pending, context) = {
            let inner = slf.get().inner.lock();
            let FutureState::Pending(pending) = &inner.state else {
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

    /// Schedules callbacks with the loop's `call_soon`.
    pub(super) fn schedule(
        slf: &Bound<'_, Self>,
        event_loop: &Bound<'_, PyAny>,
        callbacks: impl IntoIterator<Item = FutureCallback>,
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

    /// The result, if there is one and it is no failure.
    #[inline]
    #[cfg(not(Py_LIMITED_API))]
    pub(super) fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        match &self.inner.lock().state {
            FutureState::Value(value) => Some(value.clone_ref(py)),
            _ => None,
        }
    }

    /// The outcome, if there is one. A state that proceeds in steps takes the next one.
    pub(crate) fn outcome(slf: &Bound<'_, Self>) -> Option<PyResult<Py<PyAny>>> {
        let outcome = Self::kept_outcome(slf)?;
        Some(outcome.map_err(|error| error::no_end::<PyStopIteration>(slf.py(), error)))
    }

    fn kept_outcome(slf: &Bound<'_, Self>) -> Option<PyResult<Py<PyAny>>> {
        let py = slf.py();
        let mut inner = slf.get().inner.lock();
        let outcome = match &inner.state {
            FutureState::Value(value) => Some(Ok(value.clone_ref(py))),
            FutureState::Failed(error) => Some(Err(error.clone_ref(py))),
            FutureState::Cancelled(message) => {
                let message = message.as_ref().map(|message| message.clone_ref(py));
                drop(inner);
                return Some(Err(error::asyncio(py, &CANCELLED_ERROR, message)));
            }
            FutureState::Delivery(delivery, report) => {
                let (outcome, report) = (delivery.result()?, *report);
                inner.seen = true;
                drop(inner);
                return Some(report(py, outcome));
            }
            FutureState::Pending(pending) => {
                let pending = Arc::clone(pending);
                drop(inner);
                return Self::taken(slf, &*pending);
            }
            FutureState::Unawaited(_) | FutureState::Unbegun(_) | FutureState::Beginning => {
                return None;
            }
        };
        inner.seen = true;
        outcome
    }

    fn is_done(&self) -> bool {
        self.inner.lock().is_done()
    }

    /// Takes the outcome of `pending` and keeps it for later calls; callbacks that wait for it are scheduled.
    fn taken(slf: &Bound<'_, Self>, pending: &dyn PendingAnswer) -> Option<PyResult<Py<PyAny>>> {
        let py = slf.py();
        let answer = pending.take(py)?;
        let state = match &answer {
            Ok(value) => FutureState::Value(value.clone_ref(py)),
            Err(error) => FutureState::Failed(Box::new(error.clone_ref(py))),
        };
        let mut inner = slf.get().inner.lock();
        inner.seen = true;
        let replaced = std::mem::replace(&mut inner.state, state);
        let waiter = inner.waiter.as_mut();
        let others = waiter.filter(|waiter| !waiter.callbacks.is_empty());
        let others = others.map(|waiter| {
            (
                waiter.loop_bridge.clone_ref(py),
                std::mem::take(&mut waiter.callbacks),
            )
        });
        drop(inner);
        drop(replaced);
        if let Some((loop_bridge, callbacks)) = others {
            let event_loop = loop_bridge.get().event_loop(py);
            // It fails if that loop is closed, and then nothing waits there any more.
            drop(event_loop.and_then(|event_loop| Self::schedule(slf, &event_loop, callbacks)));
        }
        Some(answer)
    }

    /// Binds the future to the running loop, unless it has one, and makes that loop's bridge wait for the outcome.
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
        let future = Sleeper {
            object: slf.clone().into_any().unbind(),
            wake: |object| Self::wake(object.cast()?),
            abandon: |object| {
                if let Ok(future) = object.cast() {
                    Self::loop_ended(future);
                }
            },
        };
        match waits {
            None => Ok(()),
            Some(Waits::Delivery(batch)) => {
                let key = CompletionKey::Batch(Arc::as_ptr(&batch) as usize);
                let waiting = WaitingFuture {
                    future,
                    deadline: None,
                    _keep: Some(Arc::clone(&batch)),
                };
                PyLoopBridge::wait(loop_bridge, key, waiting, |completion_queue| {
                    batch.on_done(move || completion_queue.push(key))
                })
            }
            Some(Waits::Pending(pending)) => {
                pending.join(py);
                let waiting = WaitingFuture {
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
        let waiter = LoopWaiter {
            loop_bridge: loop_bridge.clone_ref(py),
            expected: false,
            callbacks: Vec::new(),
        };
        slf.get().inner.lock().waiter = Some(Box::new(waiter));
        Ok(loop_bridge)
    }

    /// The first step of a read or call that was not awaited before: its outcome, or `None` if it has to be waited for.
    #[inline]
    pub(super) fn begin(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let UnawaitedRead { reader, request } = {
            let mut inner = self.inner.lock();
            if !matches!(
                inner.state,
                FutureState::Unawaited(_) | FutureState::Unbegun(_)
            ) {
                return None;
            }
            match std::mem::replace(&mut inner.state, FutureState::Beginning) {
                FutureState::Unawaited(read) => read,
                FutureState::Unbegun(call) => {
                    drop(inner);
                    self.make(py, call);
                    return None;
                }
                // Not reached: the state was checked above.
                _ => return None,
            }
        };
        let (state, answer) = match reader.begin(py, request) {
            Ok(FirstStep::Answer(value)) => {
                (FutureState::Value(value.clone_ref(py)), Some(Ok(value)))
            }
            Ok(FirstStep::Wait(pending)) => (FutureState::Pending(pending), None),
            Err(error) => (
                FutureState::Failed(Box::new(error.clone_ref(py))),
                Some(Err(error)),
            ),
        };
        let mut inner = self.inner.lock();
        inner.seen = answer.is_some();
        inner.state = state;
        drop(inner);
        answer.map(|answer| answer.map_err(|error| error::no_end::<PyStopIteration>(py, error)))
    }

    /// Begins a call that has not begun.
    #[inline]
    fn make(&self, py: Python<'_>, call: Box<dyn Unbegun>) {
        let Begun(state) = call.begin(py);
        self.inner.lock().state = state;
    }

    /// Makes a read that was not awaited wait for records, so that callbacks run when there is something to take.
    pub(super) fn begin_to_wait(&self, py: Python<'_>) {
        let mut inner = self.inner.lock();
        if matches!(inner.state, FutureState::Unbegun(_)) {
            if let FutureState::Unbegun(call) =
                std::mem::replace(&mut inner.state, FutureState::Beginning)
            {
                drop(inner);
                self.make(py, call);
            }
            return;
        }
        let FutureState::Unawaited(UnawaitedRead { reader, request }) = &inner.state else {
            return;
        };
        let (reader, request) = (Arc::clone(reader), *request);
        inner.state = FutureState::Beginning;
        drop(inner);
        let state = match reader.wait(request) {
            Ok(pending) => FutureState::Pending(pending),
            Err(error) => FutureState::Failed(Box::new(error)),
        };
        self.inner.lock().state = state;
    }

    /// Takes one step of awaiting.
    #[inline]
    pub(super) fn step(slf: &Bound<'_, Self>) -> PyResult<Step> {
        let may_be_turn = turns::count_step();
        Self::counted_step(slf, may_be_turn)
    }

    /// The same of a step that is counted: whether it may be the loop's turn.
    #[inline]
    pub(super) fn counted_step(slf: &Bound<'_, Self>, may_be_turn: bool) -> PyResult<Step> {
        match may_be_turn && Self::is_turn(slf)? {
            true => Ok(Step::Turn),
            false => Self::taken_step(slf),
        }
    }

    /// True if the loop is to run before the step. Fails with what the handler of a signal raises meanwhile; the call
    /// is given up then.
    #[cold]
    pub(super) fn is_turn(slf: &Bound<'_, Self>) -> PyResult<bool> {
        if !Self::needs_no_wait(slf) {
            return Ok(false);
        }
        turns::is_due(slf.py()).inspect_err(|_| Self::give_up(slf))
    }

    /// The step itself.
    #[inline]
    pub(super) fn taken_step(slf: &Bound<'_, Self>) -> PyResult<Step> {
        if let Some(outcome) = slf.get().begin(slf.py()) {
            return outcome.map(Step::Outcome);
        }
        if let Some(outcome) = Self::outcome(slf) {
            return outcome.map(Step::Outcome);
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
        Ok(Step::Wait)
    }

    /// True if the step is none of a task that has waited, and may end the awaiting. Who is cancelled before that has
    /// begun no call that begins when it is awaited. To be asked once a step.
    fn needs_no_wait(slf: &Bound<'_, Self>) -> bool {
        if turns::take_resumed(slf.as_ptr() as usize) {
            return false;
        }
        let inner = slf.get().inner.lock();
        if inner.is_carried_out {
            return false;
        }
        let is_first = matches!(
            inner.state,
            FutureState::Unawaited(_) | FutureState::Unbegun(_)
        );
        is_first || inner.is_done()
    }
}
