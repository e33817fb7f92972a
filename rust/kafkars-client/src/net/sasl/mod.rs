//! SASL on a new connection: SaslHandshake names the mechanism, SaslAuthenticate carries its messages.

mod failure;
mod oauth;
mod plain;
mod scram;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_core::config::{SaslConfig, Token, TokenSource};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sasl_authenticate::{
    SaslAuthenticateRequest, SaslAuthenticateResponse,
};
use kafkars_protocol::messages::sasl_handshake::SaslHandshakeRequest;
use zeroize::Zeroizing;

pub use failure::SaslFailure;
use scram::{Scram, ScramError};

use super::connection::Connection;
use super::handshake::HandshakeError;
use super::secrets;

/// No mechanism needs more messages than this; a broker that goes on for ever is cut off.
const MOST_MESSAGES: usize = 8;

/// Says who we are. The answer is how long the broker believes it; zero stands for as long as the connection lives.
pub(crate) async fn authenticate(
    connection: &Connection,
    config: &SaslConfig,
    deadline: Instant,
) -> Result<Duration, HandshakeError> {
    let mechanism = config.mechanism();
    let mut exchange = Exchange::begin(config).await?;
    propose(connection, mechanism, deadline).await?;
    let mut message = exchange.first(config)?;
    for _ in 0..MOST_MESSAGES {
        let answer = send(connection, mechanism, &message, deadline).await?;
        match exchange.answer(mechanism, &answer.auth_bytes)? {
            Some(next) => message = next,
            None => {
                let lifetime = u64::try_from(answer.session_lifetime_ms).unwrap_or(0);
                return Ok(Duration::from_millis(lifetime));
            }
        }
    }
    Err(distrusted(mechanism, "it goes on for ever").into())
}

/// Where an authentication stands.
enum Exchange {
    /// One message says all.
    Single(Zeroizing<Vec<u8>>),
    Scram(Scram),
    Oauth(Token),
    /// The broker has refused the token; the words that it gave.
    Refused(Arc<str>),
}

impl Exchange {
    /// Gets the credentials.
    async fn begin(config: &SaslConfig) -> Result<Self, HandshakeError> {
        let mechanism = config.mechanism();
        let missing = |problem| SaslFailure::Credentials { mechanism, problem };
        match config {
            SaslConfig::Plain { username, password } => {
                let password = secrets::resolve(password).await.map_err(missing)?;
                let message = plain::message(username, password.expose()).map_err(missing)?;
                Ok(Self::Single(message))
            }
            SaslConfig::Scram {
                hash,
                username,
                password,
            } => {
                let password = secrets::resolve(password).await.map_err(missing)?;
                let scram = Scram::new(*hash, username, password);
                let scram = scram.map_err(|error| missing(error.to_string().into()))?;
                Ok(Self::Scram(scram))
            }
            SaslConfig::OauthBearer { source, .. } => {
                let TokenSource::Call(callback) = source;
                let token = callback.0.provide().await.map_err(missing)?;
                Ok(Self::Oauth(token))
            }
        }
    }

    fn first(&mut self, config: &SaslConfig) -> Result<Zeroizing<Vec<u8>>, HandshakeError> {
        match (&mut *self, config) {
            (Self::Single(message), _) => Ok(std::mem::take(message)),
            (Self::Scram(scram), _) => Ok(Zeroizing::new(scram.first())),
            (Self::Oauth(token), SaslConfig::OauthBearer { extensions, .. }) => {
                let message = oauth::message(token, extensions);
                let mechanism = config.mechanism();
                message.map_err(|problem| SaslFailure::Credentials { mechanism, problem }.into())
            }
            (Self::Oauth(_) | Self::Refused(_), _) => Ok(Zeroizing::default()),
        }
    }

    /// What is due after an answer; `None` when all is said.
    fn answer(
        &mut self,
        mechanism: &'static str,
        answer: &[u8],
    ) -> Result<Option<Zeroizing<Vec<u8>>>, HandshakeError> {
        match self {
            Self::Single(_) if answer.is_empty() => Ok(None),
            Self::Single(_) => Err(distrusted(mechanism, "it answers where nothing is due").into()),
            Self::Scram(scram) => match scram.answer(answer) {
                Ok(next) => Ok(next.map(Zeroizing::new)),
                Err(ScramError::Refused(message)) => Err(SaslFailure::Refused {
                    mechanism,
                    message: message.into(),
                }
                .into()),
                Err(error) => Err(distrusted(mechanism, &error.to_string()).into()),
            },
            // RFC 7628: an answer tells why the token is refused, and ours to it ends the exchange.
            Self::Oauth(_) if answer.is_empty() => Ok(None),
            Self::Oauth(_) => {
                let words = String::from_utf8_lossy(answer);
                *self = Self::Refused(words.chars().take(500).collect::<String>().into());
                Ok(Some(Zeroizing::new(oauth::END.to_vec())))
            }
            Self::Refused(message) => Err(SaslFailure::Refused {
                mechanism,
                message: Arc::clone(message),
            }
            .into()),
        }
    }
}

async fn propose(
    connection: &Connection,
    mechanism: &'static str,
    deadline: Instant,
) -> Result<(), HandshakeError> {
    let request = SaslHandshakeRequest {
        mechanism: mechanism.to_owned(),
    };
    // Version 0 is followed by messages without Kafka's headers, which no broker with SaslAuthenticate needs.
    connection.versions().highest::<SaslAuthenticateRequest>()?;
    let response = connection.start(&request, deadline)?.await?;
    match ErrorCode::check(response.error_code) {
        Ok(()) => Ok(()),
        Err(ErrorCode::UnsupportedSaslMechanism) => Err(SaslFailure::Mechanism {
            mechanism,
            enabled: response.mechanisms,
        }
        .into()),
        Err(ErrorCode::IllegalSaslState) => Err(SaslFailure::NotExpected.into()),
        Err(code) => Err(HandshakeError::Refused(code)),
    }
}

async fn send(
    connection: &Connection,
    mechanism: &'static str,
    message: &[u8],
    deadline: Instant,
) -> Result<SaslAuthenticateResponse, HandshakeError> {
    let request = SaslAuthenticateRequest {
        auth_bytes: Bytes::copy_from_slice(message),
    };
    let response = connection.start(&request, deadline)?.await?;
    match ErrorCode::check(response.error_code) {
        Ok(()) => Ok(response),
        Err(code) => {
            let words = response.error_message.filter(|words| !words.is_empty());
            let message = words.unwrap_or_else(|| code.description().to_owned());
            Err(SaslFailure::Refused {
                mechanism,
                message: message.into(),
            }
            .into())
        }
    }
}

fn distrusted(mechanism: &'static str, problem: &str) -> SaslFailure {
    SaslFailure::Distrusted {
        mechanism,
        problem: problem.into(),
    }
}
