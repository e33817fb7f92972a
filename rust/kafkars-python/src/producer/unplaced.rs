//! Asynchronous sends that wait for the application's function to choose their partition, in order, by topic.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use super::pending_send::WaitingSend;

/// Sends without a partition, by topic.
#[derive(Default)]
pub(crate) struct Unplaced {
    any: AtomicBool,
    topics: Mutex<HashMap<Box<str>, VecDeque<Arc<WaitingSend>>>>,
}

impl Unplaced {
    /// True if there may be such sends.
    pub(super) fn has_any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Adds a send after the others of its topic.
    pub(super) fn push(&self, topic: &str, send: &Arc<WaitingSend>) {
        let mut topics = self.topics.lock();
        let queue = topics.entry(topic.into()).or_default();
        // Sends that have run out of time are at the front.
        while queue.front().is_some_and(|first| !first.is_waiting()) {
            queue.pop_front();
        }
        queue.push_back(Arc::clone(send));
        self.any.store(true, Ordering::Release);
    }

    /// Drops sends that wait no longer.
    pub(super) fn prune(&self, topic: &str) {
        let mut topics = self.topics.lock();
        let Some(queue) = topics.get_mut(topic) else {
            return;
        };
        while queue.front().is_some_and(|first| !first.is_waiting()) {
            queue.pop_front();
        }
        if queue.is_empty() {
            topics.remove(topic);
            self.any.store(!topics.is_empty(), Ordering::Release);
        }
    }

    /// Takes the first send of a topic.
    pub(super) fn pop(&self, topic: &str) -> Option<Arc<WaitingSend>> {
        let mut topics = self.topics.lock();
        let first = topics.get_mut(topic).and_then(VecDeque::pop_front);
        if first.is_none() {
            topics.remove(topic);
            self.any.store(!topics.is_empty(), Ordering::Release);
        }
        first
    }
}
