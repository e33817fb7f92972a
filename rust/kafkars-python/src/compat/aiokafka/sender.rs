//! The calls of `AIOKafkaProducer` that run once per record; the Python class derives from this.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use kafkars_client::{ProduceError, RecordMetadata};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyList, PyMemoryView, PyTuple, PyType};

use super::faults;
use crate::aio::{self, Call, PyFuture};
use crate::error;
use crate::producer::{
    Arguments, Awaits, Entry, ProducerCore, PyAsyncProducer, PyBatchBuilder, SendArguments,
};
use crate::types;

/// Sends of a producer that may not be started yet.
#[pyclass(name = "AiokafkaSender", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PySender {
    desk: OnceLock<SendEngine>,
    stopped: AtomicBool,
}

struct SendEngine {
    core: Arc<ProducerCore>,
    key_serializer: Option<Py<PyAny>>,
    value_serializer: Option<Py<PyAny>>,
}

#[pymethods]
impl PySender {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            desk: OnceLock::new(),
            stopped: AtomicBool::new(false),
        }
    }

    /// The producer has started: records go to `engine`. Without acknowledgements reports are None.
    fn _open(
        &self,
        engine: &Bound<'_, PyAsyncProducer>,
        key_serializer: Option<Py<PyAny>>,
        value_serializer: Option<Py<PyAny>>,
        acknowledged: bool,
    ) {
        self.desk.get_or_init(|| {
            let core = engine.get().core();
            core.report_by(if acknowledged { reported } else { unreported });
            SendEngine {
                core,
                key_serializer,
                value_serializer,
            }
        });
    }

    /// The producer is being stopped: sends fail from now on.
    fn _shut(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Waits until the cluster is known, for at most `timeout` seconds; fails as soon as every address was tried.
    fn _reach(&self, py: Python<'_>, timeout: f64) -> PyResult<Call> {
        let core = Arc::clone(&self.desk(py)?.core);
        let timeout = types::timeout(Some(timeout))?.unwrap_or_default();
        let deadline = std::time::Instant::now() + timeout;
        aio::spawn(
            async move { core.producer.client().first_contact(deadline).await },
            |py, outcome| match outcome {
                Ok(()) => Ok(py.None()),
                Err(failure) => Err(faults::raised(py, error::client(py, &failure))),
            },
        )
    }

    /// An empty batch of at most `limit` bytes, or of one record of any size: as in aiokafka, sending refuses what is
    /// too large.
    #[staticmethod]
    fn _new_batch(limit: usize) -> PyBatchBuilder {
        PyBatchBuilder::new(limit, i32::MAX as usize)
    }

    /// Sends a batch to a partition; the answer is the metadata of its first record. As in aiokafka, this is a future
    /// and no coroutine: `asyncio.wait` takes it.
    fn _send_batch<'py>(
        &self,
        batch: &Bound<'py, PyBatchBuilder>,
        topic: &str,
        partition: i32,
    ) -> PyResult<Bound<'py, PyFuture>> {
        let py = batch.py();
        let core = &self.open(py)?.core;
        let patience = core.producer.max_block();
        let call = core.enter_batch(py, batch.get(), topic, partition, patience);
        call.and_then(|Call(future)| future.into_object(py))
            .map_err(|error| faults::raised(py, error))
    }

    /// Hands a record to the producer; awaiting waits until there is room for it, and gives the future of its delivery.
    #[pyo3(signature = (topic, value=None, key=None, partition=None, timestamp_ms=None, headers=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn send(
        &self,
        py: Python<'_>,
        topic: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        partition: Option<&Bound<'_, PyAny>>,
        timestamp_ms: Option<&Bound<'_, PyAny>>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> Call {
        let given = Given::new(topic, value, key, partition, timestamp_ms, headers);
        self.enter(py, &given, Awaits::Admission)
    }

    /// Sends a record; awaiting gives its `RecordMetadata`.
    #[pyo3(signature = (topic, value=None, key=None, partition=None, timestamp_ms=None, headers=None))]
    #[expect(clippy::too_many_arguments, reason = "the parts of a record")]
    fn send_and_wait(
        &self,
        py: Python<'_>,
        topic: &Bound<'_, PyAny>,
        value: Option<&Bound<'_, PyAny>>,
        key: Option<&Bound<'_, PyAny>>,
        partition: Option<&Bound<'_, PyAny>>,
        timestamp_ms: Option<&Bound<'_, PyAny>>,
        headers: Option<&Bound<'_, PyAny>>,
    ) -> Call {
        let given = Given::new(topic, value, key, partition, timestamp_ms, headers);
        self.enter(py, &given, Awaits::Delivery)
    }

    /// Serializers may know this producer.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(desk) = self.desk.get() else {
            return Ok(());
        };
        visit.call(&desk.key_serializer)?;
        visit.call(&desk.value_serializer)
    }
}

/// The arguments of one call, in its order.
struct Given<'a, 'py> {
    topic: &'a Bound<'py, PyAny>,
    value: Option<&'a Bound<'py, PyAny>>,
    key: Option<&'a Bound<'py, PyAny>>,
    partition: Option<&'a Bound<'py, PyAny>>,
    timestamp: Option<&'a Bound<'py, PyAny>>,
    headers: Option<&'a Bound<'py, PyAny>>,
}

impl<'a, 'py> Given<'a, 'py> {
    fn new(
        topic: &'a Bound<'py, PyAny>,
        value: Option<&'a Bound<'py, PyAny>>,
        key: Option<&'a Bound<'py, PyAny>>,
        partition: Option<&'a Bound<'py, PyAny>>,
        timestamp: Option<&'a Bound<'py, PyAny>>,
        headers: Option<&'a Bound<'py, PyAny>>,
    ) -> Self {
        Self {
            topic,
            value,
            key,
            partition,
            timestamp,
            headers,
        }
    }
}

impl PySender {
    fn desk(&self, py: Python<'_>) -> PyResult<&SendEngine> {
        self.desk
            .get()
            .ok_or_else(|| faults::not_started(py, "producer"))
    }

    #[inline]
    fn open(&self, py: Python<'_>) -> PyResult<&SendEngine> {
        match self.stopped.load(Ordering::Acquire) {
            true => Err(faults::producer_closed(py)),
            false => self.desk(py),
        }
    }

    /// What is wrong with the call is told when it is awaited, as coroutines do.
    #[inline]
    fn enter(&self, py: Python<'_>, given: &Given<'_, '_>, awaits: Awaits) -> Call {
        let entered = self.try_enter(py, given, awaits);
        Call(entered.unwrap_or_else(|error| PyFuture::failed(faults::raised(py, error))))
    }

    #[inline]
    fn try_enter(
        &self,
        py: Python<'_>,
        given: &Given<'_, '_>,
        awaits: Awaits,
    ) -> PyResult<PyFuture> {
        if given.value.is_none() && given.key.is_none() {
            return Err(faults::assertion("a record needs a value or a key"));
        }
        let desk = self.open(py)?;
        let core = &desk.core;
        core.check()?;
        let headers = given.headers.map(checked_headers).transpose()?;
        let key = part(given.key, desk.key_serializer.as_ref(), py)?;
        let value = part(given.value, desk.value_serializer.as_ref(), py)?;
        let arguments = Arguments::new(
            given.topic,
            value.as_ref(),
            key.as_ref(),
            given.partition.map(partition_number).transpose()?,
            given.timestamp.map(milliseconds).transpose()?,
            headers,
        );
        let record = SendArguments::new(core, &arguments)?;
        let patience = core.producer.max_block();
        match core.enter(py, record, false, patience)? {
            Entry::Failed(failure) => Err(error::produce(py, &failure)),
            entry => entry.future(py, awaits),
        }
    }
}

/// Key or value as bytes. A serializer sees None as well.
#[inline]
fn part<'py>(
    given: Option<&Bound<'py, PyAny>>,
    serializer: Option<&Py<PyAny>>,
    py: Python<'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let part = match serializer {
        None => given.cloned(),
        Some(serializer) => {
            let made = serializer.bind(py).call1((given,))?;
            (!made.is_none()).then_some(made)
        }
    };
    if let Some(part) = &part {
        check_bytes(part)?;
    }
    Ok(part)
}

#[inline]
fn check_bytes(part: &Bound<'_, PyAny>) -> PyResult<()> {
    if part.is_instance_of::<PyBytes>()
        || part.is_instance_of::<PyByteArray>()
        || part.is_instance_of::<PyMemoryView>()
    {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "a bytes-like object is required, not '{}'",
        part.get_type().name()?
    )))
}

fn partition_number(given: &Bound<'_, PyAny>) -> PyResult<i32> {
    let number: i32 = given.extract()?;
    match number < 0 {
        true => Err(faults::assertion("partitions are numbered from 0")),
        false => Ok(number),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "fractions are left out")]
fn milliseconds(given: &Bound<'_, PyAny>) -> PyResult<i64> {
    given
        .extract::<i64>()
        .or_else(|_| given.extract::<f64>().map(|number| number as i64))
}

/// A list of tuples of text and bytes.
fn checked_headers<'a, 'py>(given: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyAny>> {
    let wrong = |expected: &str, found: &Bound<'py, PyAny>| {
        let found = found.get_type().name()?;
        Err(PyTypeError::new_err(format!(
            "headers: expected {expected}, not {found}"
        )))
    };
    let Ok(list) = given.cast::<PyList>() else {
        return wrong("a list of tuples", given);
    };
    for pair in list.iter() {
        let Ok(pair) = pair.cast::<PyTuple>() else {
            return wrong("a tuple of name and value", &pair);
        };
        let value = pair.get_item(1)?;
        if !value.is_none() {
            check_bytes(&value)?;
        }
    }
    Ok(given)
}

/// A delivery as aiokafka reports it.
fn reported(py: Python<'_>, outcome: Result<RecordMetadata, ProduceError>) -> PyResult<Py<PyAny>> {
    match outcome {
        Ok(metadata) => record_metadata(py, &metadata),
        Err(failure) => Err(faults::raised(py, error::produce(py, &failure))),
    }
}

/// The same where nobody acknowledges anything.
fn unreported(
    py: Python<'_>,
    outcome: Result<RecordMetadata, ProduceError>,
) -> PyResult<Py<PyAny>> {
    match outcome {
        Ok(_) => Ok(py.None()),
        Err(failure) => Err(faults::raised(py, error::produce(py, &failure))),
    }
}

/// `structs.RecordMetadata`, made as a tuple is: its own constructor is Python code.
fn record_metadata(py: Python<'_>, metadata: &RecordMetadata) -> PyResult<Py<PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    static PARTITION: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "kafkars.compat.aiokafka.structs", "RecordMetadata")?;
    let partition_class = PARTITION.import(py, "kafkars.types", "TopicPartition")?;
    let topic = pyo3::types::PyString::intern(py, &metadata.topic);
    let partition = named_tuple(
        partition_class,
        (&topic, metadata.partition).into_pyobject(py)?,
    )?;
    let fields = (
        &topic,
        metadata.partition,
        partition,
        metadata.offset,
        metadata.timestamp,
        i32::from(metadata.log_append_time),
        py.None(),
    );
    named_tuple(class, fields.into_pyobject(py)?).map(Bound::unbind)
}

fn named_tuple<'py>(
    class: &Bound<'py, PyType>,
    fields: Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    static NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = class.py();
    let new = NEW.get_or_try_init(py, || {
        let tuple = py.get_type::<PyTuple>();
        tuple.getattr(intern!(py, "__new__")).map(Bound::unbind)
    })?;
    new.bind(py).call1((class, fields))
}
