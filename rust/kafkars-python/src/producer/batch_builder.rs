//! A batch that the application fills by hand.

use std::sync::Arc;

use kafkars_client::FilledBatch;
use kafkars_records::{BatchBuilder, Header};
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::payload::{Payload, headers};
use crate::argument;
use crate::error;
use crate::imports::APPENDED_RECORD;

/// Records are encoded as they are appended, up to a limit; the whole goes to one partition.
#[pyclass(name = "BatchBuilder", module = "kafkars", frozen)]
pub(crate) struct PyBatchBuilder {
    limit: usize,
    largest: usize,
    state: Arc<Mutex<BuilderState>>,
}

/// A batch that accepts no more records, for sends that wait.
pub(crate) struct Filled(Arc<Mutex<BuilderState>>);

impl Filled {
    /// Calls `look` with the batch.
    pub(super) fn look<T>(&self, look: impl FnOnce(&FilledBatch) -> T) -> T {
        look(&self.0.lock().batch)
    }
}

/// Guarded by its lock: threads may share the object, and so may a send that waits.
struct BuilderState {
    batch: FilledBatch,
    closed: bool,
}

impl PyBatchBuilder {
    /// An empty batch of at most `limit` bytes, unless its first record alone, of at most `largest`, is larger.
    pub(crate) fn new(limit: usize, largest: usize) -> Self {
        let batch = FilledBatch {
            builder: BatchBuilder::new(0),
            key_size: -1,
            value_size: -1,
            timestamp: -1,
        };
        Self {
            limit,
            largest,
            state: Arc::new(Mutex::new(BuilderState {
                batch,
                closed: false,
            })),
        }
    }

    /// Closes the batch.
    pub(super) fn fill(&self) -> PyResult<Filled> {
        let mut state = self.state.lock();
        if state.batch.builder.is_empty() {
            return Err(error::argument(
                "batch: there is no record in it; a batch without records cannot be stored",
            ));
        }
        state.closed = true;
        Ok(Filled(Arc::clone(&self.state)))
    }
}

#[pymethods]
impl PyBatchBuilder {
    /// Adds a record. Serializers and interceptors do not run here.
    ///
    /// Args:
    ///     value: Bytes or text; None is a tombstone.
    ///     key: Bytes or text.
    ///     timestamp: Milliseconds since 1970, or a `datetime` with a time zone; the time of the call by default.
    ///     headers: Pairs of name and bytes, text or None; or a mapping.
    ///
    /// Returns:
    ///     Its place, encoded size and timestamp; None where it does not fit any more, or the batch is closed.
    ///
    /// Raises:
    ///     InvalidRecordTimestampError: The timestamp is negative or too large.
    #[pyo3(signature = (value=None, key=None, *, timestamp=None, headers=None))]
    fn append<'py>(
        &self,
        py: Python<'py>,
        value: Option<&Bound<'py, PyAny>>,
        key: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = argument::record::moment)] timestamp: Option<i64>,
        headers: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let key = key.map(|key| Payload::plain("key", key)).transpose()?;
        let value = value
            .map(|value| Payload::plain("value", value))
            .transpose()?;
        let key = key.as_ref().and_then(Payload::as_slice);
        let value = value.as_ref().and_then(Payload::as_slice);
        let headers = headers.map(self::headers).transpose()?.unwrap_or_default();
        let headers: Vec<_> = headers
            .iter()
            .map(|(key, value)| Header {
                key,
                value: value.as_deref(),
            })
            .collect();
        let timestamp = match timestamp {
            Some(timestamp) if timestamp < 0 => {
                return Err(error::produce(
                    py,
                    &kafkars_client::ProduceError::InvalidTimestamp { timestamp },
                ));
            }
            Some(timestamp) => timestamp,
            None => kafkars_client::wall_clock_ms(),
        };
        let appended = self.add(timestamp, key, value, &headers)?;
        appended
            .map(|(offset, size)| appended_record(py, offset, size, timestamp))
            .transpose()
    }

    /// Bytes of the batch as it stands, before compression.
    fn size(&self) -> usize {
        self.state.lock().batch.builder.len()
    }

    /// Records in the batch.
    fn record_count(&self) -> u32 {
        self.state.lock().batch.builder.count()
    }

    /// Takes no more records. Sending closes as well.
    fn close(&self) {
        self.state.lock().closed = true;
    }

    /// True if it takes no more records.
    #[getter]
    fn closed(&self) -> bool {
        self.state.lock().closed
    }

    fn __len__(&self) -> usize {
        self.record_count() as usize
    }

    fn __repr__(&self) -> String {
        format!(
            "<BatchBuilder of {} records, {} of {} bytes>",
            self.record_count(),
            self.size(),
            self.limit
        )
    }
}

impl PyBatchBuilder {
    /// Adds a record and returns its index and size, or `None` if it does not fit.
    fn add(
        &self,
        timestamp: i64,
        key: Option<&[u8]>,
        value: Option<&[u8]>,
        headers: &[Header<'_>],
    ) -> PyResult<Option<(u32, usize)>> {
        let mut state = self.state.lock();
        let batch = &mut state.batch;
        let bound = BatchBuilder::record_size_bound(key, value, headers);
        if batch.builder.is_empty() && batch.builder.len() + bound > self.largest {
            return Err(error::attached(
                "RecordTooLargeError",
                format!(
                    "a record of {bound} bytes exceeds max_request_size={}; raise max_request_size (and the topic's \
                     max.message.bytes) or send less",
                    self.largest
                ),
            ));
        }
        let size = batch
            .builder
            .next_record_size(timestamp, key, value, headers);
        let is_full = !batch.builder.is_empty() && batch.builder.len() + size > self.limit;
        if is_full || state.closed {
            return Ok(None);
        }
        let batch = &mut state.batch;
        let before = batch.builder.len();
        if batch.builder.is_empty() {
            let size = |part: Option<&[u8]>| {
                part.map_or(-1, |part| i32::try_from(part.len()).unwrap_or(i32::MAX))
            };
            (batch.key_size, batch.value_size) = (size(key), size(value));
            batch.timestamp = timestamp;
        }
        let index = batch.builder.append(timestamp, key, value, headers);
        Ok(Some((index, batch.builder.len() - before)))
    }
}

/// `kafkars.AppendedRecord`.
fn appended_record(
    py: Python<'_>,
    offset: u32,
    size: usize,
    timestamp: i64,
) -> PyResult<Bound<'_, PyAny>> {
    APPENDED_RECORD.get(py)?.call1((offset, size, timestamp))
}
