//! Fetched records as Arrow columns: the way out of Kafka.
//!
//! The columns are those of Spark's Kafka source with Spark's names: key, value, topic, partition, offset, timestamp,
//! timestampType, headers.

mod bytes_column;
mod columns;
mod header_column;
mod layout;

pub use columns::RecordColumnsBuilder;
pub use layout::{RecordColumn, RecordLayout, UnknownColumn};
