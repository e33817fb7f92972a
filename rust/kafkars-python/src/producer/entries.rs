//! Records that an asynchronous call has handed over, each as far as it has come.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use kafkars_client::{Delivery, ProduceError};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList};

use super::aio::Awaits;
use super::deliveries::{Index, place};
use super::pending_send::WaitingSend;
use crate::aio::{Call, CompletionQueue, Key, Pending, PyFuture};
use crate::error;
use crate::metadata::Report;

/// One record.
pub(crate) enum Entry {
    /// In a batch.
    Taken(Delivery, Report),
    /// It waits for its topic, its partition or room, or has waited.
    Queued(Arc<WaitingSend>),
    /// Refused.
    Failed(ProduceError),
}

impl Entry {
    /// What awaits it.
    #[inline]
    pub(crate) fn future(self, py: Python<'_>, awaits: Awaits) -> PyResult<PyFuture> {
        match self {
            Self::Taken(delivery, report) => awaits.delivery(py, delivery, report),
            Self::Queued(send) => Ok(PyFuture::pending(awaits.queued(send))),
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

    /// What there is to wait for, where it is not in a batch.
    fn pending(&self, awaits: Awaits) -> Option<Arc<dyn Pending>> {
        match self {
            Self::Taken(..) | Self::Failed(_) => None,
            Self::Queued(send) => Some(awaits.queued(Arc::clone(send))),
        }
    }

    fn is_ready(&self, woken: bool, awaits: Awaits) -> bool {
        match (self, awaits) {
            (Self::Taken(delivery, _), Awaits::Delivery) => delivery.is_done(),
            (Self::Taken(..), Awaits::Admission) | (Self::Failed(_), _) => true,
            (Self::Queued(_), _) => self
                .pending(awaits)
                .is_none_or(|pending| pending.is_ready(woken)),
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

/// What is told of records that are all there.
type Answer = fn(Python<'_>, &Arc<Vec<Entry>>) -> PyResult<Py<PyAny>>;

/// Waits for all records of a call.
pub(super) struct All {
    entries: Arc<Vec<Entry>>,
    awaits: Awaits,
    answer: Answer,
    // The first that was not ready at the last look; moved by `take` only, so that `key` and `arm` speak of the same
    // one.
    next: AtomicUsize,
}

impl All {
    /// Until all are reported; the answer is a list of their metadata.
    pub(super) fn reported(entries: Arc<Vec<Entry>>) -> Self {
        Self::new(entries, Awaits::Delivery, metadata_of_all)
    }

    /// Until all are reported; the answer tells of those that failed.
    fn failures(entries: Arc<Vec<Entry>>) -> Self {
        Self::new(entries, Awaits::Delivery, failures_of_all)
    }

    /// Until there was room for all; the answer is the handle of their deliveries.
    pub(super) fn admitted(entries: Arc<Vec<Entry>>) -> Self {
        Self::new(entries, Awaits::Admission, |py, entries| {
            let deliveries = PyAsyncDeliveries(Arc::clone(entries));
            Ok(Bound::new(py, deliveries)?.into_any().unbind())
        })
    }

    fn new(entries: Arc<Vec<Entry>>, awaits: Awaits, answer: Answer) -> Self {
        Self {
            entries,
            awaits,
            answer,
            next: AtomicUsize::new(0),
        }
    }

    fn current(&self) -> Option<&Entry> {
        self.entries.get(self.next.load(Ordering::Acquire))
    }

    /// As a future.
    pub(super) fn future(self) -> PyFuture {
        PyFuture::pending(Arc::new(self))
    }
}

impl Pending for All {
    fn is_ready(&self, woken: bool) -> bool {
        let from = self.next.load(Ordering::Acquire);
        let rest = self.entries.get(from..).unwrap_or_default();
        rest.iter().all(|entry| entry.is_ready(woken, self.awaits))
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let mut at = self.next.load(Ordering::Acquire);
        while let Some(entry) = self.entries.get(at) {
            // Some go on only when they are looked at.
            let pending = entry.pending(self.awaits);
            let done = match &pending {
                Some(pending) => pending.take(py).is_some(),
                None => entry.is_ready(true, self.awaits),
            };
            if !done {
                self.next.store(at, Ordering::Release);
                return None;
            }
            at += 1;
        }
        self.next.store(at, Ordering::Release);
        Some((self.answer)(py, &self.entries))
    }

    fn key(&self) -> Key {
        match self.current() {
            Some(Entry::Taken(delivery, _)) => Key::Batch(Arc::as_ptr(delivery.batch()) as usize),
            Some(entry) => entry
                .pending(self.awaits)
                .map_or_else(Key::unique, |pending| pending.key()),
            None => Key::unique(),
        }
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let key = self.key();
        match self.current() {
            Some(Entry::Taken(delivery, _)) => {
                delivery.batch().on_done(move || completion_queue.push(key))
            }
            Some(entry) => match entry.pending(self.awaits) {
                Some(pending) => pending.arm(completion_queue),
                None => completion_queue.push(key),
            },
            None => completion_queue.push(key),
        }
    }

    /// Records that have not entered the producer are not sent.
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

fn metadata_of_all(py: Python<'_>, entries: &Arc<Vec<Entry>>) -> PyResult<Py<PyAny>> {
    let results = entries
        .iter()
        .map(|entry| entry.take(py).unwrap_or_else(|| Err(error::abandoned())));
    let list = PyList::new(py, results.collect::<PyResult<Vec<_>>>()?)?;
    Ok(list.into_any().unbind())
}

fn failures_of_all(py: Python<'_>, entries: &Arc<Vec<Entry>>) -> PyResult<Py<PyAny>> {
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
pub(crate) struct PyAsyncDeliveries(Arc<Vec<Entry>>);

impl PyAsyncDeliveries {
    pub(super) fn new(entries: Arc<Vec<Entry>>) -> Self {
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
        let entry = place(index.0, self.0.len()).and_then(|at| self.0.get(at));
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

    /// Whether every record was reported as stored or as failed.
    fn done(&self) -> bool {
        self.0
            .iter()
            .all(|entry| entry.is_ready(false, Awaits::Delivery))
    }

    /// Awaiting waits until all are reported, and gives where they were stored, in the order of the call. Raises why
    /// the first of those that failed was not stored.
    fn __await__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFuture>> {
        All::reported(Arc::clone(&self.0)).future().into_object(py)
    }

    /// Awaiting waits until all are reported, and gives why records were not stored, by their place in the call; empty
    /// where all were.
    fn failures(&self) -> Call {
        Call(All::failures(Arc::clone(&self.0)).future())
    }

    fn __repr__(&self) -> String {
        let done = self
            .0
            .iter()
            .filter(|entry| entry.is_ready(false, Awaits::Delivery));
        format!(
            "<Deliveries of {} records, {} done>",
            self.0.len(),
            done.count()
        )
    }
}
