//! The handle of a consumer.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use kafkars_core::backoff::Backoff;
use kafkars_core::config::{Checked, ConsumerConfig};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::retry::RetryPace;
use kafkars_core::group::assignor::Assignor;

use super::group::handle::GroupHandle;
use super::group::task::Start;
use super::shared::{ConsumerDropGuard, ConsumerShared};
use super::{manager, opening};
use crate::client::Client;
use crate::random_seed::random_seed;

/// A consumer, which reads the partitions assigned to it. Clones share everything; dropping the last one ends the
/// consumer.
#[derive(Clone)]
pub struct Consumer {
    pub(super) shared: Arc<ConsumerShared>,
    _last: Arc<ConsumerDropGuard>,
}

/// Counters and gauges of a consumer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsumerMetrics {
    /// Records returned to the application.
    pub records_consumed: u64,
    /// Bytes of record batches received, as they were on the wire.
    pub bytes_fetched: u64,
    /// Fetch responses received.
    pub fetches: u64,
    /// Bytes of memory held by fetched data that waits for the application.
    pub buffered_bytes: usize,
    /// Partitions assigned.
    pub assigned: usize,
}

impl Consumer {
    /// Makes a consumer without an assignment. Does no I/O until it has one.
    pub fn new(client: Client, config: Checked<ConsumerConfig>) -> Self {
        Self::with_assignors(client, config, Vec::new())
    }

    /// As [`Consumer::new`], with these assignors instead of the default ones, the preferred one first.
    pub fn with_assignors(
        client: Client,
        config: Checked<ConsumerConfig>,
        assignors: Vec<Arc<dyn Assignor>>,
    ) -> Self {
        let mut buffer = FetchBuffer::new(config.auto_offset_reset, config.fetch_buffer_bytes);
        let of_client = client.config();
        let backoff = Backoff::new(of_client.retry_backoff, of_client.retry_backoff_max);
        buffer.set_pace(RetryPace::new(backoff, random_seed()));
        let group = config.group.clone();
        let (group, commands) = group.map(GroupHandle::new).unzip();
        if group.is_some() {
            buffer.start_from_committed();
        }
        let start = group.clone().zip(commands);
        let start = start.map(|(group, commands)| Start {
            group,
            assignors,
            commands,
        });
        client.use_topics(HashSet::new());
        let shared = Arc::new(ConsumerShared::new(client, config, buffer, group));
        let handle = shared.client.handle().clone();
        if let Some(start) = start {
            handle.spawn(start.run(Arc::clone(&shared)));
        }
        handle.spawn(manager::run(Arc::clone(&shared)));
        handle.spawn(opening::run(Arc::clone(&shared)));
        Self {
            _last: Arc::new(ConsumerDropGuard(Arc::clone(&shared))),
            shared,
        }
    }

    /// Returns the bytes of fetched data that wait for the application, the bytes that are being handed out, and the
    /// limit of the former.
    pub fn memory_usage(&self) -> (usize, usize, usize) {
        let inner = self.shared.inner.lock();
        let buffer = &inner.buffer;
        (
            buffer.buffered(),
            buffer.current_bytes(),
            self.shared.config.fetch_buffer_bytes,
        )
    }

    /// The client underneath, which knows the cluster and its brokers.
    pub fn client(&self) -> &Client {
        &self.shared.client
    }

    /// The consumer's settings.
    pub fn config(&self) -> &ConsumerConfig {
        &self.shared.config
    }

    /// Returns the counters.
    pub fn metrics(&self) -> ConsumerMetrics {
        let counters = &self.shared.counters;
        let inner = self.shared.inner.lock();
        ConsumerMetrics {
            records_consumed: inner.records,
            bytes_fetched: counters.bytes.load(Ordering::Relaxed),
            fetches: counters.fetches.load(Ordering::Relaxed),
            buffered_bytes: inner.buffer.buffered(),
            assigned: inner.buffer.assigned(),
        }
    }

    /// True once [`Consumer::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.shared.closed.load(Ordering::Acquire)
    }

    pub(super) fn check_open(&self) -> Result<(), FetchError> {
        if self.is_closed() {
            return Err(FetchError::Closed);
        }
        Ok(())
    }

    /// Stops fetching and wakes whoever waits. Does not wait: a group is left by its task afterwards.
    pub fn close(&self) {
        self.shared.close();
    }
}
