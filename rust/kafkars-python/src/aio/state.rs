//! How far a future is, and who waits for it.

use std::sync::Arc;

use kafkars_client::{BatchDelivery, Delivery};
use pyo3::prelude::*;

use super::loop_bridge::PyLoopBridge;
use super::pending::{Pending, Taker};
use super::read::UnawaitedRead;
use crate::metadata::Report;

/// Behind the lock of a future.
pub(super) struct Inner {
    pub(super) state: State,
    pub(super) waiter: Option<Box<Waiter>>,
    /// asyncio's mark of a future that was yielded and must be waited for.
    pub(super) blocking: bool,
    /// A task has taken that mark away: the callback it adds next resumes it.
    pub(super) is_taken_up: bool,
    /// The callback of a task runs, which takes the next step itself.
    pub(super) resuming: bool,
    /// A task of our own takes the steps, because callbacks wait and perhaps no other task does.
    pub(super) has_driver: bool,
    /// The loop_bridge has come for it.
    pub(super) woken: bool,
    /// Somebody has seen the outcome, so a failure need not be reported.
    pub(super) seen: bool,
}

/// How far it is.
pub(super) enum State {
    Value(Py<PyAny>),
    Failed(Box<PyErr>),
    Cancelled(Option<Py<PyAny>>),
    Delivery(Delivery, Report),
    Pending(Arc<dyn Pending>),
    /// A read that has taken nothing yet.
    Unawaited(UnawaitedRead),
    /// Its first step is under way.
    Beginning,
}

/// The loop that waits, and what it calls when the future is done.
pub(super) struct Waiter {
    pub(super) loop_bridge: Py<PyLoopBridge>,
    /// The loop_bridge will come: its key is still to be told.
    pub(super) expected: bool,
    pub(super) callbacks: Vec<Callback>,
}

/// What to call, and in which context.
pub(super) struct Callback {
    pub(super) function: Py<PyAny>,
    pub(super) context: Py<PyAny>,
    /// It resumes a task that awaits the future, and that waits on where nothing is there for it.
    pub(super) resumes_task: bool,
}

/// What a future waits for, taken out of the lock.
pub(super) enum Waits {
    Delivery(Arc<BatchDelivery>),
    Pending(Arc<dyn Pending>),
}

impl Inner {
    /// Whether there is an outcome.
    pub(super) fn is_done(&self) -> bool {
        match &self.state {
            State::Value(_) | State::Failed(_) | State::Cancelled(_) => true,
            State::Delivery(delivery, _) => delivery.batch().is_done(),
            State::Pending(pending) => {
                pending.taker() != Taker::Task && pending.is_ready(self.woken)
            }
            State::Unawaited(_) | State::Beginning => false,
        }
    }

    /// Who may take the outcome.
    pub(super) fn taker(&self) -> Taker {
        match &self.state {
            State::Pending(pending) => pending.taker(),
            State::Unawaited(_) | State::Beginning => Taker::Reader,
            State::Value(_) | State::Failed(_) | State::Cancelled(_) | State::Delivery(..) => {
                Taker::Anyone
            }
        }
    }

    /// Whether a task waits for it.
    pub(super) fn has_task(&self) -> bool {
        let waiter = self.waiter.as_ref();
        waiter.is_some_and(|waiter| waiter.callbacks.iter().any(|each| each.resumes_task))
    }

    /// Whether the loop_bridge will come for it.
    pub(super) fn is_expected(&self) -> bool {
        self.waiter.as_ref().is_some_and(|waiter| waiter.expected)
    }

    /// What is still to come, if anything is.
    pub(super) fn waits(&self) -> Option<Waits> {
        match &self.state {
            State::Value(_)
            | State::Failed(_)
            | State::Cancelled(_)
            | State::Unawaited(_)
            | State::Beginning => None,
            State::Delivery(delivery, _) => Some(Waits::Delivery(Arc::clone(delivery.batch()))),
            State::Pending(pending) => Some(Waits::Pending(Arc::clone(pending))),
        }
    }
}
