//! Callbacks of synchronous deliveries: noted when added, run on the thread that calls `poll()`, `flush()` or
//! `close()`.
//!
//! One thread at a time runs them, so that those of a partition keep their order. A callback may make these calls
//! itself, and then runs what is due; other threads go on without, or wait until what they wait for has run.
//!
//! A producer has two kinds, those of interceptors and its own, and one [`CallbackStage`] for both: with a turn for
//! each, two threads that have one and wait for the other would wait for ever.

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
use crate::runtime;

/// The producer, as callbacks know it: it makes the future that each of them is called with.
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
    // Guards callbacks of batches under way, by the batch's address; the entry keeps the batch, and so the address.
    waiting: Mutex<HashMap<usize, BatchCallbacks>>,
    // Guards callbacks whose turn has come. `waiting` may be taken under it.
    due: Mutex<Due>,
    groups: AtomicU64,
    stage: Arc<CallbackStage>,
    news: Arc<CallbackWakeup>,
}

/// The stage on which a producer's callbacks of all kinds run, one at a time, and at which its threads wait.
#[derive(Default)]
pub(super) struct CallbackStage {
    turn: CallbackTurn,
    // Guards nothing but the moment between a look and the wait for a change.
    looking: Mutex<()>,
    changed: Condvar,
}

impl CallbackStage {
    fn tell(&self) {
        // Under the lock, so that who is about to wait does not miss it.
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

/// Callbacks whose turn has come, and those that run: several where one has called what runs others.
#[derive(Default)]
struct Due {
    groups: VecDeque<BatchCallbacks>,
    /// Numbers of the groups of callbacks that run.
    running: Vec<u64>,
}

/// The callbacks that there were when `expected()` was called.
pub(super) struct Expected(HashSet<u64>);

enum DeliveryCallback {
    /// Neither part holds the producer, which holds the callback: it would never go.
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

impl DeliveryCallback {
    fn run(self, py: Python<'_>) -> PyResult<()> {
        match self {
            Self::Callback {
                function,
                delivery,
                futures,
            } => {
                // Who runs callbacks has the producer.
                let Some(futures) = futures.upgrade() else {
                    return Ok(());
                };
                // Whoever is called with a failure has heard of it, whether they look or not.
                let _heard = delivery.result();
                let future = futures.future(py, delivery)?;
                function.call1(py, (future,)).map(drop)
            }
            Self::Acknowledgement {
                delivery,
                interceptors,
            } => interceptors.delivered(py, &delivery),
        }
    }
}

/// What the runtime's threads tell: addresses of finished batches.
struct CallbackWakeup {
    /// There may be something in `finished` or due.
    any: AtomicBool,
    // Guards the addresses. `Callbacks::due` may be taken under it.
    finished: Mutex<Vec<usize>>,
    stage: Arc<CallbackStage>,
}

impl Callbacks {
    /// An empty set of callbacks, to be run on this stage.
    pub(super) fn new(stage: &Arc<CallbackStage>) -> Self {
        let news = CallbackWakeup {
            any: AtomicBool::new(false),
            finished: Mutex::default(),
            stage: Arc::clone(stage),
        };
        Self {
            waiting: Mutex::default(),
            due: Mutex::default(),
            groups: AtomicU64::new(0),
            stage: Arc::clone(stage),
            news: Arc::new(news),
        }
    }

    /// Notes a callback for a delivery.
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

    /// Notes that interceptors are to be told of a delivery.
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
        let news = Arc::clone(&self.news);
        batch.on_done(move || news.tell(address));
    }

    /// Runs the callbacks whose turn has come, unless another thread does. The exception of one reaches the caller; the
    /// rest keep their turn.
    #[inline]
    pub(crate) fn serve(&self, py: Python<'_>) -> PyResult<usize> {
        // Looked at with every result: most of the time a plain load is all it takes.
        if !self.news.any.load(Ordering::Relaxed) {
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
        while let Some(call) = self.next() {
            let _running = RunningCallback(&self.due);
            call.run(py)?;
            served += 1;
        }
        Ok(served)
    }

    /// The next callback, which counts as running until its `RunningCallback` is dropped.
    fn next(&self) -> Option<DeliveryCallback> {
        let mut finished = self.news.finished.lock();
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
        // An empty group at the front is looked at once in vain.
        let any = !due.groups.is_empty();
        self.news.any.store(any, Ordering::Release);
        let (number, call) = found?;
        due.running.push(number);
        Some(call)
    }

    /// Shows the functions to the collector, but for those that run. Only attached threads change what is here, and
    /// they call nothing of Python's under the locks: the collector waits for none that waits for it.
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

    /// True if any callback has not run.
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

    /// How many of these have still not run to their end. Those that have called this do not count.
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

    /// Waits until all of these have run, on this thread or another one, at most until the deadline, and keeps what
    /// they raise. Returns how many have not run. What a signal raises ends the wait.
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
            let patience =
                deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == 0 || patience == Some(Duration::ZERO) {
                return Ok(left);
            }
            runtime::wait(py, patience, |slice| {
                self.wait_until(slice, || self.is_servable() || self.left(expected) == 0)
            })?;
        }
    }

    /// Blocks this thread until there may be something to run, or another thread has run the last, at most for
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
        self.news.any.load(Ordering::Acquire) && !self.stage.turn.is_elsewhere()
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

/// A turn whose end those hear of who wait for callbacks.
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
