//! The part of `confluent_kafka.Producer` that runs once per message. The rest of the class is Python, derived from
//! this one: it makes the engine's producer and the handler for rarer events.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_client::{ProduceError, ProduceRecord, SendError};
use kafkars_records::Header;
use parking_lot::Mutex;
use pyo3::exceptions::{PyBufferError, PyException, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use super::consumer::deadline;
use super::handler::{self, ProducerHandler};
use super::reports::{AfterException, DeliveryReports, MessageReport, since_1970};
use super::waiting_message::{WaitingMessage, WaitingMessages};
use crate::error;
use crate::pending_flag::PyPendingFlag;
use crate::producer::{OwnedRecord, ProducerCore, PyBaseProducer};
use crate::runtime;

/// How often a wait asks whether the cluster can be reached.
const LOOK_AFTER: Duration = Duration::from_millis(500);

/// How many of the messages that wait for their topic one call lets in, once it is known: a few, so that no call waits,
/// and more than one, so that the queue ends.
const LET_IN: usize = 32;

/// Takes messages and gives reports.
#[pyclass(
    name = "ConfluentProducer",
    module = "kafkars._kafkars",
    frozen,
    subclass
)]
pub(crate) struct PyConfluentProducer {
    // Set by `_open()`, which the constructor of the Python class calls.
    open: OnceLock<OpenProducer>,
}

struct OpenProducer {
    core: Arc<ProducerCore>,
    pending_flag: Py<PyPendingFlag>,
    handler: ProducerHandler,
    reports: Arc<DeliveryReports>,
    waiting: Arc<WaitingMessages>,
    /// The most messages without a report.
    most: usize,
    /// The most bytes of messages whose topic is not known; others count in the engine's `buffer_memory`.
    most_bytes: usize,
    on_delivery: Option<Py<PyAny>>,
    only_errors: bool,
    // Guards when to check next whether the cluster can be reached.
    look: Mutex<Instant>,
    /// Whether a poll has raised the error that ended the producer, which is raised once.
    is_fatal_told: AtomicBool,
    /// Whether the transaction is being committed: then it takes no message any more.
    is_committing: AtomicBool,
    /// Whether the producer is being closed: then it takes no message but in the reports that this brings.
    is_closing: AtomicBool,
}

#[pymethods]
impl PyConfluentProducer {
    /// Programs derive classes with constructors of their own, so anything goes here.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            open: OnceLock::new(),
        }
    }

    /// Takes a message, to be sent from here on by itself. Never waits.
    ///
    /// `callback` and `on_delivery` are the same: what to call with an error or None and the message, in a later
    /// `poll()` or `flush()`. `timestamp` is in milliseconds since 1970; 0 is now.
    #[pyo3(
        signature = (
            topic, value=None, key=None, partition=-1, callback=None, on_delivery=None, timestamp=0, headers=None
        ),
        text_signature = "($self, topic, value=None, key=None, partition=-1, callback=None, on_delivery=None, \
                          timestamp=0, headers=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "the parts of a message")]
    fn produce<'py>(
        &self,
        topic: &Bound<'py, PyString>,
        value: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        partition: i32,
        callback: Option<&Bound<'py, PyAny>>,
        on_delivery: Option<&Bound<'py, PyAny>>,
        timestamp: i64,
        headers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let py = topic.py();
        let headers = headers.map(header_pairs).transpose()?.unwrap_or_default();
        let header_views: Vec<_> = headers
            .iter()
            .map(|(name, value)| Header {
                key: name,
                value: value.as_deref(),
            })
            .collect();
        let name = topic.to_str()?;
        let (key_bytes, value_bytes) = (payload("key", key)?, payload("value", value)?);
        let open = self.opened()?;
        open.core.check()?;
        open.check_takes(py)?;
        // Used for the message's timestamp and for its latency, because reading the clock twice would cost as much as
        // appending it.
        let sent = since_1970();
        let record = ProduceRecord {
            topic: name,
            partition: (partition != -1).then_some(partition),
            timestamp: Some(match timestamp {
                0 => i64::try_from(sent.as_millis()).unwrap_or(i64::MAX),
                timestamp => timestamp,
            }),
            key: key_bytes,
            value: value_bytes,
            headers: &header_views,
        };
        let size = record.key.map_or(0, <[u8]>::len) + record.value.map_or(0, <[u8]>::len);
        if size > open.core.max_request_size {
            // Checked even if the topic is not known yet, so that the call raises it.
            let failure = open.core.producer.permit().err();
            let failure = failure.unwrap_or_else(|| ProduceError::RecordTooLarge {
                topic: name.into(),
                size,
                limit: open.core.max_request_size,
            });
            return Err(refused(py, &failure)?);
        }
        if open.most > 0 && open.count() >= open.most {
            return Err(full());
        }
        let function = callback.or(on_delivery);
        let function = match function {
            Some(function) => Some(function.clone().unbind()),
            None => open
                .on_delivery
                .as_ref()
                .map(|function| function.clone_ref(py)),
        };
        let report = function.map(|function| MessageReport {
            function,
            topic: topic.clone().unbind(),
            partition: record.partition,
            key: key.map(|key| key.clone().unbind()),
            value: value.map(|value| value.clone().unbind()),
            sent,
        });
        let producer = &open.core.producer;
        if producer.has_pending(name) && !producer.let_waiting_in(name, LET_IN) {
            return open.enqueue(py, &record, report);
        }
        match open.core.producer.try_send(&record) {
            Ok(delivery) => {
                match report {
                    Some(report) => open.reports.note_new(report, delivery),
                    None => open.reports.count_silent_batch(&delivery),
                }
                Ok(())
            }
            Err(SendError::NotReady(wait)) if wait.is_for_room() => Err(full()),
            Err(SendError::NotReady(_)) => open.enqueue(py, &record, report),
            Err(SendError::Failed(ProduceError::Closed)) => Err(closed()),
            Err(SendError::Failed(failure)) => Err(refused(py, &failure)?),
        }
    }

    /// Runs callbacks, waiting up to `timeout` seconds for one to run; -1 waits as long as it takes. Returns how many
    /// ran. Within the report of a message no other report is given, and nothing is waited for.
    #[pyo3(signature = (timeout=-1.0), text_signature = "($self, timeout=-1)")]
    fn poll(&self, py: Python<'_>, timeout: f64) -> PyResult<usize> {
        let open = self.opened()?;
        open.core.check()?;
        let served = open.serve(py, AfterException::Stop)?;
        open.check_fatal(py)?;
        if served > 0 || timeout == 0.0 || open.reports.is_served_here() {
            return Ok(served);
        }
        let deadline = deadline(timeout);
        loop {
            if !open.wait(py, deadline)? {
                return Ok(0);
            }
            // As in the library, a call under way finds nothing when another thread closes the producer.
            if open.core.producer.is_closed() {
                return Ok(0);
            }
            let served = open.serve(py, AfterException::Stop)?;
            open.check_fatal(py)?;
            if served > 0 {
                return Ok(served);
            }
        }
    }

    /// Waits until every message has its report, for up to `timeout` seconds; -1 waits as long as it takes. Runs
    /// callbacks. Returns how many messages are left.
    ///
    /// Within the report of a message the others cannot be given: what is left is told at once, and a call without
    /// limit raises `KafkaException` with `_STATE`.
    #[pyo3(signature = (timeout=-1.0), text_signature = "($self, timeout=-1)")]
    fn flush(&self, py: Python<'_>, timeout: f64) -> PyResult<usize> {
        let (left, raised) = self.flushed(py, timeout)?;
        raised.map_or(Ok(left), Err)
    }

    /// As `flush()`, but returns what the last callback has raised, beside how many messages are left: a caller that
    /// has more to do goes on, and raises it then.
    fn _flushed_(&self, py: Python<'_>, timeout: f64) -> PyResult<(usize, Option<Py<PyAny>>)> {
        let (left, raised) = self.flushed(py, timeout)?;
        Ok((left, raised.map(|raised| raised.into_value(py).into_any())))
    }

    /// How many messages have no report yet.
    fn __len__(&self) -> usize {
        self.opened().map_or(0, OpenProducer::count)
    }

    fn __bool__(&self) -> bool {
        true
    }

    /// Sends with the engine's producer from now on.
    #[expect(clippy::too_many_arguments, reason = "what the face keeps itself")]
    fn _open_(
        &self,
        engine: PyRef<'_, PyBaseProducer>,
        pending_flag: Py<PyPendingFlag>,
        handler: Py<PyAny>,
        most: usize,
        most_bytes: usize,
        on_delivery: Option<Py<PyAny>>,
        only_errors: bool,
        message_timeout: f64,
    ) -> PyResult<()> {
        let core = Arc::clone(&engine.core);
        let timeout = Duration::try_from_secs_f64(message_timeout)
            .map_err(|_| error::argument("message_timeout is in seconds and not negative"))?;
        let reports = Arc::<DeliveryReports>::default();
        let waiting = Arc::new(WaitingMessages {
            reports: Arc::clone(&reports),
            producer: core.producer.clone(),
            propagation: core.producer.max_block(),
            timeout,
            lost: AtomicUsize::new(0),
            must_abort: AtomicBool::new(false),
        });
        // The Python class refuses a second call of the constructor.
        let _ = self.open.set(OpenProducer {
            core,
            pending_flag,
            handler: ProducerHandler(handler),
            reports,
            waiting,
            most,
            most_bytes,
            on_delivery,
            only_errors,
            look: Mutex::new(Instant::now() + LOOK_AFTER),
            is_fatal_told: AtomicBool::new(false),
            is_committing: AtomicBool::new(false),
            is_closing: AtomicBool::new(false),
        });
        Ok(())
    }

    /// Fails if the producer is closed, or was never opened.
    fn _check_(&self) -> PyResult<()> {
        self.opened().map(drop)
    }

    /// Fails inside the report of a message, where the call would wait for the reports of others.
    fn _check_not_in_report_(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        match self.opened()?.reports.is_served_here() {
            true => Err(in_report(py, name)?),
            false => Ok(()),
        }
    }

    /// Notes that a commit of the transaction has begun, or has ended, maybe because the producer was closed. Also of a
    /// transaction that can only be aborted, until it is.
    fn _commits_(&self, commits: bool) {
        if let Some(open) = self.open.get() {
            open.is_committing.store(commits, Ordering::Release);
        }
    }

    /// Notes that the producer is being closed.
    fn _start_closing_(&self) -> PyResult<()> {
        self.opened()?.is_closing.store(true, Ordering::Release);
        Ok(())
    }

    /// How many messages of the open transaction failed before they were part of it. librdkafka counts them too, and
    /// accepts further messages until the commit, which it refuses: with `commits`, and if there are any, no message is
    /// accepted from now on.
    fn _lost_(&self, commits: bool) -> PyResult<usize> {
        let waiting = &self.opened()?.waiting;
        let lost = waiting.lost.load(Ordering::Acquire);
        if commits && lost > 0 {
            waiting.must_abort.store(true, Ordering::Release);
        }
        Ok(lost)
    }

    /// True if a commit was refused because of such messages, so that only an abort is possible.
    fn _must_abort_(&self) -> PyResult<bool> {
        Ok(self.opened()?.waiting.must_abort.load(Ordering::Acquire))
    }

    /// Resets the count of `_lost()`, because another transaction begins.
    fn _forget_lost_(&self) -> PyResult<()> {
        let waiting = &self.opened()?.waiting;
        waiting.lost.store(0, Ordering::Release);
        waiting.must_abort.store(false, Ordering::Release);
        Ok(())
    }

    /// Objects of the program may refer to this producer.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(open) = self.open.get() else {
            return Ok(());
        };
        open.handler.traverse(&visit)?;
        visit.call(&open.on_delivery)
    }
}

impl PyConfluentProducer {
    #[inline]
    fn opened(&self) -> PyResult<&OpenProducer> {
        match self.open.get() {
            Some(open) if !open.core.producer.is_closed() => Ok(open),
            _ => Err(closed()),
        }
    }

    /// Flushes. As in librdkafka, a callback that raises does not end that: it goes on to its end, and the last
    /// exception is returned with the number of messages that are left. An error is one of the producer, or of Ctrl+C.
    fn flushed(&self, py: Python<'_>, timeout: f64) -> PyResult<(usize, Option<PyErr>)> {
        let open = self.opened()?;
        open.core.check()?;
        let deadline = deadline(timeout);
        if open.reports.is_served_here() {
            return open.flush_in_report(py, deadline).map(|left| (left, None));
        }
        let mut raised = None;
        loop {
            open.serve_all(py, &mut raised)?;
            open.check_fatal(py)?;
            let is_elsewhere = open.reports.is_served_elsewhere();
            let left = open.count().max(usize::from(is_elsewhere));
            let is_over = deadline.is_some_and(|deadline| deadline <= Instant::now());
            if left == 0 || is_over {
                return Ok((left, raised));
            }
            open.flush(py, deadline, &mut raised)?;
            if is_elsewhere {
                open.wait_for_turn(py, deadline)?;
            }
        }
    }
}

impl OpenProducer {
    /// How many messages have no report yet. Those without a callback count until they are acknowledged.
    #[inline]
    fn count(&self) -> usize {
        let unacknowledged = self.core.producer.unacknowledged();
        self.reports.open().max(unacknowledged)
    }

    /// Fails while no message is taken.
    #[inline]
    fn check_takes(&self, py: Python<'_>) -> PyResult<()> {
        if self.waiting.must_abort.load(Ordering::Relaxed) {
            return Err(must_abort(py)?);
        }
        if self.is_committing.load(Ordering::Relaxed) {
            return Err(commits(py)?);
        }
        if self.is_closing.load(Ordering::Relaxed) && !self.reports.is_served_here() {
            return Err(closed());
        }
        Ok(())
    }

    /// Raises the error that has ended the producer, once: a program that asks for no reports hears of it here.
    #[inline]
    fn check_fatal(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_fatal_told.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Some(failure) = self.core.transaction_failure() else {
            return Ok(());
        };
        match handler::fatal_of(py, &error::produce(py, &failure))? {
            Some(fatal) => {
                self.is_fatal_told.store(true, Ordering::Relaxed);
                Err(fatal)
            }
            None => Ok(()),
        }
    }

    /// Lets a message wait in the engine until its topic is known.
    #[cold]
    fn enqueue(
        &self,
        py: Python<'_>,
        record: &ProduceRecord<'_>,
        report: Option<MessageReport>,
    ) -> PyResult<()> {
        if record.topic.contains('\0') {
            return Err(PyValueError::new_err("embedded null character"));
        }
        let producer = &self.core.producer;
        let record = OwnedRecord::copy(record);
        if producer.pending_bytes() + record.size() > self.most_bytes {
            return Err(full());
        }
        let permit = match producer.permit() {
            Ok(permit) => permit,
            Err(ProduceError::Closed) => return Err(closed()),
            Err(failure) => return Err(refused(py, &failure)?),
        };
        if report.is_some() {
            self.reports.expect();
        }
        let message = WaitingMessage::new(record, report, &self.waiting);
        producer.enqueue(
            Arc::new(message),
            permit,
            Instant::now() + self.waiting.timeout,
        );
        Ok(())
    }

    /// Runs callbacks that are due. Returns how many ran.
    #[inline]
    fn serve(&self, py: Python<'_>, after: AfterException) -> PyResult<usize> {
        let served = self.reports.serve(py, self.only_errors, after)?;
        let pending_flag = self.pending_flag.bind(py).get();
        if !pending_flag.is_set() {
            return Ok(served);
        }
        pending_flag.clear();
        let more = self.handler.serve(py);
        more.inspect_err(|_| pending_flag.set())
            .map(|more| served + more)
    }

    /// Waits a little; false after the deadline. Ctrl+C ends the wait.
    fn wait(&self, py: Python<'_>, deadline: Option<Instant>) -> PyResult<bool> {
        let left = runtime::slice(deadline);
        if left.is_zero() {
            return Ok(false);
        }
        py.detach(|| self.reports.wait(left));
        py.check_signals()?;
        self.look_after(py)?;
        Ok(true)
    }

    /// Waits a little while another thread runs callbacks. Ctrl+C ends the wait.
    fn wait_for_turn(&self, py: Python<'_>, deadline: Option<Instant>) -> PyResult<()> {
        let left = runtime::slice(deadline);
        py.detach(|| self.reports.wait_for_turn(left));
        py.check_signals()
    }

    /// Runs all callbacks that are due, and keeps the last exception.
    fn serve_all(&self, py: Python<'_>, raised: &mut Option<PyErr>) -> PyResult<()> {
        let served = self.serve(py, AfterException::GoOn);
        kept(py, served.map(drop), raised)
    }

    fn flush(
        &self,
        py: Python<'_>,
        deadline: Option<Instant>,
        raised: &mut Option<PyErr>,
    ) -> PyResult<()> {
        let flushed = async {
            // The caller counts the messages that are left.
            self.core.producer.flush(deadline).await;
        };
        runtime::block_on_with(py, flushed, |_| {
            self.serve_all(py, raised)?;
            kept(py, self.look_after(py), raised)
        })
    }

    /// Flushes inside a report: sends what lingers, and waits for nothing.
    #[cold]
    fn flush_in_report(&self, py: Python<'_>, deadline: Option<Instant>) -> PyResult<usize> {
        if deadline.is_none() {
            return Err(in_report(py, "flush")?);
        }
        self.flush(py, Some(Instant::now()), &mut None)?;
        Ok(self.count())
    }

    /// Reports from time to time that the cluster cannot be reached, or can be again.
    fn look_after(&self, py: Python<'_>) -> PyResult<()> {
        let now = Instant::now();
        {
            let mut look = self.look.lock();
            if *look > now {
                return Ok(());
            }
            *look = now + LOOK_AFTER;
        }
        let trouble = self.core.producer.client().bootstrap_failure();
        let trouble = trouble.map(|failure| error::client(py, &failure));
        self.handler.reached(py, trouble.as_ref())
    }
}

/// Keeps an exception of a callback for later. One that is no `Exception`, such as Ctrl+C, is raised.
fn kept(py: Python<'_>, served: PyResult<()>, raised: &mut Option<PyErr>) -> PyResult<()> {
    match served {
        Err(problem) if problem.is_instance_of::<PyException>(py) => {
            *raised = Some(problem);
            Ok(())
        }
        served => served,
    }
}

/// The bytes of a key or value.
#[inline]
fn payload<'a>(what: &str, given: Option<&'a Bound<'_, PyAny>>) -> PyResult<Option<&'a [u8]>> {
    let Some(given) = given else {
        return Ok(None);
    };
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Some(bytes.as_bytes()));
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(Some(text.to_str()?.as_bytes()));
    }
    Err(PyTypeError::new_err(format!(
        "{what}: a bytes-like object is required (bytes or str), not {}",
        given.get_type().name()?
    )))
}

/// Headers as a list of pairs or a dict, with values of bytes, text or None.
fn header_pairs(given: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Option<Vec<u8>>)>> {
    let items = match given.cast::<PyDict>() {
        Ok(dict) => dict.items(),
        Err(_) => match given.cast::<PyList>() {
            Ok(list) => list.clone(),
            Err(_) => {
                return Err(PyTypeError::new_err(format!(
                    "expected headers to be dict or list of (key, value) tuples, not {}",
                    given.get_type().name()?
                )));
            }
        },
    };
    items.iter().map(|item| header_pair(&item)).collect()
}

fn header_pair(item: &Bound<'_, PyAny>) -> PyResult<(String, Option<Vec<u8>>)> {
    let pair = item.cast::<PyTuple>().ok().and_then(|pair| {
        pair.extract::<(Bound<'_, PyAny>, Option<Bound<'_, PyAny>>)>()
            .ok()
    });
    let Some((name, value)) = pair else {
        return Err(PyTypeError::new_err(
            "Headers are expected to be a list of (key, value) tuples",
        ));
    };
    // What is no text is sent as `str()` writes it, bytes as well: the library does so.
    let name = name.str()?.extract::<String>()?;
    let value = payload("header value", value.as_ref())?.map(<[u8]>::to_vec);
    Ok((name, value))
}

#[cold]
fn full() -> PyErr {
    PyBufferError::new_err(
        "Local: Queue full: too many messages wait for their report (queue.buffering.max.messages, \
         queue.buffering.max.kbytes); call poll() and try again",
    )
}

#[cold]
fn closed() -> PyErr {
    PyRuntimeError::new_err("Producer has been closed")
}

/// The exception for a message that was not accepted.
#[cold]
fn refused(py: Python<'_>, failure: &ProduceError) -> PyResult<PyErr> {
    handler::of_message(py, &error::produce(py, failure))
}

/// The exception for a message after a commit that was refused.
#[cold]
fn must_abort(py: Python<'_>) -> PyResult<PyErr> {
    let text = "Unable to produce message: messages of the transaction failed delivery, abort it";
    handler::refusal(py, "_STATE", text)
}

/// The exception for a message while the transaction is being committed, or is to be aborted.
#[cold]
fn commits(py: Python<'_>) -> PyResult<PyErr> {
    let text = "Unable to produce message: the transaction is being committed, or is to be aborted";
    handler::refusal(py, "_STATE", text)
}

/// The exception of calls inside a report that would wait for other reports, which cannot run before that one has
/// returned.
#[cold]
fn in_report(py: Python<'_>, name: &str) -> PyResult<PyErr> {
    let text = format!(
        "{name}() was called in the report of a message, and waits for the reports of others, which are given when that \
         one has returned: call it where the program polls"
    );
    handler::refusal(py, "_STATE", &text)
}
