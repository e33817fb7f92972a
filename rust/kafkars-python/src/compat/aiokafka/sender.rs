//! The calls of `AIOKafkaProducer` that run once per record; the Python class derives from this.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyBufferError, PyRuntimeWarning, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMemoryView, PyString, PyTuple};

use super::errors;
use super::hooks::Hooks;
use super::record_metadata::{reported, unreported};
use crate::aio::{self, AwaitableCall, Begun, Forgotten, PyFuture, Unbegun, coroutine_method};
use crate::error;
use crate::gc::at_end_of_life;
use crate::imports::{AIOKAFKA_SEND_BY_METHODS, AIOKAFKA_SEND_THROUGH_SEND};
use crate::producer::{
    Arguments, Awaits, ProducerCore, PyAsyncProducer, PyBatchBuilder, SendArguments, SendEntry,
};
use crate::types;

/// Sends of a producer that may not be started yet.
#[pyclass(name = "AiokafkaSender", module = "kafkars._kafkars", frozen, subclass)]
pub(crate) struct PyAiokafkaSender {
    engine: OnceLock<AiokafkaSendEngine>,
    stopped: AtomicBool,
}

struct AiokafkaSendEngine {
    core: Arc<ProducerCore>,
    key_serializer: Option<Py<PyAny>>,
    value_serializer: Option<Py<PyAny>>,
    hooks: Hooks,
    /// The producer's own attributes.
    attributes: Py<PyDict>,
    /// The topics for which sends wait until they are known; later ones must not pass them.
    awaited_topics: Py<PyDict>,
    // Guards the topic that was known last: programs mostly send to the same one.
    known_topic: Mutex<Option<Py<PyString>>>,
}

#[pymethods]
impl PyAiokafkaSender {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            engine: OnceLock::new(),
            stopped: AtomicBool::new(false),
        }
    }

    /// Sends by `engine` from now on, because the producer has started. Without acknowledgements results are None.
    /// `attributes` are the producer's own; sends wait for the topics in `awaited_topics`.
    fn _open(
        &self,
        engine: &Bound<'_, PyAsyncProducer>,
        serializers: (Option<Py<PyAny>>, Option<Py<PyAny>>),
        acknowledged: bool,
        attributes: Py<PyDict>,
        awaited_topics: Py<PyDict>,
    ) {
        let (key_serializer, value_serializer) = serializers;
        self.engine.get_or_init(|| {
            let core = engine.get().core();
            core.report_by(if acknowledged { reported } else { unreported });
            // As in aiokafka, for idempotent producers also, whose records have no other time limit.
            core.producer.give_up_with_topic();
            AiokafkaSendEngine {
                core,
                key_serializer,
                value_serializer,
                hooks: Hooks::default(),
                attributes,
                awaited_topics,
                known_topic: Mutex::new(None),
            }
        });
    }

    /// Lets sends fail from now on, because the producer is being stopped.
    fn _shut(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Waits until the cluster is known, for at most `timeout` seconds; fails as soon as every address was tried.
    fn _reach(&self, py: Python<'_>, timeout: f64) -> PyResult<AwaitableCall> {
        let core = Arc::clone(&self.engine(py)?.core);
        let timeout = types::timeout(Some(timeout))?.unwrap_or_default();
        let deadline = std::time::Instant::now() + timeout;
        aio::spawn(
            Forgotten::GoesOn,
            async move { core.producer.client().first_contact(deadline).await },
            |py, outcome| match outcome {
                Ok(()) => Ok(py.None()),
                Err(failure) => Err(errors::raised(py, error::client(py, &failure))),
            },
        )
    }

    /// An empty batch for less than `limit` bytes, or for one record of any size: as in aiokafka, only sending refuses
    /// what is too large.
    #[staticmethod]
    fn _new_batch(limit: usize) -> PyBatchBuilder {
        PyBatchBuilder::new(limit.saturating_sub(1), i32::MAX as usize)
    }

    /// Key or value of a record of a batch as bytes.
    #[staticmethod]
    fn _bytes_of(part: Option<Bound<'_, PyAny>>) -> PyResult<Option<Bound<'_, PyAny>>> {
        part.map(bytes_of).transpose()
    }

    /// Headers of a record of a batch, once they are known to be such.
    #[staticmethod]
    fn _checked_headers(headers: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
        checked_headers(&headers)?;
        Ok(headers)
    }

    /// Sends a batch to a partition; the result is the metadata of its first record. As in aiokafka, this is a future
    /// and no coroutine: `asyncio.wait` takes it.
    fn _send_batch<'py>(
        &self,
        batch: &Bound<'py, PyBatchBuilder>,
        topic: &str,
        partition: i32,
    ) -> PyResult<Bound<'py, PyFuture>> {
        let py = batch.py();
        let core = &self.open(py)?.core;
        let time_limit = core.producer.max_block();
        let call = core.enter_batch(py, batch.get(), topic, partition, time_limit);
        call.and_then(|AwaitableCall(future)| future.into_object(py))
            .map_err(|error| errors::raised(py, error))
    }

    /// Hands a record to the producer; awaiting waits until there is room for it, and gives the future of its delivery.
    /// A record of a topic that is not known yet, or of a producer whose methods were replaced, goes by those methods.
    #[pyo3(signature = (topic, value=None, key=None, partition=None, timestamp_ms=None, headers=None))]
    fn send<'py>(
        slf: &Bound<'py, Self>,
        topic: Py<PyAny>,
        value: Option<Py<PyAny>>,
        key: Option<Py<PyAny>>,
        partition: Option<Py<PyAny>>,
        timestamp_ms: Option<Py<PyAny>>,
        headers: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if !Self::sends_at_once(slf, topic.bind(py))? {
            let given = (slf, topic, value, key, partition, timestamp_ms, headers);
            return AIOKAFKA_SEND_BY_METHODS.get(py)?.call1(given);
        }
        let optional = [value, key, partition, timestamp_ms, headers];
        let given = AiokafkaSendArguments { topic, optional };
        let call = UnawaitedSend::call(slf.clone().unbind(), given, Awaits::Admission);
        call.into_bound_py_any(py)
    }

    /// True if the engine knows the partitions of a topic.
    fn _knows(&self, py: Python<'_>, topic: &str) -> PyResult<bool> {
        Ok(self.engine(py)?.core.is_known(topic))
    }

    /// Hands a record to the producer whose key and value are bytes already, and may both be None.
    fn _send_bytes(
        slf: &Bound<'_, Self>,
        topic: Py<PyAny>,
        value: Option<Py<PyAny>>,
        key: Option<Py<PyAny>>,
        partition: Option<Py<PyAny>>,
        timestamp_ms: Option<Py<PyAny>>,
        headers: Option<Py<PyAny>>,
    ) -> PyResult<AwaitableCall> {
        let optional = [value, key, partition, timestamp_ms, headers];
        let given = AiokafkaSendArguments { topic, optional };
        let py = slf.py();
        let engine = slf.get().open(py)?;
        let entered = engine.enter(py, &given, [None, None], Awaits::Admission);
        entered
            .map(AwaitableCall)
            .map_err(|error| errors::raised(py, error))
    }

    /// Sends a record; awaiting gives its `RecordMetadata`. As in aiokafka, a `send` that a subclass, tracing or the
    /// object itself has put in the place of the native one is what sends it.
    #[pyo3(signature = (topic, value=None, key=None, partition=None, timestamp_ms=None, headers=None))]
    fn send_and_wait<'py>(
        slf: &Bound<'py, Self>,
        topic: Py<PyAny>,
        value: Option<Py<PyAny>>,
        key: Option<Py<PyAny>>,
        partition: Option<Py<PyAny>>,
        timestamp_ms: Option<Py<PyAny>>,
        headers: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        if !coroutine_method::is_native(slf.as_any(), intern!(py, "send"))?
            || !Self::sends_at_once(slf, topic.bind(py))?
        {
            let given = (slf, topic, value, key, partition, timestamp_ms, headers);
            return AIOKAFKA_SEND_THROUGH_SEND.get(py)?.call1(given);
        }
        let optional = [value, key, partition, timestamp_ms, headers];
        let given = AiokafkaSendArguments { topic, optional };
        let call = UnawaitedSend::call(slf.clone().unbind(), given, Awaits::Delivery);
        call.into_bound_py_any(py)
    }

    /// Serializers may refer to this producer.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(engine) = self.engine.get() else {
            return Ok(());
        };
        visit.call(&engine.key_serializer)?;
        visit.call(&engine.value_serializer)?;
        visit.call(&engine.attributes)?;
        visit.call(&*engine.known_topic.lock())?;
        visit.call(&engine.awaited_topics)
    }
}

/// The arguments of one call.
struct AiokafkaSendArguments {
    topic: Py<PyAny>,
    /// Value, key, partition, timestamp, headers.
    optional: [Option<Py<PyAny>>; 5],
}

/// A send that was not awaited yet: nothing has happened, as with the coroutine of the original.
struct UnawaitedSend {
    sender: Py<PyAiokafkaSender>,
    given: AiokafkaSendArguments,
    awaits: Awaits,
    is_over: bool,
}

impl UnawaitedSend {
    #[inline]
    fn call(
        sender: Py<PyAiokafkaSender>,
        given: AiokafkaSendArguments,
        awaits: Awaits,
    ) -> AwaitableCall {
        AwaitableCall(PyFuture::unbegun(Box::new(Self {
            sender,
            given,
            awaits,
            is_over: false,
        })))
    }
}

impl Unbegun for UnawaitedSend {
    #[inline]
    fn begin(mut self: Box<Self>, py: Python<'_>) -> Begun {
        self.is_over = true;
        let entered = self.sender.get().enter(py, &self.given, self.awaits);
        entered.begun()
    }

    fn give_up(mut self: Box<Self>) {
        self.is_over = true;
    }
}

impl Drop for UnawaitedSend {
    /// Warns that the send was never awaited, as the interpreter does for coroutines.
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        at_end_of_life(|py| {
            let text = match self.awaits {
                Awaits::Admission => c"coroutine 'AIOKafkaProducer.send' was never awaited",
                Awaits::Delivery => c"coroutine 'AIOKafkaProducer.send_and_wait' was never awaited",
            };
            let kind = py.get_type::<PyRuntimeWarning>();
            // If warnings are errors, there is no caller to raise it to.
            if let Err(error) = PyErr::warn(py, &kind, text, 1) {
                error.write_unraisable(py, None);
            }
        });
    }
}

impl PyAiokafkaSender {
    /// True if a record can be sent in one step, or its failure is known: the topic is known, no earlier send waits for
    /// it, and nothing of the producer was replaced that has to be called.
    #[inline]
    fn sends_at_once(slf: &Bound<'_, Self>, topic: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = slf.py();
        let (Some(engine), Ok(topic)) = (slf.get().engine.get(), topic.cast::<PyString>()) else {
            return Ok(true);
        };
        let awaited = engine.awaited_topics.bind(py);
        Ok((awaited.is_empty() || !awaited.contains(topic)?)
            && engine.knows(topic)
            && engine.hooks.are_own(slf, engine.attributes.bind(py))?)
    }

    fn engine(&self, py: Python<'_>) -> PyResult<&AiokafkaSendEngine> {
        self.engine
            .get()
            .ok_or_else(|| errors::not_started(py, "producer"))
    }

    #[inline]
    fn open(&self, py: Python<'_>) -> PyResult<&AiokafkaSendEngine> {
        match self.stopped.load(Ordering::Acquire) {
            true => Err(errors::producer_closed(py)),
            false => self.engine(py),
        }
    }

    #[inline]
    fn enter(&self, py: Python<'_>, given: &AiokafkaSendArguments, awaits: Awaits) -> PyFuture {
        let entered = self.try_enter(py, given, awaits);
        entered.unwrap_or_else(|error| PyFuture::failed(errors::raised(py, error)))
    }

    #[inline]
    fn try_enter(
        &self,
        py: Python<'_>,
        given: &AiokafkaSendArguments,
        awaits: Awaits,
    ) -> PyResult<PyFuture> {
        if let [None, None, ..] = given.optional {
            return Err(errors::assertion("a record needs a value or a key"));
        }
        let engine = self.open(py)?;
        let serializers = [&engine.value_serializer, &engine.key_serializer];
        engine.enter(py, given, serializers.map(Option::as_ref), awaits)
    }
}

impl AiokafkaSendEngine {
    /// True if a topic is known, or its name cannot be one.
    #[inline]
    fn knows(&self, topic: &Bound<'_, PyString>) -> bool {
        let known = |known: &Py<PyString>| known.is(topic);
        if self.known_topic.lock().as_ref().is_some_and(known) {
            return true;
        }
        let Ok(name) = topic.to_str() else {
            return true;
        };
        let is_known = self.core.is_known(name);
        if is_known {
            self.note_known(Some(topic.clone().unbind()));
        }
        is_known
    }

    /// The former one is dropped outside of the lock: the last reference to a subclass's object may run code.
    fn note_known(&self, topic: Option<Py<PyString>>) {
        let former = std::mem::replace(&mut *self.known_topic.lock(), topic);
        drop(former);
    }

    /// Enters a record whose value and key are made by `serializers`, where there are any.
    #[inline]
    fn enter(
        &self,
        py: Python<'_>,
        given: &AiokafkaSendArguments,
        [of_value, of_key]: [Option<&Py<PyAny>>; 2],
        awaits: Awaits,
    ) -> PyResult<PyFuture> {
        let core = &self.core;
        core.check()?;
        let [value, key, partition, timestamp, headers] = given
            .optional
            .each_ref()
            .map(|part| part.as_ref().map(|part| part.bind(py)));
        // As in aiokafka, anything empty is none: a record without headers has an empty tuple of them.
        let headers = match headers {
            Some(headers) if headers.is_truthy()? => Some(checked_headers(headers)?),
            _ => None,
        };
        let key = part(key, of_key, py)?;
        let value = part(value, of_value, py)?;
        let arguments = Arguments::new(
            given.topic.bind(py),
            value.as_ref(),
            key.as_ref(),
            partition.map(partition_number).transpose()?,
            timestamp.map(milliseconds).transpose()?,
            headers,
        );
        let record = SendArguments::new(&core.serializers, &arguments)?;
        let time_limit = core.producer.max_block();
        match core.enter(py, record, false, time_limit)? {
            SendEntry::Failed(failure) => Err(error::produce(py, &failure)),
            entry => {
                if let SendEntry::Queued(_) = entry {
                    // Perhaps for a topic that is gone meanwhile.
                    self.note_known(None);
                }
                entry.future(py, awaits)
            }
        }
    }
}

/// Key or value as bytes. A serializer is called for None, too.
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
    part.map(bytes_of).transpose()
}

#[inline]
fn bytes_of(part: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    match part.is_exact_instance_of::<PyBytes>() {
        true => Ok(part),
        false => copied(&part),
    }
}

/// The bytes of any object that shows its memory in one piece, whatever its items are.
#[cold]
fn copied<'py>(part: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = part.py();
    let view = match PyMemoryView::from(part) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => {
            return Err(PyTypeError::new_err(format!(
                "a bytes-like object is required, not '{}'",
                part.get_type().name()?
            )));
        }
        view => view?,
    };
    match view.getattr(intern!(py, "c_contiguous"))?.is_truthy()? {
        true => view.call_method0(intern!(py, "tobytes")),
        false => Err(PyBufferError::new_err(
            "the buffer is not contiguous: take bytes() of it",
        )),
    }
}

fn partition_number(given: &Bound<'_, PyAny>) -> PyResult<i32> {
    let number: i32 = given.extract()?;
    match number < 0 {
        true => Err(errors::assertion("partitions are numbered from 0")),
        false => Ok(number),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "fractions are left out")]
fn milliseconds(given: &Bound<'_, PyAny>) -> PyResult<i64> {
    given
        .extract::<i64>()
        .or_else(|_| given.extract::<f64>().map(|number| number as i64))
}

/// A list of pairs of text and bytes, each of them a tuple.
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
        if pair.len() != 2 {
            return Err(PyValueError::new_err(format!(
                "headers: expected pairs of name and value, not {} in one",
                pair.len()
            )));
        }
        let value = pair.get_item(1)?;
        if !value.is_none() {
            bytes_of(value)?;
        }
    }
    Ok(given)
}
