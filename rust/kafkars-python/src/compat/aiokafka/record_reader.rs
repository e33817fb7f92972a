//! Reading from a started consumer: records of chosen partitions, deserialized, with the face's errors.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use kafkars_client::config::TopicPartition;
use kafkars_client::{FetchError, FetchPosition, FetchedBatch, RecordSlice, TakenRecord};
use kafkars_records::RecordView;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::errors;
use super::record::PyConsumerRecord;
use crate::aio::Amount;
use crate::consumer::ConsumerCore;
use crate::error;
use crate::record::{self, bytes};
use crate::types;

/// The state that every read needs.
pub(super) struct RecordReader {
    pub(super) core: Arc<ConsumerCore>,
    /// Functions of bytes or None; `None` in the usual case, which then costs nothing.
    pub(super) deserializers: Option<Functions>,
    /// The most records of one `getmany`.
    pub(super) max_records: usize,
    /// Whether `stop()` was called.
    pub(super) stopped: Arc<AtomicBool>,
}

impl RecordReader {
    /// True if reads that begin now fail: the consumer is being stopped, or has been closed.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire) || self.core.consumer.is_closed()
    }

    /// The next record of `wanted`, or of any partition if that is empty; `None` if none is ready.
    #[inline]
    fn next(&self, py: Python<'_>, wanted: &[TopicPartition]) -> PyResult<Option<Py<PyAny>>> {
        self.core.check().map_err(|error| self.raised(py, error))?;
        loop {
            let taken = match wanted {
                [] => self.core.consumer.try_next(),
                wanted => self.core.consumer.try_next_of(wanted),
            };
            match taken {
                Ok(Some(TakenRecord { batch, view })) => {
                    record::prepare(py, &batch, None);
                    let made = match &self.deserializers {
                        None => PyConsumerRecord::fetched(py, batch, view)?,
                        Some(functions) => match made(py, functions, &batch, view) {
                            Ok(made) => made,
                            Err(error) => {
                                self.give_back(&batch, &view);
                                return Err(error);
                            }
                        },
                    };
                    return Ok(Some(made.into_any().unbind()));
                }
                Ok(None) => return Ok(None),
                Err(failure) => self.refused(py, &failure)?,
            }
        }
    }

    /// Takes what is ready, up to `amount`, of `wanted` partitions or of all if that is empty; `None` if nothing is.
    #[inline]
    pub(super) fn found(
        &self,
        py: Python<'_>,
        amount: Amount,
        wanted: &[TopicPartition],
    ) -> PyResult<Option<Py<PyAny>>> {
        match amount {
            Amount::One | Amount::Next => self.next(py, wanted),
            Amount::Many(max) => self.many(py, max, wanted),
        }
    }

    /// Up to `max` records as `{partition: [record]}`; `None` if none is ready.
    fn many(
        &self,
        py: Python<'_>,
        max: usize,
        wanted: &[TopicPartition],
    ) -> PyResult<Option<Py<PyAny>>> {
        self.core.check().map_err(|error| self.raised(py, error))?;
        let wanted = Some(wanted).filter(|wanted| !wanted.is_empty());
        loop {
            match self.core.consumer.try_take_of(max, wanted) {
                Ok(slices) if slices.is_empty() => return Ok(None),
                Ok(slices) => {
                    return match self.dict(py, &slices) {
                        Ok(dict) => Ok(Some(dict.into_any().unbind())),
                        Err(error) => {
                            // From the end, so that the first slice of a partition counts.
                            for slice in slices.iter().rev() {
                                self.give_back(
                                    &slice.batch,
                                    &slice.batch.batch.record_at(slice.start),
                                );
                            }
                            Err(error)
                        }
                    };
                }
                Err(failure) => self.refused(py, &failure)?,
            }
        }
    }

    fn dict<'py>(&self, py: Python<'py>, slices: &[RecordSlice]) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        let mut lists: Vec<(&FetchedBatch, Bound<'py, PyList>)> = Vec::new();
        for slice in slices {
            record::prepare(py, &slice.batch, None);
            let batch = &*slice.batch;
            let known = lists.iter().rev().find(|(other, _)| {
                other.partition == batch.partition && other.topic == batch.topic
            });
            let records = self.records(py, slice)?;
            if let Some((_, list)) = known {
                list.call_method1(pyo3::intern!(py, "extend"), (records,))?;
                continue;
            }
            let partition = TopicPartition {
                topic: Arc::clone(&batch.topic),
                partition: batch.partition,
            };
            dict.set_item(types::topic_partition(py, &partition)?, &records)?;
            lists.push((batch, records));
        }
        Ok(dict)
    }

    fn records<'py>(&self, py: Python<'py>, slice: &RecordSlice) -> PyResult<Bound<'py, PyList>> {
        let mut position = slice.start;
        let views = (0..slice.count).map(|_| {
            let view = slice.batch.batch.record_at(position);
            position = view.next;
            view
        });
        let records = views.map(|view| match &self.deserializers {
            None => PyConsumerRecord::fetched(py, Arc::clone(&slice.batch), view),
            Some(functions) => made(py, functions, &slice.batch, view),
        });
        PyList::new(py, records.collect::<PyResult<Vec<_>>>()?)
    }

    /// Goes back to a record whose deserializer failed, so that it is read again.
    fn give_back(&self, batch: &FetchedBatch, view: &RecordView) {
        let partition = TopicPartition {
            topic: Arc::clone(&batch.topic),
            partition: batch.partition,
        };
        // This fails if the partition is not assigned any more, and then it is not read again.
        let _ = self
            .core
            .consumer
            .seek(&partition, FetchPosition::at(view.offset));
    }

    /// The deserializers, if this is the only reference to the reader.
    pub(super) fn functions_of_one(self: &Arc<Self>) -> Option<&Functions> {
        let functions = self.deserializers.as_ref();
        functions.filter(|_| Arc::strong_count(self) == 1)
    }

    /// Raises the face's exception for the failure of a read. What is gone has no records, and is no error in aiokafka:
    /// a partition, because its topic was made again with fewer, and a topic that a pattern has found.
    fn refused(&self, py: Python<'_>, failure: &FetchError) -> PyResult<()> {
        let is_gone = match failure {
            FetchError::InvalidArgument { .. } => true,
            FetchError::Topic { code, .. } | FetchError::Broker { code, .. } => {
                code.unknown_topic() && self.core.consumer.client().are_topics_found()
            }
            _ => false,
        };
        match is_gone {
            true => Ok(()),
            false => self.heard(py, error::fetch(py, failure)),
        }
    }

    /// Raises the face's exception for an error. One for which aiokafka raises nothing has been logged.
    pub(super) fn heard(&self, py: Python<'_>, error: PyErr) -> PyResult<()> {
        if self.core.consumer.is_closed() {
            return Err(errors::stopped(py));
        }
        errors::translated(py, error, self.group()).map_or(Ok(()), Err)
    }

    /// The face's exception for an error of which one must be raised.
    pub(super) fn raised(&self, py: Python<'_>, error: PyErr) -> PyErr {
        errors::raised_to_member(py, error, self.group())
    }

    /// The group, which some errors name.
    fn group(&self) -> Option<&str> {
        let group = self.core.consumer.config().group.as_ref();
        group.map(|group| group.group_id.as_str())
    }
}

/// aiokafka's deserializers: functions of bytes or None.
pub(super) struct Functions {
    pub(super) key: Option<Py<PyAny>>,
    pub(super) value: Option<Py<PyAny>>,
}

/// The deserialized record. Deserializers are called for None, too.
fn made<'py>(
    py: Python<'py>,
    functions: &Functions,
    batch: &Arc<FetchedBatch>,
    view: RecordView,
) -> PyResult<Bound<'py, PyConsumerRecord>> {
    let call = |function: &Option<Py<PyAny>>, span| {
        let function = function.as_ref();
        function
            .map(|function| function.call1(py, (bytes(py, batch, span),)))
            .transpose()
    };
    let key = call(&functions.key, view.key)?;
    let value = call(&functions.value, view.value)?;
    PyConsumerRecord::deserialized(py, Arc::clone(batch), view, key, value)
}
