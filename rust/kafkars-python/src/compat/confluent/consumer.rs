//! The part of `confluent_kafka.Consumer` that runs once per record. The rest of the class is Python, derived from this
//! one: it makes the engine's consumer and the handler for rarer events.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_client::Origin;
use kafkars_protocol::ErrorCode;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use super::message::PyMessage;
use super::open_consumer::{OpenConsumer, TakenMessage, named};
use super::ready::ReadyWait;
use crate::aio::{AwaitableCall, PyFuture};
use crate::consumer::PyBaseConsumer;
use crate::error;
use crate::pending_flag::PyPendingFlag;
use crate::runtime;
use crate::types;

/// How long the search for missing topics may take.
const FIND_WITHIN: Duration = Duration::from_secs(30);
/// How long commits made before `unsubscribe()` may hold it up.
const LEAVE_WITHIN: Duration = Duration::from_secs(30);
/// How long `unsubscribe()` waits until the next poll has something to tell: a moment, unless the group is just joined.
const TOLD_WITHIN: Duration = Duration::from_millis(100);
/// The most messages of one `consume()`.
const MOST: i64 = 1_000_000;

/// Messages, one or many at a time.
#[pyclass(
    name = "ConfluentConsumer",
    module = "kafkars._kafkars",
    frozen,
    subclass
)]
pub(crate) struct PyConfluentConsumer {
    // Set by `_open()`, which the constructor of the Python class calls.
    open: OnceLock<OpenConsumer>,
}

#[pymethods]
impl PyConfluentConsumer {
    /// Programs derive classes with constructors of their own, so anything goes here.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            open: OnceLock::new(),
        }
    }

    /// The next message, or None when there was none for `timeout` seconds; -1 waits as long as it takes.
    #[pyo3(signature = (timeout=-1.0), text_signature = "($self, timeout=-1)")]
    fn poll<'py>(&self, py: Python<'py>, timeout: f64) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = self.opened()?;
        if !open.has_work(py)
            && let TakenMessage::Message(message) = open.next(py)?
        {
            return Ok(Some(message));
        }
        let deadline = deadline(timeout);
        loop {
            if let Some(message) = open.serve(py)? {
                return Ok(Some(message));
            }
            match open.next(py)? {
                TakenMessage::Message(message) => return Ok(Some(message)),
                TakenMessage::Nothing => continue,
                // As in the library, a call under way finds nothing; the next one is refused.
                TakenMessage::Closed => return Ok(None),
                TakenMessage::Empty => {}
            }
            if let Some(message) = open.partition_end(py)? {
                return Ok(Some(message));
            }
            if !open.wait(py, deadline)? {
                return Ok(None);
            }
        }
    }

    /// Up to `num_messages` messages. Waits until there are as many, or for `timeout` seconds; -1 waits as long as it
    /// takes.
    #[pyo3(
        signature = (num_messages=1, timeout=-1.0),
        text_signature = "($self, num_messages=1, timeout=-1)"
    )]
    fn consume<'py>(
        &self,
        py: Python<'py>,
        num_messages: i64,
        timeout: f64,
    ) -> PyResult<Bound<'py, PyList>> {
        let open = self.opened()?;
        let wanted = match usize::try_from(num_messages) {
            Ok(wanted) if num_messages <= MOST => wanted,
            _ => {
                return Err(PyValueError::new_err(
                    "num_messages must be between 0 and 1000000 (1M)",
                ));
            }
        };
        let messages = open.gather(py, wanted, deadline(timeout))?;
        // A signal that has come meanwhile would raise before the program has them.
        if !messages.is_empty()
            && let Err(problem) = py.check_signals()
        {
            open.raise_later(py, problem);
        }
        PyList::new(py, messages)
    }

    /// Reads with the engine's consumer from now on.
    #[pyo3(signature = (engine, pending_flag, handler, partition_ends))]
    fn _open_(
        &self,
        engine: PyRef<'_, PyBaseConsumer>,
        pending_flag: Py<PyPendingFlag>,
        handler: Py<PyAny>,
        partition_ends: bool,
    ) {
        // librdkafka does not check whether the partitions that it commits are owned.
        let _ = engine.core.commits_named.set(Origin::Unchecked);
        // Its `close()` goes on to the end, because the program often ends right after it.
        let _ = engine.core.outlives_interrupt.set(());
        // It gives such a partition up.
        engine.core.consumer.stop_without_position();
        let open = OpenConsumer::new(&engine.core, pending_flag, handler, partition_ends);
        // The Python class refuses a second call of the constructor.
        let _ = self.open.set(open);
    }

    /// Fails if the consumer is closed, or was never opened.
    fn _check_(&self) -> PyResult<()> {
        self.opened().map(drop)
    }

    /// The offset after the last message handed out of a partition, with the leader epoch of that message or -1; None
    /// if none was.
    fn _position_(&self, topic: &str, partition: i32) -> PyResult<Option<(i64, i32)>> {
        let open = self.opened()?;
        let partition = named(topic, partition);
        if let Some(before) = open.unreturned.before(&partition, &open.core.consumer) {
            // Markers that were passed do not count: the call that has taken it may have passed them.
            return Ok((open.reading.has(&partition)).then_some((before, -1)));
        }
        if !open.has_read(&partition) {
            return Ok(None);
        }
        let consumed = open.core.consumer.consumed_offsets();
        let position = consumed.get(&partition);
        Ok(position.map(|position| (position.offset, position.leader_epoch)))
    }

    /// The positions of partitions of which messages were handed out since the last commit: topic, partition, offset,
    /// and leader epoch or -1.
    fn _uncommitted_(&self) -> PyResult<Vec<(String, i32, i64, i32)>> {
        let open = self.opened()?;
        let offsets = open.core.consumer.uncommitted_offsets();
        let read = offsets.into_iter().filter_map(|(at, position)| {
            let stands = match open.unreturned.before(&at, &open.core.consumer) {
                Some(before) => (open.reading.has(&at)).then_some((before, -1)),
                None => (open.has_read(&at)).then_some((position.offset, position.leader_epoch)),
            };
            let (offset, epoch) = stands?;
            Some((at.topic.to_string(), at.partition, offset, epoch))
        });
        Ok(read.collect())
    }

    /// Notes that a partition, or every one with None, is read from another position.
    #[pyo3(signature = (topic=None, partition=0))]
    fn _forget_(&self, topic: Option<&str>, partition: i32) -> PyResult<()> {
        // A close() that another one has overtaken has nothing to forget.
        let Ok(open) = self.opened() else {
            return Ok(());
        };
        let partition = topic.map(|topic| named(topic, partition));
        open.reading.forget(partition.as_ref());
        if let Some(ends) = &open.ends {
            ends.forget(partition.as_ref());
        }
        Ok(())
    }

    /// Lets the end of a partition be told again although it is where it was: it was paused.
    fn _forget_end_(&self, topic: &str, partition: i32) -> PyResult<()> {
        if let Some(ends) = &self.opened()?.ends {
            ends.forget(Some(&named(topic, partition)));
        }
        Ok(())
    }

    /// Lets these assigned partitions be read from what the group has committed.
    fn _seek_to_committed_(&self, partitions: Vec<(String, i32)>) -> PyResult<()> {
        let places: Vec<_> = partitions
            .iter()
            .map(|(topic, partition)| named(topic, *partition))
            .collect();
        if places.is_empty() {
            return Ok(()); // none would mean all
        }
        let open = self.opened()?;
        let sought = open.core.consumer.seek_to_committed(&places);
        sought.map_err(|failure| Python::attach(|py| error::fetch(py, &failure)))
    }

    /// Begins to give up the subscription; the next poll brings the rest, and no message of what is given up.
    fn _leave_(&self, py: Python<'_>) -> PyResult<()> {
        let deadline = Instant::now() + LEAVE_WITHIN;
        let open = self.opened()?;
        let core = &open.core;
        let leaves = core.start_leaving("the application unsubscribed", deadline);
        let assigned = core.consumer.assignment();
        if leaves.is_some() && !assigned.is_empty() {
            // The pause ends with the assignment. A partition that has gone meanwhile cannot be paused.
            for partition in assigned {
                let _ = core.consumer.pause(std::slice::from_ref(&partition));
                open.hand_back(&partition, None);
            }
            // A poll that does not wait, right after this call, is to find what is taken away.
            py.detach(|| core.consumer.wait_event(TOLD_WITHIN, || false));
        }
        Ok(())
    }

    /// The topics among these that the cluster says are not there for this client, each with its error code.
    #[pyo3(signature = (topics, timeout=None))]
    fn _refused_(
        &self,
        py: Python<'_>,
        topics: Vec<String>,
        timeout: Option<f64>,
    ) -> PyResult<Vec<(String, i16)>> {
        let core = &self.opened()?.core;
        let asked = core
            .consumer
            .refused_topics(topics, core.deadline(timeout)?);
        let refused = runtime::block_on(py, asked)?;
        let refused = refused.map_err(|failure| error::client(py, &failure))?;
        Ok(coded(refused))
    }

    /// The id with which this consumer joins its group; None where the coordinator makes it.
    fn _own_member_id_(&self) -> PyResult<Option<String>> {
        let id = self.opened()?.core.consumer.own_member_id();
        Ok(id.map(|id| id.to_string()))
    }

    /// Checks whether these topics exist, without waiting for it; the pending flag is set if some do not.
    fn _find_missing_(&self, py: Python<'_>, topics: Vec<String>) -> PyResult<()> {
        let open = self.opened()?;
        if topics.is_empty() {
            return Ok(());
        }
        let (core, missing) = (Arc::clone(&open.core), Arc::clone(&open.missing));
        let pending_flag = open.pending_flag.bind(py).get().handle();
        runtime::handle()?.spawn(async move {
            // A cluster that cannot be reached is reported in another way.
            let deadline = Instant::now() + FIND_WITHIN;
            let Ok(refused) = core.consumer.refused_topics(topics, deadline).await else {
                return;
            };
            missing.lock().extend(coded(refused));
            pending_flag.set();
        });
        Ok(())
    }

    /// Raises what a call with messages has kept for the next one: Ctrl+C, or an exception of a callback, which with
    /// `only_interrupts` stays for the next poll.
    #[pyo3(signature = (*, only_interrupts))]
    fn _raise_kept_(&self, py: Python<'_>, only_interrupts: bool) -> PyResult<()> {
        let Some(open) = self.open.get() else {
            return Ok(());
        };
        let Some(kept) = open.raised.lock().take() else {
            return Ok(());
        };
        if only_interrupts && kept.is_instance_of::<PyException>(py) {
            open.raise_later(py, kept);
            return Ok(());
        }
        Err(kept)
    }

    /// True if a poll would run callbacks, or find errors.
    fn _has_work_(&self, py: Python<'_>) -> PyResult<bool> {
        self.opened().map(|open| open.has_work(py))
    }

    /// True if a poll would report assigned or revoked partitions.
    fn _has_change_(&self) -> PyResult<bool> {
        self.opened().map(|open| open.core.consumer.has_change())
    }

    /// The messages that are handed out now: all but those of partitions that the group has given to others already.
    fn _kept_<'py>(
        &self,
        py: Python<'py>,
        messages: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (open, mut messages) = (self.opened()?, messages);
        open.drop_lost(py, &mut messages)?;
        for message in &messages {
            if let Some(batch) = message.cast::<PyMessage>()?.get().batch() {
                open.reading.note(batch);
            }
        }
        PyList::new(py, messages)
    }

    /// Lets messages be read again that were taken and not handed out, from this offset of a partition on; without one,
    /// from the first on that a `consume()` which goes on has taken. The application has not sought: what it has read,
    /// and what is to be committed of that, is what it was.
    #[pyo3(signature = (topic, partition, offset=None))]
    fn _hand_back_(&self, topic: &str, partition: i32, offset: Option<i64>) {
        if let Ok(open) = self.opened() {
            open.hand_back(&named(topic, partition), offset);
        }
    }

    /// Does what a poll does besides taking a message: runs callbacks that are due, looks after the cluster, and
    /// returns a message that stands for an error or the end of a partition.
    fn _serve_<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = self.opened()?;
        if let Some(message) = open.serve(py)? {
            return Ok(Some(message));
        }
        open.look_after(py)?;
        open.partition_end(py)
    }

    /// Takes a message from the buffer. Runs no callback and never waits: None if callbacks are due.
    fn _take_<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let open = self.opened()?;
        if open.has_work(py) {
            return Ok(None);
        }
        match open.next(py)? {
            TakenMessage::Message(message) => Ok(Some(message)),
            TakenMessage::Nothing | TakenMessage::Empty | TakenMessage::Closed => Ok(None),
        }
    }

    /// Takes up to `most` messages without waiting. They are handed out by `_kept_()`, or handed back.
    fn _take_many_<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyList>> {
        let open = self.opened()?;
        let mut messages = Vec::new();
        if !open.has_work(py)
            && let TakenMessage::Message(message) = open.take_uncounted(py, most, &mut messages)?
        {
            messages.push(message);
        }
        PyList::new(py, messages)
    }

    /// Waits on the running event loop until there is something to take or callbacks to run; False when there was
    /// nothing for `timeout` seconds.
    fn _ready_(&self, timeout: f64) -> PyResult<AwaitableCall> {
        let open = self.opened()?;
        let timeout = types::timeout(Some(timeout))?.unwrap_or_default();
        let wait = ReadyWait::new(&open.core, timeout);
        Ok(AwaitableCall(PyFuture::pending(Arc::new(wait))))
    }

    /// The handler keeps objects of the program, which may refer to this consumer.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.open.get() {
            Some(open) => open.handler.traverse(&visit),
            None => Ok(()),
        }
    }
}

impl PyConfluentConsumer {
    #[inline]
    fn opened(&self) -> PyResult<&OpenConsumer> {
        match self.open.get() {
            Some(open) if !open.core.consumer.is_closed() => Ok(open),
            _ => Err(PyRuntimeError::new_err("Consumer closed")),
        }
    }
}

fn coded(refused: Vec<(String, ErrorCode)>) -> Vec<(String, i16)> {
    let refused = refused.into_iter();
    refused.map(|(topic, code)| (topic, code.code())).collect()
}

/// The deadline of a call that was given `timeout` seconds; `None` for a negative number, or one that is too large.
pub(super) fn deadline(timeout: f64) -> Option<Instant> {
    let timeout = Some(timeout).filter(|timeout| *timeout >= 0.0);
    let timeout = types::timeout(timeout).ok().flatten()?;
    Instant::now().checked_add(timeout)
}
