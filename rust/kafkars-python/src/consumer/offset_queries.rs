//! Calls that ask the cluster for offsets or metadata. Each is a Rust future and a conversion of its output; the two
//! flavours choose how to wait.

use std::future::Future;
use std::sync::Arc;

use kafkars_client::config::TopicPartition;
use kafkars_client::{ClientError, FetchError, OffsetAndTimestamp, TopicMetadata};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};

use super::assignment::offsets;
use super::core::ConsumerCore;
use crate::argument;
use crate::cluster;
use crate::error;
use crate::types;

type Times = Vec<(TopicPartition, Option<OffsetAndTimestamp>)>;

/// Which end of the partitions to ask for.
#[derive(Clone, Copy)]
pub(crate) enum End {
    Beginning,
    End,
}

/// `position(partition)`.
pub(crate) fn position(
    core: &Arc<ConsumerCore>,
    partition: &Bound<'_, PyAny>,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<i64, FetchError>> + Send + 'static> {
    core.check_open()?;
    let (partition, deadline) = (types::partition_from(partition)?, core.deadline(timeout)?);
    let core = Arc::clone(core);
    Ok(async move { core.consumer.position_or_fetch(&partition, deadline).await })
}

pub(crate) fn position_answer(
    py: Python<'_>,
    answer: Result<i64, FetchError>,
) -> PyResult<Py<PyAny>> {
    let position = answer.map_err(|failure| error::fetch(py, &failure))?;
    Ok(position.into_pyobject(py)?.into_any().unbind())
}

/// `beginning_offsets(partitions)` and `end_offsets(partitions)`.
pub(crate) fn ends(
    core: &Arc<ConsumerCore>,
    end: End,
    partitions: &Bound<'_, PyAny>,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<Vec<(TopicPartition, i64)>, FetchError>> + Send + 'static>
{
    core.check_open()?;
    let (partitions, deadline) = (types::partitions_from(partitions)?, core.deadline(timeout)?);
    let core = Arc::clone(core);
    Ok(async move {
        match end {
            End::Beginning => core.consumer.beginning_offsets(partitions, deadline).await,
            End::End => core.consumer.end_offsets(partitions, deadline).await,
        }
    })
}

pub(crate) fn ends_answer(
    py: Python<'_>,
    answer: Result<Vec<(TopicPartition, i64)>, FetchError>,
) -> PyResult<Py<PyAny>> {
    offsets(py, answer.map_err(|failure| error::fetch(py, &failure))?)
}

/// `offsets_for_times({partition: timestamp})`.
pub(crate) fn times(
    core: &Arc<ConsumerCore>,
    timestamps: &Bound<'_, PyAny>,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<Times, FetchError>> + Send + 'static> {
    core.check_open()?;
    let Ok(mapping) = timestamps.cast::<PyMapping>() else {
        return Err(PyTypeError::new_err(format!(
            "expected a mapping of partitions to timestamps in ms, not {}",
            timestamps.repr()?
        )));
    };
    let mut times = Vec::new();
    for item in mapping.items()? {
        let (partition, timestamp) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
        let timestamp = argument::search::timestamp(&timestamp)?;
        times.push((types::partition_from(&partition)?, timestamp));
    }
    let deadline = core.deadline(timeout)?;
    let core = Arc::clone(core);
    Ok(async move { core.consumer.offsets_for_times(times, deadline).await })
}

pub(crate) fn times_answer(
    py: Python<'_>,
    answer: Result<Times, FetchError>,
) -> PyResult<Py<PyAny>> {
    let dict = PyDict::new(py);
    for (partition, found) in answer.map_err(|failure| error::fetch(py, &failure))? {
        let found = found.map(|found| {
            let epoch = Some(found.leader_epoch).filter(|epoch| *epoch >= 0);
            types::offset_and_timestamp(py, found.offset, found.timestamp, epoch)
        });
        dict.set_item(types::topic_partition(py, &partition)?, found.transpose()?)?;
    }
    Ok(dict.into_any().unbind())
}

/// `partitions_for(topic)`.
pub(crate) fn partitions(
    core: &Arc<ConsumerCore>,
    topic: String,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<Arc<TopicMetadata>, ClientError>> + Send + 'static> {
    core.check_open()?;
    let deadline = core.deadline(timeout)?;
    let core = Arc::clone(core);
    Ok(async move { core.consumer.partitions_for(&topic, deadline).await })
}

pub(crate) fn partitions_answer(
    py: Python<'_>,
    answer: Result<Arc<TopicMetadata>, ClientError>,
) -> PyResult<Py<PyAny>> {
    cluster::partitions(py, &*answer.map_err(|failure| error::client(py, &failure))?)
}

/// `topics()`.
pub(crate) fn topics(
    core: &Arc<ConsumerCore>,
    timeout: Option<f64>,
) -> PyResult<impl Future<Output = Result<Vec<String>, ClientError>> + Send + 'static> {
    core.check_open()?;
    let deadline = core.deadline(timeout)?;
    let core = Arc::clone(core);
    Ok(async move { core.consumer.topics(deadline).await })
}

pub(crate) fn topics_answer(
    py: Python<'_>,
    answer: Result<Vec<String>, ClientError>,
) -> PyResult<Py<PyAny>> {
    let mut topics = answer.map_err(|failure| error::client(py, &failure))?;
    topics.sort_unstable();
    Ok(topics.into_pyobject(py)?.into_any().unbind())
}
