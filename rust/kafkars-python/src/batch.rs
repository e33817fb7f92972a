//! Many records as one Python sequence.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList, PySlice, PyTuple, PyType};

use kafkars_arrow::RecordLayout;
use kafkars_client::config::TopicPartition;

use crate::arrow::{self, GivenColumns, PyArrowBatch};
use crate::batch_run::Run;
use crate::imports::RESTORE_BATCH;
use crate::record::PyRecord;
use crate::types;

/// Records in the order in which they are to be handled: a sequence that makes each record when it is touched.
#[pyclass(name = "RecordBatch", module = "kafkars", frozen, sequence)]
pub(crate) struct PyRecordBatch {
    runs: Vec<Run>,
    len: usize,
}

impl PyRecordBatch {
    /// All records of `runs`, one run after the other.
    pub(crate) fn new(runs: Vec<Run>) -> Self {
        let len = runs.iter().map(Run::len).sum();
        Self { runs, len }
    }

    /// The run that has record `index`, and the index in it.
    fn find(&self, mut index: usize) -> Option<(&Run, usize)> {
        for run in &self.runs {
            if index < run.len() {
                return Some((run, index));
            }
            index -= run.len();
        }
        None
    }

    /// The records `from..to`.
    fn part(&self, from: usize, to: usize) -> Self {
        let mut runs = Vec::new();
        let mut passed = 0;
        for run in &self.runs {
            let (start, end) = (from.max(passed), to.min(passed + run.len()));
            if start < end {
                runs.push(run.part(start - passed, end - passed));
            }
            passed += run.len();
        }
        Self::new(runs)
    }
}

#[pymethods]
impl PyRecordBatch {
    fn __len__(&self) -> usize {
        self.len
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyRecordIterator {
        PyRecordIterator {
            batch: slf.clone().unbind(),
            next: AtomicU64::new(packed(0, slf.get().runs.first().map_or(0, |run| run.start))),
        }
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let range = slice.indices(isize::try_from(self.len).unwrap_or(isize::MAX))?;
            if range.step != 1 {
                return Err(PyValueError::new_err(
                    "a batch is sliced with step 1 only; list(batch) takes any step",
                ));
            }
            let from = usize::try_from(range.start).unwrap_or(0);
            let to = usize::try_from(range.stop).unwrap_or(0).max(from);
            return Ok(Bound::new(py, self.part(from, to))?.into_any());
        }
        let Ok(index) = index.extract::<isize>() else {
            return Err(PyTypeError::new_err(format!(
                "a batch is indexed with a number or a slice, not {index:?}"
            )));
        };
        let from_start = if index < 0 {
            self.len.checked_add_signed(index)
        } else {
            usize::try_from(index).ok()
        };
        let Some((run, at)) = from_start.and_then(|index| self.find(index)) else {
            return Err(PyIndexError::new_err(format!(
                "index {index} of a batch of {} records",
                self.len
            )));
        };
        let view = run.fetched.batch.record_at(run.position(at));
        Ok(run.record(py, view)?.into_any())
    }

    fn __contains__(slf: &Bound<'_, Self>, record: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(Self::count(slf, record)? > 0)
    }

    /// How many records are equal to `record`.
    #[pyo3(signature = (value, /))]
    fn count(slf: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut count = 0;
        for record in slf.try_iter()? {
            count += usize::from(record?.eq(value)?);
        }
        Ok(count)
    }

    /// Index of the first record from `start` and before `stop` that is equal to `record`.
    #[pyo3(signature = (value, start=0, stop=isize::MAX, /))]
    fn index(
        slf: &Bound<'_, Self>,
        value: &Bound<'_, PyAny>,
        start: isize,
        stop: isize,
    ) -> PyResult<usize> {
        let len = isize::try_from(slf.get().len).unwrap_or(isize::MAX);
        let from_start = |index: isize| {
            if index < 0 {
                (index + len).max(0)
            } else {
                index
            }
        };
        let (start, stop) = (from_start(start), from_start(stop));
        for (at, record) in slf.try_iter()?.enumerate() {
            let inside = isize::try_from(at).is_ok_and(|at| start <= at && at < stop);
            if inside && record?.eq(value)? {
                return Ok(at);
            }
        }
        Err(PyValueError::new_err("the record is not in the batch"))
    }

    /// The keys of all records as bytes or None, deserializers left out.
    fn raw_keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for run in &self.runs {
            run.spans(py, &list, |view| view.key)?;
        }
        Ok(list)
    }

    /// The values of all records as bytes or None, deserializers left out.
    fn raw_values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for run in &self.runs {
            run.spans(py, &list, |view| view.value)?;
        }
        Ok(list)
    }

    /// The records as Arrow columns, without a Python object for each.
    ///
    /// Keys and values are the bytes that came; deserializers are left out.
    ///
    /// Args:
    ///     columns: Which columns, in which order: any of `key`, `value` (binary), `topic` (dictionary of text),
    ///         `partition` (int32), `offset` (int64), `timestamp` (ms, UTC), `timestampType` (int32: 0 set by the
    ///         producer, 1 by the broker), `headers` (list of structs of `key` and `value`). All by default.
    ///     layout: "native" for these types; "spark" for those that Spark declares for its Kafka source, to the letter:
    ///         `topic` plain text, `timestamp` in us (-1 ms where a record has none), `headers` null instead of an
    ///         empty list, every field nullable.
    ///
    /// Raises:
    ///     InvalidArgumentError: A name is no column, or `layout` is none.
    ///     DeserializationError: With "spark", a timestamp does not fit into microseconds; `topic`, `partition` and
    ///         `offset` tell which record.
    #[pyo3(signature = (columns=None, *, layout="native"))]
    fn to_arrow(
        &self,
        py: Python<'_>,
        columns: Option<GivenColumns>,
        layout: &str,
    ) -> PyResult<PyArrowBatch> {
        PyArrowBatch::new(py, &self.runs, &arrow::record_layout(columns, layout)?)
    }

    /// What `to_arrow().__arrow_c_array__()` gives.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        let _ = requested_schema;
        PyArrowBatch::new(py, &self.runs, &RecordLayout::default())?.array_capsules(py)
    }

    /// What `to_arrow().__arrow_c_stream__()` gives.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        PyArrowBatch::new(py, &self.runs, &RecordLayout::default())?.stream_capsule(py)
    }

    /// The same records, one batch for each partition.
    fn by_partition<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let mut groups: Vec<(TopicPartition, Vec<Run>)> = Vec::new();
        let mut indexes: HashMap<TopicPartition, usize> = HashMap::new();
        for run in &self.runs {
            let partition = TopicPartition {
                topic: Arc::clone(&run.fetched.topic),
                partition: run.fetched.partition,
            };
            let index = *indexes.entry(partition).or_insert_with_key(|partition| {
                groups.push((partition.clone(), Vec::new()));
                groups.len() - 1
            });
            if let Some((_, runs)) = groups.get_mut(index) {
                runs.push(run.part(0, run.len()));
            }
        }
        let dict = PyDict::new(py);
        for (partition, runs) in groups {
            dict.set_item(
                types::topic_partition(py, &partition)?,
                Bound::new(py, Self::new(runs))?,
            )?;
        }
        Ok(dict)
    }

    fn __repr__(&self) -> String {
        match (self.len, self.runs.first()) {
            (0, _) | (_, None) => "RecordBatch(empty)".to_owned(),
            (len, Some(run)) => {
                let (fetched, first) = (&run.fetched, run.fetched.batch.record_at(run.start));
                let (topic, partition) = (&fetched.topic, fetched.partition);
                format!(
                    "RecordBatch({len} records from {topic}-{partition} offset {} on)",
                    first.offset
                )
            }
        }
    }

    /// Of records without deserializers: what those have made belongs to each record.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        if slf.get().runs.iter().any(|run| run.is_typed()) {
            return Err(PyTypeError::new_err(
                "a RecordBatch of a consumer with deserializers does not pickle; list(batch) does",
            ));
        }
        let restore = RESTORE_BATCH.get(py)?;
        let mut records = Vec::with_capacity(slf.get().len);
        for record in slf.try_iter()? {
            records.push(record?.cast::<PyRecord>()?.get().parts());
        }
        (restore, (records,)).into_pyobject(py)
    }

    /// `RecordBatch[K, V]` in annotations.
    #[classmethod]
    #[pyo3(signature = (item, /))]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        types::generic_alias(class.as_any(), item)
    }
}

/// Walks a batch once, making each record when its turn comes.
#[pyclass(name = "RecordIterator", module = "kafkars._kafkars", frozen)]
pub(crate) struct PyRecordIterator {
    batch: Py<PyRecordBatch>,
    /// The run and the byte position in it, in one word: threads that share an iterator without the GIL may see a
    /// record twice, but never a torn position.
    next: AtomicU64,
}

fn packed(run: usize, position: u32) -> u64 {
    (run as u64) << 32 | u64::from(position)
}

#[pymethods]
impl PyRecordIterator {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    #[inline]
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyRecord>>> {
        let runs = &self.batch.get().runs;
        let now = self.next.load(Ordering::Relaxed);
        let (index, position) = ((now >> 32) as usize, now as u32);
        let Some(run) = runs.get(index) else {
            return Ok(None);
        };
        let view = run.fetched.batch.record_at(position);
        let next = match runs.get(index + 1) {
            _ if view.next < run.end => packed(index, view.next),
            following => packed(index + 1, following.map_or(0, |run| run.start)),
        };
        self.next.store(next, Ordering::Relaxed);
        run.record(py, view).map(Some)
    }
}
