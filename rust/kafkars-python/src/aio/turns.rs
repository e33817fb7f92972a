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

/// After so many steps without a turn it is asked whether one task has made them: about a millisecond. A turn takes as
/// long as some ten steps.
const MOST_STEPS: u32 = 1_024;

thread_local! {
    /// Steps of calls on this thread since its loop was last seen to run.
    static STEPS: Cell<u32> = const { Cell::new(0) };
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
        let count = steps.get() + 1;
        steps.set(count);
        count > MOST_STEPS
    })
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
    STEPS.set(0);
}
