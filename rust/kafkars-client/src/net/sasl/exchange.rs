//! The state of an authentication, for every mechanism.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kafkars_core::config::{
    AwsCredentials, AwsMskIamConfig, SaslConfig, Secret, SecretSource, TokenSource,
};
use zeroize::Zeroizing;

use super::blocking_queue::BlockingQueue;
use super::broker_words::LoginSecrets;
use super::failure::SaslFailure;
use super::gssapi::{Gssapi, GssapiError};
use super::scram::{Scram, ScramError};
use super::{aws_msk_iam, oauth, plain};
use crate::net::secrets::{filled, resolve_login, within};

/// Getting a ticket may involve both, so a time-out names both.
const KERBEROS: &str = "Kerberos (a key distribution centre or a name service)";

/// A message of the client.
pub(super) type SaslMessage = Zeroizing<Vec<u8>>;

/// The state of an authentication.
pub(super) enum Authentication {
    /// One message, to which the broker sends an empty answer.
    Single(SaslMessage),
    /// One message, to which the broker sends an answer.
    Answered(SaslMessage),
    Scram(Scram),
    Oauth(SaslMessage),
    Gssapi(Gssapi),
    /// The broker has refused the token, with this answer.
    Refused(Arc<str>),
}

impl Authentication {
    /// Fetches the credentials, and adds to `secrets` those that the broker may learn. The error says why there are
    /// none.
    pub(super) async fn begin(
        config: &SaslConfig,
        host: &str,
        kerberos: &BlockingQueue,
        limit: Duration,
        secrets: &mut LoginSecrets,
    ) -> Result<Self, Arc<str>> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match config {
            SaslConfig::Plain { username, password } => {
                let username = resolve_login(username, limit, "sasl_username").await?;
                let password = resolve_login(password, limit, "sasl_password").await?;
                secrets.add(&password);
                secrets.add_given(&username);
                secrets.add_given(&password);
                plain::message(username.expose(), password.expose()).map(Self::Single)
            }
            SaslConfig::Scram {
                hash,
                username,
                password,
            } => {
                let username = resolve_login(username, limit, "sasl_username").await?;
                let password = resolve_login(password, limit, "sasl_password").await?;
                secrets.add(&password);
                secrets.add_given(&username);
                secrets.add_given(&password);
                let scram = Scram::new(*hash, username.expose(), password);
                scram
                    .map(Self::Scram)
                    .map_err(|error| error.to_string().into())
            }
            SaslConfig::OauthBearer { source, extensions } => {
                let token = match source {
                    TokenSource::Call(call) => {
                        within(limit, &call.0.name(), call.0.provide()).await?
                    }
                    TokenSource::AwsMskIam(config) => {
                        let (credentials, region) = aws(config, None, limit).await?;
                        aws_msk_iam::token(&credentials, &region, SystemTime::now())
                    }
                };
                secrets.add(&token.value);
                oauth::message(&token, extensions).map(Self::Oauth)
            }
            SaslConfig::Gssapi(config) => {
                let service = config.domain_name.as_deref().unwrap_or(host);
                let service = format!("{}@{service}", config.service_name);
                let begun = Gssapi::begin(config.clone(), service, kerberos.share());
                within(limit, KERBEROS, begun).await.map(Self::Gssapi)
            }
            SaslConfig::AwsMskIam(config) => {
                let (credentials, region) = aws(config, Some(host), limit).await?;
                secrets.add_given(&Secret::new(credentials.access_key_id.as_str()));
                let token = credentials.session_token.as_ref();
                for secret in [&credentials.secret_access_key].into_iter().chain(token) {
                    secrets.add(secret);
                    secrets.add_given(secret);
                }
                let now = SystemTime::now();
                let (message, signature) = aws_msk_iam::message(&credentials, &region, host, now);
                secrets.add(&signature);
                Ok(Self::Answered(message))
            }
        }
    }

    /// The client's first message.
    pub(super) fn first(&mut self) -> SaslMessage {
        match self {
            Self::Single(message) | Self::Answered(message) | Self::Oauth(message) => {
                std::mem::take(message)
            }
            Self::Scram(scram) => Zeroizing::new(scram.first()),
            Self::Gssapi(gssapi) => Zeroizing::new(gssapi.first()),
            Self::Refused(_) => SaslMessage::default(),
        }
    }

    /// The client's next message after one of the broker; `None` if the exchange is complete.
    pub(super) async fn answer(
        &mut self,
        mechanism: &'static str,
        answer: &[u8],
    ) -> Result<Option<SaslMessage>, SaslFailure> {
        match self {
            Self::Single(_) | Self::Oauth(_) if answer.is_empty() => Ok(None),
            Self::Single(_) => Err(SaslFailure::distrusted(
                mechanism,
                "it answers where nothing is due",
            )),
            Self::Answered(_) if answer.is_empty() => {
                Err(SaslFailure::distrusted(mechanism, "its answer is empty"))
            }
            Self::Answered(_) => Ok(None),
            Self::Scram(scram) => match scram.answer(answer) {
                Ok(next) => Ok(next.map(Zeroizing::new)),
                Err(ScramError::Refused(message)) => Err(SaslFailure::Refused {
                    mechanism,
                    message: message.into(),
                }),
                Err(error) => Err(SaslFailure::distrusted(mechanism, &error.to_string())),
            },
            // RFC 7628: the broker's answer says why it refuses the token, and one more message of the client ends the
            // exchange.
            Self::Oauth(_) => {
                let words = String::from_utf8_lossy(answer);
                *self = Self::Refused(words.into());
                Ok(Some(Zeroizing::new(oauth::END.to_vec())))
            }
            Self::Gssapi(gssapi) => match gssapi.answer(answer).await {
                Ok(next) => Ok(next.map(Zeroizing::new)),
                Err(GssapiError(problem)) => Err(SaslFailure::distrusted(mechanism, &problem)),
            },
            Self::Refused(message) => Err(SaslFailure::Refused {
                mechanism,
                message: Arc::clone(message),
            }),
        }
    }
}

async fn aws(
    config: &AwsMskIamConfig,
    host: Option<&str>,
    limit: Duration,
) -> Result<(AwsCredentials, String), Arc<str>> {
    let source = &config.credentials.0;
    let credentials = within(limit, &source.name(), source.provide()).await?;
    // These sign a request: an empty one would sign it without a secret.
    let given = [
        ("the secret key", Some(&credentials.secret_access_key)),
        ("the session token", credentials.session_token.as_ref()),
    ];
    for (name, secret) in given {
        secret.map_or(Ok(()), |secret| filled(secret, name))?;
    }
    let region = config.region.clone().or_else(|| credentials.region.clone());
    let region = region.or_else(|| host.and_then(aws_msk_iam::region_of).map(str::to_owned));
    match region {
        Some(region) => Ok((credentials, region)),
        None => Err(
            "no AWS region is known: set sasl_aws_msk_iam_region, or AWS_REGION in the environment, or region in the profile"
                .into(),
        ),
    }
}

/// The name, for error messages, of the source that is asked for credentials.
pub(super) fn source_name(config: &SaslConfig) -> Arc<str> {
    match config {
        SaslConfig::Plain { password, .. } | SaslConfig::Scram { password, .. } => match password {
            SecretSource::Value(_) => "sasl_password".into(),
            SecretSource::File(path) => path.display().to_string().into(),
            SecretSource::Call(call) => call.0.name(),
        },
        SaslConfig::OauthBearer { source, .. } => match source {
            TokenSource::Call(call) => call.0.name(),
            TokenSource::AwsMskIam(config) => config.credentials.0.name(),
        },
        SaslConfig::Gssapi(_) => KERBEROS.into(),
        SaslConfig::AwsMskIam(config) => config.credentials.0.name(),
    }
}
