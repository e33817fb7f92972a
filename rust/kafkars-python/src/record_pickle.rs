//! The pickle of a record: plain objects, of which a batch can be made again.

use std::sync::Arc;

use kafkars_client::FetchedBatch;
use kafkars_client::config::TopicPartition;
use kafkars_records::{
    BatchBuilder, Compression, Header, ProducerFields, ReadLimits, RecordsError, batches,
};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::imports::RESTORE_RECORD;

/// The parts of a record, in the order in which `_restore_record` takes them.
pub(crate) type PickledRecord = (
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

/// True with the deserialized object, or false with the error.
pub(crate) type PickledPart<T> = (bool, T);

/// Key and value.
pub(crate) type PickledParts<T> = (PickledPart<T>, PickledPart<T>);

/// `(_restore_record, (parts, made))`, which `__reduce__` returns.
pub(crate) fn reduce<'py>(
    py: Python<'py>,
    parts: PickledRecord,
    made: Option<PickledParts<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyTuple>> {
    (RESTORE_RECORD.get(py)?, (parts, made)).into_pyobject(py)
}

/// A batch of one record.
pub(crate) fn batch_of(parts: &PickledRecord) -> Result<Arc<FetchedBatch>, RecordsError> {
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
