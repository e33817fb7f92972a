//! The traits of messages.

use std::fmt::Debug;

use crate::{ApiKey, DecodeError, Describe, EncodeError, Reader, VersionRange, Writer};

/// A message of Kafka's: a request, a response, or a structure that groups exchange as bytes.
pub trait Message: Sized + Clone + Debug + PartialEq + Default {
    /// The message's name in Kafka's schemas, such as `FetchRequest`.
    const NAME: &'static str;
    /// The versions that this crate supports.
    const VERSIONS: VersionRange;
    /// The first version with compact lengths and tagged fields, if any has them.
    const FLEXIBLE_FROM: Option<i16>;

    /// Decodes the message; bytes after it are left in the reader.
    ///
    /// # Errors
    /// If the version is not supported, or the bytes are not this message.
    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError>;

    /// Encodes the message. A field that the version lacks is dropped if Kafka calls it ignorable or it has its default
    /// value.
    ///
    /// # Errors
    /// If the version is not supported, or cannot carry a field's value.
    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError>;

    /// How long the broker asks the client to pause, in ms (KIP-219); 0 if the message has no such field.
    #[must_use]
    fn throttle_time_ms(&self) -> i32 {
        0
    }

    /// Sets [`throttle_time_ms`](Self::throttle_time_ms); does nothing if the message has no such field.
    fn set_throttle_time_ms(&mut self, _time: i32) {}

    /// True if `version` has compact lengths and tagged fields.
    #[must_use]
    fn is_flexible(version: i16) -> bool {
        Self::FLEXIBLE_FROM.is_some_and(|first| version >= first)
    }
}

/// A message that a client sends and a broker answers.
pub trait Request: Message + Describe {
    /// The API key on the wire.
    const API_KEY: ApiKey;
    /// The response, which has the same version as the request.
    type Response: Message + Send;
}
