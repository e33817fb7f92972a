//! The calls of producers that never wait, and so are the same for synchronous and asynchronous Python.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::batch_builder::PyBatchBuilder;
use super::core::ProducerCore;
use crate::brokers;
use crate::client_handle::PyClientHandle;
use crate::error;
use crate::pending_flag::PyPendingFlag;
use crate::types;
use crate::unclosed::UnclosedWarning;

/// What both flavours of a producer have: counters, batches to fill, and whether it is closed.
#[pyclass(name = "BaseProducer", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyBaseProducer {
    pub(crate) core: Arc<ProducerCore>,
    pub(crate) closed: AtomicBool,
    unclosed: UnclosedWarning,
}

impl PyBaseProducer {
    pub(crate) fn new(core: &Arc<ProducerCore>) -> Self {
        Self {
            core: Arc::clone(core),
            closed: AtomicBool::new(false),
            unclosed: UnclosedWarning::default(),
        }
    }
}

#[pymethods]
impl PyBaseProducer {
    /// Records that were taken and not yet reported as stored or failed.
    fn __len__(&self) -> usize {
        self.core.producer.unacknowledged()
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// True if `close()` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// True if a transaction is begun and neither committed nor aborted.
    #[getter]
    fn in_transaction(&self) -> bool {
        !self.core.is_elsewhere() && self.core.producer.in_transaction()
    }

    /// Leaves the open transaction to end by itself, for a block that waits no longer: it is aborted now, or if it is
    /// being committed, when that fails. Returns True if the abort is under way.
    fn _leave_transaction(&self) -> bool {
        !self.core.is_elsewhere() && self.core.producer.leave_transaction()
    }

    /// Gives up records that were not acknowledged; their futures and callbacks get a `PurgedError`. An open
    /// transaction has to be aborted afterwards.
    ///
    /// Args:
    ///     in_queue: Those that wait to be sent.
    ///     in_flight: Those that were sent and are not answered yet, which may be stored nevertheless.
    ///
    /// Returns:
    ///     How many there were; 0 of a producer that is closed.
    #[pyo3(signature = (*, in_queue=true, in_flight=true))]
    fn purge(&self, in_queue: bool, in_flight: bool) -> PyResult<usize> {
        self.core.check()?;
        Ok(self.core.producer.purge(in_queue, in_flight))
    }

    /// A batch to fill by hand and to send with `send_batch()`.
    ///
    /// Returns:
    ///     A `BatchBuilder` that takes up to `batch_size` bytes before compression.
    ///
    /// Raises:
    ///     ClosedError: The producer is closed.
    fn create_batch(&self) -> PyResult<PyBatchBuilder> {
        self.core.check()?;
        if self.closed() {
            return Err(error::closed("producer"));
        }
        Ok(self.core.new_batch())
    }

    /// Counters since the producer was made: `records_sent`, `records_failed`, `batches_sent`, `bytes_sent`,
    /// `bytes_uncompressed`, `buffer_used`, and `client` with those of its connections.
    ///
    /// Returns:
    ///     A dict of numbers; nothing is asked of the cluster.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.core.check()?;
        self.core.metrics(py)
    }

    /// Topic, number, and records and bytes acknowledged, of each partition of the topics used so far.
    fn _stored_by_partition(&self) -> PyResult<Vec<(String, i32, u64, u64)>> {
        self.core.check()?;
        let stored = self.core.producer.stored_by_partition().into_iter();
        let named = stored.map(|(topic, partition, records, bytes)| {
            (topic.to_string(), partition, records, bytes)
        });
        Ok(named.collect())
    }

    /// Every broker, or every bootstrap address before the cluster is known: its node id or None, its address, why it
    /// cannot be connected to or None, the number of that failure or None, and its counters.
    fn _brokers<'py>(&self, py: Python<'py>) -> PyResult<Vec<brokers::BrokerStatusFields<'py>>> {
        self.core.check()?;
        brokers::statuses(py, self.core.producer.client())
    }

    /// The leaders of a topic's partitions that are known: partition, node id, leader epoch.
    fn _leaders(&self, topic: &str) -> Vec<(i32, i32, i32)> {
        brokers::leaders(self.core.producer.client(), topic)
    }

    /// What log lines call the client: their field `client`.
    fn _client_name(&self) -> String {
        self.core.producer.client().name().to_string()
    }

    /// What tells of the cluster's metadata.
    fn _handle(&self) -> PyResult<PyClientHandle> {
        self.core.check()?;
        Ok(PyClientHandle::of(self.core.producer.client()))
    }

    /// The state of transactions, by the Java client's names.
    fn _transaction_state(&self) -> PyResult<&'static str> {
        self.core.check()?;
        Ok(self.core.producer.transaction_state())
    }

    /// The error of a transaction that must be aborted, or of a producer that cannot go on; None if there is none.
    fn _transaction_failure(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.core.check()?;
        let failure = self.core.transaction_failure();
        Ok(failure.map(|failure| error::produce(py, &failure).into_value(py).into_any()))
    }

    /// Sets the flag whenever `_brokers()` has changed. Begins to look for the cluster.
    fn _watch_brokers(&self, flag: &PyPendingFlag) -> PyResult<()> {
        self.core.check()?;
        brokers::watch(self.core.producer.client(), flag.handle())
    }

    /// Warns if the producer was not closed, because what it has not sent is lost; `__del__` calls it.
    fn _warn_if_unclosed(slf: &Bound<'_, Self>) -> PyResult<()> {
        let producer = slf.get();
        let core = &producer.core;
        if producer.closed() || core.is_elsewhere() {
            return Ok(());
        }
        let message = match core.producer.unacknowledged() {
            0 => "a producer was not closed".to_owned(),
            left => {
                let topics = match core.producer.unfinished_topics() {
                    topics if topics.is_empty() => topics,
                    topics => format!(" ({topics})"),
                };
                format!(
                    "a producer with {left} unacknowledged records was not closed{topics}: they are given up \
                     unless something waits for them"
                )
            }
        };
        let name = core.producer.client().name();
        producer.unclosed.tell(slf.as_any(), name, &message)
    }

    /// Turns the warning about unclosed producers off, for faces.
    fn _never_warn(&self) {
        self.unclosed.turn_off();
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let class = slf.get_type().name()?.to_string();
        let producer = slf.get();
        Ok(match producer.closed() {
            true => format!("<{class} closed>"),
            false => format!(
                "<{class} with {} records on their way>",
                producer.core.producer.unacknowledged()
            ),
        })
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.core.traverse(&visit)
    }

    /// `Producer[K, V]` in annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        types::generic_alias(class.as_any(), item)
    }
}
