//! Many records in one call: columns of Python objects as records, and how both flavours send them.

use std::sync::Arc;
use std::time::Instant;

use kafkars_client::{Delivery, NotSent, ProduceRecord, Records};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView, PyString};

use super::core::ProducerCore;
use super::deliveries::PyDeliveries;
use super::send_arguments::{Arguments, SendArguments, topic_name};
use super::take::not_sent;
use crate::argument::record;
use crate::error;
use crate::runtime::{self, Detached};

/// The records of one call, all of one topic.
pub(super) trait Rows: Records {
    /// Their topic.
    fn topic(&self) -> &str;
    /// The serialized key of a record that names no partition; `None` if it names one.
    fn unplaced(&self, index: usize) -> Option<Option<&[u8]>>;
    /// Sets the partition of a record.
    fn place(&mut self, index: usize, partition: i32);
}

/// The columns of `send_many` as they were given.
pub(super) struct ColumnArguments<'py> {
    values: Vec<Bound<'py, PyAny>>,
    keys: Option<Vec<Bound<'py, PyAny>>>,
    partitions: Column<'py, i32>,
    timestamps: Column<'py, i64>,
    headers: Option<Vec<Bound<'py, PyAny>>>,
}

/// One number for all records, one for each, or none.
enum Column<'py, T> {
    All(Option<T>),
    Each(Vec<Bound<'py, PyAny>>),
}

/// Reads a number, or None.
type Read<T> = for<'a, 'py> fn(&'a Bound<'py, PyAny>) -> PyResult<Option<T>>;

impl<'py, T: Copy> Column<'py, T> {
    fn new(
        name: &str,
        read: Read<T>,
        given: Option<&Bound<'py, PyAny>>,
        count: usize,
    ) -> PyResult<Self> {
        match given {
            None => Ok(Self::All(None)),
            Some(given) if given.hasattr(intern!(given.py(), "__iter__"))? => {
                Ok(Self::Each(column(name, given, Some(count))?))
            }
            Some(given) => read(given).map(Self::All),
        }
    }

    fn at(&self, index: usize, read: Read<T>) -> PyResult<Option<T>> {
        let given = match self {
            Self::All(one) => return Ok(*one),
            Self::Each(each) => &each[index],
        };
        read(given).map_err(|failure| at_index(given.py(), failure, index))
    }
}

impl<'py> ColumnArguments<'py> {
    /// Collects the columns and compares their lengths.
    pub(super) fn new(
        values: &Bound<'py, PyAny>,
        keys: Option<&Bound<'py, PyAny>>,
        partitions: Option<&Bound<'py, PyAny>>,
        timestamps: Option<&Bound<'py, PyAny>>,
        headers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let values = column("values", values, None)?;
        let count = values.len();
        let optional = |name, given: Option<&Bound<'py, PyAny>>| {
            given
                .map(|given| column(name, given, Some(count)))
                .transpose()
        };
        Ok(Self {
            keys: optional("keys", keys)?,
            partitions: Column::new("partitions", record::partition, partitions, count)?,
            timestamps: Column::new("timestamps", record::timestamp, timestamps, count)?,
            headers: optional("headers", headers)?,
            values,
        })
    }

    /// The columns as interceptors leave them. They cannot change the topic here, because the call is for one topic.
    pub(super) fn intercepted(
        self,
        core: &ProducerCore,
        topic: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        if core.interceptors.is_none() {
            return Ok(self);
        }
        let py = topic.py();
        let count = self.values.len();
        let column = || Vec::with_capacity(count);
        let (mut values, mut keys, mut headers) = (column(), column(), column());
        let (mut partitions, mut timestamps) = (column(), column());
        for index in 0..count {
            let arguments = self.arguments(index, topic)?;
            let Some(changed) = core.intercept(py, &arguments)? else {
                continue;
            };
            if !changed.topic.eq(topic)? {
                return Err(error::argument(format!(
                    "an interceptor changed the topic of a record from {topic} to {}, which is possible with send() only",
                    changed.topic
                )));
            }
            values.push(changed.value);
            keys.push(changed.key);
            headers.push(changed.headers);
            partitions.push(changed.partition.into_pyobject(py)?);
            timestamps.push(changed.timestamp.into_pyobject(py)?);
        }
        Ok(Self {
            values,
            keys: Some(keys),
            partitions: Column::Each(partitions),
            timestamps: Column::Each(timestamps),
            headers: Some(headers),
        })
    }

    fn arguments<'a>(
        &'a self,
        index: usize,
        topic: &'a Bound<'py, PyAny>,
    ) -> PyResult<Arguments<'a, 'py>> {
        let given = |part: &'a Bound<'py, PyAny>| Some(part).filter(|part| !part.is_none());
        let present = |column: &'a Option<Vec<Bound<'py, PyAny>>>| {
            column.as_ref().and_then(|column| given(&column[index]))
        };
        Ok(Arguments::new(
            topic,
            given(&self.values[index]),
            present(&self.keys),
            self.partitions.at(index, record::partition)?,
            self.timestamps.at(index, record::timestamp)?,
            present(&self.headers),
        ))
    }

    /// Runs the serializers over all records. If one fails, the error has the record's index and nothing has been sent.
    pub(super) fn rows<'a>(
        &'a self,
        core: &ProducerCore,
        topic: &'a Bound<'py, PyAny>,
    ) -> PyResult<PythonRows<'a, 'py>> {
        let mut rows = Vec::with_capacity(self.values.len());
        for index in 0..self.values.len() {
            let arguments = self.arguments(index, topic)?;
            let row = SendArguments::new(&core.serializers, &arguments);
            rows.push(row.map_err(|failure| at_index(topic.py(), failure, index))?);
        }
        Ok(PythonRows {
            topic: topic_name(topic)?,
            rows,
        })
    }
}

/// The items of a column.
fn column<'py>(
    name: &str,
    given: &Bound<'py, PyAny>,
    count: Option<usize>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    // Text and bytes are iterable too, but not as columns of records.
    let is_one_value = given.is_instance_of::<PyBytes>()
        || given.is_instance_of::<PyString>()
        || given.is_instance_of::<PyByteArray>()
        || given.is_instance_of::<PyMemoryView>();
    let items = match given.try_iter() {
        Ok(items) if !is_one_value => items,
        _ => {
            return Err(PyTypeError::new_err(format!(
                "{name}: expected an iterable with one item for each record, not {}",
                given.get_type().name()?
            )));
        }
    };
    let items = items.collect::<PyResult<Vec<_>>>()?;
    match count {
        Some(count) if count != items.len() => Err(PyValueError::new_err(format!(
            "{name}: {} items for {count} values",
            items.len()
        ))),
        _ => Ok(items),
    }
}

/// Records made of Python objects.
pub(super) struct PythonRows<'a, 'py> {
    topic: &'a str,
    rows: Vec<SendArguments<'a, 'py>>,
}

impl Records for PythonRows<'_, '_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn show(&self, index: usize, look: &mut dyn FnMut(&ProduceRecord<'_>)) {
        if let Some(row) = self.rows.get(index) {
            row.with(|record| look(record));
        }
    }
}

impl Rows for PythonRows<'_, '_> {
    fn topic(&self) -> &str {
        self.topic
    }

    fn unplaced(&self, index: usize) -> Option<Option<&[u8]>> {
        let row = self.rows.get(index)?;
        row.partition.is_none().then(|| row.key())
    }

    fn place(&mut self, index: usize, partition: i32) {
        if let Some(row) = self.rows.get_mut(index) {
            row.partition = Some(partition);
        }
    }
}

impl ProducerCore {
    /// Lets the partition function choose for all records that name no partition. The topic is known.
    pub(super) fn choose_partitions(&self, py: Python<'_>, rows: &mut dyn Rows) -> PyResult<()> {
        if self.partition_function.is_none() {
            return Ok(());
        }
        for index in 0..rows.len() {
            let Some(key) = rows.unplaced(index) else {
                continue;
            };
            if let Some(partition) = self.ask_partition(py, rows.topic(), key)? {
                rows.place(index, partition);
            }
        }
        Ok(())
    }

    /// Sends records for synchronous Python, waiting for the topic and for room until the deadline; their deliveries
    /// are added to `taken`. All are checked first: if one cannot be sent, none is.
    pub(super) fn send_rows(
        &self,
        py: Python<'_>,
        rows: &mut dyn Rows,
        deadline: Instant,
        taken: &mut Vec<Delivery>,
    ) -> PyResult<()> {
        let producer = &self.producer;
        let base = taken.len();
        // The records belong to the transaction that is open now, however long they wait.
        let permit = producer.permit();
        let permit = permit.map_err(|refusal| at_index(py, self.not_taken(py, &refusal), base))?;
        if self.partition_function.is_some() {
            let known = producer.partitions_for(rows.topic(), deadline);
            runtime::block_on(py, known)?
                .map_err(|failure| self.not_admitted(py, &failure, permit))?;
            self.choose_partitions(py, rows)?;
        }
        let waiting = Detached(py);
        let topic = rows.topic();
        let sent = producer.send_many_blocking(&waiting, topic, &*rows, permit, deadline, taken);
        sent.map_err(|stopped| match stopped.cause {
            NotSent::Refused(_) => at_index(py, not_sent(py, stopped.cause), base + stopped.index),
            NotSent::Interrupted(raised) => raised,
        })
    }

    /// The deliveries of what a call has sent; if the call failed halfway, the error has them.
    pub(super) fn deliveries(
        self: &Arc<Self>,
        py: Python<'_>,
        taken: Vec<Delivery>,
        outcome: PyResult<()>,
    ) -> PyResult<PyDeliveries> {
        let is_empty = taken.is_empty();
        let deliveries = PyDeliveries::new(taken, Arc::clone(self));
        match outcome {
            Ok(()) => Ok(deliveries),
            Err(failure) if is_empty => Err(failure),
            Err(failure) => {
                let sent = Bound::new(py, deliveries)?;
                failure.value(py).setattr("sent", sent)?;
                Err(failure)
            }
        }
    }
}

/// The error with the index of the record that it is about.
pub(super) fn at_index(py: Python<'_>, failure: PyErr, index: usize) -> PyErr {
    match failure.value(py).setattr("index", index) {
        Ok(()) => failure,
        Err(problem) => problem,
    }
}
