//! The calls of `AIOKafkaConsumer` that run once per record or batch of records; the Python class derives from this.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kafkars_client::WaitingRead;
use kafkars_client::config::TopicPartition;
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyStopAsyncIteration, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyTuple};

use super::errors;
use super::record_reader::{Functions, RecordReader};
use super::wait::{Selection, ServeWait};
use crate::aio::{
    self, Amount, AwaitableCall, Forgotten, PyFuture, ReadRequest, RecordReads, coroutine_method,
};
use crate::consumer::PyAsyncConsumer;
use crate::error;
use crate::imports::{AIOKAFKA_NEXT_BY_GETONE, TOPIC_PARTITION};
use crate::types;

/// Reads of a consumer that may not be started yet.
#[pyclass(name = "AiokafkaReader", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyAiokafkaReader {
    reader: OnceLock<Arc<RecordReader>>,
    // Shared with reads that were called and not awaited yet.
    stopped: Arc<AtomicBool>,
}

#[pymethods]
impl PyAiokafkaReader {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            reader: OnceLock::new(),
            stopped: Arc::new(AtomicBool::new(false)),
        }
    }

    /// Reads from `engine` from now on, because the consumer has started.
    fn _open(
        &self,
        engine: &Bound<'_, PyAsyncConsumer>,
        key_deserializer: Option<Py<PyAny>>,
        value_deserializer: Option<Py<PyAny>>,
        max_poll_records: Option<usize>,
    ) {
        // As in aiokafka, automatic commits do not wait until the application asks for more.
        engine.get().core().consumer.finish_when_handed_out();
        let has_functions = key_deserializer.is_some() || value_deserializer.is_some();
        self.reader.get_or_init(|| {
            Arc::new(RecordReader {
                core: engine.get().core(),
                deserializers: has_functions.then_some(Functions {
                    key: key_deserializer,
                    value: value_deserializer,
                }),
                max_records: max_poll_records.unwrap_or(usize::MAX),
                stopped: Arc::clone(&self.stopped),
            })
        });
    }

    /// Lets reads fail that begin from now on, because the consumer is being stopped.
    fn _shut(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Keeps an error for the next read.
    fn _raise_later(&self, error: Bound<'_, PyAny>) {
        if let Some(reader) = self.reader.get() {
            reader.core.raise_later(PyErr::from_value(error));
            reader.core.consumer.wake_readers();
        }
    }

    /// Waits until the cluster is known, for at most `timeout` seconds; fails as soon as every address was tried.
    fn _reach(&self, py: Python<'_>, timeout: f64) -> PyResult<AwaitableCall> {
        let core = Arc::clone(&self.reader(py)?.core);
        let deadline = core.deadline(Some(timeout))?;
        aio::spawn(
            Forgotten::GoesOn,
            async move { core.consumer.client().first_contact(deadline).await },
            |py, outcome| match outcome {
                Ok(()) => Ok(py.None()),
                Err(failure) => Err(errors::raised(py, error::client(py, &failure))),
            },
        )
    }

    /// Waits for events of the group and serves them. The result is True if the consumer is closed.
    fn _serve(&self, py: Python<'_>) -> PyResult<AwaitableCall> {
        let wait = ServeWait::new(self.reader(py)?);
        Ok(AwaitableCall(PyFuture::pending(Arc::new(wait))))
    }

    /// Notes that the program waits for what the group does, as it would in a read: `max_poll_interval_ms` does not run
    /// in the block of the returned context manager.
    fn _waiting(&self, py: Python<'_>) -> PyResult<PyGroupWait> {
        let waits = self.reader(py)?.core.consumer.start_waiting();
        Ok(PyGroupWait(Mutex::new(Some(waits))))
    }

    /// High watermark, last stable offset and milliseconds since the last response of a broker; None before the first.
    fn _last_fetch(&self, partition: &Bound<'_, PyAny>) -> PyResult<Option<(i64, i64, f64)>> {
        let py = partition.py();
        let partition = types::partition_from(partition)?;
        let found = self.reader(py)?.core.consumer.last_fetch(&partition);
        let found = found.map_err(|failure| errors::raised(py, error::fetch(py, &failure)))?;
        Ok(found.map(|found| {
            let ago = found.ago.as_secs_f64() * 1000.0;
            (found.high_watermark, found.last_stable_offset, ago)
        }))
    }

    /// The partitions of a topic as far as they are known now; None if the topic is not known.
    fn _known_partitions(&self, topic: &str) -> Option<Vec<i32>> {
        let cluster = self.reader.get()?.core.consumer.client().cluster();
        let partitions = &cluster.topic(topic)?.partitions;
        let count = i32::try_from(partitions.len()).unwrap_or(i32::MAX);
        (count > 0).then(|| (0..count).collect())
    }

    /// Where the program has read to: topic, partition and offset of every position that is known.
    fn _consumed(&self, py: Python<'_>) -> PyResult<Vec<(String, i32, i64)>> {
        let consumed = self.reader(py)?.core.consumer.consumed_offsets();
        let told = consumed.into_iter().map(|(at, position)| {
            let topic: &str = &at.topic;
            (topic.to_owned(), at.partition, position.offset)
        });
        Ok(told.collect())
    }

    /// The next record, however long it takes; of these partitions where any are named.
    #[pyo3(signature = (*partitions))]
    fn getone(&self, py: Python<'_>, partitions: &Bound<'_, PyTuple>) -> AwaitableCall {
        AwaitableCall(self.one(py, partitions).unwrap_or_else(PyFuture::refused))
    }

    /// What is ready as `{partition: [record]}`, of these partitions where any are named. Waits up to `timeout_ms`
    /// where nothing is; an empty mapping means that nothing came.
    #[pyo3(
        signature = (*partitions, timeout_ms=None, max_records=None),
        text_signature = "($self, *partitions, timeout_ms=0, max_records=None)"
    )]
    fn getmany(
        &self,
        py: Python<'_>,
        partitions: &Bound<'_, PyTuple>,
        timeout_ms: Option<&Bound<'_, PyAny>>,
        max_records: Option<&Bound<'_, PyAny>>,
    ) -> AwaitableCall {
        AwaitableCall(
            self.many(py, partitions, timeout_ms, max_records)
                .unwrap_or_else(PyFuture::refused),
        )
    }

    fn __aiter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, Self>> {
        match slf.get().stopped.load(Ordering::Acquire) {
            true => Err(errors::stopped(slf.py())),
            false => Ok(slf.clone()),
        }
    }

    /// The next record, however long it takes; the iteration ends when the consumer is stopped. As in aiokafka, a
    /// `getone` that a subclass or tracing has put in the place of the native one hands out the records of loops, too.
    ///
    /// Whatever fails does so when it is awaited: CPython's `anext()` with a default ends the process otherwise.
    fn __anext__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::following(slf)
            .or_else(|error| AwaitableCall(PyFuture::refused(error)).into_bound_py_any(slf.py()))
    }

    /// Deserializers may refer to this consumer. Reads under way share them, and go on without it.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(functions) = self.reader.get().and_then(RecordReader::functions_of_one) else {
            return Ok(());
        };
        visit.call(&functions.key)?;
        visit.call(&functions.value)
    }
}

/// A wait of the program that is no read.
#[pyclass(name = "GroupWait", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyGroupWait(Mutex<Option<WaitingRead>>);

#[pymethods]
impl PyGroupWait {
    #[expect(clippy::unused_self, reason = "a method of context managers")]
    fn __enter__(&self) {}

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {
        let ended = self.0.lock().take();
        drop(ended);
    }
}

impl PyAiokafkaReader {
    fn following<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let this = slf.get();
        if this.stopped.load(Ordering::Acquire) {
            return Err(PyStopAsyncIteration::new_err(()));
        }
        let reader = this.reader(py)?;
        if !coroutine_method::is_native(slf.as_any(), intern!(py, "getone"))? {
            return AIOKAFKA_NEXT_BY_GETONE.get(py)?.call1((slf,));
        }
        AwaitableCall(read(reader, Vec::new(), Amount::Next, None)).into_bound_py_any(py)
    }

    fn reader(&self, py: Python<'_>) -> PyResult<&Arc<RecordReader>> {
        self.reader
            .get()
            .ok_or_else(|| errors::not_started(py, "consumer"))
    }

    fn open(&self, py: Python<'_>) -> PyResult<&Arc<RecordReader>> {
        match self.stopped.load(Ordering::Acquire) {
            true => Err(errors::stopped(py)),
            false => self.reader(py),
        }
    }

    #[inline]
    fn one(&self, py: Python<'_>, partitions: &Bound<'_, PyTuple>) -> PyResult<PyFuture> {
        let wanted = wanted(partitions)?;
        let reader = self.open(py)?;
        Ok(read(reader, wanted, Amount::One, None))
    }

    fn many(
        &self,
        py: Python<'_>,
        partitions: &Bound<'_, PyTuple>,
        timeout_ms: Option<&Bound<'_, PyAny>>,
        max_records: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyFuture> {
        let wanted = wanted(partitions)?;
        let reader = self.open(py)?;
        let max = most(max_records)?.unwrap_or(reader.max_records);
        let timeout = match timeout_ms {
            None => 0.0,
            Some(timeout) => timeout.extract::<f64>()?,
        };
        // An invalid time limit counts as 0, as in aiokafka.
        let timeout = Duration::try_from_secs_f64(timeout / 1000.0).unwrap_or_default();
        let timeout = Some(timeout.as_secs_f64());
        Ok(read(reader, wanted, Amount::Many(max), timeout))
    }
}

#[inline]
fn read(
    reader: &Arc<RecordReader>,
    partitions: Vec<TopicPartition>,
    amount: Amount,
    timeout: Option<f64>,
) -> PyFuture {
    let reader = Arc::clone(reader);
    let reader: Arc<dyn RecordReads> = match partitions.is_empty() {
        true => reader,
        false => Arc::new(Selection { reader, partitions }),
    };
    PyFuture::read(reader, ReadRequest { amount, timeout })
}

#[inline]
fn wanted(partitions: &Bound<'_, PyTuple>) -> PyResult<Vec<TopicPartition>> {
    if partitions.is_empty() {
        return Ok(Vec::new());
    }
    let py = partitions.py();
    let class = TOPIC_PARTITION.get(py)?;
    let each = partitions.iter().map(|partition| {
        if !partition.is_instance(class)? {
            return Err(errors::assertion("partitions are named by TopicPartition"));
        }
        types::partition_from(&partition)
    });
    each.collect()
}

fn most(max_records: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(given) = max_records else {
        return Ok(None);
    };
    let is_number = given.is_instance_of::<PyInt>();
    match given.extract::<usize>() {
        Ok(max) if is_number && max > 0 => Ok(Some(max)),
        Err(error) if is_number && error.is_instance_of::<PyTypeError>(given.py()) => Err(error),
        _ => Err(PyValueError::new_err(format!(
            "max_records must be a positive integer, not {}",
            given.repr()?
        ))),
    }
}
