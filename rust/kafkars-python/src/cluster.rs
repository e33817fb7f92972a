//! Metadata of topics as Python sees it.

use kafkars_client::TopicMetadata;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyTuple, PyType};

/// A list of `kafkars.PartitionInfo`.
pub(crate) fn partitions(py: Python<'_>, topic: &TopicMetadata) -> PyResult<Py<PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "kafkars.types", "PartitionInfo")?;
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
