//! Waiting of the face: for records of chosen partitions, and for what a member of a group must hear.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::Waiting;
use kafkars_client::config::TopicPartition;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::desk::Desk;
use super::faults;
use crate::aio::{Inbox, Key, Pending};
use crate::consumer::{PyServe, Served};

/// What is waited for.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// One record.
    One,
    /// One record of an iteration, which ends when the consumer is stopped.
    Next,
    /// At most so many records until the instant.
    Many(usize, Instant),
}

/// A wait for records. One is taken at the moment the awaiting code gets it, so a task that is cancelled loses none.
pub(super) struct ReadWait {
    desk: Arc<Desk>,
    wanted: Wanted,
    partitions: Vec<TopicPartition>,
    key: Key,
    _waits: Waiting,
}

impl ReadWait {
    pub(super) fn new(desk: &Arc<Desk>, wanted: Wanted, partitions: Vec<TopicPartition>) -> Self {
        Self {
            _waits: desk.core.consumer.start_waiting(),
            // Readers of everything share a key; one that chooses looks at more than they.
            key: match &*partitions {
                [] => desk.core.key,
                _ => Key::unique(),
            },
            desk: Arc::clone(desk),
            wanted,
            partitions,
        }
    }

    fn is_there(&self) -> bool {
        match &*self.partitions {
            [] => self.desk.core.consumer.is_ready(),
            wanted => self.desk.core.consumer.is_ready_for(wanted),
        }
    }

    fn is_over(&self) -> bool {
        matches!(self.wanted, Wanted::Many(_, deadline) if deadline <= soon())
    }

    /// The answer when nothing is there.
    fn nothing(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let is_over = self.is_over() || self.desk.core.consumer.is_closed();
        match self.wanted {
            Wanted::Many(..) if is_over => Some(Ok(PyDict::new(py).into_any().unbind())),
            Wanted::Next if is_over => Some(Err(PyStopAsyncIteration::new_err(()))),
            Wanted::One if is_over => Some(Err(faults::stopped(py))),
            _ => None,
        }
    }
}

impl Pending for ReadWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken && (self.is_there() || self.desk.core.has_raised() || self.is_over())
    }

    fn goes_in_steps(&self) -> bool {
        false
    }

    fn prelude(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if !self.desk.core.consumer.has_news() {
            return Ok(None);
        }
        let serve = PyServe::new(&self.desk.core);
        Ok(Some(Py::new(py, serve)?.into_any()))
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let core = &self.desk.core;
        if core.consumer.is_closed() {
            return self.nothing(py);
        }
        if core.has_news()
            && let Err(error) = core.serve_on_loop(py)
            && let Err(error) = self.desk.heard(py, error)
        {
            return Some(Err(error));
        }
        let found = match self.wanted {
            Wanted::One | Wanted::Next => self.desk.next(py, &self.partitions),
            Wanted::Many(max, _) => self.desk.many(py, max, &self.partitions),
        };
        match found {
            Ok(Some(found)) => Some(Ok(found)),
            Ok(None) => self.nothing(py),
            Err(_) if core.consumer.is_closed() => self.nothing(py),
            Err(error) => Some(Err(error)),
        }
    }

    fn key(&self) -> Key {
        self.key
    }

    fn arm(&self, inbox: Arc<Inbox>) {
        let (key, consumer) = (self.key, &self.desk.core.consumer);
        let waiter = Box::new(move || inbox.push(key));
        match &*self.partitions {
            [] => consumer.on_ready(waiter),
            wanted => consumer.on_ready_for(wanted, waiter),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        match self.wanted {
            Wanted::Many(_, deadline) => Some(deadline),
            Wanted::One | Wanted::Next => None,
        }
    }
}

/// Waits for news of the group and serves it: listeners run though nobody reads. The answer is whether the consumer is closed.
pub(super) struct ServeWait {
    desk: Arc<Desk>,
    key: Key,
}

impl ServeWait {
    pub(super) fn new(desk: &Arc<Desk>) -> Self {
        Self {
            desk: Arc::clone(desk),
            key: Key::unique(),
        }
    }
}

impl Pending for ServeWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let core = &self.desk.core;
        let closed = core.consumer.is_closed();
        if !closed && !core.consumer.has_news() {
            return None;
        }
        // What waits for a reader is not this call's.
        let before = core.take_raised();
        let served = core.serve_on_loop(py);
        if let Some(error) = before {
            core.raise_later(error);
        }
        match served {
            Err(error) if !closed => match self.desk.heard(py, error) {
                Err(error) => Some(Err(error)),
                Ok(()) => Some(answer(py, closed)),
            },
            // A listener's coroutine runs; what comes after it is served when it has come.
            Ok(Served::Running) if !closed => None,
            _ => Some(answer(py, closed)),
        }
    }

    fn key(&self) -> Key {
        self.key
    }

    fn arm(&self, inbox: Arc<Inbox>) {
        let key = self.key;
        self.desk
            .core
            .consumer
            .on_news(Box::new(move || inbox.push(key)));
    }
}

fn answer(py: Python<'_>, closed: bool) -> PyResult<Py<PyAny>> {
    Ok(closed.into_pyobject(py)?.to_owned().into_any().unbind())
}

/// The loop's timer and our clock are not exactly the same.
fn soon() -> Instant {
    Instant::now() + Duration::from_millis(2)
}
