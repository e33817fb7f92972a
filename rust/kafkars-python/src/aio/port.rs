//! One event loop's side of things: who waits for what, and the callback that resolves them.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::BatchDelivery;
use parking_lot::Mutex;
use pyo3::exceptions::{PyKeyboardInterrupt, PyNotImplementedError, PyRuntimeError, PySystemExit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyWeakrefMethods, PyWeakrefReference};

use super::future::PyFuture;
use super::inbox::{Inbox, Key};

/// A loop and the futures that wait on it. The loop holds the port as the callback of its reader; the port holds the
/// loop weakly, so a loop that is closed or forgotten takes its port along.
#[pyclass(name = "EventLoopPort", module = "kafkars._kafkars", frozen, weakref)]
pub(crate) struct PyPort {
    event_loop: Py<PyWeakrefReference>,
    inbox: Arc<Inbox>,
    // Guards who waits; an entry exists exactly while its key is still to come.
    waiting: Mutex<HashMap<Key, Vec<Waiting>>>,
    // Guards futures whose turn has come and whose callbacks have not run.
    ready: Mutex<VecDeque<Py<PyFuture>>>,
    // Guards the one timer of the loop that stands for all time limits.
    timer: Mutex<Option<Timer>>,
}

/// One future that waits for one key.
pub(crate) struct Waiting {
    /// Who.
    pub(crate) future: Py<PyFuture>,
    /// Until when.
    pub(crate) deadline: Option<Instant>,
    /// Keeps what the key is the address of alive, so that no other thing gets the same address.
    pub(crate) _keep: Option<Arc<BatchDelivery>>,
}

struct Timer {
    at: Instant,
    handle: Py<PyAny>,
}

thread_local! {
    /// Ports of the loops that ran on this thread: nearly always one.
    static PORTS: RefCell<Vec<Py<PyPort>>> = const { RefCell::new(Vec::new()) };
}

impl PyPort {
    /// The port of the loop that runs on this thread.
    pub(crate) fn current(py: Python<'_>) -> PyResult<Py<Self>> {
        let running = running_loop(py)?;
        let known = PORTS.with_borrow(|ports| {
            let mut ports = ports.iter();
            ports
                .find(|port| port.get().is_of(&running))
                .map(|port| port.clone_ref(py))
        });
        match known {
            Some(port) => Ok(port),
            None => Self::open(&running),
        }
    }

    fn open(event_loop: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let py = event_loop.py();
        let port = match Self::watched(event_loop)? {
            Some(port) => port,
            None => Self::helped(event_loop)?,
        };
        // Dropped after the borrow has ended: the last reference to a port may run code of the application.
        let mut gone = Vec::new();
        PORTS.with_borrow_mut(|ports| {
            let (kept, dead) = std::mem::take(ports)
                .into_iter()
                .partition(|port| port.get().is_usable(py));
            *ports = kept;
            gone = dead;
            ports.push(port.clone_ref(py));
        });
        drop(gone);
        Ok(port)
    }

    /// With a pipe the loop watches; none where the loop watches no files (Windows' default loop).
    #[cfg(unix)]
    fn watched(event_loop: &Bound<'_, PyAny>) -> PyResult<Option<Py<Self>>> {
        let (inbox, descriptor) = Inbox::watched()?;
        let port = Self::new(event_loop, inbox)?;
        match event_loop.call_method1(intern!(event_loop.py(), "add_reader"), (descriptor, &port)) {
            Ok(_) => Ok(Some(port.unbind())),
            Err(error) if error.is_instance_of::<PyNotImplementedError>(event_loop.py()) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    #[cfg(not(unix))]
    fn watched(_: &Bound<'_, PyAny>) -> PyResult<Option<Py<Self>>> {
        Ok(None)
    }

    fn helped(event_loop: &Bound<'_, PyAny>) -> PyResult<Py<Self>> {
        let (inbox, helper) = Inbox::helped();
        let port = Self::new(event_loop, inbox)?;
        let target = PyWeakrefReference::new(port.as_any())?.unbind();
        let event_loop = PyWeakrefReference::new(event_loop)?.unbind();
        let wake = move || {
            let woken = Python::try_attach(|py| {
                let (Some(event_loop), Some(port)) =
                    (event_loop.bind(py).upgrade(), target.bind(py).upgrade())
                else {
                    return false;
                };
                // Fails when the loop was closed, and then nobody waits any more.
                event_loop
                    .call_method1(intern!(py, "call_soon_threadsafe"), (port,))
                    .is_ok()
            });
            woken.unwrap_or(false)
        };
        let thread = std::thread::Builder::new().name("kafkars-loop".to_owned());
        thread.spawn(move || helper.serve(wake))?;
        Ok(port.unbind())
    }

    fn new<'py>(event_loop: &Bound<'py, PyAny>, inbox: Arc<Inbox>) -> PyResult<Bound<'py, Self>> {
        let port = Self {
            event_loop: PyWeakrefReference::new(event_loop)?.unbind(),
            inbox,
            waiting: Mutex::new(HashMap::new()),
            ready: Mutex::new(VecDeque::new()),
            timer: Mutex::new(None),
        };
        Bound::new(event_loop.py(), port)
    }

    fn is_of(&self, event_loop: &Bound<'_, PyAny>) -> bool {
        self.event_loop
            .bind(event_loop.py())
            .upgrade()
            .is_some_and(|mine| mine.is(event_loop))
    }

    fn is_usable(&self, py: Python<'_>) -> bool {
        let Some(event_loop) = self.event_loop.bind(py).upgrade() else {
            return false;
        };
        let closed = event_loop
            .call_method0(intern!(py, "is_closed"))
            .and_then(|closed| closed.is_truthy());
        !closed.unwrap_or(true)
    }

    /// The loop itself.
    pub(crate) fn event_loop<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let event_loop = self.event_loop.bind(py).upgrade();
        event_loop.ok_or_else(|| PyRuntimeError::new_err("the event loop of this future is gone"))
    }

    /// Wakes `future` once `key` comes, or at `deadline`. `arm` arranges that it comes; it is not called where somebody
    /// else waits for the same key.
    pub(crate) fn wait(
        slf: &Bound<'_, Self>,
        key: Key,
        waiting: Waiting,
        arm: impl FnOnce(Arc<Inbox>),
    ) -> PyResult<()> {
        let port = slf.get();
        let deadline = waiting.deadline;
        let first = match port.waiting.lock().entry(key) {
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
            arm(Arc::clone(&port.inbox));
        }
        match deadline {
            Some(deadline) => Self::watch(slf, deadline),
            None => Ok(()),
        }
    }

    /// Lets a future wait no more. Its key is still expected: others may wait for it, now or later.
    pub(crate) fn forget(&self, key: Key, future: &Bound<'_, PyFuture>) {
        let forgotten = self.waiting.lock().get_mut(&key).map(|all| {
            all.extract_if(.., |waiting| waiting.future.is(future))
                .collect::<Vec<_>>()
        });
        // Dropped outside of the lock.
        drop(forgotten);
    }

    /// Makes sure that the timer goes off at `deadline` or before.
    fn watch(slf: &Bound<'_, Self>, deadline: Instant) -> PyResult<()> {
        let py = slf.py();
        let port = slf.get();
        if port
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
        let expire = slf.getattr(intern!(py, "_expire"))?;
        let handle = port
            .event_loop(py)?
            .call_method1(intern!(py, "call_later"), (delay, expire))?;
        let timer = Timer {
            at: deadline,
            handle: handle.unbind(),
        };
        if let Some(replaced) = port.timer.lock().replace(timer) {
            replaced.handle.call_method0(py, intern!(py, "cancel"))?;
        }
        Ok(())
    }

    /// Wakes what is ready, in order. An exception that ends the program leaves the rest for the loop's next turn.
    fn wake_ready(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let port = slf.get();
        loop {
            let Some(future) = port.ready.lock().pop_front() else {
                return Ok(());
            };
            if let Err(error) = PyFuture::wake(future.bind(py)) {
                port.inbox.ring();
                return Err(error);
            }
        }
    }
}

#[pymethods]
impl PyPort {
    /// The reader's callback: resolves everything that has happened.
    fn __call__(slf: &Bound<'_, Self>) -> PyResult<()> {
        let port = slf.get();
        for key in port.inbox.take() {
            let waiting = port.waiting.lock().remove(&key);
            let futures = waiting.into_iter().flatten().map(|waiting| waiting.future);
            port.ready.lock().extend(futures);
        }
        Self::wake_ready(slf)
    }

    /// The timer's callback: resolves what has run out of time.
    fn _expire(slf: &Bound<'_, Self>) -> PyResult<()> {
        let port = slf.get();
        *port.timer.lock() = None;
        // The loop's clock and ours are read at different moments.
        let now = Instant::now() + Duration::from_millis(1);
        let mut next: Option<Instant> = None;
        let mut expired = Vec::new();
        for all in port.waiting.lock().values_mut() {
            let due =
                |waiting: &mut Waiting| waiting.deadline.is_some_and(|deadline| deadline <= now);
            expired.extend(all.extract_if(.., due).map(|waiting| waiting.future));
            next = all
                .iter()
                .filter_map(|waiting| waiting.deadline)
                .chain(next)
                .min();
        }
        port.ready.lock().extend(expired);
        if let Some(next) = next {
            Self::watch(slf, next)?;
        }
        Self::wake_ready(slf)
    }
}

/// The loop that runs on this thread.
pub(crate) fn running_loop<'py>(py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    static FUNCTION: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    FUNCTION.import(py, "asyncio", "get_running_loop")?.call0()
}

/// Runs one callback of `future` in the context it was added in. Only exceptions that end the program come out; others
/// go to the loop's handler, as with every callback of a loop.
pub(crate) fn run_callback(
    event_loop: &Bound<'_, PyAny>,
    callback: &Bound<'_, PyAny>,
    context: &Bound<'_, PyAny>,
    future: &Bound<'_, PyFuture>,
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
