//! `kafka.consumer.fetcher.ConsumerRecord` of a fetched record.

use kafkars_client::FetchedBatch;
use kafkars_records::{RecordView, Span, TimestampType};
use pyo3::IntoPyObjectExt;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyType};

use super::serde::Serde;
use crate::compat::tuple::TupleClass;
use crate::gc;
use crate::record::{self, bytes, size};

/// Makes records of the face's class.
pub(super) struct RecordMaker {
    class: TupleClass,
    key: Option<Serde>,
    value: Option<Serde>,
}

/// A timestamp as a Python object, which successive records with the same timestamp share.
#[derive(Default)]
pub(super) struct SharedTimestamp<'py>(Option<(i64, Bound<'py, PyAny>)>);

impl<'py> SharedTimestamp<'py> {
    #[inline]
    fn of(&mut self, py: Python<'py>, timestamp: i64) -> PyResult<Bound<'py, PyAny>> {
        if let Some((last, object)) = &self.0
            && *last == timestamp
        {
            return Ok(object.clone());
        }
        let object = timestamp.into_bound_py_any(py)?;
        self.0 = Some((timestamp, object.clone()));
        Ok(object)
    }
}

impl RecordMaker {
    /// Shows the deserializers to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let mut serdes = self.key.iter().chain(&self.value);
        serdes.try_for_each(|serde| serde.traverse(visit))
    }

    /// `class` has the fields in the order of kafka-python 2.3 and 3.
    pub(super) fn new(
        class: &Bound<'_, PyType>,
        key: Option<Serde>,
        value: Option<Serde>,
    ) -> PyResult<Self> {
        let class = TupleClass::new(class)?;
        Ok(Self { class, key, value })
    }

    /// The record at `view` of a batch that was prepared (`record::prepare`). Fails as its deserializers do.
    #[inline]
    pub(super) fn make<'py>(
        &self,
        py: Python<'py>,
        batch: &FetchedBatch,
        view: &RecordView,
        timestamp: &mut SharedTimestamp<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let header = &batch.batch.header;
        let epoch = Some(header.partition_leader_epoch).filter(|epoch| *epoch >= 0);
        let timestamp_type = match header.attributes.timestamp_type() {
            TimestampType::CreateTime => 0,
            TimestampType::LogAppendTime => 1,
        };
        let topic = record::topic(py, batch);
        let (headers, headers_size) = headers(py, batch, view)?;
        let data = |span: Option<Span>| bytes(py, batch, span).into_bound_py_any(py);
        let (mut key, mut value) = (data(view.key)?, data(view.value)?);
        if let Some(deserializer) = &self.key {
            key = deserializer.call(&topic, headers.as_any(), &key)?;
        }
        if let Some(deserializer) = &self.value {
            value = deserializer.call(&topic, headers.as_any(), &value)?;
        }
        let fields = [
            topic.into_any(),
            batch.partition.into_bound_py_any(py)?,
            epoch.into_bound_py_any(py)?,
            view.offset.into_bound_py_any(py)?,
            timestamp.of(py, view.timestamp)?,
            timestamp_type.into_bound_py_any(py)?,
            key,
            value,
            headers.into_any(),
            // Batches have one checksum for all of their records.
            py.None().into_bound(py),
            size(view.key).into_bound_py_any(py)?,
            size(view.value).into_bound_py_any(py)?,
            headers_size.into_bound_py_any(py)?,
        ];
        match (&self.key, &self.value) {
            (None, None) => self.class.make_untracked(py, fields),
            // The object that a deserializer makes may refer to anything.
            _ => self.class.make(py, fields),
        }
    }
}

/// The headers of a record as a new list, and their size in bytes, or -1 if there are none. The garbage collector does
/// not track the list, just as records: it would visit the lists of a whole poll each time.
#[inline]
fn headers<'py>(
    py: Python<'py>,
    batch: &FetchedBatch,
    view: &RecordView,
) -> PyResult<(Bound<'py, PyList>, i64)> {
    let list = gc::untracked_list(py);
    if view.header_count == 0 {
        return Ok((list, -1));
    }
    let mut sum = 0;
    for header in batch.batch.headers(view) {
        sum += header.key.len() as i64 + size(header.value).max(0);
        list.append((header.key_text(), bytes(py, batch, header.value)))?;
    }
    Ok((list, sum))
}
