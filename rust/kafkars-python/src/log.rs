//! Log lines on their way from the runtime's threads to Python's `logging`.
//!
//! A line is put into a bounded queue without touching the interpreter. A small Python thread sleeps until there is
//! something, and hands lines over in batches (see `kafkars/_logging.py`).

use std::collections::VecDeque;
use std::fmt;
use std::sync::Once;
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use kafkars_protocol::printable;
use parking_lot::{Condvar, Mutex};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};

use crate::imports::HAND_OVER_LOGS;

/// How many lines may wait; further ones are counted and dropped.
const CAPACITY: usize = 1_000;

/// The longest text in a line, in bytes.
const LONGEST_TEXT: usize = 2_000;

/// How long a first line waits for others, so that a burst is handed to Python at once.
const GATHER: Duration = Duration::from_millis(10);

/// The least severe level that is logged, as Python numbers levels.
static LEVEL: AtomicU8 = AtomicU8::new(30);

/// The queue of this process, leaked on purpose. A forked child makes its own, because a thread of the parent may have
/// held the lock of the parent's queue at the moment of the fork.
static QUEUE: AtomicPtr<LogQueue> = AtomicPtr::new(std::ptr::null_mut());

#[derive(Default)]
struct LogQueue {
    // Guards the lines.
    state: Mutex<LogState>,
    changed: Condvar,
}

#[derive(Default)]
struct LogState {
    lines: VecDeque<LogLine>,
    dropped: usize,
    stopped: bool,
}

struct LogLine {
    level: u8,
    target: &'static str,
    message: String,
    fields: Vec<(&'static str, LogValue)>,
    /// Seconds since 1970.
    time: f64,
}

#[derive(IntoPyObject)]
enum LogValue {
    Number(i64),
    Float(f64),
    Flag(bool),
    Text(String),
}

/// Sets the least severe level that is handed over, and starts collecting.
#[pyfunction]
pub(crate) fn set_log_level(level: u8) {
    static INSTALLED: Once = Once::new();
    let before = LEVEL.swap(level, Ordering::Relaxed);
    queue().state.lock().stopped = false;
    INSTALLED.call_once(|| {
        // Fails if the program that embeds this library collects traces itself, which is just as good.
        drop(tracing::subscriber::set_global_default(Collector));
    });
    if before != level {
        tracing::callsite::rebuild_interest_cache();
    }
}

/// Waits up to `seconds` for lines. False once `stop_logs` was called.
#[pyfunction]
pub(crate) fn wait_logs(py: Python<'_>, seconds: f64) -> bool {
    let deadline = Instant::now() + Duration::from_secs_f64(seconds.clamp(0.0, 3_600.0));
    py.detach(|| {
        let queue = queue();
        let mut state = queue.state.lock();
        while state.lines.is_empty() && !state.stopped {
            if queue.changed.wait_until(&mut state, deadline).timed_out() {
                return !state.stopped;
            }
        }
        let gathered = Instant::now() + GATHER;
        while !state.stopped && state.lines.len() < CAPACITY / 2 {
            if queue.changed.wait_until(&mut state, gathered).timed_out() {
                break;
            }
        }
        !state.stopped
    })
}

/// The lines collected so far: level, logger, message, fields, time.
#[pyfunction]
pub(crate) fn take_logs(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let (lines, dropped) = {
        let mut state = queue().state.lock();
        (
            std::mem::take(&mut state.lines),
            std::mem::take(&mut state.dropped),
        )
    };
    let list = PyList::empty(py);
    for line in lines {
        let fields = PyDict::new(py);
        for (name, value) in line.fields {
            fields.set_item(name, value)?;
        }
        list.append((
            line.level,
            logger(line.target),
            line.message,
            fields,
            line.time,
        ))?;
    }
    if dropped > 0 {
        let message =
            format!("{dropped} log lines were dropped: they came faster than logging took them");
        list.append((30_u8, "kafkars", message, PyDict::new(py), now()))?;
    }
    Ok(list)
}

/// Hands over the lines that wait before a call returns that they are about.
pub(crate) fn hand_over(py: Python<'_>) {
    if queue().state.lock().lines.is_empty() {
        return;
    }
    // This fails while the interpreter ends, and then the thread hands them over.
    drop(
        HAND_OVER_LOGS
            .get(py)
            .and_then(|hand_over| hand_over.call0()),
    );
}

/// Ends the wait of the thread that hands lines over.
#[pyfunction]
pub(crate) fn stop_logs() {
    let queue = queue();
    queue.state.lock().stopped = true;
    queue.changed.notify_all();
}

/// Leaves the queue to the parent process. Called in the child before everything else.
pub(crate) fn forget_queue() {
    QUEUE.store(std::ptr::null_mut(), Ordering::Release);
}

fn queue() -> &'static LogQueue {
    let current = QUEUE.load(Ordering::Acquire);
    // SAFETY: a pointer stored in QUEUE came from `Box::into_raw` and is never freed.
    if let Some(queue) = unsafe { current.as_ref() } {
        return queue;
    }
    let made = Box::into_raw(Box::<LogQueue>::default());
    match QUEUE.compare_exchange(
        std::ptr::null_mut(),
        made,
        Ordering::AcqRel,
        Ordering::Acquire,
    ) {
        // SAFETY: `made` is stored now and never freed.
        Ok(_) => unsafe { &*made },
        Err(_) => {
            // SAFETY: another thread was first, so nobody else has seen this pointer.
            drop(unsafe { Box::from_raw(made) });
            queue()
        }
    }
}

/// The name of the Python logger for a target: `kafkars::net` and `kafkars_client::net::broker` are `kafkars.net`.
fn logger(target: &str) -> String {
    let mut parts = target.split("::");
    let first = parts.next().unwrap_or("kafkars");
    match (first, parts.next()) {
        ("kafkars" | "kafkars_client" | "kafkars_core", Some(second)) => {
            format!("kafkars.{second}")
        }
        ("kafkars" | "kafkars_client" | "kafkars_core", None) => "kafkars".to_owned(),
        (other, _) => match other.strip_prefix("kafkars_") {
            Some(name) => format!("kafkars.{name}"),
            None => format!("kafkars.{other}"),
        },
    }
}

fn python_level(level: Level) -> u8 {
    match level {
        Level::ERROR => 40,
        Level::WARN => 30,
        Level::INFO => 20,
        Level::DEBUG => 10,
        Level::TRACE => 5,
    }
}

fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64())
}

/// Turns events of the `kafkars` crates into lines; spans are not used.
struct Collector;

impl Subscriber for Collector {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if metadata.is_event() && metadata.target().starts_with("kafkars") {
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(match LEVEL.load(Ordering::Relaxed) {
            0..=5 => LevelFilter::TRACE,
            6..=10 => LevelFilter::DEBUG,
            11..=20 => LevelFilter::INFO,
            21..=30 => LevelFilter::WARN,
            31..=40 => LevelFilter::ERROR,
            _ => LevelFilter::OFF,
        })
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        python_level(*metadata.level()) >= LEVEL.load(Ordering::Relaxed)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut line = LogLine {
            level: python_level(*metadata.level()),
            target: metadata.target(),
            message: String::new(),
            fields: Vec::new(),
            time: now(),
        };
        event.record(&mut line);
        let queue = queue();
        let mut state = queue.state.lock();
        if state.stopped {
            return;
        }
        if state.lines.len() >= CAPACITY {
            state.dropped += 1;
            return;
        }
        state.lines.push_back(line);
        drop(state);
        queue.changed.notify_one();
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    /// Every text of a line passes here, also text from brokers, so that none can begin another line.
    fn record_str(&mut self, field: &Field, value: &str) {
        let value = printable(value, LONGEST_TEXT);
        if field.name() == "message" {
            self.message.push_str(&value);
        } else {
            self.fields
                .push((field.name(), LogValue::Text(value.into_owned())));
        }
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.fields.push((field.name(), LogValue::Number(value)));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.fields.push((
            field.name(),
            LogValue::Number(i64::try_from(value).unwrap_or(i64::MAX)),
        ));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.fields.push((field.name(), LogValue::Float(value)));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.fields.push((field.name(), LogValue::Flag(value)));
    }
}
