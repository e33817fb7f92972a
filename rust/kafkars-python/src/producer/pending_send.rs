//! An asynchronous send that waits for its topic, its partition or room, and the futures of its outcome. It waits in
//! the engine (`kafkars_client::PendingSend`); this file has its outcome, and the completion queues to tell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use kafkars_client::{
    Delivery, PendingId, PendingSend, ProduceError, Producer, SendError, SendPermit,
};
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::awaits::Awaits;
use super::send_arguments::OwnedRecord;
use super::send_content::SendContent;
use crate::aio::{CompletionKey, CompletionQueue, PendingAnswer, PyFuture, Taker};
use crate::metadata::ReportFunction;

/// One send that waits, or has waited.
pub(crate) struct WaitingSend {
    topic: Box<str>,
    count: usize,
    size: usize,
    // Guards the record or batch; gone once it waits no longer.
    held: Mutex<Option<SendContent>>,
    producer: Producer,
    id: OnceLock<PendingId>,
    delivered: CompletionKey,
    admitted: CompletionKey,
    topic_known: CompletionKey,
    report: ReportFunction,
    // Guards the outcome of waiting; completion queues are told outside of the lock.
    state: Mutex<WaitState>,
    /// Whether a caller has got the outcome.
    is_heard: AtomicBool,
}

enum WaitState {
    Waiting(SendWaiters),
    Admitted(Delivery),
    Failed(ProduceError),
    /// The partition function raised this.
    Raised(PyErr),
    Withdrawn,
}

/// A completion queue to tell, and the key to tell it.
type CompletionTarget = (Arc<CompletionQueue>, CompletionKey);

/// The completion queues to tell of a waiting send: of its admission, its delivery, its topic.
#[derive(Default)]
struct SendWaiters {
    for_admission: Vec<CompletionTarget>,
    for_delivery: Vec<CompletionTarget>,
    for_topic: Vec<CompletionTarget>,
    is_placed: bool,
    is_topic_known: bool,
    /// The choice of the partition, as long as no loop drives it.
    unattended: Option<Arc<dyn PendingAnswer>>,
}

impl WaitingSend {
    pub(super) fn new(
        held: SendContent,
        is_placed: bool,
        producer: &Producer,
        report: ReportFunction,
    ) -> Self {
        Self {
            topic: held.topic().into(),
            count: held.count(),
            size: held.size(),
            held: Mutex::new(Some(held)),
            producer: producer.clone(),
            id: OnceLock::new(),
            delivered: CompletionKey::unique(),
            admitted: CompletionKey::unique(),
            topic_known: CompletionKey::unique(),
            report,
            state: Mutex::new(WaitState::Waiting(SendWaiters {
                is_placed,
                ..SendWaiters::default()
            })),
            is_heard: AtomicBool::new(false),
        }
    }

    /// The result that the caller awaits.
    pub(super) fn pending(self: Arc<Self>, awaits: Awaits) -> Arc<dyn PendingAnswer> {
        Arc::new(OutcomeWait { send: self, awaits })
    }

    fn heard(&self) {
        self.is_heard.store(true, Ordering::Relaxed);
    }

    /// Notes the id under which it waits in the engine; called once.
    pub(super) fn waits_at(&self, id: PendingId) {
        self.id.get_or_init(|| id);
    }

    /// Notes that no loop runs that could let the application choose a partition: the first one that waits will.
    pub(super) fn waits_for_a_loop(&self, choice: Arc<dyn PendingAnswer>) {
        if let WaitState::Waiting(waiters) = &mut *self.state.lock() {
            waiters.unattended = Some(choice);
        }
    }

    /// Notes that a loop waits, which then drives the choice of the partition.
    pub(super) fn join(&self, py: Python<'_>) {
        let choice = match &mut *self.state.lock() {
            WaitState::Waiting(waiters) => waiters.unattended.take(),
            _ => None,
        };
        if let Some(choice) = choice
            && !PyFuture::pending(Arc::clone(&choice)).attend(py)
        {
            self.waits_for_a_loop(choice);
        }
    }

    /// Tells the engine that it waits because there was no room for it.
    pub(super) fn found_no_room(&self) {
        if let Some(id) = self.id.get() {
            self.producer.found_no_room(id);
        }
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(*self.state.lock(), WaitState::Waiting(_))
    }

    /// True if the outcome is known.
    pub(super) fn is_delivered(&self) -> bool {
        match &*self.state.lock() {
            WaitState::Waiting(_) => false,
            WaitState::Admitted(delivery) => delivery.batch().is_done(),
            WaitState::Failed(_) | WaitState::Raised(_) | WaitState::Withdrawn => true,
        }
    }

    /// Lets `choose` choose the partition of a record that still waits for that. An exception of it is the outcome.
    /// False if it chose none.
    pub(super) fn place(&self, choose: impl FnOnce(&OwnedRecord) -> PyResult<Option<i32>>) -> bool {
        let Some(SendContent::Record(mut record)) = self.held.lock().take() else {
            return true;
        };
        // The application's function runs without a lock held; a record without a partition is not sent meanwhile.
        let chosen = match record.partition {
            None => choose(&record),
            partition => Ok(partition),
        };
        match chosen {
            Ok(partition) => {
                record.partition = partition;
                // The send may have been given up meanwhile.
                if let WaitState::Waiting(waiters) = &mut *self.state.lock() {
                    waiters.is_placed = partition.is_some();
                    *self.held.lock() = Some(SendContent::Record(record));
                }
                if let Some(id) = self.id.get() {
                    self.producer.placed(id);
                }
                partition.is_some()
            }
            Err(raised) => {
                // Before the engine counts it as refused, which a commit waits for. The record's future has the error
                // itself, but may never be looked at.
                self.settle(WaitState::Raised(raised));
                let refusal = self.not_placed();
                if let Some(id) = self.id.get() {
                    self.producer.refuse_pending(id, &refusal);
                }
                true
            }
        }
    }

    /// Gives up the send: what has not entered the producer is not sent.
    fn withdraw(&self) {
        if let Some(id) = self.id.get()
            && self.producer.withdraw(id)
        {
            self.settle(WaitState::Withdrawn);
        }
    }

    fn settle(&self, outcome: WaitState) {
        let delivery = match &outcome {
            WaitState::Admitted(delivery) => Some(delivery.clone()),
            _ => None,
        };
        let waiters = {
            let mut state = self.state.lock();
            let WaitState::Waiting(waiters) = &mut *state else {
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

    /// Tells `completion_queue` the key once there is an outcome for `awaits`; at once if there is one.
    pub(super) fn tell(
        &self,
        awaits: Awaits,
        completion_queue: Arc<CompletionQueue>,
        key: CompletionKey,
    ) {
        let mut state = self.state.lock();
        match (&mut *state, awaits) {
            (WaitState::Waiting(waiters), Awaits::Admission) => {
                waiters.for_admission.push((completion_queue, key));
            }
            (WaitState::Waiting(waiters), Awaits::Delivery) => {
                waiters.for_delivery.push((completion_queue, key));
            }
            (WaitState::Admitted(delivery), Awaits::Delivery) => {
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
            WaitState::Waiting(waiters) => waiters.is_placed,
            _ => true,
        }
    }

    fn topic_known(&self) {
        let told = match &mut *self.state.lock() {
            WaitState::Waiting(waiters) => {
                waiters.is_topic_known = true;
                std::mem::take(&mut waiters.for_topic)
            }
            _ => Vec::new(),
        };
        for (completion_queue, key) in told {
            completion_queue.push(key);
        }
    }

    fn try_send(&self, permit: SendPermit) -> Result<Delivery, SendError> {
        match &*self.held.lock() {
            Some(held) => held.send(&self.producer, Some(permit)),
            None => Err(SendError::Failed(self.withdrawn())),
        }
    }

    fn settled(&self, outcome: Result<Delivery, ProduceError>) {
        self.settle(match outcome {
            Ok(delivery) => WaitState::Admitted(delivery),
            Err(failure) => WaitState::Failed(failure),
        });
    }
}

impl Drop for WaitingSend {
    /// Logs a failure before it entered the producer that was never awaited, as for records in batches.
    fn drop(&mut self) {
        if *self.is_heard.get_mut() {
            return;
        }
        let failure = match self.state.get_mut() {
            WaitState::Failed(failure) => failure.clone(),
            WaitState::Raised(_) => self.not_placed(),
            WaitState::Waiting(_) | WaitState::Admitted(_) | WaitState::Withdrawn => return,
        };
        self.producer
            .tell_unheard(&self.topic, self.count, &failure);
    }
}

/// Waits for the delivery of a record that waits, or has waited; or until it has entered the producer, and then the
/// result is a future of its delivery.
struct OutcomeWait {
    send: Arc<WaitingSend>,
    awaits: Awaits,
}

impl PendingAnswer for OutcomeWait {
    fn is_ready(&self, _woken: bool) -> bool {
        match self.awaits {
            Awaits::Delivery => self.send.is_delivered(),
            Awaits::Admission => !self.send.is_waiting(),
        }
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        let send = &self.send;
        let admitted = match &*send.state.lock() {
            WaitState::Waiting(_) => return None,
            WaitState::Raised(error) => {
                send.heard();
                return Some(Err(error.clone_ref(py)));
            }
            WaitState::Admitted(delivery) => Ok(delivery.clone()),
            WaitState::Failed(failure) => Err(failure.clone()),
            WaitState::Withdrawn => Err(send.withdrawn()),
        };
        let answer = match (admitted, self.awaits) {
            (Ok(delivery), Awaits::Delivery) => (send.report)(py, delivery.result()?),
            (Ok(delivery), Awaits::Admission) => PyFuture::delivery(delivery, send.report)
                .into_object(py)
                .map(|future| future.into_any().unbind()),
            (Err(failure), _) => (send.report)(py, Err(failure)),
        };
        send.heard();
        Some(answer)
    }

    fn join(&self, py: Python<'_>) {
        self.send.join(py);
    }

    fn key(&self) -> CompletionKey {
        match self.awaits {
            Awaits::Delivery => self.send.delivered,
            Awaits::Admission => self.send.admitted,
        }
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        (self.send).tell(self.awaits, completion_queue, self.key());
    }

    fn cancel(&self) {
        self.send.withdraw();
    }

    fn ends_with_loop(&self) -> bool {
        false
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        self.take(py)?.err()
    }
}

/// Waits until the topic of a record is known whose partition the application has to choose; `place` lets it choose.
pub(super) struct TopicWait<F> {
    pub(super) send: Arc<WaitingSend>,
    pub(super) place: F,
}

impl<F: Fn(Python<'_>) + Send + Sync> PendingAnswer for TopicWait<F> {
    // It is taken when it is woken, even if the send has ended meanwhile, which `place` then drops.
    fn is_ready(&self, _woken: bool) -> bool {
        false
    }

    /// The loop takes it, because nothing awaits it: the record's own future has the outcome.
    fn taker(&self) -> Taker {
        Taker::Loop
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        (self.place)(py);
        if self.send.is_placed() {
            return Some(Ok(py.None()));
        }
        // The topic is not known any more: the records wait until it is again.
        if let WaitState::Waiting(waiters) = &mut *self.send.state.lock() {
            waiters.is_topic_known = false;
        }
        if let Some(id) = self.send.id.get() {
            self.send.producer.placed(id);
        }
        None
    }

    fn key(&self) -> CompletionKey {
        self.send.topic_known
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        let mut state = self.send.state.lock();
        match &mut *state {
            WaitState::Waiting(waiters) if !waiters.is_topic_known => {
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
