//! Where an authentication stands, whatever its mechanism.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kafkars_core::config::{
    AwsCredentials, AwsMskIamConfig, SaslConfig, Secret, SecretSource, TokenSource,
};
use zeroize::Zeroizing;

use super::broker_words::LoginSecrets;
use super::failure::SaslFailure;
use super::gssapi::{Gssapi, GssapiError};
use super::line::Line;
use super::scram::{Scram, ScramError};
use super::{aws_msk_iam, oauth, plain};
use crate::net::secrets::{filled, resolve_login, within};

/// Both are asked for a ticket.
const KERBEROS: &str = "Kerberos (a key distribution centre or a name service)";

/// What a client sends.
pub(super) type SaslMessage = Zeroizing<Vec<u8>>;

/// Where an authentication stands.
pub(super) enum Authentication {
    /// One message says all, and the broker has nothing to say.
    Single(SaslMessage),
    /// One message says all, and the broker answers it.
    Answered(SaslMessage),
    Scram(Scram),
    Oauth(SaslMessage),
    Gssapi(Gssapi),
    /// The broker has refused the token; the words that it gave.
    Refused(Arc<str>),
}

impl Authentication {
    /// Gets the credentials, and notes in `secrets` what of them the broker may come to know. The error says why there
    /// are none.
    pub(super) async fn begin(
        config: &SaslConfig,
        host: &str,
        kerberos: &Line,
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

    /// Our first message.
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

    /// What is due after an answer; `None` when all is said.
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
            // RFC 7628: an answer tells why the token is refused, and ours to it ends the exchange.
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
    // They are for signing: a signature by nothing would be sent.
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

/// What is asked for credentials, as messages name it.
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
