//! Records in pickles: what a record holds as plain objects, and a record that is made of them again.

use std::sync::Arc;

use kafkars_client::FetchedBatch;
use kafkars_client::config::TopicPartition;
use kafkars_records::{
    BatchBuilder, Compression, Header, ProducerFields, ReadLimits, RecordsError, batches,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error;
use crate::record::{self, Made, PyRecord};

/// The parts of a record, in the order in which [`restore_record`] takes them.
pub(crate) type Parts = (
    String,
    i32,
    i64,
    i64,
    bool,
    i32,
    Option<Vec<u8>>,
    Option<Vec<u8>>,
    Vec<(String, Option<Vec<u8>>)>,
);

/// Whether something was made, and it or the error.
type Part<T> = (bool, T);

/// Key and value.
type Parted<T> = (Part<T>, Part<T>);

fn of((is_made, object): Part<Py<PyAny>>) -> Made {
    match is_made {
        true => Made::Object(object),
        false => Made::Failure(object),
    }
}

/// A record of the parts that its pickle has. It stands in a batch of its own.
///
/// `made` has key and value as the deserializers made them, where there were any: whether there is an object, and it or
/// the error.
#[pyfunction]
#[pyo3(name = "_restore_record", signature = (parts, made=None))]
pub(crate) fn restore_record<'py>(
    py: Python<'py>,
    parts: Parts,
    made: Option<Parted<Py<PyAny>>>,
) -> PyResult<Bound<'py, PyRecord>> {
    let fetched = batch_of(&parts).map_err(|problem| error::argument(problem.to_string()))?;
    let Some(view) = fetched.batch.nth(0) else {
        return Err(error::argument("the pickle of a record holds none"));
    };
    record::prepare(py, &fetched, None);
    match made {
        None => record::record(py, fetched, view, false),
        Some((key, value)) => record::deserialized(py, fetched, view, of(key), of(value)),
    }
}

/// `(restore_record, (parts, made))`, as `__reduce__` gives it.
pub(crate) fn reduce<'py>(
    py: Python<'py>,
    parts: Parts,
    made: Option<Parted<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let restore = py.import("kafkars._kafkars")?.getattr("_restore_record")?;
    (restore, (parts, made)).into_pyobject(py)
}

fn batch_of(parts: &Parts) -> Result<Arc<FetchedBatch>, RecordsError> {
    let (topic, partition, offset, timestamp, is_append_time, leader_epoch, key, value, headers) =
        parts;
    let headers: Vec<_> = headers
        .iter()
        .map(|(key, value)| Header {
            key,
            value: value.as_deref(),
        })
        .collect();
    let mut builder = BatchBuilder::new(0);
    builder.append(*timestamp, key.as_deref(), value.as_deref(), &headers);
    let sealed = builder.seal(Compression::default(), ProducerFields::default())?;
    let size = sealed.bytes.len();
    let whole = batches(sealed.bytes)
        .next()
        .unwrap_or(Err(RecordsError::Truncated {
            needed: size,
            available: size,
        }));
    let mut raw = whole?.with_position(*offset, *leader_epoch)?;
    if *is_append_time {
        raw = raw.with_log_append_time(*timestamp)?;
    }
    let batch = raw.open(&ReadLimits::default())?;
    let partition = TopicPartition {
        topic: topic.as_str().into(),
        partition: *partition,
    };
    Ok(Arc::new(FetchedBatch::whole(&partition, batch)))
}
