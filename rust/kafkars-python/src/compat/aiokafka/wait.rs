//! The waits of the face: for records of chosen partitions, and for events of the group.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::WaitingRead;
use kafkars_client::config::TopicPartition;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::errors;
use super::record_reader::RecordReader;
use crate::aio::{
    Amount, CompletionKey, CompletionQueue, FirstStep, PendingAnswer, ReadRequest, RecordReads,
    Taker,
};
use crate::consumer::{PyServe, Served};

/// Reads of chosen partitions.
pub(super) struct Selection {
    pub(super) reader: Arc<RecordReader>,
    pub(super) partitions: Vec<TopicPartition>,
}

impl RecordReads for RecordReader {
    #[inline]
    fn begin(self: Arc<Self>, py: Python<'_>, request: ReadRequest) -> PyResult<FirstStep> {
        begin(&self, py, request, &[])
    }

    fn wait(self: Arc<Self>, request: ReadRequest) -> PyResult<Arc<dyn PendingAnswer>> {
        wait(&self, request, &[])
    }
}

impl RecordReads for Selection {
    fn begin(self: Arc<Self>, py: Python<'_>, request: ReadRequest) -> PyResult<FirstStep> {
        begin(&self.reader, py, request, &self.partitions)
    }

    fn wait(self: Arc<Self>, request: ReadRequest) -> PyResult<Arc<dyn PendingAnswer>> {
        wait(&self.reader, request, &self.partitions)
    }
}

/// Takes the records that are there, or begins to wait.
#[inline]
fn begin(
    reader: &Arc<RecordReader>,
    py: Python<'_>,
    request: ReadRequest,
    partitions: &[TopicPartition],
) -> PyResult<FirstStep> {
    if reader.is_stopped() {
        return Err(stopped(py, request.amount));
    }
    if let Some(found) = reader.found(py, request.amount, partitions)? {
        return Ok(FirstStep::Answer(found));
    }
    let ended = reader.core.check_membership(py);
    ended.map_err(|error| reader.raised(py, error))?;
    let is_brief = matches!(request.amount, Amount::Many(_)) && request.timeout == Some(0.0);
    if is_brief && !reader.core.has_event() {
        let nothing = PyDict::new(py).into_any().unbind();
        return Ok(FirstStep::Answer(nothing));
    }
    let own = reader.core.check_task(py);
    own.map_err(|error| reader.raised(py, error))?;
    let wait = ReadWait::new(reader, request, partitions.to_vec());
    Ok(FirstStep::Wait(Arc::new(wait)))
}

/// Begins to wait without taking anything.
fn wait(
    reader: &Arc<RecordReader>,
    request: ReadRequest,
    partitions: &[TopicPartition],
) -> PyResult<Arc<dyn PendingAnswer>> {
    if reader.is_stopped() {
        return Err(Python::attach(|py| stopped(py, request.amount)));
    }
    let wait = ReadWait::new(reader, request, partitions.to_vec());
    Ok(Arc::new(wait))
}

/// What a read raises that begins after `stop()`, also where it was called before.
fn stopped(py: Python<'_>, amount: Amount) -> PyErr {
    match amount {
        Amount::Next => PyStopAsyncIteration::new_err(()),
        Amount::One | Amount::Many(_) => errors::stopped(py),
    }
}

/// A wait for records. A record is taken at the moment when the awaiting code gets it, so a task that is cancelled
/// loses none.
pub(super) struct ReadWait {
    reader: Arc<RecordReader>,
    amount: Amount,
    deadline: Option<Instant>,
    partitions: Vec<TopicPartition>,
    key: CompletionKey,
    _waits: WaitingRead,
}

impl ReadWait {
    pub(super) fn new(
        reader: &Arc<RecordReader>,
        request: ReadRequest,
        partitions: Vec<TopicPartition>,
    ) -> Self {
        let timeout = request
            .timeout
            .map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default());
        Self {
            _waits: reader.core.consumer.start_waiting(),
            // Readers of all partitions share a key; a reader of some has its own, because it has to look again after
            // records of others.
            key: match &*partitions {
                [] => reader.core.key,
                _ => CompletionKey::unique(),
            },
            reader: Arc::clone(reader),
            amount: request.amount,
            deadline: timeout.map(|timeout| Instant::now() + timeout.min(LONGEST)),
            partitions,
        }
    }

    fn is_there(&self) -> bool {
        match &*self.partitions {
            [] => self.reader.core.consumer.is_ready(),
            wanted => self.reader.core.consumer.is_ready_for(wanted),
        }
    }

    fn is_over(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline <= soon())
    }

    /// The result when there are no records.
    fn nothing(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let is_over = self.is_over() || self.reader.core.consumer.is_closed();
        is_over.then(|| match self.amount {
            Amount::Many(_) => Ok(PyDict::new(py).into_any().unbind()),
            Amount::Next => Err(PyStopAsyncIteration::new_err(())),
            Amount::One => Err(errors::stopped(py)),
        })
    }
}

impl PendingAnswer for ReadWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken && (self.is_there() || self.reader.core.has_raised() || self.is_over())
    }

    fn taker(&self) -> Taker {
        Taker::Reader
    }

    fn prelude(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if !self.reader.core.consumer.has_event() {
            return Ok(None);
        }
        let serve = PyServe::new(&self.reader.core);
        Ok(Some(Py::new(py, serve)?.into_any()))
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let core = &self.reader.core;
        if core.consumer.is_closed() {
            return self.nothing(py);
        }
        if core.has_event() {
            // The application's code runs, and may cancel the task that awaits, so nothing is taken now.
            return match core.serve_on_loop(py) {
                // A listener may take its time, which a read with a time limit does not wait for.
                Ok(Served::Running) => self.nothing(py),
                Ok(Served::All) => None,
                Err(error) => self.reader.heard(py, error).err().map(Err),
            };
        }
        let found = self.reader.found(py, self.amount, &self.partitions);
        match found {
            Ok(Some(found)) => Some(Ok(found)),
            Ok(None) => match core.check_membership(py) {
                Ok(()) => self.nothing(py),
                Err(error) => Some(Err(self.reader.raised(py, error))),
            },
            Err(_) if core.consumer.is_closed() => self.nothing(py),
            Err(error) => Some(Err(error)),
        }
    }

    fn key(&self) -> CompletionKey {
        self.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let (key, consumer) = (self.key, &self.reader.core.consumer);
        let waiter = Box::new(move || completion_queue.push(key));
        match &*self.partitions {
            [] => consumer.on_ready(waiter),
            wanted => consumer.on_ready_for(wanted, waiter),
        }
    }

    fn deadline(&self) -> Option<Instant> {
        self.deadline
    }
}

/// Waits for events of the group and serves them, so that listeners run even without a read. The result is True if the
/// consumer is closed.
pub(super) struct ServeWait {
    reader: Arc<RecordReader>,
    key: CompletionKey,
}

impl ServeWait {
    pub(super) fn new(reader: &Arc<RecordReader>) -> Self {
        Self {
            reader: Arc::clone(reader),
            key: CompletionKey::unique(),
        }
    }
}

impl PendingAnswer for ServeWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken
    }

    fn taker(&self) -> Taker {
        Taker::Task
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let core = &self.reader.core;
        let closed = core.consumer.is_closed();
        if !closed && !core.consumer.has_event() {
            return None;
        }
        // An exception that waits for a reader is not for this call.
        let before = core.take_raised();
        let served = core.serve_on_loop(py);
        if let Some(error) = before {
            core.raise_later(error);
        }
        match served {
            Err(error) if !closed => match self.reader.heard(py, error) {
                Err(error) => Some(Err(error)),
                Ok(()) => Some(answer(py, closed)),
            },
            // A listener's coroutine runs; later events are served when it has ended.
            Ok(Served::Running) if !closed => None,
            _ => Some(answer(py, closed)),
        }
    }

    fn key(&self) -> CompletionKey {
        self.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let key = self.key;
        self.reader
            .core
            .consumer
            .on_event(Box::new(move || completion_queue.push(key)));
    }

    /// A consumer of aiokafka has one loop, and ends with it: as long as it stayed in the group, no other member would
    /// get its partitions.
    fn loop_ended(&self) {
        self.reader.core.close();
    }
}

fn answer(py: Python<'_>, closed: bool) -> PyResult<Py<PyAny>> {
    Ok(closed.into_pyobject(py)?.to_owned().into_any().unbind())
}

/// Now, and a little more, because the clocks of the loop's timer and of this code differ slightly.
fn soon() -> Instant {
    Instant::now() + Duration::from_millis(2)
}

/// A time-out above this is as good as none.
const LONGEST: Duration = Duration::from_secs(86_400 * 365);
