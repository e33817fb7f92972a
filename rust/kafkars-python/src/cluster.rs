//! Metadata of topics as Python sees it.

use kafkars_client::TopicMetadata;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::imports::PARTITION_INFO;

/// A list of `kafkars.PartitionInfo`.
pub(crate) fn partitions(py: Python<'_>, topic: &TopicMetadata) -> PyResult<Py<PyAny>> {
    let class = PARTITION_INFO.get(py)?;
    let list = PyList::empty(py);
    for partition in &topic.partitions {
        list.append(class.call1((
            &topic.name,
            partition.partition,
            partition.leader,
            Some(partition.leader_epoch).filter(|epoch| *epoch >= 0),
            PyTuple::new(py, partition.replicas.iter())?,
            PyTuple::new(py, partition.isr.iter())?,
            PyTuple::new(py, partition.offline.iter())?,
        ))?)?;
    }
    Ok(list.into_any().unbind())
}
