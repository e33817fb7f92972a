//! The consumer behind both flavours, synchronous and asyncio: records out of the ready buffer, fork rule, life.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::{Client, Closing, Consumer, LeaveId, RecordSlice, TakenRecord};
use parking_lot::Mutex;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::assignor::assignors;
use super::commit_callbacks::CommitCallbacks;
use super::listener_run::ListenerRun;
use super::listeners::Listeners;
use crate::aio::CompletionKey;
use crate::batch::PyRecordBatch;
use crate::batch_run::Run;
use crate::callback_turn::CallbackTurn;
use crate::config::ConsumerSettings;
use crate::deserializers::Deserializers;
use crate::error;
use crate::lent::LentObjects;
use crate::metrics;
use crate::record::{self, PyRecord};
use crate::runtime::{self, ForkGuard};

/// A consumer and what Python adds to it.
pub(crate) struct ConsumerCore {
    pub(crate) consumer: Consumer,
    /// What waits for its records wait for.
    pub(crate) key: CompletionKey,
    fork_guard: ForkGuard,
    deserializers: Option<Arc<Deserializers>>,
    lent: LentObjects,
    /// Most records of one batch call.
    max_poll_records: usize,
    /// Time limit of calls that ask the cluster and are given none.
    pub(crate) default_timeout: Duration,
    // Guards who is called when partitions come and go; never held while the interpreter runs.
    pub(crate) listeners: Mutex<Option<Arc<Listeners>>>,
    pub(super) commit_callbacks: CommitCallbacks,
    /// Commits may name partitions that are not owned, as with the library whose face this is.
    pub(crate) commits_any: AtomicBool,
    pub(super) listener_run: ListenerRun,
    pub(crate) callback_turn: CallbackTurn,
    // Guards the exception of a listener's coroutine until a reader gets it.
    pub(crate) raised: Mutex<Option<PyErr>>,
    /// The last end of a subscription that was heard of, by the number of its id.
    left: AtomicU64,
    leaving: AtomicBool,
    /// The application stopped in the middle of what was handed out last.
    interrupted: AtomicBool,
}

impl ConsumerCore {
    /// A consumer with nothing assigned, on the runtime of this process.
    pub(crate) fn new(py: Python<'_>, settings: ConsumerSettings) -> PyResult<Arc<Self>> {
        let mut lent = LentObjects::default();
        let (client, consumer) = settings.checked(&mut lent)?;
        let assignors = assignors(py, settings.assignors(), &mut lent)?;
        let handle = runtime::handle()?;
        let _inside = handle.enter();
        let (max_poll_records, default_timeout) =
            (consumer.max_poll_records, consumer.default_api_timeout);
        let client = Client::new(client, handle.clone());
        Ok(Arc::new(Self {
            consumer: Consumer::with_assignors(client, consumer, assignors),
            key: CompletionKey::unique(),
            fork_guard: ForkGuard::here(),
            deserializers: settings.deserializers(py)?.map(Arc::new),
            lent,
            max_poll_records,
            default_timeout,
            listeners: Mutex::default(),
            commit_callbacks: CommitCallbacks::default(),
            commits_any: AtomicBool::new(false),
            listener_run: ListenerRun::default(),
            callback_turn: CallbackTurn::default(),
            raised: Mutex::default(),
            left: AtomicU64::new(0),
            leaving: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
        }))
    }

    /// Shows what the application gave to the collector: it may know the consumer. For one object of a consumer only,
    /// since each of these is counted once. Only attached threads change what is here, and they call nothing of
    /// Python's under the locks: the collector waits for none that waits for it.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Records that were handed out share the deserializers, and may be read without the consumer.
        if let Some(deserializers) = &self.deserializers
            && Arc::strong_count(deserializers) == 1
        {
            deserializers.traverse(visit)?;
        }
        self.lent.traverse(visit)?;
        if let Some(listeners) = &*self.listeners.lock() {
            listeners.traverse(visit)?;
        }
        self.commit_callbacks.traverse(visit)
    }

    /// Fails in a fork of the process the consumer was made in.
    #[inline]
    pub(crate) fn check(&self) -> PyResult<()> {
        self.fork_guard.check()
    }

    /// Fails after `close()`, too.
    pub(crate) fn check_open(&self) -> PyResult<()> {
        self.check()?;
        if self.consumer.is_closed() {
            return Err(error::closed("consumer"));
        }
        Ok(())
    }

    /// True if something must be served before records, on a loop.
    pub(crate) fn has_news(&self) -> bool {
        self.consumer.has_news() || self.has_raised()
    }

    /// Leaves an exception for the next reader; the first one counts.
    pub(crate) fn raise_later(&self, error: PyErr) {
        self.raised.lock().get_or_insert(error);
    }

    /// Takes out what waits for a reader.
    pub(crate) fn take_raised(&self) -> Option<PyErr> {
        self.raised.lock().take()
    }

    /// True if an exception of a listener waits for a reader.
    pub(crate) fn has_raised(&self) -> bool {
        self.raised.lock().is_some()
    }

    /// The next record, if one is ready.
    #[inline]
    pub(crate) fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyRecord>>> {
        match self.taken(py)? {
            Some(TakenRecord { batch, view }) => {
                record::prepare(py, &batch, self.deserializers.as_ref());
                record::record(py, batch, view, self.deserializers.is_some()).map(Some)
            }
            None => Ok(None),
        }
    }

    /// The next record before it is a Python object, if one is ready.
    #[inline]
    pub(crate) fn taken(&self, py: Python<'_>) -> PyResult<Option<TakenRecord>> {
        self.check()?;
        let taken = self.consumer.try_next();
        taken.map_err(|failure| error::fetch(py, &failure))
    }

    /// What is ready, up to `max` records; none when nothing is.
    pub(crate) fn take<'py>(
        &self,
        py: Python<'py>,
        max: usize,
    ) -> PyResult<Option<Bound<'py, PyRecordBatch>>> {
        let Some(slices) = self.slices(py, max)? else {
            return Ok(None);
        };
        let runs = slices.into_iter().map(|slice| {
            record::prepare(py, &slice.batch, self.deserializers.as_ref());
            Run::new(slice)
        });
        Bound::new(py, PyRecordBatch::new(runs.collect())).map(Some)
    }

    /// What is ready, up to `max` records, before it is a Python object.
    pub(crate) fn slices(&self, py: Python<'_>, max: usize) -> PyResult<Option<Vec<RecordSlice>>> {
        self.check()?;
        let slices = self.consumer.try_take(max);
        let slices = slices.map_err(|failure| error::fetch(py, &failure))?;
        Ok(Some(slices).filter(|slices| !slices.is_empty()))
    }

    /// The limit of one batch call.
    pub(crate) fn batch_limit(&self, max_records: Option<usize>) -> PyResult<usize> {
        match max_records {
            None => Ok(self.max_poll_records),
            Some(0) => Err(error::argument("max_records must be at least 1")),
            Some(max) => Ok(max),
        }
    }

    /// Fails where a wait for records can have no end: nothing is assigned.
    pub(crate) fn check_assigned(&self) -> PyResult<()> {
        if !self.consumer.is_assigned() && !self.consumer.is_subscribed() {
            self.check_open()?;
            return Err(error::state(
                "nothing is assigned to this consumer; call assign() or subscribe() before reading",
            ));
        }
        Ok(())
    }

    /// Fails where records cannot come by waiting: no later try can reach the cluster, or it is silent for too long.
    pub(crate) fn check_readable(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.read_failure() {
            None => Ok(()),
            Some(failure) => Err(error::fetch(py, &failure)),
        }
    }

    /// Fails where records cannot come because a handshake fails, for a read that goes on waiting.
    pub(crate) fn check_refused(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.refusal() {
            None => Ok(()),
            Some(failure) => Err(error::fetch(py, &failure)),
        }
    }

    /// The moment a call ends that was given `timeout` seconds, or none.
    pub(crate) fn deadline(&self, timeout: Option<f64>) -> PyResult<Instant> {
        let timeout = crate::types::timeout(timeout)?.unwrap_or(self.default_timeout);
        Ok(Instant::now() + timeout)
    }

    /// Begins to give up the subscription; `None` where there is none, or in a listener, which nobody else could leave.
    pub(crate) fn start_leaving(&self, reason: &'static str, deadline: Instant) -> Option<LeaveId> {
        if !self.may_leave() {
            return None;
        }
        let id = self
            .consumer
            .start_leaving(reason, deadline, self.is_finished());
        self.leaving.store(id.is_some(), Ordering::Release);
        id
    }

    /// Begins to end the consumer, subscribed or not; `None` where there is no group, or in a listener.
    pub(crate) fn start_closing(&self, deadline: Instant) -> Option<Closing> {
        if !self.may_leave() {
            return None;
        }
        let closing = self.consumer.start_closing(deadline, self.is_finished());
        self.leaving.store(closing.is_some(), Ordering::Release);
        closing
    }

    /// Nobody waits for this end of a subscription any more.
    pub(crate) fn give_up_leaving(&self, id: LeaveId) {
        if !self.fork_guard.is_elsewhere() {
            self.consumer.give_up_leaving(id);
        }
    }

    fn may_leave(&self) -> bool {
        !self.fork_guard.is_elsewhere()
            && !self.consumer.is_closed()
            && self.check_reentry().is_ok()
    }

    /// True if the subscription is being given up: a membership that fails then is what was wanted.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    /// A subscription begins: its errors are of interest.
    pub(crate) fn note_subscribed(&self) {
        self.leaving.store(false, Ordering::Release);
    }

    pub(crate) fn note_left(&self, id: LeaveId) {
        self.left.fetch_max(id.0, Ordering::AcqRel);
    }

    /// True if this end of a subscription, or a later one, was heard of.
    pub(crate) fn has_left(&self, id: LeaveId) -> bool {
        self.left.load(Ordering::Acquire) >= id.0
    }

    /// The application failed while it handled what was handed out last: that is not finished.
    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
    }

    pub(crate) fn is_finished(&self) -> bool {
        !self.interrupted.load(Ordering::Acquire)
    }

    /// How long a wait without limit may last before the cluster is looked after.
    pub(crate) fn look_after(&self) -> Duration {
        let stuck = self.consumer.config().stuck_timeout;
        stuck.map_or(self.default_timeout, |stuck| {
            stuck.min(self.default_timeout)
        })
    }

    /// How long its end may take where the caller gives no time.
    pub(crate) fn close_timeout(&self) -> Duration {
        self.consumer.client().config().close_timeout
    }

    /// Ends the consumer. Does nothing in a forked child, whose copy has no threads.
    pub(crate) fn close(&self) {
        if !self.fork_guard.is_elsewhere() {
            self.consumer.close();
        }
    }

    /// Counters as a dict.
    pub(crate) fn metrics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        metrics::consumer(
            py,
            &self.consumer.metrics(),
            &self.consumer.client().metrics(),
        )
    }
}

impl Drop for ConsumerCore {
    /// Nothing waits here: the tasks end on their own.
    fn drop(&mut self) {
        self.close();
    }
}
