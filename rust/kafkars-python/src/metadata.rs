//! The metadata of a record that was stored, as Python sees it.

use kafkars_client::{ProduceError, RecordMetadata};
use kafkars_records::TimestampType;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error;
use crate::gc::untracked;
use crate::imports::RESTORE_METADATA;
use crate::types;

/// What the cluster says of a record it has stored.
#[pyclass(name = "RecordMetadata", module = "kafkars", frozen, eq)]
#[derive(PartialEq)]
pub(crate) struct PyRecordMetadata(RecordMetadata);

/// A function that makes the Python result of a record's outcome.
pub(crate) type ReportFunction =
    fn(Python<'_>, Result<RecordMetadata, ProduceError>) -> PyResult<Py<PyAny>>;

/// The Python result of a delivery: a `RecordMetadata`, or an exception.
#[inline]
pub(crate) fn outcome(
    py: Python<'_>,
    outcome: Result<RecordMetadata, ProduceError>,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Ok(metadata) => Ok(untracked(Bound::new(py, PyRecordMetadata(metadata))?)
            .into_any()
            .unbind()),
        Err(failure) => Err(error::produce(py, &failure)),
    }
}

/// Topic, partition, offset, timestamp, whether the broker has set it, and the sizes of key and value.
pub(crate) type PickledMetadata = (String, i32, i64, i64, bool, i32, i32);

impl PyRecordMetadata {
    /// Of the parts that its pickle has.
    pub(crate) fn of(parts: PickledMetadata) -> Self {
        let (
            topic,
            partition,
            offset,
            timestamp,
            log_append_time,
            serialized_key_size,
            serialized_value_size,
        ) = parts;
        Self(RecordMetadata {
            topic: topic.into(),
            partition,
            offset,
            timestamp,
            log_append_time,
            serialized_key_size,
            serialized_value_size,
        })
    }
}

#[pymethods]
impl PyRecordMetadata {
    /// Name of the topic.
    #[getter]
    fn topic(&self) -> &str {
        &self.0.topic
    }

    /// Number of the partition that was chosen.
    #[getter]
    fn partition(&self) -> i32 {
        self.0.partition
    }

    /// The record's offset; -1 with `acks=0`, where the broker does not respond.
    #[getter]
    fn offset(&self) -> i64 {
        self.0.offset
    }

    /// Milliseconds since 1970: the record's own time, or the broker's where `timestamp_type` says so.
    #[getter]
    fn timestamp(&self) -> i64 {
        self.0.timestamp
    }

    /// Who set the timestamp.
    #[getter]
    fn timestamp_type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let of = match self.0.log_append_time {
            true => TimestampType::LogAppendTime,
            false => TimestampType::CreateTime,
        };
        types::timestamp_type(py, of)
    }

    /// Bytes of the key, or -1 where the record has none.
    #[getter]
    fn serialized_key_size(&self) -> i32 {
        self.0.serialized_key_size
    }

    /// Bytes of the value, or -1 for a tombstone.
    #[getter]
    fn serialized_value_size(&self) -> i32 {
        self.0.serialized_value_size
    }

    fn __repr__(&self) -> String {
        let RecordMetadata {
            topic,
            partition,
            offset,
            timestamp,
            ..
        } = &self.0;
        format!(
            "RecordMetadata(topic={topic:?}, partition={partition}, offset={offset}, timestamp={timestamp})"
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let restore = RESTORE_METADATA.get(py)?;
        let metadata = &self.0;
        let parts: PickledMetadata = (
            metadata.topic.to_string(),
            metadata.partition,
            metadata.offset,
            metadata.timestamp,
            metadata.log_append_time,
            metadata.serialized_key_size,
            metadata.serialized_value_size,
        );
        (restore, (parts,)).into_pyobject(py)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        (&self.0.topic, self.0.partition, self.0.offset).hash(&mut hasher);
        hasher.finish()
    }
}
