//! Kafka record batches: reading, writing, checksums, compression.
//!
//! Reading: [`batches`] iterates over a `records` field, [`RawBatch::open`] checks one batch, and [`Batch`] then
//! returns records as positions in one buffer. Writing: [`BatchBuilder`] appends encoded records,
//! [`BatchBuilder::seal`] finishes the batch. Nothing here does I/O, and no input makes it panic or allocate beyond a
//! stated bound.
#![forbid(unsafe_code)]

mod attributes;
mod batch;
mod batch_header;
mod builder;
mod check;
mod compression;
mod control;
mod crc;
mod encode;
mod error;
mod legacy;
mod open;
mod reader;
mod record;
mod retain;
mod stamp;
mod timestamp_unit;
mod varint;

pub use attributes::{Attributes, TimestampType};
pub use batch::{Batch, RawBatch, RecordWalk};
pub use batch_header::BatchHeader;
pub use builder::{BatchBuilder, ProducerFields, SealedBatch};
pub use check::ReadLimits;
pub use compression::{Codec, Compression, DecompressError, LevelError, decompress};
pub use control::{ControlType, TransactionMarker};
pub use encode::Header;
pub use error::RecordsError;
pub use legacy::{LegacyFormat, LegacySetBuilder};
pub use reader::{Batches, batches};
pub use record::{HeaderView, HeaderWalk, RecordView, Span};
pub use timestamp_unit::mistaken_unit;
