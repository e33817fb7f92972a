//! Messages of topics that are not known yet. They wait in order, one queue for each topic, and enter the producer from
//! the runtime, because `produce()` never waits.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::{ProduceError, Producer, SendError, SendWait};
use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::sync::Notify;

use super::reports::{Report, Reports};
use crate::producer::OwnedRecord;
use crate::runtime;

/// The queues of one producer.
pub(super) struct Queue {
    producer: Producer,
    reports: Arc<Reports>,
    /// How long a topic may stay unknown in a cluster that answers.
    grace: Duration,
    /// How long a message may wait for anything.
    patience: Duration,
    // Guards the queues. A queue exists exactly while a task drains it, and messages enter the producer under this
    // lock: one that finds no queue for its topic cannot overtake one that is waiting.
    topics: Mutex<HashMap<Box<str>, VecDeque<Waiting>>>,
    waiting: AtomicUsize,
    /// Messages that were taken for the open transaction and have not entered the producer: it must not be committed.
    lost: AtomicUsize,
    emptied: Notify,
}

struct Waiting {
    record: OwnedRecord,
    report: Option<Report>,
    since: Instant,
}

impl Queue {
    pub(super) fn new(producer: Producer, reports: &Arc<Reports>, patience: Duration) -> Self {
        let grace = producer.max_block();
        Self {
            producer,
            reports: Arc::clone(reports),
            grace,
            patience,
            topics: Mutex::default(),
            waiting: AtomicUsize::new(0),
            lost: AtomicUsize::new(0),
            emptied: Notify::new(),
        }
    }

    /// Whether messages of a topic wait, so that a new one must queue up behind them.
    #[inline]
    pub(super) fn holds(&self, topic: &str) -> bool {
        self.waiting() > 0 && self.topics.lock().contains_key(topic)
    }

    /// Messages in all queues.
    #[inline]
    pub(super) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    /// How many messages of the open transaction have failed here.
    pub(super) fn lost(&self) -> usize {
        self.lost.load(Ordering::Acquire)
    }

    /// Another transaction begins.
    pub(super) fn forget_lost(&self) {
        self.lost.store(0, Ordering::Release);
    }

    /// Queues a message.
    pub(super) fn add(
        self: &Arc<Self>,
        record: OwnedRecord,
        report: Option<Report>,
    ) -> PyResult<()> {
        let handle = runtime::handle()?;
        let topic = record.topic.clone();
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let waiting = Waiting {
            record,
            report,
            since: Instant::now(),
        };
        let is_new = {
            let mut topics = self.topics.lock();
            let is_new = !topics.contains_key(&topic);
            topics.entry(topic.clone()).or_default().push_back(waiting);
            is_new
        };
        if is_new {
            let queue = Arc::clone(self);
            handle.spawn(async move { queue.drain(&topic).await });
        }
        Ok(())
    }

    /// Lets nothing in that waits now.
    pub(super) fn give_up(&self, failure: &ProduceError) {
        let waiting: Vec<Waiting> = {
            let mut topics = self.topics.lock();
            // The queues stay: their tasks end them.
            topics.values_mut().flat_map(std::mem::take).collect()
        };
        for waiting in waiting {
            self.leave(waiting, Err(failure.clone()));
        }
    }

    /// Waits until no message is queued.
    pub(super) async fn empty(&self) {
        loop {
            let told = self.emptied.notified();
            if self.waiting() == 0 {
                return;
            }
            told.await;
        }
    }

    /// Lets the messages of one topic in, one after the other, until there are none.
    async fn drain(&self, topic: &str) {
        while let Some((wait, since)) = self.admit(topic) {
            let now = Instant::now();
            let is_for_room = wait.is_for_room();
            let until = (now + self.grace).min(since + self.patience);
            let Err(failure) = self.producer.ready(wait, until).await else {
                continue;
            };
            let is_over = Instant::now() >= since + self.patience;
            // A cluster that does not answer may come back; one that says there is no such topic is taken at its word.
            let is_refused = !is_for_room && is_refusal(&failure);
            if is_refused || matches!(failure, ProduceError::Closed) {
                self.fail(topic, &failure, |_| true);
            } else if is_over {
                // Those that came later have time left, and after a purge there are only such.
                self.fail(topic, &failure, |waiting| waiting.since <= since);
            }
        }
    }

    /// Lets in what can enter. What the first message waits for, and since when it does; none where the queue has
    /// ended.
    fn admit(&self, topic: &str) -> Option<(SendWait, Instant)> {
        let mut topics = self.topics.lock();
        loop {
            let queue = topics.get_mut(topic)?;
            let Some(first) = queue.front() else {
                topics.remove(topic);
                return None;
            };
            let outcome = match first.record.with(|record| self.producer.try_send(record)) {
                Ok(delivery) => Ok(delivery),
                Err(SendError::Failed(failure)) => Err(failure),
                Err(SendError::NotReady(wait)) => return Some((wait, first.since)),
            };
            if let Some(first) = queue.pop_front() {
                self.leave(first, outcome);
            }
        }
    }

    /// Fails the messages at the head of a queue that are `concerned`.
    fn fail(&self, topic: &str, failure: &ProduceError, concerned: impl Fn(&Waiting) -> bool) {
        let failed: Vec<Waiting> = match self.topics.lock().get_mut(topic) {
            Some(queue) => {
                let count = queue
                    .iter()
                    .take_while(|waiting| concerned(waiting))
                    .count();
                queue.drain(..count).collect()
            }
            None => Vec::new(),
        };
        for waiting in failed {
            self.leave(waiting, Err(failure.clone()));
        }
    }

    fn leave(&self, waiting: Waiting, outcome: Result<kafkars_client::Delivery, ProduceError>) {
        if outcome.is_err() {
            // Before it counts as gone: a commit waits for that.
            self.lost.fetch_add(1, Ordering::AcqRel);
        }
        match (waiting.report, outcome) {
            (None, _) => {}
            (Some(report), Ok(delivery)) => self.reports.note(report, delivery),
            (Some(report), Err(failure)) => self.reports.fail(report, failure),
        }
        if self.waiting.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.emptied.notify_waiters();
        }
    }
}

/// Whether the cluster has answered, and the answer is no.
fn is_refusal(failure: &ProduceError) -> bool {
    match failure {
        ProduceError::Topic { .. } | ProduceError::Impossible { .. } => true,
        ProduceError::MetadataTimedOut { cause, .. } => cause.contains("UNKNOWN_TOPIC"),
        _ => false,
    }
}
