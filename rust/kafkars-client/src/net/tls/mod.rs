//! TLS by rustls. Certificates and keys are read from the files that settings name, and again whenever these change.

pub(crate) mod failure;
mod identity;
mod path;
mod reason;
mod revocations;
mod setting_files;
mod trust;
mod verifier;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::config::{
    ClientIdentity, ConfigError, Pem, Secret, SecretSource, TlsConfig, TlsVersion,
};
use parking_lot::Mutex;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::pki_types::ServerName;
use rustls::sign::SingleCertAndKey;
use rustls::{ClientConfig, SupportedProtocolVersion};
use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub use self::failure::TlsFailure;
use self::setting_files::{FileState, setting, states};

use super::file_reader::ReadingTurn;
use super::secrets;

/// Size of the buffer between rustls, which reads 4 KiB at a time, and the socket.
const READ_BUFFER: usize = 32 * 1024;

/// An encrypted byte stream to a broker.
pub(crate) type Stream = TlsStream<BufReader<TcpStream>>;

/// The TLS settings of one client, and the configuration made of them.
pub(crate) struct Tls {
    /// What log lines call the client.
    client: Arc<str>,
    config: TlsConfig,
    made: Mutex<Option<CachedConfig>>,
    /// Lets one thread at a time read the files.
    turn: ReadingTurn,
}

/// A configuration, and the state of the files it was made from. It also remembers sessions, which shortens later
/// handshakes with the same broker.
#[derive(Clone)]
struct CachedConfig {
    config: Arc<ClientConfig>,
    files: Vec<FileState>,
}

impl Tls {
    pub(crate) fn new(client: Arc<str>, config: TlsConfig) -> Self {
        Self {
            client,
            config,
            made: Mutex::new(None),
            turn: ReadingTurn::default(),
        }
    }

    /// Runs the TLS handshake on `stream`, within `limit`.
    pub(crate) async fn handshake(
        self: &Arc<Self>,
        stream: TcpStream,
        host: &str,
        limit: Duration,
    ) -> Result<Stream, TlsFailure> {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // A trailing dot makes a name absolute for DNS; names in certificates do not have it.
        let name = ServerName::try_from(host.trim_end_matches('.').to_owned())
            .map_err(|_| TlsFailure::Other(format!("{host:?} is not a host name").into()))?;
        // This has its own time limit, because a password may come from a function.
        let current = tokio::time::timeout(2 * limit, self.current(limit)).await;
        let config = current.unwrap_or_else(|_| {
            Err(TlsFailure::Other(
                "the files of the ssl_ settings cannot be read in time".into(),
            ))
        })?;
        let shaken = async {
            let stream = BufReader::with_capacity(READ_BUFFER, stream);
            let connected = TlsConnector::from(config).connect(name, stream).await;
            connected.map_err(|error| TlsFailure::of_handshake(&error, host))
        };
        let in_time = tokio::time::timeout(limit, shaken).await;
        in_time.unwrap_or(Err(TlsFailure::TimedOut(limit)))
    }

    /// Returns the configuration, made anew if a file has changed. New files that cannot be used change nothing:
    /// certificates are often renewed file by file.
    async fn current(self: &Arc<Self>, limit: Duration) -> Result<Arc<ClientConfig>, TlsFailure> {
        let tls = Arc::clone(self);
        let found = self.blocking(move || {
            let files = tls.files();
            let made = tls.made.lock().clone();
            (files, made)
        });
        let (files, made) = found.await?;
        if let Some(made) = &made
            && made.files == files
        {
            return Ok(Arc::clone(&made.config));
        }
        match (self.load(limit).await, made) {
            (Ok(config), _) => {
                let config = Arc::new(config);
                *self.made.lock() = Some(CachedConfig {
                    config: Arc::clone(&config),
                    files,
                });
                Ok(config)
            }
            (Err(failure), Some(made)) => {
                tracing::warn!(target: "kafkars::net", client = %self.client, %failure, "changed TLS files cannot be used; going on with the old ones");
                Ok(made.config)
            }
            (Err(failure), None) => Err(failure),
        }
    }

    async fn load(&self, limit: Duration) -> Result<ClientConfig, TlsFailure> {
        let password = match password_source(&self.config) {
            None => None,
            Some((name, source)) => {
                let given = secrets::resolve(source, limit).await;
                Some(given.map_err(|problem| setting(name, problem.to_string()))?)
            }
        };
        let config = self.config.clone();
        self.blocking(move || make(&config, password.as_ref()))
            .await?
    }

    /// Reads files on a thread of its own, not on the runtime's, which all clients of the process share.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, TlsFailure> {
        self.turn.read(work).await.map_err(TlsFailure::Other)
    }

    fn files(&self) -> Vec<FileState> {
        let config = &self.config;
        let mut paths: Vec<&PathBuf> = Vec::new();
        paths.extend(&config.ca_location);
        paths.extend(&config.crl_location);
        match &config.identity {
            None => {}
            Some(ClientIdentity::Pkcs12 { location, .. }) => paths.push(location),
            Some(ClientIdentity::Pem {
                certificate, key, ..
            }) => {
                for pem in std::iter::once(certificate).chain(key) {
                    if let Pem::File(path) = pem {
                        paths.push(path);
                    }
                }
            }
        }
        if let Some((_, SecretSource::File(path))) = password_source(config) {
            paths.push(path);
        }
        paths.into_iter().flat_map(states).collect()
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Tls").finish_non_exhaustive()
    }
}

/// Checks the settings by reading every file once. A function that gives a password is not called.
pub fn check(config: &TlsConfig) -> Result<(), ConfigError> {
    let password = match password_source(config) {
        Some((_, SecretSource::Call(_))) => {
            let without = TlsConfig {
                identity: None,
                ..config.clone()
            };
            return make(&without, None).map(drop).map_err(config_error);
        }
        Some((name, source)) => {
            let given = secrets::read_now(source);
            Some(given.map_err(|problem| ConfigError::new(name, problem.to_string()))?)
        }
        None => None,
    };
    make(config, password.as_ref())
        .map(drop)
        .map_err(config_error)
}

fn config_error(failure: TlsFailure) -> ConfigError {
    match failure {
        TlsFailure::Setting { setting, problem } => ConfigError::new(setting, &*problem),
        other => ConfigError::new("security_protocol", other.to_string()),
    }
}

fn make(config: &TlsConfig, password: Option<&Secret>) -> Result<ClientConfig, TlsFailure> {
    let provider = Arc::new(provider(config)?);
    let versions: Vec<&'static SupportedProtocolVersion> = config
        .protocols
        .iter()
        .map(|version| version_of(*version))
        .collect();
    let is_usable = |version: &&SupportedProtocolVersion| {
        let mut suites = provider.cipher_suites.iter();
        suites.any(|suite| suite.version().version == version.version)
    };
    if !versions.iter().any(is_usable) {
        let problem = "none of them is for a version of TLS that ssl_enabled_protocols allows";
        return Err(setting("ssl_cipher_suites", problem.to_owned()));
    }
    let verifier = verifier::Verifier::new(config, Arc::clone(&provider))?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&versions)
        .map_err(|error| setting("ssl_cipher_suites", error.to_string()))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    match &config.identity {
        None => Ok(builder.with_no_client_auth()),
        Some(identity) => {
            let (chain, key) = identity::load(identity, password)?;
            let pair = identity::pair(chain, key, builder.crypto_provider())?;
            Ok(builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(pair))))
        }
    }
}

fn provider(config: &TlsConfig) -> Result<CryptoProvider, TlsFailure> {
    let mut provider = aws_lc_rs::default_provider();
    if config.cipher_suites.is_empty() {
        return Ok(provider);
    }
    let known = std::mem::take(&mut provider.cipher_suites);
    // rustls writes TLS13_ where IANA writes TLS_.
    let name = |suite: &rustls::SupportedCipherSuite| {
        let name = format!("{:?}", suite.suite());
        name.replacen("TLS13_", "TLS_", 1)
    };
    for wanted in &config.cipher_suites {
        let Some(suite) = known.iter().find(|suite| name(suite) == *wanted) else {
            let names: Vec<String> = known.iter().map(name).collect();
            return Err(setting(
                "ssl_cipher_suites",
                format!(
                    "{} is not offered; known are {}",
                    shown_suite(wanted),
                    names.join(", ")
                ),
            ));
        };
        provider.cipher_suites.push(*suite);
    }
    Ok(provider)
}

/// Shows a cipher suite from the settings; what is not written like one may be a secret in the wrong place.
fn shown_suite(name: &str) -> String {
    let is_letter =
        |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    let begins = ["TLS_", "TLS13_", "ECDHE-", "DHE-", "AES128-", "AES256-"];
    let is_name = name.bytes().all(is_letter) && begins.iter().any(|begin| name.starts_with(begin));
    match is_name {
        true => format!("{name:?}"),
        false => "a name that was given".to_owned(),
    }
}

fn version_of(version: TlsVersion) -> &'static SupportedProtocolVersion {
    match version {
        TlsVersion::Tls12 => &rustls::version::TLS12,
        TlsVersion::Tls13 => &rustls::version::TLS13,
    }
}

fn password_source(config: &TlsConfig) -> Option<(&'static str, &SecretSource)> {
    match config.identity.as_ref()? {
        ClientIdentity::Pem { password, .. } => Some(("ssl_key_password", password.as_ref()?)),
        ClientIdentity::Pkcs12 { password, .. } => {
            Some(("ssl_keystore_password", password.as_ref()?))
        }
    }
}
