//! Turns of the event loop that the application's other tasks are due.
//!
//! A read whose records are there, and a send for which there is room, end without a wait. A task that makes one after
//! the other would never let the loop run: no time limit, no cancellation and no signal would reach it.

use std::cell::Cell;

use pyo3::prelude::*;

use super::running_loop::has_running_loop;

/// After so many steps without a turn the loop is let run: about a millisecond. A turn takes as long as some ten steps.
const MOST_STEPS: u32 = 1_024;

thread_local! {
    /// Steps of calls on this thread since its loop was last seen to run.
    static STEPS: Cell<u32> = const { Cell::new(0) };
}

/// Counts a step; true if it is the loop's turn.
#[inline]
pub(super) fn count_step() -> bool {
    STEPS.with(|steps| {
        let count = steps.get() + 1;
        steps.set(count);
        count > MOST_STEPS
    })
}

/// Begins to count anew; true if a loop runs, which can be let run.
#[cold]
pub(super) fn begin_turn(py: Python<'_>) -> bool {
    note_turn();
    has_running_loop(py)
}

/// Notes that the loop runs.
#[inline]
pub(super) fn note_turn() {
    STEPS.set(0);
}
