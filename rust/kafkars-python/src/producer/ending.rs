//! The end of a producer: it is begun once and joined by every call; whatever becomes of these calls and whatever
//! callbacks raise, records are sent or given up by name, and callbacks run.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::sync::watch;

use super::core::ProducerCore;
use super::failures::Failures;
use crate::runtime;

/// What there is of a producer's end; nothing before the first `close()`.
#[derive(Default)]
pub(crate) struct Ending {
    // Guards the end; nothing waits under it.
    begun: Mutex<Option<Begun>>,
}

/// A call that waits for the end. Where it is given up, the end comes at once, for other calls that wait for it too:
/// what is not acknowledged is given up, and nothing of the producer stays behind.
pub(super) struct EndWait {
    core: Option<Arc<ProducerCore>>,
    deadline: Instant,
}

impl EndWait {
    /// Waits for the end. Returns whether there was anything to wait for.
    pub(super) async fn wait(mut self) -> bool {
        let begun = self
            .core
            .as_ref()
            .map(|core| core.start_ending(self.deadline));
        let Some(Ok(mut lost)) = begun else {
            return false;
        };
        let is_under_way = lost.borrow().is_none();
        drop(lost.wait_for(Option::is_some).await);
        self.core = None;
        is_under_way
    }
}

impl Drop for EndWait {
    fn drop(&mut self) {
        if let Some(core) = self.core.take() {
            // It fails only without a runtime, where nothing is under way.
            drop(core.start_ending(Instant::now()));
        }
    }
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
        while let Err(interrupt) = self.serve_all(py, &expected, Some(deadline), &mut failures) {
            deadline = Instant::now();
            failures.interrupted(interrupt)?;
        }
        failures.tell(py, Ok(()))?;
        Ok(self.tell_lost(is_under_way))
    }

    /// Ends the producer and waits for it, for a call that may be given up: then the producer ends at once.
    pub(super) fn end_async(self: &Arc<Self>, deadline: Instant) -> EndWait {
        EndWait {
            core: Some(Arc::clone(self)),
            deadline,
        }
    }

    /// Begins the end, or joins the one that has begun, which lasts no longer than the most hurried of its calls
    /// allows.
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
                lost = self.producer.close(deadline) => return lost,
                Ok(()) = until.changed() => {}
            }
        }
    }

    /// Whether the end has come.
    pub(super) fn has_ended(&self) -> bool {
        let begun = self.ending.begun.lock();
        (begun.as_ref()).is_some_and(|begun| begun.lost.borrow().is_some())
    }

    /// How many records were given up, for calls that have waited for it, or else for the first that asks.
    pub(super) fn tell_lost(&self, has_waited: bool) -> usize {
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
