//! Asynchronous sends that found no room, or a topic not known yet, of a record or of a filled batch. They wait here in order,
//! one queue for each topic, and enter the producer from the runtime.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use kafkars_client::{Delivery, ProduceError, Producer, SendError, SendWait};
use parking_lot::Mutex;
use pyo3::prelude::*;
use tokio::sync::Notify;

use super::held::Held;
use crate::aio::{CompletionQueue, Key, Pending, PyFuture};
use crate::metadata::Report;
use crate::runtime;

/// The queues of one producer.
pub(crate) struct Admissions {
    producer: Producer,
    // Guards the queues. A queue exists exactly while a task drains it, and records enter the producer under this lock:
    // a send that finds no queue for its topic cannot overtake one that is waiting.
    topics: Mutex<HashMap<Box<str>, VecDeque<Waiting>>>,
    /// Records, those of batches as well.
    waiting: AtomicUsize,
    bytes: AtomicUsize,
    emptied: Notify,
}

struct Waiting {
    held: Held,
    ticket: Arc<Ticket>,
    deadline: Instant,
}

/// What became of the first send of a queue.
enum Step {
    /// There is none, and no queue any more.
    Empty,
    /// It has left the queue.
    Left,
    /// It has to wait, until the instant at most.
    Waits(SendWait, Instant, Arc<Ticket>),
}

/// The place of one send in a queue, and what became of it.
pub(crate) struct Ticket {
    delivered: Key,
    admitted: Key,
    report: Report,
    // Guards the outcome of waiting; inboxes are told outside.
    state: Mutex<State>,
}

enum State {
    Waiting {
        for_admission: Vec<Arc<CompletionQueue>>,
        for_delivery: Vec<Arc<CompletionQueue>>,
    },
    Admitted(Delivery),
    Failed(ProduceError),
    GivenUp,
}

impl Admissions {
    pub(crate) fn new(producer: Producer) -> Self {
        Self {
            producer,
            topics: Mutex::new(HashMap::new()),
            waiting: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            emptied: Notify::new(),
        }
    }

    /// Whether sends to `topic` wait, so that a new one must queue up behind them.
    #[inline]
    pub(crate) fn has_queue(&self, topic: &str) -> bool {
        self.waiting.load(Ordering::Acquire) > 0 && self.topics.lock().contains_key(topic)
    }

    /// Records in all queues.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    /// Bytes in all queues.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Queues a send until the deadline at most.
    pub(crate) fn queue(
        self: &Arc<Self>,
        held: Held,
        deadline: Instant,
        report: Report,
    ) -> PyResult<Arc<Ticket>> {
        let ticket = Arc::new(Ticket {
            delivered: Key::unique(),
            admitted: Key::unique(),
            report,
            state: Mutex::new(State::Waiting {
                for_admission: Vec::new(),
                for_delivery: Vec::new(),
            }),
        });
        let handle = runtime::handle()?;
        let topic: Box<str> = held.topic().into();
        self.waiting.fetch_add(held.count(), Ordering::AcqRel);
        self.bytes.fetch_add(held.size(), Ordering::Relaxed);
        let waiting = Waiting {
            held,
            ticket: Arc::clone(&ticket),
            deadline,
        };
        let mut topics = self.topics.lock();
        let is_new = !topics.contains_key(&topic);
        topics.entry(topic.clone()).or_default().push_back(waiting);
        drop(topics);
        if is_new {
            let admissions = Arc::clone(self);
            handle.spawn(async move { admissions.drain(&topic).await });
        }
        Ok(ticket)
    }

    /// Lets nothing in that waits now: it fails with this error. Returns how many records did.
    pub(crate) fn give_up(&self, failure: &ProduceError) -> usize {
        let waiting: Vec<Waiting> = {
            let mut topics = self.topics.lock();
            // The queues stay: their tasks end them.
            topics.values_mut().flat_map(std::mem::take).collect()
        };
        let count = waiting.iter().map(|waiting| waiting.held.count()).sum();
        for waiting in waiting {
            self.leave(Some(waiting), State::Failed(failure.clone()));
        }
        count
    }

    /// Waits until nothing is queued.
    pub(crate) async fn empty(&self) {
        loop {
            let told = self.emptied.notified();
            if self.waiting() == 0 {
                return;
            }
            told.await;
        }
    }

    /// Lets the sends to one topic in, one after the other, until there are none.
    async fn drain(&self, topic: &str) {
        loop {
            let (wait, deadline, ticket) = match self.admit_first(topic) {
                Step::Empty => return,
                Step::Left => continue,
                Step::Waits(wait, deadline, ticket) => (wait, deadline, ticket),
            };
            if let Err(failure) = self.producer.ready(wait, deadline).await {
                // Meanwhile the queue may have been given up, and another send be its first, whose time is not over.
                let waited = self.topics.lock().get_mut(topic).and_then(|queue| {
                    let first = queue.front()?;
                    let is_same = Arc::ptr_eq(&first.ticket, &ticket);
                    is_same.then(|| queue.pop_front()).flatten()
                });
                self.leave(waited, State::Failed(failure));
            }
        }
    }

    /// Tries the first send of a queue.
    fn admit_first(&self, topic: &str) -> Step {
        let mut topics = self.topics.lock();
        let Some(queue) = topics.get_mut(topic) else {
            return Step::Empty;
        };
        let Some(first) = queue.front() else {
            topics.remove(topic);
            return Step::Empty;
        };
        let outcome = if first.ticket.is_given_up() {
            State::GivenUp
        } else {
            match first.held.send(&self.producer) {
                Ok(delivery) => State::Admitted(delivery),
                Err(SendError::Failed(failure)) => State::Failed(failure),
                Err(SendError::NotReady(wait)) => {
                    return Step::Waits(wait, first.deadline, Arc::clone(&first.ticket));
                }
            }
        };
        let first = queue.pop_front();
        drop(topics);
        self.leave(first, outcome);
        Step::Left
    }

    fn leave(&self, waiting: Option<Waiting>, outcome: State) {
        let Some(waiting) = waiting else {
            return;
        };
        // Before it counts as gone: a commit waits for that. One that was given up is not wanted any more.
        if let State::Failed(failure) = &outcome
            && !waiting.ticket.is_given_up()
        {
            self.producer.record_refused(failure);
        }
        waiting.ticket.settle(outcome);
        self.bytes.fetch_sub(waiting.held.size(), Ordering::Relaxed);
        let count = waiting.held.count();
        if self.waiting.fetch_sub(count, Ordering::AcqRel) == count {
            self.emptied.notify_waiters();
        }
    }
}

impl Ticket {
    fn is_given_up(&self) -> bool {
        matches!(*self.state.lock(), State::GivenUp)
    }

    fn settle(&self, outcome: State) {
        let delivery = match &outcome {
            State::Admitted(delivery) => Some(delivery.clone()),
            State::Waiting { .. } | State::Failed(_) | State::GivenUp => None,
        };
        let before = {
            let mut state = self.state.lock();
            if !matches!(*state, State::Waiting { .. }) {
                return;
            }
            std::mem::replace(&mut *state, outcome)
        };
        let State::Waiting {
            for_admission,
            for_delivery,
        } = before
        else {
            return;
        };
        for completion_queue in for_admission {
            completion_queue.push(self.admitted);
        }
        for completion_queue in for_delivery {
            let key = self.delivered;
            match &delivery {
                Some(delivery) => delivery.batch().on_done(move || completion_queue.push(key)),
                None => completion_queue.push(key),
            }
        }
    }
}

/// Waits for the delivery of a record that is, or was, in a queue.
pub(crate) struct DeliveryWait(pub(crate) Arc<Ticket>);

impl Pending for DeliveryWait {
    fn is_ready(&self, _woken: bool) -> bool {
        match &*self.0.state.lock() {
            State::Waiting { .. } => false,
            State::Admitted(delivery) => delivery.batch().is_done(),
            State::Failed(_) | State::GivenUp => true,
        }
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let outcome = match &*self.0.state.lock() {
            State::Waiting { .. } => return None,
            State::Admitted(delivery) => delivery.result()?,
            State::Failed(failure) => Err(failure.clone()),
            State::GivenUp => Err(ProduceError::Closed),
        };
        Some((self.0.report)(py, outcome))
    }

    fn key(&self) -> Key {
        self.0.delivered
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let mut state = self.0.state.lock();
        let key = self.0.delivered;
        match &mut *state {
            State::Waiting { for_delivery, .. } => for_delivery.push(completion_queue),
            State::Admitted(delivery) => {
                let batch = Arc::clone(delivery.batch());
                drop(state);
                batch.on_done(move || completion_queue.push(key));
            }
            State::Failed(_) | State::GivenUp => {
                drop(state);
                completion_queue.push(key);
            }
        }
    }

    /// A record that has not entered the producer is not sent.
    fn cancel(&self) {
        self.0.settle(State::GivenUp);
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

/// Waits until a record has left its queue; the answer is a future of its delivery.
pub(crate) struct AdmissionWait(pub(crate) Arc<Ticket>);

impl Pending for AdmissionWait {
    fn is_ready(&self, _woken: bool) -> bool {
        !matches!(*self.0.state.lock(), State::Waiting { .. })
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let outcome = match &*self.0.state.lock() {
            State::Waiting { .. } => return None,
            State::Admitted(delivery) => Ok(delivery.clone()),
            State::Failed(failure) => Err(failure.clone()),
            State::GivenUp => Err(ProduceError::Closed),
        };
        Some(match outcome {
            Ok(delivery) => PyFuture::delivery(delivery, self.0.report)
                .into_object(py)
                .map(|future| future.into_any().unbind()),
            Err(failure) => (self.0.report)(py, Err(failure)),
        })
    }

    fn key(&self) -> Key {
        self.0.admitted
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let mut state = self.0.state.lock();
        if let State::Waiting { for_admission, .. } = &mut *state {
            for_admission.push(completion_queue);
        } else {
            drop(state);
            completion_queue.push(self.0.admitted);
        }
    }

    /// A record that has not entered the producer is not sent.
    fn cancel(&self) {
        self.0.settle(State::GivenUp);
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}
