//! The asynchronous producer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use kafkars_client::ProduceError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arrow;
use super::awaits::Awaits;
use super::base::PyBaseProducer;
use super::batch_builder::PyBatchBuilder;
use super::core::{self, ProducerCore};
use super::entries::{All, SendEntry};
use super::send_arguments::{Arguments, SendArguments};
use super::send_many::ColumnArguments;
use super::transactions::{self, TransactionCommand};
use crate::aio::{self, AwaitableCall, Forgotten, PyFuture};
use crate::argument;
use crate::cluster;
use crate::config::ProducerSettings;
use crate::error;
use crate::types;

/// Sends records without a thread hop or a task per record.
#[pyclass(name = "AsyncProducer", module = "kafkars._kafkars", extends = PyBaseProducer, frozen, subclass)]
pub(crate) struct PyAsyncProducer {
    core: Arc<ProducerCore>,
}

#[pymethods]
impl PyAsyncProducer {
    #[new]
    fn new(py: Python<'_>, config: ProducerSettings) -> PyResult<PyClassInitializer<Self>> {
        let core = ProducerCore::new(py, &config)?;
        let base = PyBaseProducer::new(&core);
        Ok(PyClassInitializer::from(base).add_subclass(Self { core }))
    }

    /// Sends a record. It is on its way before the first await, so several calls may be gathered. With a full buffer or
    /// an unknown topic it waits in order, up to `max_block_ms`.
    ///
    /// Args:
    ///     topic: Where the record goes.
    ///     value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
    ///     key: Likewise; records of one key go to one partition, in order.
    ///     partition: The partition's number; by default the partitioner chooses.
    ///     timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
    ///     headers: Pairs of name and bytes, text or None; or a mapping.
    ///
    /// Returns:
    ///     Awaiting gives its `RecordMetadata`. Cancelling ends the waiting; a record that still waits for its topic or
    ///     for room is withdrawn.
    ///
    /// Raises:
    ///     KafkaError: The record was not stored: the class says why (`KafkaTimeoutError` after `delivery_timeout_ms`).
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (topic, value=None, key=None, *, partition=None, timestamp=None, headers=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn send(
        &self,
        py: Python<'_>,
        topic: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::record::partition)] partition: Option<i32>,
        #[pyo3(from_py_with = argument::record::timestamp)] timestamp: Option<i64>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AwaitableCall> {
        let arguments = Arguments::new(topic, value, key, partition, timestamp, headers);
        self.check_awaitable(py, "send")?;
        self.enter(py, &arguments, false, Awaits::Delivery)
            .map(AwaitableCall)
    }

    /// Hands a record to the producer and never waits. Unlike `send()` it may be called where no event loop runs.
    ///
    /// Args:
    ///     topic: Where the record goes.
    ///     value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
    ///     key: Likewise; records of one key go to one partition, in order.
    ///     partition: The partition's number; by default the partitioner chooses.
    ///     timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
    ///     headers: Pairs of name and bytes, text or None; or a mapping.
    ///
    /// Returns:
    ///     The future of its delivery, which need not be awaited.
    ///
    /// Raises:
    ///     BufferFullError: It would have to wait for room.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    #[pyo3(signature = (topic, value=None, key=None, *, partition=None, timestamp=None, headers=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn send_nowait<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::record::partition)] partition: Option<i32>,
        #[pyo3(from_py_with = argument::record::timestamp)] timestamp: Option<i64>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyFuture>> {
        let arguments = Arguments::new(topic, value, key, partition, timestamp, headers);
        self.enter(py, &arguments, true, Awaits::Delivery)?
            .into_object(py)
    }

    /// Hands a record to the producer; awaiting waits only until there is room for it.
    ///
    /// Args:
    ///     topic: Where the record goes.
    ///     value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
    ///     key: Likewise; records of one key go to one partition, in order.
    ///     partition: The partition's number; by default the partitioner chooses.
    ///     timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
    ///     headers: Pairs of name and bytes, text or None; or a mapping.
    ///
    /// Returns:
    ///     Awaiting gives the future of its delivery.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no room for `max_block_ms`.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (topic, value=None, key=None, *, partition=None, timestamp=None, headers=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn enqueue(
        &self,
        py: Python<'_>,
        topic: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = argument::record::partition)] partition: Option<i32>,
        #[pyo3(from_py_with = argument::record::timestamp)] timestamp: Option<i64>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<AwaitableCall> {
        let arguments = Arguments::new(topic, value, key, partition, timestamp, headers);
        self.check_awaitable(py, "enqueue")?;
        self.enter(py, &arguments, false, Awaits::Admission)
            .map(AwaitableCall)
    }

    /// Sends many records of one topic in one call. Where one of them cannot be sent as it is, none is.
    ///
    /// Args:
    ///     topic: Where the records go.
    ///     values: One for each record.
    ///     keys: One for each, or None.
    ///     partitions: One for each, or one number for all.
    ///     timestamps: One for each, or one for all, as `send()` takes them.
    ///     headers: One for each, or None.
    ///     timeout: Longest wait in seconds for room; `max_block_ms` by default.
    ///
    /// Returns:
    ///     Awaiting gives a list of their `RecordMetadata`.
    ///
    /// Raises:
    ///     KafkaError: Why the first that failed was not stored.
    ///     ValueError: The columns differ in length.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (topic, values, keys=None, *, partitions=None, timestamps=None, headers=None, timeout=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of records")]
    fn send_many<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
        values: &Bound<'py, PyAny>,
        keys: Option<&Bound<'py, PyAny>>,
        partitions: Option<&Bound<'py, PyAny>>,
        timestamps: Option<&Bound<'py, PyAny>>,
        headers: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.check_awaitable(py, "send_many")?;
        let columns = ColumnArguments::new(values, keys, partitions, timestamps, headers)?;
        let columns = columns.intercepted(&self.core, topic)?;
        self.core
            .enter_columns(py, topic, &columns, timeout, All::reported)
    }

    /// As `send_many()`; awaiting waits only until there is room for all of them.
    ///
    /// Args:
    ///     topic: Where the records go.
    ///     values: One for each record.
    ///     keys: One for each, or None.
    ///     partitions: One for each, or one number for all.
    ///     timestamps: One for each, or one for all, as `send()` takes them.
    ///     headers: One for each, or None.
    ///     timeout: Longest wait in seconds for room; `max_block_ms` by default.
    ///
    /// Returns:
    ///     Awaiting gives their `Deliveries`.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no room for all in time; `sent` of the error has the deliveries of those that
    ///         were taken.
    ///     ValueError: The columns differ in length.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (topic, values, keys=None, *, partitions=None, timestamps=None, headers=None, timeout=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of records")]
    fn enqueue_many<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
        values: &Bound<'py, PyAny>,
        keys: Option<&Bound<'py, PyAny>>,
        partitions: Option<&Bound<'py, PyAny>>,
        timestamps: Option<&Bound<'py, PyAny>>,
        headers: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.check_awaitable(py, "enqueue_many")?;
        let columns = ColumnArguments::new(values, keys, partitions, timestamps, headers)?;
        let columns = columns.intercepted(&self.core, topic)?;
        self.core
            .enter_columns(py, topic, &columns, timeout, All::admitted)
    }

    /// Sends the rows of an Arrow table without making a Python object of each. Serializers and interceptors do not
    /// run.
    ///
    /// The rows of a table, which is what has a length, are checked first, if the topic is known: if one cannot be
    /// sent, none is. A stream without a length, such as a `pyarrow.RecordBatchReader`, is sent as it is read. The
    /// error's `index` is the row that it is about, its `sent` the handle of rows that were taken before.
    ///
    /// Args:
    ///     topic: Where the rows go.
    ///     data: A table or record batch of any library with `__arrow_c_stream__` or `__arrow_c_array__`.
    ///     value: Name of the column of values: binary, text, or categories of such; None leaves the part out, and
    ///         so does a null in its row.
    ///     key: Name of that of keys, likewise.
    ///     headers: Name of that of headers, a map or a list of pairs.
    ///     timestamp: Name of that of timestamps: with a time zone, or whole milliseconds.
    ///     partition: Name of that of partitions, whole numbers.
    ///     timeout: Longest wait in seconds for room; `max_block_ms` by default.
    ///
    /// Returns:
    ///     Awaiting gives a list of their `RecordMetadata`.
    ///
    /// Raises:
    ///     KafkaError: Why the first that failed was not stored.
    ///     TypeError: What is given is no Arrow data.
    ///     InvalidArgumentError: A column is missing or of the wrong type, or the data breaks Arrow's rules.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (topic, data, *, value="value", key=None, headers=None, timestamp=None, partition=None, timeout=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of records")]
    fn send_arrow(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::topic)] topic: String,
        data: &Bound<'_, PyAny>,
        value: Option<&str>,
        key: Option<String>,
        headers: Option<String>,
        timestamp: Option<String>,
        partition: Option<String>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.check_awaitable(py, "send_arrow")?;
        let names = arrow::names(value.map(Into::into), key, headers, timestamp, partition);
        self.core
            .enter_arrow(py, &topic, data, &names, timeout, All::reported)
    }

    /// As `send_arrow()`; awaiting waits only until there is room for all rows.
    ///
    /// Args:
    ///     topic: Where the rows go.
    ///     data: A table or record batch of any library with `__arrow_c_stream__` or `__arrow_c_array__`.
    ///     value: Name of the column of values: binary, text, or categories of such; None leaves the part out, and
    ///         so does a null in its row.
    ///     key: Name of that of keys, likewise.
    ///     headers: Name of that of headers, a map or a list of pairs.
    ///     timestamp: Name of that of timestamps: with a time zone, or whole milliseconds.
    ///     partition: Name of that of partitions, whole numbers.
    ///     timeout: Longest wait in seconds for room; `max_block_ms` by default.
    ///
    /// Returns:
    ///     Awaiting gives their `Deliveries`.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no room for all in time.
    ///     TypeError: What is given is no Arrow data.
    ///     InvalidArgumentError: A column is missing or of the wrong type, or the data breaks Arrow's rules.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (topic, data, *, value="value", key=None, headers=None, timestamp=None, partition=None, timeout=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of records")]
    fn enqueue_arrow(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::topic)] topic: String,
        data: &Bound<'_, PyAny>,
        value: Option<&str>,
        key: Option<String>,
        headers: Option<String>,
        timestamp: Option<String>,
        partition: Option<String>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.check_awaitable(py, "enqueue_arrow")?;
        let names = arrow::names(value.map(Into::into), key, headers, timestamp, partition);
        self.core
            .enter_arrow(py, &topic, data, &names, timeout, All::admitted)
    }

    /// Sends a batch of `create_batch()` to a partition, and closes it.
    ///
    /// Args:
    ///     batch: What was filled.
    ///     topic: Where it goes.
    ///     partition: The partition's number.
    ///     timeout: Longest wait in seconds for room; `max_block_ms` by default.
    ///
    /// Returns:
    ///     Awaiting gives the metadata of its first record; the others follow it.
    ///
    /// Raises:
    ///     KafkaError: The record was not stored: the class says why (`KafkaTimeoutError` after `delivery_timeout_ms`).
    ///     InvalidArgumentError: The batch is empty.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    ///     RuntimeError: No event loop runs in this thread, so nobody could await it. Nothing is sent.
    #[pyo3(signature = (batch, topic, *, partition, timeout=None))]
    fn send_batch(
        &self,
        batch: &Bound<'_, PyBatchBuilder>,
        topic: &str,
        partition: i32,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.check_awaitable(batch.py(), "send_batch")?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        self.core
            .enter_batch(batch.py(), batch.get(), topic, partition, time_limit)
    }

    /// Sends what is waiting at once, without lingering, and waits until everything sent before the call is reported.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; None waits without end.
    ///
    /// Returns:
    ///     Awaiting gives how many records are still on their way; 0 when all are reported, whether stored or failed.
    ///     `failed` of the number says how many records were not stored since the last `flush()`, whether or not
    ///     somebody has awaited them.
    #[pyo3(signature = (timeout=None))]
    fn flush(
        &self,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.core.check()?;
        let deadline = types::timeout(timeout)?.map(|timeout| Instant::now() + timeout);
        let producer = self.core.producer.clone();
        // Records that fail meanwhile have their own futures, or are logged.
        let forgotten = Forgotten::Waiting(
            "flush() of an asyncio producer was never awaited: nothing waits for the records",
            |_| (),
        );
        aio::spawn(
            forgotten,
            self.core.producer.flush(deadline),
            move |py, left| Ok(core::flush_result(py, left, &producer)?.unbind()),
        )
    }

    /// Gets a producer id for the `transactional_id`; to be called once, before the first transaction. Producers that
    /// had the id before are fenced, and what they left open is ended.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; `max_block_ms` by default.
    ///
    /// Raises:
    ///     KafkaTimeoutError: It was not done in time; the same call waits on.
    ///     ProducerFencedError: A newer producer has the same `transactional_id`.
    ///     TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
    ///     KafkaError: The cluster refuses it; the class says why.
    #[pyo3(signature = (timeout=None))]
    fn init_transactions(
        &self,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.transaction(TransactionCommand::Init, timeout)
    }

    /// Opens a transaction: everything sent from now on is part of it.
    ///
    /// Raises:
    ///     TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
    ///     ClosedError: The producer is closed.
    fn begin_transaction(&self, py: Python<'_>) -> PyResult<AwaitableCall> {
        self.core.check()?;
        let begun = self.core.producer.begin_transaction();
        begun.map_err(|failure| error::transaction(py, &failure))?;
        Ok(AwaitableCall(PyFuture::ready(py.None()).carried_out()))
    }

    /// Makes positions of a consumer's group part of the transaction, so that what was read and what was made of it are
    /// committed together (KIP-447).
    ///
    /// Args:
    ///     offsets: The next offset to read, or an `OffsetAndMetadata`, for each partition.
    ///     group_metadata: What `group_metadata()` of the consumer gives.
    ///     timeout: Longest wait in seconds; `max_block_ms` by default.
    ///
    /// Raises:
    ///     KafkaTimeoutError: It was not done in time; the same call waits on.
    ///     ProducerFencedError: A newer producer has the same `transactional_id`.
    ///     TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
    ///     KafkaError: The cluster refuses it; the class says why.
    ///     CommitFailedError: The consumer is no member of the group any more; abort.
    #[pyo3(signature = (offsets, group_metadata, timeout=None))]
    fn send_offsets_to_transaction(
        &self,
        offsets: &Bound<'_, PyAny>,
        group_metadata: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        let offsets = transactions::offsets(offsets)?;
        let group = transactions::group(group_metadata)?;
        self.transaction(TransactionCommand::SendOffsets(group, offsets), timeout)
    }

    /// Ends the transaction once all of its records are stored, so that "read_committed" consumers read them.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; `max_block_ms` by default.
    ///
    /// Raises:
    ///     KafkaTimeoutError: It was not done in time; the same call waits on.
    ///     ProducerFencedError: A newer producer has the same `transactional_id`.
    ///     TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
    ///     KafkaError: The cluster refuses it; the class says why.
    #[pyo3(signature = (timeout=None))]
    fn commit_transaction(
        &self,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.transaction(TransactionCommand::Commit, timeout)
    }

    /// Ends the transaction so that no "read_committed" consumer reads any of its records. Those that have not left are
    /// dropped.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; `max_block_ms` by default.
    ///
    /// Raises:
    ///     KafkaTimeoutError: It was not done in time; the same call waits on.
    ///     ProducerFencedError: A newer producer has the same `transactional_id`.
    ///     TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
    ///     KafkaError: The cluster refuses it; the class says why.
    #[pyo3(signature = (timeout=None))]
    fn abort_transaction(
        &self,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.transaction(TransactionCommand::Abort, timeout)
    }

    /// Waits until a transaction that a block has left has ended.
    #[pyo3(signature = (timeout=None))]
    fn _join_left_transaction(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.core.check()?;
        match self.core.producer.has_left_transaction() {
            true => self.transaction(TransactionCommand::JoinLeft, timeout),
            false => Ok(AwaitableCall(PyFuture::ready(py.None()).carried_out())),
        }
    }

    /// The partitions of a topic, asked for when they are not known.
    ///
    /// Args:
    ///     topic: Its name.
    ///     timeout: Longest wait in seconds; `max_block_ms` by default.
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
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        aio::spawn(
            Forgotten::Question("partitions_for() of an asyncio producer was never awaited"),
            core::partitions_for(Arc::clone(&self.core), topic, time_limit),
            |py, answer| {
                cluster::partitions(
                    py,
                    &*answer.map_err(|failure| error::produce(py, &failure))?,
                )
            },
        )
    }

    /// Takes no more records, sends what there is, and ends; a transaction that is open is aborted by the cluster.
    /// While another task closes, this waits for it.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds for what is not acknowledged; `close_timeout_ms` by default. Where there is
    ///         nothing to wait for it ends at once, with or without brokers.
    ///
    /// Returns:
    ///     Awaiting gives how many records were given up because they were not acknowledged in time; their futures get
    ///     a `ClosedError`. `failed` of the number says how many others were not stored since the last `flush()`.
    #[pyo3(signature = (timeout=None))]
    fn close(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        let producer = slf.get().core.producer.clone();
        Self::end(slf, timeout, move |py, lost, _| {
            Ok(core::flush_result(py, lost, &producer)?.unbind())
        })
    }

    fn __aenter__(slf: &Bound<'_, Self>) -> PyResult<AwaitableCall> {
        slf.get().core.check()?;
        if slf.as_super().get().closed.load(Ordering::Acquire) {
            return Err(error::closed("producer"));
        }
        Ok(AwaitableCall(
            PyFuture::ready(slf.clone().into_any().unbind()).carried_out(),
        ))
    }

    /// Closes, and raises `KafkaTimeoutError` when records had to be given up. Where the block failed, that failure is
    /// what counts, and records that are lost do not hide it.
    #[pyo3(signature = (*exception))]
    fn __aexit__(slf: &Bound<'_, Self>, exception: &Bound<'_, PyTuple>) -> PyResult<AwaitableCall> {
        let failed = exception.get_item(0).is_ok_and(|kind| !kind.is_none());
        Self::end(slf, None, move |py, lost, time_limit| {
            if lost > 0 && !failed {
                return Err(core::given_up(lost, time_limit));
            }
            Ok(py.None())
        })
    }
}

impl PyAsyncProducer {
    /// The core, for the face of another library.
    pub(crate) fn core(&self) -> Arc<ProducerCore> {
        Arc::clone(&self.core)
    }

    /// Fails if no event loop runs in this thread: what the call returns could not be awaited, and a failure would be
    /// lost. Programs that make this mistake should notice before anything is sent.
    #[inline]
    fn check_awaitable(&self, py: Python<'_>, call: &str) -> PyResult<()> {
        self.core.check()?;
        if aio::has_running_loop(py) {
            return Ok(());
        }
        Err(no_loop(call))
    }

    /// Sends a record at once if possible, and queues it otherwise.
    #[inline]
    fn enter(
        &self,
        py: Python<'_>,
        arguments: &Arguments<'_, '_>,
        at_once: bool,
        awaits: Awaits,
    ) -> PyResult<PyFuture> {
        self.core.check()?;
        if self.core.interceptors.is_some() {
            return self.enter_intercepted(py, arguments, at_once, awaits);
        }
        let record = SendArguments::new(&self.core.serializers, arguments)?;
        let time_limit = self.core.producer.max_block();
        let entry = self.core.enter(py, record, at_once, time_limit)?;
        self.refuses(&entry);
        entry.future(py, awaits)
    }

    /// Sends or queues a record, with interceptors before and after.
    fn enter_intercepted<'py>(
        &self,
        py: Python<'py>,
        arguments: &Arguments<'_, 'py>,
        at_once: bool,
        awaits: Awaits,
    ) -> PyResult<PyFuture> {
        let core = &self.core;
        let intercepted = core.intercept(py, arguments)?;
        let changed = intercepted.as_ref().map(|changed| changed.arguments());
        let entry = SendArguments::new(&core.serializers, changed.as_ref().unwrap_or(arguments))
            .and_then(|record| core.enter(py, record, at_once, core.producer.max_block()))
            .map_err(|failure| core.refused(py, failure))?;
        self.refuses(&entry);
        core.watch_entry(py, &entry)?;
        entry.future(py, awaits)
    }

    /// Breaks the transaction of a record that was refused by the call, whether or not the error is awaited.
    #[inline]
    fn refuses(&self, entry: &SendEntry) {
        if let SendEntry::Failed(failure) = entry {
            self.core.producer.record_refused(failure);
            self.core.producer.count_refused(1);
        }
    }

    fn transaction(
        &self,
        step: TransactionCommand,
        timeout: Option<f64>,
    ) -> PyResult<AwaitableCall> {
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        let deadline = Instant::now() + time_limit;
        let work = Arc::clone(&self.core).transaction(step, deadline);
        let answer = |py: Python<'_>, outcome: Result<(), ProduceError>| {
            outcome.map_err(|failure| error::produce(py, &failure))?;
            Ok(py.None())
        };
        // A call that has begun goes on to its end, whether or not it is still awaited.
        let forgotten = Forgotten::Waiting(
            "a transaction's step of an asyncio producer was never awaited: it goes on unwatched",
            |outcome| {
                if let Err(error) = outcome {
                    tracing::warn!(target: "kafkars::producer", %error, "a step of a transaction that nobody awaits failed");
                }
            },
        );
        let pending = aio::carried_out(forgotten, work, answer)?;
        Ok(AwaitableCall(PyFuture::pending(pending)))
    }

    fn end(
        slf: &Bound<'_, Self>,
        timeout: Option<f64>,
        answer: impl FnOnce(Python<'_>, usize, Duration) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<AwaitableCall> {
        let core = Arc::clone(&slf.get().core);
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| core.close_timeout());
        slf.as_super().get().closed.store(true, Ordering::Release);
        if core.is_elsewhere() {
            return Ok(AwaitableCall(
                PyFuture::ready(answer(slf.py(), 0, time_limit)?).carried_out(),
            ));
        }
        if core.ending.has_ended() {
            let lost = core.ending.tell_lost(false);
            return Ok(AwaitableCall(
                PyFuture::ready(answer(slf.py(), lost, time_limit)?).carried_out(),
            ));
        }
        let deadline = Instant::now() + time_limit;
        core.producer.shut();
        let ended = core.end_async(deadline).wait();
        let forgotten = Forgotten::Waiting(
            "close() of an asyncio producer was never awaited: nothing waits for the records",
            |_| (),
        );
        aio::spawn(forgotten, ended, move |py, has_waited| {
            answer(py, core.ending.tell_lost(has_waited), time_limit)
        })
    }
}

#[cold]
fn no_loop(call: &str) -> PyErr {
    PyRuntimeError::new_err(format!(
        "{call}() of an asyncio producer needs a running event loop, to be awaited in; call it in a coroutine. \
         send_nowait() takes a record from any thread; synchronous code uses kafkars.Producer"
    ))
}
