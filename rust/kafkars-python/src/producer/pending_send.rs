//! An asynchronous send that waits for its topic, its partition or room, and the futures that tell what became of it.
//! It waits in the engine (`kafkars_client::PendingSend`); what is here is what it hands over, and who is told.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use kafkars_client::{
    Delivery, PendingId, PendingSend, ProduceError, Producer, SendError, SendPermit,
};
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::aio::Awaits;
use super::batch_builder::Filled;
use super::send_arguments::OwnedRecord;
use crate::aio::{CompletionQueue, Key, Pending, PyFuture, Taker};
use crate::metadata::Report;

/// What is handed over.
pub(crate) enum Held {
    Record(OwnedRecord),
    Batch {
        topic: Box<str>,
        partition: i32,
        batch: Filled,
    },
}

impl Held {
    pub(super) fn topic(&self) -> &str {
        match self {
            Self::Record(record) => &record.topic,
            Self::Batch { topic, .. } => topic,
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Record(_) => 1,
            Self::Batch { batch, .. } => batch.look(|batch| batch.builder.count()) as usize,
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Record(record) => record.size(),
            Self::Batch { topic, batch, .. } => {
                topic.len() + batch.look(|batch| batch.builder.len())
            }
        }
    }

    /// Hands it to the producer; with a permit where it has waited.
    pub(super) fn send(
        &self,
        producer: &Producer,
        permit: Option<SendPermit>,
    ) -> Result<Delivery, SendError> {
        match self {
            Self::Record(record) => record.with(|record| match permit {
                None => producer.try_send(record),
                Some(permit) => producer.try_send_permitted(record, permit),
            }),
            Self::Batch {
                topic,
                partition,
                batch,
            } => batch.look(|batch| producer.try_send_batch(topic, *partition, batch, permit)),
        }
    }
}

/// One send that waits, or has waited.
pub(crate) struct WaitingSend {
    topic: Box<str>,
    count: usize,
    size: usize,
    // Guards what is handed over; gone once it waits no longer.
    held: Mutex<Option<Held>>,
    producer: Producer,
    id: OnceLock<PendingId>,
    delivered: Key,
    admitted: Key,
    topic_known: Key,
    report: Report,
    // Guards the outcome of waiting; completion queues are told outside.
    state: Mutex<State>,
    /// Somebody has got the outcome.
    is_heard: AtomicBool,
}

enum State {
    Waiting(Waiters),
    Admitted(Delivery),
    Failed(ProduceError),
    /// The partition function raised this.
    Raised(PyErr),
    Withdrawn,
}

/// Where something is told, and by which key.
type Told = (Arc<CompletionQueue>, Key);

/// Who is told of what.
#[derive(Default)]
struct Waiters {
    for_admission: Vec<Told>,
    for_delivery: Vec<Told>,
    for_topic: Vec<Told>,
    is_placed: bool,
    is_topic_known: bool,
    /// What chooses the partition, as long as no loop attends to it.
    unattended: Option<Arc<dyn Pending>>,
}

impl WaitingSend {
    pub(super) fn new(held: Held, is_placed: bool, producer: &Producer, report: Report) -> Self {
        Self {
            topic: held.topic().into(),
            count: held.count(),
            size: held.size(),
            held: Mutex::new(Some(held)),
            producer: producer.clone(),
            id: OnceLock::new(),
            delivered: Key::unique(),
            admitted: Key::unique(),
            topic_known: Key::unique(),
            report,
            state: Mutex::new(State::Waiting(Waiters {
                is_placed,
                ..Waiters::default()
            })),
            is_heard: AtomicBool::new(false),
        }
    }

    fn heard(&self) {
        self.is_heard.store(true, Ordering::Relaxed);
    }

    /// Where it waits; said once, when it begins to.
    pub(super) fn waits_at(&self, id: PendingId) {
        self.id.get_or_init(|| id);
    }

    /// No loop runs that could let the application choose a partition: the first one that waits will.
    pub(super) fn waits_for_a_loop(&self, choice: Arc<dyn Pending>) {
        if let State::Waiting(waiters) = &mut *self.state.lock() {
            waiters.unattended = Some(choice);
        }
    }

    /// A loop waits for it.
    pub(super) fn join(&self, py: Python<'_>) {
        let choice = match &mut *self.state.lock() {
            State::Waiting(waiters) => waiters.unattended.take(),
            _ => None,
        };
        if let Some(choice) = choice
            && !PyFuture::pending(Arc::clone(&choice)).attend(py)
        {
            self.waits_for_a_loop(choice);
        }
    }

    /// It waits because there was no room for it.
    pub(super) fn found_no_room(&self) {
        if let Some(id) = self.id.get() {
            self.producer.found_no_room(id);
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(*self.state.lock(), State::Waiting(_))
    }

    /// Whether it is known what became of it.
    pub(super) fn is_delivered(&self) -> bool {
        match &*self.state.lock() {
            State::Waiting(_) => false,
            State::Admitted(delivery) => delivery.batch().is_done(),
            State::Failed(_) | State::Raised(_) | State::Withdrawn => true,
        }
    }

    /// Lets `choose` name the partition of a record that still waits for that. What it raises is the outcome. False if
    /// it named none.
    pub(super) fn place(&self, choose: impl FnOnce(&OwnedRecord) -> PyResult<Option<i32>>) -> bool {
        let Some(Held::Record(mut record)) = self.held.lock().take() else {
            return true;
        };
        // The application's function runs without a lock held; nobody sends what is not placed meanwhile.
        let chosen = match record.partition {
            None => choose(&record),
            partition => Ok(partition),
        };
        match chosen {
            Ok(partition) => {
                record.partition = partition;
                // It may have been given up meanwhile.
                if let State::Waiting(waiters) = &mut *self.state.lock() {
                    waiters.is_placed = partition.is_some();
                    *self.held.lock() = Some(Held::Record(record));
                }
                if let Some(id) = self.id.get() {
                    self.producer.placed(id);
                }
                partition.is_some()
            }
            Err(raised) => {
                // Before it counts as gone: a commit waits for that. The error itself is told by the record's future,
                // which nobody may look at.
                self.settle(State::Raised(raised));
                let refusal = self.not_placed();
                if let Some(id) = self.id.get() {
                    self.producer.refuse_pending(id, &refusal);
                }
                true
            }
        }
    }

    /// Nobody wants it any more: what has not entered the producer is not sent.
    fn withdraw(&self) {
        if let Some(id) = self.id.get()
            && self.producer.withdraw(id)
        {
            self.settle(State::Withdrawn);
        }
    }

    fn settle(&self, outcome: State) {
        let delivery = match &outcome {
            State::Admitted(delivery) => Some(delivery.clone()),
            _ => None,
        };
        let waiters = {
            let mut state = self.state.lock();
            let State::Waiting(waiters) = &mut *state else {
                return;
            };
            let waiters = std::mem::take(waiters);
            *state = outcome;
            drop(self.held.lock().take());
            waiters
        };
        for (completion_queue, key) in waiters.for_topic.into_iter().chain(waiters.for_admission) {
            completion_queue.push(key);
        }
        for (completion_queue, key) in waiters.for_delivery {
            match &delivery {
                Some(delivery) => delivery.batch().on_done(move || completion_queue.push(key)),
                None => completion_queue.push(key),
            }
        }
    }

    /// Tells `completion_queue` the key once there is an outcome to `awaits`; at once where there is one.
    pub(super) fn tell(&self, awaits: Awaits, completion_queue: Arc<CompletionQueue>, key: Key) {
        let mut state = self.state.lock();
        match (&mut *state, awaits) {
            (State::Waiting(waiters), Awaits::Admission) => {
                waiters.for_admission.push((completion_queue, key));
            }
            (State::Waiting(waiters), Awaits::Delivery) => {
                waiters.for_delivery.push((completion_queue, key));
            }
            (State::Admitted(delivery), Awaits::Delivery) => {
                let batch = Arc::clone(delivery.batch());
                drop(state);
                batch.on_done(move || completion_queue.push(key));
            }
            _ => {
                drop(state);
                completion_queue.push(key);
            }
        }
    }

    fn failed(&self, py: Python<'_>, failure: ProduceError) -> PyResult<Py<PyAny>> {
        (self.report)(py, Err(failure))
    }

    fn not_placed(&self) -> ProduceError {
        ProduceError::Impossible {
            topic: (*self.topic).into(),
            cause: "the partitioner raised an exception".into(),
        }
    }

    fn withdrawn(&self) -> ProduceError {
        ProduceError::Impossible {
            topic: (*self.topic).into(),
            cause: "the call that sent it was cancelled before it could enter a batch".into(),
        }
    }
}

impl PendingSend for WaitingSend {
    fn topic(&self) -> &str {
        &self.topic
    }

    fn count(&self) -> usize {
        self.count
    }

    fn size(&self) -> usize {
        self.size
    }

    fn is_placed(&self) -> bool {
        match &*self.state.lock() {
            State::Waiting(waiters) => waiters.is_placed,
            _ => true,
        }
    }

    fn topic_known(&self) {
        let told = match &mut *self.state.lock() {
            State::Waiting(waiters) => {
                waiters.is_topic_known = true;
                std::mem::take(&mut waiters.for_topic)
            }
            _ => Vec::new(),
        };
        for (completion_queue, key) in told {
            completion_queue.push(key);
        }
    }

    fn try_send(&self, producer: &Producer, permit: SendPermit) -> Result<Delivery, SendError> {
        match &*self.held.lock() {
            Some(held) => held.send(producer, Some(permit)),
            None => Err(SendError::Failed(self.withdrawn())),
        }
    }

    fn settled(&self, outcome: Result<Delivery, ProduceError>) {
        self.settle(match outcome {
            Ok(delivery) => State::Admitted(delivery),
            Err(failure) => State::Failed(failure),
        });
    }
}

impl Drop for WaitingSend {
    /// What failed before it entered, and nobody has awaited, is in the log, as of records in batches.
    fn drop(&mut self) {
        if *self.is_heard.get_mut() {
            return;
        }
        let failure = match self.state.get_mut() {
            State::Failed(failure) => failure.clone(),
            State::Raised(_) => self.not_placed(),
            State::Waiting(_) | State::Admitted(_) | State::Withdrawn => return,
        };
        self.producer
            .tell_unheard(&self.topic, self.count, &failure);
    }
}

/// Waits for the delivery of a record that waits, or has waited.
pub(crate) struct DeliveryWait(pub(crate) Arc<WaitingSend>);

impl Pending for DeliveryWait {
    fn is_ready(&self, _woken: bool) -> bool {
        self.0.is_delivered()
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let outcome = match &*self.0.state.lock() {
            State::Waiting(_) => return None,
            State::Raised(error) => {
                self.0.heard();
                return Some(Err(error.clone_ref(py)));
            }
            State::Admitted(delivery) => delivery.result()?,
            State::Failed(failure) => Err(failure.clone()),
            State::Withdrawn => Err(self.0.withdrawn()),
        };
        self.0.heard();
        Some((self.0.report)(py, outcome))
    }

    fn join(&self, py: Python<'_>) {
        self.0.join(py);
    }

    fn key(&self) -> Key {
        self.0.delivered
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        (self.0).tell(Awaits::Delivery, completion_queue, self.0.delivered);
    }

    fn cancel(&self) {
        self.0.withdraw();
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

/// Waits until a record has entered the producer; the answer is a future of its delivery.
pub(crate) struct AdmissionWait(pub(crate) Arc<WaitingSend>);

impl Pending for AdmissionWait {
    fn is_ready(&self, _woken: bool) -> bool {
        !self.0.is_waiting()
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let outcome = match &*self.0.state.lock() {
            State::Waiting(_) => return None,
            State::Raised(error) => {
                self.0.heard();
                return Some(Err(error.clone_ref(py)));
            }
            State::Admitted(delivery) => Ok(delivery.clone()),
            State::Failed(failure) => Err(failure.clone()),
            State::Withdrawn => Err(self.0.withdrawn()),
        };
        self.0.heard();
        Some(match outcome {
            Ok(delivery) => PyFuture::delivery(delivery, self.0.report)
                .into_object(py)
                .map(|future| future.into_any().unbind()),
            Err(failure) => self.0.failed(py, failure),
        })
    }

    fn join(&self, py: Python<'_>) {
        self.0.join(py);
    }

    fn key(&self) -> Key {
        self.0.admitted
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        (self.0).tell(Awaits::Admission, completion_queue, self.0.admitted);
    }

    fn cancel(&self) {
        self.0.withdraw();
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

/// Waits until the topic is known of a record whose partition the application has to choose; `place` lets it.
pub(super) struct TopicWait<F> {
    pub(super) send: Arc<WaitingSend>,
    pub(super) place: F,
}

impl<F: Fn(Python<'_>) + Send + Sync> Pending for TopicWait<F> {
    // It is taken in its turn, also where the send has come to its end meanwhile, which `place` then forgets.
    fn is_ready(&self, _woken: bool) -> bool {
        false
    }

    /// Nobody awaits it: the record's own future tells what became of it.
    fn taker(&self) -> Taker {
        Taker::Loop
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        (self.place)(py);
        if self.send.is_placed() {
            return Some(Ok(py.None()));
        }
        // The topic has gone again: the queue waits until it is known once more.
        if let State::Waiting(waiters) = &mut *self.send.state.lock() {
            waiters.is_topic_known = false;
        }
        if let Some(id) = self.send.id.get() {
            self.send.producer.placed(id);
        }
        None
    }

    fn key(&self) -> Key {
        self.send.topic_known
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let mut state = self.send.state.lock();
        match &mut *state {
            State::Waiting(waiters) if !waiters.is_topic_known => {
                let told = (completion_queue, self.send.topic_known);
                waiters.for_topic.push(told);
            }
            _ => {
                drop(state);
                completion_queue.push(self.send.topic_known);
            }
        }
    }
}
