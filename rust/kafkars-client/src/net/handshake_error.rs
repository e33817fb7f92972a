//! Why a connection that was made cannot be used.

use kafkars_protocol::ErrorCode;

use super::sasl::failure::SaslFailure;
use crate::error::AttemptError;

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
