//! The parts of a message that was not fetched, or was changed since.

use kafkars_client::StoredAt;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The values of a message that is not as it was fetched. `None` is Python's None.
#[derive(Default)]
pub(crate) struct MessageParts {
    pub(crate) topic: Option<Py<PyAny>>,
    pub(crate) partition: Option<i32>,
    pub(crate) offset: Option<i64>,
    pub(crate) key: Option<Py<PyAny>>,
    pub(crate) value: Option<Py<PyAny>>,
    pub(crate) headers: Option<Py<PyAny>>,
    pub(crate) error: Option<Py<PyAny>>,
    /// Type and milliseconds, as `Message.timestamp()` returns them.
    pub(crate) timestamp: (i32, i64),
    /// Seconds from send to report.
    pub(crate) latency: Option<f64>,
    pub(crate) leader_epoch: Option<i32>,
    pub(crate) delivery_count: Option<i32>,
}

/// What the report of a message repeats of it. Nobody changes it, so it is read without a lock.
pub(super) struct SentMessage {
    pub(super) topic: Py<PyString>,
    /// Unknown of a message that never came to one.
    pub(super) partition: Option<i32>,
    pub(super) key: Option<Py<PyAny>>,
    pub(super) value: Option<Py<PyAny>>,
    /// Seconds from send to report.
    pub(super) latency: f64,
}

impl SentMessage {
    /// The parts of this message, stored there or not stored for this error.
    pub(super) fn parts(&self, py: Python<'_>, stored: Option<&StoredAt>) -> MessageParts {
        let copy = |part: &Option<Py<PyAny>>| part.as_ref().map(|part| part.clone_ref(py));
        MessageParts {
            topic: Some(self.topic.clone_ref(py).into_any()),
            partition: self.partition,
            offset: stored.and_then(offset),
            key: copy(&self.key),
            value: copy(&self.value),
            timestamp: stored.map_or(NO_TIMESTAMP, timestamp),
            latency: Some(self.latency),
            ..MessageParts::default()
        }
    }
}

/// The offset, where the broker has told it.
pub(super) fn offset(stored: &StoredAt) -> Option<i64> {
    Some(stored.offset).filter(|offset| *offset >= 0)
}

/// Who set the timestamp, and milliseconds since 1970.
pub(super) fn timestamp(stored: &StoredAt) -> (i32, i64) {
    let kind = match stored.log_append_time {
        true => LOG_APPEND_TIME,
        false => CREATE_TIME,
    };
    (kind, stored.timestamp)
}

/// The type of a timestamp that is not known, and the timestamp.
pub(crate) const NO_TIMESTAMP: (i32, i64) = (0, -1);
/// Numbers of librdkafka for who set a timestamp.
pub(crate) const CREATE_TIME: i32 = 1;
pub(crate) const LOG_APPEND_TIME: i32 = 2;

impl MessageParts {
    pub(crate) fn clone_ref(&self, py: Python<'_>) -> Self {
        let copy = |part: &Option<Py<PyAny>>| part.as_ref().map(|part| part.clone_ref(py));
        Self {
            topic: copy(&self.topic),
            partition: self.partition,
            offset: self.offset,
            key: copy(&self.key),
            value: copy(&self.value),
            headers: copy(&self.headers),
            error: copy(&self.error),
            timestamp: self.timestamp,
            latency: self.latency,
            leader_epoch: self.leader_epoch,
            delivery_count: self.delivery_count,
        }
    }
}
