//! Callbacks of synchronous deliveries, which run on the thread that calls `poll()`, `flush()` or `close()`.
//!
//! One thread at a time runs them, so that those of a partition keep their order. A callback may make these calls
//! itself, and then runs what is due; other threads run none meanwhile, or wait until those that they need have run.
//!
//! What a callback is called with may be made by Python code, in which the handler of a signal may raise. Then the
//! callback stays due, and the call ends with that exception.
//!
//! A producer has two kinds, those of interceptors and its own, and one [`CallbackStage`] for both: with a turn for
//! each kind, two threads that have one turn and wait for the other would deadlock.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use kafkars_client::{BatchDelivery, Delivery};
use parking_lot::{Condvar, Mutex};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

use super::failures::Failures;
use super::interceptors::Interceptors;
use crate::callback_turn::{CallbackTurn, Turn};
use crate::error;
use crate::metadata;
use crate::runtime;

/// The producer as callbacks need it: it makes the future that each of them is called with.
pub(super) trait DeliveryFutures: Send + Sync {
    /// A future of the delivery, as Python holds it.
    fn future<'py>(
        self: Arc<Self>,
        py: Python<'py>,
        delivery: Delivery,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// The callbacks of one kind of one producer.
pub(crate) struct Callbacks {
    // Guards callbacks of batches under way, by the address of the batch, which the entry keeps alive.
    waiting: Mutex<HashMap<usize, BatchCallbacks>>,
    // Guards callbacks that are due. `waiting` may be taken under it.
    due: Mutex<Due>,
    groups: AtomicU64,
    stage: Arc<CallbackStage>,
    wakeup: Arc<CallbackWakeup>,
}

/// The turn to run a producer's callbacks of both kinds, and the condition that threads wait for.
#[derive(Default)]
pub(super) struct CallbackStage {
    turn: CallbackTurn,
    // Guards no data, only the time between a check and the wait for a change.
    looking: Mutex<()>,
    changed: Condvar,
}

impl CallbackStage {
    fn tell(&self) {
        // Under the lock, so that a thread that is about to wait does not miss it.
        let _looking = self.looking.lock();
        self.changed.notify_all();
    }
}

/// Callbacks of one batch.
struct BatchCallbacks {
    number: u64,
    calls: VecDeque<DeliveryCallback>,
    _batch: Arc<BatchDelivery>,
}

/// Callbacks that are due, and those that run: several if one has made a call that runs others.
#[derive(Default)]
struct Due {
    groups: VecDeque<BatchCallbacks>,
    /// The numbers of the groups whose callbacks run.
    running: Vec<u64>,
}

/// The callbacks that there were when `expected()` was called.
pub(super) struct Expected(HashSet<u64>);

enum DeliveryCallback {
    /// Neither part holds the producer, which holds the callback: the cycle would never be freed.
    Callback {
        function: Py<PyAny>,
        delivery: Delivery,
        futures: Weak<dyn DeliveryFutures>,
    },
    Acknowledgement {
        delivery: Delivery,
        interceptors: Arc<Interceptors>,
    },
}

/// A callback and what it is called with.
enum ReadyCallback {
    Callback(Py<PyAny>, Py<PyAny>),
    Acknowledgement(Arc<Interceptors>, PyResult<Py<PyAny>>),
}

impl DeliveryCallback {
    /// Makes what the callback is called with; nothing where there is nothing to tell. Fails if a signal has come: its
    /// handler would raise in the callback, before the first line, or in the Python code that makes an exception.
    fn ready(&self, py: Python<'_>) -> PyResult<Option<ReadyCallback>> {
        let ready = match self {
            Self::Callback {
                function,
                delivery,
                futures,
            } => {
                // Always there: a thread that runs callbacks holds the producer.
                let Some(futures) = futures.upgrade() else {
                    return Ok(None);
                };
                let future = futures.future(py, delivery.clone())?.unbind();
                ReadyCallback::Callback(function.clone_ref(py), future)
            }
            Self::Acknowledgement {
                delivery,
                interceptors,
            } => {
                let Some(outcome) = delivery.result() else {
                    return Ok(None);
                };
                let outcome = metadata::outcome(py, outcome);
                if let Err(problem) = &outcome
                    && error::is_of_signal(py, problem)
                {
                    return Err(problem.clone_ref(py));
                }
                ReadyCallback::Acknowledgement(Arc::clone(interceptors), outcome)
            }
        };
        py.check_signals()?;
        Ok(Some(ready))
    }

    fn delivery(&self) -> &Delivery {
        match self {
            Self::Callback { delivery, .. } | Self::Acknowledgement { delivery, .. } => delivery,
        }
    }
}

impl ReadyCallback {
    fn run(self, py: Python<'_>) -> PyResult<()> {
        match self {
            Self::Callback(function, future) => function.call1(py, (future,)).map(drop),
            Self::Acknowledgement(interceptors, outcome) => {
                interceptors.after(py, outcome.as_ref())
            }
        }
    }
}

/// The addresses of finished batches, from the runtime's threads.
struct CallbackWakeup {
    /// Whether there may be something in `finished` or `due`.
    any: AtomicBool,
    // Guards the addresses. `Callbacks::due` may be taken under it.
    finished: Mutex<Vec<usize>>,
    stage: Arc<CallbackStage>,
}

impl Callbacks {
    /// Creates an empty set of callbacks, to be run on this stage.
    pub(super) fn new(stage: &Arc<CallbackStage>) -> Self {
        let wakeup = CallbackWakeup {
            any: AtomicBool::new(false),
            finished: Mutex::default(),
            stage: Arc::clone(stage),
        };
        Self {
            waiting: Mutex::default(),
            due: Mutex::default(),
            groups: AtomicU64::new(0),
            stage: Arc::clone(stage),
            wakeup: Arc::new(wakeup),
        }
    }

    /// Adds a callback of a delivery.
    pub(super) fn add(
        &self,
        delivery: &Delivery,
        function: Py<PyAny>,
        futures: Weak<dyn DeliveryFutures>,
    ) {
        let call = DeliveryCallback::Callback {
            function,
            delivery: delivery.clone(),
            futures,
        };
        self.note(delivery.batch(), call);
    }

    /// Adds a call of interceptors for a delivery.
    pub(super) fn acknowledge(
        &self,
        batch: &Arc<BatchDelivery>,
        delivery: Delivery,
        interceptors: Arc<Interceptors>,
    ) {
        let call = DeliveryCallback::Acknowledgement {
            delivery,
            interceptors,
        };
        self.note(batch, call);
    }

    fn note(&self, batch: &Arc<BatchDelivery>, call: DeliveryCallback) {
        let address = Arc::as_ptr(batch) as usize;
        match self.waiting.lock().entry(address) {
            Entry::Occupied(entry) => {
                entry.into_mut().calls.push_back(call);
                return;
            }
            Entry::Vacant(entry) => {
                entry.insert(BatchCallbacks {
                    number: self.groups.fetch_add(1, Ordering::Relaxed),
                    calls: VecDeque::from([call]),
                    _batch: Arc::clone(batch),
                });
            }
        }
        let wakeup = Arc::clone(&self.wakeup);
        batch.on_done(move || wakeup.tell(address));
    }

    /// Runs the callbacks that are due, unless another thread does. Raises the exception of one; the others stay due.
    #[inline]
    pub(crate) fn serve(&self, py: Python<'_>) -> PyResult<usize> {
        // This is called with every result, and most of the time one plain load is enough.
        if !self.wakeup.any.load(Ordering::Relaxed) {
            return Ok(0);
        }
        self.run_due(py)
    }

    fn run_due(&self, py: Python<'_>) -> PyResult<usize> {
        let Some(turn) = self.stage.turn.take() else {
            return Ok(0);
        };
        let _turn = Announced {
            stage: &self.stage,
            turn: Some(turn),
        };
        let mut served = 0;
        while let Some((group, call)) = self.next() {
            let _running = RunningCallback(&self.due);
            match call.ready(py) {
                Ok(ready) => {
                    if let Some(ready) = ready {
                        // A callback that is called with a failure has been told of it, whether it looks or not.
                        let _heard = call.delivery().result();
                        ready.run(py)?;
                    }
                    served += 1;
                }
                Err(interrupt) => {
                    self.put_back(group, call);
                    return Err(interrupt);
                }
            }
        }
        Ok(served)
    }

    /// Lets a callback that was not called be the next one.
    fn put_back(&self, number: u64, call: DeliveryCallback) {
        let mut due = self.due.lock();
        match due.groups.front_mut() {
            Some(group) if group.number == number => group.calls.push_front(call),
            _ => {
                let batch = Arc::clone(call.delivery().batch());
                due.groups.push_front(BatchCallbacks {
                    number,
                    calls: VecDeque::from([call]),
                    _batch: batch,
                });
            }
        }
        self.wakeup.any.store(true, Ordering::Release);
    }

    /// The next callback and the number of its group; it counts as running until its `RunningCallback` is dropped.
    fn next(&self) -> Option<(u64, DeliveryCallback)> {
        let mut finished = self.wakeup.finished.lock();
        let mut due = self.due.lock();
        if !finished.is_empty() {
            let mut waiting = self.waiting.lock();
            let groups = finished
                .drain(..)
                .filter_map(|address| waiting.remove(&address));
            due.groups.extend(groups);
        }
        let found = loop {
            let Some(group) = due.groups.front_mut() else {
                break None;
            };
            match group.calls.pop_front() {
                Some(call) => break Some((group.number, call)),
                None => drop(due.groups.pop_front()),
            }
        };
        // If the group at the front is empty, the next call finds that out.
        let any = !due.groups.is_empty();
        self.wakeup.any.store(any, Ordering::Release);
        let (number, call) = found?;
        due.running.push(number);
        Some((number, call))
    }

    /// Shows the functions to the collector, except those that run. Only attached threads change them, and make no call
    /// to Python under the locks, so the collector never waits for a thread that waits for it.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let due = self.due.lock();
        let waiting = self.waiting.lock();
        let groups = due.groups.iter().chain(waiting.values());
        let mut calls = groups.flat_map(|group| &group.calls);
        calls.try_for_each(|call| match call {
            DeliveryCallback::Callback { function, .. } => visit.call(function),
            // The producer shows its interceptors.
            DeliveryCallback::Acknowledgement { .. } => Ok(()),
        })
    }

    /// True if no callback waits to run.
    pub(crate) fn is_empty(&self) -> bool {
        let due = self.due.lock();
        let is_empty = due.groups.iter().all(|group| group.calls.is_empty());
        is_empty && self.waiting.lock().is_empty()
    }

    /// The callbacks that have not run to their end.
    pub(super) fn expected(&self) -> Expected {
        let due = self.due.lock();
        let mut numbers: HashSet<u64> = due.running.iter().copied().collect();
        numbers.extend(due.groups.iter().map(|group| group.number));
        let waiting = self.waiting.lock();
        numbers.extend(waiting.values().map(|group| group.number));
        Expected(numbers)
    }

    /// How many of these have not run to their end. Those that have made this call do not count.
    fn left(&self, expected: &Expected) -> usize {
        let is_expected = |number: &u64| expected.0.contains(number);
        let due = self.due.lock();
        let running = match self.stage.turn.is_elsewhere() {
            true => due.running.iter().copied().filter(is_expected).count(),
            false => 0,
        };
        let waiting = self.waiting.lock();
        let groups = due.groups.iter().chain(waiting.values());
        let groups = groups.filter(|group| is_expected(&group.number));
        running + groups.map(|group| group.calls.len()).sum::<usize>()
    }

    /// Waits until all of these have run, on this thread or another one, at most until the deadline, and keeps their
    /// exceptions. Returns how many have not run. An exception of a signal handler ends the wait.
    pub(super) fn serve_all(
        &self,
        py: Python<'_>,
        expected: &Expected,
        deadline: Option<Instant>,
        failures: &mut Failures,
    ) -> PyResult<usize> {
        loop {
            failures.collect(|| self.serve(py))?;
            let left = self.left(expected);
            let time_limit =
                deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == 0 || time_limit == Some(Duration::ZERO) {
                return Ok(left);
            }
            runtime::wait(py, time_limit, |slice| {
                self.wait_until(slice, || self.is_servable() || self.left(expected) == 0)
            })?;
        }
    }

    /// Blocks this thread until there may be something to run, or another thread has run the last callback, at most for
    /// `timeout`.
    pub(super) fn wait(&self, timeout: Duration) -> bool {
        self.wait_until(timeout, || self.is_servable() || self.is_empty())
    }

    fn wait_until(&self, timeout: Duration, is_reached: impl Fn() -> bool) -> bool {
        let mut looking = self.stage.looking.lock();
        if is_reached() {
            return true;
        }
        self.stage.changed.wait_for(&mut looking, timeout);
        is_reached()
    }

    fn is_servable(&self) -> bool {
        self.wakeup.any.load(Ordering::Acquire) && !self.stage.turn.is_elsewhere()
    }
}

impl CallbackWakeup {
    fn tell(&self, address: usize) {
        {
            let mut finished = self.finished.lock();
            finished.push(address);
            self.any.store(true, Ordering::Release);
        }
        self.stage.tell();
    }
}

/// A turn whose end wakes the threads that wait for callbacks.
struct Announced<'a> {
    stage: &'a CallbackStage,
    turn: Option<Turn<'a>>,
}

impl Drop for Announced<'_> {
    fn drop(&mut self) {
        drop(self.turn.take());
        self.stage.tell();
    }
}

/// The time in which one callback runs.
struct RunningCallback<'a>(&'a Mutex<Due>);

impl Drop for RunningCallback<'_> {
    fn drop(&mut self) {
        self.0.lock().running.pop();
    }
}
