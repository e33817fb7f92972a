//! `KafkaProducer.send()` for the usual arguments; the Python class derives from this.
//!
//! Unusual calls are handed to Python code: to `_send` before anything was called, to `_send_serialized` once
//! serializers have run, to `_refused` for an error of the engine, to `_raise_at_once` for a delivery that has failed
//! already.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString, PyTuple, PyType};

use super::future::PySendFuture;
use super::metadata::MetadataMaker;
use super::send_engine::KafkaPythonSendEngine;
use super::serde::Serde;
use crate::gc;
use crate::imports::hooks;
use crate::producer::{Arguments, PyDeliveryFuture, PyProducer};

/// The longest name of a topic.
const TOPIC_MAX_LENGTH: usize = 249;

/// Sends of a producer that may not be open yet.
#[pyclass(
    name = "KafkaPythonSender",
    module = "kafkars._kafkars",
    frozen,
    subclass
)]
pub(crate) struct PyKafkaPythonSender {
    open: OnceLock<Arc<KafkaPythonSendEngine>>,
    closed: AtomicBool,
}

/// The arguments of one call.
struct KafkaPythonSendArguments<'a, 'py> {
    topic: &'a Bound<'py, PyString>,
    headers: Option<&'a Bound<'py, PyAny>>,
    headers_size: i64,
    partition: Option<i32>,
    timestamp: Option<i64>,
}

#[pymethods]
impl PyKafkaPythonSender {
    /// Programs derive classes with constructors of their own, so anything goes here.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            open: OnceLock::new(),
            closed: AtomicBool::new(true),
        }
    }

    /// Sends by `engine` from now on. A serializer is a function, whether it is given the topic, and whether it is
    /// given the topic and the headers. `classes` are those of futures, metadata and partitions.
    fn _open(
        &self,
        engine: &Bound<'_, PyProducer>,
        reporter: Py<PyAny>,
        classes: (Bound<'_, PyType>, Bound<'_, PyType>, Bound<'_, PyType>),
        key: Option<(Py<PyAny>, bool, bool)>,
        value: Option<(Py<PyAny>, bool, bool)>,
        is_placed_outside: bool,
    ) -> PyResult<()> {
        let (future_class, metadata_class, partition_class) = classes;
        let metadata = MetadataMaker::new(&metadata_class, &partition_class)?;
        let made = KafkaPythonSendEngine {
            core: engine.get().core(),
            metadata,
            reporter,
            key: key.map(Serde::new),
            value: value.map(Serde::new),
            new_future: future_class.getattr("__new__")?.unbind(),
            future_class: future_class.unbind(),
            is_placed_outside,
        };
        self.open.get_or_init(|| Arc::new(made));
        Ok(())
    }

    /// True before the producer is open, and after its end.
    #[getter]
    fn _closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    #[setter(_closed)]
    fn set_closed(&self, closed: bool) {
        self.closed.store(closed, Ordering::Release);
    }

    /// Appends a record to its partition's batch, which is sent in the background.
    ///
    /// Args:
    ///     topic: The topic.
    ///     value: Bytes, or the argument of `value_serializer`; None is a tombstone, which needs a key.
    ///     key: Bytes, or the argument of `key_serializer`; decides on the partition if none is given.
    ///     headers: Pairs of a name and bytes.
    ///     partition: The partition, or None to let the partitioner choose.
    ///     timestamp_ms: Milliseconds since 1970; the time of the call by default.
    ///
    /// Returns:
    ///     A future of the `RecordMetadata`; failed at once with `MessageSizeTooLargeError` if the record is larger
    ///     than `max_request_size`.
    ///
    /// Raises:
    ///     KafkaTimeoutError: The topic stayed unknown, or the buffer full, for `max_block_ms`.
    ///     AssertionError: The producer is closed, there is neither key nor value, headers are not a list of pairs, the
    ///         partition does not exist, or a serializer returns no bytes. In the face of kafka-python 3 these are, in
    ///         this order, IllegalStateError, ValueError, TypeError, ValueError and TypeError.
    ///     TypeError: The topic is not a `str`.
    ///     ValueError: The topic's name is invalid.
    #[pyo3(signature = (topic, value=None, key=None, headers=None, partition=None, timestamp_ms=None))]
    fn send<'py>(
        slf: &Bound<'py, Self>,
        topic: &Bound<'py, PyAny>,
        value: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        headers: Option<&Bound<'py, PyAny>>,
        partition: Option<&Bound<'py, PyAny>>,
        timestamp_ms: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let usual = match value.is_some() || key.is_some() {
            true => slf.get().usual(),
            false => None,
        };
        let Some((engine, given)) = usual.zip(KafkaPythonSendArguments::usual(
            topic,
            headers,
            partition,
            timestamp_ms,
        )) else {
            let arguments = (topic, value, key, headers, partition, timestamp_ms);
            return slf.call_method1(intern!(py, hooks::SEND), arguments);
        };
        let raw_key = given.serialized(engine.key.as_ref(), key)?;
        let raw_value = given.serialized(engine.value.as_ref(), value)?;
        if !is_sent_as_it_is(raw_key.as_ref()) || !is_sent_as_it_is(raw_value.as_ref()) {
            let arguments = (
                topic,
                key,
                raw_key,
                value,
                raw_value,
                headers,
                partition,
                timestamp_ms,
            );
            return slf.call_method1(intern!(py, hooks::SEND_SERIALIZED), arguments);
        }
        engine.core.check()?;
        let arguments = Arguments::new(
            topic,
            raw_value.as_ref(),
            raw_key.as_ref(),
            given.partition,
            given.timestamp,
            given.headers,
        );
        let delivery = match engine.core.take(py, &arguments) {
            Ok(delivery) => delivery,
            Err(error) => return slf.call_method1(intern!(py, hooks::REFUSED), (error,)),
        };
        if delivery.batch().is_done() && matches!(delivery.result(), Some(Err(_))) {
            let core = Arc::clone(&engine.core);
            let told = gc::new(py, PyDeliveryFuture::new(delivery.clone(), core))?;
            slf.call_method1(intern!(py, hooks::RAISE_AT_ONCE), (told,))?;
        }
        PySendFuture::of(py, engine, delivery, given.headers_size)
    }

    /// The future of a record that was sent by the engine's own call, with this many bytes of headers, or -1.
    fn _future_of<'py>(
        &self,
        delivery: &Bound<'py, PyDeliveryFuture>,
        headers_size: i64,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let sent = delivery.get().delivery().clone();
        let engine = self.open.get();
        engine
            .map(|engine| PySendFuture::of(delivery.py(), engine, sent, headers_size))
            .transpose()
    }

    /// Serializers may refer to this producer, and so may objects that the reporter's engine keeps.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(engine) = self.open.get() else {
            return Ok(());
        };
        // Only `send()` calls them, on this object.
        for serde in engine.key.iter().chain(&engine.value) {
            serde.traverse(&visit)?;
        }
        // Futures use the reporter too. They share one reference to it, which is counted here once.
        match Arc::strong_count(engine) {
            1 => visit.call(&engine.reporter),
            _ => Ok(()),
        }
    }
}

impl PyKafkaPythonSender {
    /// The engine, if nothing but the record has to be looked at.
    #[inline]
    fn usual(&self) -> Option<&Arc<KafkaPythonSendEngine>> {
        let engine = self.open.get()?;
        let is_usual = !self.closed.load(Ordering::Acquire) && !engine.is_placed_outside;
        is_usual.then_some(engine)
    }
}

impl<'a, 'py> KafkaPythonSendArguments<'a, 'py> {
    /// The arguments, if they are valid and usual.
    #[inline]
    fn usual(
        topic: &'a Bound<'py, PyAny>,
        headers: Option<&'a Bound<'py, PyAny>>,
        partition: Option<&'a Bound<'py, PyAny>>,
        timestamp: Option<&'a Bound<'py, PyAny>>,
    ) -> Option<Self> {
        let topic = topic.cast_exact::<PyString>().ok()?;
        if !is_topic_name(topic.to_str().ok()?) {
            return None;
        }
        let (headers, headers_size) = match headers {
            None => (None, -1),
            Some(given) => match headers_size(given)? {
                -1 => (None, -1),
                size => (Some(given), size),
            },
        };
        let partition = match partition {
            None => None,
            Some(given) => Some(whole::<i32>(given).filter(|partition| *partition >= 0)?),
        };
        let timestamp = match timestamp {
            None => None,
            Some(given) => Some(whole::<i64>(given)?),
        };
        Some(Self {
            topic,
            headers,
            headers_size,
            partition,
            timestamp,
        })
    }

    /// The serialized key or value. A serializer is called for None, too.
    #[inline]
    fn serialized(
        &self,
        serializer: Option<&Serde>,
        given: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(serializer) = serializer else {
            return Ok(given.cloned());
        };
        let py = self.topic.py();
        let data = given.cloned().unwrap_or_else(|| py.None().into_bound(py));
        let headers = match self.headers {
            Some(headers) => headers.clone(),
            None => PyList::empty(py).into_any(),
        };
        let made = serializer.call(self.topic, &headers, &data)?;
        Ok(Some(made).filter(|made| !made.is_none()))
    }
}

#[inline]
fn is_sent_as_it_is(part: Option<&Bound<'_, PyAny>>) -> bool {
    part.is_none_or(|part| part.is_instance_of::<PyBytes>())
}

/// True if it is a valid topic name.
#[inline]
fn is_topic_name(name: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=TOPIC_MAX_LENGTH).contains(&name.len())
        && name != "."
        && name != ".."
        && name.bytes().all(is_legal)
}

#[inline]
fn whole<'py, T: for<'a> FromPyObject<'a, 'py>>(given: &Bound<'py, PyAny>) -> Option<T> {
    given.cast::<PyInt>().ok()?.extract().ok()
}

/// The size in bytes of headers, a list of pairs of text and bytes; -1 for an empty one, `None` for anything else.
fn headers_size(given: &Bound<'_, PyAny>) -> Option<i64> {
    let list = given.cast::<PyList>().ok()?;
    if list.is_empty() {
        return Some(-1);
    }
    let mut size = 0;
    for pair in list.iter() {
        let pair = pair.cast::<PyTuple>().ok()?;
        let (name, value) = match pair.len() {
            2 => (pair.get_item(0).ok()?, pair.get_item(1).ok()?),
            _ => return None,
        };
        size += name.cast::<PyString>().ok()?.to_str().ok()?.len();
        size += value.cast::<PyBytes>().ok()?.as_bytes().len();
    }
    i64::try_from(size).ok()
}
