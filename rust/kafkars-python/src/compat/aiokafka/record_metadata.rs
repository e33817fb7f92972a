//! `structs.RecordMetadata`: what a delivery results in.

use std::sync::Arc;

use kafkars_client::{ProduceError, RecordMetadata};
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

use super::errors;
use crate::compat::tuple::TupleClass;
use crate::error;
use crate::imports::{AIOKAFKA_RECORD_METADATA, TOPIC_PARTITION};

/// A delivery as aiokafka reports it.
pub(super) fn reported(
    py: Python<'_>,
    outcome: Result<RecordMetadata, ProduceError>,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Ok(metadata) => record_metadata(py, &metadata),
        Err(failure) => Err(errors::raised(py, error::produce(py, &failure))),
    }
}

/// The result of a record that is not acknowledged (`acks=0`).
pub(super) fn unreported(
    py: Python<'_>,
    outcome: Result<RecordMetadata, ProduceError>,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Ok(_) => Ok(py.None()),
        failed => reported(py, failed),
    }
}

/// Made as a plain tuple, because its own constructor is Python code.
fn record_metadata(py: Python<'_>, metadata: &RecordMetadata) -> PyResult<Py<PyAny>> {
    static CLASS: PyOnceLock<TupleClass> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        TupleClass::new(AIOKAFKA_RECORD_METADATA.get(py)?.cast()?)
    })?;
    let [topic, number, partition] = partition_objects(py, metadata)?;
    let fields = [
        topic,
        number,
        partition,
        metadata.offset.into_bound_py_any(py)?,
        metadata.timestamp.into_bound_py_any(py)?,
        i32::from(metadata.log_append_time).into_bound_py_any(py)?,
        py.None().into_bound(py),
    ];
    class.make_untracked(py, fields).map(Bound::unbind)
}

/// A partition, with its topic, its number and both in one as Python objects.
struct KnownPartition {
    topic: Arc<str>,
    partition: i32,
    objects: [Py<PyAny>; 3],
}

/// Topic, number and both in one, of the partition where a record was stored. Those of the record before, mostly.
#[inline]
fn partition_objects<'py>(
    py: Python<'py>,
    metadata: &RecordMetadata,
) -> PyResult<[Bound<'py, PyAny>; 3]> {
    // Never held while the interpreter runs.
    static LAST: Mutex<Option<KnownPartition>> = Mutex::new(None);
    if let Some(last) = &*LAST.lock()
        && last.partition == metadata.partition
        && Arc::ptr_eq(&last.topic, &metadata.topic)
    {
        return Ok(last
            .objects
            .each_ref()
            .map(|object| object.bind(py).clone()));
    }
    let objects = new_objects(py, metadata)?;
    let new = KnownPartition {
        topic: Arc::clone(&metadata.topic),
        partition: metadata.partition,
        objects: objects.each_ref().map(|object| object.clone().unbind()),
    };
    let former = LAST.lock().replace(new);
    drop(former);
    Ok(objects)
}

fn new_objects<'py>(
    py: Python<'py>,
    metadata: &RecordMetadata,
) -> PyResult<[Bound<'py, PyAny>; 3]> {
    static CLASS: PyOnceLock<TupleClass> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || TupleClass::new(TOPIC_PARTITION.get(py)?.cast()?))?;
    let topic = PyString::intern(py, &metadata.topic).into_any();
    let number = metadata.partition.into_bound_py_any(py)?;
    let partition = class.make_untracked(py, [topic.clone(), number.clone()])?;
    Ok([topic, number, partition])
}
