//! How a long poll learns that there is something to read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// One fetch that waits for bytes. It stands in the list of each partition it reads.
#[derive(Debug)]
pub(crate) struct Waiter {
    missing: AtomicU64,
    notify: Notify,
}

impl Waiter {
    /// Waits for `missing` bytes, in one partition or in several together.
    pub(crate) fn new(missing: u64) -> Arc<Self> {
        Arc::new(Self {
            missing: AtomicU64::new(missing),
            notify: Notify::new(),
        })
    }

    /// Returns when enough has been appended or something else has happened that the fetch must answer with. A wake-up
    /// that came before the call is not lost.
    pub(crate) async fn woken(&self) {
        self.notify.notified().await;
    }

    fn credit(&self, bytes: u64) {
        let before = self.missing.load(Ordering::Relaxed);
        self.missing
            .store(before.saturating_sub(bytes), Ordering::Relaxed);
        if before <= bytes {
            self.notify.notify_one();
        }
    }
}

/// The fetches that wait on one partition. Guarded by the lock of the cluster's state, which also orders `credit`.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Vec<Arc<Waiter>>);

impl Waiters {
    pub(crate) fn add(&mut self, waiter: &Arc<Waiter>) {
        self.0.push(Arc::clone(waiter));
    }

    pub(crate) fn remove(&mut self, waiter: &Arc<Waiter>) {
        self.0.retain(|other| !Arc::ptr_eq(other, waiter));
    }

    /// Bytes were appended.
    pub(crate) fn credit(&self, bytes: u64) {
        self.0.iter().for_each(|waiter| waiter.credit(bytes));
    }

    /// The partition moved, vanished or lost its beginning: all must look again.
    pub(crate) fn wake(&self) {
        self.credit(u64::MAX);
    }
}
