//! The calls of consumers that never wait, and so are the same for synchronous and asynchronous Python.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyType};

use super::commits;
use super::core::ConsumerCore;
use super::listeners::Listeners;
use crate::argument;
use crate::brokers;
use crate::client_handle::PyClientHandle;
use crate::pending_flag::PyPendingFlag;
use crate::types;
use crate::unclosed::UnclosedWarning;

/// Assignment, positions and counters.
#[pyclass(name = "BaseConsumer", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyBaseConsumer {
    pub(crate) core: Arc<ConsumerCore>,
    unclosed: UnclosedWarning,
}

impl PyBaseConsumer {
    pub(crate) fn new(core: &Arc<ConsumerCore>) -> Self {
        Self {
            core: Arc::clone(core),
            unclosed: UnclosedWarning::default(),
        }
    }
}

#[pymethods]
impl PyBaseConsumer {
    /// Reads these partitions from now on, instead of those assigned before.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them. A mapping of partitions to
    ///         offsets says where each begins; the others go on where the group has committed, else by
    ///         `auto_offset_reset`.
    ///
    /// Raises:
    ///     TypeError: What is given names no partition.
    ///     ClientStateError: Topics are subscribed; `unsubscribe()` first.
    ///     ClosedError: The consumer is closed.
    fn assign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.core.assign(partitions)
    }

    /// Reads nothing from now on. What was handed out is committed where commits are automatic.
    ///
    /// Raises:
    ///     ClosedError: The consumer is closed.
    fn unassign(&self, py: Python<'_>) -> PyResult<()> {
        self.core.unassign(py)
    }

    /// Reads these partitions as well.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them.
    ///
    /// Raises:
    ///     TypeError: What is given names no partition.
    ///     ClosedError: The consumer is closed.
    fn incremental_assign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.core.incremental_assign(partitions)
    }

    /// Reads these partitions no longer; the others go on undisturbed.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them.
    ///
    /// Raises:
    ///     TypeError: What is given names no partition.
    ///     ClosedError: The consumer is closed.
    fn incremental_unassign(&self, partitions: &Bound<'_, PyAny>) -> PyResult<()> {
        self.core.incremental_unassign(partitions)
    }

    /// Reads topics as a member of the group; the group assigns their partitions. Calling it again replaces the topics
    /// and listeners.
    ///
    /// Args:
    ///     topics: A name or several.
    ///     pattern: A regular expression (text or `re.Pattern`) instead: every topic whose whole name it fits, also
    ///         those that are made later.
    ///     on_partitions_assigned: Called with a list of partitions that are new, in a poll, before their first record.
    ///     on_partitions_revoked: Called with a list of those that go, while they still belong to this member: the
    ///         moment to commit.
    ///     on_partitions_lost: Called with a list of those that belong to others already; without it the one above is
    ///         called.
    ///
    /// Raises:
    ///     ClientStateError: The consumer has no group, or partitions are assigned by hand.
    ///     InvalidArgumentError: Neither or both of `topics` and `pattern` are given.
    ///     ClosedError: The consumer is closed.
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

    /// Subscribes to topics that a pattern of the face's own has found; there may be none. They are never created.
    #[pyo3(signature = (topics, *, on_partitions_assigned, on_partitions_revoked, on_partitions_lost))]
    fn _subscribe_found(
        &self,
        py: Python<'_>,
        topics: &Bound<'_, PyAny>,
        on_partitions_assigned: Option<Py<PyAny>>,
        on_partitions_revoked: Option<Py<PyAny>>,
        on_partitions_lost: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let listeners = Listeners {
            assigned: on_partitions_assigned,
            revoked: on_partitions_revoked,
            lost: on_partitions_lost,
        };
        self.core.subscribe_found(py, topics, listeners)
    }

    /// The topics that are subscribed; with a pattern, those it fits so far.
    ///
    /// Returns:
    ///     Their names.
    fn subscription<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.core.subscription(py)
    }

    /// Makes the group assign its partitions anew (KIP-568). With the consumer protocol the broker decides when, and
    /// this does nothing.
    ///
    /// Args:
    ///     reason: What the broker's log says about it.
    ///
    /// Raises:
    ///     ClientStateError: The consumer has no group.
    ///     ClosedError: The consumer is closed.
    #[pyo3(signature = (reason=None))]
    fn enforce_rebalance(&self, py: Python<'_>, reason: Option<String>) -> PyResult<()> {
        let reason = reason.unwrap_or_else(|| "the application asked for it".to_owned());
        self.core.enforce_rebalance(py, reason)
    }

    /// Who this consumer is in its group, for `send_offsets_to_transaction()`.
    ///
    /// Returns:
    ///     Its group, generation, member id and instance id.
    ///
    /// Raises:
    ///     ClientStateError: The consumer has no group.
    fn group_metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.group_metadata(py)
    }

    /// Commits positions of the group without waiting. Several commits are sent in order, and `close()` waits for them.
    ///
    /// Args:
    ///     offsets: As `commit()` takes them.
    ///     callback: Called as `callback(offsets, error)` in a later poll; `error` is None where it went well.
    ///
    /// Raises:
    ///     BufferFullError: 100,000 commits wait for the coordinator already.
    ///     ClientStateError: The consumer has no group.
    ///     ClosedError: The consumer is closed.
    #[pyo3(signature = (offsets=None, callback=None))]
    fn commit_async(
        &self,
        py: Python<'_>,
        offsets: Option<&Bound<'_, PyAny>>,
        callback: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        self.core.commit_later(py, offsets, callback)
    }

    /// How the consumer is: what brokers and partitions refuse, since when, and what is being tried.
    ///
    /// Returns:
    ///     A `ConsumerHealth`; nothing is asked of the cluster.
    fn health<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.health(py)
    }

    /// What fetched data holds in memory.
    ///
    /// Returns:
    ///     A `MemoryUsage`, in bytes.
    fn memory_usage<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.core.memory_usage(py)
    }

    /// `lag()` of every assigned partition.
    ///
    /// Returns:
    ///     Records for each partition, or None where nothing was fetched yet.
    fn lags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.core.lags(py)
    }

    /// The partitions that are assigned, by the group or by hand.
    ///
    /// Returns:
    ///     A set of `TopicPartition`.
    fn assignment<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.core.assignment(py)
    }

    /// Goes on at an offset of a partition.
    ///
    /// Args:
    ///     partition: A `TopicPartition`, or a pair of topic and number.
    ///     offset: Of the record that comes next, from 0.
    ///     leader_epoch: That of the record before it, where it is known: a log that was cut since is then noticed
    ///         (KIP-320).
    ///
    /// Raises:
    ///     NotAssignedError: The partition is not assigned.
    ///     InvalidArgumentError: The offset is negative.
    ///     ClosedError: The consumer is closed.
    #[pyo3(signature = (partition, offset, *, leader_epoch=None))]
    fn seek(
        &self,
        partition: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::offset)] offset: i64,
        #[pyo3(from_py_with = argument::leader_epoch)] leader_epoch: Option<i32>,
    ) -> PyResult<()> {
        self.core.seek(partition, offset, leader_epoch)
    }

    /// Goes on at the oldest records. The offsets are asked for in the background.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
    ///         assigned.
    ///
    /// Raises:
    ///     NotAssignedError: A partition is not assigned.
    ///     ClosedError: The consumer is closed.
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

    /// Goes on after the newest records there are when the answer comes.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
    ///         assigned.
    ///
    /// Raises:
    ///     NotAssignedError: A partition is not assigned.
    ///     ClosedError: The consumer is closed.
    #[pyo3(signature = (partitions=None))]
    fn seek_to_end(&self, py: Python<'_>, partitions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| {
            core.consumer.seek_to_end(partitions)
        })
    }

    /// Goes on at the first record that is not older than a time, or at the end.
    ///
    /// Args:
    ///     timestamp: Milliseconds since 1970, or a `datetime` with a time zone. A number that looks like seconds,
    ///         microseconds or nanoseconds is refused.
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
    ///         assigned.
    ///
    /// Raises:
    ///     InvalidArgumentError: The timestamp is in another unit.
    ///     NotAssignedError: A partition is not assigned.
    ///     ClosedError: The consumer is closed.
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

    /// Hands out no records of partitions until `resume()`. A pause ends when a partition is assigned anew.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
    ///         assigned.
    ///
    /// Raises:
    ///     NotAssignedError: A partition is not assigned.
    ///     ClosedError: The consumer is closed.
    #[pyo3(signature = (partitions=None))]
    fn pause(&self, py: Python<'_>, partitions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| core.consumer.pause(partitions))
    }

    /// Ends a pause.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them; None for all that are
    ///         assigned.
    ///
    /// Raises:
    ///     NotAssignedError: A partition is not assigned.
    ///     ClosedError: The consumer is closed.
    #[pyo3(signature = (partitions=None))]
    fn resume(&self, py: Python<'_>, partitions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let core = &self.core;
        core.for_partitions(py, partitions, |partitions| {
            core.consumer.resume(partitions)
        })
    }

    /// The partitions that are paused.
    ///
    /// Returns:
    ///     A set of `TopicPartition`.
    fn paused<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        self.core.paused(py)
    }

    /// The range of offsets of a partition as the last fetch told it.
    ///
    /// Args:
    ///     partition: A `TopicPartition`, or a pair of topic and number.
    ///
    /// Returns:
    ///     `Watermarks`, or None before the first fetch.
    ///
    /// Raises:
    ///     NotAssignedError: The partition is not assigned.
    fn watermarks<'py>(
        &self,
        partition: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.core.watermarks(partition)
    }

    /// Records between the position and the end of a partition, as the last fetch told it.
    ///
    /// Args:
    ///     partition: A `TopicPartition`, or a pair of topic and number.
    ///
    /// Returns:
    ///     Their number, or None before the first fetch.
    ///
    /// Raises:
    ///     NotAssignedError: The partition is not assigned.
    fn lag(&self, partition: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
        self.core.lag(partition)
    }

    /// Every broker, or every bootstrap address before the cluster is known: its node id or None, its address, why it
    /// cannot be connected to or None, the number of that failure or None, and its counters.
    fn _brokers<'py>(&self, py: Python<'py>) -> PyResult<Vec<brokers::BrokerStatusFields<'py>>> {
        self.core.check()?;
        brokers::statuses(py, self.core.consumer.client())
    }

    /// Says whether the topics that are read were found by a pattern of the caller's own: these are never created.
    fn _topics_were_found(&self, found: bool) {
        self.core.consumer.client().topics_were_found(found);
    }

    /// Lets partitions that a rebalance takes and brings back at once go on where they were, paused or not.
    fn _keep_positions(&self) {
        self.core.consumer.keep_positions();
    }

    /// The lowest and the highest version of each API of the first broker that was connected to, by the API's number.
    fn _api_versions(&self) -> BTreeMap<i16, (i16, i16)> {
        brokers::api_versions(self.core.consumer.client())
    }

    /// The leaders of a topic's partitions that are known: partition, node id, leader epoch.
    fn _leaders(&self, topic: &str) -> Vec<(i32, i32, i32)> {
        brokers::leaders(self.core.consumer.client(), topic)
    }

    /// What log lines call the client: their field `client`.
    fn _client_name(&self) -> String {
        self.core.consumer.client().name().to_string()
    }

    /// What tells of the cluster's metadata.
    fn _handle(&self) -> PyResult<PyClientHandle> {
        self.core.check()?;
        Ok(PyClientHandle::of(self.core.consumer.client()))
    }

    /// The node id of the group's coordinator; None while it is unknown, and without a subscription.
    fn _coordinator(&self) -> Option<i32> {
        self.core.consumer.coordinator()
    }

    /// Sets the flag whenever `_brokers()` has changed. Begins to look for the cluster.
    fn _watch_brokers(&self, flag: &PyPendingFlag) -> PyResult<()> {
        self.core.check()?;
        brokers::watch(self.core.consumer.client(), flag.handle())
    }

    /// What an automatic commit would commit now, as `{partition: OffsetAndMetadata}`.
    fn _finished_offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        commits::answer(py, &self.core.consumer.finished_offsets())
    }

    /// Turns automatic commits off from now on.
    fn _end_automatic_commits(&self) {
        self.core.consumer.end_automatic_commits();
    }

    /// True once nothing works any more, which is when `close()` has done what it has to do.
    fn _has_ended(&self) -> bool {
        self.core.consumer.is_closed()
    }

    /// True if `close()` was called.
    #[getter]
    fn closed(&self) -> bool {
        self.core.is_closing()
    }

    /// Counters since the consumer was made: `records_consumed`, `bytes_fetched`, `fetches`, `buffered_bytes`,
    /// `assigned`, and `client` with those of its connections.
    ///
    /// Returns:
    ///     A dict of numbers; nothing is asked of the cluster.
    fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.core.check()?;
        self.core.metrics(py)
    }

    /// Warns if the consumer was not closed; `__del__` calls it.
    fn _warn_if_unclosed(slf: &Bound<'_, Self>) -> PyResult<()> {
        let consumer = slf.get();
        let core = &consumer.core;
        if core.consumer.is_closed() || core.check().is_err() {
            return Ok(());
        }
        let message = match core.consumer.config().group {
            None => "a consumer was not closed",
            Some(_) => {
                "a consumer was not closed, and what it has read since its last commit is perhaps read again"
            }
        };
        let name = core.consumer.client().name();
        consumer.unclosed.tell(slf.as_any(), name, message)
    }

    /// Turns the warning about unclosed consumers off, for faces.
    fn _never_warn(&self) {
        self.unclosed.turn_off();
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let core = &slf.get().core;
        let class = slf.get_type().name()?;
        if core.consumer.is_closed() {
            return Ok(format!("<{class} closed>"));
        }
        let partitions = core.consumer.assignment();
        if partitions.is_empty() {
            return Ok(format!("<{class} of no partitions>"));
        }
        let names: Vec<_> = partitions.iter().take(4).map(ToString::to_string).collect();
        let more = if partitions.len() > names.len() {
            ", ..."
        } else {
            ""
        };
        let noun = match partitions.len() {
            1 => "partition",
            _ => "partitions",
        };
        Ok(format!(
            "<{class} of {} {noun}: {}{more}>",
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

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.core.traverse(&visit)
    }
}
