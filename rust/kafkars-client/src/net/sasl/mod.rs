//! SASL on a new connection: SaslHandshake names the mechanism, SaslAuthenticate carries its messages.
//!
//! Credentials are fetched before the exchange begins, so that a slow source of them is not mistaken for a silent
//! broker.

mod aws_msk_iam;
mod blocking_queue;
mod broker_words;
mod exchange;
pub(crate) mod failure;
mod gssapi;
mod oauth;
mod plain;
mod scram;
mod sigv4;

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_core::config::{SaslConfig, Secret, TokenSource};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::sasl_authenticate::SaslAuthenticateRequest;
use kafkars_protocol::messages::sasl_handshake::SaslHandshakeRequest;

use self::blocking_queue::BlockingQueue;
use self::broker_words::LoginSecrets;
use self::exchange::Authentication;
pub use self::failure::SaslFailure;
pub(crate) use self::scram::salted_password;

use super::connection::Connection;
use super::handshake_error::HandshakeError;
use crate::error::AttemptError;

/// The most messages of an exchange; no mechanism needs more, and a broker that goes on for ever is cut off.
const MOST_MESSAGES: usize = 8;

/// Authenticates the connections of one client.
#[derive(Debug)]
pub(crate) struct Authenticator {
    config: SaslConfig,
    /// Time limit for fetching credentials.
    limit: Duration,
    /// Kerberos waits for servers of its own, so its calls run one at a time, each on a thread of its own.
    kerberos: BlockingQueue,
}

/// The credentials for one connection, before anything was sent to the broker.
pub(crate) struct Login {
    exchange: Authentication,
    /// What must be masked in the broker's messages.
    secrets: LoginSecrets,
}

impl Login {
    /// The parts of the credentials, if they come in several.
    pub(crate) fn given(&self) -> &[Secret] {
        self.secrets.given()
    }
}

/// The framing of SASL messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrier {
    /// In SaslAuthenticate requests.
    Requests,
    /// Bare, after their length: after version 0 of SaslHandshake, for brokers before 1.0.
    Tokens,
}

impl Authenticator {
    pub(crate) fn new(config: SaslConfig, limit: Duration) -> Self {
        Self {
            config,
            limit,
            kerberos: BlockingQueue::default(),
        }
    }

    /// The mechanism's name on the wire.
    pub(crate) fn mechanism(&self) -> &'static str {
        self.config.mechanism()
    }

    /// The name, for error messages, of the source that is asked for credentials.
    pub(crate) fn source_name(&self) -> Arc<str> {
        exchange::source_name(&self.config)
    }

    /// Fetches the credentials for a connection to `host`.
    pub(crate) async fn prepare(&self, host: &str) -> Result<Login, SaslFailure> {
        let mut secrets = LoginSecrets::default();
        let begun =
            Authentication::begin(&self.config, host, &self.kerberos, self.limit, &mut secrets);
        match begun.await {
            Ok(exchange) => Ok(Login { exchange, secrets }),
            Err(problem) => Err(SaslFailure::Credentials {
                mechanism: self.mechanism(),
                problem,
            }),
        }
    }

    /// True if the credentials now differ from those of a login that was refused. Credentials in several parts may be
    /// changed between reading one part and the next, so that the login had a mixture. Credentials in one piece do not
    /// count: their source keeps to them until it is told that they were refused.
    pub(crate) async fn gives_others(&self, host: &str, earlier: &[Secret]) -> bool {
        if earlier.is_empty() {
            return false;
        }
        let now = self.prepare(host).await;
        now.is_ok_and(|login| login.given() != earlier)
    }

    /// Authenticates the connection. Returns how long the login is valid; zero means as long as the connection lives.
    pub(crate) async fn authenticate(
        &self,
        connection: &Connection,
        Login { exchange, secrets }: Login,
        deadline: Instant,
    ) -> Result<Duration, HandshakeError> {
        let outcome = self.exchange(connection, exchange, deadline).await;
        if let Err(HandshakeError::Sasl(SaslFailure::Refused { .. })) = &outcome
            && let SaslConfig::OauthBearer {
                source: TokenSource::Call(call),
                ..
            } = &self.config
        {
            call.0.refused();
        }
        outcome.map_err(|error| match error {
            HandshakeError::Sasl(failure) => failure.with_words(|words| secrets.mask(words)).into(),
            other => other,
        })
    }

    async fn exchange(
        &self,
        connection: &Connection,
        mut exchange: Authentication,
        deadline: Instant,
    ) -> Result<Duration, HandshakeError> {
        let mechanism = self.mechanism();
        let carrier = propose(connection, mechanism, deadline).await?;
        let mut message = exchange.first();
        for _ in 0..MOST_MESSAGES {
            let sent = match carrier {
                Carrier::Requests => send(connection, mechanism, &message, deadline).await,
                Carrier::Tokens => send_token(connection, mechanism, &message, deadline).await,
            };
            let (answer, lifetime) = sent?;
            match exchange.answer(mechanism, &answer).await? {
                Some(next) => message = next,
                None => {
                    connection.expect_tokens(false);
                    return Ok(lifetime);
                }
            }
        }
        Err(SaslFailure::distrusted(mechanism, "it goes on for ever").into())
    }
}

async fn propose(
    connection: &Connection,
    mechanism: &'static str,
    deadline: Instant,
) -> Result<Carrier, HandshakeError> {
    let request = SaslHandshakeRequest {
        mechanism: mechanism.to_owned(),
    };
    let newest = connection.versions().highest::<SaslHandshakeRequest>()?;
    let knows_requests = connection.versions().highest::<SaslAuthenticateRequest>();
    let carrier = match newest > 0 && knows_requests.is_ok() {
        true => Carrier::Requests,
        false => Carrier::Tokens,
    };
    let version = match carrier {
        Carrier::Requests => newest,
        Carrier::Tokens => 0,
    };
    let response = connection
        .start_version(&request, version, deadline)?
        .await?;
    match ErrorCode::check(response.error_code) {
        Ok(()) => Ok(carrier),
        Err(ErrorCode::UnsupportedSaslMechanism) => Err(SaslFailure::Mechanism {
            mechanism,
            enabled: response.mechanisms,
        }
        .into()),
        Err(ErrorCode::IllegalSaslState) => Err(SaslFailure::NotExpected.into()),
        Err(code) => Err(HandshakeError::Refused(code)),
    }
}

type SaslResponse = (Bytes, Duration);

async fn send(
    connection: &Connection,
    mechanism: &'static str,
    message: &[u8],
    deadline: Instant,
) -> Result<SaslResponse, HandshakeError> {
    let request = SaslAuthenticateRequest {
        auth_bytes: Bytes::copy_from_slice(message),
    };
    let response = connection.start(&request, deadline)?.await?;
    match ErrorCode::check(response.error_code) {
        Ok(()) => {
            let lifetime = u64::try_from(response.session_lifetime_ms).unwrap_or(0);
            Ok((response.auth_bytes, Duration::from_millis(lifetime)))
        }
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

/// Sends a message without a header. The broker has no error message here: it closes the connection.
async fn send_token(
    connection: &Connection,
    mechanism: &'static str,
    message: &[u8],
    deadline: Instant,
) -> Result<SaslResponse, HandshakeError> {
    connection.expect_tokens(true);
    let answer = connection.start_token(Bytes::copy_from_slice(message), deadline)?;
    match answer.await {
        Ok(answer) => Ok((answer, Duration::ZERO)),
        Err(AttemptError::Disconnected(_)) => Err(SaslFailure::Refused {
            mechanism,
            message: "the broker closed the connection, as brokers before 1.0 do with credentials that they do not accept"
                .into(),
        }
        .into()),
        Err(error) => Err(error.into()),
    }
}
