//! `confluent_kafka.Message`: a fetched record, the report of a sent one, or an error, with methods instead of
//! attributes.
//!
//! A fetched message is a reference to its batch and the positions of its parts, like [`crate::record::PyRecord`]. The
//! first `set_...()` turns it into parts of its own.

use std::sync::{Arc, OnceLock};

use kafkars_client::FetchedBatch;
use kafkars_records::{RecordView, TimestampType};
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::parts::{CREATE_TIME, LOG_APPEND_TIME, MessageParts, NO_TIMESTAMP};
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
    // Set by the first change of a message that was fetched.
    changed: OnceLock<Box<Mutex<MessageParts>>>,
}

/// Where a message comes from.
enum MessageSource {
    Fetched(Arc<FetchedBatch>, RecordView),
    Made(Box<Mutex<MessageParts>>),
}

impl Uncollected for PyMessage {
    fn may_release_objects(&self) -> bool {
        match &self.source {
            MessageSource::Made(_) => true,
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

    /// A message of parts.
    pub(crate) fn made(parts: MessageParts) -> Self {
        Self {
            source: MessageSource::Made(Box::new(Mutex::new(parts))),
            changed: OnceLock::new(),
        }
    }

    /// Reads from the message's own parts if it has any, else from the fetched record.
    #[inline]
    fn read<'a, T>(
        &'a self,
        own: impl FnOnce(&MessageParts) -> T,
        fetched: impl FnOnce(&'a FetchedBatch, &'a RecordView) -> T,
    ) -> T {
        match &self.source {
            MessageSource::Made(parts) => own(&parts.lock()),
            MessageSource::Fetched(batch, view) => match self.changed.get() {
                None => fetched(batch, view),
                Some(parts) => own(&parts.lock()),
            },
        }
    }

    fn change(&self, py: Python<'_>, change: impl FnOnce(&mut MessageParts)) {
        let own = match &self.source {
            MessageSource::Made(own) => own,
            MessageSource::Fetched(batch, view) => self
                .changed
                .get_or_init(|| Box::new(Mutex::new(parts(py, batch, view)))),
        };
        change(&mut own.lock());
    }

    fn snapshot(&self, py: Python<'_>) -> MessageParts {
        self.read(
            |own| own.clone_ref(py),
            |batch, view| parts(py, batch, view),
        )
    }
}

#[pymethods]
impl PyMessage {
    /// A message of parts that need no broker: for tests of what takes messages.
    #[new]
    #[pyo3(signature = (
        topic=None, partition=None, offset=None, key=None, value=None, headers=None, error=None, timestamp=None,
        latency=None, leader_epoch=None, delivery_count=None
    ))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a message")]
    fn new(
        topic: Option<Py<PyAny>>,
        partition: Option<i32>,
        offset: Option<i64>,
        key: Option<Py<PyAny>>,
        value: Option<Py<PyAny>>,
        headers: Option<Py<PyAny>>,
        error: Option<Py<PyAny>>,
        timestamp: Option<(i32, i64)>,
        latency: Option<f64>,
        leader_epoch: Option<i32>,
        delivery_count: Option<i32>,
    ) -> Self {
        Self::made(MessageParts {
            topic,
            partition,
            offset,
            key,
            value,
            headers,
            error,
            timestamp: timestamp.unwrap_or_default(),
            latency,
            leader_epoch,
            delivery_count,
        })
    }

    /// What went wrong, or None for a message that can be used.
    #[inline]
    fn error(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(|own| copy(py, &own.error), |_, _| None)
    }

    /// The topic's name.
    #[inline]
    pub(super) fn topic(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(
            |own| copy(py, &own.topic),
            |batch, _| Some(record::topic(py, batch).into_any().unbind()),
        )
    }

    /// The partition's number.
    #[inline]
    pub(super) fn partition(&self) -> Option<i32> {
        self.read(|own| own.partition, |batch, _| Some(batch.partition))
    }

    /// The position in the partition.
    #[inline]
    fn offset(&self) -> Option<i64> {
        self.read(|own| own.offset, |_, view| Some(view.offset))
    }

    /// The key, or None.
    #[inline]
    fn key(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(
            |own| copy(py, &own.key),
            |batch, view| object(record::bytes(py, batch, view.key)),
        )
    }

    /// The value, or None; of an error its text.
    #[inline]
    fn value(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.read(
            |own| copy(py, &own.value),
            |batch, view| object(record::bytes(py, batch, view.value)),
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

    /// Pairs of name and value, or None where there are none.
    fn headers(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.read(
            |own| Ok(copy(py, &own.headers)),
            |batch, view| headers(py, batch, view),
        )
    }

    /// Who set the timestamp (0 not known, 1 the producer, 2 the broker), and milliseconds since 1970.
    fn timestamp(&self) -> (i32, i64) {
        self.read(|own| own.timestamp, timestamp)
    }

    /// Seconds from `produce()` to the report; None for messages that were consumed.
    fn latency(&self) -> Option<f64> {
        self.read(|own| own.latency, |_, _| None)
    }

    /// The epoch of the leader that stored it, or None.
    fn leader_epoch(&self) -> Option<i32> {
        self.read(|own| own.leader_epoch, |batch, _| epoch(batch))
    }

    /// How often a share group has delivered it; None elsewhere.
    fn delivery_count(&self) -> Option<i32> {
        self.read(|own| own.delivery_count, |_, _| None)
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
        match self.read(|own| Err(copy(py, &own.value)), |_, view| Ok(view.value)) {
            Ok(span) => Ok(span.map_or(0, |span| (span.end - span.start) as usize)),
            Err(Some(value)) => value.bind(py).len(),
            Err(None) => Ok(0),
        }
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        match other.cast::<Self>() {
            Ok(other) => {
                let (mine, theirs) = (self.content(py)?, other.get().content(py)?);
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

fn parts(py: Python<'_>, batch: &FetchedBatch, view: &RecordView) -> MessageParts {
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
