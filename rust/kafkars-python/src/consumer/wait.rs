//! Waiting for records on an event loop.
//!
//! A record is taken from the buffer at the moment when the awaiting code gets it, not when the call is made or the
//! record arrives: a call that is dropped or cancelled in between leaves it for the next one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::{REFUSAL_CHECK_INTERVAL, WaitingRead};
use parking_lot::Mutex;
use pyo3::exceptions::PyStopAsyncIteration;
use pyo3::prelude::*;

use super::core::ConsumerCore;
use crate::aio::{
    Amount, CompletionKey, CompletionQueue, FirstStep, PendingAnswer, ReadRequest, RecordReads,
    Taker,
};
use crate::batch::PyRecordBatch;
use crate::error;
use crate::types;

/// How long a wait may last.
enum Until {
    Deadline(Instant),
    /// There is no limit, but from this time on it is checked from time to time whether the cluster can be reached.
    Records(Mutex<Instant>),
}

/// A wait for records of one consumer.
pub(crate) struct RecordWait {
    core: Arc<ConsumerCore>,
    amount: Amount,
    until: Until,
    // When to check next whether the cluster refuses this client.
    refusal_check: Mutex<Instant>,
    _waits: WaitingRead,
}

impl RecordWait {
    /// Waits for `timeout`, or without limit.
    pub(crate) fn new(core: &Arc<ConsumerCore>, amount: Amount, timeout: Option<Duration>) -> Self {
        let now = Instant::now();
        Self {
            core: Arc::clone(core),
            amount,
            refusal_check: Mutex::new(now + REFUSAL_CHECK_INTERVAL),
            _waits: core.consumer.start_waiting(),
            until: match timeout {
                Some(timeout) => Until::Deadline(now + timeout),
                None => Until::Records(Mutex::new(now + core.look_after())),
            },
        }
    }

    /// True if the wait has ended without records.
    fn is_over(&self) -> bool {
        let is_over = match &self.until {
            Until::Deadline(deadline) => *deadline <= soon(),
            Until::Records(look) => {
                *look.lock() <= soon() && self.core.consumer.read_failure().is_some()
            }
        };
        is_over || (*self.refusal_check.lock() <= soon() && self.core.consumer.refusal().is_some())
    }

    /// True if a check for refusals is due; sets the time of the next one.
    fn checks_refusals(&self) -> bool {
        let (mut check, now) = (self.refusal_check.lock(), soon());
        let is_due = *check <= now;
        if is_due {
            *check = now + REFUSAL_CHECK_INTERVAL;
        }
        is_due
    }

    /// The result when there are no records: none yet, an empty one after the time limit, or an error.
    fn nothing(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let refused = match self.checks_refusals() {
            true => self.core.check_refused(py).err().map(Err),
            false => None,
        };
        refused.or_else(|| self.nothing_in_time(py))
    }

    fn nothing_in_time(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        match &self.until {
            Until::Deadline(deadline) if *deadline <= soon() => Some(
                self.core
                    .check_readable(py)
                    .and_then(|()| nothing(self.amount, py)),
            ),
            Until::Deadline(_) => None,
            Until::Records(look) => {
                let now = soon();
                let mut look = look.lock();
                if *look > now {
                    return None;
                }
                *look = now + self.core.look_after();
                drop(look);
                self.core.check_readable(py).err().map(Err)
            }
        }
    }
}

/// What the caller gets when there are no records.
fn nothing(amount: Amount, py: Python<'_>) -> PyResult<Py<PyAny>> {
    match amount {
        Amount::One | Amount::Next => Ok(py.None()),
        Amount::Many(_) => Ok(empty(py)?.into_any().unbind()),
    }
}

impl ConsumerCore {
    /// Takes the records that are there; `None` if there are none.
    #[inline]
    fn found(&self, py: Python<'_>, amount: Amount) -> PyResult<Option<Py<PyAny>>> {
        Ok(match amount {
            Amount::One | Amount::Next => self.next(py)?.map(|record| record.into_any().unbind()),
            Amount::Many(max) => self.take(py, max)?.map(|batch| batch.into_any().unbind()),
        })
    }

    /// The exception that the caller of a read gets: an iteration ends with the consumer.
    fn heard(&self, py: Python<'_>, amount: Amount, error: PyErr) -> PyErr {
        match amount {
            Amount::Next if self.is_over() => PyStopAsyncIteration::new_err(()),
            amount => raised_in(amount, py, error),
        }
    }
}

/// What the caller of a read gets of an exception that functions of the program may have raised.
fn raised_in(amount: Amount, py: Python<'_>, error: PyErr) -> PyErr {
    match amount {
        Amount::Next => error::no_end::<PyStopAsyncIteration>(py, error),
        Amount::One | Amount::Many(_) => error,
    }
}

impl RecordReads for ConsumerCore {
    #[inline]
    fn begin(self: Arc<Self>, py: Python<'_>, request: ReadRequest) -> PyResult<FirstStep> {
        let ReadRequest { amount, timeout } = request;
        let found = self.found(py, amount);
        if let Some(found) = found.map_err(|error| self.heard(py, amount, error))? {
            return Ok(FirstStep::Answer(found));
        }
        self.check_assigned(py)
            .map_err(|error| self.heard(py, amount, error))?;
        if timeout == Some(0.0) && !self.consumer.has_event() {
            self.check_readable(py)?;
            return nothing(amount, py).map(FirstStep::Answer);
        }
        self.wait(request).map(FirstStep::Wait)
    }

    fn wait(self: Arc<Self>, request: ReadRequest) -> PyResult<Arc<dyn PendingAnswer>> {
        let timeout = types::timeout(request.timeout)?;
        Ok(Arc::new(RecordWait::new(&self, request.amount, timeout)))
    }
}

impl PendingAnswer for RecordWait {
    /// Only when it was woken, because earlier readers come first. And only if there is something to take: all readers
    /// share the key, so it also comes for records that another reader has taken.
    fn is_ready(&self, woken: bool) -> bool {
        woken && (self.core.consumer.is_ready() || self.core.has_raised() || self.is_over())
    }

    fn taker(&self) -> Taker {
        Taker::Reader
    }

    /// Listeners run first, because what they are called with is not a record.
    fn prelude(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if !self.core.consumer.has_event() {
            return Ok(None);
        }
        let serve = PyServe(Arc::clone(&self.core));
        Ok(Some(Py::new(py, serve)?.into_any()))
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        if self.core.has_event() {
            return match self.core.serve_on_loop(py) {
                // The application's code has run, and may have cancelled the task that awaits, so nothing is taken now.
                Ok(_) => None,
                Err(error) => Some(Err(raised_in(self.amount, py, error))),
            };
        }
        match self.core.found(py, self.amount) {
            Ok(Some(found)) => Some(Ok(found)),
            Ok(None) => self.nothing(py),
            Err(error) => Some(Err(self.core.heard(py, self.amount, error))),
        }
    }

    fn key(&self) -> CompletionKey {
        self.core.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let key = self.core.key;
        self.core
            .consumer
            .on_ready(Box::new(move || completion_queue.push(key)));
    }

    fn deadline(&self) -> Option<Instant> {
        let end = match &self.until {
            Until::Deadline(deadline) => *deadline,
            Until::Records(look) => {
                let mut look = look.lock();
                if *look <= soon() {
                    *look = soon() + self.core.look_after();
                }
                *look
            }
        };
        self.checks_refusals();
        Some(end.min(*self.refusal_check.lock()))
    }
}

/// Runs listeners and callbacks; what they raise is left for the reader.
#[pyclass(name = "Serve", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyServe(Arc<ConsumerCore>);

impl PyServe {
    /// Serves the readers of this consumer.
    pub(crate) fn new(core: &Arc<ConsumerCore>) -> Self {
        Self(Arc::clone(core))
    }
}

#[pymethods]
impl PyServe {
    fn __call__(&self, py: Python<'_>) {
        if let Err(error) = self.0.serve_on_loop(py) {
            self.0.raise_later(error);
        }
    }
}

/// Now, and a little more, because the clocks of the loop's timer and of this code differ slightly.
fn soon() -> Instant {
    Instant::now() + Duration::from_millis(2)
}

/// A batch without records.
pub(crate) fn empty(py: Python<'_>) -> PyResult<Bound<'_, PyRecordBatch>> {
    Bound::new(py, PyRecordBatch::new(Vec::new()))
}
