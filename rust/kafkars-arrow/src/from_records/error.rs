//! Why records cannot be made into columns.

use std::sync::Arc;

use arrow_schema::ArrowError;

/// What is wrong with a record, or with columns.
#[derive(Debug, thiserror::Error)]
pub enum RecordColumnsError {
    /// A timestamp cannot be said in microseconds: somebody has sent microseconds or nanoseconds as milliseconds.
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
