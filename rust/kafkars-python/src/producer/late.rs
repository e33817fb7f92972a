//! Sends whose partition the application's function cannot choose yet, since their topic is not known, and what is sent behind
//! them. That function runs on the application's thread, so they cannot enter the producer from the runtime: they wait here in
//! order, and the event loop lets them in once their topic is known, whether or not somebody awaits them.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kafkars_client::ProduceError;
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::admission::Ticket;
use super::aio::Awaits;
use super::core::{self, ProducerCore};
use super::held::Held;
use crate::aio::{self, CompletionQueue, Key, Pending, PyFuture};
use crate::error;

/// The sends of one producer that wait for their partition.
#[derive(Default)]
pub(crate) struct Latecomers {
    // Guards the sends, of all topics; the application's function runs outside. Whoever takes one out decides on it.
    waiting: Mutex<VecDeque<Waiting>>,
    /// Records, those of batches as well.
    count: AtomicUsize,
    bytes: AtomicUsize,
}

struct Waiting {
    held: Held,
    deadline: Instant,
    seat: Arc<Seat>,
}

/// Where the future of a send finds what became of it.
#[derive(Default)]
struct Seat {
    outcome: Mutex<Option<Result<Arc<Ticket>, PyErr>>>,
    /// Ends with the look-up of the topic's partitions.
    known: OnceLock<Arc<dyn Pending>>,
}

impl Latecomers {
    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many records wait.
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Bytes that wait.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Whether sends to a topic wait, so that a new one must wait behind them.
    pub(crate) fn has(&self, topic: &str) -> bool {
        let waiting = self.waiting.lock();
        waiting.iter().any(|waiting| waiting.held.topic() == topic)
    }

    /// Topics that sends wait for.
    pub(crate) fn topics(&self) -> Vec<String> {
        let waiting = self.waiting.lock();
        let topics = waiting.iter().map(|waiting| waiting.held.topic().into());
        let mut topics: Vec<_> = topics.collect();
        topics.sort_unstable();
        topics.dedup();
        topics
    }

    /// Takes out the first send to a topic that is known by now. It still counts.
    fn take_first(&self, is_known: impl Fn(&str) -> bool) -> Option<Waiting> {
        let mut waiting = self.waiting.lock();
        let at = waiting
            .iter()
            .position(|waiting| is_known(waiting.held.topic()))?;
        waiting.remove(at)
    }

    /// Takes out the send of a seat, where it still waits. It still counts.
    fn take(&self, seat: &Arc<Seat>) -> Option<Waiting> {
        let mut waiting = self.waiting.lock();
        let at = waiting
            .iter()
            .position(|waiting| Arc::ptr_eq(seat, &waiting.seat))?;
        waiting.remove(at)
    }

    fn uncount(&self, count: usize, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
        self.count.fetch_sub(count, Ordering::AcqRel);
    }

    /// Lets nothing in that waits now: it fails with this error. Returns how many records did.
    pub(super) fn give_up(&self, py: Python<'_>, failure: &ProduceError) -> usize {
        let given_up = std::mem::take(&mut *self.waiting.lock());
        let mut count = 0;
        for Waiting { held, seat, .. } in given_up {
            *seat.outcome.lock() = Some(Err(error::produce(py, failure)));
            self.uncount(held.count(), held.size());
            count += held.count();
            // Those who wait for the topic hear of it now.
            if let Some(known) = seat.known.get() {
                known.cancel();
            }
        }
        count
    }

    fn forget(&self, seat: &Arc<Seat>) {
        if let Some(forgotten) = self.take(seat) {
            self.uncount(forgotten.held.count(), forgotten.held.size());
        }
    }
}

/// Lets in, in their order, the sends whose topic is known by now. To be called on the application's thread.
pub(crate) fn let_in(py: Python<'_>, core: &ProducerCore) {
    let is_known = |topic: &str| core.is_known(topic);
    while let Some(Waiting {
        mut held,
        deadline,
        seat,
    }) = core.latecomers.take_first(is_known)
    {
        let (count, bytes) = (held.count(), held.size());
        let chosen = choose(py, core, &mut held);
        if chosen.is_err() {
            // The function's own error is told by the record's future, which nobody may look at.
            core.producer.record_refused(&ProduceError::Impossible {
                topic: held.topic().into(),
                cause: "the partitioner raised an exception".into(),
            });
        }
        let outcome = chosen.and_then(|()| core.admissions.queue(held, deadline, core.report()));
        *seat.outcome.lock() = Some(outcome);
        // After it counts there, or the transaction knows: a commit looks at both.
        core.latecomers.uncount(count, bytes);
    }
}

/// What names its partition waits here too where others wait before it.
fn choose(py: Python<'_>, core: &ProducerCore, held: &mut Held) -> PyResult<()> {
    if let Held::Record(record) = held
        && record.partition.is_none()
    {
        record.partition = core.ask_partition(py, &record.topic, record.key.as_deref())?;
    }
    Ok(())
}

/// Makes a send wait for its partition.
pub(super) fn wait(
    core: &Arc<ProducerCore>,
    py: Python<'_>,
    held: Held,
    patience: Duration,
) -> PyResult<Late> {
    let seat = Arc::<Seat>::default();
    let topic = held.topic().to_owned();
    let report = core.report();
    let latecomers = &core.latecomers;
    latecomers.count.fetch_add(held.count(), Ordering::AcqRel);
    latecomers.bytes.fetch_add(held.size(), Ordering::Relaxed);
    latecomers.waiting.lock().push_back(Waiting {
        held,
        deadline: Instant::now() + patience,
        seat: Arc::clone(&seat),
    });
    let known = partitions(Arc::clone(core), topic, patience, Arc::clone(&seat));
    let known = aio::pending(known, move |py, answer| match answer {
        Ok(()) => Ok(py.None()),
        Err(failure) => report(py, Err(failure)),
    })
    .inspect_err(|_| core.latecomers.forget(&seat))?;
    seat.known.get_or_init(|| Arc::clone(&known));
    let wait = Arc::new(Wait {
        core: Arc::clone(core),
        seat,
        known,
    });
    PyFuture::pending(Arc::new(LetIn(Arc::clone(&wait)))).attend(py);
    Ok(Late(wait))
}

/// The partitions of the topic of a send that waits for them. Where there are none it is not sent, and its transaction is to be
/// aborted.
async fn partitions(
    core: Arc<ProducerCore>,
    topic: String,
    patience: Duration,
    seat: Arc<Seat>,
) -> Result<(), ProduceError> {
    let known = core::partitions_for(Arc::clone(&core), topic, patience).await;
    if let Err(failure) = &known
        // What was given up meanwhile belongs to no transaction any more.
        && let Some(refused) = core.latecomers.take(&seat)
    {
        // Before it counts as gone: a commit waits for that.
        core.producer.record_refused(failure);
        core.latecomers
            .uncount(refused.held.count(), refused.held.size());
    }
    known.map(drop)
}

/// A send that waits for its partition.
#[derive(Clone)]
pub(crate) struct Late(Arc<Wait>);

pub(crate) struct Wait {
    core: Arc<ProducerCore>,
    seat: Arc<Seat>,
    known: Arc<dyn Pending>,
}

impl Wait {
    /// What became of the send, once it has left.
    fn outcome(&self, py: Python<'_>) -> Option<Result<Arc<Ticket>, PyErr>> {
        match &*self.seat.outcome.lock() {
            None => None,
            Some(Ok(ticket)) => Some(Ok(Arc::clone(ticket))),
            Some(Err(error)) => Some(Err(error.clone_ref(py))),
        }
    }

    /// The same, after letting in what can be.
    fn decide(&self, py: Python<'_>) -> Option<Result<Arc<Ticket>, PyErr>> {
        let_in(py, &self.core);
        if let Some(outcome) = self.outcome(py) {
            return Some(outcome);
        }
        let known = self.known.take(py)?;
        let_in(py, &self.core);
        if let Some(outcome) = self.outcome(py) {
            return Some(outcome);
        }
        self.core.latecomers.forget(&self.seat);
        let failure = known.err().unwrap_or_else(error::abandoned);
        // For whoever else asks: the answer is given once.
        *self.seat.outcome.lock() = Some(Err(failure.clone_ref(py)));
        Some(Err(failure))
    }
}

/// Lets a send in as soon as its topic is known, for nobody in particular.
struct LetIn(Arc<Wait>);

impl Pending for LetIn {
    fn is_ready(&self, _woken: bool) -> bool {
        self.0.seat.outcome.lock().is_some()
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        self.0.decide(py).map(|_| Ok(py.None()))
    }

    fn key(&self) -> Key {
        self.0.known.key()
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        self.0.known.arm(completion_queue);
    }
}

impl Late {
    /// What waits for it.
    pub(super) fn awaiting(&self, awaits: Awaits) -> Arc<dyn Pending> {
        Arc::new(LateSend {
            wait: Arc::clone(&self.0),
            awaits,
        })
    }
}

/// Waits for a partition, and then as other sends do.
struct LateSend {
    wait: Arc<Wait>,
    awaits: Awaits,
}

impl std::ops::Deref for LateSend {
    type Target = Wait;

    fn deref(&self) -> &Wait {
        &self.wait
    }
}

impl LateSend {
    /// What there is to wait for now.
    fn now(&self) -> Arc<dyn Pending> {
        match &*self.seat.outcome.lock() {
            Some(Ok(ticket)) => self.awaits.queued(Arc::clone(ticket)),
            Some(Err(_)) | None => Arc::clone(&self.known),
        }
    }
}

impl Pending for LateSend {
    fn is_ready(&self, woken: bool) -> bool {
        let ticket = match &*self.seat.outcome.lock() {
            None => return false,
            Some(Err(_)) => return true,
            Some(Ok(ticket)) => Arc::clone(ticket),
        };
        self.awaits.queued(ticket).is_ready(woken)
    }

    fn take(&self, py: Python<'_>) -> Option<PyResult<Py<PyAny>>> {
        match self.decide(py)? {
            Ok(ticket) => self.awaits.queued(ticket).take(py),
            Err(error) => Some(Err(error)),
        }
    }

    fn key(&self) -> Key {
        self.now().key()
    }

    fn arm(&self, completion_queue: Arc<CompletionQueue>) {
        self.now().arm(completion_queue);
    }

    /// What has not entered the producer is not sent.
    fn cancel(&self) {
        self.core.latecomers.forget(&self.seat);
        self.now().cancel();
    }

    fn failure(&self, py: Python<'_>) -> Option<PyErr> {
        match self.outcome(py)? {
            Ok(ticket) => self.awaits.queued(ticket).failure(py),
            Err(error) => Some(error),
        }
    }
}
