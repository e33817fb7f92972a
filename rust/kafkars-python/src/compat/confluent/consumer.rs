//! The part of `confluent_kafka.Consumer` that runs once per record. The rest of the class is Python, derived from this
//! one: it makes the engine's consumer and the handler for rarer events.

use std::collections::{HashSet, VecDeque};
use std::iter::repeat_n;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_client::config::TopicPartition;
use kafkars_client::{FetchError, Origin, RecordSlice, TakenRecord};
use kafkars_protocol::ErrorCode;
use parking_lot::Mutex;
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use super::handler::ConsumerHandler;
use super::message::PyMessage;
use super::partition_eof::{Ends, PartitionEnd};
use super::reading::Reading;
use super::ready::ReadyWait;
use super::unreturned::{CallNumber, Unreturned};
use crate::aio::{AwaitableCall, PyFuture};
use crate::consumer::{ConsumerCore, PyBaseConsumer};
use crate::error;
use crate::pending_flag::PyPendingFlag;
use crate::record;
use crate::runtime;
use crate::types;

/// How often a wait asks whether the cluster can be reached.
const LOOK_AFTER: Duration = Duration::from_millis(500);
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

struct OpenConsumer {
    core: Arc<ConsumerCore>,
    pending_flag: Py<PyPendingFlag>,
    handler: ConsumerHandler,
    reading: Reading,
    unreturned: Unreturned,
    ends: Option<Ends>,
    // Guards when to check next whether the cluster can be reached.
    look: Mutex<Instant>,
    // Guards the subscribed topics that are not there and their error codes, until they are reported.
    missing: Arc<Mutex<Vec<(String, i16)>>>,
    // Guards errors of the engine whose messages an interrupt has kept from being made.
    untold: Mutex<VecDeque<PyErr>>,
    // Guards the exception of a callback during a call that handed out messages, which would have been lost by raising
    // it.
    raised: Mutex<Option<PyErr>>,
}

/// What was found in the buffer.
enum TakenMessage<'py> {
    Message(Bound<'py, PyAny>),
    /// Nothing to hand out by itself: an error that does not concern the application, or a batch call's messages.
    Nothing,
    Empty,
    /// The consumer was closed meanwhile, by another thread.
    Closed,
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
                return Err(PyValueError::new_err(format!(
                    "num_messages must be between 0 and 1000000 (1M), not {num_messages}"
                )));
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
        // The Python class refuses a second call of the constructor.
        let _ = self.open.set(OpenConsumer {
            core: Arc::clone(&engine.core),
            pending_flag,
            handler: ConsumerHandler(handler),
            reading: Reading::default(),
            unreturned: Unreturned::default(),
            ends: partition_ends.then(Ends::default),
            look: Mutex::new(Instant::now() + LOOK_AFTER),
            missing: Arc::default(),
            untold: Mutex::default(),
            raised: Mutex::new(None),
        });
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

impl OpenConsumer {
    /// True if a partition has a position, and something to commit: messages of it were handed out, or markers of
    /// transactions passed by a call that found no message before them, which is the same to librdkafka. Where no call
    /// has come, nothing is read: what was read before a seek is what counts.
    fn has_read(&self, partition: &TopicPartition) -> bool {
        self.reading.has(partition) || self.core.consumer.has_passed(partition)
    }

    #[inline]
    fn has_work(&self, py: Python<'_>) -> bool {
        self.core.consumer.has_event() || self.pending_flag.bind(py).get().is_set()
    }

    /// Up to `wanted` messages. None of them is returned before this is over.
    fn gather<'py>(
        &self,
        py: Python<'py>,
        wanted: usize,
        deadline: Option<Instant>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut gathered = Gathered::new(self.unreturned.begin());
        let result = self.gather_into(py, wanted, deadline, &mut gathered);
        let returned = self.unreturned.end(gathered.by, &self.core.consumer);
        for batch in &returned.batches {
            self.reading.note(batch);
        }
        let messages = gathered.without(&returned.stale);
        match result {
            Err(problem) if messages.is_empty() => return Err(problem),
            // Ctrl+C, or an exception of a callback: what is there counts as handed out, so it is, and the next call
            // raises.
            Err(problem) => self.raise_later(py, problem),
            Ok(()) => {}
        }
        Ok(messages)
    }

    fn gather_into<'py>(
        &self,
        py: Python<'py>,
        wanted: usize,
        deadline: Option<Instant>,
        gathered: &mut Gathered<'py>,
    ) -> PyResult<()> {
        while gathered.messages.len() < wanted {
            // The messages so far belong to this member until the program is told otherwise, which happens with its
            // next call.
            if !gathered.messages.is_empty() && self.core.consumer.has_change() {
                break;
            }
            if self.has_work(py)
                && let Some(message) = self.serve(py)?
            {
                gathered.add(message, 0);
                continue;
            }
            if !self.gather_more(py, wanted, deadline, gathered)? {
                break;
            }
        }
        Ok(())
    }

    /// Adds what is there, or waits a little; false if there is nothing to wait for.
    fn gather_more<'py>(
        &self,
        py: Python<'py>,
        wanted: usize,
        deadline: Option<Instant>,
        gathered: &mut Gathered<'py>,
    ) -> PyResult<bool> {
        match self.take(py, wanted - gathered.messages.len(), gathered)? {
            TakenMessage::Message(message) => gathered.add(message, 0),
            TakenMessage::Nothing => {}
            TakenMessage::Closed => return Ok(false),
            TakenMessage::Empty => {
                let ends = self.ends.as_ref();
                let end = ends.and_then(|ends| {
                    self.unreturned
                        .take_end(gathered.by, ends, &self.core.consumer)
                });
                match end {
                    Some(end) => gathered.add(self.message_of_end(py, &end)?, end.place),
                    None => return self.wait(py, deadline),
                }
            }
        }
        Ok(true)
    }

    /// Lets a partition be read again, although nobody has sought: from an offset on, or from the first message on that
    /// calls have taken and not returned.
    fn hand_back(&self, partition: &TopicPartition, offset: Option<i64>) {
        let consumer = &self.core.consumer;
        self.unreturned
            .hand_back(partition, offset, consumer, self.ends.as_ref());
    }

    /// The next message in the buffer.
    #[inline]
    fn next<'py>(&self, py: Python<'py>) -> PyResult<TakenMessage<'py>> {
        self.core.check()?;
        match self.core.consumer.try_next() {
            Ok(Some(TakenRecord { batch, view })) => {
                record::prepare(py, &batch, None);
                self.reading.note(&batch);
                let message = PyMessage::fetched(py, batch, view)?;
                Ok(TakenMessage::Message(message.into_any()))
            }
            Ok(None) => Ok(TakenMessage::Empty),
            Err(failure) => self.failed(py, &failure),
        }
    }

    /// Takes up to `most` messages from the buffer, and returns `TakenMessage::Nothing` if there were any.
    fn take<'py>(
        &self,
        py: Python<'py>,
        most: usize,
        gathered: &mut Gathered<'py>,
    ) -> PyResult<TakenMessage<'py>> {
        self.core.check()?;
        let is_first = gathered.messages.is_empty();
        let taken = self.unreturned.take(
            gathered.by,
            most,
            is_first,
            &self.core.consumer,
            &self.reading,
        );
        let slices = match taken {
            Ok(slices) if slices.is_empty() => return Ok(TakenMessage::Empty),
            Ok(slices) => slices,
            Err(failure) => return self.failed(py, &failure),
        };
        for (number, slice) in slices.iter().enumerate() {
            let before = gathered.messages.len();
            if let Err(problem) = make_messages(py, slice, &mut gathered.messages) {
                // There is no memory: they are read again.
                gathered.messages.truncate(before);
                let mut places = HashSet::new();
                let rest = slices[number..].iter();
                for slice in rest.filter(|slice| places.insert(slice.place)) {
                    let partition = named(&slice.batch.topic, slice.batch.partition);
                    let first = slice.batch.batch.record_at(slice.start);
                    self.hand_back(&partition, Some(first.offset));
                }
                return Err(problem);
            }
            gathered.note(slice.place, gathered.messages.len() - before);
        }
        Ok(TakenMessage::Nothing)
    }

    /// As `take()`, for a caller that counts itself what it has not returned.
    fn take_uncounted<'py>(
        &self,
        py: Python<'py>,
        most: usize,
        messages: &mut Vec<Bound<'py, PyAny>>,
    ) -> PyResult<TakenMessage<'py>> {
        self.core.check()?;
        let slices = match self.core.consumer.try_take(most) {
            Ok(slices) if slices.is_empty() => return Ok(TakenMessage::Empty),
            Ok(slices) => slices,
            Err(failure) => return self.failed(py, &failure),
        };
        for slice in &slices {
            make_messages(py, slice, messages)?;
        }
        Ok(TakenMessage::Nothing)
    }

    /// Runs callbacks that are due. Returns a message if there is one to report an error by.
    fn serve<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(problem) = self.raised.lock().take() {
            return Err(problem);
        }
        if self.core.consumer.has_event()
            && let Err(problem) = self.core.serve(py)
        {
            // An error of the engine becomes a message; an exception of the program's callback is raised.
            return match error::is_ours(py, &problem) {
                true => self.message_of(py, problem),
                false => Err(problem),
            };
        }
        let pending_flag = self.pending_flag.bind(py).get();
        if !pending_flag.is_set() {
            return Ok(None);
        }
        pending_flag.clear();
        self.serve_pending(py).inspect_err(|_| pending_flag.set())
    }

    /// Does what the pending flag stands for. An interrupt leaves what it has kept from being done for the next time.
    fn serve_pending<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            let Some(problem) = self.untold.lock().pop_front() else {
                break;
            };
            if let Some(message) = self.message_of(py, problem)? {
                self.pending_flag.bind(py).get().set();
                return Ok(Some(message));
            }
        }
        let mut missing = std::mem::take(&mut *self.missing.lock());
        missing.sort_unstable_by(|one, other| other.cmp(one));
        let missing = PyList::new(py, missing)?;
        let served = self.handler.serve(py, &missing);
        if !missing.is_empty() {
            self.missing.lock().extend(missing.extract::<Vec<_>>()?);
        }
        served?;
        // Popped here, since an interrupt on the way from Python would lose it.
        let (message, is_more) = self.handler.next_message(py)?;
        if is_more {
            self.pending_flag.bind(py).get().set();
        }
        Ok(message)
    }

    /// An error of the engine as a message; `None` if it does not concern the program.
    fn message_of<'py>(
        &self,
        py: Python<'py>,
        problem: PyErr,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let message = self.handler.message_of(py, &problem);
        if message.is_err() {
            self.untold.lock().push_back(problem);
            self.pending_flag.bind(py).get().set();
        }
        message
    }

    /// Drops messages of partitions that the group has given to others already.
    fn drop_lost(&self, py: Python<'_>, messages: &mut Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let consumer = &self.core.consumer;
        if messages.is_empty() || !consumer.has_event() {
            return Ok(());
        }
        let lost = consumer.lost();
        if lost.is_empty() {
            return Ok(());
        }
        let kept: Vec<bool> = messages
            .iter()
            .map(|message| {
                let message = message.cast::<PyMessage>()?.get();
                let (Some(topic), Some(partition)) = (message.topic(py), message.partition())
                else {
                    return Ok(true);
                };
                Ok(!lost.contains(&named(
                    topic.bind(py).cast::<PyString>()?.to_str()?,
                    partition,
                )))
            })
            .collect::<PyResult<_>>()?;
        let mut kept = kept.into_iter();
        messages.retain(|_| kept.next().unwrap_or(true));
        Ok(())
    }

    /// Keeps an exception for the next call.
    fn raise_later(&self, py: Python<'_>, problem: PyErr) {
        *self.raised.lock() = Some(problem);
        self.pending_flag.bind(py).get().set();
    }

    /// An error as a message, or the end of the consumer.
    #[cold]
    fn failed<'py>(&self, py: Python<'py>, failure: &FetchError) -> PyResult<TakenMessage<'py>> {
        if matches!(failure, FetchError::Closed) {
            return Ok(TakenMessage::Closed);
        }
        let mut problem = error::fetch(py, failure);
        if error::is_of_signal(py, &problem) {
            // It came while the exception was made.
            let signal = std::mem::replace(&mut problem, error::fetch(py, failure));
            self.raise_later(py, signal);
        }
        if !error::is_ours(py, &problem) {
            return Err(problem);
        }
        let message = self.message_of(py, problem)?;
        Ok(message.map_or(TakenMessage::Nothing, TakenMessage::Message))
    }

    fn partition_end<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ends = self.ends.as_ref();
        let end = ends.and_then(|ends| ends.next(&self.core.consumer));
        end.map(|end| self.message_of_end(py, &end)).transpose()
    }

    /// The message that tells of an end. One that an interrupt has kept from being made is told later.
    fn message_of_end<'py>(
        &self,
        py: Python<'py>,
        end: &PartitionEnd,
    ) -> PyResult<Bound<'py, PyAny>> {
        let message = self.handler.partition_end(py, &end.partition, end.position);
        if let (Err(_), Some(ends)) = (&message, &self.ends) {
            ends.untell(end);
        }
        message
    }

    /// Waits a little; false after the deadline, or where nothing can come. Ctrl+C ends the wait.
    fn wait(&self, py: Python<'_>, deadline: Option<Instant>) -> PyResult<bool> {
        let left = runtime::slice(deadline);
        if left.is_zero() {
            return Ok(false);
        }
        let consumer = &self.core.consumer;
        if consumer.has_event() && self.core.check_reentry().is_err() {
            // A callback of this thread calls: what comes next waits for its end.
            return Ok(false);
        }
        let turn = &self.core.callback_turn;
        py.detach(|| match consumer.has_event() && turn.is_elsewhere() {
            true => turn.wait(left),
            false => consumer.wait_ready(left),
        });
        py.check_signals()?;
        self.look_after(py)?;
        Ok(true)
    }

    /// Reports from time to time that the cluster cannot be reached, or can be again.
    fn look_after(&self, py: Python<'_>) -> PyResult<()> {
        let now = Instant::now();
        {
            let mut look = self.look.lock();
            if *look > now {
                return Ok(());
            }
            *look = now + LOOK_AFTER;
        }
        let trouble = self.core.consumer.trouble();
        let trouble = trouble.map(|failure| error::fetch(py, &failure));
        self.handler.reached(py, trouble.as_ref())
    }
}

/// What a call has gathered.
struct Gathered<'py> {
    by: CallNumber,
    messages: Vec<Bound<'py, PyAny>>,
    /// Runs of messages: the place that they were taken in, 0 for those of no place, and how many they are.
    runs: Vec<(u64, usize)>,
}

impl<'py> Gathered<'py> {
    fn new(by: CallNumber) -> Self {
        Self {
            by,
            messages: Vec::new(),
            runs: Vec::new(),
        }
    }

    fn add(&mut self, message: Bound<'py, PyAny>, place: u64) {
        self.messages.push(message);
        self.note(place, 1);
    }

    fn note(&mut self, place: u64, count: usize) {
        match self.runs.last_mut() {
            Some((last, number)) if *last == place => *number += count,
            _ => self.runs.push((place, count)),
        }
    }

    /// All messages but those of these places.
    fn without(self, stale: &HashSet<u64>) -> Vec<Bound<'py, PyAny>> {
        if stale.is_empty() {
            return self.messages;
        }
        let runs = self.runs.into_iter();
        let kept = runs.flat_map(|(place, count)| repeat_n(!stale.contains(&place), count));
        let kept = self.messages.into_iter().zip(kept);
        kept.filter_map(|(message, is_kept)| is_kept.then_some(message))
            .collect()
    }
}

/// Makes the messages of records that were taken.
fn make_messages<'py>(
    py: Python<'py>,
    slice: &RecordSlice,
    messages: &mut Vec<Bound<'py, PyAny>>,
) -> PyResult<()> {
    record::prepare(py, &slice.batch, None);
    messages.reserve(slice.count as usize);
    let mut position = slice.start;
    for _ in 0..slice.count {
        let view = slice.batch.batch.record_at(position);
        position = view.next;
        let message = PyMessage::fetched(py, Arc::clone(&slice.batch), view)?;
        messages.push(message.into_any());
    }
    Ok(())
}

fn named(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition {
        topic: topic.into(),
        partition,
    }
}

/// The deadline of a call that was given `timeout` seconds; `None` for a negative number, or one that is too large.
pub(super) fn deadline(timeout: f64) -> Option<Instant> {
    let timeout = Some(timeout).filter(|timeout| *timeout >= 0.0);
    let timeout = types::timeout(timeout).ok().flatten()?;
    Instant::now().checked_add(timeout)
}
