//! The calls of consumers that never wait, and so are the same for synchronous and asynchronous Python.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyType};

use super::core::ConsumerCore;
use super::group::Listeners;
use crate::argument;
use crate::brokers;
use crate::pending_flag::PyPendingFlag;
use crate::types;

/// Assignment, positions and counters.
#[pyclass(name = "BaseConsumer", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyBaseConsumer {
    pub(crate) core: Arc<ConsumerCore>,
}

#[pymethods]
impl PyBaseConsumer {
    /// Reads these partitions from now on, instead of those assigned before.
    fn assign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.core.assign(partitions)
    }

    /// Reads nothing from now on.
    fn unassign(&self, py: Python<'_>) -> PyResult<()> {
        self.core.unassign(py)
    }

    /// Reads these partitions too.
    fn incremental_assign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.core.incremental_assign(partitions)
    }

    /// Reads these partitions no longer.
    fn incremental_unassign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.core.incremental_unassign(partitions)
    }

    /// Reads topics as a member of the group.
    #[pyo3(signature = (
        topics=None, *, pattern=None, on_partitions_assigned=None, on_partitions_revoked=None, on_partitions_lost=None
    ))]
    fn subscribe(
        &self,
        py: Python<'_>,
        topics: Option<&Bound<'_, PyAny>>,
        pattern: Option<&Bound<'_, PyAny>>,
        on_partitions_assigned: Option<Py<PyAny>>,
        on_partitions_revoked: Option<Py<PyAny>>,
        on_partitions_lost: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let listeners = Listeners {
            assigned: on_partitions_assigned,
            revoked: on_partitions_revoked,
            lost: on_partitions_lost,
        };
        self.core.subscribe(py, topics, pattern, listeners)
    }

    /// The subscribed topics.
    fn subscription<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.core.subscription(py)
    }

    /// Makes the group rebalance (KIP-568).
    #[pyo3(signature = (reason=None))]
    fn enforce_rebalance(&self, py: Python<'_>, reason: Option<String>) -> PyResult<()> {
        let reason = reason.unwrap_or_else(|| "the application asked for it".to_owned());
        self.core.enforce_rebalance(py, reason)
    }

    /// Who this consumer is in its group, for transactions.
    fn group_metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.group_metadata(py)
    }

    /// Commits without waiting; `callback(offsets, error)` runs in a later poll.
    #[pyo3(signature = (offsets=None, callback=None))]
    fn commit_async(
        &self,
        py: Python<'_>,
        offsets: Option<&Bound<'_, PyAny>>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.core.commit_later(py, offsets, callback)
    }

    /// How the consumer is.
    fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.health(py)
    }

    /// What fetched data holds in memory.
    fn memory_usage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.memory_usage(py)
    }

    /// `lag()` of every assigned partition.
    fn lags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.core.lags(py)
    }

    /// The assigned partitions.
    fn assignment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.core.assignment(py)
    }

    /// Goes on at `offset` of a partition.
    #[pyo3(signature = (partition, offset, *, leader_epoch=None))]
    fn seek(
        &self,
        partition: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::offset)] offset: i64,
        #[pyo3(from_py_with = argument::leader_epoch)] leader_epoch: Option<i32>,
    ) -> PyResult<()> {
        self.core.seek(partition, offset, leader_epoch)
    }

    /// Goes on at the oldest records; with None in every assigned partition.
    #[pyo3(signature = (partitions=None))]
    fn seek_to_beginning(
        &self,
        py: Python<'_>,
        partitions: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| {
            core.consumer.seek_to_beginning(partitions)
        })
    }

    /// Goes on after the newest records; with None in every assigned partition.
    #[pyo3(signature = (partitions=None))]
    fn seek_to_end(&self, py: Python<'_>, partitions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| {
            core.consumer.seek_to_end(partitions)
        })
    }

    /// Goes on at the first record that is not older than `timestamp` (ms since 1970), or at the end.
    #[pyo3(signature = (timestamp, partitions=None))]
    fn seek_to_timestamp(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::search::timestamp)] timestamp: i64,
        partitions: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| {
            core.consumer.seek_to_timestamp(partitions, timestamp)
        })
    }

    /// Hands out no records of these partitions until `resume()`; with None of every assigned partition.
    #[pyo3(signature = (partitions=None))]
    fn pause(&self, py: Python<'_>, partitions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| core.consumer.pause(partitions))
    }

    /// Ends a pause; with None in every assigned partition.
    #[pyo3(signature = (partitions=None))]
    fn resume(&self, py: Python<'_>, partitions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| {
            core.consumer.resume(partitions)
        })
    }

    /// The paused partitions.
    fn paused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.core.paused(py)
    }

    /// The range of offsets as the last fetch told it, or None before the first.
    fn watermarks<'py>(
        &self,
        partition: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.core.watermarks(partition)
    }

    /// Records between the position and the end as the last fetch told it, or None before the first.
    fn lag(&self, partition: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        self.core.lag(partition)
    }

    /// Every broker, or every bootstrap address before the cluster is known: its number or None, its address, why it
    /// cannot be connected to or None, and its counters.
    fn _brokers<'py>(&self, py: Python<'py>) -> PyResult<Vec<brokers::Status<'py>>> {
        self.core.check()?;
        brokers::statuses(py, self.core.consumer.client())
    }

    /// The leaders of a topic's partitions that are known: partition, broker, leader epoch.
    fn _leaders(&self, topic: &str) -> Vec<(i32, i32, i32)> {
        brokers::leaders(self.core.consumer.client(), topic)
    }

    /// Sets the flag whenever `_brokers()` has changed. Begins to look for the cluster.
    fn _watch_brokers(&self, flag: &PyPendingFlag) -> PyResult<()> {
        self.core.check()?;
        brokers::watch(self.core.consumer.client(), flag.handle())
    }

    /// Whether `close()` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.core.consumer.is_closed()
    }

    /// Counters since the consumer was made.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.core.check()?;
        self.core.metrics(py)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let core = &slf.get().core;
        let class = slf.get_type().name()?;
        if core.consumer.is_closed() {
            return Ok(format!("<{class} closed>"));
        }
        let partitions = core.consumer.assignment();
        let names: Vec<_> = partitions.iter().take(4).map(ToString::to_string).collect();
        let more = if partitions.len() > names.len() {
            ", ..."
        } else {
            ""
        };
        Ok(format!(
            "<{class} of {} partitions: {}{more}>",
            partitions.len(),
            names.join(", ")
        ))
    }

    /// `Consumer[K, V]` in annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        types::generic_alias(class.as_any(), item)
    }
}
