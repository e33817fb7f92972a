//! `confluent_kafka.Message`: a fetched record, the report of a sent one, or an error, with methods instead of
//! attributes.
//!
//! A fetched message is a reference to its batch and the positions of its parts, like [`crate::record::PyRecord`]; that
//! of a report refers to what the program has sent. The first `set_...()` turns either into parts of its own.

use std::sync::{Arc, OnceLock};

use kafkars_client::{FetchedBatch, StoredAt};
use kafkars_records::{RecordView, TimestampType};
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::parts::{self, CREATE_TIME, LOG_APPEND_TIME, MessageParts, NO_TIMESTAMP, SentMessage};
use crate::gc::{self, Uncollected};
use crate::record;

/// A message.
#[pyclass(
    name = "Message",
    module = "kafkars.compat.confluent_kafka.cimpl",
    frozen,
    subclass
)]
pub(crate) struct PyMessage {
    source: MessageSource,
    // Set by the first change of a message that was fetched or stored.
    changed: OnceLock<Box<Mutex<MessageParts>>>,
}

/// Where a message comes from.
enum MessageSource {
    Fetched(Arc<FetchedBatch>, RecordView),
    Stored(SentMessage, StoredAt),
    Made(Box<Mutex<MessageParts>>),
}

impl Uncollected for PyMessage {
    fn may_release_objects(&self) -> bool {
        match &self.source {
            MessageSource::Made(_) | MessageSource::Stored(..) => true,
            MessageSource::Fetched(batch, _) => {
                self.changed.get().is_some() || Arc::strong_count(batch) == 1
            }
        }
    }
}

impl PyMessage {
    /// The message at `view` of a batch that was prepared (`record::prepare`).
    #[inline]
    pub(crate) fn fetched(
        py: Python<'_>,
        batch: Arc<FetchedBatch>,
        view: RecordView,
    ) -> PyResult<Bound<'_, Self>> {
        gc::new(
            py,
            Self {
                source: MessageSource::Fetched(batch, view),
                changed: OnceLock::new(),
            },
        )
    }

    /// The message of a report: it was stored.
    #[inline]
    pub(super) fn stored(
        py: Python<'_>,
        sent: SentMessage,
        at: StoredAt,
    ) -> PyResult<Bound<'_, Self>> {
        gc::new(
            py,
            Self {
                source: MessageSource::Stored(sent, at),
                changed: OnceLock::new(),
            },
        )
    }

    /// The message of a report: it was not stored.
    pub(super) fn not_stored(
        py: Python<'_>,
        sent: SentMessage,
        error: Py<PyAny>,
    ) -> PyResult<Bound<'_, Self>> {
        let parts = MessageParts {
            error: Some(error),
            ..sent.parts(py, None)
        };
        gc::new(py, Self::made(parts))
    }

    /// A message of parts.
    pub(crate) fn made(parts: MessageParts) -> Self {
        Self {
            source: MessageSource::Made(Box::new(Mutex::new(parts))),
            changed: OnceLock::new(),
        }
    }

    /// Reads from the message's own parts if it has any, else from the fetched record or the stored message.
    #[inline]
    fn read<'a, T>(
        &'a self,
        own: impl FnOnce(&MessageParts) -> T,
        fetched: impl FnOnce(&'a FetchedBatch, &'a RecordView) -> T,
        stored: impl FnOnce(&'a SentMessage, &'a StoredAt) -> T,
    ) -> T {
        match (&self.source, self.changed.get()) {
            (MessageSource::Made(parts), _) | (_, Some(parts)) => own(&parts.lock()),
            (MessageSource::Fetched(batch, view), None) => fetched(batch, view),
            (MessageSource::Stored(sent, at), None) => stored(sent, at),
        }
    }

    /// The batch of a message that was fetched.
    #[inline]
    pub(super) fn batch(&self) -> Option<&Arc<FetchedBatch>> {
        match &self.source {
            MessageSource::Fetched(batch, _) => Some(batch),
            MessageSource::Stored(..) | MessageSource::Made(_) => None,
        }
    }

    /// The batch of a message that is as it was fetched.
    #[inline]
    pub(super) fn fetched_batch(&self) -> Option<&Arc<FetchedBatch>> {
        match self.changed.get() {
            None => self.batch(),
            Some(_) => None,
        }
    }

    fn change(&self, py: Python<'_>, change: impl FnOnce(&mut MessageParts)) {
        let own = match &self.source {
            MessageSource::Made(own) => own,
            _ => self
                .changed
                .get_or_init(|| Box::new(Mutex::new(self.snapshot(py)))),
        };
        change(&mut own.lock());
    }

    fn snapshot(&self, py: Python<'_>) -> MessageParts {
        self.read(
            |own| own.clone_ref(py),
            |batch, view| fetched_parts(py, batch, view),
            |sent, at| sent.parts(py, Some(at)),
        )
    }
}

#[pymethods]
impl PyMessage {
    /// Takes any arguments, so that a subclass may have its own: `__init__` gives a message its parts.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords), text_signature = "(topic=None, partition=None, offset=None, key=None, \
         value=None, headers=None, error=None, timestamp=None, latency=None, leader_epoch=None, delivery_count=None)")]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self::made(MessageParts::default())
    }

    /// Gives a message parts that need no broker: for tests of what takes messages.
    #[pyo3(signature = (
        topic=None, partition=None, offset=None, key=None, value=None, headers=None, error=None, timestamp=None,
        latency=None, leader_epoch=None, delivery_count=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a message")]
    fn __init__(
        slf: &Bound<'_, Self>,
        topic: Option<Py<PyAny>>,
        partition: Option<i32>,
        offset: Option<i64>,
        key: Option<Py<PyAny>>,
        value: Option<Py<PyAny>>,
        headers: Option<Py<PyAny>>,
        error: Option<Py<PyAny>>,
        timestamp: Option<&Bound<'_, PyAny>>,
        latency: Option<f64>,
        leader_epoch: Option<i32>,
        delivery_count: Option<i32>,
    ) -> PyResult<()> {
        // Numbers that librdkafka has for nothing are nothing, too.
        let mut parts = MessageParts {
            topic,
            partition: partition.filter(|number| *number >= 0),
            offset: offset.filter(|offset| *offset >= 0),
            key,
            value,
            headers,
            error,
            timestamp: timestamp
                .map(kind_and_time)
                .transpose()?
                .unwrap_or_default(),
            latency: latency.filter(|seconds| *seconds >= 0.0),
            leader_epoch: leader_epoch.filter(|epoch| *epoch >= 0),
            delivery_count: delivery_count.filter(|count| *count > 0),
        };
        // What it had before is dropped without the lock.
        slf.get()
            .change(slf.py(), |own| std::mem::swap(own, &mut parts));
        Ok(())
    }

    /// What went wrong, or None for a message that can be used.
    #[inline]
    pub(super) fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(|own| copy(py, &own.error), |_, _| None, |_, _| None)
    }

    /// The topic's name.
    #[inline]
    pub(super) fn topic(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(
            |own| copy(py, &own.topic),
            |batch, _| Some(record::topic(py, batch).into_any().unbind()),
            |sent, _| Some(sent.topic.clone_ref(py).into_any()),
        )
    }

    /// The partition's number.
    #[inline]
    pub(super) fn partition(&self) -> Option<i32> {
        self.read(
            |own| own.partition,
            |batch, _| Some(batch.partition),
            |sent, _| sent.partition,
        )
    }

    /// The position in the partition.
    #[inline]
    pub(super) fn offset(&self) -> Option<i64> {
        self.read(
            |own| own.offset,
            |_, view| Some(view.offset),
            |_, at| parts::offset(at),
        )
    }

    /// The key, or None.
    #[inline]
    fn key(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(
            |own| copy(py, &own.key),
            |batch, view| object(record::bytes(py, batch, view.key)),
            |sent, _| copy(py, &sent.key),
        )
    }

    /// The value, or None; of an error its text.
    #[inline]
    fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(
            |own| copy(py, &own.value),
            |batch, view| object(record::bytes(py, batch, view.value)),
            |sent, _| copy(py, &sent.value),
        )
    }

    /// The key as a deserializing consumer has made it.
    fn deserialized_key(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.key(py)
    }

    /// The value as a deserializing consumer has made it.
    fn deserialized_value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.value(py)
    }

    /// Pairs of name and value, or None where there are none. The list is the message's own: what is added to it stays,
    /// as deserializers do for others.
    fn headers(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        if let MessageSource::Fetched(_, view) = &self.source
            && view.header_count > 0
        {
            self.change(py, |_| {});
        }
        self.read(|own| copy(py, &own.headers), |_, _| None, |_, _| None)
    }

    /// Who set the timestamp (0 not known, 1 the producer, 2 the broker), and milliseconds since 1970.
    fn timestamp(&self) -> (i32, i64) {
        self.read(|own| own.timestamp, timestamp, |_, at| parts::timestamp(at))
    }

    /// Seconds from `produce()` to the report; None for messages that were consumed.
    fn latency(&self) -> Option<f64> {
        self.read(|own| own.latency, |_, _| None, |sent, _| Some(sent.latency))
    }

    /// The epoch of the leader that stored it, or None.
    fn leader_epoch(&self) -> Option<i32> {
        self.read(|own| own.leader_epoch, |batch, _| epoch(batch), |_, _| None)
    }

    /// How often a share group has delivered it; None elsewhere.
    fn delivery_count(&self) -> Option<i32> {
        self.read(|own| own.delivery_count, |_, _| None, |_, _| None)
    }

    /// Replaces the topic.
    fn set_topic(&self, py: Python<'_>, topic: Option<Py<PyAny>>) {
        self.change(py, |own| own.topic = topic);
    }

    /// Replaces the key by any object.
    fn set_key(&self, py: Python<'_>, key: Option<Py<PyAny>>) {
        self.change(py, |own| own.key = key);
    }

    /// Replaces the value by any object.
    fn set_value(&self, py: Python<'_>, value: Option<Py<PyAny>>) {
        self.change(py, |own| own.value = value);
    }

    /// Replaces the headers.
    fn set_headers(&self, py: Python<'_>, headers: Option<Py<PyAny>>) {
        self.change(py, |own| own.headers = headers);
    }

    /// Replaces the error.
    fn set_error(&self, py: Python<'_>, error: Option<Py<PyAny>>) {
        self.change(py, |own| own.error = error);
    }

    /// The length of the value; 0 without one.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        let length = self.read(
            |own| Err(copy(py, &own.value)),
            |_, view| Ok(view.value),
            |sent, _| Err(copy(py, &sent.value)),
        );
        match length {
            Ok(span) => Ok(span.map_or(0, |span| (span.end - span.start) as usize)),
            Err(Some(value)) => value.bind(py).len(),
            Err(None) => Ok(0),
        }
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        match other.cast::<Self>() {
            Ok(other) => {
                let (mine, theirs) = (self.compared(py)?, other.get().compared(py)?);
                mine.eq(theirs)?.into_py_any(py)
            }
            Err(_) => Ok(py.NotImplemented()),
        }
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = slf.get_type().into_any();
        Ok((class, slf.get().content(slf.py())?))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        let message = slf.get();
        let fields = PyDict::new(py);
        fields.set_item("topic", message.topic(py))?;
        fields.set_item("partition", message.partition())?;
        fields.set_item("offset", message.offset())?;
        fields.set_item("error", message.error(py))?;
        Ok(format!("Message({})", fields.repr()?))
    }
}

impl PyMessage {
    /// What makes messages equal in the library: neither the kind of the timestamp, nor how long the message was under
    /// way, nor how often it was delivered.
    fn compared<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = self.snapshot(py);
        let (_, timestamp) = parts.timestamp;
        (
            parts.topic,
            parts.partition,
            parts.offset,
            parts.key,
            parts.value,
            parts.headers,
            parts.error,
            timestamp,
            parts.leader_epoch,
        )
            .into_pyobject(py)
    }

    /// All values of the message, in the order of the constructor.
    fn content<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let parts = self.snapshot(py);
        PyTuple::new(
            py,
            [
                parts.topic.into_py_any(py)?,
                parts.partition.into_py_any(py)?,
                parts.offset.into_py_any(py)?,
                parts.key.into_py_any(py)?,
                parts.value.into_py_any(py)?,
                parts.headers.into_py_any(py)?,
                parts.error.into_py_any(py)?,
                parts.timestamp.into_py_any(py)?,
                parts.latency.into_py_any(py)?,
                parts.leader_epoch.into_py_any(py)?,
                parts.delivery_count.into_py_any(py)?,
            ],
        )
    }
}

/// The two numbers of a timestamp.
fn kind_and_time(given: &Bound<'_, PyAny>) -> PyResult<(i32, i64)> {
    given
        .extract()
        .map_err(|_| PyTypeError::new_err("timestamp must be a tuple of two whole numbers"))
}

fn fetched_parts(py: Python<'_>, batch: &FetchedBatch, view: &RecordView) -> MessageParts {
    MessageParts {
        topic: Some(record::topic(py, batch).into_any().unbind()),
        partition: Some(batch.partition),
        offset: Some(view.offset),
        key: object(record::bytes(py, batch, view.key)),
        value: object(record::bytes(py, batch, view.value)),
        // Building a list of the headers can only fail when memory runs out.
        headers: headers(py, batch, view).ok().flatten(),
        error: None,
        timestamp: timestamp(batch, view),
        latency: None,
        leader_epoch: epoch(batch),
        delivery_count: None,
    }
}

fn headers(py: Python<'_>, batch: &FetchedBatch, view: &RecordView) -> PyResult<Option<Py<PyAny>>> {
    if view.header_count == 0 {
        return Ok(None);
    }
    let pairs = batch.batch.headers(view).map(|header| {
        (
            header.key_text().into_owned(),
            record::bytes(py, batch, header.value),
        )
    });
    let list = PyList::new(py, pairs.collect::<Vec<_>>())?;
    Ok(Some(list.into_any().unbind()))
}

fn timestamp(batch: &FetchedBatch, view: &RecordView) -> (i32, i64) {
    if view.timestamp < 0 {
        return NO_TIMESTAMP;
    }
    let kind = match batch.batch.header.attributes.timestamp_type() {
        TimestampType::CreateTime => CREATE_TIME,
        TimestampType::LogAppendTime => LOG_APPEND_TIME,
    };
    (kind, view.timestamp)
}

fn epoch(batch: &FetchedBatch) -> Option<i32> {
    Some(batch.batch.header.partition_leader_epoch).filter(|epoch| *epoch >= 0)
}

#[inline]
fn copy(py: Python<'_>, part: &Option<Py<PyAny>>) -> Option<Py<PyAny>> {
    part.as_ref().map(|part| part.clone_ref(py))
}

#[inline]
fn object(bytes: Option<Bound<'_, PyBytes>>) -> Option<Py<PyAny>> {
    bytes.map(|bytes| bytes.into_any().unbind())
}
