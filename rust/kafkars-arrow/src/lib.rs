//! Arrow columns as Kafka records and back: tables are sent and read without a Python object for each value.
#![forbid(unsafe_code)]

mod columns;
mod error;
mod from_records;
mod headers;
mod numbers;
mod payloads;

pub use columns::{ColumnNames, Columns};
pub use error::ColumnError;
pub use from_records::{
    ColumnTypes, RecordColumn, RecordColumnsBuilder, RecordColumnsError, RecordLayout,
    UnknownColumn,
};
