//! `structs.RecordMetadata`: what a delivery results in.

use kafkars_client::{ProduceError, RecordMetadata};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::errors;
use crate::compat::partition_tuple::PartitionTuples;
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
    static CLASSES: PyOnceLock<(TupleClass, PartitionTuples)> = PyOnceLock::new();
    let (class, partitions) = CLASSES.get_or_try_init(py, || -> PyResult<_> {
        let class = TupleClass::new(AIOKAFKA_RECORD_METADATA.get(py)?.cast()?)?;
        let partitions = PartitionTuples::new(TOPIC_PARTITION.get(py)?.cast()?)?;
        Ok((class, partitions))
    })?;
    let (topic, partition) = partitions.of(py, metadata)?;
    let fields = [
        topic.into_any(),
        metadata.partition.into_bound_py_any(py)?,
        partition,
        metadata.offset.into_bound_py_any(py)?,
        metadata.timestamp.into_bound_py_any(py)?,
        i32::from(metadata.log_append_time).into_bound_py_any(py)?,
        py.None().into_bound(py),
    ];
    class.make_untracked(py, fields).map(Bound::unbind)
}
