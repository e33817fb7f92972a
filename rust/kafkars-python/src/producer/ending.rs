//! The end of a synchronous producer: whatever callbacks raise, records are sent or given up by name, and callbacks run.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tokio::sync::watch;

use super::core::ProducerCore;
use crate::runtime;

/// What there is of a producer's end; nothing before the first `close()`.
#[derive(Default)]
pub(crate) struct Ending {
    // Guards the end; nothing waits under it.
    begun: Mutex<Option<Begun>>,
}

/// An end that a task of the runtime carries out, so that it goes on whatever becomes of the call that has begun it.
struct Begun {
    deadline: watch::Sender<Instant>,
    /// How many records were given up.
    lost: watch::Receiver<Option<usize>>,
    is_told: bool,
}

impl ProducerCore {
    /// Ends the producer on this thread. The first exception of a callback is raised when all is done; Ctrl+C gives up
    /// what is not acknowledged. Returns how many records were given up, unless an earlier call has.
    pub(super) fn end(self: &Arc<Self>, py: Python<'_>, deadline: Instant) -> PyResult<usize> {
        let mut lost = self.start_ending(deadline)?;
        let is_under_way = lost.borrow().is_none();
        let mut deadline = deadline;
        let mut failures = Failures::default();
        while lost.borrow().is_none() {
            let ended = async { drop(lost.wait_for(Option::is_some).await) };
            let serve = |py: Python<'_>| {
                failures.collect(|| self.serve(py))?;
                Ok(())
            };
            if let Err(interrupt) = runtime::block_on_with(py, ended, serve) {
                deadline = Instant::now();
                self.start_ending(deadline)?;
                failures.interrupted(interrupt)?;
            }
        }
        let expected = self.expected_callbacks();
        while let Err(interrupt) =
            failures.collect(|| self.serve_all(py, &expected, Some(deadline)))
        {
            deadline = Instant::now();
            failures.interrupted(interrupt)?;
        }
        failures.first()?;
        Ok(self.tell_lost(is_under_way))
    }

    /// Begins the end, or joins the one that has begun, which lasts no longer than the most hurried of its calls allows.
    fn start_ending(
        self: &Arc<Self>,
        deadline: Instant,
    ) -> PyResult<watch::Receiver<Option<usize>>> {
        let mut begun = self.ending.begun.lock();
        if let Some(begun) = &*begun {
            begun.deadline.send_if_modified(|until| {
                // One whose time is over gives up by itself, and counts.
                let is_sooner = deadline < *until && *until > Instant::now();
                if is_sooner {
                    *until = deadline;
                }
                is_sooner
            });
            return Ok(begun.lost.clone());
        }
        let (sender, until) = watch::channel(deadline);
        let (done, lost) = watch::channel(None);
        let core = Arc::clone(self);
        runtime::handle()?.spawn(async move {
            let count = core.close_until(until).await;
            // What Python has of it goes with the last reference, and better on a thread of the program.
            drop(core);
            done.send_replace(Some(count));
        });
        *begun = Some(Begun {
            deadline: sender,
            lost: lost.clone(),
            is_told: false,
        });
        Ok(lost)
    }

    /// Closes until a deadline that may come nearer.
    async fn close_until(&self, mut until: watch::Receiver<Instant>) -> usize {
        loop {
            let deadline = *until.borrow_and_update();
            tokio::select! {
                biased;
                lost = self.close(deadline) => return lost,
                Ok(()) = until.changed() => {}
            }
        }
    }

    /// How many records were given up, for calls that have waited for it, or else for the first that asks.
    fn tell_lost(&self, has_waited: bool) -> usize {
        let mut begun = self.ending.begun.lock();
        let Some(begun) = &mut *begun else {
            return 0;
        };
        let is_known = std::mem::replace(&mut begun.is_told, true) && !has_waited;
        match is_known {
            true => 0,
            false => begun.lost.borrow().unwrap_or(0),
        }
    }
}

/// What callbacks have raised while there was more to do.
#[derive(Default)]
struct Failures {
    first: Option<PyErr>,
    interrupt: Option<PyErr>,
}

impl Failures {
    /// Calls until nothing is raised, and keeps what is. An interrupt is no callback's failure and is returned.
    fn collect<T>(&mut self, mut call: impl FnMut() -> PyResult<T>) -> PyResult<T> {
        loop {
            match call() {
                Err(error) if !Python::attach(|py| is_interrupt(py, &error)) => {
                    self.first.get_or_insert(error);
                }
                other => return other,
            }
        }
    }

    /// Notes an interrupt; the second one ends the call.
    fn interrupted(&mut self, error: PyErr) -> PyResult<()> {
        match self.interrupt.replace(error) {
            None => Ok(()),
            Some(first) => Err(first),
        }
    }

    fn first(self) -> PyResult<()> {
        match self.interrupt.or(self.first) {
            None => Ok(()),
            Some(error) => Err(error),
        }
    }
}

/// Whether an exception says that the program is to stop, as Ctrl+C does, rather than what went wrong in a function.
pub(super) fn is_interrupt(py: Python<'_>, error: &PyErr) -> bool {
    !error.is_instance_of::<PyException>(py)
}
