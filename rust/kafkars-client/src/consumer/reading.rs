//! Taking records, and waiting for them.

use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::fetch::error::FetchError;
use kafkars_core::fetch::open::{RecordSlice, TakenRecord};
use parking_lot::MutexGuard;

use super::handle::Consumer;
use super::opening;
use super::shared::{ConsumerShared, ConsumerState};
use crate::now;

/// A call that waits for records; ends with the value.
pub struct WaitingRead(Arc<ConsumerShared>);

impl Drop for WaitingRead {
    fn drop(&mut self) {
        self.0.note_waiting(false);
    }
}

impl Consumer {
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

    /// Records wait until the application has heard the events; asking for them finishes those before.
    fn behind_news(
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
    pub fn start_waiting(&self) -> WaitingRead {
        self.shared.note_waiting(true);
        WaitingRead(Arc::clone(&self.shared))
    }
}
