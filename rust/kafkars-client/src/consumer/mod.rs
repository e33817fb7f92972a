//! Reading: the handle applications hold. The network's half is `manager.rs` (what must run), `source.rs` (one fetch task
//! per broker) and `offsets.rs` (asking for positions).

mod manager;
mod offsets;
mod positions;
mod questions;
mod request;
mod shared;
mod source;
mod truncation;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kafkars_core::config::{Checked, ConsumerConfig};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::{RecordSlice, TakenRecord};
use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

use self::shared::{CloseOnDrop, Counters, Inner, Shared};
use crate::client::Client;
use crate::now;

/// Reads assigned partitions. Clones share everything; the last one dropped ends the consumer.
#[derive(Clone)]
pub struct Consumer {
    shared: Arc<Shared>,
    _last: Arc<CloseOnDrop>,
}

/// What a consumer has done so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsumerMetrics {
    /// Records handed to the application.
    pub records_consumed: u64,
    /// Bytes of record data received, as they travelled.
    pub bytes_fetched: u64,
    /// Fetch responses received.
    pub fetches: u64,
    /// Bytes of opened batches that wait for the application.
    pub buffered_bytes: usize,
    /// Partitions assigned.
    pub assigned: usize,
}

/// An offset found by time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OffsetAndTimestamp {
    /// The first offset whose record is at least as new as asked.
    pub offset: i64,
    /// That record's timestamp in ms.
    pub timestamp: i64,
    /// Leader epoch of that record, or -1.
    pub leader_epoch: i32,
}

impl Consumer {
    /// A consumer with nothing assigned. Does no I/O until something is.
    pub fn new(client: Client, config: Checked<ConsumerConfig>) -> Self {
        let buffer = FetchBuffer::new(config.auto_offset_reset, config.fetch_buffer_bytes);
        let shared = Arc::new(Shared {
            inner: Mutex::new(Inner {
                buffer,
                waiters: Vec::new(),
                starved: false,
                records: 0,
            }),
            ready: Condvar::new(),
            changed: watch::Sender::new(0),
            closed: AtomicBool::new(false),
            counters: Counters::default(),
            client,
            config,
        });
        let handle = shared.client.handle().clone();
        handle.spawn(manager::run(Arc::clone(&shared)));
        Self {
            _last: Arc::new(CloseOnDrop(Arc::clone(&shared))),
            shared,
        }
    }

    /// The next record, if one is ready. Never waits.
    #[inline]
    pub fn try_next(&self) -> Result<Option<TakenRecord>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let taken = inner.buffer.next_record();
        inner.records += u64::from(matches!(taken, Ok(Some(_))));
        // After an error the tasks go on with the partition.
        let credit = inner.credit_returned() || taken.is_err();
        drop(inner);
        if credit {
            self.shared.touch();
        }
        if matches!(taken, Ok(None)) {
            self.check_open()?;
        }
        taken
    }

    /// Up to `max` records, if any are ready. Never waits.
    pub fn try_take(&self, max: usize) -> Result<Vec<RecordSlice>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let taken = inner.buffer.take(max);
        if let Ok(slices) = &taken {
            let counts = slices.iter().map(|slice| u64::from(slice.count));
            inner.records += counts.sum::<u64>();
        }
        // After an error the tasks go on with the partition.
        let credit = inner.credit_returned() || taken.is_err();
        drop(inner);
        if credit {
            self.shared.touch();
        }
        if taken.as_ref().is_ok_and(Vec::is_empty) {
            self.check_open()?;
        }
        taken
    }

    /// Runs `waiter` once when there is something to take, an error to raise or the consumer is closed; at once if so
    /// already. It must be quick.
    pub fn on_ready(&self, waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.buffer.is_ready() || self.is_closed() {
            drop(inner);
            waiter();
        } else {
            inner.waiters.push(waiter);
        }
    }

    /// Blocks this thread until there is something to take, an error to raise or the consumer is closed, at most for
    /// `timeout`. False when the time ran out.
    pub fn wait_ready(&self, timeout: Duration) -> bool {
        let deadline = now() + timeout;
        let mut inner = self.shared.inner.lock();
        loop {
            if inner.buffer.is_ready() || self.is_closed() {
                return true;
            }
            if self
                .shared
                .ready
                .wait_until(&mut inner, deadline)
                .timed_out()
            {
                return inner.buffer.is_ready() || self.is_closed();
            }
        }
    }

    /// Why the cluster was never reached so far, for a poll that found nothing.
    pub fn trouble(&self) -> Option<FetchError> {
        let failure = self.shared.client.bootstrap_failure()?;
        Some(manager::unreachable("first contact", &failure))
    }

    /// The client underneath.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The settings.
    pub fn config(&self) -> &ConsumerConfig {
        &self.shared.config
    }

    /// What was done so far.
    pub fn metrics(&self) -> ConsumerMetrics {
        let counters = &self.shared.counters;
        let inner = self.shared.inner.lock();
        ConsumerMetrics {
            records_consumed: inner.records,
            bytes_fetched: counters.bytes.load(Ordering::Relaxed),
            fetches: counters.fetches.load(Ordering::Relaxed),
            buffered_bytes: inner.buffer.buffered(),
            assigned: inner.buffer.assignment().len(),
        }
    }

    /// Whether [`Consumer::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Acquire)
    }

    fn check_open(&self) -> Result<(), FetchError> {
        if self.is_closed() {
            return Err(FetchError::Closed);
        }
        Ok(())
    }

    /// Stops fetching and wakes whoever waits. Takes no time: there is nothing to hand over without a group.
    pub fn close(&self) {
        self.shared.close();
    }
}
