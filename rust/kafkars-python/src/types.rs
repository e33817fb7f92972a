//! Values that cross in both directions: partitions, timestamp types, durations.

use std::sync::Arc;
use std::time::Duration;

use kafkars_client::config::TopicPartition;
use kafkars_records::TimestampType;
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::argument;
use crate::error;
use crate::imports::{
    CONSUMER_GROUP_METADATA, CONSUMER_HEALTH, FLUSH_RESULT, GENERIC_ALIAS, GROUP_MEMBER,
    MEMORY_USAGE, OFFSET_AND_METADATA, OFFSET_AND_TIMESTAMP, PARTITION_TROUBLE, TIMESTAMP_TYPE,
    TOPIC_PARTITION, WATERMARKS,
};

/// `kafkars.FlushResult`.
pub(crate) fn flush_result<'py>(
    py: Python<'py>,
    left: usize,
    failed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    FLUSH_RESULT.get(py)?.call1((left, failed))
}

/// A `NamedTuple` of these fields, which must be all. Not by its constructor: that is Python code, in which a signal
/// raises, and what was to be told of then is lost.
fn named_tuple<'py>(
    class: &Bound<'py, PyAny>,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let fields = fields.into_pyobject(py)?;
    let new = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
    new.call1((class, fields))
}

/// `kafkars.TopicPartition`.
pub(crate) fn topic_partition<'py>(
    py: Python<'py>,
    of: &TopicPartition,
) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(TOPIC_PARTITION.get(py)?, (&*of.topic, of.partition))
}

/// `kafkars.OffsetAndTimestamp`.
pub(crate) fn offset_and_timestamp<'py>(
    py: Python<'py>,
    offset: i64,
    timestamp: i64,
    leader_epoch: Option<i32>,
) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(
        OFFSET_AND_TIMESTAMP.get(py)?,
        (offset, timestamp, leader_epoch),
    )
}

/// `kafkars.Watermarks`.
pub(crate) fn watermarks<'py>(py: Python<'py>, low: i64, high: i64) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(WATERMARKS.get(py)?, (low, high))
}

/// `kafkars.OffsetAndMetadata`.
pub(crate) fn offset_and_metadata<'py>(
    py: Python<'py>,
    offset: i64,
    metadata: &str,
    leader_epoch: Option<i32>,
) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(
        OFFSET_AND_METADATA.get(py)?,
        (offset, metadata, leader_epoch),
    )
}

/// `kafkars.ConsumerHealth`.
pub(crate) fn consumer_health<'py>(
    py: Python<'py>,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    CONSUMER_HEALTH.get(py)?.call1(fields)
}

/// `kafkars.PartitionTrouble`.
pub(crate) fn partition_trouble<'py>(
    py: Python<'py>,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    PARTITION_TROUBLE.get(py)?.call1(fields)
}

/// `kafkars.MemoryUsage`.
pub(crate) fn memory_usage<'py>(
    py: Python<'py>,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    MEMORY_USAGE.get(py)?.call1(fields)
}

/// `kafkars.types.ConsumerGroupMetadata`.
pub(crate) fn group_metadata<'py>(
    py: Python<'py>,
    group: &str,
    generation: i32,
    member: &str,
    instance: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    named_tuple(
        CONSUMER_GROUP_METADATA.get(py)?,
        (group, generation, member, instance),
    )
}

/// `kafkars.assignor.GroupMember`.
pub(crate) fn group_member<'py>(
    py: Python<'py>,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    GROUP_MEMBER.get(py)?.call1(fields)
}

/// A member of `kafkars.TimestampType`.
pub(crate) fn timestamp_type<'py>(
    py: Python<'py>,
    of: TimestampType,
) -> PyResult<Bound<'py, PyAny>> {
    static CREATE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static APPEND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let (cell, name) = match of {
        TimestampType::CreateTime => (&CREATE, "CREATE_TIME"),
        TimestampType::LogAppendTime => (&APPEND, "LOG_APPEND_TIME"),
    };
    let member = cell.get_or_try_init(py, || {
        TIMESTAMP_TYPE.get(py)?.getattr(name).map(Bound::unbind)
    })?;
    Ok(member.bind(py).clone())
}

/// `class[item]` for annotations.
pub(crate) fn generic_alias<'py>(
    class: &Bound<'py, PyAny>,
    item: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    GENERIC_ALIAS.get(class.py())?.call1((class, item))
}

/// One `(topic, partition)`, as a `TopicPartition` or any tuple of two.
pub(crate) fn partition_from(value: &Bound<'_, PyAny>) -> PyResult<TopicPartition> {
    let pair = value
        .cast::<PyTuple>()
        .ok()
        .and_then(|tuple| tuple.extract::<(String, i32)>().ok());
    let Some((topic, partition)) = pair else {
        if let Ok((_, number)) = value.extract::<(String, Bound<'_, PyAny>)>()
            && let Some(number) = argument::whole(&number, "partition")?
        {
            return Err(error::argument(format!(
                "partition: {number} is out of range"
            )));
        }
        return Err(PyTypeError::new_err(format!(
            "expected a TopicPartition or a (topic, partition) tuple, not {}",
            value.repr()?
        )));
    };
    Ok(TopicPartition {
        topic: Arc::from(topic),
        partition,
    })
}

/// Several partitions, or one.
pub(crate) fn partitions_from(value: &Bound<'_, PyAny>) -> PyResult<Vec<TopicPartition>> {
    if is_one_partition(value) {
        return Ok(vec![partition_from(value)?]);
    }
    let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    let members = value.try_iter();
    if is_text || members.is_err() {
        return Err(PyTypeError::new_err(format!(
            "partitions: expected a TopicPartition, or several, as [TopicPartition(\"orders\", 0)], not {}",
            value.repr()?
        )));
    }
    members?.map(|each| partition_from(&each?)).collect()
}

/// True if `value` is one partition rather than a tuple of several.
pub(crate) fn is_one_partition(value: &Bound<'_, PyAny>) -> bool {
    value
        .cast::<PyTuple>()
        .is_ok_and(|tuple| tuple.extract::<(String, i32)>().is_ok())
}

/// Fails for an invalid time limit, even if nothing will be waited for.
#[inline]
pub(crate) fn check_timeout(seconds: Option<f64>) -> PyResult<()> {
    match seconds {
        Some(seconds) if seconds.is_nan() || seconds < 0.0 => Err(PyValueError::new_err(format!(
            "timeout is in seconds and not negative, or None for no limit but that of the settings; not {seconds}"
        ))),
        _ => Ok(()),
    }
}

/// Fails for limits that are none, of calls that are made in Python.
///
/// Args:
///     timeout: Seconds, or None.
///     max_records: How many records at most, or None.
///
/// Raises:
///     ValueError: `timeout` is negative or NaN, or `max_records` below 1.
#[pyfunction]
#[pyo3(signature = (timeout, max_records=None))]
pub(crate) fn check_limits(
    #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    #[pyo3(from_py_with = argument::max_records)] max_records: Option<usize>,
) -> PyResult<()> {
    if max_records == Some(0) {
        return Err(error::argument("max_records must be at least 1, not 0"));
    }
    check_timeout(timeout)
}

/// A time limit in seconds; `None` waits without limit.
pub(crate) fn timeout(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    check_timeout(seconds)?;
    let Some(seconds) = seconds else {
        return Ok(None);
    };
    // A year is as good as no limit, and sums of times stay in range.
    Ok(Some(Duration::from_secs_f64(seconds.min(LONGEST_SECONDS))))
}

const LONGEST_SECONDS: f64 = 86_400.0 * 365.0;
