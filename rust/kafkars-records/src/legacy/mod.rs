//! Message sets, the formats before record batches: magic 0, and since Kafka 0.10 magic 1 with timestamps.
//!
//! A set is a sequence of messages, each after its offset and size. A compressed set is the value of one message, whose
//! offset is that of the last message in it. A set has no header, so each message, or compressed set, is one
//! [`crate::RawBatch`] here, and opening it rewrites it as the records of a batch.

mod layout;
mod reader;
mod writer;

pub(crate) use self::layout::{least_size, message_crc};
pub(crate) use self::reader::{header, open};
pub use self::writer::{LegacyFormat, LegacySetBuilder};
