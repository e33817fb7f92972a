//! A long poll learns through its waiter that there is something to read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// A fetch that waits for bytes. Its waiter stands in the list of each partition it reads.
#[derive(Debug)]
pub(crate) struct FetchWaiter {
    missing: AtomicU64,
    notify: Notify,
}

impl FetchWaiter {
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
pub(crate) struct FetchWaiters(Vec<Arc<FetchWaiter>>);

impl FetchWaiters {
    pub(crate) fn add(&mut self, waiter: &Arc<FetchWaiter>) {
        self.0.push(Arc::clone(waiter));
    }

    pub(crate) fn remove(&mut self, waiter: &Arc<FetchWaiter>) {
        self.0.retain(|other| !Arc::ptr_eq(other, waiter));
    }

    /// Tells the waiting fetches that bytes were appended.
    pub(crate) fn credit(&self, bytes: u64) {
        self.0.iter().for_each(|waiter| waiter.credit(bytes));
    }

    /// Wakes all waiting fetches: the partition moved, vanished or lost its beginning.
    pub(crate) fn wake(&self) {
        self.credit(u64::MAX);
    }
}
