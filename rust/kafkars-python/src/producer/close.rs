//! `close()` of a producer, synchronous and asynchronous. Even if the call is given up or callbacks raise, records are
//! sent or reported as given up, and callbacks run.

use std::sync::Arc;
use std::time::Instant;

use pyo3::prelude::*;
use tokio::sync::watch;

use super::core::ProducerCore;
use super::failures::Failures;
use crate::runtime;

/// A call that waits for the producer's end. If it is given up, the producer ends at once, for other calls that wait
/// too: records that are not acknowledged are given up, and no task stays behind.
pub(super) struct EndWait {
    core: Option<Arc<ProducerCore>>,
    deadline: Instant,
}

impl EndWait {
    /// Waits for the end. Returns true if there was anything to wait for.
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
            // This fails only without a runtime, and then nothing is under way.
            drop(core.start_ending(Instant::now()));
        }
    }
}

impl ProducerCore {
    /// Ends the producer on this thread. The first exception of a callback is raised when all is done; Ctrl+C gives up
    /// records that are not acknowledged. Returns how many records were given up, unless an earlier call has returned
    /// it.
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

    /// Logs what the end of a block waits for after Ctrl+C, because it looks like a program that hangs.
    pub(super) fn tell_wait(&self) {
        let records = self.producer.unacknowledged();
        if records > 0 && !self.ending.has_ended() {
            tracing::warn!(
                target: "kafkars::producer",
                client = %self.producer.client().name(),
                records,
                seconds = self.close_timeout().as_secs_f64(),
                "interrupted; waits for records that are not acknowledged, and Ctrl+C again gives them up"
            );
        }
    }

    /// Begins the end, or joins the one that has begun. In the end the receiver has the number of records that were
    /// given up.
    fn start_ending(
        self: &Arc<Self>,
        deadline: Instant,
    ) -> PyResult<watch::Receiver<Option<usize>>> {
        self.ending.join_or_begin(deadline, |until, done| {
            let core = Arc::clone(self);
            runtime::handle()?.spawn(async move {
                let count = core.close_until(until).await;
                // Python objects are freed with the last reference, which should rather happen on a thread of the
                // program.
                drop(core);
                done.send_replace(Some(count));
            });
            Ok(())
        })
    }

    /// Closes the producer until a deadline, which may be brought forward.
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
