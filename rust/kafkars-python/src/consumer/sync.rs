//! The synchronous consumer.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::REFUSAL_CHECK_INTERVAL;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;

use super::base::PyBaseConsumer;
use super::commits;
use super::core::ConsumerCore;
use super::leave::log_overridden;
use super::offset_queries::{self, End};
use super::wait::empty;
use crate::argument;
use crate::batch::PyRecordBatch;
use crate::config::ConsumerSettings;
use crate::error;
use crate::record::PyRecord;
use crate::runtime;
use crate::types;

/// Reads records; every wait detaches from the interpreter and looks for signals.
#[pyclass(name = "Consumer", module = "kafkars._kafkars", extends = PyBaseConsumer, frozen, subclass)]
pub(crate) struct PyConsumer {
    core: Arc<ConsumerCore>,
}

#[pymethods]
impl PyConsumer {
    #[new]
    fn new(py: Python<'_>, config: ConsumerSettings) -> PyResult<PyClassInitializer<Self>> {
        let core = ConsumerCore::new(py, config)?;
        let handle = Self {
            core: Arc::clone(&core),
        };
        Ok(PyClassInitializer::from(PyBaseConsumer::new(&core)).add_subclass(handle))
    }

    /// The next record, in the order of its partition.
    ///
    /// Args:
    ///     timeout: Seconds to wait for one; None waits without end, 0 takes what is there.
    ///
    /// Returns:
    ///     The record, or None when there was none in time.
    ///
    /// Raises:
    ///     ValueError: `timeout` is negative.
    ///     ClosedError: The consumer is closed.
    ///     MaxPollIntervalExceededError: The member has given up its partitions because it did not poll in time; the
    ///         next poll joins again.
    ///     NoOffsetError: A partition has no valid position, and `auto_offset_reset` is "none".
    ///     CorruptRecordError: A batch is damaged; seek past `offset` to go on.
    ///     ConsumerStuckError: Brokers have not answered for `stuck_timeout_ms`.
    ///     KafkaError: The cluster refuses the client or a topic, such as for want of a permission; the class says
    ///         which.
    #[pyo3(signature = (timeout=Some(1.0)), text_signature = "($self, timeout=1.0)")]
    fn poll<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Option<Bound<'py, PyRecord>>> {
        types::check_timeout(timeout)?;
        self.core.serve_events(py)?;
        if let Some(record) = self.core.next(py)? {
            return Ok(Some(record));
        }
        self.core.wait_for(py, timeout, |core| core.next(py))
    }

    /// What is ready, at once: the quickest way to read.
    ///
    /// Args:
    ///     max_records: At most so many records; `max_poll_records` by default.
    ///     timeout: Seconds to wait for the first; None waits without end, 0 takes what is there.
    ///
    /// Returns:
    ///     The records; an empty batch when there were none in time.
    ///
    /// Raises:
    ///     ValueError: `max_records` is below 1, or `timeout` negative.
    ///     ClosedError: The consumer is closed.
    ///     MaxPollIntervalExceededError: The member has given up its partitions because it did not poll in time; the
    ///         next poll joins again.
    ///     NoOffsetError: A partition has no valid position, and `auto_offset_reset` is "none".
    ///     CorruptRecordError: A batch is damaged; seek past `offset` to go on.
    ///     ConsumerStuckError: Brokers have not answered for `stuck_timeout_ms`.
    ///     KafkaError: The cluster refuses the client or a topic, such as for want of a permission; the class says
    ///         which.
    #[pyo3(
        signature = (max_records=None, timeout=Some(1.0)),
        text_signature = "($self, max_records=None, timeout=1.0)"
    )]
    fn poll_batch<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::max_records)] max_records: Option<usize>,
        timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyRecordBatch>> {
        types::check_timeout(timeout)?;
        let max = self.core.batch_limit(max_records)?;
        self.core.serve_events(py)?;
        if let Some(batch) = self.core.take(py, max)? {
            return Ok(batch);
        }
        match self.core.wait_for(py, timeout, |core| core.take(py, max))? {
            Some(batch) => Ok(batch),
            None => empty(py),
        }
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next record, however long it takes; the iteration ends when the consumer is closed.
    #[inline]
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyRecord>>> {
        let raised = |error| error::no_end::<PyStopIteration>(py, error);
        self.core.serve_events(py).map_err(raised)?;
        match self.core.next(py) {
            Ok(Some(record)) => return Ok(Some(record)),
            Ok(None) => {}
            Err(_) if self.core.is_over() => return Ok(None),
            Err(error) => return Err(raised(error)),
        }
        match self.core.wait_for(py, None, |core| core.next(py)) {
            Err(_) if self.core.is_over() => Ok(None),
            outcome => outcome.map_err(raised),
        }
    }

    /// The offset of the record that comes next of a partition; asks the cluster where it is not known yet.
    ///
    /// Args:
    ///     partition: A `TopicPartition`, or a pair of topic and number.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     The offset.
    ///
    /// Raises:
    ///     NotAssignedError: The partition is not assigned.
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    #[pyo3(signature = (partition, *, timeout=None))]
    fn position(
        &self,
        partition: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let py = partition.py();
        let answer = runtime::block_on(
            py,
            offset_queries::position(&self.core, partition, timeout)?,
        )?;
        offset_queries::position_answer(py, answer)
    }

    /// Asks for the first offsets of partitions.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     The offset of the oldest record of each.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    ///     TypeError: What is given names no partition.
    #[pyo3(signature = (partitions, *, timeout=None))]
    fn beginning_offsets(
        &self,
        partitions: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        self.ends(End::Beginning, partitions, timeout)
    }

    /// Asks for the ends of partitions.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     The offset after the newest record of each; with `isolation_level="read_committed"`, where the oldest open
    ///     transaction begins.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    ///     TypeError: What is given names no partition.
    #[pyo3(signature = (partitions, *, timeout=None))]
    fn end_offsets(
        &self,
        partitions: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        self.ends(End::End, partitions, timeout)
    }

    /// Asks for the first offsets at or after a time.
    ///
    /// Args:
    ///     timestamps: For each partition ms since 1970, or a `datetime` with a time zone. Numbers that look like
    ///         seconds, microseconds or nanoseconds are refused.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     For each partition `OffsetAndTimestamp` of the first record that is not older, or None where all are.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    ///     InvalidArgumentError: A timestamp is in another unit.
    ///     TypeError: What is given names no partition.
    #[pyo3(signature = (timestamps, *, timeout=None))]
    fn offsets_for_times(
        &self,
        timestamps: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let py = timestamps.py();
        let answer =
            runtime::block_on(py, offset_queries::times(&self.core, timestamps, timeout)?)?;
        offset_queries::times_answer(py, answer)
    }

    /// The partitions of a topic. A topic that does not exist is not created by this.
    ///
    /// Args:
    ///     topic: Its name.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     A `PartitionInfo` for each, in the order of their numbers.
    ///
    /// Raises:
    ///     UnknownTopicOrPartitionError: There is no such topic.
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    #[pyo3(signature = (topic, *, timeout=None))]
    fn partitions_for(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::topic)] topic: String,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let answer =
            runtime::block_on(py, offset_queries::partitions(&self.core, topic, timeout)?)?;
        offset_queries::partitions_answer(py, answer)
    }

    /// The names of all topics that the client may see.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     The names.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    #[pyo3(signature = (*, timeout=None))]
    fn topics(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let answer = runtime::block_on(py, offset_queries::topics(&self.core, timeout)?)?;
        offset_queries::topics_answer(py, answer)
    }

    /// Commits positions of the group, and waits until the coordinator has them.
    ///
    /// Args:
    ///     offsets: The next offset to read, or an `OffsetAndMetadata`, for each partition. None commits what was
    ///         handed out before the latest poll and by it.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     What was committed, by partition; empty where there was nothing to commit.
    ///
    /// Raises:
    ///     CommitFailedError: The partitions belong to another member by now.
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    ///     ClientStateError: The consumer has no group.
    #[pyo3(signature = (offsets=None, *, timeout=None))]
    fn commit(
        &self,
        py: Python<'_>,
        offsets: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let answer = runtime::block_on(py, commits::commit(&self.core, offsets, timeout)?)?;
        commits::offsets_answer(py, answer)
    }

    /// What the group has committed.
    ///
    /// Args:
    ///     partitions: A `TopicPartition` or pair of topic and number, or several of them.
    ///     require_stable: Whether to wait where an open transaction has offsets of a partition (KIP-447; brokers
    ///         before 2.5 never do). False tells at once what was committed last.
    ///     timeout: Longest wait in seconds; `default_api_timeout_ms` by default.
    ///
    /// Returns:
    ///     `OffsetAndMetadata` for each partition that has a commit; the others are left out.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     KafkaError: The cluster cannot be reached, refuses the client, or knows no such topic or partition; the
    ///         class says which.
    ///     ClientStateError: The consumer has no group.
    #[pyo3(signature = (partitions, *, require_stable=true, timeout=None))]
    fn committed(
        &self,
        partitions: &Bound<'_, PyAny>,
        require_stable: bool,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let py = partitions.py();
        let asked = commits::committed(&self.core, partitions, require_stable, timeout)?;
        let answer = runtime::block_on(py, asked)?;
        commits::offsets_answer(py, answer)
    }

    /// Gives up the subscription. What was handed out is committed where commits are automatic, listeners run in this
    /// call, and the member leaves the group.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds for commits and the coordinator; `close_timeout_ms` by default. It is not
    ///         used up where no broker has answered for 1 s. The subscription is given up in any case.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no answer in time; the message says what the last try met.
    ///     Exception: What a listener raises, once the rest is done.
    #[pyo3(signature = (*, timeout=None))]
    fn unsubscribe(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        self.core.check_open()?;
        self.core.check_reentry()?;
        let timeout = types::timeout(timeout)?.unwrap_or(self.core.close_timeout());
        self.core.leave(py, "the application unsubscribed", timeout)
    }

    /// Commits what was handed out where commits are automatic, leaves the group and stops reading. Calls that wait
    /// meanwhile end with `ClosedError`, iterations just end. A second call waits for the first.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds for commits and the coordinator; `close_timeout_ms` by default. It is not
    ///         used up where no broker has answered for a while (1 s, or 5 s where there is something to commit), and
    ///         everything is closed in any case.
    ///
    /// Raises:
    ///     KafkaTimeoutError: Commits were not confirmed in time.
    ///     KafkaError: They were refused.
    ///     Exception: What a listener raises, once the rest is done.
    #[pyo3(signature = (timeout=None))]
    fn close(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        let core = &self.core;
        let timeout = types::timeout(timeout)?.unwrap_or(core.close_timeout());
        core.end(py, timeout)
    }

    fn __enter__(slf: PyRef<'_, Self>) -> PyResult<PyRef<'_, Self>> {
        slf.core.check_open()?;
        Ok(slf)
    }

    /// After an exception what was handed out last is not finished, and not committed.
    #[pyo3(signature = (*exception))]
    fn __exit__(
        &self,
        py: Python<'_>,
        exception: &Bound<'_, pyo3::types::PyTuple>,
    ) -> PyResult<()> {
        let failed = exception
            .get_item(0)
            .is_ok_and(|exception| !exception.is_none());
        if failed {
            self.core.interrupt();
        }
        match self.close(py, None) {
            // The exception that ends the block matters more than one about leaving.
            Err(error) if failed => log_overridden(py, error),
            outcome => outcome,
        }
    }
}

impl PyConsumer {
    fn ends(
        &self,
        end: End,
        partitions: &Bound<'_, PyAny>,
        timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        let py = partitions.py();
        let answer = runtime::block_on(
            py,
            offset_queries::ends(&self.core, end, partitions, timeout)?,
        )?;
        offset_queries::ends_answer(py, answer)
    }
}

impl ConsumerCore {
    /// Runs the listeners and callbacks that are due.
    #[inline]
    pub(crate) fn serve_events(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.has_event() {
            true => self.serve(py),
            false => Ok(()),
        }
    }

    /// Waits until `take` finds something. After the time limit returns `None`, or the error because of which nothing
    /// can come.
    pub(crate) fn wait_for<T>(
        &self,
        py: Python<'_>,
        timeout: Option<f64>,
        take: impl Fn(&Self) -> PyResult<Option<T>>,
    ) -> PyResult<Option<T>> {
        self.check_assigned(py)?;
        let timeout = types::timeout(timeout)?;
        let started = Instant::now();
        let mut look = started + self.look_after();
        loop {
            // Without a limit it is checked from time to time whether the cluster can be reached, and more often
            // whether it refuses this client.
            let left = match timeout {
                None => look.saturating_duration_since(Instant::now()),
                Some(timeout) => timeout.saturating_sub(started.elapsed()),
            };
            let is_last = left <= REFUSAL_CHECK_INTERVAL;
            let left = left.min(REFUSAL_CHECK_INTERVAL);
            let ready = runtime::wait(py, Some(left), |slice| self.consumer.wait_ready(slice))?;
            if self.consumer.has_event() {
                self.serve(py)?;
                if self.callback_turn.is_elsewhere() {
                    runtime::wait(py, Some(left), |slice| self.callback_turn.wait(slice))?;
                }
            }
            if let Some(taken) = take(self)? {
                return Ok(Some(taken));
            }
            match ready {
                true => {}
                false if is_last => {
                    self.check_readable(py)?;
                    look = Instant::now() + self.look_after();
                }
                false => self.check_refused(py)?,
            }
            // Another thread has taken the records.
            let over = timeout.is_some_and(|timeout| started.elapsed() >= timeout);
            if over {
                return Ok(None);
            }
        }
    }
}
