//! Message sets: what stood in place of batches before Kafka 0.11, as magic 0 and 1 (1 added timestamps, in 0.10).
//!
//! A set is messages one after another, each behind its offset and size. A compressed set is the value of one message,
//! whose offset is that of the last message within. Nothing else of the set has a header, so each message, or
//! compressed set, is one [`crate::RawBatch`] here, and opening it rewrites it as the records of a batch.

mod layout;
mod reader;
mod writer;

pub(crate) use self::layout::{least_size, message_crc};
pub(crate) use self::reader::{header, open};
pub use self::writer::{LegacyFormat, LegacySetBuilder};
