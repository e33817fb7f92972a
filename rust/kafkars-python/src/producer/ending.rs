//! The end of a producer, which begins once and which every call joins.

use std::time::Instant;

use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::sync::watch;

/// The end of one producer; nothing before the first `close()`.
#[derive(Default)]
pub(crate) struct Ending {
    // Guards the end; no thread waits while it holds the lock.
    begun: Mutex<Option<BegunEnding>>,
}

/// An end that a task of the runtime carries out, so that it goes on even if the call that has begun it is given up.
struct BegunEnding {
    deadline: watch::Sender<Instant>,
    /// How many records were given up.
    lost: watch::Receiver<Option<usize>>,
    is_told: bool,
}

impl Ending {
    /// Joins the end that has begun, or lets `carry_out` begin it. The end lasts until the earliest deadline of its
    /// calls: `carry_out` gets the deadline, which may be brought forward, and reports how many records were given up.
    pub(super) fn join_or_begin(
        &self,
        deadline: Instant,
        carry_out: impl FnOnce(watch::Receiver<Instant>, watch::Sender<Option<usize>>) -> PyResult<()>,
    ) -> PyResult<watch::Receiver<Option<usize>>> {
        let mut begun = self.begun.lock();
        if let Some(begun) = &*begun {
            begun.deadline.send_if_modified(|until| {
                // An end whose deadline has passed gives up by itself.
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
        carry_out(until, done)?;
        *begun = Some(BegunEnding {
            deadline: sender,
            lost: lost.clone(),
            is_told: false,
        });
        Ok(lost)
    }

    /// True if the end has come.
    pub(super) fn has_ended(&self) -> bool {
        let begun = self.begun.lock();
        (begun.as_ref()).is_some_and(|begun| begun.lost.borrow().is_some())
    }

    /// How many records were given up: for a call that has waited, or else for the first that asks.
    pub(super) fn tell_lost(&self, has_waited: bool) -> usize {
        let mut begun = self.begun.lock();
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
