//! Returning records to the application, and waiting for them.

use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::buffer::FetchBuffer;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::{RecordSlice, TakenRecord};
use parking_lot::MutexGuard;

use super::handle::Consumer;
use super::opening;
use super::shared::{ConsumerShared, ConsumerState};
use crate::now;

/// Marks a call that waits for records, until it is dropped.
pub struct WaitingRead(Arc<ConsumerShared>);

impl Drop for WaitingRead {
    fn drop(&mut self) {
        self.0.note_waiting(false);
    }
}

impl Consumer {
    /// Returns the next record, if one is ready. Never waits.
    ///
    /// # Errors
    /// Why a partition cannot be read, once for each such error, after the records before it; [`FetchError::Closed`]
    /// after a close.
    #[inline]
    pub fn try_next(&self) -> Result<Option<TakenRecord>, FetchError> {
        self.take_one(FetchBuffer::next_record)
    }

    /// Returns up to `max` records, if any are ready. Never waits.
    ///
    /// # Errors
    /// As for [`Consumer::try_next`].
    pub fn try_take(&self, max: usize) -> Result<Vec<RecordSlice>, FetchError> {
        self.try_take_of(max, None)
    }

    /// As [`Consumer::try_take`], from the `wanted` partitions only; records of others wait.
    ///
    /// # Errors
    /// As for [`Consumer::try_next`].
    pub fn try_take_of(
        &self,
        max: usize,
        wanted: Option<&[TopicPartition]>,
    ) -> Result<Vec<RecordSlice>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let polled = inner.note_poll();
        if inner.queue.blocks() {
            return self.behind_events(inner, polled).map(|()| Vec::new());
        }
        let (taken, passed) = inner.take(|buffer| buffer.take_of(max, wanted));
        if let Ok(slices) = &taken {
            let counts = slices.iter().map(|slice| u64::from(slice.count));
            inner.records += counts.sum::<u64>();
        }
        let wanted = self.wanted_after(&mut inner, taken.is_err() || passed || polled);
        drop(inner);
        self.wake(wanted);
        if taken.as_ref().is_ok_and(Vec::is_empty) {
            self.check_open()?;
        }
        taken
    }

    /// As [`Consumer::try_next`], from the `wanted` partitions only; records of others wait.
    ///
    /// # Errors
    /// As for [`Consumer::try_next`].
    pub fn try_next_of(
        &self,
        wanted: &[TopicPartition],
    ) -> Result<Option<TakenRecord>, FetchError> {
        self.take_one(|buffer| match buffer.turn_to(wanted) {
            true => buffer.next_record(),
            false => Ok(None),
        })
    }

    #[inline]
    fn take_one(
        &self,
        take: impl FnMut(&mut FetchBuffer) -> Result<Option<TakenRecord>, FetchError>,
    ) -> Result<Option<TakenRecord>, FetchError> {
        let mut inner = self.shared.inner.lock();
        let polled = inner.note_poll();
        if inner.queue.blocks() {
            return self.behind_events(inner, polled).map(|()| None);
        }
        let (taken, passed) = inner.take(take);
        inner.records += u64::from(matches!(taken, Ok(Some(_))));
        let wanted = self.wanted_after(&mut inner, taken.is_err() || passed || polled);
        drop(inner);
        self.wake(wanted);
        if matches!(taken, Ok(None)) {
            self.check_open()?;
        }
        taken
    }

    /// What has work to do after a call that took records: whether tasks are to look again, and whether opening is.
    /// With `all`, after an error or when the group's task must know, the tasks look in any case.
    #[inline]
    fn wanted_after(&self, inner: &mut ConsumerState, all: bool) -> (bool, bool) {
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

    /// Ends a read that finds events before the records: no record is returned before the application has taken them.
    /// Asking for the next records finishes those returned before.
    fn behind_events(
        &self,
        mut inner: MutexGuard<'_, ConsumerState>,
        polled: bool,
    ) -> Result<(), FetchError> {
        inner.buffer.finish_all();
        drop(inner);
        if polled {
            self.shared.touch();
        }
        self.check_open()
    }

    /// True if a call would return at once: with a record, an error or an event, or because the consumer is closed.
    pub fn is_ready(&self) -> bool {
        self.shared.inner.lock().is_ready() || self.is_closed()
    }

    /// As [`Consumer::is_ready`], for a call that wants records of some partitions only.
    pub fn is_ready_for(&self, wanted: &[TopicPartition]) -> bool {
        self.shared.inner.lock().is_ready_for(wanted) || self.is_closed()
    }

    /// As [`Consumer::on_ready`], for a call that wants records of some partitions only. It may also run for others.
    pub fn on_ready_for(&self, wanted: &[TopicPartition], waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.is_ready_for(wanted) || self.is_closed() {
            drop(inner);
            waiter();
        } else {
            inner.choosy.push(waiter);
        }
    }

    /// Runs `waiter` once, when a record can be taken or an error raised, or when the consumer is closed; at once if
    /// that is so already. `waiter` must be quick.
    pub fn on_ready(&self, waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.is_ready() || self.is_closed() {
            drop(inner);
            waiter();
        } else {
            inner.waiters.push(waiter);
        }
    }

    /// Blocks this thread until a record can be taken, an error raised, or the consumer is closed, for at most
    /// `timeout`. Returns false if the time ran out.
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

    /// Marks a call that waits for records, until the returned value is dropped: `max_poll_interval_ms` does not run
    /// meanwhile.
    pub fn start_waiting(&self) -> WaitingRead {
        self.shared.note_waiting(true);
        WaitingRead(Arc::clone(&self.shared))
    }

    /// Lets reads say nothing of assigned topics that do not exist, or not any more: that is logged, once. Otherwise
    /// reads raise it again and again. kafka-python reads on.
    pub fn pass_over_missing_topics(&self) {
        let name = Arc::clone(self.client().name());
        self.shared.inner.lock().absent_topics.passed_over_by = Some(name);
    }
}

impl ConsumerState {
    /// Takes from the buffer. Also returns whether errors were passed over, which the tasks must know as if the
    /// application had them.
    #[inline]
    pub(super) fn take<T>(
        &mut self,
        mut take: impl FnMut(&mut FetchBuffer) -> Result<T, FetchError>,
    ) -> (Result<T, FetchError>, bool) {
        let mut passed = false;
        loop {
            match take(&mut self.buffer) {
                Err(error) if self.absent_topics.pass_over(&error) => passed = true,
                taken => return (taken, passed),
            }
        }
    }
}
