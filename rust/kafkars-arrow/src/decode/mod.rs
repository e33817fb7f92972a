//! Payloads of records (keys or values) as columns: UTF-8, JSON and Avro, with or without the schema registry's
//! framing. A payload that cannot be decoded affects no other: it becomes null, and the reason is returned with its
//! row.

mod avro;
mod avro_check;
mod avro_schema;
mod decoder;
mod framing;
mod json;
mod json_columns;
mod json_members;
mod json_scalars;
mod rows;
mod types;
mod utf8;

pub use self::avro::AvroPayloads;
pub use self::decoder::{DecodedPayloads, PayloadDecoder, PoisonPayload};
pub use self::json::JsonPayloads;
pub use self::utf8::Utf8Payloads;
