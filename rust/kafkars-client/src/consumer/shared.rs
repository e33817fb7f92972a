//! The state that a consumer's handles and tasks share, and how each wakes the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kafkars_core::config::{Checked, ConsumerConfig, TopicPartition};
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use parking_lot::{Condvar, Mutex};
use tokio::sync::{Notify, watch};

use super::absent_topics::AbsentTopics;
use super::errors::unreachable;
use super::group::ending::GroupEnding;
use super::group::event::ConsumerEvent;
use super::group::event_queue::EventQueue;
use super::group::handle::GroupHandle;
use crate::client::Client;
use crate::now;

/// A partition that cannot be read for so long is logged.
const REPORT_AFTER: Duration = Duration::from_secs(10);

/// The state that the handles and the tasks share.
pub(super) struct ConsumerShared {
    pub(super) client: Client,
    pub(super) config: Checked<ConsumerConfig>,
    pub(super) inner: Mutex<ConsumerState>,
    // Threads that wait for `inner.buffer` to become ready.
    pub(super) ready: Condvar,
    /// Changes whenever the tasks must look again: after an assignment, a seek, or returned credit.
    pub(super) changed: watch::Sender<u64>,
    /// Wakes the manager alone: a fetcher met a partition that cannot be read before the manager has done its part.
    pub(super) manager_wanted: Notify,
    pub(super) closed: AtomicBool,
    pub(super) counters: ConsumerCounters,
    /// The group's handle, if the consumer has a group.
    pub(super) group: Option<Arc<GroupHandle>>,
    /// True while events wait or are being handled, for readers that do not take the lock.
    has_event: AtomicBool,
}

/// The locked part: taken for a few instructions by the application and the tasks alike, never across an await.
pub(super) struct ConsumerState {
    pub(super) buffer: FetchBuffer,
    pub(super) waiters: Vec<Box<dyn FnOnce() + Send>>,
    // Waiters that want records of some partitions only: they look at whatever comes.
    pub(super) choosy: Vec<Box<dyn FnOnce() + Send>>,
    // Waiters for events, which do not care for records.
    pub(super) event_waiters: Vec<Box<dyn FnOnce() + Send>>,
    // A fetcher found no credit and must be woken when there is some.
    pub(super) starved: bool,
    // The same for some partitions only: there was credit for others.
    pub(super) left_out: bool,
    // A thread opens fetched batches now.
    pub(super) is_opening: bool,
    // Automatic commits count a record as finished as soon as it is returned.
    pub(super) finishes_when_handed_out: bool,
    // Nothing is committed but what the application commits itself.
    pub(super) commits_nothing_of_itself: bool,
    // Partitions that a member gives up only for a rebalance go on where they were when they come back.
    pub(super) keeps_positions: bool,
    // What becomes of errors of topics that are gone.
    pub(super) absent_topics: AbsentTopics,
    // Records returned to the application so far.
    pub(super) records: u64,
    // Events that the application must take before more records.
    pub(super) queue: EventQueue,
    // Set by assign(), so that it and subscribe() exclude each other. A later revocation by the group takes nothing of
    // what was assigned by hand.
    pub(super) assigned_by_hand: bool,
    // What the group's task has to do in the application's place.
    pub(super) ending: GroupEnding,
    // When the application last changed what it wants to read; silence is counted from here.
    pub(super) requested_at: Instant,
    // When it last changed what is fetched: by assigning, seeking, pausing or resuming.
    pub(super) changed_at: Option<Instant>,
    // The first poll since the poll watchdog looked.
    polled_at: Option<Instant>,
    // When the watchdog last found that a poll had happened.
    looked_at: Option<Instant>,
    // How many calls wait for records now.
    waiting: usize,
    // The next poll must wake the group's task, which waits for it.
    pub(super) wake_group_task: bool,
}

#[derive(Default)]
pub(super) struct ConsumerCounters {
    pub(super) bytes: AtomicU64,
    pub(super) fetches: AtomicU64,
}

impl ConsumerState {
    pub(super) fn new(buffer: FetchBuffer) -> Self {
        Self {
            buffer,
            waiters: Vec::new(),
            choosy: Vec::new(),
            event_waiters: Vec::new(),
            starved: false,
            left_out: false,
            is_opening: false,
            finishes_when_handed_out: false,
            commits_nothing_of_itself: false,
            keeps_positions: false,
            absent_topics: AbsentTopics::default(),
            records: 0,
            queue: EventQueue::default(),
            assigned_by_hand: false,
            ending: GroupEnding::default(),
            requested_at: now(),
            changed_at: None,
            polled_at: None,
            looked_at: None,
            waiting: 0,
            wake_group_task: false,
        }
    }

    /// True if a call would return a record, an error or an event now.
    pub(super) fn is_ready(&self) -> bool {
        self.queue.is_ready() || (!self.queue.blocks() && self.buffer.is_ready())
    }

    /// As [`ConsumerState::is_ready`], for a call that wants records of some partitions only.
    pub(super) fn is_ready_for(&self, wanted: &[TopicPartition]) -> bool {
        self.queue.is_ready() || (!self.queue.blocks() && self.buffer.is_ready_for(wanted))
    }

    /// Notes a poll of the application. Returns true if the group's task must know at once.
    #[inline]
    pub(super) fn note_poll(&mut self) -> bool {
        if self.polled_at.is_none() {
            self.polled_at = Some(now());
        }
        self.wake_group_task
    }

    /// When the application polled last, as far as was noted.
    pub(super) fn last_poll(&self) -> Option<Instant> {
        match self.waiting {
            0 => self.polled_at.max(self.looked_at),
            _ => Some(now()),
        }
    }
}

impl ConsumerShared {
    pub(super) fn new(
        client: Client,
        config: Checked<ConsumerConfig>,
        buffer: FetchBuffer,
        group: Option<Arc<GroupHandle>>,
    ) -> Self {
        Self {
            inner: Mutex::new(ConsumerState::new(buffer)),
            ready: Condvar::new(),
            changed: watch::Sender::new(0),
            manager_wanted: Notify::new(),
            closed: AtomicBool::new(false),
            counters: ConsumerCounters::default(),
            client,
            config,
            group,
            has_event: AtomicBool::new(false),
        }
    }

    /// Queues an event for the application; records wait behind it.
    pub(super) fn push_event(&self, event: ConsumerEvent) {
        let mut inner = self.inner.lock();
        if self.is_closed() {
            // Nobody takes events any more, so the group's task carries the change out.
            if let ConsumerEvent::Change(change) = event {
                inner.ending.unfinished.push(change.into());
            }
            return;
        }
        inner.queue.push(event);
        self.gate(&inner);
        let woken = inner.take_woken();
        drop(inner);
        self.announce(woken);
    }

    /// Forgets the end of a membership that begins again.
    pub(super) fn forget_fatal(&self) {
        let mut inner = self.inner.lock();
        inner.queue.forget_fatal();
        self.gate(&inner);
    }

    /// Sets the flag behind [`ConsumerShared::has_event`] after the queue changed.
    pub(super) fn gate(&self, inner: &ConsumerState) {
        self.has_event
            .store(inner.queue.blocks(), Ordering::Release);
    }

    #[inline]
    pub(super) fn has_event(&self) -> bool {
        self.has_event.load(Ordering::Acquire)
    }

    /// Returns the first poll since the last call of this, and whether a call waits for records now.
    pub(super) fn take_polled(&self) -> (Option<Instant>, bool) {
        let mut inner = self.inner.lock();
        let polled_at = inner.polled_at.take();
        if polled_at.is_some() {
            inner.looked_at = Some(now());
        }
        (polled_at, inner.waiting > 0)
    }

    /// Notes that the application polls, where no group's task does, so that `last_poll` is told without a clock per
    /// record: whenever a call waits, and whenever fetched data comes.
    fn look_at_polls(&self, inner: &mut ConsumerState) {
        if self.group.is_none() && inner.polled_at.take().is_some() {
            inner.looked_at = Some(now());
        }
    }

    /// Notes that a call begins to wait for records, or has ended.
    pub(super) fn note_waiting(&self, is_waiting: bool) {
        let wake = {
            let mut inner = self.inner.lock();
            inner.waiting = match is_waiting {
                true => inner.waiting + 1,
                false => inner.waiting.saturating_sub(1),
            };
            let wake = inner.note_poll();
            self.look_at_polls(&mut inner);
            wake
        };
        if wake {
            self.touch();
        }
    }

    pub(super) fn close(&self) {
        let woken = {
            let mut inner = self.inner.lock();
            // In one locked step: whoever finds it closed finds what is left to do, too.
            if self.closed.swap(true, Ordering::AcqRel) {
                return;
            }
            self.keep_for_the_end(&mut inner);
            inner.buffer.assign(Vec::new());
            self.gate(&inner);
            let mut woken = std::mem::take(&mut inner.waiters);
            woken.append(&mut inner.choosy);
            woken.append(&mut inner.event_waiters);
            woken
        };
        self.announce(woken);
        self.touch();
        if self.group.is_some() {
            return; // the group's task leaves the group first
        }
        let client = self.client.clone();
        self.client
            .handle()
            .spawn(async move { client.close().await });
    }

    pub(super) fn is_assigned_by_hand(&self) -> bool {
        let is_subscribed = self
            .group
            .as_ref()
            .is_some_and(|group| group.is_subscribed());
        !is_subscribed && self.inner.lock().assigned_by_hand
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// True if a group decides what is read.
    pub(super) fn is_subscribed(&self) -> bool {
        let group = self.group.as_ref();
        group.is_some_and(|group| group.is_subscribed())
    }

    /// Makes the tasks look again.
    pub(super) fn touch(&self) {
        self.changed
            .send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Notes that the application wants something else from now on: silence is counted from here.
    pub(super) fn note_request(&self) {
        self.inner.lock().requested_at = now();
        self.touch();
    }

    /// Wakes applications that wait for records.
    pub(super) fn announce(&self, woken: Vec<Box<dyn FnOnce() + Send>>) {
        self.ready.notify_all();
        for waiter in woken {
            waiter();
        }
    }

    /// Changes the buffer from a task. Wakes the application if it has something to take afterwards, and calls that
    /// wait for a position if there is a new error.
    pub(super) fn update<T>(&self, update: impl FnOnce(&mut FetchBuffer) -> T) -> T {
        let mut inner = self.inner.lock();
        let before = inner.is_ready();
        let errors_before = inner.buffer.errors_met();
        let result = update(&mut inner.buffer);
        self.look_at_polls(&mut inner);
        let has_error = inner.buffer.errors_met() != errors_before;
        if inner.is_ready() && (!before || !inner.choosy.is_empty()) {
            let mut woken = std::mem::take(&mut inner.choosy);
            if !before {
                woken.append(&mut inner.waiters);
            }
            drop(inner);
            self.announce(woken);
        } else {
            drop(inner);
        }
        if has_error {
            self.touch();
        }
        result
    }

    /// Logs each partition that has not been readable for long, once, in one line for all with the same cause.
    pub(super) fn report_troubles(&self) {
        let troubles = {
            let mut inner = self.inner.lock();
            inner.buffer.troubles_to_report(now(), REPORT_AFTER)
        };
        let mut by_cause: HashMap<_, Vec<_>> = HashMap::new();
        for (partition, trouble) in troubles {
            let key = (trouble.operation, Arc::clone(&trouble.cause));
            by_cause.entry(key).or_default().push((partition, trouble));
        }
        for ((operation, cause), troubles) in by_cause {
            let Some((partition, trouble)) = troubles.first() else {
                continue;
            };
            tracing::warn!(
                target: "kafkars::fetch",
                client = %self.client.name(),
                %partition,
                partitions = troubles.len(),
                operation,
                tries = trouble.failures,
                seconds = now().saturating_duration_since(trouble.since).as_secs(),
                %cause,
                "a partition cannot be read for now; goes on trying"
            );
        }
    }

    /// The error of a query about a partition that was not answered in time, with the best cause known: `cause` if
    /// nothing is wrong with the cluster or the topic.
    pub(super) fn timed_out(
        &self,
        operation: &'static str,
        topic: &Arc<str>,
        started: Instant,
        cause: Arc<str>,
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
                cause,
            },
        }
    }
}

impl ConsumerState {
    pub(super) fn take_woken(&mut self) -> Vec<Box<dyn FnOnce() + Send>> {
        let mut woken = Vec::new();
        if self.is_ready() {
            woken.append(&mut self.waiters);
            woken.append(&mut self.choosy);
        }
        if self.queue.is_ready() {
            woken.append(&mut self.event_waiters);
        }
        woken
    }

    /// True if opening goes on now that the application has taken something.
    #[inline]
    pub(super) fn opening_goes_on(&self) -> bool {
        self.buffer.has_unopened() && !self.is_opening && self.buffer.can_open()
    }

    pub(super) fn credit_returned(&mut self) -> bool {
        let is_waited_for = self.starved || self.left_out;
        if !is_waited_for || !self.buffer.has_credit() {
            return false;
        }
        // Without room, those left out are left out again by every call that finds nothing: that is no new request of
        // the application.
        if self.starved || self.buffer.has_room() {
            self.requested_at = now();
        }
        self.starved = false;
        self.left_out = false;
        true
    }
}

/// Closes the consumer when its last handle is dropped.
pub(super) struct ConsumerDropGuard(pub(super) Arc<ConsumerShared>);

impl Drop for ConsumerDropGuard {
    fn drop(&mut self) {
        self.0.close();
    }
}
