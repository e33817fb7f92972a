//! The failure of one try to connect.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::{ErrorKind, SecurityError, SecurityProblem};
use kafkars_protocol::ErrorCode;

use crate::net::sasl::failure::SaslFailure;
use crate::net::tls::failure::TlsFailure;

/// Why a connection could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectCause {
    /// The host name has no address.
    #[error("the host name cannot be resolved: {0}")]
    Dns(Arc<str>),
    /// Nothing listens on the port.
    #[error("connection refused: nothing listens on that port")]
    Refused,
    /// The host did not answer within `connect_timeout_ms`.
    #[error("no answer to a TCP connection within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// The operating system cannot connect: there is no route, no file descriptor left, or a local firewall.
    #[error("{0}")]
    Unreachable(Arc<str>),
    /// TCP connects, but the peer does not answer.
    #[error(
        "connected, but no answer to ApiVersions within {} ms: is it a listener of a Kafka broker?",
        .0.as_millis()
    )]
    Silent(Duration),
    /// TCP connects, but the peer closes the connection on the first request.
    #[error(
        "connected, but the peer closed the connection without an answer to ApiVersions: it may be starting or stopping, or \
         not be a Kafka listener for this security_protocol"
    )]
    ClosedAtOnce,
    /// The peer speaks another protocol.
    #[error("{hint}")]
    NotKafka {
        /// Which protocol that is, and what to do about it.
        hint: &'static str,
    },
    /// The peer's answers cannot be decoded. Permanent once that has happened twice in a row.
    #[error("the answer is not Kafka's{}: {problem}", if *is_repeated { ", twice in a row" } else { "" })]
    Garbled {
        /// What is wrong with the answer.
        problem: Arc<str>,
        /// True from the second time in a row on.
        is_repeated: bool,
    },
    /// The broker supports no version of a required API that this client supports.
    #[error("{0}")]
    Version(Arc<str>),
    /// The broker refused the handshake with an error code.
    #[error("the broker refused the handshake: {0}")]
    Refusal(ErrorCode),
    /// The TLS handshake failed.
    #[error(transparent)]
    Tls(TlsFailure),
    /// SASL authentication failed, on the broker's side or on ours.
    #[error(transparent)]
    Sasl(SaslFailure),
    /// The earlier failure of a login or a certificate, reported again because no login is tried for a while.
    #[error(
        "{cause} (that was {} ms ago; logins that are refused are tried again after a pause, the next in {} ms)",
        ago.as_millis(), next_in.as_millis()
    )]
    Earlier {
        /// The earlier failure.
        cause: Box<Self>,
        /// How long ago.
        ago: Duration,
        /// How long until the next login is tried.
        next_in: Duration,
    },
    /// Any other error of the operating system.
    #[error("{0}")]
    Io(Arc<str>),
}

impl ConnectCause {
    /// True if only a change of the settings or the brokers can help, not time.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::NotKafka { .. } | Self::Version(_) => true,
            Self::Tls(failure) => failure.is_permanent(),
            Self::Sasl(failure) => failure.is_permanent(),
            Self::Earlier { cause, .. } => cause.is_permanent(),
            Self::Garbled { is_repeated, .. } => *is_repeated,
            Self::Dns(_)
            | Self::Refused
            | Self::TimedOut(_)
            | Self::Unreachable(_)
            | Self::Silent(_)
            | Self::ClosedAtOnce
            | Self::Refusal(_)
            | Self::Io(_) => false,
        }
    }

    /// The kind of handshake that failed, if one did.
    #[must_use]
    pub fn security(&self) -> Option<SecurityProblem> {
        match self {
            Self::Tls(failure) => Some(failure.problem()),
            Self::Sasl(failure) => Some(failure.problem()),
            Self::Earlier { cause, .. } => cause.security(),
            _ => None,
        }
    }

    pub(crate) fn security_at(&self, address: &Arc<str>) -> Option<SecurityError> {
        let problem = self.security()?;
        Some(SecurityError {
            problem,
            address: Arc::clone(address),
            cause: self.to_string().into(),
        })
    }

    /// The kind of error: what the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.is_permanent() {
            true => ErrorKind::Invalid,
            false => ErrorKind::Retriable,
        }
    }

    pub(crate) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            _ => Self::Unreachable(error.to_string().into()),
        }
    }

    /// True if the peer answered in some way. Closing the connection counts: it may be a broker that is starting.
    pub(crate) fn is_answered(&self) -> bool {
        !matches!(
            self,
            Self::Dns(_)
                | Self::Refused
                | Self::TimedOut(_)
                | Self::Unreachable(_)
                | Self::Silent(_)
        )
    }
}
