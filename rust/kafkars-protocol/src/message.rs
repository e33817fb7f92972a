//! What every message can do.

use std::fmt::Debug;

use crate::{ApiKey, DecodeError, Describe, EncodeError, Reader, VersionRange, Writer};

/// One of Kafka's messages: a request, a response, or a structure that groups put inside bytes.
pub trait Message: Sized + Clone + Debug + PartialEq + Default {
    /// Kafka's name, such as `FetchRequest`.
    const NAME: &'static str;
    /// The versions that can be read and written here.
    const VERSIONS: VersionRange;
    /// The first version with compact lengths and tagged fields, if any has them.
    const FLEXIBLE_FROM: Option<i16>;

    /// Reads the message; bytes after it are left in the reader.
    ///
    /// # Errors
    /// When the version is not ours or the bytes are not this message.
    fn decode(reader: &mut Reader, version: i16) -> Result<Self, DecodeError>;

    /// Writes the message. A field that the version lacks is dropped when Kafka calls it ignorable or when it has its
    /// default value.
    ///
    /// # Errors
    /// When the version is not ours or cannot carry what the fields say.
    fn encode(&self, writer: &mut Writer, version: i16) -> Result<(), EncodeError>;

    /// How long the broker asks the client to pause, in ms; 0 in messages that cannot say so (KIP-219).
    #[must_use]
    fn throttle_time_ms(&self) -> i32 {
        0
    }

    /// Sets what [`throttle_time_ms`](Self::throttle_time_ms) tells; nothing in messages that cannot say so.
    fn set_throttle_time_ms(&mut self, _time: i32) {}

    /// True if `version` has compact lengths and tagged fields.
    #[must_use]
    fn is_flexible(version: i16) -> bool {
        Self::FLEXIBLE_FROM.is_some_and(|first| version >= first)
    }
}

/// A message that a client sends and a broker answers.
pub trait Request: Message + Describe {
    /// The number that says on the wire which request this is.
    const API_KEY: ApiKey;
    /// What the broker answers, in the same version.
    type Response: Message;
}
