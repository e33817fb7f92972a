//! What waits for the application: changes of ownership, outcomes of commits, errors of membership. Records wait behind it.

use std::collections::VecDeque;
use std::time::Duration;

use kafkars_core::group::{Change, ChangeKind, CommitError, GroupError, Offsets};

use super::super::Consumer;
use super::super::shared::Inner;
use super::Command;
use crate::now;

/// Something for the application, in the order in which it happened.
#[derive(Debug)]
pub enum News {
    /// Partitions come or go. No record is handed out until [`Consumer::finish_change`].
    Change(Change),
    /// A commit with a callback has ended.
    Committed {
        /// The callback's number.
        callback: u64,
        /// What was to be committed.
        offsets: Offsets,
        /// What came of it.
        outcome: Result<(), CommitError>,
    },
    /// Membership failed.
    Failed(GroupError),
    /// The group was left as asked.
    Left,
}

/// News that wait, and whether some are being carried out.
#[derive(Debug, Default)]
pub(in crate::consumer) struct Queue {
    waiting: VecDeque<News>,
    // Errors are raised after the changes that came with them, so that listeners run first.
    errors: VecDeque<GroupError>,
    busy: bool,
}

impl Queue {
    pub(in crate::consumer) fn push(&mut self, news: News) {
        match news {
            News::Failed(error) => {
                // One is enough to know; a broker that refuses for hours must not fill the memory.
                if self.errors.is_empty() {
                    self.errors.push_back(error);
                }
            }
            news => self.waiting.push_back(news),
        }
    }

    /// Whether records must wait.
    pub(in crate::consumer) fn blocks(&self) -> bool {
        self.busy || self.is_ready()
    }

    /// Whether [`Queue::pop`] has something.
    pub(in crate::consumer) fn is_ready(&self) -> bool {
        !(self.busy || self.waiting.is_empty() && self.errors.is_empty())
    }

    fn pop(&mut self) -> Option<News> {
        if self.busy {
            return None;
        }
        let next = self.waiting.pop_front();
        next.or_else(|| self.errors.pop_front().map(News::Failed))
    }

    pub(in crate::consumer) fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Consumer {
    /// Whether there is news that [`Consumer::next_news`] would hand out. A flag, so that asking costs nothing.
    #[inline]
    pub fn has_news(&self) -> bool {
        self.shared.has_news()
    }

    /// The next news. A [`News::Change`] must be given back to [`Consumer::finish_change`]; until then there is no other.
    /// `is_finished` tells whether the application has finished what was handed out before, as whoever polls has.
    pub fn next_news(&self, is_finished: bool) -> Option<News> {
        let mut inner = self.shared.inner.lock();
        if is_finished {
            inner.buffer.finish_all();
        }
        let news = inner.queue.pop();
        if let Some(News::Change(change)) = &news {
            inner.queue.busy = true;
            if change.kind == ChangeKind::Assigned {
                let partitions = change.partitions.iter().cloned();
                inner
                    .buffer
                    .add(partitions.map(|partition| (partition, None)).collect());
            }
        }
        self.shared.gate(&inner);
        drop(inner);
        if news.is_some() {
            self.shared.note_wish();
        }
        news
    }

    /// The application has carried out a change. What it has finished of partitions that go is committed first, where
    /// commits are automatic.
    pub fn finish_change(&self, change: &Change) {
        let Some(group) = &self.shared.group else {
            return;
        };
        let mut inner = self.shared.inner.lock();
        let commit = match change.kind {
            ChangeKind::Revoked if group.config.enable_auto_commit => {
                Some(to_commit(&mut inner, change))
            }
            ChangeKind::Revoked | ChangeKind::Assigned | ChangeKind::Lost(_) => None,
        };
        if change.kind != ChangeKind::Assigned {
            inner.buffer.remove(&change.partitions);
        }
        inner.queue.busy = false;
        self.shared.gate(&inner);
        let woken = inner.take_woken();
        drop(inner);
        self.shared.announce(woken);
        self.shared.touch();
        group.tell(Command::ChangeDone {
            id: change.id,
            commit: commit.filter(|offsets| !offsets.is_empty()),
        });
    }

    /// Runs `waiter` once when there is news or the consumer is closed; at once if so already.
    pub fn on_news(&self, waiter: Box<dyn FnOnce() + Send>) {
        let mut inner = self.shared.inner.lock();
        if inner.queue.is_ready() || self.is_closed() {
            drop(inner);
            waiter();
        } else {
            inner.news_waiters.push(waiter);
        }
    }

    /// Wakes whoever waits for records or news, ready or not: there is something else to tell.
    pub fn wake_readers(&self) {
        let mut inner = self.shared.inner.lock();
        let mut woken = std::mem::take(&mut inner.waiters);
        woken.append(&mut inner.news_waiters);
        drop(inner);
        self.shared.announce(woken);
    }

    /// Blocks this thread until there is news or the consumer is closed, at most for `timeout`.
    pub fn wait_news(&self, timeout: Duration) -> bool {
        let deadline = now() + timeout;
        let mut inner = self.shared.inner.lock();
        while !inner.queue.is_ready() && !self.is_closed() {
            let ready = &self.shared.ready;
            if ready.wait_until(&mut inner, deadline).timed_out() {
                return inner.queue.is_ready() || self.is_closed();
            }
        }
        true
    }
}

fn to_commit(inner: &mut Inner, change: &Change) -> Offsets {
    let finished = inner.buffer.uncommitted(inner.buffer.finished());
    let going = finished
        .into_iter()
        .filter(|(partition, _)| change.partitions.contains(partition));
    super::commits::offsets(going)
}
