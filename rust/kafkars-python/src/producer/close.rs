//! `close()` of a producer, synchronous and asynchronous. Whatever becomes of the calls and whatever callbacks raise,
//! records are sent or given up by name, and callbacks run.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use tokio::sync::watch;

use super::core::ProducerCore;
use super::failures::Failures;
use crate::runtime;

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
        Ok(self.ending.tell_lost(is_under_way))
    }

    /// Ends the producer and waits for it, for a call that may be given up: then the producer ends at once.
    pub(super) fn end_async(self: &Arc<Self>, deadline: Instant) -> EndWait {
        EndWait {
            core: Some(Arc::clone(self)),
            deadline,
        }
    }

    /// Says what the end of a block that Ctrl+C ends waits for: a program that hangs looks the same.
    pub(super) fn tell_wait(&self) {
        let records = self.producer.unacknowledged();
        if records > 0 && !self.ending.has_ended() {
            tracing::warn!(
                target: "kafkars::producer",
                records,
                seconds = self.close_timeout().as_secs_f64(),
                "interrupted; waits for records that are not acknowledged, and Ctrl+C again gives them up"
            );
        }
    }

    /// Begins the end, or joins the one that has begun. The receiver says how many records were given up, at the end.
    fn start_ending(
        self: &Arc<Self>,
        deadline: Instant,
    ) -> PyResult<watch::Receiver<Option<usize>>> {
        self.ending.join_or_begin(deadline, |until, done| {
            let core = Arc::clone(self);
            runtime::handle()?.spawn(async move {
                let count = core.close_until(until).await;
                // What Python has of it goes with the last reference, and better on a thread of the program.
                drop(core);
                done.send_replace(Some(count));
            });
            Ok(())
        })
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
}
