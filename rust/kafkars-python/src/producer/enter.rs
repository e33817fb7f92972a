//! How records of asynchronous calls enter the producer: at once if possible, otherwise after waiting in the engine.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_arrow::ColumnNames;
use kafkars_client::{Delivery, PendingSend, SendError};
use pyo3::intern;
use pyo3::prelude::*;

use super::arrow::ArrowBatches;
use super::awaits::Awaits;
use super::batch_builder::PyBatchBuilder;
use super::core::ProducerCore;
use super::entries::{All, PyAsyncDeliveries, SendEntry};
use super::interceptors::AcknowledgementCallback;
use super::pending_send::WaitingSend;
use super::send_arguments::{OwnedRecord, SendArguments};
use super::send_content::SendContent;
use super::send_many::{ColumnArguments, Rows, at_index};
use crate::aio::{AwaitableCall, PyFuture};
use crate::error;
use crate::types;

impl ProducerCore {
    /// Sends a record, or makes it wait for at most `time_limit`; with `at_once` it must not wait for room.
    #[inline]
    pub(crate) fn enter(
        self: &Arc<Self>,
        py: Python<'_>,
        mut record: SendArguments<'_, '_>,
        at_once: bool,
        time_limit: Duration,
    ) -> PyResult<SendEntry> {
        self.place_waiting(py, record.topic);
        let is_placed = self.choose_partition(py, &mut record)?;
        let mut found_no_room = false;
        if is_placed && !self.producer.has_pending(record.topic) {
            match record.with(|record| self.producer.try_send(record)) {
                Ok(delivery) => return Ok(SendEntry::Taken(delivery, self.report())),
                Err(SendError::Failed(failure)) => return Ok(SendEntry::Failed(failure)),
                Err(SendError::NotReady(wait)) => found_no_room = wait.is_for_room(),
            }
        }
        if at_once {
            self.check_waiting(record.topic, found_no_room)?;
        }
        let held = SendContent::Record(record.into_owned());
        let entry = self.queue(py, held, is_placed, time_limit);
        if let SendEntry::Queued(send) = &entry
            && found_no_room
        {
            send.found_no_room();
        }
        Ok(entry)
    }

    /// Fails for a record that must not wait for room, and not behind others that do; or if too many wait, because
    /// sends that are not awaited must be bounded as well.
    fn check_waiting(&self, topic: &str, found_no_room: bool) -> PyResult<()> {
        if found_no_room || self.producer.waits_for_room(topic) {
            return Err(error::buffer_full(
                "buffer_memory is full of unacknowledged records; use send() or enqueue() to wait for room",
            ));
        }
        if self.producer.pending_bytes() > self.buffer_memory {
            return Err(error::buffer_full(
                "records that wait for their topic to become known fill buffer_memory; use send() or enqueue() to wait",
            ));
        }
        Ok(())
    }

    /// Sends records of one topic, or makes those wait for which there is no room. If one cannot be sent as it is, none
    /// is, if the topic is known.
    pub(super) fn enter_rows(
        self: &Arc<Self>,
        py: Python<'_>,
        rows: &mut dyn Rows,
        time_limit: Duration,
    ) -> PyResult<Vec<SendEntry>> {
        let count = rows.len();
        self.place_waiting(py, rows.topic());
        if self.partition_function.is_some() && !self.is_known(rows.topic()) {
            let entries = (0..count).map(|index| {
                let is_placed = rows.unplaced(index).is_none();
                self.queue(py, owned(rows, index), is_placed, time_limit)
            });
            return Ok(entries.collect());
        }
        self.choose_partitions(py, rows)?;
        if let Err(stopped) = self.producer.check_many(rows.topic(), rows, None)
            && let SendError::Failed(failure) = stopped.error
        {
            self.producer.count_refused(count);
            return Err(at_index(py, self.not_taken(py, &failure), stopped.index));
        }
        let mut taken: Vec<Delivery> = Vec::with_capacity(count);
        let mut failure = None;
        if !self.producer.has_pending(rows.topic())
            && let Err(stopped) =
                self.producer
                    .try_send_many(rows.topic(), rows, 0, None, &mut taken)
            && let SendError::Failed(error) = stopped.error
        {
            self.producer.record_refused(&error);
            failure = Some(error);
        }
        let start = taken.len();
        if failure.is_some() {
            self.producer.count_refused(count - start);
        }
        let mut entries: Vec<SendEntry> = taken
            .into_iter()
            .map(|delivery| SendEntry::Taken(delivery, self.report()))
            .collect();
        for index in start..count {
            entries.push(match &failure {
                Some(failure) => SendEntry::Failed(failure.clone()),
                None => self.queue(py, owned(rows, index), true, time_limit),
            });
        }
        Ok(entries)
    }

    /// Sends the records of a call of `send_many` or `enqueue_many`, or makes them wait.
    pub(super) fn enter_columns<'py>(
        self: &Arc<Self>,
        py: Python<'py>,
        topic: &Bound<'py, PyAny>,
        columns: &ColumnArguments<'py>,
        timeout: Option<f64>,
        awaits: fn(Arc<Vec<SendEntry>>) -> All,
    ) -> PyResult<AwaitableCall> {
        self.check()?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.producer.max_block());
        let mut rows = columns.rows(self, topic)?;
        Ok(AwaitableCall(
            match self.enter_rows(py, &mut rows, time_limit) {
                Ok(entries) => {
                    for entry in &entries {
                        self.watch_entry(py, entry)?;
                    }
                    awaits(Arc::new(entries)).future()
                }
                Err(failure) => PyFuture::failed(failure),
            },
        ))
    }

    /// Sends the rows of an Arrow table, or makes them wait.
    pub(super) fn enter_arrow(
        self: &Arc<Self>,
        py: Python<'_>,
        topic: &str,
        data: &Bound<'_, PyAny>,
        names: &ColumnNames,
        timeout: Option<f64>,
        awaits: fn(Arc<Vec<SendEntry>>) -> All,
    ) -> PyResult<AwaitableCall> {
        self.check()?;
        self.check_open(py)?;
        let time_limit = types::timeout(timeout)?.unwrap_or_else(|| self.producer.max_block());
        let mut batches = ArrowBatches::new(data)?;
        batches.check(py, names)?;
        let mut entries = Vec::new();
        let failure = loop {
            let mut rows = match batches.next_rows(py, topic, names) {
                Ok(Some(rows)) => rows,
                Ok(None) => return Ok(AwaitableCall(awaits(Arc::new(entries)).future())),
                // Nothing was sent, so it is an error of the arguments.
                Err(failure) if entries.is_empty() => return Err(failure),
                Err(failure) => break failure,
            };
            match self.enter_rows(py, &mut rows, time_limit) {
                Ok(more) => entries.extend(more),
                Err(failure) => {
                    let index = failure.value(py).getattr_opt(intern!(py, "index"))?;
                    let index = index.and_then(|index| index.extract::<usize>().ok());
                    break match index {
                        Some(index) => at_index(py, failure, entries.len() + index),
                        None => failure,
                    };
                }
            }
        };
        if !entries.is_empty() {
            let sent = PyAsyncDeliveries::new(Arc::new(entries));
            failure.value(py).setattr("sent", Bound::new(py, sent)?)?;
        }
        Ok(AwaitableCall(PyFuture::failed(failure)))
    }

    /// Arranges that interceptors are called on the loop with the outcome of a record.
    pub(super) fn watch_entry(&self, py: Python<'_>, entry: &SendEntry) -> PyResult<()> {
        let Some(interceptors) = self.interceptors.as_ref().filter(|all| all.listens()) else {
            return Ok(());
        };
        self.acknowledgements.serve(py)?;
        if let SendEntry::Failed(failure) = entry {
            return interceptors.after(py, Err(&error::produce(py, failure)));
        }
        let future = entry.copy().future(py, Awaits::Delivery)?.into_object(py)?;
        let callback = AcknowledgementCallback(Arc::clone(interceptors)).into_pyobject(py)?;
        let added = future.call_method1(intern!(py, "add_done_callback"), (callback,));
        if added.is_err()
            && let SendEntry::Taken(delivery, _) = entry
        {
            // No loop runs: they are called with the next call.
            self.watch(delivery);
        }
        Ok(())
    }

    /// Sends a batch, or makes it wait.
    pub(crate) fn enter_batch(
        self: &Arc<Self>,
        py: Python<'_>,
        batch: &PyBatchBuilder,
        topic: &str,
        partition: i32,
        time_limit: Duration,
    ) -> PyResult<AwaitableCall> {
        let held = SendContent::Batch {
            topic: topic.into(),
            partition,
            batch: batch.fill()?,
        };
        let count = held.count();
        self.place_waiting(py, topic);
        let entry = if self.producer.has_pending(topic) {
            self.queue(py, held, true, time_limit)
        } else {
            match held.send(&self.producer, None) {
                Ok(delivery) => SendEntry::Taken(delivery, self.report()),
                Err(SendError::NotReady(_)) => self.queue(py, held, true, time_limit),
                Err(SendError::Failed(failure)) => SendEntry::Failed(failure),
            }
        };
        if let SendEntry::Failed(failure) = entry {
            self.producer.record_refused(&failure);
            self.producer.count_refused(count);
            let told = (self.report())(py, Err(failure));
            return Ok(AwaitableCall(
                told.map_or_else(PyFuture::failed, PyFuture::ready),
            ));
        }
        entry.future(py, Awaits::Delivery).map(AwaitableCall)
    }

    /// Makes a record or batch wait for its topic, its partition or room, as part of the transaction that is open now.
    fn queue(
        self: &Arc<Self>,
        py: Python<'_>,
        held: SendContent,
        is_placed: bool,
        time_limit: Duration,
    ) -> SendEntry {
        let permit = match self.producer.permit() {
            Ok(permit) => permit,
            Err(refusal) => return SendEntry::Failed(refusal),
        };
        let topic = held.topic().to_owned();
        let send = Arc::new(WaitingSend::new(
            held,
            is_placed,
            &self.producer,
            self.report(),
        ));
        let deadline = Instant::now() + time_limit;
        let waits: Arc<dyn PendingSend> = Arc::<WaitingSend>::clone(&send);
        send.waits_at(self.producer.enqueue(waits, permit, deadline));
        if !is_placed {
            self.place_later(py, &topic, &send);
        }
        SendEntry::Queued(send)
    }
}

fn owned(rows: &dyn Rows, index: usize) -> SendContent {
    let mut copy = OwnedRecord::default();
    rows.show(index, &mut |record| copy = OwnedRecord::copy(record));
    SendContent::Record(copy)
}
