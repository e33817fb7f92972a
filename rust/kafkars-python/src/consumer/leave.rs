//! The end of a subscription: listeners hear of it, the coordinator takes note, and only then the call returns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::group::CommitError;
use kafkars_client::{Closing, LeaveId, News};
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::core::ConsumerCore;
use super::serve::Served;
use crate::aio::{Inbox, Key, Pending};
use crate::runtime;

/// What happens after the group was left.
pub(crate) enum Then {
    Nothing,
    /// The consumer is closed, for which there was so much time.
    Close {
        closing: Mutex<Closing>,
        limit: Duration,
    },
}

impl ConsumerCore {
    /// Gives up the subscription, on this thread, within `timeout`. The first exception of a listener reaches the caller.
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

    /// Ends the consumer on this thread, within `timeout`: listeners run, commits made before are done or given up, and their
    /// callbacks run.
    pub(crate) fn end(&self, py: Python<'_>, timeout: Duration) -> PyResult<()> {
        let started = Instant::now();
        let deadline = started + timeout;
        let Some(mut closing) = self.start_closing(deadline) else {
            self.close();
            return Ok(());
        };
        let outcome = self.serve_until_left(py, closing.id(), deadline);
        self.close();
        let told = self.tell_unheard(py, started.elapsed(), timeout);
        let committed = closing.last_commit();
        let committed = committed.map_err(|error| crate::error::commit(py, &error));
        outcome.and(told).and(committed)
    }

    /// Callbacks of commits whose outcome has not come before the end hear so. The first exception of one reaches the caller.
    fn tell_unheard(&self, py: Python<'_>, waited: Duration, limit: Duration) -> PyResult<()> {
        let mut unheard: Vec<_> = self.callbacks.lock().drain().collect();
        unheard.sort_unstable_by_key(|(number, _)| *number);
        let mut first = None;
        for (_, callback) in unheard {
            let error = CommitError::TimedOut {
                partitions: callback.offsets.keys().cloned().collect(),
                waited,
                limit,
                cause: "the consumer was closed before the coordinator answered".into(),
            };
            if let Err(error) = self.call_back(py, callback, Err(error)) {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn serve_until_left(&self, py: Python<'_>, id: LeaveId, deadline: Instant) -> PyResult<()> {
        let mut first = None;
        loop {
            if let Err(error) = self.serve(py) {
                first.get_or_insert(error);
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            // What another thread is just told belongs to the time before the end.
            let is_elsewhere = self.callback_turn.is_elsewhere();
            let has_left = self.has_left(id) || self.consumer.is_closed();
            if has_left && !is_elsewhere || left.is_zero() {
                break;
            }
            runtime::wait(py, Some(left), |slice| match is_elsewhere {
                true => self.callback_turn.wait(slice),
                false => self.consumer.wait_news(slice),
            })?;
        }
        first.map_or(Ok(()), Err)
    }
}

impl ConsumerCore {
    /// Ends the consumer although the application has not heard of all its group has told: nobody will ask any more, and
    /// the group would wait for the answers.
    fn close_at_once(&self) {
        while let Some(news) = self.consumer.next_news(self.is_finished()) {
            if let News::Change(change) = news {
                self.consumer.finish_change(&change);
            }
        }
        self.close();
    }
}

/// Waits on a loop until the group was left.
pub(crate) struct LeaveWait {
    core: Arc<ConsumerCore>,
    id: LeaveId,
    deadline: Instant,
    then: Then,
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
        }
    }

    fn end(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if let Then::Close { closing, limit } = &self.then {
            let left = self.deadline.saturating_duration_since(Instant::now());
            self.core.close();
            self.core
                .tell_unheard(py, limit.saturating_sub(left), *limit)?;
            let committed = closing.lock().last_commit();
            committed.map_err(|error| crate::error::commit(py, &error))?;
        }
        Ok(py.None())
    }
}

impl Pending for LeaveWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let served = self.core.serve_on_loop(py);
        let over = self.core.has_left(self.id)
            || self.core.consumer.is_closed()
            || Instant::now() + Duration::from_millis(2) >= self.deadline;
        match served {
            Err(error) => {
                // The listener's exception reaches the caller; the group is left all the same.
                let _ = self.end(py);
                Some(Err(error))
            }
            Ok(Served::All) if over => Some(self.end(py)),
            Ok(Served::Running) if Instant::now() >= self.deadline => Some(self.end(py)),
            Ok(_) => None,
        }
    }

    fn key(&self) -> Key {
        self.core.key
    }

    fn arm(&self, inbox: Arc<Inbox>) {
        let key = self.core.key;
        self.core
            .consumer
            .on_news(Box::new(move || inbox.push(key)));
    }

    fn deadline(&self) -> Option<Instant> {
        Some(self.deadline)
    }

    /// Nobody waits for the group any more: what was to be closed is closed at once.
    fn cancel(&self) {
        if matches!(self.then, Then::Close { .. }) {
            self.core.close_at_once();
        }
    }
}
