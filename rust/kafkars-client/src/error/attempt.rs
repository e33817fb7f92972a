//! The failure of one try of one request.

use std::io;
use std::sync::Arc;

use kafkars_core::error_kind::{ErrorKind, SecurityError, SecurityProblem};
use kafkars_protocol::{
    ApiKey, DecodeError, EncodeError, ForeignProtocol, FrameError, VersionRange,
};

use super::connect::ConnectCause;
use crate::net::tls::failure::TlsFailure;
use crate::net::unanswered::Unanswered;

/// Why one try of one request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttemptError {
    /// No connection could be made.
    #[error("cannot connect to {address}: {cause}")]
    Connect {
        /// The broker's `host:port`.
        address: Arc<str>,
        /// What happened.
        cause: ConnectCause,
    },
    /// The connection was lost before the answer. The broker may or may not have acted on the request.
    #[error("the broker closed the connection before it answered ({0})")]
    Disconnected(Arc<str>),
    /// TLS failed on an established connection.
    #[error(transparent)]
    Tls(TlsFailure),
    /// No answer in time. The broker may or may not have acted on the request.
    #[error("{0}")]
    TimedOut(Unanswered),
    /// The time of the call was over before this could be sent.
    #[error("no time was left to send {}", .0.name())]
    NoTime(ApiKey),
    /// The response cannot be decoded.
    #[error(transparent)]
    Decode(DecodeError),
    /// The request has a field that no version supported by the broker can carry.
    #[error(transparent)]
    Encode(EncodeError),
    /// Broker and client share no version of this API.
    #[error(
        "the broker does not speak {} in a version known here ({ours}); it speaks {}",
        api.name(),
        theirs.map_or_else(|| "none".to_owned(), |theirs| theirs.to_string())
    )]
    Unsupported {
        /// The API of the request.
        api: ApiKey,
        /// The versions that this client supports.
        ours: VersionRange,
        /// The versions that the broker supports, if any.
        theirs: Option<VersionRange>,
    },
    /// A response is longer than `receive_message_max_bytes`.
    #[error(
        "an answer of {length} bytes is above receive_message_max_bytes={limit}; raise it, or lower fetch_max_bytes"
    )]
    FrameTooLarge {
        /// Its length in bytes.
        length: usize,
        /// The setting in bytes.
        limit: usize,
    },
    /// The peer speaks another protocol.
    #[error("{hint}")]
    NotKafka {
        /// Which protocol that is, and what to do about it.
        hint: &'static str,
    },
    /// Responses break the rules of the protocol: they are out of order, or have an impossible length.
    #[error("the broker broke the protocol: {0}")]
    Protocol(Arc<str>),
    /// The client was closed.
    #[error("the client is closed")]
    Closed,
    /// The cluster has no such broker, as far as is known.
    #[error("broker {0} is not known in the cluster")]
    UnknownNode(i32),
}

impl AttemptError {
    /// True if the same request may succeed later or on another connection.
    #[must_use]
    pub fn retriable(&self) -> bool {
        match self {
            // Nothing that this client does will change the credentials or the certificate.
            Self::Connect { cause, .. } => match cause.security() {
                // No broker has refused missing credentials, and there may be some for the next try.
                None | Some(SecurityProblem::Credentials) => true,
                Some(_) => !cause.is_permanent(),
            },
            Self::Disconnected(_)
            | Self::Tls(_)
            | Self::TimedOut(_)
            | Self::NoTime(_)
            | Self::Protocol(_)
            | Self::UnknownNode(_) => true,
            Self::Decode(_)
            | Self::Encode(_)
            | Self::Unsupported { .. }
            | Self::FrameTooLarge { .. }
            | Self::NotKafka { .. }
            | Self::Closed => false,
        }
    }

    /// True if fresh metadata may name a better broker to ask.
    #[must_use]
    pub fn needs_metadata(&self) -> bool {
        match self {
            Self::Connect { .. }
            | Self::Disconnected(_)
            | Self::Tls(_)
            | Self::TimedOut(_)
            | Self::UnknownNode(_) => true,
            Self::Protocol(_)
            | Self::NoTime(_)
            | Self::Decode(_)
            | Self::Encode(_)
            | Self::Unsupported { .. }
            | Self::FrameTooLarge { .. }
            | Self::NotKafka { .. }
            | Self::Closed => false,
        }
    }

    /// The failure that ended the byte stream of a connection.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        match TlsFailure::in_stream(error) {
            Some(failure) => Self::Tls(failure),
            None => Self::Disconnected(error.to_string().into()),
        }
    }

    /// The failed handshake, if this is one.
    #[must_use]
    pub fn security(&self) -> Option<SecurityError> {
        match self {
            Self::Connect { address, cause } => cause.security_at(address),
            _ => None,
        }
    }

    /// The kind of error: what the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Connect { cause, .. } => cause.kind(),
            Self::Closed => ErrorKind::Fatal,
            _ if self.retriable() => ErrorKind::Retriable,
            _ => ErrorKind::Invalid,
        }
    }
}

/// Turns an invalid frame into the failure of every request that waits on its connection.
impl From<FrameError> for AttemptError {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::NotKafka(protocol) => Self::NotKafka {
                hint: hint(protocol),
            },
            FrameError::TooLong { length, limit } => Self::FrameTooLarge { length, limit },
            FrameError::Negative(_) | FrameError::TooShort(_) => {
                Self::Protocol(error.to_string().into())
            }
        }
    }
}

pub(super) fn hint(protocol: ForeignProtocol) -> &'static str {
    match protocol {
        ForeignProtocol::Tls => {
            "the port answers TLS: set security_protocol to SSL or SASL_SSL, or use the port of a plaintext listener"
        }
        ForeignProtocol::Http => {
            "the port answers HTTP: it is a web server, not a Kafka listener; use the Kafka port"
        }
        ForeignProtocol::Ssh => "the port answers SSH, not Kafka; use the port of a Kafka listener",
    }
}
