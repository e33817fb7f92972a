//! The asynchronous consumer: the same calls, which return futures.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use super::base::PyBaseConsumer;
use super::commits;
use super::core::ConsumerCore;
use super::leave::{LeaveWait, Then};
use super::offset_queries::{self, End};
use crate::aio::{self, Amount, AwaitableCall, Forgotten, PyFuture, ReadRequest, RecordReads};
use crate::argument;
use crate::config::ConsumerSettings;
use crate::types;

/// Reads records without a thread hop: what is buffered is handed over on the spot.
#[pyclass(name = "AsyncConsumer", module = "kafkars._kafkars", extends = PyBaseConsumer, frozen, subclass)]
pub(crate) struct PyAsyncConsumer {
    core: Arc<ConsumerCore>,
}

#[pymethods]
impl PyAsyncConsumer {
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
    fn poll(
        &self,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        types::check_timeout(timeout)?;
        Ok(AwaitableCall(self.read(Amount::One, timeout)))
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
    fn poll_batch(
        &self,
        #[pyo3(from_py_with = argument::max_records)] max_records: Option<usize>,
        timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        types::check_timeout(timeout)?;
        let max = self.core.batch_limit(max_records)?;
        Ok(AwaitableCall(self.read(Amount::Many(max), timeout)))
    }

    fn __aiter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next record, however long it takes; the iteration ends when the consumer is closed.
    #[inline]
    fn __anext__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFuture>> {
        self.read(Amount::Next, None).into_object(py)
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
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("position() of an asyncio consumer was never awaited"),
            offset_queries::position(&self.core, partition, timeout)?,
            offset_queries::position_answer,
        )
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
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("beginning_offsets() of an asyncio consumer was never awaited"),
            offset_queries::ends(&self.core, End::Beginning, partitions, timeout)?,
            offset_queries::ends_answer,
        )
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
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("end_offsets() of an asyncio consumer was never awaited"),
            offset_queries::ends(&self.core, End::End, partitions, timeout)?,
            offset_queries::ends_answer,
        )
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
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("offsets_for_times() of an asyncio consumer was never awaited"),
            offset_queries::times(&self.core, timestamps, timeout)?,
            offset_queries::times_answer,
        )
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
        #[pyo3(from_py_with = argument::topic)] topic: String,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("partitions_for() of an asyncio consumer was never awaited"),
            offset_queries::partitions(&self.core, topic, timeout)?,
            offset_queries::partitions_answer,
        )
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
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("topics() of an asyncio consumer was never awaited"),
            offset_queries::topics(&self.core, timeout)?,
            offset_queries::topics_answer,
        )
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
        offsets: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Ends,
            commits::commit(&self.core, offsets, timeout)?,
            commits::offsets_answer,
        )
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
    ) -> PyResult<AwaitableCall> {
        aio::spawn(
            Forgotten::Question("committed() of an asyncio consumer was never awaited"),
            commits::committed(&self.core, partitions, require_stable, timeout)?,
            commits::offsets_answer,
        )
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
    ) -> PyResult<AwaitableCall> {
        self.core.check_open()?;
        self.core.check_reentry()?;
        let timeout = types::timeout(timeout)?.unwrap_or(self.core.close_timeout());
        let (core, deadline) = (&self.core, Instant::now() + timeout);
        let Some(id) = core.start_leaving("the application unsubscribed", deadline) else {
            return Ok(AwaitableCall(PyFuture::ready(py.None()).carried_out()));
        };
        let wait = LeaveWait::new(core, id, deadline, Then::Nothing);
        Ok(AwaitableCall(PyFuture::pending(Arc::new(wait))))
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
    ) -> PyResult<AwaitableCall> {
        let timeout = types::timeout(timeout)?.unwrap_or(self.core.close_timeout());
        Ok(self.end(py, timeout, false))
    }

    fn __aenter__(slf: &Bound<'_, Self>) -> PyResult<AwaitableCall> {
        slf.get().core.check_open()?;
        Ok(AwaitableCall(
            PyFuture::ready(slf.clone().into_any().unbind()).carried_out(),
        ))
    }

    /// After an exception what was handed out last is not finished, and not committed.
    #[pyo3(signature = (*exception))]
    fn __aexit__(
        &self,
        py: Python<'_>,
        exception: &Bound<'_, pyo3::types::PyTuple>,
    ) -> PyResult<AwaitableCall> {
        let failed = exception
            .get_item(0)
            .is_ok_and(|exception| !exception.is_none());
        if failed {
            self.core.interrupt();
        }
        Ok(self.end(py, self.core.close_timeout(), failed))
    }
}

impl PyAsyncConsumer {
    /// The core, for the face of another library.
    pub(crate) fn core(&self) -> Arc<ConsumerCore> {
        Arc::clone(&self.core)
    }

    /// Begins to close the consumer. With `is_failing` an error of that is only logged, because the block's own
    /// exception matters more.
    fn end(&self, py: Python<'_>, limit: Duration, is_failing: bool) -> AwaitableCall {
        let core = &self.core;
        let deadline = Instant::now() + limit;
        let Some(closing) = core.start_closing(deadline) else {
            let ended = match core.end_at_once(py) {
                Ok(()) => PyFuture::ready(py.None()),
                Err(error) => PyFuture::failed(error),
            };
            return AwaitableCall(ended.carried_out());
        };
        let id = closing.id();
        let then = Then::Close {
            closing,
            limit,
            is_failing,
        };
        let wait = LeaveWait::new(core, id, deadline, then);
        AwaitableCall(PyFuture::pending(Arc::new(wait)))
    }

    #[inline]
    fn read(&self, amount: Amount, timeout: Option<f64>) -> PyFuture {
        let reader: Arc<dyn RecordReads> = Arc::<ConsumerCore>::clone(&self.core);
        PyFuture::read(reader, ReadRequest { amount, timeout })
    }
}
