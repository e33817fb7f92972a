//! The end of a subscription: listeners hear of it, the coordinator takes note, and only then the call returns.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::Origin;
use pyo3::prelude::*;

use super::core::ConsumerCore;
use super::serve::Served;
use crate::aio::{Inbox, Key, Pending};
use crate::runtime;

/// What happens after the group was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    Nothing,
    Close,
}

impl ConsumerCore {
    /// Gives up the subscription, on this thread, within `timeout`. The first exception of a listener reaches the caller.
    pub(crate) fn leave(
        &self,
        py: Python<'_>,
        reason: &'static str,
        timeout: Duration,
    ) -> PyResult<()> {
        if !self.start_leaving(reason) {
            return Ok(());
        }
        let deadline = Instant::now() + timeout;
        let mut first = None;
        loop {
            if let Err(error) = self.serve(py) {
                first.get_or_insert(error);
                continue;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if self.has_left() || self.consumer.is_closed() || left.is_zero() {
                break;
            }
            runtime::wait(py, Some(left), |slice| self.consumer.wait_news(slice))?;
        }
        first.map_or(Ok(()), Err)
    }

    /// Commits by hand-assigned consumers at their end, within `timeout`.
    pub(crate) fn last_commit(&self, py: Python<'_>, timeout: Duration) -> PyResult<()> {
        let offsets = self.consumer.last_offsets(self.is_finished());
        if offsets.is_empty() {
            return Ok(());
        }
        let deadline = Instant::now() + timeout;
        let outcome = runtime::block_on(
            py,
            self.consumer.commit(offsets, Origin::Positions, deadline),
        )?;
        outcome.map_err(|failure| crate::error::fetch(py, &failure))
    }
}

/// Waits on a loop until the group was left.
pub(crate) struct LeaveWait {
    core: Arc<ConsumerCore>,
    deadline: Instant,
    then: Then,
}

impl LeaveWait {
    pub(crate) fn new(core: &Arc<ConsumerCore>, timeout: Duration, then: Then) -> Self {
        Self {
            core: Arc::clone(core),
            deadline: Instant::now() + timeout,
            then,
        }
    }

    fn end(&self, py: Python<'_>) -> Py<PyAny> {
        if self.then == Then::Close {
            self.core.close();
        }
        py.None()
    }
}

impl Pending for LeaveWait {
    fn is_ready(&self, woken: bool) -> bool {
        woken
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let served = self.core.serve_on_loop(py);
        let over = self.core.has_left()
            || self.core.consumer.is_closed()
            || Instant::now() + Duration::from_millis(2) >= self.deadline;
        match served {
            Err(error) => {
                // The listener's exception reaches the caller; the group is left all the same.
                self.end(py);
                Some(Err(error))
            }
            Ok(Served::All) if over => Some(Ok(self.end(py))),
            Ok(Served::Running) if Instant::now() >= self.deadline => Some(Ok(self.end(py))),
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
        if self.then == Then::Close {
            self.core.close();
        }
    }
}
