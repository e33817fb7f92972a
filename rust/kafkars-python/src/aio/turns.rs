//! Turns of the event loop that the application's other tasks are due.
//!
//! A read whose records are there, and a send for which there is room, end without a wait. A task that makes one after
//! the other would never let the loop run: no time limit, no cancellation and no signal would reach it. So now and then
//! a step yields None, before it begins a call that begins when it is awaited, or takes an outcome that is there.
//!
//! In one turn of the loop, and since it was woken, the first call of each task never yields: calls that many tasks
//! make once each are begun in the order of the tasks, which that would change. It is the later ones that do, once the
//! task has had its share of the turn.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyWeakrefMethods, PyWeakrefReference};

use super::running_loop::running_loop;
use crate::imports::{CONTEXT, CURRENT_TASK};

/// After so many steps in a row it is asked who has made them: a millisecond, or a few. A turn takes as long as some
/// ten steps. Tasks that yield share them.
const MOST_STEPS: u32 = 1_024;

/// The same for microseconds: what the application does between its calls takes time, too.
const MOST_MICROSECONDS: u32 = 4_000;

/// Steps of calls on one thread since its loop was last seen to run, or since a task yielded: of one task, mostly.
#[derive(Clone, Copy)]
struct Steps {
    count: u32,
    /// When the first of them was made; means nothing before.
    since: u32,
    /// Whether the first one may be of a task that yields in each turn.
    is_asked_first: bool,
    /// How many tasks have yielded in this turn.
    yielded: u32,
    /// Among how many tasks steps and time are shared: those that have yielded in the turn before, or in this one. Who
    /// runs first would else have all of them, in every turn.
    sharers: u32,
}

impl Steps {
    const NONE: Self = Self {
        count: 0,
        since: 0,
        is_asked_first: false,
        yielded: 0,
        sharers: 1,
    };

    /// Those of the task that runs next in the same turn.
    fn of_the_next_task(self, yielded: u32) -> Self {
        Self {
            is_asked_first: self.is_asked_first || yielded > 0,
            yielded,
            sharers: self.sharers.max(yielded + 1),
            ..Self::NONE
        }
    }

    /// Those of the first task in a turn, if so many have yielded in the turn before.
    fn of_a_turn(sharers: u32) -> Self {
        Self {
            is_asked_first: sharers > 0,
            sharers: sharers.max(1),
            ..Self::NONE
        }
    }

    fn is_long(&self, now: u32) -> bool {
        self.count > MOST_STEPS / self.sharers
            || now.wrapping_sub(self.since) >= MOST_MICROSECONDS / self.sharers
    }
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

/// A loop that was asked so many microseconds ago is asked again, and tasks yield once more. The handler of a signal
/// may raise in the moment in which the loop calls what it was asked to call, and where it is run again nobody would be
/// told any more.
const MOST_MICROSECONDS_ASKED: u32 = 1_000_000;

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
        let now = microseconds(steps.sharers > 1);
        steps.count += 1;
        if steps.count == 1 {
            steps.since = now;
        }
        cell.set(steps);
        steps.is_long(now) || (steps.is_asked_first && steps.count == 1)
    })
}

/// A clock that is read in a few nanoseconds and goes in steps of some milliseconds, or one that is exact: for tasks
/// that share so little time.
#[cfg(target_os = "linux")]
#[inline]
fn microseconds(is_exact: bool) -> u32 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let clock = if is_exact {
        libc::CLOCK_MONOTONIC
    } else {
        libc::CLOCK_MONOTONIC_COARSE
    };
    // SAFETY: the place for the answer is there. The clocks are in every Linux that Rust runs on.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    // Of differences only; what is cut off is the same in both times.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (time.tv_sec as u32)
        .wrapping_mul(1_000_000)
        .wrapping_add(time.tv_nsec as u32 / 1_000)
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::disallowed_methods, clippy::cast_possible_truncation)]
fn microseconds(_: bool) -> u32 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_micros() as u32
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
    if is_turn {
        steps = steps.of_the_next_task(steps.yielded + 1);
    } else if !is_seen {
        // The steps before were others', or of a turn of which nobody had asked yet.
        steps.count = 1;
        steps.since = microseconds(steps.sharers > 1);
    }
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
    let now = microseconds(true);
    let asked = TASKS.with_borrow(|tasks| Some(tasks.asked.as_ref()?.clone_ref(py)));
    let to_come = asked.and_then(|asked| {
        let is_long_ago = now.wrapping_sub(asked.at) >= MOST_MICROSECONDS_ASKED;
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
    let yielded = tasks.seen.values().filter(|task| task.has_yielded).count();
    let sharers = yielded + usize::from(tasks.have_others_yielded);
    STEPS.set(Steps::of_a_turn(sharers.try_into().unwrap_or(u32::MAX)));
}

/// Notes that the loop runs, and wakes tasks: their next calls are first ones.
#[inline]
pub(super) fn note_turn() {
    let steps = STEPS.get();
    STEPS.set(steps.of_the_next_task(steps.yielded));
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
