//! One login under way, whatever its mechanism.

use super::login::{Directory, LoginFailure, LoginProgress};
use super::mechanism::SaslMechanism;
use super::oauthbearer::OAuthBearer;
use super::plain;
use super::scram::ScramServer;
use crate::security::hash::HashAlgorithm;

/// One login on its way.
pub(super) enum SaslExchange {
    Plain,
    Scram(ScramServer),
    OAuthBearer(OAuthBearer),
}

impl SaslExchange {
    pub(super) fn new(mechanism: SaslMechanism) -> Self {
        match mechanism {
            SaslMechanism::Plain => Self::Plain,
            SaslMechanism::ScramSha256 => Self::Scram(ScramServer::new(HashAlgorithm::Sha256)),
            SaslMechanism::ScramSha512 => Self::Scram(ScramServer::new(HashAlgorithm::Sha512)),
            SaslMechanism::OAuthBearer => Self::OAuthBearer(OAuthBearer::default()),
        }
    }

    /// Takes a message of the client.
    pub(super) fn take(
        &mut self,
        message: &[u8],
        directory: &Directory<'_>,
    ) -> Result<LoginProgress, LoginFailure> {
        match self {
            Self::Plain => plain::check(message, directory),
            Self::Scram(scram) => scram.take(message, directory),
            Self::OAuthBearer(oauthbearer) => oauthbearer.take(message, directory),
        }
    }
}
