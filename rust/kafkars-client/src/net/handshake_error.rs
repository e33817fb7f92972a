//! Why a new connection cannot be used, though there is one.

use kafkars_protocol::ErrorCode;

use super::sasl::failure::SaslFailure;
use crate::error::AttemptError;

/// What a handshake ends with if not with a usable connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HandshakeError {
    #[error(transparent)]
    Attempt(AttemptError),
    #[error("the broker refused the handshake: {0}")]
    Refused(ErrorCode),
    #[error(transparent)]
    Sasl(SaslFailure),
}

impl From<SaslFailure> for HandshakeError {
    fn from(failure: SaslFailure) -> Self {
        Self::Sasl(failure)
    }
}

impl From<AttemptError> for HandshakeError {
    fn from(error: AttemptError) -> Self {
        Self::Attempt(error)
    }
}
