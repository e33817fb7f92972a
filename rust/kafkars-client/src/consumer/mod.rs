//! Reading: the handle applications hold. The network's half is `manager.rs` (what must run), `source.rs` (one fetch task
//! per broker) and `offsets.rs` (asking for positions).

mod manager;
mod offsets;
mod source;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kafkars_core::cluster::TopicMetadata;
use kafkars_core::config::{Checked, ConsumerConfig, TopicPartition};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::cursor::StartAt;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::offset_reset::{EARLIEST_TIMESTAMP, LATEST_TIMESTAMP};
use kafkars_core::fetch::open::{RecordSlice, TakenRecord};
use parking_lot::{Condvar, Mutex};
use tokio::sync::watch;

use crate::client::Client;
use crate::error::ClientError;
use crate::now;

/// Reads assigned partitions. Clones share everything; the last one dropped ends the consumer.
#[derive(Clone)]
pub struct Consumer {
    shared: Arc<Shared>,
    _last: Arc<CloseOnDrop>,
}

/// What the handles and the tasks share.
pub(crate) struct Shared {
    pub(crate) client: Client,
    pub(crate) config: Checked<ConsumerConfig>,
    inner: Mutex<Inner>,
    // Threads that wait for `inner.buffer` to become ready.
    ready: Condvar,
    /// Counts what tasks must look at again: assignment, seeks, credit.
    changed: watch::Sender<u64>,
    closed: AtomicBool,
    pub(crate) counters: Counters,
}

/// Behind the lock: taken for a few instructions by the application and the network alike, never across an await.
struct Inner {
    buffer: FetchBuffer,
    waiters: Vec<Box<dyn FnOnce() + Send>>,
    // The network found no credit and must be told when there is some.
    starved: bool,
    // Why no cluster has been reached since the start.
    trouble: Option<FetchError>,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub(crate) records: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) fetches: AtomicU64,
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
                trouble: None,
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

    // ----- assignment and positions -----

    /// Replaces the assignment. Partitions that stay keep their position unless a new one is given.
    pub fn assign(&self, partitions: Vec<(TopicPartition, Option<i64>)>) -> Result<(), FetchError> {
        for (partition, offset) in &partitions {
            check_partition(partition)?;
            if let Some(offset) = offset {
                check_offset(partition, *offset)?;
            }
        }
        self.change(|buffer| {
            buffer.assign(partitions);
            Ok(())
        })
    }

    /// The assigned partitions, in no order.
    pub fn assignment(&self) -> Vec<TopicPartition> {
        self.shared.inner.lock().buffer.assignment()
    }

    /// Goes on at `offset`; fetched data before and after is dropped.
    pub fn seek(&self, partition: &TopicPartition, offset: i64) -> Result<(), FetchError> {
        check_offset(partition, offset)?;
        self.change(|buffer| buffer.seek(partition, offset))
    }

    /// Goes on at the oldest record kept; all assigned partitions when none is named.
    pub fn seek_to_beginning(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.seek_to(partitions, StartAt::Earliest)
    }

    /// Goes on after the newest record; all assigned partitions when none is named.
    pub fn seek_to_end(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.seek_to(partitions, StartAt::Latest)
    }

    /// Goes on at the first record of at least this time in ms, or at the end; all assigned partitions when none is named.
    pub fn seek_to_timestamp(
        &self,
        partitions: &[TopicPartition],
        timestamp: i64,
    ) -> Result<(), FetchError> {
        if timestamp < 0 {
            return Err(FetchError::InvalidArgument {
                problem: format!("timestamp {timestamp} ms is negative").into(),
            });
        }
        self.seek_to(partitions, StartAt::Timestamp(timestamp))
    }

    fn seek_to(&self, partitions: &[TopicPartition], start: StartAt) -> Result<(), FetchError> {
        self.change(|buffer| {
            each(buffer, partitions, |buffer, partition| {
                buffer.seek_to(partition, start)
            })
        })
    }

    /// Stops handing out and fetching; what was fetched is kept.
    pub fn pause(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.change(|buffer| {
            check_all(buffer, partitions)?;
            let mut partitions = partitions.iter();
            partitions.try_for_each(|partition| buffer.set_paused(partition, true))
        })
    }

    /// Undoes [`Consumer::pause`].
    pub fn resume(&self, partitions: &[TopicPartition]) -> Result<(), FetchError> {
        self.change(|buffer| {
            check_all(buffer, partitions)?;
            let mut partitions = partitions.iter();
            partitions.try_for_each(|partition| buffer.set_paused(partition, false))
        })
    }

    /// The paused partitions, in no order.
    pub fn paused(&self) -> Vec<TopicPartition> {
        self.shared.inner.lock().buffer.paused()
    }

    fn change(
        &self,
        change: impl FnOnce(&mut FetchBuffer) -> Result<(), FetchError>,
    ) -> Result<(), FetchError> {
        self.check_open()?;
        let mut inner = self.shared.inner.lock();
        let result = change(&mut inner.buffer);
        let woken = inner.take_woken();
        drop(inner);
        self.shared.announce(woken);
        self.shared.touch();
        result
    }

    /// The offset of the next record the application gets; `None` while the broker has not been asked yet.
    pub fn position(&self, partition: &TopicPartition) -> Result<Option<i64>, FetchError> {
        let inner = self.shared.inner.lock();
        Ok(inner.buffer.cursor(partition)?.position())
    }

    /// [`Consumer::position`], waiting for the broker where needed.
    pub async fn position_or_fetch(
        &self,
        partition: &TopicPartition,
        deadline: Instant,
    ) -> Result<i64, FetchError> {
        let started = now();
        let mut changed = self.shared.changed.subscribe();
        loop {
            self.check_open()?;
            if let Some(position) = self.position(partition)? {
                return Ok(position);
            }
            let in_time = tokio::time::timeout_at(deadline.into(), changed.changed()).await;
            if in_time.is_err() {
                return Err(self.shared.timed_out("position", started));
            }
        }
    }

    /// Lowest and highest offsets as last told by a fetch: the first kept, and the end of what may be read.
    pub fn watermarks(&self, partition: &TopicPartition) -> Result<Option<(i64, i64)>, FetchError> {
        let inner = self.shared.inner.lock();
        let cursor = inner.buffer.cursor(partition)?;
        let known = cursor.high_watermark >= 0;
        Ok(known.then_some((cursor.log_start_offset, cursor.high_watermark)))
    }

    /// Records between position and the end of what may be read; `None` until both are known.
    pub fn lag(&self, partition: &TopicPartition) -> Result<Option<i64>, FetchError> {
        use kafkars_core::config::IsolationLevel;
        let inner = self.shared.inner.lock();
        let cursor = inner.buffer.cursor(partition)?;
        let end = match self.shared.config.isolation_level {
            IsolationLevel::ReadCommitted => cursor.last_stable_offset,
            IsolationLevel::ReadUncommitted => cursor.high_watermark,
        };
        let position = cursor.position().filter(|_| end >= 0);
        Ok(position.map(|position| (end - position).max(0)))
    }

    // ----- records -----

    /// The next record, if one is ready. Never waits.
    #[inline]
    pub fn try_next(&self) -> Result<Option<TakenRecord>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let taken = inner.buffer.next_record();
        // After an error the tasks go on with the partition.
        let credit = inner.credit_returned() || taken.is_err();
        drop(inner);
        if credit {
            self.shared.touch();
        }
        match &taken {
            Ok(None) => self.check_open()?,
            Ok(Some(_)) => {
                self.shared.counters.records.fetch_add(1, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        taken
    }

    /// Up to `max` records, if any are ready. Never waits.
    pub fn try_take(&self, max: usize) -> Result<Vec<RecordSlice>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let taken = inner.buffer.take(max);
        // After an error the tasks go on with the partition.
        let credit = inner.credit_returned() || taken.is_err();
        drop(inner);
        if credit {
            self.shared.touch();
        }
        if let Ok(slices) = &taken {
            if slices.is_empty() {
                self.check_open()?;
            }
            let count = slices.iter().map(|slice| u64::from(slice.count)).sum();
            self.shared
                .counters
                .records
                .fetch_add(count, Ordering::Relaxed);
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
        self.shared.inner.lock().trouble.clone()
    }

    // ----- questions to the cluster -----

    /// For each partition the first offset of at least the given time in ms; `None` where there is no such record.
    pub async fn offsets_for_times(
        &self,
        times: Vec<(TopicPartition, i64)>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, Option<OffsetAndTimestamp>)>, FetchError> {
        for (partition, timestamp) in &times {
            check_partition(partition)?;
            if *timestamp < 0 {
                return Err(FetchError::InvalidArgument {
                    problem: format!("timestamp {timestamp} ms for {partition} is negative").into(),
                });
            }
        }
        let found = self
            .list_offsets("offsets_for_times", times, deadline)
            .await?;
        let existing = |found: OffsetAndTimestamp| (found.offset >= 0).then_some(found);
        Ok(found
            .into_iter()
            .map(|(partition, found)| (partition, existing(found)))
            .collect())
    }

    /// The oldest offset kept in each partition.
    pub async fn beginning_offsets(
        &self,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, i64)>, FetchError> {
        self.ends(
            "beginning_offsets",
            partitions,
            EARLIEST_TIMESTAMP,
            deadline,
        )
        .await
    }

    /// The offset after the newest readable record in each partition.
    pub async fn end_offsets(
        &self,
        partitions: Vec<TopicPartition>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, i64)>, FetchError> {
        self.ends("end_offsets", partitions, LATEST_TIMESTAMP, deadline)
            .await
    }

    async fn ends(
        &self,
        operation: &'static str,
        partitions: Vec<TopicPartition>,
        timestamp: i64,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, i64)>, FetchError> {
        for partition in &partitions {
            check_partition(partition)?;
        }
        let times = partitions
            .into_iter()
            .map(|partition| (partition, timestamp))
            .collect();
        let found = self.list_offsets(operation, times, deadline).await?;
        Ok(found
            .into_iter()
            .map(|(partition, found)| (partition, found.offset))
            .collect())
    }

    async fn list_offsets(
        &self,
        operation: &'static str,
        times: Vec<(TopicPartition, i64)>,
        deadline: Instant,
    ) -> Result<Vec<(TopicPartition, OffsetAndTimestamp)>, FetchError> {
        self.check_open()?;
        let found = offsets::list(&self.shared, operation, times, deadline).await;
        found
            .into_iter()
            .map(|(partition, found)| Ok((partition, found?)))
            .collect()
    }

    /// The topic's partitions.
    pub async fn partitions_for(
        &self,
        topic: &str,
        deadline: Instant,
    ) -> Result<Arc<TopicMetadata>, ClientError> {
        self.shared.client.topic(topic, deadline).await
    }

    /// Names of all topics that may be seen.
    pub async fn topics(&self, deadline: Instant) -> Result<Vec<String>, ClientError> {
        self.shared.client.topics(deadline).await
    }

    // ----- life -----

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
            records_consumed: counters.records.load(Ordering::Relaxed),
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

impl Shared {
    fn close(&self) {
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
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Lets the tasks look again.
    fn touch(&self) {
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Wakes applications that wait for records.
    fn announce(&self, woken: Vec<Box<dyn FnOnce() + Send>>) {
        self.ready.notify_all();
        for waiter in woken {
            waiter();
        }
    }

    /// Changes the buffer from a task and wakes the application when it has something to take afterwards.
    fn update<T>(&self, update: impl FnOnce(&mut FetchBuffer) -> T) -> T {
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

    fn timed_out(&self, operation: &'static str, started: Instant) -> FetchError {
        let trouble = self.inner.lock().trouble.clone();
        trouble.unwrap_or_else(|| FetchError::TimedOut {
            operation,
            waited: started.elapsed(),
            cause: "no broker answered in time".into(),
        })
    }
}

impl Inner {
    fn take_woken(&mut self) -> Vec<Box<dyn FnOnce() + Send>> {
        if self.buffer.is_ready() {
            std::mem::take(&mut self.waiters)
        } else {
            Vec::new()
        }
    }

    fn credit_returned(&mut self) -> bool {
        if self.starved && self.buffer.has_credit() {
            self.starved = false;
            return true;
        }
        false
    }
}

struct CloseOnDrop(Arc<Shared>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Changes the named partitions, or all assigned ones when none is named.
fn each(
    buffer: &mut FetchBuffer,
    partitions: &[TopicPartition],
    mut change: impl FnMut(&mut FetchBuffer, &TopicPartition) -> Result<(), FetchError>,
) -> Result<(), FetchError> {
    if partitions.is_empty() {
        let all = buffer.assignment();
        return all
            .iter()
            .try_for_each(|partition| change(buffer, partition));
    }
    check_all(buffer, partitions)?;
    partitions
        .iter()
        .try_for_each(|partition| change(buffer, partition))
}

/// All or nothing: a call that names an unassigned partition changes none.
fn check_all(buffer: &FetchBuffer, partitions: &[TopicPartition]) -> Result<(), FetchError> {
    partitions
        .iter()
        .try_for_each(|partition| buffer.cursor(partition).map(drop))
}

fn check_partition(partition: &TopicPartition) -> Result<(), FetchError> {
    if partition.partition < 0 {
        return Err(FetchError::InvalidArgument {
            problem: format!("{partition}: partitions count from 0").into(),
        });
    }
    Ok(())
}

fn check_offset(partition: &TopicPartition, offset: i64) -> Result<(), FetchError> {
    if offset < 0 {
        return Err(FetchError::InvalidArgument {
            problem: format!(
                "offset {offset} for {partition} is negative; use seek_to_beginning or seek_to_end"
            )
            .into(),
        });
    }
    Ok(())
}
