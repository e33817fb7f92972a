//! The state of a future, and its waiters.

use std::sync::Arc;

use kafkars_client::{BatchDelivery, Delivery};
use pyo3::prelude::*;

use super::loop_bridge::PyLoopBridge;
use super::pending::{PendingAnswer, Taker};
use super::read::UnawaitedRead;
use crate::metadata::ReportFunction;

/// The state behind the lock of a future.
pub(super) struct FutureInner {
    pub(super) state: FutureState,
    pub(super) waiter: Option<Box<LoopWaiter>>,
    /// asyncio's mark of a future that was yielded and must be waited for.
    pub(super) blocking: bool,
    /// Whether a task has cleared that mark: the callback that it adds next resumes it.
    pub(super) is_taken_up: bool,
    /// Whether the callback of a task runs, which takes the next step itself.
    pub(super) resuming: bool,
    /// Whether a driver task takes the steps, because callbacks wait and perhaps no other task does.
    pub(super) has_driver: bool,
    /// Whether the bridge has woken it.
    pub(super) woken: bool,
    /// Whether what it tells has been done when it was made: an `await` of it takes no turn of the loop.
    pub(super) is_carried_out: bool,
    /// Whether the outcome was looked at, so that a failure need not be reported.
    pub(super) seen: bool,
    /// Whether somebody has heard from `done()` that there is an outcome.
    pub(super) was_asked: bool,
}

/// The state of a future.
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

/// A call with its arguments that does nothing before it is awaited, just as a coroutine.
///
/// The face of a library with a coroutine here needs it: a task that is cancelled before its first step has done
/// nothing then, and asyncio makes a task of the call wherever it makes one of a coroutine.
pub(crate) trait Unbegun: Send + Sync {
    /// Makes the call.
    fn begin(self: Box<Self>, py: Python<'_>) -> Begun;
    /// Notes that the call will not be made, on purpose.
    fn give_up(self: Box<Self>);
}

/// The state of a call that was made.
pub(crate) struct Begun(pub(super) FutureState);

/// The loop that waits for the future, and the callbacks for when it is done.
pub(super) struct LoopWaiter {
    pub(super) loop_bridge: Py<PyLoopBridge>,
    /// Whether the bridge will wake it: its key is still to come.
    pub(super) expected: bool,
    pub(super) callbacks: Vec<FutureCallback>,
}

/// A callback and its context.
pub(super) struct FutureCallback {
    pub(super) function: Py<PyAny>,
    pub(super) context: Py<PyAny>,
    /// Whether the callback resumes a task that awaits the future, and that waits on if there is nothing for it.
    pub(super) resumes_task: bool,
}

/// What a future waits for, to be used outside of the lock.
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

    /// What the future still waits for, if it does.
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
