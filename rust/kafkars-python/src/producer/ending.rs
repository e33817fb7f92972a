//! The end of a producer: it is begun once and joined by every call.

use std::time::Instant;

use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::sync::watch;

/// What there is of a producer's end; nothing before the first `close()`.
#[derive(Default)]
pub(crate) struct Ending {
    // Guards the end; nothing waits under it.
    begun: Mutex<Option<BegunEnding>>,
}

/// An end that a task of the runtime carries out, so that it goes on whatever becomes of the call that has begun it.
struct BegunEnding {
    deadline: watch::Sender<Instant>,
    /// How many records were given up.
    lost: watch::Receiver<Option<usize>>,
    is_told: bool,
}

impl Ending {
    /// Joins the end that has begun, which lasts no longer than the most hurried of its calls allows, or has
    /// `carry_out` begin it: that gets the deadline, which may come nearer, and says how many records were given up.
    pub(super) fn join_or_begin(
        &self,
        deadline: Instant,
        carry_out: impl FnOnce(watch::Receiver<Instant>, watch::Sender<Option<usize>>) -> PyResult<()>,
    ) -> PyResult<watch::Receiver<Option<usize>>> {
        let mut begun = self.begun.lock();
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

    /// How many records were given up, for calls that have waited for it, or else for the first that asks.
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
