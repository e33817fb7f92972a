//! One try to connect.

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
    /// The operating system cannot connect: no route, no descriptor, a firewall of its own.
    #[error("{0}")]
    Unreachable(Arc<str>),
    /// TCP connects, but the peer says nothing.
    #[error(
        "connected, but no answer to ApiVersions within {} ms: is it a listener of a Kafka broker?",
        .0.as_millis()
    )]
    Silent(Duration),
    /// TCP connects, but the peer hangs up on the first request.
    #[error(
        "connected, but the peer closed the connection without an answer to ApiVersions: it may be starting or stopping, or \
         not be a Kafka listener for this security_protocol"
    )]
    ClosedAtOnce,
    /// The peer speaks another protocol.
    #[error("{hint}")]
    NotKafka {
        /// What it speaks and what to do about it.
        hint: &'static str,
    },
    /// The peer answers with something that cannot be understood. Final when it has done so twice in a row.
    #[error("the answer is not Kafka's{}: {problem}", if *is_repeated { ", twice in a row" } else { "" })]
    Garbled {
        /// What is wrong with the answer.
        problem: Arc<str>,
        /// Whether it is the second time.
        is_repeated: bool,
    },
    /// The broker shares no version of a needed API with us.
    #[error("{0}")]
    Version(Arc<str>),
    /// The broker refused the handshake.
    #[error("the broker refused the handshake: {0}")]
    Refusal(ErrorCode),
    /// TLS was not agreed on.
    #[error(transparent)]
    Tls(TlsFailure),
    /// The broker does not believe who we are, or we do not believe it.
    #[error(transparent)]
    Sasl(SaslFailure),
    /// A login or certificate that was refused before, told again because no login is tried for a while.
    #[error(
        "{cause} (that was {} ms ago; logins that are refused are tried again after a pause, the next in {} ms)",
        ago.as_millis(), next_in.as_millis()
    )]
    Earlier {
        /// What the login met.
        cause: Box<Self>,
        /// How long ago.
        ago: Duration,
        /// When the next login is tried.
        next_in: Duration,
    },
    /// Anything else the operating system said.
    #[error("{0}")]
    Io(Arc<str>),
}

impl ConnectCause {
    /// Whether time cannot mend it: the setting or the broker must change.
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

    /// Which handshake failed, if one did.
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

    /// What the caller should do.
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

    /// Whether the peer said anything at all. One that hangs up has: it may be a broker that starts.
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
