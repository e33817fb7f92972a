//! The records of asynchronous calls, each in a batch, waiting or refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kafkars_client::{Delivery, ProduceError};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

use super::awaits::Awaits;
use super::deliveries::{Index, resolve_index};
use super::pending_send::WaitingSend;
use crate::aio::{
    AwaitableCall, CompletionKey, CompletionQueue, PendingAnswer, PyAwaiting, PyFuture,
};
use crate::error;
use crate::metadata::ReportFunction;

/// One record of an asynchronous call.
pub(crate) enum SendEntry {
    /// In a batch.
    Taken(Delivery, ReportFunction),
    /// The record waits for its topic, its partition or room, or has waited.
    Queued(Arc<WaitingSend>),
    /// Refused.
    Failed(ProduceError),
}

impl SendEntry {
    /// The future that the caller awaits.
    #[inline]
    pub(crate) fn future(self, py: Python<'_>, awaits: Awaits) -> PyResult<PyFuture> {
        match self {
            Self::Taken(delivery, report) => awaits.delivery(py, delivery, report),
            Self::Queued(send) => Ok(PyFuture::pending(send.pending(awaits))),
            Self::Failed(failure) => Ok(PyFuture::failed(error::produce(py, &failure))),
        }
    }

    pub(super) fn copy(&self) -> Self {
        match self {
            Self::Taken(delivery, report) => Self::Taken(delivery.clone(), *report),
            Self::Queued(send) => Self::Queued(Arc::clone(send)),
            Self::Failed(failure) => Self::Failed(failure.clone()),
        }
    }

    /// What there is to wait for if the record is not in a batch.
    fn pending(&self, awaits: Awaits) -> Option<Arc<dyn PendingAnswer>> {
        match self {
            Self::Taken(..) | Self::Failed(_) => None,
            Self::Queued(send) => Some(Arc::clone(send).pending(awaits)),
        }
    }

    fn is_ready(&self, awaits: Awaits) -> bool {
        match (self, awaits) {
            (Self::Taken(delivery, _), Awaits::Delivery) => delivery.is_done(),
            (Self::Taken(..), Awaits::Admission) | (Self::Failed(_), _) => true,
            (Self::Queued(send), Awaits::Delivery) => send.is_delivered(),
            (Self::Queued(send), Awaits::Admission) => !send.is_waiting(),
        }
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        match self {
            Self::Taken(delivery, report) => Some(report(py, delivery.result()?)),
            Self::Failed(failure) => Some(Err(error::produce(py, failure))),
            Self::Queued(_) => self.pending(Awaits::Delivery)?.take(py),
        }
    }
}

/// Makes the result of a call whose records are all ready.
type OutcomeOfAll = fn(Python<'_>, &Arc<Vec<SendEntry>>) -> PyResult<Py<PyAny>>;

/// Waits for all records of a call.
pub(super) struct All {
    entries: Arc<Vec<SendEntry>>,
    awaits: Awaits,
    answer: OutcomeOfAll,
    key: CompletionKey,
    /// The index of the first entry that was not ready at the last look.
    next: AtomicUsize,
}

impl All {
    /// Waits until all are reported; the result is a list of their metadata.
    pub(super) fn reported(entries: Arc<Vec<SendEntry>>) -> Self {
        Self::new(entries, Awaits::Delivery, metadata_of_all)
    }

    /// Waits until all are reported; the result lists those that failed.
    fn failures(entries: Arc<Vec<SendEntry>>) -> Self {
        Self::new(entries, Awaits::Delivery, failures_of_all)
    }

    /// Waits until there was room for all; the result has their deliveries.
    pub(super) fn admitted(entries: Arc<Vec<SendEntry>>) -> Self {
        Self::new(entries, Awaits::Admission, |py, entries| {
            let deliveries = PyAsyncDeliveries(Arc::clone(entries));
            Ok(Bound::new(py, deliveries)?.into_any().unbind())
        })
    }

    fn new(entries: Arc<Vec<SendEntry>>, awaits: Awaits, answer: OutcomeOfAll) -> Self {
        Self {
            entries,
            awaits,
            answer,
            key: CompletionKey::unique(),
            next: AtomicUsize::new(0),
        }
    }

    /// The first record that there is something to wait for.
    fn first_unready(&self) -> Option<&SendEntry> {
        let from = self.next.load(Ordering::Acquire);
        let rest = self.entries.get(from..).unwrap_or_default();
        let ready = rest
            .iter()
            .take_while(|entry| entry.is_ready(self.awaits))
            .count();
        // Ready entries stay ready; another thread may have got further.
        self.next.fetch_max(from + ready, Ordering::AcqRel);
        rest.get(ready)
    }

    /// Makes a future of the wait.
    pub(super) fn future(self) -> PyFuture {
        PyFuture::pending(Arc::new(self))
    }
}

impl PendingAnswer for All {
    fn is_ready(&self, _woken: bool) -> bool {
        self.first_unready().is_none()
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        (self.first_unready().is_none()).then(|| (self.answer)(py, &self.entries))
    }

    /// Joins one record, which is enough: the partition function is asked for all that wait for the topic.
    fn join(&self, py: Python<'_>) {
        if let Some(SendEntry::Queued(send)) = self.first_unready() {
            send.join(py);
        }
    }

    /// The wait has its own key, because the next entry may be ready before the key is asked for again.
    fn key(&self) -> CompletionKey {
        self.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let key = self.key;
        match self.first_unready() {
            Some(SendEntry::Taken(delivery, _)) => {
                delivery.batch().on_done(move || completion_queue.push(key))
            }
            Some(SendEntry::Queued(send)) => send.tell(self.awaits, completion_queue, key),
            Some(SendEntry::Failed(_)) | None => completion_queue.push(key),
        }
    }

    fn ends_with_loop(&self) -> bool {
        false
    }

    /// Gives up records that have not entered the producer: they are not sent.
    fn cancel(&self) {
        for entry in self.entries.iter() {
            if let Some(pending) = entry.pending(self.awaits) {
                pending.cancel();
            }
        }
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

fn metadata_of_all(py: Python<'_>, entries: &Arc<Vec<SendEntry>>) -> PyResult<Py<PyAny>> {
    let mut stored = Vec::with_capacity(entries.len());
    let mut failure = None;
    // All are looked at, also behind the first failure: whoever has asked for all of them has been told.
    for entry in entries.iter() {
        match entry.take(py).unwrap_or_else(|| Err(error::abandoned())) {
            Ok(metadata) => stored.push(metadata),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(PyList::new(py, stored)?.into_any().unbind()),
    }
}

fn failures_of_all(py: Python<'_>, entries: &Arc<Vec<SendEntry>>) -> PyResult<Py<PyAny>> {
    let failures = PyDict::new(py);
    for (index, entry) in entries.iter().enumerate() {
        if let Some(Err(failure)) = entry.take(py) {
            failures.set_item(index, failure.into_value(py))?;
        }
    }
    Ok(failures.into_any().unbind())
}

/// The deliveries of one call that sent many records, as asynchronous Python holds them: one handle for all, and one
/// for each where asked for.
#[pyclass(name = "Deliveries", module = "kafkars.aio", frozen)]
pub(crate) struct PyAsyncDeliveries(Arc<Vec<SendEntry>>);

impl PyAsyncDeliveries {
    pub(super) fn new(entries: Arc<Vec<SendEntry>>) -> Self {
        Self(entries)
    }
}

#[pymethods]
impl PyAsyncDeliveries {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// The future of one record, in the order of the call.
    fn __getitem__<'py>(&self, py: Python<'py>, index: Index) -> PyResult<Bound<'py, PyFuture>> {
        let entry = resolve_index(index.0, self.0.len()).and_then(|at| self.0.get(at));
        let entry = entry.ok_or_else(|| PyIndexError::new_err("no such record"))?;
        entry.copy().future(py, Awaits::Delivery)?.into_object(py)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let futures = self
            .0
            .iter()
            .map(|entry| entry.copy().future(py, Awaits::Delivery)?.into_object(py));
        PyList::new(py, futures.collect::<PyResult<Vec<_>>>()?)?.try_iter()
    }

    /// True if every record was reported as stored or as failed.
    fn done(&self) -> bool {
        self.0.iter().all(|entry| entry.is_ready(Awaits::Delivery))
    }

    /// Awaiting waits until all are reported, and gives where they were stored, in the order of the call. Raises why
    /// the first of those that failed was not stored.
    fn __await__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAwaiting>> {
        let future = All::reported(Arc::clone(&self.0)).future();
        PyFuture::awaiting(&future.into_object(py)?)
    }

    /// Awaiting waits until all are reported, and gives why records were not stored, by their place in the call; empty
    /// where all were.
    fn failures(&self) -> AwaitableCall {
        AwaitableCall(All::failures(Arc::clone(&self.0)).future())
    }

    fn __repr__(&self) -> String {
        let done = self
            .0
            .iter()
            .filter(|entry| entry.is_ready(Awaits::Delivery));
        format!(
            "<Deliveries of {} records, {} done>",
            self.0.len(),
            done.count()
        )
    }
}
