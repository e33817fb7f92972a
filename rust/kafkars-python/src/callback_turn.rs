//! The turn to run a client's callbacks, which one thread has at a time, so that callbacks keep their order and never
//! run in parallel.

use std::thread::{self, ThreadId};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Which thread runs callbacks now.
#[derive(Default)]
pub(crate) struct CallbackTurn {
    // Guards the thread that runs callbacks.
    holder: Mutex<Option<ThreadId>>,
    released: Condvar,
}

impl CallbackTurn {
    /// Takes the turn, unless another thread has it. A thread that has it gets it again, when a callback makes a call
    /// that runs callbacks.
    pub(crate) fn take(&self) -> Option<Turn<'_>> {
        let me = thread::current().id();
        let mut holder = self.holder.lock();
        let is_outermost = match *holder {
            None => true,
            Some(holder) if holder == me => false,
            Some(_) => return None,
        };
        *holder = Some(me);
        Some(Turn {
            of: self,
            is_outermost,
        })
    }

    /// True if another thread runs callbacks.
    pub(crate) fn is_elsewhere(&self) -> bool {
        let holder = *self.holder.lock();
        holder.is_some_and(|holder| holder != thread::current().id())
    }

    /// True if this thread runs callbacks, so that the caller was called by one of them.
    pub(crate) fn is_here(&self) -> bool {
        *self.holder.lock() == Some(thread::current().id())
    }

    /// Blocks this thread while another one runs callbacks, at most for `timeout`. True if none does any more.
    pub(crate) fn wait(&self, timeout: Duration) -> bool {
        let me = thread::current().id();
        let mut holder = self.holder.lock();
        let is_elsewhere =
            |holder: &mut Option<ThreadId>| holder.is_some_and(|holder| holder != me);
        let waited = self
            .released
            .wait_while_for(&mut holder, is_elsewhere, timeout);
        !waited.timed_out()
    }
}

/// The time in which a thread runs callbacks.
pub(crate) struct Turn<'a> {
    of: &'a CallbackTurn,
    is_outermost: bool,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if self.is_outermost {
            *self.of.holder.lock() = None;
            self.of.released.notify_all();
        }
    }
}
