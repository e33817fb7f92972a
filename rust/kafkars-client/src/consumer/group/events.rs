//! How the application takes events of its group, and reports the changes that it has carried out.

use std::collections::HashSet;
use std::time::Duration;

use kafkars_core::config::TopicPartition;
use kafkars_core::group::{Change, ChangeKind};

use super::command::Command;
use super::event::ConsumerEvent;
use crate::consumer::handle::Consumer;
use crate::now;

impl Consumer {
    /// True while an event waits for [`Consumer::next_event`] or a change is being carried out. Reads a flag, so it
    /// costs nothing.
    #[inline]
    pub fn has_event(&self) -> bool {
        self.shared.has_event()
    }

    /// True if the application is still to be told that partitions come or go.
    pub fn has_change(&self) -> bool {
        self.has_event() && self.shared.inner.lock().queue.has_change()
    }

    /// The partitions whose loss the application is still to be told.
    pub fn lost(&self) -> HashSet<TopicPartition> {
        self.shared.inner.lock().queue.lost()
    }

    /// Lets partitions that are given up only for a rebalance, and come back before anybody else has had them, go on
    /// where they were, paused or not. Otherwise reading begins at what the group has committed. kafka-python 3
    /// promises this.
    pub fn keep_positions(&self) {
        self.shared.inner.lock().keeps_positions = true;
    }

    /// Lets nothing be read of a partition without a valid position until the application seeks, once it knows of that:
    /// for libraries that do not try again. Otherwise the same position is tried again.
    pub fn stop_without_position(&self) {
        self.shared.inner.lock().buffer.stop_without_position();
    }

    /// Returns the next event. A [`ConsumerEvent::Change`] must be given back to [`Consumer::finish_change`]; until
    /// then there is no other. `is_finished` is true if the application has finished what was returned before, as it
    /// has when it polls.
    pub fn next_event(&self, is_finished: bool) -> Option<ConsumerEvent> {
        let mut inner = self.shared.inner.lock();
        if is_finished {
            inner.buffer.finish_all();
        }
        let event = inner.queue.pop();
        if let Some(ConsumerEvent::Change(change)) = &event
            && change.kind == ChangeKind::Assigned
            && !inner.assigned_by_hand
            && !inner.queue.is_released()
        {
            let partitions = change.partitions.iter().cloned();
            let partitions = partitions.map(|partition| (partition, None));
            inner.buffer.add(partitions.collect());
            match change.rejoins {
                true => inner.buffer.restore(&change.partitions),
                false => inner.buffer.forget_kept(),
            }
        }
        self.shared.gate(&inner);
        drop(inner);
        if event.is_some() {
            self.shared.note_request();
        }
        event
    }

    /// Gives back the outcome of a commit that the application could not take: it is the next event again.
    pub fn put_back(&self, outcome: ConsumerEvent) {
        let mut inner = self.shared.inner.lock();
        inner.queue.put_back(outcome);
        self.shared.gate(&inner);
        let woken = inner.take_woken();
        drop(inner);
        self.shared.announce(woken);
    }

    /// Takes the outcomes of commits that have ended, also in a listener: for the end, after which nothing is told.
    pub fn take_outcomes(&self) -> Vec<ConsumerEvent> {
        self.shared.inner.lock().queue.take_outcomes()
    }

    /// Reports a change that the application has carried out. Its finished positions of partitions that go are
    /// committed first, if commits are automatic. `is_heard` is false if the application does not listen to such
    /// changes: then the log tells it of positions that are lost.
    pub fn finish_change(&self, change: &Change, is_heard: bool) {
        let Some(group) = &self.shared.group else {
            return;
        };
        let mut inner = self.shared.inner.lock();
        let unfinished = inner.queue.done();
        let unfinished = unfinished.filter(|unfinished| unfinished.change.id == change.id);
        let done = unfinished.map(|change| self.shared.carry_out(&mut inner, &change));
        self.shared.gate(&inner);
        let woken = inner.take_woken();
        drop(inner);
        self.shared.announce(woken);
        self.shared.touch();
        if let Some(mut done) = done {
            done.is_heard = is_heard;
            group.tell(Command::ChangeDone(done));
        }
    }

    /// Runs `waiter` once, when an event waits or the consumer is closed; at once if that is so already.
    pub fn on_event(&self, waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.queue.is_ready() || self.is_closed() {
            drop(inner);
            waiter();
        } else {
            inner.event_waiters.push(waiter);
        }
    }

    /// Wakes whoever waits for records or events although there are none: the caller has something else to tell them.
    pub fn wake_readers(&self) {
        let mut inner = self.shared.inner.lock();
        let mut woken = std::mem::take(&mut inner.waiters);
        woken.append(&mut inner.choosy);
        woken.append(&mut inner.event_waiters);
        drop(inner);
        self.shared.announce(woken);
    }

    /// Blocks this thread until an event waits, the consumer is closed, or `is_over` says that there is nothing more to
    /// wait for, for at most `timeout`. Returns false if the time ran out. `is_over` is asked again after each
    /// [`Consumer::wake_readers`]: another thread may have taken the event.
    pub fn wait_event(&self, timeout: Duration, is_over: impl Fn() -> bool) -> bool {
        let deadline = now() + timeout;
        let mut inner = self.shared.inner.lock();
        while !inner.queue.is_ready() && !self.is_closed() && !is_over() {
            let ready = &self.shared.ready;
            if ready.wait_until(&mut inner, deadline).timed_out() {
                return inner.queue.is_ready() || self.is_closed() || is_over();
            }
        }
        true
    }
}
