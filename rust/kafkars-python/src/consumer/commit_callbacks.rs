//! Callbacks of commits that are under way.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use kafkars_client::group::Offsets;
use parking_lot::Mutex;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;

/// The callback of a commit, and the commit's offsets.
pub(crate) struct CommitCallback {
    pub(crate) function: Py<PyAny>,
    pub(crate) offsets: Offsets,
}

/// The callbacks of one consumer.
#[derive(Default)]
pub(crate) struct CommitCallbacks {
    // Guards the callbacks, by the number of their commit.
    waiting: Mutex<HashMap<u64, CommitCallback>>,
    next: AtomicU64,
}

impl CommitCallbacks {
    /// Adds the callback of a new commit, and returns the commit's number.
    pub(super) fn add(&self, callback: CommitCallback) -> u64 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().insert(number, callback);
        number
    }

    /// Takes out the callback of a commit.
    pub(super) fn take(&self, number: u64) -> Option<CommitCallback> {
        self.waiting.lock().remove(&number)
    }

    /// Puts back what was taken out, and not called.
    pub(super) fn put_back(&self, number: u64, callback: CommitCallback) {
        self.waiting.lock().insert(number, callback);
    }

    /// Takes out all, in the order of their commits.
    pub(super) fn take_all(&self) -> Vec<(u64, CommitCallback)> {
        let mut all: Vec<_> = self.waiting.lock().drain().collect();
        all.sort_unstable_by_key(|(number, _)| *number);
        all
    }

    /// Shows the functions to the collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        let waiting = self.waiting.lock();
        let mut callbacks = waiting.values();
        callbacks.try_for_each(|callback| visit.call(&callback.function))
    }
}
