//! Arrow columns as Kafka records and back, without a Python object for each value; and payloads as columns.
#![forbid(unsafe_code)]

mod columns;
mod decode;
mod error;
mod from_records;
mod headers;
mod numbers;
mod payloads;

pub use columns::{ColumnNames, RecordColumns};
pub use decode::{
    AvroPayloads, DecodedPayloads, JsonPayloads, PayloadDecoder, PoisonPayload, Utf8Payloads,
};
pub use error::ColumnError;
pub use from_records::{
    ColumnTypes, RecordColumn, RecordColumnsBuilder, RecordColumnsError, RecordLayout,
    UnknownColumn,
};
