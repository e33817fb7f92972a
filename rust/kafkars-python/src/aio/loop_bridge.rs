//! A bridge from the runtime's threads to one event loop: it knows which future waits for which key, and its callback
//! on the loop resolves them.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::BatchDelivery;
use parking_lot::Mutex;
use pyo3::exceptions::{PyKeyboardInterrupt, PyNotImplementedError, PyRuntimeError, PySystemExit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefMethods, PyWeakrefReference};

use super::completion_queue::{CompletionKey, CompletionQueue, Lane};
use super::running_loop::running_loop;
use super::turns;
use crate::imports::BASE_EVENT_LOOP;

/// A loop and the futures that wait on it. The loop holds the bridge as the callback of its reader; the
/// bridge holds the loop weakly, so a loop that is closed or forgotten takes its bridge along.
#[pyclass(name = "LoopBridge", module = "kafkars._kafkars", frozen, weakref)]
pub(crate) struct PyLoopBridge {
    event_loop: Py<PyWeakrefReference>,
    completion_queue: Arc<CompletionQueue>,
    // Guards the waiters; an entry exists exactly while its key is still to come.
    waiting: Mutex<HashMap<CompletionKey, Vec<WaitingFuture>>>,
    // Guards the futures that are to be woken next.
    ready: Mutex<VecDeque<Sleeper>>,
    // Guards the loop's one timer, which serves all time limits.
    timer: Mutex<Option<LoopTimer>>,
    /// Whether its loop was found to be closed.
    has_ended: AtomicBool,
    /// How many calls of the loop's readers are under way: more than one where a task has entered the loop again.
    depth: AtomicUsize,
}

/// An object that waits on a loop, the function that the bridge wakes it by, and the one that it tells it by that the
/// loop was closed.
pub(crate) struct Sleeper {
    pub(crate) object: Py<PyAny>,
    pub(crate) wake: fn(&Bound<'_, PyAny>) -> PyResult<()>,
    pub(crate) abandon: fn(&Bound<'_, PyAny>),
}

/// A future that waits for one key.
pub(crate) struct WaitingFuture {
    /// What is woken.
    pub(crate) future: Sleeper,
    /// When it stops waiting.
    pub(crate) deadline: Option<Instant>,
    /// Keeps the object alive whose address is the key, so that no other object gets the same address.
    pub(crate) _keep: Option<Arc<BatchDelivery>>,
}

struct LoopTimer {
    at: Instant,
    handle: Py<PyAny>,
}

/// All bridges, weakly. What waits on a loop that is closed would otherwise keep its bridge, and that keeps what waits.
static ALL: Mutex<Vec<Py<PyWeakrefReference>>> = Mutex::new(Vec::new());

thread_local! {
    /// Bridges of the loops that ran on this thread: nearly always one.
    static BRIDGES: RefCell<Vec<Py<PyLoopBridge>>> = const { RefCell::new(Vec::new()) };
}

impl PyLoopBridge {
    /// The bridge of the loop that runs on this thread.
    pub(crate) fn current(py: Python<'_>) -> PyResult<Py<Self>> {
        let running = running_loop(py)?;
        let known = BRIDGES.with_borrow(|bridges| {
            let mut bridges = bridges.iter();
            bridges
                .find(|loop_bridge| loop_bridge.get().is_of(&running))
                .map(|loop_bridge| loop_bridge.clone_ref(py))
        });
        match known {
            Some(loop_bridge) => Ok(loop_bridge),
            None => Self::open(&running),
        }
    }

    fn open(event_loop: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let py = event_loop.py();
        Self::end_closed(py)?;
        let loop_bridge = match Self::watched(event_loop)? {
            Some(loop_bridge) => loop_bridge,
            None => Self::helped(event_loop)?,
        };
        let known = PyWeakrefReference::new(loop_bridge.bind(py).as_any())?;
        ALL.lock().push(known.unbind());
        // Dropped after the borrow has ended: the last reference to a bridge may run code of the application.
        let mut gone = Vec::new();
        BRIDGES.with_borrow_mut(|bridges| {
            let (kept, dead) = std::mem::take(bridges)
                .into_iter()
                .partition(|loop_bridge| !loop_bridge.get().has_ended.load(Ordering::Acquire));
            *bridges = kept;
            gone = dead;
            bridges.push(loop_bridge.clone_ref(py));
        });
        drop(gone);
        Ok(loop_bridge)
    }

    /// Ends the bridges of all loops that were closed, on any thread. Nobody tells when a loop is closed, so this is
    /// called whenever another loop begins to wait, and whenever a client is made.
    pub(crate) fn end_closed(py: Python<'_>) -> PyResult<()> {
        // The interpreter runs without the lock, and other threads may add bridges meanwhile.
        let all = std::mem::take(&mut *ALL.lock());
        let mut kept = Vec::with_capacity(all.len());
        let mut outcome = Ok(());
        for known in all {
            // An error means that it is none, which cannot be.
            let Ok(Some(loop_bridge)) = known.bind(py).upgrade_as::<Self>() else {
                continue;
            };
            match loop_bridge.get().is_usable(py) {
                Ok(true) => kept.push(known),
                Ok(false) => loop_bridge.get().end(py),
                // Ctrl+C, or what a handler of another signal raises, says nothing of the loop.
                Err(error) => {
                    kept.push(known);
                    outcome = Err(error);
                }
            }
        }
        ALL.lock().append(&mut kept);
        outcome
    }

    /// Lets go of all that waits: a loop that is closed wakes nothing any more. What waits lets go of its task, too,
    /// which it could not be collected with, and with the task of the client.
    fn end(&self, py: Python<'_>) {
        self.has_ended.store(true, Ordering::Release);
        self.completion_queue.close();
        let waiting = std::mem::take(&mut *self.waiting.lock());
        let ready = std::mem::take(&mut *self.ready.lock());
        let timer = self.timer.lock().take();
        // Outside of the locks: code of the application may run.
        drop(timer);
        let waiting = waiting.into_values().flatten();
        for sleeper in waiting.map(|waiting| waiting.future).chain(ready) {
            (sleeper.abandon)(sleeper.object.bind(py));
        }
    }

    /// Makes a bridge with pipes that the loop watches; `None` if the loop cannot watch files (Windows' default loop).
    #[cfg(unix)]
    fn watched(event_loop: &Bound<'_, PyAny>) -> PyResult<Option<Py<Self>>> {
        let loop_bridge = Self::new(event_loop, CompletionQueue::watched()?)?;
        let added = Self::add_reader(&loop_bridge, event_loop, Lane::First)
            .and_then(|()| Self::add_reader(&loop_bridge, event_loop, Lane::Second));
        match added {
            Ok(()) => Ok(Some(loop_bridge.unbind())),
            Err(error) if error.is_instance_of::<PyNotImplementedError>(event_loop.py()) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Lets the loop watch the pipe of a lane, by a callback with a context of its own. It replaces an earlier one.
    #[cfg(unix)]
    fn add_reader(
        slf: &Bound<'_, Self>,
        event_loop: &Bound<'_, PyAny>,
        lane: Lane,
    ) -> PyResult<()> {
        let Some(descriptor) = slf.get().completion_queue.descriptor(lane) else {
            return Ok(());
        };
        let is_second = lane == Lane::Second;
        event_loop
            .call_method1(
                intern!(slf.py(), "add_reader"),
                (descriptor, slf, is_second),
            )
            .map(drop)
    }

    /// Does nothing: loops are woken in another way here.
    #[cfg(not(unix))]
    fn add_reader(_: &Bound<'_, Self>, _: &Bound<'_, PyAny>, _: Lane) -> PyResult<()> {
        Ok(())
    }

    #[cfg(not(unix))]
    fn watched(_: &Bound<'_, PyAny>) -> PyResult<Option<Py<Self>>> {
        Ok(None)
    }

    fn helped(event_loop: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let (completion_queue, helper) = CompletionQueue::helped();
        let loop_bridge = Self::new(event_loop, completion_queue)?;
        let target = PyWeakrefReference::new(loop_bridge.as_any())?.unbind();
        let event_loop = PyWeakrefReference::new(event_loop)?.unbind();
        let wake = move || {
            let woken = Python::try_attach(|py| {
                let (Some(event_loop), Some(loop_bridge)) =
                    (event_loop.bind(py).upgrade(), target.bind(py).upgrade())
                else {
                    return false;
                };
                // Fails if the loop was closed, and then nothing waits any more.
                event_loop
                    .call_method1(intern!(py, "call_soon_threadsafe"), (loop_bridge,))
                    .is_ok()
            });
            woken.unwrap_or(false)
        };
        let thread = std::thread::Builder::new().name("kafkars-loop".to_owned());
        thread.spawn(move || helper.serve(wake))?;
        Ok(loop_bridge.unbind())
    }

    fn new<'py>(
        event_loop: &Bound<'py, PyAny>,
        completion_queue: Arc<CompletionQueue>,
    ) -> PyResult<Bound<'py, Self>> {
        let loop_bridge = Self {
            event_loop: PyWeakrefReference::new(event_loop)?.unbind(),
            completion_queue,
            waiting: Mutex::new(HashMap::new()),
            ready: Mutex::new(VecDeque::new()),
            timer: Mutex::new(None),
            has_ended: AtomicBool::new(false),
            depth: AtomicUsize::new(0),
        };
        Bound::new(event_loop.py(), loop_bridge)
    }

    fn is_of(&self, event_loop: &Bound<'_, PyAny>) -> bool {
        self.event_loop
            .bind(event_loop.py())
            .upgrade()
            .is_some_and(|mine| mine.is(event_loop))
    }

    fn is_usable(&self, py: Python<'_>) -> PyResult<bool> {
        let Some(event_loop) = self.event_loop.bind(py).upgrade() else {
            return Ok(false);
        };
        let closed = event_loop.call_method0(intern!(py, "is_closed"))?;
        Ok(!closed.is_truthy()?)
    }

    /// The loop itself.
    pub(crate) fn event_loop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let event_loop = self.event_loop.bind(py).upgrade();
        event_loop.ok_or_else(|| PyRuntimeError::new_err("the event loop of this future is gone"))
    }

    /// Wakes a future when `key` comes, or at its deadline. `arm` arranges that the key comes; it is not called if
    /// another future waits for the same key already.
    pub(crate) fn wait(
        slf: &Bound<'_, Self>,
        key: CompletionKey,
        waiting: WaitingFuture,
        arm: impl FnOnce(Arc<CompletionQueue>),
    ) -> PyResult<()> {
        let loop_bridge = slf.get();
        let deadline = waiting.deadline;
        let first = match loop_bridge.waiting.lock().entry(key) {
            Entry::Occupied(entry) => {
                entry.into_mut().push(waiting);
                false
            }
            Entry::Vacant(entry) => {
                entry.insert(vec![waiting]);
                true
            }
        };
        if first {
            arm(Arc::clone(&loop_bridge.completion_queue));
        }
        match deadline {
            Some(deadline) => Self::watch(slf, deadline),
            None => Ok(()),
        }
    }

    /// Stops the wait of a future. Its key is still expected: other futures may wait for it, now or later.
    pub(crate) fn forget(&self, key: CompletionKey, future: &Bound<'_, PyAny>) {
        let forgotten = self.waiting.lock().get_mut(&key).map(|all| {
            all.extract_if(.., |waiting| waiting.future.object.is(future))
                .collect::<Vec<_>>()
        });
        // Dropped outside of the lock.
        drop(forgotten);
    }

    /// Makes sure that the timer ends at `deadline` or before.
    fn watch(slf: &Bound<'_, Self>, deadline: Instant) -> PyResult<()> {
        let py = slf.py();
        let loop_bridge = slf.get();
        if loop_bridge
            .timer
            .lock()
            .as_ref()
            .is_some_and(|timer| timer.at <= deadline)
        {
            return Ok(());
        }
        let delay = deadline
            .saturating_duration_since(Instant::now())
            .as_secs_f64();
        let expire = LaterCall::new(slf, Self::expire)?;
        let handle = loop_bridge
            .event_loop(py)?
            .call_method1(intern!(py, "call_later"), (delay, expire))?;
        let timer = LoopTimer {
            at: deadline,
            handle: handle.unbind(),
        };
        if let Some(replaced) = loop_bridge.timer.lock().replace(timer) {
            replaced.handle.call_method0(py, intern!(py, "cancel"))?;
        }
        Ok(())
    }

    /// Wakes the futures whose time limit has passed.
    fn expire(slf: &Bound<'_, Self>) -> PyResult<()> {
        let loop_bridge = slf.get();
        *loop_bridge.timer.lock() = None;
        // The loop's clock and this one are read at different moments.
        let now = Instant::now() + Duration::from_millis(1);
        let mut next: Option<Instant> = None;
        let mut expired = Vec::new();
        for all in loop_bridge.waiting.lock().values_mut() {
            let due = |waiting: &mut WaitingFuture| {
                waiting.deadline.is_some_and(|deadline| deadline <= now)
            };
            expired.extend(all.extract_if(.., due).map(|waiting| waiting.future));
            next = all
                .iter()
                .filter_map(|waiting| waiting.deadline)
                .chain(next)
                .min();
        }
        loop_bridge.ready.lock().extend(expired);
        if let Some(next) = next {
            Self::watch(slf, next)?;
        }
        Self::wake_ready(slf)
    }

    /// Wakes the futures that are ready, in order. After an exception that ends the program the rest waits for the
    /// loop's next turn.
    fn wake_ready(slf: &Bound<'_, Self>) -> PyResult<()> {
        turns::note_turn();
        let py = slf.py();
        let loop_bridge = slf.get();
        let mut is_offered = false;
        loop {
            if !is_offered && loop_bridge.ready.lock().len() > 1 {
                is_offered = true;
                Self::offer_rest(slf).inspect_err(|_| loop_bridge.completion_queue.wake())?;
            }
            let Some(future) = loop_bridge.ready.lock().pop_front() else {
                return Ok(());
            };
            if let Err(error) = (future.wake)(future.object.bind(py)) {
                loop_bridge.completion_queue.wake();
                return Err(error);
            }
        }
    }

    /// Lets a loop that a task may enter again wake those that are ready behind that task. asyncio's own loops refuse
    /// that.
    fn offer_rest(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let event_loop = slf.get().event_loop(py)?;
        let name = intern!(py, "_check_running");
        let Some(check) = event_loop.get_type().getattr_opt(name)? else {
            return Ok(());
        };
        if check.is(&BASE_EVENT_LOOP.get(py)?.getattr(name)?) {
            return Ok(());
        }
        // The loop that is entered again wakes what the outer call has not woken yet.
        let rest = LaterCall::new(slf, Self::wake_ready)?;
        let call_soon = intern!(py, "call_soon");
        event_loop.call_method1(call_soon, (rest,)).map(drop)
    }
}

impl Drop for PyLoopBridge {
    fn drop(&mut self) {
        self.completion_queue.close();
    }
}

/// What the loop calls later. It has the bridge weakly: the bridge has the loop's timer, which may still be set when
/// the loop is closed, and the loop's pipes must be closed then, too.
#[pyclass(module = "kafkars._kafkars", frozen)]
struct LaterCall {
    loop_bridge: Py<PyWeakrefReference>,
    call: fn(&Bound<'_, PyLoopBridge>) -> PyResult<()>,
}

impl LaterCall {
    fn new(
        loop_bridge: &Bound<'_, PyLoopBridge>,
        call: fn(&Bound<'_, PyLoopBridge>) -> PyResult<()>,
    ) -> PyResult<Self> {
        let loop_bridge = PyWeakrefReference::new(loop_bridge.as_any())?.unbind();
        Ok(Self { loop_bridge, call })
    }
}

#[pymethods]
impl LaterCall {
    fn __call__(&self, py: Python<'_>) -> PyResult<()> {
        match self.loop_bridge.bind(py).upgrade_as::<PyLoopBridge>()? {
            Some(loop_bridge) => (self.call)(&loop_bridge),
            None => Ok(()),
        }
    }
}

#[pymethods]
impl PyLoopBridge {
    /// Called by the loop when it was woken: wakes the futures of all events that have happened. A task that is woken
    /// may enter the loop again, which then is woken by the other lane.
    #[pyo3(signature = (is_second=false, /))]
    fn __call__(slf: &Bound<'_, Self>, is_second: bool) -> PyResult<()> {
        let loop_bridge = slf.get();
        let next = match is_second {
            true => Lane::First,
            false => Lane::Second,
        };
        let _call = ReaderCall::begin(loop_bridge);
        if loop_bridge.depth.load(Ordering::Acquire) > 1 {
            // The call that this one is within may be of that lane.
            Self::add_reader(slf, &loop_bridge.event_loop(slf.py())?, next)?;
        }
        for key in loop_bridge.completion_queue.take(next) {
            let waiting = loop_bridge.waiting.lock().remove(&key);
            let futures = waiting.into_iter().flatten().map(|waiting| waiting.future);
            loop_bridge.ready.lock().extend(futures);
        }
        Self::wake_ready(slf)
    }
}

/// A call of the bridge by its loop, until it is dropped.
struct ReaderCall<'a>(&'a AtomicUsize);

impl<'a> ReaderCall<'a> {
    fn begin(loop_bridge: &'a PyLoopBridge) -> Self {
        loop_bridge.depth.fetch_add(1, Ordering::AcqRel);
        Self(&loop_bridge.depth)
    }
}

impl Drop for ReaderCall<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Runs one callback of `future` in the context it was added in. Only exceptions that end the program are returned;
/// others go to the loop's exception handler, as those of every callback of a loop do.
pub(crate) fn run_callback(
    event_loop: &Bound<'_, PyAny>,
    callback: &Bound<'_, PyAny>,
    context: &Bound<'_, PyAny>,
    future: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = future.py();
    let Err(error) = context.call_method1(intern!(py, "run"), (callback, future)) else {
        return Ok(());
    };
    if error.is_instance_of::<PyKeyboardInterrupt>(py) || error.is_instance_of::<PySystemExit>(py) {
        return Err(error);
    }
    let report = PyDict::new(py);
    report.set_item(
        "message",
        format!("exception in a callback of {}", future.repr()?),
    )?;
    report.set_item("exception", error.into_value(py))?;
    report.set_item("future", future)?;
    event_loop.call_method1(intern!(py, "call_exception_handler"), (report,))?;
    Ok(())
}
