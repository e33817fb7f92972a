//! What the consumer's handles and tasks share, and how each wakes the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use kafkars_core::config::{Checked, ConsumerConfig};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

use super::manager::unreachable;
use crate::client::Client;

/// What the handles and the tasks share.
pub(super) struct Shared {
    pub(super) client: Client,
    pub(super) config: Checked<ConsumerConfig>,
    pub(super) inner: Mutex<Inner>,
    // Threads that wait for `inner.buffer` to become ready.
    pub(super) ready: Condvar,
    /// Counts what tasks must look at again: assignment, seeks, credit.
    pub(super) changed: watch::Sender<u64>,
    pub(super) closed: AtomicBool,
    pub(super) counters: Counters,
}

/// Behind the lock: taken for a few instructions by the application and the network alike, never across an await.
pub(super) struct Inner {
    pub(super) buffer: FetchBuffer,
    pub(super) waiters: Vec<Box<dyn FnOnce() + Send>>,
    // The network found no credit and must be told when there is some.
    pub(super) starved: bool,
    // Handed to the application so far.
    pub(super) records: u64,
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) bytes: AtomicU64,
    pub(super) fetches: AtomicU64,
}

impl Shared {
    pub(super) fn close(&self) {
        if self.closed.swap(true, Ordering::AcqRel) {
            return;
        }
        let woken = {
            let mut inner = self.inner.lock();
            inner.buffer.assign(Vec::new());
            std::mem::take(&mut inner.waiters)
        };
        self.announce(woken);
        self.touch();
        let client = self.client.clone();
        self.client
            .handle()
            .spawn(async move { client.close().await });
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Lets the tasks look again.
    pub(super) fn touch(&self) {
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Wakes applications that wait for records.
    pub(super) fn announce(&self, woken: Vec<Box<dyn FnOnce() + Send>>) {
        self.ready.notify_all();
        for waiter in woken {
            waiter();
        }
    }

    /// Changes the buffer from a task and wakes the application when it has something to take afterwards.
    pub(super) fn update<T>(&self, update: impl FnOnce(&mut FetchBuffer) -> T) -> T {
        let mut inner = self.inner.lock();
        let before = inner.buffer.is_ready();
        let result = update(&mut inner.buffer);
        if !before && inner.buffer.is_ready() {
            let woken = std::mem::take(&mut inner.waiters);
            drop(inner);
            self.announce(woken);
        }
        result
    }

    /// The error of a question about a partition that was not answered in time, with the best cause known.
    pub(super) fn timed_out(
        &self,
        operation: &'static str,
        topic: &Arc<str>,
        started: Instant,
    ) -> FetchError {
        let waited = started.elapsed();
        if let Some(failure) = self.client.bootstrap_progress(waited) {
            return unreachable(operation, &failure);
        }
        let metadata = self.client.cluster().topic(topic).cloned();
        match metadata.and_then(|metadata| metadata.error) {
            Some(code) => FetchError::Topic {
                topic: Arc::clone(topic),
                code,
            },
            None => FetchError::TimedOut {
                operation,
                waited,
                cause: "the leader of the partition did not answer".into(),
            },
        }
    }
}

impl Inner {
    pub(super) fn take_woken(&mut self) -> Vec<Box<dyn FnOnce() + Send>> {
        if self.buffer.is_ready() {
            std::mem::take(&mut self.waiters)
        } else {
            Vec::new()
        }
    }

    pub(super) fn credit_returned(&mut self) -> bool {
        if self.starved && self.buffer.has_credit() {
            self.starved = false;
            return true;
        }
        false
    }
}

/// Ends the consumer with its last handle.
pub(super) struct CloseOnDrop(pub(super) Arc<Shared>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}
