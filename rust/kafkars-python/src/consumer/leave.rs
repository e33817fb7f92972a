//! Ending a subscription: listeners are called, the coordinator is told, and only then the call returns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::group::CommitError;
use kafkars_client::{Closing, ConsumerEvent, LeaveId};
use parking_lot::Mutex;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

use super::core::ConsumerCore;
use super::serve::Served;
use crate::aio::{CompletionKey, CompletionQueue, PendingAnswer, Taker};
use crate::imports::GET_LOGGER;
use crate::runtime;

/// How often is tried to make what a callback is called with.
const TRIES: usize = 16;

/// What to do after the group was left.
pub(crate) enum Then {
    Nothing,
    /// Close the consumer, for which there was this much time.
    Close {
        closing: Closing,
        limit: Duration,
        /// Whether another exception is being raised already, which matters more than one about closing.
        is_failing: bool,
    },
}

impl ConsumerCore {
    /// Gives up the subscription, on this thread, within `timeout`. Raises the first exception of a listener.
    pub(crate) fn leave(
        &self,
        py: Python<'_>,
        reason: &'static str,
        timeout: Duration,
    ) -> PyResult<()> {
        let deadline = Instant::now() + timeout;
        match self.start_leaving(reason, deadline) {
            Some(id) => self.serve_until_left(py, id, deadline),
            None => Ok(()),
        }
    }

    /// Closes the consumer on this thread, within `timeout`: listeners run, earlier commits are finished or given up,
    /// and their callbacks run.
    pub(crate) fn end(&self, py: Python<'_>, timeout: Duration) -> PyResult<()> {
        let started = Instant::now();
        let deadline = started + timeout;
        let Some(closing) = self.start_closing(deadline) else {
            return self.end_at_once(py);
        };
        let outcome = self.serve_until_left(py, closing.id(), deadline);
        let told = self.close_and_tell(py, started.elapsed(), timeout);
        let committed = closing.last_commit();
        let committed = committed.map_err(|error| crate::error::commit(py, &error));
        outcome.and(told).and(committed)
    }

    /// Closes a consumer that cannot leave its group in order: in another process, where this does nothing, again, or
    /// in one of its listeners or callbacks, which would wait for itself.
    pub(crate) fn end_at_once(&self, py: Python<'_>) -> PyResult<()> {
        if self.is_elsewhere() {
            return Ok(());
        }
        self.close_and_tell(py, Duration::ZERO, Duration::ZERO)
    }

    /// Closes the consumer, and calls what is left of callbacks of commits: of those that have ended with the outcome,
    /// of the others with a time-out. Raises the first exception of one.
    ///
    /// All are taken before the first is called: one that closes the consumer, too, finds none left to call within it.
    fn close_and_tell(&self, py: Python<'_>, waited: Duration, limit: Duration) -> PyResult<()> {
        let mut left = Vec::new();
        for event in self.consumer.take_outcomes() {
            if let ConsumerEvent::Committed {
                callback, outcome, ..
            } = event
                && let Some(callback) = self.commit_callbacks.take(callback)
            {
                left.push((callback, outcome));
            }
        }
        self.close();
        for (_, callback) in self.commit_callbacks.take_all() {
            let error = CommitError::TimedOut {
                partitions: callback.offsets.keys().cloned().collect(),
                waited,
                limit,
                cause: "the consumer was closed before the coordinator answered".into(),
                code: None,
            };
            left.push((callback, Err(error)));
        }
        let mut first = None;
        for (callback, outcome) in left {
            // No later call tells it: what a signal interrupts is made again.
            let told = (0..TRIES).find_map(|_| match self.told(py, &callback, &outcome) {
                Ok(told) => Some(told),
                Err(interrupt) => {
                    first.get_or_insert(interrupt);
                    None
                }
            });
            let Some(told) = told else { continue };
            if let Err(error) = self.call_back(py, callback, told) {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn serve_until_left(&self, py: Python<'_>, id: LeaveId, deadline: Instant) -> PyResult<()> {
        let mut first = None;
        let mut is_patient = self.outlives_interrupt.get().is_some();
        loop {
            if let Err(error) = self.serve(py) {
                let is_interrupt = !error.is_instance_of::<PyException>(py);
                if first.is_none() || is_interrupt {
                    first = Some(error);
                }
                is_patient &= !is_interrupt;
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            // Callbacks that another thread runs right now are waited for.
            let is_elsewhere = self.callback_turn.is_elsewhere();
            let has_left = self.has_left(id) || self.consumer.is_closed();
            if has_left && !is_elsewhere || left.is_zero() {
                break;
            }
            let waited = runtime::wait(py, Some(left), |slice| match is_elsewhere {
                true => self.callback_turn.wait(slice),
                // Another thread that polls may be the one that hears of it.
                false => self.consumer.wait_event(slice, || self.has_left(id)),
            });
            match waited {
                Ok(_) => {}
                Err(interrupt) if is_patient => {
                    is_patient = false;
                    log_interrupt(py)?;
                    first = Some(interrupt);
                }
                Err(interrupt) => return Err(interrupt),
            }
        }
        first.map_or(Ok(()), Err)
    }
}

/// Logs an error of closing a consumer while another exception is raised, which matters more.
#[cold]
pub(crate) fn log_overridden(py: Python<'_>, error: PyErr) -> PyResult<()> {
    // An exception that is no `Exception`, such as Ctrl+C, is raised.
    if !error.is_instance_of::<PyException>(py) {
        return Err(error);
    }
    let logger = GET_LOGGER.get(py)?.call1(("kafkars.consumer",))?;
    logger.call_method1(
        "warning",
        (
            "closing after an exception did not go well: %s",
            error.value(py),
        ),
    )?;
    Ok(())
}

/// Logs why Ctrl+C does not end a wait.
#[cold]
fn log_interrupt(py: Python<'_>) -> PyResult<()> {
    let logger = GET_LOGGER.get(py)?.call1(("kafkars.consumer",))?;
    let told = "interrupted; the consumer leaves its group, and Ctrl+C again ends that";
    logger.call_method1("warning", (told,)).map(drop)
}

/// Waits on a loop until the group was left.
pub(crate) struct LeaveWait {
    core: Arc<ConsumerCore>,
    id: LeaveId,
    deadline: Instant,
    then: Then,
    /// The first exception of a listener or callback.
    first: Mutex<Option<PyErr>>,
    /// Whether the call has returned or was given up.
    is_over: AtomicBool,
}

impl LeaveWait {
    pub(crate) fn new(
        core: &Arc<ConsumerCore>,
        id: LeaveId,
        deadline: Instant,
        then: Then,
    ) -> Self {
        Self {
            core: Arc::clone(core),
            id,
            deadline,
            then,
            first: Mutex::default(),
            is_over: AtomicBool::new(false),
        }
    }

    fn end(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.is_over.store(true, Ordering::Release);
        let first = self.first.lock().take().map_or(Ok(()), Err);
        let Then::Close {
            closing,
            limit,
            is_failing,
        } = &self.then
        else {
            return first.map(|()| py.None());
        };
        let left = self.deadline.saturating_duration_since(Instant::now());
        let waited = limit.saturating_sub(left);
        let told = self.core.close_and_tell(py, waited, *limit);
        let committed = closing.last_commit();
        let committed = committed.map_err(|error| crate::error::commit(py, &error));
        match first.and(told).and(committed) {
            Err(error) if *is_failing => {
                log_overridden(py, error)?;
                Ok(py.None())
            }
            outcome => outcome.map(|()| py.None()),
        }
    }

    /// Gives up the wait. The group is left all the same, and a consumer that was to be closed is closed at once.
    fn give_up(&self) {
        if self.is_over.swap(true, Ordering::AcqRel) {
            return;
        }
        match &self.then {
            Then::Nothing => self.core.give_up_leaving(self.id),
            Then::Close { .. } => self.core.close(),
        }
    }
}

impl Drop for LeaveWait {
    /// Gives up the wait of a call that is dropped.
    fn drop(&mut self) {
        self.give_up();
    }
}

impl PendingAnswer for LeaveWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken
    }

    fn taker(&self) -> Taker {
        Taker::Task
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        // A listener that awaits this would wait for itself.
        if let Err(error) = self
            .core
            .check_reentry()
            .and_then(|()| self.core.check_task(py))
        {
            let _ = self.end(py);
            return Some(Err(error));
        }
        let served = loop {
            match self.core.serve_on_loop(py) {
                Ok(served) => break served,
                // The first exception is raised at the end; listeners and callbacks after it are called all the same.
                Err(error) => {
                    self.first.lock().get_or_insert(error);
                }
            }
        };
        let over = self.core.has_left(self.id)
            || self.core.consumer.is_closed()
            || Instant::now() + Duration::from_millis(2) >= self.deadline;
        match served {
            Served::All if over => Some(self.end(py)),
            Served::Running if Instant::now() >= self.deadline => Some(self.end(py)),
            Served::All | Served::Running => None,
        }
    }

    fn key(&self) -> CompletionKey {
        self.core.key
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let key = self.core.key;
        self.core
            .consumer
            .on_event(Box::new(move || completion_queue.push(key)));
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.deadline)
    }

    fn cancel(&self) {
        self.give_up();
    }

    fn forget(&self) -> Option<&'static str> {
        if self.is_over.load(Ordering::Acquire) {
            return None;
        }
        Some(match &self.then {
            Then::Nothing => UNSUBSCRIBE,
            Then::Close { .. } => CLOSE,
        })
    }
}

const CLOSE: &str = "close() of an asyncio consumer was never awaited: it is closed at once, and what was handed out \
                     last may not be committed";
const UNSUBSCRIBE: &str = "unsubscribe() of an asyncio consumer was never awaited: listeners are not called, and what \
                           was handed out last may not be committed";
