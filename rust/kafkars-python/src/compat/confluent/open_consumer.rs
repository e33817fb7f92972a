//! What a consumer works with once its constructor has run: it takes messages from the engine, runs callbacks that are
//! due, makes messages of errors, and waits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::config::TopicPartition;
use kafkars_client::{FetchError, TakenRecord};
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyList;

use super::handler::ConsumerHandler;
use super::message::PyMessage;
use super::partition_eof::{Ends, PartitionEnd};
use super::reading::Reading;
use super::unreturned::Unreturned;
use crate::consumer::ConsumerCore;
use crate::error;
use crate::pending_flag::PyPendingFlag;
use crate::record;
use crate::runtime;

/// How often a wait asks whether the cluster can be reached.
const LOOK_AFTER: Duration = Duration::from_millis(500);

/// A consumer that can be used.
pub(super) struct OpenConsumer {
    pub(super) core: Arc<ConsumerCore>,
    pub(super) pending_flag: Py<PyPendingFlag>,
    pub(super) handler: ConsumerHandler,
    pub(super) reading: Reading,
    pub(super) unreturned: Unreturned,
    pub(super) ends: Option<Ends>,
    // Guards when to check next whether the cluster can be reached.
    look: Mutex<Instant>,
    // Guards the subscribed topics that are not there and their error codes, until they are reported.
    pub(super) missing: Arc<Mutex<Vec<(String, i16)>>>,
    // Guards errors of the engine whose messages an interrupt has kept from being made.
    untold: Mutex<VecDeque<PyErr>>,
    // Guards the exception of a callback during a call that handed out messages, which would have been lost by raising
    // it.
    pub(super) raised: Mutex<Option<PyErr>>,
}

/// What was found in the buffer.
pub(super) enum TakenMessage<'py> {
    Message(Bound<'py, PyAny>),
    /// Nothing to hand out by itself: an error that does not concern the application, or a batch call's messages.
    Nothing,
    Empty,
    /// The consumer was closed meanwhile, by another thread.
    Closed,
}

impl OpenConsumer {
    pub(super) fn new(
        core: &Arc<ConsumerCore>,
        pending_flag: Py<PyPendingFlag>,
        handler: Py<PyAny>,
        partition_ends: bool,
    ) -> Self {
        Self {
            core: Arc::clone(core),
            pending_flag,
            handler: ConsumerHandler(handler),
            reading: Reading::default(),
            unreturned: Unreturned::default(),
            ends: partition_ends.then(Ends::default),
            look: Mutex::new(Instant::now() + LOOK_AFTER),
            missing: Arc::default(),
            untold: Mutex::default(),
            raised: Mutex::new(None),
        }
    }

    /// True if a partition has a position, and something to commit: messages of it were handed out, or markers of
    /// transactions passed by a call that found no message before them, which is the same to librdkafka. Where no call
    /// has come, nothing is read: what was read before a seek is what counts.
    pub(super) fn has_read(&self, partition: &TopicPartition) -> bool {
        self.reading.has(partition) || self.core.consumer.has_passed(partition)
    }

    #[inline]
    pub(super) fn has_work(&self, py: Python<'_>) -> bool {
        self.core.consumer.has_event() || self.pending_flag.bind(py).get().is_set()
    }

    /// Lets a partition be read again, although nobody has sought: from an offset on, or from the first message on that
    /// calls have taken and not returned.
    pub(super) fn hand_back(&self, partition: &TopicPartition, offset: Option<i64>) {
        let consumer = &self.core.consumer;
        self.unreturned
            .hand_back(partition, offset, consumer, self.ends.as_ref());
    }

    /// The next message in the buffer.
    #[inline]
    pub(super) fn next<'py>(&self, py: Python<'py>) -> PyResult<TakenMessage<'py>> {
        self.core.check()?;
        match self.core.consumer.try_next() {
            Ok(Some(TakenRecord { batch, view })) => {
                record::prepare(py, &batch, None);
                self.reading.note(&batch);
                let message = PyMessage::fetched(py, batch, view)?;
                Ok(TakenMessage::Message(message.into_any()))
            }
            Ok(None) => Ok(TakenMessage::Empty),
            Err(failure) => self.failed(py, &failure),
        }
    }

    /// Runs callbacks that are due. Returns a message if there is one to report an error by.
    pub(super) fn serve<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if let Some(problem) = self.raised.lock().take() {
            return Err(problem);
        }
        if self.core.consumer.has_event()
            && let Err(problem) = self.core.serve(py)
        {
            // An error of the engine becomes a message; an exception of the program's callback is raised.
            return match error::is_ours(py, &problem) {
                true => self.message_of(py, problem),
                false => Err(problem),
            };
        }
        let pending_flag = self.pending_flag.bind(py).get();
        if !pending_flag.is_set() {
            return Ok(None);
        }
        pending_flag.clear();
        self.serve_pending(py).inspect_err(|_| pending_flag.set())
    }

    /// Does what the pending flag stands for. An interrupt leaves what it has kept from being done for the next time.
    fn serve_pending<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        loop {
            let Some(problem) = self.untold.lock().pop_front() else {
                break;
            };
            if let Some(message) = self.message_of(py, problem)? {
                self.pending_flag.bind(py).get().set();
                return Ok(Some(message));
            }
        }
        let mut missing = std::mem::take(&mut *self.missing.lock());
        missing.sort_unstable_by(|one, other| other.cmp(one));
        let missing = PyList::new(py, missing)?;
        let served = self.handler.serve(py, &missing);
        if !missing.is_empty() {
            self.missing.lock().extend(missing.extract::<Vec<_>>()?);
        }
        served?;
        // Popped here, since an interrupt on the way from Python would lose it.
        let (message, is_more) = self.handler.next_message(py)?;
        if is_more {
            self.pending_flag.bind(py).get().set();
        }
        Ok(message)
    }

    /// An error of the engine as a message; `None` if it does not concern the program.
    fn message_of<'py>(
        &self,
        py: Python<'py>,
        problem: PyErr,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let message = self.handler.message_of(py, &problem);
        if message.is_err() {
            self.untold.lock().push_back(problem);
            self.pending_flag.bind(py).get().set();
        }
        message
    }

    /// Keeps an exception for the next call.
    pub(super) fn raise_later(&self, py: Python<'_>, problem: PyErr) {
        *self.raised.lock() = Some(problem);
        self.pending_flag.bind(py).get().set();
    }

    /// An error as a message, or the end of the consumer.
    #[cold]
    pub(super) fn failed<'py>(
        &self,
        py: Python<'py>,
        failure: &FetchError,
    ) -> PyResult<TakenMessage<'py>> {
        if matches!(failure, FetchError::Closed) {
            return Ok(TakenMessage::Closed);
        }
        let mut problem = error::fetch(py, failure);
        if error::is_of_signal(py, &problem) {
            // It came while the exception was made.
            let signal = std::mem::replace(&mut problem, error::fetch(py, failure));
            self.raise_later(py, signal);
        }
        if !error::is_ours(py, &problem) {
            return Err(problem);
        }
        let message = self.message_of(py, problem)?;
        Ok(message.map_or(TakenMessage::Nothing, TakenMessage::Message))
    }

    pub(super) fn partition_end<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ends = self.ends.as_ref();
        let end = ends.and_then(|ends| ends.next(&self.core.consumer));
        end.map(|end| self.message_of_end(py, &end)).transpose()
    }

    /// The message that tells of an end. One that an interrupt has kept from being made is told later.
    pub(super) fn message_of_end<'py>(
        &self,
        py: Python<'py>,
        end: &PartitionEnd,
    ) -> PyResult<Bound<'py, PyAny>> {
        let message = self.handler.partition_end(py, &end.partition, end.position);
        if let (Err(_), Some(ends)) = (&message, &self.ends) {
            ends.untell(end);
        }
        message
    }

    /// Waits a little; false after the deadline, or where nothing can come. Ctrl+C ends the wait.
    pub(super) fn wait(&self, py: Python<'_>, deadline: Option<Instant>) -> PyResult<bool> {
        let left = runtime::slice(deadline);
        if left.is_zero() {
            return Ok(false);
        }
        let consumer = &self.core.consumer;
        if consumer.has_event() && self.core.check_reentry().is_err() {
            // A callback of this thread calls: what comes next waits for its end.
            return Ok(false);
        }
        let turn = &self.core.callback_turn;
        py.detach(|| match consumer.has_event() && turn.is_elsewhere() {
            true => turn.wait(left),
            false => consumer.wait_ready(left),
        });
        py.check_signals()?;
        self.look_after(py)?;
        Ok(true)
    }

    /// Reports from time to time that the cluster cannot be reached, or can be again.
    pub(super) fn look_after(&self, py: Python<'_>) -> PyResult<()> {
        let now = Instant::now();
        {
            let mut look = self.look.lock();
            if *look > now {
                return Ok(());
            }
            *look = now + LOOK_AFTER;
        }
        let trouble = self.core.consumer.trouble();
        let trouble = trouble.map(|failure| error::fetch(py, &failure));
        self.handler.reached(py, trouble.as_ref())
    }
}

pub(super) fn named(topic: &str, partition: i32) -> TopicPartition {
    TopicPartition {
        topic: topic.into(),
        partition,
    }
}
