//! A fetched record as a Python object.
//!
//! A record is a reference to its batch and the positions of its parts; bytes become Python objects when they are
//! touched. It takes no part in garbage collection (it refers to no container), so millions of them cost the collector
//! nothing. A record that is kept keeps its whole batch in memory.

use std::sync::Arc;

use kafkars_client::FetchedBatch;
use kafkars_client::config::TopicPartition;
use kafkars_records::{RecordView, Span, TimestampType};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::deserializers::{Deserializer, Deserializers};
use crate::error;
use crate::gc::untracked;
use crate::gc::{self, Uncollected};
use crate::record_pickle::{self, PickledRecord};
use crate::types;

/// The Python objects that the records of one fetched batch share. They are kept with the batch, so that a record is
/// only a reference to the batch.
struct BatchObjects {
    /// The topic's name, made once.
    topic: Py<PyString>,
    /// The deserializers; `None` in the usual case, which then costs nothing.
    deserializers: Option<Arc<Deserializers>>,
}

/// Prepares a batch for [`record`] and [`bytes`]. Only the first call does anything.
#[inline]
pub(crate) fn prepare(
    py: Python<'_>,
    fetched: &FetchedBatch,
    deserializers: Option<&Arc<Deserializers>>,
) {
    if fetched.attachment().is_some() {
        return;
    }
    let page = BatchObjects {
        topic: PyString::intern(py, &fetched.topic).unbind(),
        deserializers: deserializers.map(Arc::clone),
    };
    fetched.attach(|| Box::new(page));
}

fn page(fetched: &FetchedBatch) -> Option<&BatchObjects> {
    fetched.attachment()?.downcast_ref()
}

/// The name of a batch's topic; one object for all records if the batch was prepared.
#[inline]
pub(crate) fn topic<'py>(py: Python<'py>, fetched: &FetchedBatch) -> Bound<'py, PyString> {
    match page(fetched) {
        Some(page) => page.topic.bind(py).clone(),
        None => PyString::new(py, &fetched.topic),
    }
}

/// The bytes at `span` as a new object.
#[inline]
pub(crate) fn bytes<'py>(
    py: Python<'py>,
    fetched: &FetchedBatch,
    span: Option<Span>,
) -> Option<Bound<'py, PyBytes>> {
    span.map(|span| PyBytes::new(py, fetched.batch.slice(span)))
}

/// The record at `view` of a prepared batch as a Python object, a typed one if there are deserializers.
#[inline]
pub(crate) fn record(
    py: Python<'_>,
    fetched: Arc<FetchedBatch>,
    view: RecordView,
    typed: bool,
) -> PyResult<Bound<'_, PyRecord>> {
    let record = PyRecord { fetched, view };
    if !typed {
        return gc::new(py, record);
    }
    typed_record(py, record, PyDeserializedRecord::default())
}

/// A record with the objects that its deserializers have made.
pub(crate) fn deserialized(
    py: Python<'_>,
    fetched: Arc<FetchedBatch>,
    view: RecordView,
    key: DeserializedPart,
    value: DeserializedPart,
) -> PyResult<Bound<'_, PyRecord>> {
    let made = PyDeserializedRecord::default();
    // The cells are new, so both are empty.
    let _ = (made.key.set(py, key), made.value.set(py, value));
    typed_record(py, PyRecord { fetched, view }, made)
}

fn typed_record(
    py: Python<'_>,
    record: PyRecord,
    made: PyDeserializedRecord,
) -> PyResult<Bound<'_, PyRecord>> {
    let typed = PyClassInitializer::from(record).add_subclass(made);
    Ok(untracked(Bound::new(py, typed)?).into_super())
}

/// True if records of a prepared batch go through deserializers.
#[inline]
pub(crate) fn is_typed(fetched: &FetchedBatch) -> bool {
    page(fetched).is_some_and(|page| page.deserializers.is_some())
}

/// A record as it came from a broker.
#[pyclass(name = "Record", module = "kafkars", frozen, subclass)]
pub(crate) struct PyRecord {
    fetched: Arc<FetchedBatch>,
    view: RecordView,
}

impl Uncollected for PyRecord {
    /// The batch keeps objects that its records share.
    fn may_release_objects(&self) -> bool {
        Arc::strong_count(&self.fetched) == 1
    }
}

impl PyRecord {
    /// The record's partition and offset, and the leader epoch of its batch or -1.
    pub(crate) fn position(&self) -> (TopicPartition, i64, i32) {
        let partition = TopicPartition {
            topic: Arc::clone(&self.fetched.topic),
            partition: self.fetched.partition,
        };
        let epoch = self.fetched.batch.header.partition_leader_epoch;
        (partition, self.view.offset, epoch)
    }
}

#[pymethods]
impl PyRecord {
    /// Name of the topic.
    #[getter]
    fn topic<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        topic(py, &self.fetched)
    }

    /// Number of the partition.
    #[getter]
    fn partition(&self) -> i32 {
        self.fetched.partition
    }

    /// Position in the partition.
    #[getter]
    fn offset(&self) -> i64 {
        self.view.offset
    }

    /// Milliseconds since 1970; -1 for records that have no time (written in Kafka's oldest format).
    #[getter]
    fn timestamp(&self) -> i64 {
        self.view.timestamp
    }

    /// Who set the timestamp.
    #[getter]
    fn timestamp_type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        types::timestamp_type(py, self.fetched.batch.header.attributes.timestamp_type())
    }

    /// The key as bytes, or None where the record has none.
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        bytes(py, &self.fetched, self.view.key)
    }

    /// The value as bytes, or None for a tombstone.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        bytes(py, &self.fetched, self.view.value)
    }

    /// The key as it was stored, whatever deserializer is configured.
    #[getter]
    fn raw_key<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        bytes(py, &self.fetched, self.view.key)
    }

    /// The value as it was stored, whatever deserializer is configured.
    #[getter]
    fn raw_value<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        bytes(py, &self.fetched, self.view.value)
    }

    /// The headers in their order, as pairs of name and value.
    #[getter]
    fn headers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        headers_of(py, &self.fetched, &self.view)
    }

    /// Epoch of the leader that stored the record, or None where the broker did not say.
    #[getter]
    fn leader_epoch(&self) -> Option<i32> {
        Some(self.fetched.batch.header.partition_leader_epoch).filter(|epoch| *epoch >= 0)
    }

    /// Bytes of the stored key, or -1 where there is none.
    #[getter]
    fn serialized_key_size(&self) -> i64 {
        size(self.view.key)
    }

    /// Bytes of the stored value, or -1 where there is none.
    #[getter]
    fn serialized_value_size(&self) -> i64 {
        size(self.view.value)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let py = slf.py();
        let record = slf.get();
        Ok(format!(
            "Record(topic={}, partition={}, offset={}, timestamp={}, key={}, value={}, headers={})",
            record.topic(py).repr()?,
            record.partition(),
            record.view.offset,
            record.view.timestamp,
            shortened(record.key(py))?,
            shortened(record.value(py))?,
            shortened_headers(&record.headers(py)?)?,
        ))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Self>() else {
            return false;
        };
        let other = other.get();
        let (mine, theirs) = (&self.fetched, &other.fetched);
        let bytes = |record: &Self, span: Option<Span>| {
            span.map(|span| record.fetched.batch.slice(span).to_vec())
        };
        self.view.offset == other.view.offset
            && mine.partition == theirs.partition
            && mine.topic == theirs.topic
            && self.view.timestamp == other.view.timestamp
            && bytes(self, self.view.key) == bytes(other, other.view.key)
            && bytes(self, self.view.value) == bytes(other, other.view.value)
            && self.header_bytes() == other.header_bytes()
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.topic(py), self.partition(), self.view.offset)
            .into_pyobject(py)?
            .hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        record_pickle::reduce(py, self.parts(), None)
    }

    /// `Record[K, V]` in annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        class: &Bound<'py, pyo3::types::PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        types::generic_alias(class.as_any(), item)
    }
}

impl PyRecord {
    fn header_bytes(&self) -> Vec<(&[u8], Option<&[u8]>)> {
        let batch = &self.fetched.batch;
        let headers = batch.headers(&self.view);
        headers
            .map(|header| (header.key, header.value.map(|span| batch.slice(span))))
            .collect()
    }

    /// `function` of the bytes at `span`, with the record's place in the error.
    fn deserialize(
        &self,
        py: Python<'_>,
        what: &str,
        deserializer: Option<&Deserializer>,
        span: Option<Span>,
    ) -> PyResult<Py<PyAny>> {
        let Some(bytes) = bytes(py, &self.fetched, span) else {
            return Ok(py.None());
        };
        let Some(deserializer) = deserializer else {
            return Ok(bytes.into_any().unbind());
        };
        let headers = || headers_of(py, &self.fetched, &self.view);
        let made = deserializer.call(&self.fetched.topic, bytes.clone(), headers);
        made.map_err(|cause| {
            let (partition, offset, _) = self.position();
            error::deserialization(what, &partition, offset, &bytes, cause)
        })
    }

    /// The parts that its pickle has.
    pub(crate) fn parts(&self) -> PickledRecord {
        let batch = &self.fetched.batch;
        let copy = |span: Option<Span>| span.map(|span| batch.slice(span).to_vec());
        let header = &batch.header;
        let headers = batch.headers(&self.view);
        (
            self.fetched.topic.to_string(),
            self.fetched.partition,
            self.view.offset,
            self.view.timestamp,
            header.attributes.timestamp_type() == TimestampType::LogAppendTime,
            header.partition_leader_epoch,
            copy(self.view.key),
            copy(self.view.value),
            headers
                .map(|header| (header.key_text().into_owned(), copy(header.value)))
                .collect(),
        )
    }
}

/// A record of a consumer with deserializers: each runs once, when its field is touched first.
#[pyclass(name = "DeserializedRecord", module = "kafkars._kafkars", extends = PyRecord, frozen)]
pub(crate) struct PyDeserializedRecord {
    key: PyOnceLock<DeserializedPart>,
    value: PyOnceLock<DeserializedPart>,
}

/// The object that a deserializer has made, or, for a record that comes out of a pickle, its error.
pub(crate) enum DeserializedPart {
    Object(Py<PyAny>),
    Failure(Py<PyAny>),
}

impl DeserializedPart {
    fn get<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Object(object) => Ok(object.bind(py).clone()),
            Self::Failure(error) => Err(PyErr::from_value(error.bind(py).clone())),
        }
    }
}

impl Default for PyDeserializedRecord {
    fn default() -> Self {
        Self {
            key: PyOnceLock::new(),
            value: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl PyDeserializedRecord {
    /// The key as the deserializer made it.
    #[getter]
    fn key<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let record = slf.as_super().get();
        let made = slf.get().key.get_or_try_init(py, || {
            let functions = page(&record.fetched).and_then(|page| page.deserializers.as_ref());
            let function = functions.and_then(|functions| functions.key.as_ref());
            let made = record.deserialize(py, "key", function, record.view.key)?;
            PyResult::Ok(DeserializedPart::Object(made))
        })?;
        made.get(py)
    }

    /// The value as the deserializer made it.
    #[getter]
    fn value<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let record = slf.as_super().get();
        let made = slf.get().value.get_or_try_init(py, || {
            let functions = page(&record.fetched).and_then(|page| page.deserializers.as_ref());
            let function = functions.and_then(|functions| functions.value.as_ref());
            let made = record.deserialize(py, "value", function, record.view.value)?;
            PyResult::Ok(DeserializedPart::Object(made))
        })?;
        made.get(py)
    }

    /// Pickles key and value as they were made, because the deserializers need not be there where the pickle is read.
    /// If they could not be made, the error is pickled, and raised there as well.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let parts = [Self::key(slf), Self::value(slf)].map(|made| match made {
            Ok(object) => (true, object),
            Err(error) => (false, error.into_value(py).into_bound(py).into_any()),
        });
        let [key, value] = parts;
        record_pickle::reduce(py, slf.as_super().get().parts(), Some((key, value)))
    }
}

/// The headers of a record in their order, as pairs of name and value.
#[inline]
pub(crate) fn headers_of<'py>(
    py: Python<'py>,
    fetched: &FetchedBatch,
    view: &RecordView,
) -> PyResult<Bound<'py, PyTuple>> {
    if view.header_count == 0 {
        return Ok(PyTuple::empty(py));
    }
    let headers = fetched.batch.headers(view);
    let pairs: Vec<_> = headers
        .map(|header| {
            (
                header.key_text().into_owned(),
                bytes(py, fetched, header.value),
            )
        })
        .collect();
    PyTuple::new(py, pairs)
}

/// The size in bytes of a key or value, or -1 if there is none.
#[inline]
pub(crate) fn size(span: Option<Span>) -> i64 {
    span.map_or(-1, |span| i64::from(span.end) - i64::from(span.start))
}

/// Bytes as they look in Python, cut where a line would stop being readable.
/// Headers as they are written, with long values as those of records.
fn shortened_headers(headers: &Bound<'_, PyTuple>) -> PyResult<String> {
    let mut written = Vec::with_capacity(headers.len());
    for header in headers {
        let (name, value): (Bound<'_, PyString>, Option<Bound<'_, PyBytes>>) = header.extract()?;
        written.push(format!("({}, {})", name.repr()?, shortened(value)?));
    }
    let trailing = if written.len() == 1 { "," } else { "" };
    Ok(format!("({}{trailing})", written.join(", ")))
}

fn shortened(bytes: Option<Bound<'_, PyBytes>>) -> PyResult<String> {
    const SHOWN: usize = 64;
    let Some(bytes) = bytes else {
        return Ok("None".to_owned());
    };
    let all = bytes.as_bytes();
    let Some(start) = all.get(..SHOWN).filter(|_| all.len() > SHOWN) else {
        return Ok(bytes.repr()?.to_string());
    };
    Ok(format!(
        "{}... ({} bytes)",
        PyBytes::new(bytes.py(), start).repr()?,
        all.len()
    ))
}
