//! Kafka's wire format: primitives, generated messages, error codes, frames.
//!
//! Input from a peer is bounded before memory is allocated for it, and invalid input is a [`DecodeError`], never a
//! panic.
#![forbid(unsafe_code)]

mod api_key;
mod describe;
mod element;
mod error;
mod error_code;
mod frame;
mod header;
mod message;
pub mod messages;
mod reader;
mod security_protocol;
mod sequence;
mod tags;
mod text;
mod uuid;
mod varint;
mod version;
mod writer;

pub use api_key::{ApiKey, UnknownApiKey};
pub use describe::{Describe, DescribedValue};
pub use error::{DecodeError, DecodeErrorKind, EncodeError, EncodeErrorKind};
pub use error_code::ErrorCode;
pub use frame::{ForeignProtocol, Frame, FrameError, FrameLimit, LENGTH_PREFIX};
pub use header::{
    RequestHeader, decode_request_header, decode_response, encode_request, encode_response,
    peek_correlation_id,
};
pub use message::{Message, Request};
pub use reader::Reader;
pub use security_protocol::SecurityProtocol;
pub use text::printable;
pub use uuid::Uuid;
pub use version::VersionRange;
pub use writer::{SEGMENT_THRESHOLD, Writer};
