//! Whether an event loop runs on this thread, for calls that ask once per record.
//!
//! `asyncio.get_running_loop()` asks the kernel for the process id each time (before Python 3.12), which costs more
//! than sending a record. So its result is remembered for as long as the loop runs on.

use std::cell::RefCell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use crate::imports::{BASE_EVENT_LOOP, GET_RUNNING_LOOP};
use crate::runtime::ForkGuard;

/// A loop that runs on this thread according to asyncio.
///
/// When it begins to run, a loop of asyncio makes an `int` object of the thread's id, and drops it when it stops. While
/// it has the same object, it has neither stopped since nor begun on another thread.
struct RememberedLoop {
    event_loop: Py<PyWeakrefReference>,
    thread: Py<PyAny>,
    /// In the child of a fork no loop runs, even if the loop's object says so.
    process: ForkGuard,
}

thread_local! {
    static REMEMBERED: RefCell<Option<RememberedLoop>> = const { RefCell::new(None) };
}

/// The loop that runs on this thread.
pub(crate) fn running_loop(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    GET_RUNNING_LOOP.get(py)?.call0()
}

/// True if a loop runs on this thread. [`running_loop`] tells which one: if loops are nested, the remembered one need
/// not be the innermost.
#[inline]
pub(crate) fn has_running_loop(py: Python<'_>) -> bool {
    runs_on(py).unwrap_or_else(|| asked(py))
}

/// True if the remembered loop has not stopped; `None` if asyncio has to be asked.
#[inline]
fn runs_on(py: Python<'_>) -> Option<bool> {
    let (event_loop, thread) = REMEMBERED.with_borrow(|known| {
        let known = known.as_ref()?;
        let event_loop = known.event_loop.bind(py).upgrade()?;
        let thread = known.thread.bind(py).clone();
        (!known.process.is_elsewhere()).then_some((event_loop, thread))
    })?;
    // Outside of the borrow: a subclass may run code here.
    let now = event_loop.getattr(intern!(py, "_thread_id")).ok()?;
    now.is(&thread).then_some(true)
}

#[cold]
fn asked(py: Python<'_>) -> bool {
    let Ok(event_loop) = running_loop(py) else {
        return false;
    };
    // The former value is dropped outside of the borrow.
    drop(REMEMBERED.replace(noted(&event_loop)));
    true
}

/// What is remembered of a loop; `None` for loops other than asyncio's own, for which asyncio is asked each time.
fn noted(event_loop: &Bound<'_, PyAny>) -> Option<RememberedLoop> {
    let py = event_loop.py();
    if !event_loop.is_instance(BASE_EVENT_LOOP.get(py).ok()?).ok()? {
        return None;
    }
    let thread = event_loop.getattr(intern!(py, "_thread_id")).ok()?;
    if thread.is_none() {
        return None;
    }
    Some(RememberedLoop {
        event_loop: PyWeakrefReference::new(event_loop).ok()?.unbind(),
        thread: thread.unbind(),
        process: ForkGuard::here(),
    })
}
