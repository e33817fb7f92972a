//! Errors of making columns of records.

use std::sync::Arc;

use arrow_schema::ArrowError;

/// A record or a column that does not fit.
#[derive(Debug, thiserror::Error)]
pub enum RecordColumnsError {
    /// A timestamp is too large in microseconds: probably microseconds or nanoseconds were sent as milliseconds.
    #[error(
        "the record of {topic}-{partition} at offset {offset} has the timestamp {timestamp} ms, which is too large for the \
         microseconds of a Spark column"
    )]
    TimestampRange {
        /// The record's topic.
        topic: Arc<str>,
        /// Its partition.
        partition: i32,
        /// Its offset.
        offset: i64,
        /// Its timestamp.
        timestamp: i64,
    },
    /// The columns could not be built.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
}
