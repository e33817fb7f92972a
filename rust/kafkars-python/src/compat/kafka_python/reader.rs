//! The calls of `KafkaConsumer` that run once per record or batch of records; the Python class derives from this.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use kafkars_client::config::TopicPartition;
use kafkars_client::{FetchPosition, FetchedBatch, Origin, RecordSlice, TakenRecord};
use pyo3::exceptions::PyException;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple, PyType};

use super::record::{RecordMaker, SharedTimestamp};
use super::serde::Serde;
use crate::consumer::{ConsumerCore, PyConsumer};
use crate::error;
use crate::imports::hooks;
use crate::record;
use crate::types;

/// How many records iteration hands out before it looks for new topics to subscribe to.
const AT_ONCE: u32 = 100;

/// Reads of a consumer that may not be open yet.
#[pyclass(
    name = "KafkaPythonReader",
    module = "kafkars._kafkars",
    frozen,
    subclass
)]
pub(crate) struct PyKafkaPythonReader {
    open: OnceLock<OpenReader>,
    closed: AtomicBool,
    /// Whether new topics are looked for while reading.
    follows: AtomicBool,
    /// How many records until that is done again.
    at_once: AtomicU32,
}

struct OpenReader {
    core: Arc<ConsumerCore>,
    records: RecordMaker,
}

/// The result of a read: records by partition, and the exception of a deserializer.
type ReadRecords<'py> = (Bound<'py, PyDict>, Option<Py<PyAny>>);

#[pymethods]
impl PyKafkaPythonReader {
    /// Programs derive classes with constructors of their own, so anything goes here.
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> Self {
        Self {
            open: OnceLock::new(),
            closed: AtomicBool::new(true),
            follows: AtomicBool::new(false),
            at_once: AtomicU32::new(0),
        }
    }

    /// Reads from `engine` from now on, and makes records of `record_class`. A deserializer is a function, whether it
    /// is given the topic, and whether it is given the topic and the headers.
    fn _open(
        &self,
        engine: &Bound<'_, PyConsumer>,
        record_class: &Bound<'_, PyType>,
        key: Option<(Py<PyAny>, bool, bool)>,
        value: Option<(Py<PyAny>, bool, bool)>,
    ) -> PyResult<()> {
        let (key, value) = (key.map(Serde::new), value.map(Serde::new));
        let records = RecordMaker::new(record_class, key, value)?;
        let core = Arc::clone(&engine.as_super().get().core);
        // kafka-python does not check whether the partitions that it commits are owned.
        let _ = core.commits_named.set(Origin::UncheckedOnceAssigned);
        core.consumer.pass_over_missing_topics();
        self.open.get_or_init(|| OpenReader { core, records });
        Ok(())
    }

    /// True before the consumer is open, and after its end.
    #[getter]
    fn _closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    #[setter(_closed)]
    fn set_closed(&self, closed: bool) {
        self.closed.store(closed, Ordering::Release);
    }

    /// True if there may be new topics to subscribe to, so that iteration has to look for them.
    #[getter]
    fn _follows(&self) -> bool {
        self.follows.load(Ordering::Acquire)
    }

    #[setter(_follows)]
    fn set_follows(&self, follows: bool) {
        self.at_once.store(0, Ordering::Release);
        self.follows.store(follows, Ordering::Release);
    }

    /// True if anything is assigned or subscribed to.
    fn _has_something_to_read(&self) -> bool {
        let has_something = |open: &OpenReader| {
            open.core.consumer.is_assigned() || open.core.consumer.is_subscribed()
        };
        self.open.get().is_some_and(has_something)
    }

    /// Takes up to `most` records by partition. A record on which a deserializer fails and those after it in its
    /// partition are left out and read again; the last such exception is returned too. With `again` everything is read
    /// again.
    fn _take<'py>(
        &self,
        py: Python<'py>,
        most: usize,
        timeout: Option<f64>,
        again: bool,
    ) -> PyResult<ReadRecords<'py>> {
        types::check_timeout(timeout)?;
        let open = self.opened()?;
        open.core.serve_events(py)?;
        let found = match open.core.slices(py, most)? {
            Some(slices) => Some(slices),
            None => (open.core).wait_for(py, timeout, |core| core.slices(py, most))?,
        };
        let slices = found.unwrap_or_default();
        let found = open.by_partition(py, &slices)?;
        if again {
            // From the end, so that the first slice of a partition counts.
            for slice in slices.iter().rev() {
                open.go_back(
                    &slice.batch,
                    slice.batch.batch.record_at(slice.start).offset,
                );
            }
        }
        Ok(found)
    }

    /// The next record, or None when there was none for `timeout` seconds.
    fn _next<'py>(
        &self,
        py: Python<'py>,
        timeout: Option<f64>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        types::check_timeout(timeout)?;
        let open = self.opened()?;
        open.core.serve_events(py)?;
        let taken = match open.core.taken(py)? {
            Some(taken) => Some(taken),
            None => open.core.wait_for(py, timeout, |core| core.taken(py))?,
        };
        taken.map(|taken| open.record(py, taken)).transpose()
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    /// The next record. If none is in the buffer `_next_in_time()` is called, which may wait, or end the iteration.
    #[inline]
    fn __next__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, reader) = (slf.py(), slf.get());
        if let Some(open) = reader.reads_at_once() {
            let taken = open
                .core
                .serve_events(py)
                .and_then(|()| open.core.taken(py));
            match taken {
                Ok(Some(taken)) => return open.record(py, taken),
                Ok(None) => {}
                Err(error) => {
                    slf.call_method1(intern!(py, hooks::FAILED), (error,))?;
                }
            }
        }
        slf.call_method0(intern!(py, hooks::NEXT_IN_TIME))
    }

    /// Deserializers may refer to this consumer.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.open.get() {
            Some(open) => open.records.traverse(&visit),
            None => Ok(()),
        }
    }
}

impl PyKafkaPythonReader {
    fn opened(&self) -> PyResult<&OpenReader> {
        self.open.get().ok_or_else(|| error::closed("consumer"))
    }

    /// The reader, if a record may be taken without a look at the subscription. `None` from time to time, so that
    /// topics are looked for.
    #[inline]
    fn reads_at_once(&self) -> Option<&OpenReader> {
        if self.closed.load(Ordering::Acquire) {
            return None;
        }
        if self.follows.load(Ordering::Acquire) {
            let left = self.at_once.load(Ordering::Relaxed);
            if left == 0 {
                self.at_once.store(AT_ONCE, Ordering::Relaxed);
                return None;
            }
            self.at_once.store(left - 1, Ordering::Relaxed);
        }
        self.open.get()
    }
}

impl OpenReader {
    /// Makes the record that was taken. If a deserializer fails, it is read again.
    #[inline]
    fn record<'py>(&self, py: Python<'py>, taken: TakenRecord) -> PyResult<Bound<'py, PyAny>> {
        let TakenRecord { batch, view } = taken;
        record::prepare(py, &batch, None);
        let made = self
            .records
            .make(py, &batch, &view, &mut SharedTimestamp::default());
        if made.is_err() {
            self.go_back(&batch, view.offset);
        }
        made
    }

    /// `{partition: [record]}` in the order of the slices, up to the first record of each partition on which a
    /// deserializer fails. The partition's position stays there.
    fn by_partition<'py>(
        &self,
        py: Python<'py>,
        slices: &[RecordSlice],
    ) -> PyResult<ReadRecords<'py>> {
        let mut groups: Vec<(&FetchedBatch, Vec<Bound<'py, PyAny>>)> = Vec::new();
        // The index of each partition's list; `None` once a deserializer has failed.
        let mut indexes: HashMap<(&str, i32), Option<usize>> = HashMap::new();
        let mut refused = None;
        for slice in slices {
            let batch = &slice.batch;
            record::prepare(py, batch, None);
            let index = indexes
                .entry((&batch.topic, batch.partition))
                .or_insert_with(|| {
                    groups.push((batch, Vec::new()));
                    Some(groups.len() - 1)
                });
            let Some((_, records)) = index.and_then(|index| groups.get_mut(index)) else {
                continue;
            };
            records.reserve(slice.count as usize);
            let mut timestamp = SharedTimestamp::default();
            let mut position = slice.start;
            for _ in 0..slice.count {
                let view = batch.batch.record_at(position);
                position = view.next;
                match self.records.make(py, batch, &view, &mut timestamp) {
                    Ok(record) => records.push(record),
                    Err(error) => {
                        if !error.is_instance_of::<PyException>(py) {
                            return Err(error);
                        }
                        self.go_back(batch, view.offset);
                        refused = Some(error);
                        *index = None;
                        break;
                    }
                }
            }
        }
        let dict = PyDict::new(py);
        for (batch, records) in groups {
            if !records.is_empty() {
                let key = types::topic_partition(py, &partition_of(batch))?;
                dict.set_item(key, PyList::new(py, records)?)?;
            }
        }
        Ok((dict, refused.map(|error| error.into_value(py).into_any())))
    }

    /// Reads a partition again from an offset on.
    fn go_back(&self, batch: &FetchedBatch, offset: i64) {
        // This fails if the partition is not assigned any more, and then it is not read again.
        let _ = (self.core.consumer).seek(&partition_of(batch), FetchPosition::at(offset));
    }
}

fn partition_of(batch: &FetchedBatch) -> TopicPartition {
    TopicPartition {
        topic: Arc::clone(&batch.topic),
        partition: batch.partition,
    }
}
