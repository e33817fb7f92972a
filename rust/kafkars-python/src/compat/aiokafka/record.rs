//! `aiokafka.ConsumerRecord`: a fetched record with attributes that may be changed.
//!
//! Like [`crate::record::PyRecord`] it is a reference to its batch and the positions of its parts, and takes no part in
//! garbage collection. Deserialized keys and values, and values that the program assigns, are kept beside it.

use std::sync::{Arc, OnceLock};

use kafkars_client::FetchedBatch;
use kafkars_records::{RecordView, Span, TimestampType};
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::gc::{self, Uncollected};
use crate::record::{self, bytes, headers_of, size};
use crate::types;

/// A record as aiokafka's programs see it.
#[pyclass(
    name = "ConsumerRecord",
    module = "kafkars.compat.aiokafka.structs",
    frozen,
    // FastStream derives from it.
    subclass
)]
pub(crate) struct PyConsumerRecord {
    fetched: Option<(Arc<FetchedBatch>, RecordView)>,
    // Fields that are not as fetched, in the order of `FIELDS`.
    own: OnceLock<Box<Mutex<Own>>>,
}

impl Uncollected for PyConsumerRecord {
    fn may_release_objects(&self) -> bool {
        let is_last = |(batch, _): &(Arc<FetchedBatch>, _)| Arc::strong_count(batch) == 1;
        self.own.get().is_some() || self.fetched.as_ref().is_none_or(is_last)
    }
}

type Own = [Option<Py<PyAny>>; FIELDS.len()];

const FIELDS: [&str; 11] = [
    "topic",
    "partition",
    "offset",
    "timestamp",
    "timestamp_type",
    "key",
    "value",
    "checksum",
    "serialized_key_size",
    "serialized_value_size",
    "headers",
];
const TOPIC: usize = 0;
const PARTITION: usize = 1;
const OFFSET: usize = 2;
const TIMESTAMP: usize = 3;
const TIMESTAMP_TYPE: usize = 4;
const KEY: usize = 5;
const VALUE: usize = 6;
const CHECKSUM: usize = 7;
const KEY_SIZE: usize = 8;
const VALUE_SIZE: usize = 9;
const HEADERS: usize = 10;

impl PyConsumerRecord {
    /// The record at `view` of a batch that was prepared (`record::prepare`).
    #[inline]
    pub(super) fn fetched(
        py: Python<'_>,
        batch: Arc<FetchedBatch>,
        view: RecordView,
    ) -> PyResult<Bound<'_, Self>> {
        gc::new(
            py,
            Self {
                fetched: Some((batch, view)),
                own: OnceLock::new(),
            },
        )
    }

    /// A record with its deserialized key and value, if there were deserializers.
    pub(super) fn deserialized(
        py: Python<'_>,
        batch: Arc<FetchedBatch>,
        view: RecordView,
        key: Option<Py<PyAny>>,
        value: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'_, Self>> {
        let mut own = Own::default();
        (own[KEY], own[VALUE]) = (key, value);
        gc::new(
            py,
            Self {
                fetched: Some((batch, view)),
                own: OnceLock::from(Box::new(Mutex::new(own))),
            },
        )
    }

    /// The fetched record, if nothing of it was deserialized or changed, as is true for most records.
    #[inline]
    fn unchanged(&self) -> Option<(&FetchedBatch, &RecordView)> {
        match (self.own.get(), &self.fetched) {
            (None, Some((batch, view))) => Some((batch, view)),
            _ => None,
        }
    }

    fn field(&self, py: Python<'_>, field: usize) -> PyResult<Py<PyAny>> {
        if let Some(own) = self.own.get()
            && let Some(value) = &own.lock()[field]
        {
            return Ok(value.clone_ref(py));
        }
        let Some((batch, view)) = &self.fetched else {
            return Ok(py.None());
        };
        let part = |span: Option<Span>| bytes(py, batch, span).into_py_any(py);
        match field {
            TOPIC => record::topic(py, batch).into_py_any(py),
            PARTITION => batch.partition.into_py_any(py),
            OFFSET => view.offset.into_py_any(py),
            TIMESTAMP => view.timestamp.into_py_any(py),
            TIMESTAMP_TYPE => match batch.batch.header.attributes.timestamp_type() {
                TimestampType::CreateTime => 0.into_py_any(py),
                TimestampType::LogAppendTime => 1.into_py_any(py),
            },
            KEY => part(view.key),
            VALUE => part(view.value),
            KEY_SIZE => size(view.key).into_py_any(py),
            VALUE_SIZE => size(view.value).into_py_any(py),
            HEADERS => headers_of(py, batch, view)?.into_py_any(py),
            // Batches have one checksum for all of their records.
            _ => Ok(py.None()),
        }
    }

    fn change(&self, field: usize, value: Py<PyAny>) {
        let own = self.own.get_or_init(Box::default);
        let replaced = own.lock()[field].replace(value);
        drop(replaced);
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let fields = (0..FIELDS.len()).map(|field| self.field(py, field));
        PyTuple::new(py, fields.collect::<PyResult<Vec<_>>>()?)
    }
}

#[pymethods]
impl PyConsumerRecord {
    #[new]
    #[pyo3(signature = (
        topic, partition, offset, timestamp, timestamp_type, key, value, checksum, serialized_key_size,
        serialized_value_size, headers
    ))]
    #[expect(clippy::too_many_arguments, reason = "the fields of the record")]
    fn new(
        topic: Py<PyAny>,
        partition: Py<PyAny>,
        offset: Py<PyAny>,
        timestamp: Py<PyAny>,
        timestamp_type: Py<PyAny>,
        key: Py<PyAny>,
        value: Py<PyAny>,
        checksum: Py<PyAny>,
        serialized_key_size: Py<PyAny>,
        serialized_value_size: Py<PyAny>,
        headers: Py<PyAny>,
    ) -> Self {
        let own = [
            topic,
            partition,
            offset,
            timestamp,
            timestamp_type,
            key,
            value,
            checksum,
            serialized_key_size,
            serialized_value_size,
            headers,
        ];
        Self {
            fetched: None,
            own: OnceLock::from(Box::new(Mutex::new(own.map(Some)))),
        }
    }

    /// Name of the topic.
    #[getter]
    fn topic(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, TOPIC)
    }

    #[setter]
    fn set_topic(&self, value: Py<PyAny>) {
        self.change(TOPIC, value);
    }

    /// Number of the partition.
    #[getter]
    fn partition(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, PARTITION)
    }

    #[setter]
    fn set_partition(&self, value: Py<PyAny>) {
        self.change(PARTITION, value);
    }

    /// Position in the partition.
    #[getter]
    fn offset(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, OFFSET)
    }

    #[setter]
    fn set_offset(&self, value: Py<PyAny>) {
        self.change(OFFSET, value);
    }

    /// Milliseconds since 1970.
    #[getter]
    fn timestamp(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, TIMESTAMP)
    }

    #[setter]
    fn set_timestamp(&self, value: Py<PyAny>) {
        self.change(TIMESTAMP, value);
    }

    /// The timestamp type: 0 for CreateTime, 1 for LogAppendTime.
    #[getter]
    fn timestamp_type(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, TIMESTAMP_TYPE)
    }

    #[setter]
    fn set_timestamp_type(&self, value: Py<PyAny>) {
        self.change(TIMESTAMP_TYPE, value);
    }

    /// The key, as the deserializer made it; None where there is none.
    #[getter]
    fn key(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.unchanged() {
            Some((batch, view)) => bytes(py, batch, view.key).into_py_any(py),
            None => self.field(py, KEY),
        }
    }

    #[setter]
    fn set_key(&self, value: Py<PyAny>) {
        self.change(KEY, value);
    }

    /// The value, as the deserializer made it; None for a tombstone.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.unchanged() {
            Some((batch, view)) => bytes(py, batch, view.value).into_py_any(py),
            None => self.field(py, VALUE),
        }
    }

    #[setter]
    fn set_value(&self, value: Py<PyAny>) {
        self.change(VALUE, value);
    }

    /// None: batches have one checksum for all of their records.
    #[getter]
    fn checksum(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, CHECKSUM)
    }

    #[setter]
    fn set_checksum(&self, value: Py<PyAny>) {
        self.change(CHECKSUM, value);
    }

    /// Bytes of the stored key, or -1 where there is none.
    #[getter]
    fn serialized_key_size(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, KEY_SIZE)
    }

    #[setter]
    fn set_serialized_key_size(&self, value: Py<PyAny>) {
        self.change(KEY_SIZE, value);
    }

    /// Bytes of the stored value, or -1 where there is none.
    #[getter]
    fn serialized_value_size(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, VALUE_SIZE)
    }

    #[setter]
    fn set_serialized_value_size(&self, value: Py<PyAny>) {
        self.change(VALUE_SIZE, value);
    }

    /// Pairs of name and value, in their order.
    #[getter]
    fn headers(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.field(py, HEADERS)
    }

    #[setter]
    fn set_headers(&self, value: Py<PyAny>) {
        self.change(HEADERS, value);
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let values = self.fields(py)?;
        let parts = FIELDS
            .iter()
            .zip(values.iter())
            .map(|(name, value)| Ok(format!("{name}={}", value.repr()?)));
        let parts = parts.collect::<PyResult<Vec<_>>>()?;
        Ok(format!("ConsumerRecord({})", parts.join(", ")))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else {
            return Ok(py.NotImplemented());
        };
        let equal = self.fields(py)?.eq(other.get().fields(py)?)?;
        equal.into_py_any(py)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((slf.get_type(), slf.get().fields(slf.py())?))
    }

    /// `ConsumerRecord[K, V]` in annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        types::generic_alias(class.as_any(), item)
    }

    /// A dictionary of the fields as they are now, for `vars()` and what else looks for it. It is made when it is asked
    /// for: the class has no room for one, because it takes no part in garbage collection.
    #[getter]
    fn __dict__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in FIELDS.iter().zip(self.fields(py)?) {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// As a dataclass has it.
    #[classattr]
    fn __match_args__(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
        PyTuple::new(py, FIELDS.map(|name| PyString::new(py, name)))
    }
}
