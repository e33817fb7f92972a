//! Fetched records as Arrow columns: the way out of Kafka.
//!
//! The columns are those of Spark's Kafka source with Spark's names: key, value, topic, partition, offset, timestamp,
//! timestampType, headers.

mod bytes_column;
mod columns;
mod error;
mod header_column;
mod layout;
mod memory;
mod timestamp_column;
mod topic_column;

pub use columns::RecordColumnsBuilder;
pub use error::RecordColumnsError;
pub use layout::{ColumnTypes, RecordColumn, RecordLayout, UnknownColumn};
