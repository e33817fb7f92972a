//! Reading: the handle applications hold. The network's half is `manager.rs` (what must run), `broker_fetcher.rs` (one
//! fetch task per broker) and `offsets.rs` (asking for positions).

mod broker_fetcher;
mod fetch_answer;
mod fetch_connection;
mod group;
mod look_up;
mod manager;
mod offset_queries;
mod offsets;
mod opening;
mod positions;
mod request;
mod shared;
mod truncation;

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use kafkars_core::backoff::Backoff;
use kafkars_core::config::{Checked, ConsumerConfig, TopicPartition};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::{RecordSlice, TakenRecord};
use kafkars_core::fetch::retry::RetryPace;
use kafkars_core::group::assignor::Assignor;
use parking_lot::MutexGuard;

use self::group::Group;
pub use self::group::{
    Closing, ConsumerEvent, ConsumerHealth, LeaveId, Origin, PartitionTrouble, SubscriptionView,
    check_offset_to_commit,
};
pub use self::positions::LastFetch;
use self::shared::{CloseOnDrop, Inner, Shared};
use crate::client::Client;
use crate::error::ClientError;
use crate::net::ConnectionKind;
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
    /// Bytes of fetched data that wait for the application, as they take memory.
    pub buffered_bytes: usize,
    /// Partitions assigned.
    pub assigned: usize,
}

/// A call that waits for records; ends with the value.
pub struct Waiting(Arc<Shared>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.note_waiting(false);
    }
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
        Self::with_assignors(client, config, Vec::new())
    }

    /// As [`Consumer::new`], with assignors instead of the usual ones, best first.
    pub fn with_assignors(
        client: Client,
        config: Checked<ConsumerConfig>,
        assignors: Vec<Arc<dyn Assignor>>,
    ) -> Self {
        let mut buffer = FetchBuffer::new(config.auto_offset_reset, config.fetch_buffer_bytes);
        let of_client = client.config();
        let backoff = Backoff::new(of_client.retry_backoff, of_client.retry_backoff_max);
        buffer.set_pace(RetryPace::new(backoff, RandomState::new().hash_one(0)));
        let group = config.group.clone();
        let (group, start) = group.map(|group| Group::new(group, assignors)).unzip();
        if group.is_some() {
            buffer.start_from_committed();
        }
        let shared = Arc::new(Shared::new(client, config, buffer, group));
        let handle = shared.client.handle().clone();
        if let Some(start) = start {
            handle.spawn(start.run(Arc::clone(&shared)));
        }
        handle.spawn(manager::run(Arc::clone(&shared)));
        handle.spawn(opening::run(Arc::clone(&shared)));
        Self {
            _last: Arc::new(CloseOnDrop(Arc::clone(&shared))),
            shared,
        }
    }

    /// The next record, if one is ready. Never waits.
    #[inline]
    pub fn try_next(&self) -> Result<Option<TakenRecord>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let polled = inner.note_poll();
        if inner.queue.blocks() {
            return self.behind_news(inner, polled).map(|()| None);
        }
        let taken = inner.buffer.next_record();
        inner.records += u64::from(matches!(taken, Ok(Some(_))));
        let wanted = self.wanted_after(&mut inner, taken.is_err() || polled);
        drop(inner);
        self.wake(wanted);
        if matches!(taken, Ok(None)) {
            self.check_open()?;
        }
        taken
    }

    /// Up to `max` records, if any are ready. Never waits.
    pub fn try_take(&self, max: usize) -> Result<Vec<RecordSlice>, FetchError> {
        self.try_take_of(max, None)
    }

    /// The same of some partitions only; what is ready of others waits.
    pub fn try_take_of(
        &self,
        max: usize,
        wanted: Option<&[TopicPartition]>,
    ) -> Result<Vec<RecordSlice>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let polled = inner.note_poll();
        if inner.queue.blocks() {
            return self.behind_news(inner, polled).map(|()| Vec::new());
        }
        let taken = inner.buffer.take_of(max, wanted);
        if let Ok(slices) = &taken {
            let counts = slices.iter().map(|slice| u64::from(slice.count));
            inner.records += counts.sum::<u64>();
        }
        let wanted = self.wanted_after(&mut inner, taken.is_err() || polled);
        drop(inner);
        self.wake(wanted);
        if taken.as_ref().is_ok_and(Vec::is_empty) {
            self.check_open()?;
        }
        taken
    }

    /// [`Consumer::try_next`] of some partitions only; what is ready of others waits.
    pub fn try_next_of(
        &self,
        wanted: &[TopicPartition],
    ) -> Result<Option<TakenRecord>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let polled = inner.note_poll();
        if inner.queue.blocks() {
            return self.behind_news(inner, polled).map(|()| None);
        }
        let taken = match inner.buffer.turn_to(wanted) {
            true => inner.buffer.next_record(),
            false => Ok(None),
        };
        inner.records += u64::from(matches!(taken, Ok(Some(_))));
        let wanted = self.wanted_after(&mut inner, taken.is_err() || polled);
        drop(inner);
        self.wake(wanted);
        if matches!(taken, Ok(None)) {
            self.check_open()?;
        }
        taken
    }

    /// What has work to do after a call that took records. After an error or where the group's task must know, all look
    /// again.
    #[inline]
    fn wanted_after(&self, inner: &mut Inner, all: bool) -> (bool, bool) {
        let is_opened_on = inner.opening_goes_on();
        (inner.credit_returned() || all, is_opened_on)
    }

    #[inline]
    fn wake(&self, (tasks, opening): (bool, bool)) {
        if opening {
            opening::start(&self.shared);
        }
        if tasks {
            self.shared.touch();
        }
    }

    /// Records wait until the application has heard the events; asking for them finishes those before.
    fn behind_news(
        &self,
        mut inner: MutexGuard<'_, Inner>,
        polled: bool,
    ) -> Result<(), FetchError> {
        inner.buffer.finish_all();
        drop(inner);
        if polled {
            self.shared.touch();
        }
        self.check_open()
    }

    /// Whether a call would answer now: with a record, an error or events, or because the consumer is closed.
    pub fn is_ready(&self) -> bool {
        self.shared.inner.lock().is_ready() || self.is_closed()
    }

    /// [`Consumer::is_ready`] for a call that wants some partitions only.
    pub fn is_ready_for(&self, wanted: &[TopicPartition]) -> bool {
        self.shared.inner.lock().is_ready_for(wanted) || self.is_closed()
    }

    /// [`Consumer::on_ready`] for a call that wants some partitions only. It may run for what comes of others.
    pub fn on_ready_for(&self, wanted: &[TopicPartition], waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.is_ready_for(wanted) || self.is_closed() {
            drop(inner);
            waiter();
        } else {
            inner.choosy.push(waiter);
        }
    }

    /// Runs `waiter` once when there is something to take, an error to raise or the consumer is closed; at once if so
    /// already. It must be quick.
    pub fn on_ready(&self, waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.is_ready() || self.is_closed() {
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
        let _waits = self.start_waiting();
        let mut inner = self.shared.inner.lock();
        loop {
            if inner.is_ready() || self.is_closed() {
                return true;
            }
            if self
                .shared
                .ready
                .wait_until(&mut inner, deadline)
                .timed_out()
            {
                return inner.is_ready() || self.is_closed();
            }
        }
    }

    /// Says that a call waits for records, for as long as the answer lives: the poll interval does not run meanwhile.
    pub fn start_waiting(&self) -> Waiting {
        self.shared.note_waiting(true);
        Waiting(Arc::clone(&self.shared))
    }

    /// Why the cluster was never reached so far, or that it has been silent for too long, for a poll that found
    /// nothing.
    pub fn trouble(&self) -> Option<FetchError> {
        match self.refusal_of_reads() {
            Some(failure) => Some(manager::unreachable("first contact", &failure)),
            None => self.stuck(),
        }
    }

    /// The handshake that fails between this consumer and its brokers, for a poll that waits.
    pub fn refusal(&self) -> Option<FetchError> {
        let refusal = self.refusal_of_reads()?.security();
        refusal.map(FetchError::Security)
    }

    /// Why the cluster was never reached, or the handshake that keeps this consumer from its records: with a leader of
    /// a partition that is read, with the coordinator of its subscription, or with everybody.
    fn refusal_of_reads(&self) -> Option<ClientError> {
        let client = &self.shared.client;
        let cluster = client.cluster();
        if cluster.version == 0 || !client.is_distrusted() {
            return client.bootstrap_failure();
        }
        let mut needs: HashMap<i32, ConnectionKind> = HashMap::new();
        {
            let inner = self.shared.inner.lock();
            for (_, cursor) in inner.buffer.cursors().filter(|(_, cursor)| !cursor.paused) {
                let TopicPartition { topic, partition } = &cursor.partition;
                let leader = cluster.leader(topic, *partition).map(|leader| leader.node);
                let follower = cursor.preferred_replica.map(|(follower, _)| follower);
                let Some(node) = follower.or(leader) else {
                    continue;
                };
                match cursor.position() {
                    Some(_) => _ = needs.entry(node).or_insert(ConnectionKind::Fetch),
                    None => _ = needs.insert(node, ConnectionKind::Data),
                }
            }
        }
        let coordinator = self
            .shared
            .group
            .as_ref()
            .and_then(|group| group.coordinator());
        if let Some(coordinator) = coordinator {
            needs
                .entry(coordinator)
                .or_insert(ConnectionKind::Coordinator);
        }
        client.refusal_of_reads(|node| needs.get(&node).copied())
    }

    /// Bytes of fetched data held: those that wait for the application, those being handed out, and the limit of the
    /// former.
    pub fn memory_usage(&self) -> (usize, usize, usize) {
        let inner = self.shared.inner.lock();
        let buffer = &inner.buffer;
        (
            buffer.buffered(),
            buffer.current_bytes(),
            self.shared.config.fetch_buffer_bytes,
        )
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
            assigned: inner.buffer.assigned(),
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
