//! Records of asynchronous sends that wait for their partition: a function of the application chooses it, and the
//! function can be asked only when the topic is known, and only on the application's thread. They wait here in order.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use kafkars_client::ProduceError;
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::admission::Ticket;
use super::aio::Awaits;
use super::core::{self, ProducerCore};
use super::outgoing::OwnedRecord;
use crate::aio::{self, Inbox, Key, Pending};
use crate::error;

/// The records of one producer that wait for their partition.
#[derive(Default)]
pub(crate) struct Latecomers {
    // Guards the records, of all topics; the application's function runs outside.
    waiting: Mutex<VecDeque<(OwnedRecord, Arc<Seat>)>>,
    count: AtomicUsize,
}

/// Where the future of a record finds what became of it.
#[derive(Default)]
struct Seat {
    outcome: Mutex<Option<Result<Arc<Ticket>, PyErr>>>,
    given_up: AtomicBool,
}

impl Latecomers {
    /// Whether none waits.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Acquire) == 0
    }

    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// Whether records of a topic wait, so that a new one must wait behind them.
    pub(crate) fn has(&self, topic: &str) -> bool {
        let waiting = self.waiting.lock();
        waiting.iter().any(|(record, _)| &*record.topic == topic)
    }

    /// Topics that records wait for.
    pub(crate) fn topics(&self) -> Vec<String> {
        let waiting = self.waiting.lock();
        let mut topics: Vec<_> = waiting
            .iter()
            .map(|(record, _)| record.topic.to_string())
            .collect();
        topics.sort_unstable();
        topics.dedup();
        topics
    }

    /// Takes out the first record of a topic that is known by now.
    fn take_first(&self, is_known: impl Fn(&str) -> bool) -> Option<(OwnedRecord, Arc<Seat>)> {
        let mut waiting = self.waiting.lock();
        let at = waiting
            .iter()
            .position(|(record, _)| is_known(&record.topic))?;
        let taken = waiting.remove(at)?;
        self.count.fetch_sub(1, Ordering::AcqRel);
        Some(taken)
    }

    /// Lets nothing in that waits now: it fails with this error. Returns how many did.
    pub(super) fn give_up(&self, py: Python<'_>, failure: &ProduceError) -> usize {
        let waiting = std::mem::take(&mut *self.waiting.lock());
        let count = waiting.len();
        self.count.fetch_sub(count, Ordering::AcqRel);
        for (_, seat) in waiting {
            *seat.outcome.lock() = Some(Err(error::produce(py, failure)));
        }
        count
    }

    fn forget(&self, seat: &Arc<Seat>) {
        let mut waiting = self.waiting.lock();
        if let Some(at) = waiting
            .iter()
            .position(|(_, other)| Arc::ptr_eq(seat, other))
        {
            let forgotten = waiting.remove(at);
            self.count.fetch_sub(1, Ordering::AcqRel);
            drop(waiting);
            drop(forgotten);
        }
    }
}

/// Lets in, in their order, the records whose topic is known by now. To be called on the application's thread.
pub(crate) fn let_in(py: Python<'_>, core: &ProducerCore) {
    let is_known = |topic: &str| core.is_known(topic);
    while let Some((mut record, seat)) = core.latecomers.take_first(is_known) {
        if seat.given_up.load(Ordering::Acquire) {
            continue;
        }
        // One that names its partition waits here too where others wait before it.
        let chosen = match record.partition {
            Some(partition) => Ok(Some(partition)),
            None => core.ask_partition(py, &record.topic, record.key.as_deref()),
        };
        if chosen.is_err() {
            // The function's own error is told by the record's future, which nobody may look at.
            core.producer.record_refused(&ProduceError::Impossible {
                topic: (&*record.topic).into(),
                cause: "the partitioner raised an exception".into(),
            });
        }
        let outcome = chosen.and_then(|partition| {
            record.partition = partition;
            core.admissions
                .queue(record, core.producer.max_block(), core.report())
        });
        *seat.outcome.lock() = Some(outcome);
    }
}

/// Makes a record wait for its partition.
pub(super) fn wait(
    core: &Arc<ProducerCore>,
    record: OwnedRecord,
    patience: Duration,
) -> PyResult<Late> {
    let seat = Arc::<Seat>::default();
    let topic = record.topic.to_string();
    let report = core.report();
    let known = partitions(Arc::clone(core), topic, patience, Arc::clone(&seat));
    core.latecomers
        .waiting
        .lock()
        .push_back((record, Arc::clone(&seat)));
    core.latecomers.count.fetch_add(1, Ordering::AcqRel);
    let known = aio::pending(known, move |py, answer| match answer {
        Ok(()) => Ok(py.None()),
        Err(failure) => report(py, Err(failure)),
    })
    .inspect_err(|_| core.latecomers.forget(&seat))?;
    Ok(Late(Arc::new(Wait {
        core: Arc::clone(core),
        seat,
        known,
    })))
}

/// The partitions of the topic of a record that waits for them. Where there are none the record is not sent, and its transaction
/// is to be aborted.
async fn partitions(
    core: Arc<ProducerCore>,
    topic: String,
    patience: Duration,
    seat: Arc<Seat>,
) -> Result<(), ProduceError> {
    let known = core::partitions_for(Arc::clone(&core), topic, patience).await;
    if let Err(failure) = &known
        && !seat.given_up.load(Ordering::Acquire)
    {
        core.producer.record_refused(failure);
        core.latecomers.forget(&seat);
    }
    known.map(drop)
}

/// A record that waits for its partition.
#[derive(Clone)]
pub(crate) struct Late(Arc<Wait>);

pub(crate) struct Wait {
    core: Arc<ProducerCore>,
    seat: Arc<Seat>,
    known: Arc<dyn Pending>,
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

/// Waits for a record's partition, and then as other sends do.
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

    /// What became of the record, once it has left.
    fn outcome(&self, py: Python<'_>) -> Option<Result<Arc<Ticket>, PyErr>> {
        match &*self.seat.outcome.lock() {
            None => None,
            Some(Ok(ticket)) => Some(Ok(Arc::clone(ticket))),
            Some(Err(error)) => Some(Err(error.clone_ref(py))),
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
        let_in(py, &self.core);
        let outcome = match self.outcome(py) {
            Some(outcome) => outcome,
            None => match self.known.take(py)? {
                Err(error) => {
                    self.core.latecomers.forget(&self.seat);
                    // For whoever else asks: the answer is given once.
                    *self.seat.outcome.lock() = Some(Err(error.clone_ref(py)));
                    Err(error)
                }
                Ok(_) => {
                    let_in(py, &self.core);
                    self.outcome(py).unwrap_or_else(|| Err(error::abandoned()))
                }
            },
        };
        match outcome {
            Ok(ticket) => self.awaits.queued(ticket).take(py),
            Err(error) => Some(Err(error)),
        }
    }

    fn key(&self) -> Key {
        self.now().key()
    }

    fn arm(&self, inbox: Arc<Inbox>) {
        self.now().arm(inbox);
    }

    /// A record that has not entered the producer is not sent.
    fn cancel(&self) {
        self.seat.given_up.store(true, Ordering::Release);
        self.core.latecomers.forget(&self.seat);
        self.now().cancel();
    }
}
