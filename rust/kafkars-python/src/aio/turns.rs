//! Turns of the event loop that the application's other tasks are due.
//!
//! A read whose records are there, and a send for which there is room, end without a wait. A task that makes one after
//! the other would never let the loop run: no time limit, no cancellation and no signal would reach it. So now and then
//! a step yields None, before it begins a call that begins when it is awaited, or takes an outcome that is there.
//!
//! In one turn of the loop, and since it was woken, the first call of each task never yields: calls that many tasks
//! make once each are begun in the order of the tasks, which that would change. It is the later ones that do.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefMethods, PyWeakrefReference};

use super::running_loop::running_loop;
use crate::imports::{CONTEXT, CURRENT_TASK};

/// After so many steps in one turn it is asked who has made them: a millisecond, or a few. A turn takes as long as some
/// ten steps.
const MOST_STEPS: u32 = 1_024;

/// The same for milliseconds, and how long nobody may be asked then: what the application does between its calls takes
/// time, too.
const MOST_MILLISECONDS: u32 = 4;

/// Steps of calls on one thread since its loop was last seen to run.
#[derive(Clone, Copy)]
struct Steps {
    count: u32,
    /// When the first of them was made; means nothing before.
    since: u32,
    /// The step from which on it is asked again.
    next_question: u32,
    /// When it was asked last; means nothing before.
    asked_at: u32,
    /// How many tasks in a row made their first step when it was asked: the more, the less often it is asked.
    first_steps: u32,
    /// Whether the first one may be of a task that has yielded in the turn before.
    is_asked_first: bool,
}

impl Steps {
    const NONE: Self = Self {
        count: 0,
        since: 0,
        next_question: 0,
        asked_at: 0,
        first_steps: 0,
        is_asked_first: false,
    };
}

/// Tasks in one turn of a loop.
#[derive(Default)]
struct SeenTasks {
    /// Those that were seen to make a step, by their addresses.
    seen: HashMap<usize, SeenTask>,
    /// Whether tasks have yielded that may yield once more.
    have_others_yielded: bool,
    /// The loop that was asked to tell of its next turn.
    asked: Option<AskedLoop>,
}

struct AskedLoop {
    event_loop: Py<PyWeakrefReference>,
    /// What the loop calls then.
    turn: Py<NextTurn>,
    at: u32,
}

impl AskedLoop {
    fn clone_ref(&self, py: Python<'_>) -> Self {
        Self {
            event_loop: self.event_loop.clone_ref(py),
            turn: self.turn.clone_ref(py),
            at: self.at,
        }
    }

    /// What is still to come of this loop. Another one may have been stopped within a turn, and never come to the next.
    fn turn_to_come<'py>(&self, event_loop: &Bound<'py, PyAny>) -> Option<Bound<'py, NextTurn>> {
        let asked = self.event_loop.bind(event_loop.py()).upgrade();
        let is_to_come = !self.turn.get().has_come.load(Ordering::Relaxed);
        let is_same = asked.is_some_and(|asked| asked.is(event_loop));
        (is_to_come && is_same).then(|| self.turn.bind(event_loop.py()).clone())
    }
}

struct SeenTask {
    /// One that has ended may leave its address to another that runs in the same turn: tasks may begin when they are
    /// made.
    task: Py<PyWeakrefReference>,
    /// Whether it has yielded, which each does once: who goes on without a turn is let.
    has_yielded: bool,
}

impl SeenTask {
    fn is(&self, task: &Bound<'_, PyAny>) -> bool {
        let seen = self.task.bind(task.py()).upgrade();
        seen.is_some_and(|seen| seen.is(task))
    }
}

/// A loop that was asked so many milliseconds ago is asked again, and tasks yield once more. The handler of a signal
/// may raise in the moment in which the loop calls what it was asked to call, and where it is run again nobody would be
/// told any more.
const MOST_MILLISECONDS_ASKED: u32 = 1_000;

thread_local! {
    static STEPS: Cell<Steps> = const { Cell::new(Steps::NONE) };
    static TASKS: RefCell<SeenTasks> = RefCell::default();
    /// The future whose task is being resumed, by its address; 0 for none.
    static RESUMED: Cell<usize> = const { Cell::new(0) };
}

/// Counts a call of a face that is a coroutine of Python; true if it should let the loop run before it begins.
#[pyfunction]
pub(crate) fn turn_is_due(py: Python<'_>) -> PyResult<bool> {
    Ok(count_step() && is_due(py)?)
}

/// Notes that a call begins which has let the loop run before: the running task's first one in this turn.
#[pyfunction]
pub(crate) fn call_begins(py: Python<'_>) -> PyResult<()> {
    count_step();
    is_due(py).map(drop)
}

/// Counts a step; true if it may be the loop's turn.
#[inline]
pub(super) fn count_step() -> bool {
    STEPS.with(|cell| {
        let mut steps = cell.get();
        let now = milliseconds();
        steps.count += 1;
        if steps.count == 1 {
            steps.since = now;
        }
        cell.set(steps);
        let is_long =
            steps.count > MOST_STEPS || now.wrapping_sub(steps.since) >= MOST_MILLISECONDS;
        let is_asked_again = steps.count >= steps.next_question
            || now.wrapping_sub(steps.asked_at) >= MOST_MILLISECONDS;
        (is_long && is_asked_again) || (steps.is_asked_first && steps.count == 1)
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

/// True if it is the loop's turn, because the running task has made a step since the last one. Fails with what the
/// handler of a signal raises meanwhile.
#[cold]
pub(super) fn is_due(py: Python<'_>) -> PyResult<bool> {
    let Ok(event_loop) = running_loop(py) else {
        return Ok(false);
    };
    let task = CURRENT_TASK.get(py)?.call1((&event_loop,))?;
    if task.is_none() {
        return Ok(false);
    }
    // Another library's task that cannot be referred to weakly is let.
    let Ok(reference) = PyWeakrefReference::new(&task) else {
        return Ok(false);
    };
    ask_for_next_turn(&event_loop)?;
    let first = SeenTask {
        task: reference.unbind(),
        has_yielded: false,
    };
    let (is_seen, is_turn) = TASKS.with_borrow_mut(|tasks| {
        let at = task.as_ptr() as usize;
        match tasks.seen.get_mut(&at).filter(|seen| seen.is(&task)) {
            Some(seen) => (true, !std::mem::replace(&mut seen.has_yielded, true)),
            None => {
                tasks.seen.insert(at, first);
                (false, false)
            }
        }
    });
    let mut steps = STEPS.get();
    steps.first_steps = if is_seen { 0 } else { steps.first_steps + 1 };
    steps.next_question = steps.count + steps.first_steps;
    steps.asked_at = milliseconds();
    STEPS.set(steps);
    Ok(is_turn)
}

/// What a loop calls when it runs next, before the tasks that yield.
#[pyclass(module = "kafkars._kafkars", frozen)]
struct NextTurn {
    /// It may come on another thread, where a loop may go on that was stopped within a turn.
    has_come: AtomicBool,
}

#[pymethods]
impl NextTurn {
    fn __call__(slf: &Bound<'_, Self>) {
        slf.get().has_come.store(true, Ordering::Relaxed);
        let is_of_this_thread = TASKS.with_borrow(|tasks| {
            let asked = tasks.asked.as_ref();
            asked.is_some_and(|asked| asked.turn.is(slf))
        });
        if is_of_this_thread {
            begin_anew();
        }
    }
}

/// Makes a loop that runs here tell of its next turn, unless it was asked to.
fn ask_for_next_turn(event_loop: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = event_loop.py();
    let now = milliseconds();
    let asked = TASKS.with_borrow(|tasks| Some(tasks.asked.as_ref()?.clone_ref(py)));
    let to_come = asked.and_then(|asked| {
        let is_long_ago = now.wrapping_sub(asked.at) >= MOST_MILLISECONDS_ASKED;
        Some((asked.turn_to_come(event_loop)?, is_long_ago))
    });
    let turn = match to_come {
        Some((_, false)) => return Ok(()),
        // Whichever of its two calls comes first is that of the next turn, and the other one counts for nothing.
        Some((turn, true)) => {
            let_yield_once_more();
            turn
        }
        None => {
            drop(TASKS.take());
            let has_come = AtomicBool::new(false);
            Bound::new(py, NextTurn { has_come })?
        }
    };
    // That of the running task would be kept with what it holds.
    let keywords = PyDict::new(py);
    keywords.set_item(intern!(py, "context"), CONTEXT.get(py)?.call0()?)?;
    event_loop.call_method(intern!(py, "call_soon"), (&turn,), Some(&keywords))?;
    let asked = AskedLoop {
        event_loop: PyWeakrefReference::new(event_loop)?.unbind(),
        turn: turn.unbind(),
        at: now,
    };
    TASKS.with_borrow_mut(|tasks| tasks.asked = Some(asked));
    Ok(())
}

fn let_yield_once_more() {
    TASKS.with_borrow_mut(|tasks| {
        for task in tasks.seen.values_mut() {
            tasks.have_others_yielded |= std::mem::take(&mut task.has_yielded);
        }
    });
}

/// Begins to count anew: the loop has turned.
fn begin_anew() {
    let tasks = TASKS.take();
    let has_yielded = tasks.seen.values().any(|task| task.has_yielded);
    STEPS.set(Steps {
        is_asked_first: has_yielded || tasks.have_others_yielded,
        ..Steps::NONE
    });
}

/// Notes that the loop runs, and wakes tasks: their next calls are first ones.
#[inline]
pub(super) fn note_turn() {
    STEPS.set(Steps {
        is_asked_first: STEPS.get().is_asked_first,
        ..Steps::NONE
    });
    TASKS.with_borrow_mut(|tasks| tasks.seen.retain(|_, task| task.has_yielded));
}

/// Runs what resumes a task that waits for a future, by its address: what the task goes on with is no call of its own.
#[inline]
pub(super) fn resuming<T>(future: usize, resume: impl FnOnce() -> T) -> T {
    RESUMED.set(future);
    let done = resume();
    RESUMED.set(0);
    done
}

/// True if the step is the one with which a task that waits for this future is resumed.
pub(super) fn take_resumed(future: usize) -> bool {
    let is_resumed = RESUMED.get() == future;
    if is_resumed {
        RESUMED.set(0);
    }
    is_resumed
}
