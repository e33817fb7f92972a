//! Arrow columns as Kafka records: sending tables without a Python object for each value.
#![forbid(unsafe_code)]

mod columns;
mod error;
mod headers;
mod numbers;
mod payloads;

pub use columns::{ColumnNames, Columns};
pub use error::ColumnError;
