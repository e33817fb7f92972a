//! Turns of the event loop that the application's other tasks are due.
//!
//! A read whose records are there, and a send for which there is room, end without a wait. A task that makes one after
//! the other would never let the loop run: no time limit, no cancellation and no signal would reach it. So now and then
//! a step yields None, before it begins a call that begins when it is awaited.

use std::cell::{Cell, RefCell};

use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};

use super::running_loop::has_running_loop;
use crate::imports::CURRENT_TASK;

/// After so many steps without a turn it is asked whether one task has made them: a millisecond, or a few. A turn takes
/// as long as some ten steps.
const MOST_STEPS: u32 = 1_024;

/// The same for milliseconds: what the application does between its calls takes time, too.
const MOST_MILLISECONDS: u32 = 4;

/// Steps of calls on one thread since its loop was last seen to run.
#[derive(Clone, Copy)]
struct Steps {
    count: u32,
    /// When the first of them was made; means nothing before.
    since: u32,
}

thread_local! {
    static STEPS: Cell<Steps> = const { Cell::new(Steps { count: 0, since: 0 }) };
    /// The task that has made the step at which it was last asked.
    static TASK: RefCell<Option<Py<PyWeakrefReference>>> = const { RefCell::new(None) };
}

/// Counts a call of a face that is a coroutine of Python; true if it should let the loop run before it begins.
#[pyfunction]
pub(crate) fn turn_is_due(py: Python<'_>) -> bool {
    count_step() && is_due(py)
}

/// Counts a step; true if it may be the loop's turn.
#[inline]
pub(super) fn count_step() -> bool {
    STEPS.with(|steps| {
        let Steps { count, since } = steps.get();
        let now = milliseconds();
        let count = count + 1;
        let since = if count == 1 { now } else { since };
        steps.set(Steps { count, since });
        count > MOST_STEPS || now.wrapping_sub(since) >= MOST_MILLISECONDS
    })
}

/// A clock that is read in a few nanoseconds, and that goes in steps of some milliseconds.
#[cfg(target_os = "linux")]
#[inline]
fn milliseconds() -> u32 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the place for the answer is there. The clock is in every Linux that Rust runs on.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &raw mut time) };
    // Of differences only; what is cut off is the same in both times.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (time.tv_sec as u32)
        .wrapping_mul(1_000)
        .wrapping_add(time.tv_nsec as u32 / 1_000_000)
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::disallowed_methods, clippy::cast_possible_truncation)]
fn milliseconds() -> u32 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_millis() as u32
}

/// Begins to count anew; true if it is the loop's turn, because the running task is the one of last time. Calls that
/// many tasks make once each are begun in the order of the tasks, which a turn of one of them would change.
#[cold]
pub(super) fn is_due(py: Python<'_>) -> bool {
    note_turn();
    has_running_loop(py) && is_of_one_task(py).unwrap_or(false)
}

fn is_of_one_task(py: Python<'_>) -> PyResult<bool> {
    let task = CURRENT_TASK.get(py)?.call0()?;
    if task.is_none() {
        return Ok(false);
    }
    let now = PyWeakrefReference::new(&task)?.unbind();
    // What is dropped is dropped outside of the borrow.
    let before = TASK.replace(Some(now));
    let before = before.and_then(|before| before.bind(py).upgrade());
    Ok(before.is_some_and(|before| before.is(&task)))
}

/// Notes that the loop runs.
#[inline]
pub(super) fn note_turn() {
    STEPS.set(Steps { count: 0, since: 0 });
}
