//! Delivery reports: the callbacks of messages, which run on the thread that polls.
//!
//! Reports wait by batch. When a batch is done its reports become due together. If a callback raises, a poll ends with
//! that, and the others wait for the next call; a flush goes on to its end and raises the last.
//! One thread at a time runs them, so that those of a partition keep their order.
//!
//! What a callback is called with is made by Python code, in which the handler of a signal may raise. Then the report
//! stays the first that is due, and the call ends with that exception.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kafkars_client::{Delivery, ProduceError};
use parking_lot::{Condvar, Mutex};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::handler;
use super::message::PyMessage;
use super::parts::SentMessage;
use crate::callback_turn::CallbackTurn;
use crate::error;

/// What a report repeats of its message, as the program gave it.
pub(super) struct MessageReport {
    pub(super) function: Py<PyAny>,
    pub(super) topic: Py<PyString>,
    pub(super) partition: Option<i32>,
    pub(super) key: Option<Py<PyAny>>,
    pub(super) value: Option<Py<PyAny>>,
    /// As [`since_1970`] said, which gave the message its timestamp too: a step of that clock shows in the latency of
    /// what was under way, and in nothing else.
    pub(super) sent: Duration,
}

/// The time by the wall clock.
#[inline]
pub(super) fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// How many reports a batch has room for at first.
const FEW: usize = 16;
/// How many empty lists are kept, and for how many reports each at most.
const SPARE_LISTS: usize = 8;
const LONGEST_SPARE: usize = 4_096;

/// How often is tried to give a report.
const TRIES: usize = 1_000;

/// The outcome of a message.
enum ReportOutcome {
    Delivery(Delivery),
    // Rare, and far larger than a delivery.
    Failed(Box<ProduceError>),
}

/// What follows an exception of a callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterException {
    /// The other reports wait.
    Stop,
    /// The others run first.
    GoOn,
}

type DueReport = (MessageReport, ReportOutcome);

/// Reports by the address of their batch, which the deliveries in it keep alive.
type WaitingReports = HashMap<usize, Vec<DueReport>, BuildHasherDefault<AddressHasher>>;

/// The reports of one producer.
#[derive(Default)]
pub(super) struct DeliveryReports {
    // Guards reports of batches under way, and `expected`.
    waiting: Mutex<WaitingReports>,
    // Guards reports that are due, those of a batch together.
    due: Mutex<VecDeque<Vec<DueReport>>>,
    // Guards emptied lists of earlier batches, which are used again: a new list would grow, and be copied, a dozen
    // times a batch.
    spare: Mutex<Vec<Vec<DueReport>>>,
    /// How many reports there are or will be. Only written under the lock of `waiting`.
    expected: AtomicUsize,
    /// How many of them have run, or run now. Only written by who has the turn.
    given: AtomicUsize,
    /// How often the first one could not be given. Only written by who has the turn.
    tries: AtomicUsize,
    turn: CallbackTurn,
    events: Arc<ReportWakeup>,
}

/// The addresses of finished batches, from the runtime's threads.
#[derive(Default)]
struct ReportWakeup {
    /// Whether there may be something in `finished` or `due`.
    any: AtomicBool,
    /// How many messages without report, or batches that begin with one, have their outcome since the last poll.
    silent: AtomicUsize,
    // Guards addresses of finished batches.
    finished: Mutex<Vec<usize>>,
    changed: Condvar,
}

impl DeliveryReports {
    /// How many messages have a report that has not run.
    #[inline]
    pub(super) fn open(&self) -> usize {
        // In this order, so that what has been given is among what was expected.
        let given = self.given.load(Ordering::Acquire);
        self.expected.load(Ordering::Relaxed).wrapping_sub(given)
    }

    /// Notes that there will be a report.
    pub(super) fn expect(&self) {
        let _waiting = self.waiting.lock();
        count_one(&self.expected);
    }

    /// Adds the report of a delivery that was not expected before.
    #[inline]
    pub(super) fn note_new(&self, report: MessageReport, delivery: Delivery) {
        let mut waiting = self.waiting.lock();
        count_one(&self.expected);
        self.add(&mut waiting, report, delivery);
    }

    /// Adds an expected report, that of a delivery. Needs no interpreter.
    pub(super) fn note(&self, report: MessageReport, delivery: Delivery) {
        self.add(&mut self.waiting.lock(), report, delivery);
    }

    #[inline]
    fn add(&self, waiting: &mut WaitingReports, report: MessageReport, delivery: Delivery) {
        let address = Arc::as_ptr(delivery.batch()) as usize;
        match waiting.entry(address) {
            Entry::Occupied(entry) => {
                let calls = entry.into_mut();
                calls.push((report, ReportOutcome::Delivery(delivery)));
            }
            Entry::Vacant(entry) => {
                let batch = Arc::clone(delivery.batch());
                let spare = self.spare.lock().pop();
                let mut calls = spare.unwrap_or_else(|| Vec::with_capacity(FEW));
                calls.push((report, ReportOutcome::Delivery(delivery)));
                entry.insert(calls);
                let events = Arc::clone(&self.events);
                batch.on_done(move || events.tell(address));
            }
        }
    }

    /// Adds an expected report, that of a failure. Needs no interpreter.
    pub(super) fn fail(&self, report: MessageReport, failure: ProduceError) {
        let call = (report, ReportOutcome::Failed(Box::new(failure)));
        self.due.lock().push_back(vec![call]);
        self.events.raise_flag();
    }

    /// Counts a message without report that has its outcome: a poll tells of it by its number, as in librdkafka, where
    /// every message has a report.
    pub(super) fn count_silent(&self) {
        self.events.count_silent();
    }

    /// As [`DeliveryReports::count_silent`], for a batch that begins with such a message: once it is done.
    pub(super) fn count_silent_batch(&self, delivery: &Delivery) {
        if delivery.index() == 0 {
            let events = Arc::clone(&self.events);
            delivery.batch().on_done(move || events.count_silent());
        }
    }

    /// Runs the reports that are due, unless another thread does, or this call comes from a report: reports within
    /// reports would run out of order, and nest without limit. Returns how many ran.
    #[inline]
    pub(super) fn serve(
        &self,
        py: Python<'_>,
        only_errors: bool,
        after: AfterException,
    ) -> PyResult<usize> {
        if !self.events.any.load(Ordering::Acquire) || self.turn.is_here() {
            return Ok(0);
        }
        let served = match self.turn.take() {
            None => return Ok(0),
            Some(_turn) => {
                self.events.any.store(false, Ordering::Release);
                let silent = self.events.silent.swap(0, Ordering::AcqRel);
                self.serve_due(py, only_errors, after)
                    .map(|served| served + silent)
            }
        };
        self.events.wake();
        served
    }

    /// True if this thread runs reports, so that the caller was called by one of them; no other runs before it returns.
    pub(super) fn is_served_here(&self) -> bool {
        self.turn.is_here()
    }

    /// True if another thread runs reports, the last of which is no longer counted as open.
    pub(super) fn is_served_elsewhere(&self) -> bool {
        self.turn.is_elsewhere()
    }

    /// Blocks this thread while another one runs reports, at most for `timeout`.
    pub(super) fn wait_for_turn(&self, timeout: Duration) {
        self.turn.wait(timeout);
    }

    fn serve_due(
        &self,
        py: Python<'_>,
        only_errors: bool,
        after: AfterException,
    ) -> PyResult<usize> {
        let finished = std::mem::take(&mut *self.events.finished.lock());
        for address in finished {
            let calls = self.waiting.lock().remove(&address);
            self.due.lock().extend(calls);
        }
        let (mut served, mut raised) = (0, None);
        loop {
            // Taken in a statement of its own: callbacks run without the lock.
            let next = self.due.lock().pop_front();
            let Some(mut calls) = next else { break };
            let now = since_1970();
            let mut left = calls.drain(..);
            let mut interrupted = None;
            for call in left.by_ref() {
                let made = match arguments(py, &call, now, only_errors) {
                    Err(interrupt) if self.is_tried_again() => {
                        interrupted = Some((call, interrupt));
                        break;
                    }
                    made => made,
                };
                self.tries.store(0, Ordering::Relaxed);
                count_one(&self.given);
                let called = made.and_then(|made| {
                    let called = made.map(|made| call.0.function.call1(py, made));
                    called.transpose()
                });
                match called {
                    Ok(_) => served += 1,
                    Err(problem) => {
                        raised = Some(problem);
                        if after == AfterException::Stop {
                            break;
                        }
                    }
                }
            }
            let (first, interrupt) = interrupted.unzip();
            let left: Vec<_> = first.into_iter().chain(left).collect();
            if !left.is_empty() {
                self.due.lock().push_front(left);
            }
            self.keep(calls);
            if interrupt.is_some() {
                raised = interrupt;
                break;
            }
            if raised.is_some() && after == AfterException::Stop {
                break;
            }
        }
        match raised {
            None => Ok(served),
            Some(problem) => {
                self.events.any.store(true, Ordering::Release);
                Err(problem)
            }
        }
    }

    /// Counts a report that could not be given. False after so many tries that no signal is the reason: it would hold
    /// up all others for good.
    fn is_tried_again(&self) -> bool {
        self.tries.fetch_add(1, Ordering::Relaxed) < TRIES
    }

    fn keep(&self, empty: Vec<DueReport>) {
        let mut spare = self.spare.lock();
        if spare.len() < SPARE_LISTS && (FEW..=LONGEST_SPARE).contains(&empty.capacity()) {
            spare.push(empty);
        }
    }

    /// Blocks this thread until there may be reports to run, at most for `timeout`.
    pub(super) fn wait(&self, timeout: Duration) {
        let mut finished = self.events.finished.lock();
        if !self.events.any.load(Ordering::Acquire) || self.turn.is_elsewhere() {
            self.events.changed.wait_for(&mut finished, timeout);
        }
    }
}

impl ReportWakeup {
    fn tell(&self, address: usize) {
        self.finished.lock().push(address);
        self.raise_flag();
    }

    fn count_silent(&self) {
        self.silent.fetch_add(1, Ordering::AcqRel);
        self.raise_flag();
    }

    /// Wakes threads that wait because another one ran reports.
    fn wake(&self) {
        // Under the lock, as in `ring`.
        let _finished = self.finished.lock();
        self.changed.notify_all();
    }

    fn raise_flag(&self) {
        // Under the lock, so that a thread that is about to wait does not miss it.
        let _finished = self.finished.lock();
        self.any.store(true, Ordering::Release);
        self.changed.notify_all();
    }
}

/// Counts where no other thread does at the same time, which costs less than where one might.
#[inline]
fn count_one(counter: &AtomicUsize) {
    let count = counter.load(Ordering::Relaxed).wrapping_add(1);
    counter.store(count, Ordering::Release);
}

/// What the callback of one message is called with; nothing where it is not called.
fn arguments(
    py: Python<'_>,
    (report, outcome): &DueReport,
    now: Duration,
    only_errors: bool,
) -> PyResult<Option<(Py<PyAny>, Py<PyMessage>)>> {
    let (outcome, partition) = match outcome {
        ReportOutcome::Failed(failure) => (Err(Cow::Borrowed(&**failure)), report.partition),
        ReportOutcome::Delivery(delivery) => {
            let stored = delivery.stored_at().unwrap_or(Err(ProduceError::Closed));
            let partition = delivery.batch().partition();
            (stored.map_err(Cow::Owned), Some(partition))
        }
    };
    if only_errors && outcome.is_ok() {
        return Ok(None);
    }
    let latency = now.saturating_sub(report.sent);
    let sent = SentMessage {
        topic: report.topic.clone_ref(py),
        partition,
        key: as_bytes(py, report.key.as_ref())?,
        value: as_bytes(py, report.value.as_ref())?,
        latency: latency.as_secs_f64(),
    };
    let (error, message) = match outcome {
        Ok(stored) => (py.None(), PyMessage::stored(py, sent, stored)?),
        Err(failure) => {
            let error = failed(py, &failure)?;
            let message = PyMessage::not_stored(py, sent, error.clone_ref(py))?;
            (error, message)
        }
    };
    // A signal that has come would raise in the callback, before its first line.
    py.check_signals()?;
    Ok(Some((error, message.unbind())))
}

/// The face's error for a message that was not stored.
fn failed(py: Python<'_>, failure: &ProduceError) -> PyResult<Py<PyAny>> {
    let in_flight = matches!(failure, ProduceError::Purged { in_flight: true });
    let problem = error::produce(py, failure);
    if !error::is_ours(py, &problem) {
        // Of a signal that came while the exception was made, or of a lack of memory.
        return Err(problem);
    }
    handler::of_delivery(py, &problem, in_flight)
}

/// A key or value as bytes, as it was sent.
fn as_bytes(py: Python<'_>, given: Option<&Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    let Some(given) = given else {
        return Ok(None);
    };
    match given.bind(py).cast::<PyString>() {
        Ok(text) => Ok(Some(
            PyBytes::new(py, text.to_str()?.as_bytes())
                .into_any()
                .unbind(),
        )),
        Err(_) => Ok(Some(given.clone_ref(py))),
    }
}

/// Addresses are distinct already; only their low bits are all zero.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (address as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}
