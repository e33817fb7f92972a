//! The synchronous producer.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use kafkars_client::{Delivery, Records};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::arrow::{self, ArrowBatches};
use super::base::PyBaseProducer;
use super::batch_builder::PyBatchBuilder;
use super::core::{self, ProducerCore};
use super::deliveries::PyDeliveries;
use super::delivery::PyDeliveryFuture;
use super::failures::{Failures, is_interrupt};
use super::send_arguments::Arguments;
use super::send_many::ColumnArguments;
use super::transactions::{self, TransactionCommand};
use crate::argument;
use crate::cluster;
use crate::config::ProducerSettings;
use crate::error;
use crate::gc;
use crate::runtime;
use crate::types;

/// Sends records; every wait detaches from the interpreter and looks for signals.
#[pyclass(name = "Producer", module = "kafkars._kafkars", extends = PyBaseProducer, frozen, subclass)]
pub(crate) struct PyProducer {
    core: Arc<ProducerCore>,
}

#[pymethods]
impl PyProducer {
    #[new]
    fn new(py: Python<'_>, config: ProducerSettings) -> PyResult<PyClassInitializer<Self>> {
        let core = ProducerCore::new(py, &config)?;
        let base = PyBaseProducer::new(&core);
        Ok(PyClassInitializer::from(base).add_subclass(Self { core }))
    }

    /// Hands a record to the producer. It is sent in the background; with a full buffer or an unknown topic the call
    /// waits, up to `max_block_ms`.
    ///
    /// Args:
    ///     topic: Where the record goes.
    ///     value: Bytes or text, or what `value_serializer` takes. None is a tombstone.
    ///     key: Likewise; records of one key go to one partition, in order.
    ///     partition: The partition's number; by default the partitioner chooses.
    ///     timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
    ///     headers: Pairs of name and bytes, text or None; or a mapping.
    ///     on_delivery: Called as `on_delivery(future)` in a later call of `poll()`, `flush()` or `close()`.
    ///
    /// Returns:
    ///     The future of its delivery; `result()` waits for it.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no room, or nothing was known of the topic, for `max_block_ms`.
    ///     TypeError: There is no serializer, and a value or key is neither bytes nor text.
    ///     SerializationError: A serializer failed.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    #[pyo3(signature = (topic, value=None, key=None, *, partition=None, timestamp=None, headers=None, on_delivery=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn send<'py>(
        &self,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
        value: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::record::partition)] partition: Option<i32>,
        #[pyo3(from_py_with = argument::record::timestamp)] timestamp: Option<i64>,
        headers: Option<&Bound<'py, PyAny>>,
        on_delivery: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDeliveryFuture>> {
        self.core.check()?;
        if let Some(function) = &on_delivery {
            argument::function(function.bind(py), "on_delivery")?;
        }
        let arguments = Arguments::new(topic, value, key, partition, timestamp, headers);
        let delivery = match &self.core.interceptors {
            None => self.core.take(py, &arguments)?,
            Some(_) => self.take_intercepted(py, &arguments)?,
        };
        let future = gc::new(py, PyDeliveryFuture::new(delivery, Arc::clone(&self.core)))?;
        if let Some(function) = on_delivery {
            // It never runs here: callbacks of earlier records may be due, and come first.
            future.get().call_back(function);
        }
        Ok(future)
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
    ///     A handle for all of their deliveries.
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
    ) -> PyResult<PyDeliveries> {
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        let columns = ColumnArguments::new(values, keys, partitions, timestamps, headers)?;
        let columns = columns.intercepted(&self.core, topic)?;
        let mut rows = columns.rows(&self.core, topic)?;
        let mut taken = Vec::with_capacity(rows.len());
        let deadline = Instant::now() + time_limit;
        let sent = self.core.send_rows(py, &mut rows, deadline, &mut taken);
        taken.iter().for_each(|delivery| self.core.watch(delivery));
        self.core.deliveries(py, taken, sent)
    }

    /// Sends the rows of an Arrow table without making a Python object of each. Serializers and interceptors do not
    /// run.
    ///
    /// The rows of a table, which is what has a length, are checked first: if one cannot be sent, none is. A stream
    /// without a length, such as a `pyarrow.RecordBatchReader`, is sent as it is read. The error's `index` is the row
    /// that it is about, its `sent` the handle of rows that were taken before a stream or the time ended.
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
    ///     A handle for all of their deliveries.
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
    #[pyo3(signature = (topic, data, *, value="value", key=None, headers=None, timestamp=None, partition=None, timeout=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of records")]
    fn send_arrow<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::topic)] topic: String,
        data: &Bound<'py, PyAny>,
        value: Option<&str>,
        key: Option<String>,
        headers: Option<String>,
        timestamp: Option<String>,
        partition: Option<String>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<PyDeliveries> {
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        let deadline = Instant::now() + time_limit;
        self.core.check_open(py)?;
        let names = arrow::names(value.map(Into::into), key, headers, timestamp, partition);
        let mut batches = ArrowBatches::new(data)?;
        batches.check(py, &names)?;
        let mut taken = Vec::new();
        let mut send = || {
            while let Some(mut rows) = batches.next_rows(py, &topic, &names)? {
                self.core.send_rows(py, &mut rows, deadline, &mut taken)?;
            }
            Ok(())
        };
        let sent = send();
        self.core.deliveries(py, taken, sent)
    }

    /// Sends a batch of `create_batch()` to a partition, and closes it. Waits for room as `send()` does.
    ///
    /// Args:
    ///     batch: What was filled.
    ///     topic: Where it goes.
    ///     partition: The partition's number.
    ///     timeout: Longest wait in seconds for room; `max_block_ms` by default.
    ///
    /// Returns:
    ///     The future of its first record; the others follow it.
    ///
    /// Raises:
    ///     KafkaTimeoutError: There was no room in time.
    ///     InvalidArgumentError: The batch is empty.
    ///     RecordTooLargeError: The record is larger than `max_request_size`.
    ///     InvalidPartitionError: The topic has no such partition.
    ///     InvalidRecordTimestampError: The timestamp is negative, too large, or in seconds.
    ///     TransactionStateError: The producer is transactional, and no transaction is open.
    ///     ClosedError: The producer is closed.
    #[pyo3(signature = (batch, topic, *, partition, timeout=None))]
    fn send_batch<'py>(
        &self,
        py: Python<'py>,
        batch: &Bound<'py, PyBatchBuilder>,
        topic: &str,
        partition: i32,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyDeliveryFuture>> {
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        let deadline = Instant::now() + time_limit;
        let batch = batch.get().fill()?;
        let producer = &self.core.producer;
        let permit = self.core.permit(py)?;
        let send =
            || batch.look(|batch| producer.try_send_batch(topic, partition, batch, Some(permit)));
        let delivery = self
            .core
            .send_blocking(py, send(), permit, deadline, send)?;
        gc::new(py, PyDeliveryFuture::new(delivery, Arc::clone(&self.core)))
    }

    /// Runs callbacks of deliveries on this thread.
    ///
    /// Args:
    ///     timeout: Seconds to wait until one can run; None waits without end.
    ///
    /// Returns:
    ///     How many ran.
    ///
    /// Raises:
    ///     Exception: What a callback raises.
    #[pyo3(signature = (timeout=0.0))]
    fn poll(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<usize> {
        types::check_timeout(timeout)?;
        self.core.check()?;
        let callbacks = &self.core.callbacks;
        let served = callbacks.serve(py)?;
        if served > 0 || timeout == Some(0.0) || callbacks.is_empty() {
            return Ok(served);
        }
        runtime::wait(py, types::timeout(timeout)?, |slice| callbacks.wait(slice))?;
        callbacks.serve(py)
    }

    /// Sends what is waiting at once, without lingering, and waits until everything sent before the call is reported.
    /// Runs callbacks meanwhile, and waits for those that another thread runs.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds; None waits without end.
    ///
    /// Returns:
    ///     How many of them are still on their way, or how many of their callbacks have not returned; 0 when all are
    ///     reported, whether stored or failed. `failed` of the number says how many records were not stored since the
    ///     last `flush()`, whether or not their futures and callbacks have told it.
    ///
    /// Raises:
    ///     Exception: The first that a callback raises, once the rest is done.
    #[pyo3(signature = (timeout=None))]
    fn flush<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.core.check()?;
        let deadline = types::timeout(timeout)?.map(|timeout| Instant::now() + timeout);
        let expected = self.core.expected_callbacks();
        let mut failures = Failures::default();
        let flushed = self.carry_out(py, self.core.producer.flush(deadline), &mut failures);
        let left = flushed.and_then(|left| {
            if left > 0 {
                return failures.collect(|| self.core.serve(py).map(|_| left));
            }
            (self.core).serve_all(py, &expected, deadline, &mut failures)
        });
        let left = failures.tell(py, left)?;
        core::flush_result(py, left, &self.core.producer)
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
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        self.transaction(py, TransactionCommand::Init, timeout)
    }

    /// Opens a transaction: everything sent from now on is part of it.
    ///
    /// Raises:
    ///     TransactionStateError: It does not fit the state, or an earlier failure leaves only `abort_transaction()`.
    ///     ClosedError: The producer is closed.
    fn begin_transaction(&self, py: Python<'_>) -> PyResult<()> {
        self.core.check()?;
        let begun = self.core.producer.begin_transaction();
        begun.map_err(|failure| error::transaction(py, &failure))
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
        py: Python<'_>,
        offsets: &Bound<'_, PyAny>,
        group_metadata: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        let offsets = transactions::offsets(offsets)?;
        let group = transactions::group(group_metadata)?;
        self.transaction(py, TransactionCommand::SendOffsets(group, offsets), timeout)
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
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        self.transaction(py, TransactionCommand::Commit, timeout)
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
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        self.transaction(py, TransactionCommand::Abort, timeout)
    }

    /// Waits until a transaction that a block has left has ended.
    #[pyo3(signature = (timeout=None))]
    fn _join_left_transaction(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<()> {
        self.core.check()?;
        match self.core.producer.has_left_transaction() {
            true => self.transaction(py, TransactionCommand::JoinLeft, timeout),
            false => Ok(()),
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
        py: Python<'_>,
        #[pyo3(from_py_with = argument::topic)] topic: String,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Py<PyAny>> {
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        let answer = runtime::block_on(
            py,
            core::partitions_for(Arc::clone(&self.core), topic, time_limit),
        )?;
        cluster::partitions(
            py,
            &*answer.map_err(|failure| error::produce(py, &failure))?,
        )
    }

    /// Takes no more records, sends what there is, and ends; a transaction that is open is aborted by the cluster.
    /// While another thread closes, this waits for it. Ctrl+C gives up what there is.
    ///
    /// Args:
    ///     timeout: Longest wait in seconds for what is not acknowledged; `close_timeout_ms` by default. Where there is
    ///         nothing to wait for it ends at once, with or without brokers.
    ///
    /// Returns:
    ///     How many records were given up because they were not acknowledged in time; their futures and callbacks get a
    ///     `ClosedError`. `failed` of the number says how many others were not stored since the last `flush()`.
    ///
    /// Raises:
    ///     Exception: The first that a callback raises, once the rest is done.
    #[pyo3(signature = (timeout=None))]
    fn close<'py>(
        slf: &Bound<'py, Self>,
        #[pyo3(from_py_with = argument::timeout)] timeout: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let lost = Self::end(slf, timeout)?;
        core::flush_result(slf.py(), lost, &slf.get().core.producer)
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        slf.get().core.check()?;
        if slf.as_super().get().closed.load(Ordering::Acquire) {
            return Err(error::closed("producer"));
        }
        Ok(slf)
    }

    /// Closes, and raises `KafkaTimeoutError` when records had to be given up. Where the block failed, that failure is
    /// what counts, and records that are lost do not hide it.
    #[pyo3(signature = (*exception))]
    fn __exit__(slf: &Bound<'_, Self>, exception: &Bound<'_, PyTuple>) -> PyResult<()> {
        let failed = exception.get_item(0).is_ok_and(|kind| !kind.is_none());
        let py = slf.py();
        let kind = exception.get_item(0);
        let interrupted = kind.is_ok_and(|kind| kind.is(py.get_type::<PyKeyboardInterrupt>()));
        if interrupted {
            slf.get().core.tell_wait();
        }
        match Self::end(slf, None) {
            Err(error) if !failed || is_interrupt(py, &error) => Err(error),
            Ok(lost) if lost > 0 && !failed => {
                Err(core::given_up(lost, slf.get().core.close_timeout()))
            }
            _ => Ok(()),
        }
    }
}

impl PyProducer {
    /// The core, for the face of another library.
    pub(crate) fn core(&self) -> Arc<ProducerCore> {
        Arc::clone(&self.core)
    }

    /// Closes. Returns how many records were given up.
    fn end(slf: &Bound<'_, Self>, timeout: Option<f64>) -> PyResult<usize> {
        let core = &slf.get().core;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| core.close_timeout());
        slf.as_super().get().closed.store(true, Ordering::Release);
        match core.is_elsewhere() {
            true => Ok(0),
            false => core.end(slf.py(), Instant::now() + time_limit),
        }
    }

    /// Sends a record, with interceptors before and after.
    fn take_intercepted<'py>(
        &self,
        py: Python<'py>,
        arguments: &Arguments<'_, 'py>,
    ) -> PyResult<Delivery> {
        self.core.acknowledgements.serve(py)?;
        let taken = match self.core.intercept(py, arguments)? {
            None => self.core.take(py, arguments),
            Some(intercepted) => self.core.take(py, &intercepted.arguments()),
        };
        match taken {
            Ok(delivery) => {
                self.core.watch(&delivery);
                Ok(delivery)
            }
            Err(failure) => Err(self.core.refused(py, failure)),
        }
    }

    fn transaction(
        &self,
        py: Python<'_>,
        step: TransactionCommand,
        timeout: Option<f64>,
    ) -> PyResult<()> {
        self.core.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.core.producer.max_block());
        let deadline = Instant::now() + time_limit;
        let is_end = matches!(
            step,
            TransactionCommand::Commit | TransactionCommand::Abort | TransactionCommand::JoinLeft
        );
        let expected = self.core.expected_callbacks();
        let call = Arc::clone(&self.core).transaction(step, deadline);
        let mut failures = Failures::default();
        let outcome = self.carry_out(py, call, &mut failures);
        let outcome = match outcome {
            Ok(outcome) => outcome.map_err(|failure| error::produce(py, &failure)),
            // The call has begun, and goes on.
            Err(interrupt) => return failures.tell(py, Err(interrupt)),
        };
        let served = match is_end && outcome.is_ok() {
            // As in flush(): the callbacks of the transaction's records run.
            true => (self.core).serve_all(py, &expected, Some(deadline), &mut failures),
            false => failures.collect(|| self.core.serve(py)),
        };
        if let Err(interrupt) = served {
            failures.interrupted(interrupt)?;
        }
        failures.tell(py, outcome)
    }

    /// Waits for a future to its end. Callbacks run meanwhile, and their exceptions do not end the wait, unless they
    /// are interrupts.
    fn carry_out<F>(
        &self,
        py: Python<'_>,
        future: F,
        failures: &mut Failures,
    ) -> PyResult<F::Output>
    where
        F: Future + Send,
        F::Output: Send,
    {
        let serve = |py: Python<'_>| failures.collect(|| self.core.serve(py)).map(drop);
        runtime::block_on_with(py, future, serve)
    }
}
