//! How far a future is, and who waits for it.

use std::sync::Arc;

use kafkars_client::{BatchDelivery, Delivery};
use pyo3::prelude::*;

use super::loop_bridge::PyLoopBridge;
use super::pending::{PendingAnswer, Taker};
use super::read::UnawaitedRead;
use crate::metadata::ReportFunction;

/// Behind the lock of a future.
pub(super) struct FutureInner {
    pub(super) state: FutureState,
    pub(super) waiter: Option<Box<LoopWaiter>>,
    /// asyncio's mark of a future that was yielded and must be waited for.
    pub(super) blocking: bool,
    /// A task has taken that mark away: the callback it adds next resumes it.
    pub(super) is_taken_up: bool,
    /// The callback of a task runs, which takes the next step itself.
    pub(super) resuming: bool,
    /// A task of our own takes the steps, because callbacks wait and perhaps no other task does.
    pub(super) has_driver: bool,
    /// The bridge has come for it.
    pub(super) woken: bool,
    /// Somebody has seen the outcome, so a failure need not be reported.
    pub(super) seen: bool,
}

/// How far it is.
pub(super) enum FutureState {
    Value(Py<PyAny>),
    Failed(Box<PyErr>),
    Cancelled(Option<Py<PyAny>>),
    Delivery(Delivery, ReportFunction),
    Pending(Arc<dyn PendingAnswer>),
    /// A read that has taken nothing yet.
    Unawaited(UnawaitedRead),
    /// A call that has done nothing yet.
    Unbegun(Box<dyn Unbegun>),
    /// Its first step is under way.
    Beginning,
}

/// A call with its arguments that does nothing before somebody awaits it, as a coroutine does.
///
/// A face whose original has a coroutine here needs it: a task that is cancelled before its first step has done nothing
/// then, and asyncio makes a task of the call wherever it makes one of a coroutine.
pub(crate) trait Unbegun: Send + Sync {
    /// Makes the call.
    fn begin(self: Box<Self>, py: Python<'_>) -> Begun;
    /// Nobody will make the call, on purpose.
    fn give_up(self: Box<Self>);
}

/// What has become of a call that was made.
pub(crate) struct Begun(pub(super) FutureState);

/// The loop that waits, and what it calls when the future is done.
pub(super) struct LoopWaiter {
    pub(super) loop_bridge: Py<PyLoopBridge>,
    /// The bridge will come: its key is still to be told.
    pub(super) expected: bool,
    pub(super) callbacks: Vec<FutureCallback>,
}

/// What to call, and in which context.
pub(super) struct FutureCallback {
    pub(super) function: Py<PyAny>,
    pub(super) context: Py<PyAny>,
    /// True if the callback resumes a task that awaits the future, and that waits on where nothing is there for it.
    pub(super) resumes_task: bool,
}

/// What a future waits for, taken out of the lock.
pub(super) enum Waits {
    Delivery(Arc<BatchDelivery>),
    Pending(Arc<dyn PendingAnswer>),
}

impl FutureInner {
    /// True if there is an outcome.
    pub(super) fn is_done(&self) -> bool {
        match &self.state {
            FutureState::Value(_) | FutureState::Failed(_) | FutureState::Cancelled(_) => true,
            FutureState::Delivery(delivery, _) => delivery.batch().is_done(),
            FutureState::Pending(pending) => {
                pending.taker() != Taker::Task && pending.is_ready(self.woken)
            }
            FutureState::Unawaited(_) | FutureState::Unbegun(_) | FutureState::Beginning => false,
        }
    }

    /// Who may take the outcome.
    pub(super) fn taker(&self) -> Taker {
        match &self.state {
            FutureState::Pending(pending) => pending.taker(),
            FutureState::Unawaited(_) | FutureState::Unbegun(_) | FutureState::Beginning => {
                Taker::Reader
            }
            FutureState::Value(_)
            | FutureState::Failed(_)
            | FutureState::Cancelled(_)
            | FutureState::Delivery(..) => Taker::Anyone,
        }
    }

    /// True if a task waits for it.
    pub(super) fn has_task(&self) -> bool {
        let waiter = self.waiter.as_ref();
        waiter.is_some_and(|waiter| waiter.callbacks.iter().any(|each| each.resumes_task))
    }

    /// True if the bridge will come for it.
    pub(super) fn is_expected(&self) -> bool {
        self.waiter.as_ref().is_some_and(|waiter| waiter.expected)
    }

    /// What is still to come, if anything is.
    pub(super) fn waits(&self) -> Option<Waits> {
        match &self.state {
            FutureState::Value(_)
            | FutureState::Failed(_)
            | FutureState::Cancelled(_)
            | FutureState::Unawaited(_)
            | FutureState::Unbegun(_)
            | FutureState::Beginning => None,
            FutureState::Delivery(delivery, _) => {
                Some(Waits::Delivery(Arc::clone(delivery.batch())))
            }
            FutureState::Pending(pending) => Some(Waits::Pending(Arc::clone(pending))),
        }
    }
}
