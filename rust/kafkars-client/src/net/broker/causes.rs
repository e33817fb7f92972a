//! Turns failed handshakes into causes why a connection cannot be made.

use std::time::Duration;

use crate::error::{AttemptError, ConnectCause};
use crate::net::handshake_error::HandshakeError;
use crate::net::sasl::SaslFailure;

/// The cause while a lost connection may not be made again yet.
pub(super) fn between_connections() -> ConnectCause {
    ConnectCause::Io(
        "the connection was lost; the next one is made after reconnect_backoff_ms".into(),
    )
}

pub(super) fn cause_of(error: HandshakeError, limit: Duration) -> ConnectCause {
    let error = match error {
        HandshakeError::Refused(code) => return ConnectCause::Refusal(code),
        HandshakeError::Sasl(failure) => return ConnectCause::Sasl(failure),
        HandshakeError::Attempt(error) => error,
    };
    match error {
        AttemptError::Disconnected(_) | AttemptError::Closed => ConnectCause::ClosedAtOnce,
        AttemptError::Tls(failure) => ConnectCause::Tls(failure),
        AttemptError::TimedOut(_) => ConnectCause::Silent(limit),
        AttemptError::NotKafka { hint } => ConnectCause::NotKafka { hint },
        AttemptError::Unsupported { .. } => ConnectCause::Version(error.to_string().into()),
        AttemptError::Connect { cause, .. } => cause,
        AttemptError::Decode(_)
        | AttemptError::Encode(_)
        | AttemptError::FrameTooLarge { .. }
        | AttemptError::NoTime(_)
        | AttemptError::Protocol(_)
        | AttemptError::UnknownNode(_) => ConnectCause::Garbled {
            problem: error.to_string().into(),
            is_repeated: false,
        },
    }
}

/// As [`cause_of`], during authentication, where silence and a closed connection mean something else.
pub(super) fn sasl_cause(
    error: HandshakeError,
    mechanism: &'static str,
    limit: Duration,
) -> ConnectCause {
    ConnectCause::Sasl(match error {
        HandshakeError::Attempt(AttemptError::TimedOut(_)) => {
            SaslFailure::TimedOut { mechanism, limit }
        }
        HandshakeError::Attempt(AttemptError::Disconnected(_) | AttemptError::Closed) => {
            SaslFailure::Closed { mechanism }
        }
        other => match cause_of(other, limit) {
            ConnectCause::Garbled {
                problem,
                is_repeated,
            } => SaslFailure::Garbled {
                mechanism,
                problem,
                is_repeated,
            },
            cause => return cause,
        },
    })
}
