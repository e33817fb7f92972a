//! The consumer behind both flavours, synchronous and asyncio: taking records, the fork rule, closing.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_client::{Client, Closing, Consumer, LeaveId, Origin, RecordSlice, TakenRecord};
use parking_lot::Mutex;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::assignor::assignors;
use super::commit_callbacks::CommitCallbacks;
use super::listener_run::ListenerRun;
use super::listeners::Listeners;
use crate::aio::{CompletionKey, PyLoopBridge};
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
    /// The key that waits for records of this consumer use.
    pub(crate) key: CompletionKey,
    fork_guard: ForkGuard,
    deserializers: Option<Arc<Deserializers>>,
    lent: LentObjects,
    /// Most records of one batch call.
    max_poll_records: usize,
    /// Time limit of calls that ask the cluster, if they are given none.
    pub(crate) default_timeout: Duration,
    // Guards the rebalance listener; never held while the interpreter runs.
    pub(crate) listeners: Mutex<Option<Arc<Listeners>>>,
    pub(super) commit_callbacks: CommitCallbacks,
    /// What a commit is whose offsets the application names, if the library whose face this is checks less than we do.
    pub(crate) commits_named: OnceLock<Origin>,
    /// Set if the first Ctrl+C does not end the wait of a call that leaves the group.
    pub(crate) outlives_interrupt: OnceLock<()>,
    pub(super) listener_run: ListenerRun,
    pub(crate) callback_turn: CallbackTurn,
    // Guards the exception of a listener's coroutine until a reader gets it.
    pub(crate) raised: Mutex<Option<PyErr>>,
    /// The id of the last end of a subscription that was reported.
    left: AtomicU64,
    leaving: AtomicBool,
    // Whether `close()` was called and has begun to leave the group.
    closing: AtomicBool,
    /// Whether an exception has interrupted the handling of what was handed out last.
    interrupted: AtomicBool,
}

impl ConsumerCore {
    /// Creates a consumer without an assignment, on the runtime of this process.
    pub(crate) fn new(py: Python<'_>, settings: ConsumerSettings) -> PyResult<Arc<Self>> {
        PyLoopBridge::end_closed(py)?;
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
            commits_named: OnceLock::new(),
            outlives_interrupt: OnceLock::new(),
            listener_run: ListenerRun::default(),
            callback_turn: CallbackTurn::default(),
            raised: Mutex::default(),
            left: AtomicU64::new(0),
            leaving: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            interrupted: AtomicBool::new(false),
        }))
    }

    /// Shows objects of the application to the collector, because they may refer to the consumer. Only one Python
    /// object of a consumer may do so, since each reference is counted once. Only attached threads change them, and
    /// make no call to Python under the locks, so the collector never waits for a thread that waits for it.
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

    /// Fails in a fork, and after `close()`.
    pub(crate) fn check_open(&self) -> PyResult<()> {
        self.check()?;
        if self.consumer.is_closed() {
            return Err(error::closed("consumer"));
        }
        Ok(())
    }

    /// True if listeners, callbacks or exceptions come before records, on a loop.
    pub(crate) fn has_event(&self) -> bool {
        self.consumer.has_event() || self.has_raised()
    }

    /// Keeps an exception for the next reader; the first one counts.
    pub(crate) fn raise_later(&self, error: PyErr) {
        self.raised.lock().get_or_insert(error);
    }

    /// Takes the exception that waits for a reader.
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

    /// Takes the next record, if one is ready, without making a Python object.
    #[inline]
    pub(crate) fn taken(&self, py: Python<'_>) -> PyResult<Option<TakenRecord>> {
        self.check()?;
        let taken = self.consumer.try_next();
        taken.map_err(|failure| error::fetch(py, &failure))
    }

    /// Takes what is ready, up to `max` records; `None` if nothing is.
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

    /// Takes what is ready, up to `max` records, without making Python objects.
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
            Some(0) => Err(error::argument("max_records must be at least 1, not 0")),
            Some(max) => Ok(max),
        }
    }

    /// Fails if a wait for records would never end, because nothing is assigned, or never will be again.
    pub(crate) fn check_assigned(&self, py: Python<'_>) -> PyResult<()> {
        self.check_membership(py)?;
        if self.reads_nothing() {
            self.check_open()?;
            if self.is_over() {
                return Err(error::closed("consumer"));
            }
            return Err(error::state(
                "nothing is assigned to this consumer; call assign() or subscribe() before reading",
            ));
        }
        Ok(())
    }

    /// Fails if the membership has ended for good: the first read has raised why, and so does every other.
    pub(crate) fn check_membership(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.end_of_membership() {
            None => Ok(()),
            Some(end) => Err(error::group(py, &end)),
        }
    }

    /// Fails if records cannot come by waiting: no later try can reach the cluster, or no broker has answered for too
    /// long.
    pub(crate) fn check_readable(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.read_failure() {
            None => Ok(()),
            Some(failure) => Err(error::fetch(py, &failure)),
        }
    }

    /// Fails if records cannot come because a login fails or the membership has ended, for a read that goes on waiting.
    pub(crate) fn check_refused(&self, py: Python<'_>) -> PyResult<()> {
        match self.consumer.refusal() {
            None => Ok(()),
            Some(failure) => Err(error::fetch(py, &failure)),
        }
    }

    /// The deadline of a call that was given `timeout` seconds, or none.
    pub(crate) fn deadline(&self, timeout: Option<f64>) -> PyResult<Instant> {
        let timeout = crate::types::timeout(timeout)?.unwrap_or(self.default_timeout);
        Ok(Instant::now() + timeout)
    }

    /// Begins to give up the subscription; `None` if there is none, or inside a listener, which would wait for itself.
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

    /// Begins to close the consumer, subscribed or not; `None` if there is no group, or inside a listener.
    pub(crate) fn start_closing(&self, deadline: Instant) -> Option<Closing> {
        if !self.may_leave() {
            return None;
        }
        let closing = self.consumer.start_closing(deadline, self.is_finished());
        self.leaving.store(closing.is_some(), Ordering::Release);
        self.closing.fetch_or(closing.is_some(), Ordering::AcqRel);
        closing
    }

    /// Notes that no call waits for this end of a subscription any more.
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

    /// True if nothing comes any more because the consumer is closed, or is being closed and has given up what it had.
    pub(crate) fn is_over(&self) -> bool {
        self.consumer.is_closed() || (self.is_closing() && self.reads_nothing())
    }

    /// True once `close()` was called.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire) || self.consumer.is_closed()
    }

    fn reads_nothing(&self) -> bool {
        !self.consumer.is_assigned() && !self.consumer.is_subscribed()
    }

    /// True if the subscription is being given up: a failure of the membership does not matter then.
    pub(crate) fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Acquire)
    }

    /// Notes that a subscription begins, whose errors matter.
    pub(crate) fn note_subscribed(&self) {
        self.leaving.store(false, Ordering::Release);
    }

    /// Notes that an end of a subscription was reported, and tells the thread that waits for it.
    pub(crate) fn note_left(&self, id: LeaveId) {
        self.left.fetch_max(id.0, Ordering::AcqRel);
        self.consumer.wake_readers();
    }

    /// True if this end of a subscription, or a later one, was reported.
    pub(crate) fn has_left(&self, id: LeaveId) -> bool {
        self.left.load(Ordering::Acquire) >= id.0
    }

    /// Notes that the application failed while it handled what was handed out last, which is not finished by that.
    pub(crate) fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Release);
    }

    pub(crate) fn is_finished(&self) -> bool {
        !self.interrupted.load(Ordering::Acquire)
    }

    /// How long a wait without limit lasts before it is checked whether the cluster can be reached.
    pub(crate) fn look_after(&self) -> Duration {
        let stuck = self.consumer.config().stuck_timeout;
        stuck.map_or(self.default_timeout, |stuck| {
            stuck.min(self.default_timeout)
        })
    }

    /// True in a forked child.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.fork_guard.is_elsewhere()
    }

    /// How long closing may take if the caller gives no time.
    pub(crate) fn close_timeout(&self) -> Duration {
        self.consumer.client().config().close_timeout
    }

    /// Closes the consumer. Does nothing in a forked child, whose copy has no threads.
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
    /// Closes the consumer without waiting: its tasks end by themselves.
    fn drop(&mut self) {
        self.close();
    }
}
