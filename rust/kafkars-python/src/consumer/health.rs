//! Health, memory and lag of a consumer as Python objects.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::core::ConsumerCore;
use crate::types;

impl ConsumerCore {
    /// `kafkars.types.ConsumerHealth`.
    pub(crate) fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check()?;
        let health = self.consumer.health();
        let seconds = |ago: Option<Duration>| ago.map(|ago| ago.as_secs_f64());
        let troubles = health.troubles.iter().map(|trouble| {
            types::partition_trouble(
                py,
                (
                    &*trouble.partition.topic,
                    trouble.partition.partition,
                    trouble.since.as_secs_f64(),
                    trouble.failures,
                    trouble.operation,
                    &*trouble.cause,
                ),
            )
        });
        let troubles = troubles.collect::<PyResult<Vec<_>>>()?;
        types::consumer_health(
            py,
            (
                health.connected,
                health.assigned,
                health.state,
                seconds(health.last_poll),
                seconds(health.last_heartbeat),
                seconds(health.last_commit),
                seconds(health.stuck_since),
                PyTuple::new(py, troubles)?,
                PyTuple::new(py, health.unknown_topics.iter().map(|topic| &**topic))?,
            ),
        )
    }

    /// `kafkars.types.MemoryUsage`.
    pub(crate) fn memory_usage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.check()?;
        types::memory_usage(py, self.consumer.memory_usage())
    }

    /// `{partition: lag}`.
    pub(crate) fn lags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.check_open()?;
        let dict = PyDict::new(py);
        for (partition, lag) in self.consumer.lags() {
            dict.set_item(types::topic_partition(py, &partition)?, lag)?;
        }
        Ok(dict)
    }
}
