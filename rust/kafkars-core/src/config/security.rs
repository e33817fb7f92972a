//! Settings of how connections are protected: TLS and SASL.

use std::path::PathBuf;

pub use kafkars_protocol::SecurityProtocol;

use super::aws::AwsMskIamConfig;
use super::error::ConfigError;
use super::kerberos::KerberosConfig;
use super::secret::{Callback, Secret, SecretSource};

/// How connections are protected.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SecurityConfig {
    /// Default plaintext.
    pub protocol: SecurityProtocol,
    /// Used when the protocol has TLS.
    pub tls: TlsConfig,
    /// Needed when the protocol has SASL.
    pub sasl: Option<SaslConfig>,
}

/// A version of TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsVersion {
    /// TLS 1.2.
    Tls12,
    /// TLS 1.3.
    Tls13,
}

/// Settings of TLS: the authorities that are trusted, and the client's own certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsConfig {
    /// A PEM file, or a directory of such files, with the authorities to believe.
    pub ca_location: Option<PathBuf>,
    /// The same as PEM text. Without either, the system's authorities are believed.
    pub ca_pem: Option<String>,
    /// A PEM file with lists of revoked certificates.
    pub crl_location: Option<PathBuf>,
    /// The client's own certificate; none by default.
    pub identity: Option<ClientIdentity>,
    /// Whether the broker's certificate must name the host that is connected to. Default true.
    pub verify_host_name: bool,
    /// Versions that may be spoken. Default both.
    pub protocols: Vec<TlsVersion>,
    /// Names of the cipher suites that may be used, as IANA writes them; all that are safe when empty.
    pub cipher_suites: Vec<String>,
}

impl Default for TlsConfig {
    fn default() -> Self {
        Self {
            ca_location: None,
            ca_pem: None,
            crl_location: None,
            identity: None,
            verify_host_name: true,
            protocols: vec![TlsVersion::Tls12, TlsVersion::Tls13],
            cipher_suites: Vec::new(),
        }
    }
}

/// PEM, in a file or as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pem {
    /// A file, read again after it has changed.
    File(PathBuf),
    /// The text itself.
    Text(Secret),
}

/// A client's certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClientIdentity {
    /// A chain of certificates and a key.
    Pem {
        /// The client's certificate first, then those between it and the authority.
        certificate: Pem,
        /// The key; in the same place as the certificate when `None`.
        key: Option<Pem>,
        /// The password of an encrypted key.
        password: Option<SecretSource>,
    },
    /// Both in a PKCS#12 file.
    Pkcs12 {
        /// The file, read again after it has changed.
        location: PathBuf,
        /// The password of the file.
        password: Option<SecretSource>,
    },
}

/// The hash of a SCRAM mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScramHash {
    /// SCRAM-SHA-256.
    Sha256,
    /// SCRAM-SHA-512.
    Sha512,
}

/// A SASL mechanism and its credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaslConfig {
    /// PLAIN: the password is sent as it is.
    Plain {
        /// The user name.
        username: SecretSource,
        /// The password.
        password: SecretSource,
    },
    /// SCRAM: the password is not sent; both sides prove that they know it (RFC 5802, RFC 7677).
    Scram {
        /// Which of the two.
        hash: ScramHash,
        /// The user name.
        username: SecretSource,
        /// The password.
        password: SecretSource,
    },
    /// OAUTHBEARER: a token from an authorization server (RFC 7628).
    OauthBearer {
        /// Where tokens come from.
        source: TokenSource,
        /// Sent along with the token.
        extensions: Vec<(String, String)>,
    },
    /// Kerberos (RFC 4752): a ticket, and the broker's proof that it is who the ticket is for.
    Gssapi(KerberosConfig),
    /// A request that is signed with keys of AWS.
    AwsMskIam(AwsMskIamConfig),
}

/// Where tokens of OAUTHBEARER come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenSource {
    /// A function of the application.
    Call(Callback<Token>),
    /// A signed request to Amazon's managed Kafka, written as a token.
    AwsMskIam(AwsMskIamConfig),
}

/// A token and how long it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// The token itself.
    pub value: Secret,
    /// When it ends; taken from a JWT's `exp` when `None`.
    pub expires_at: Option<std::time::SystemTime>,
    /// Extensions for this token alone, after those of the settings.
    pub extensions: Vec<(String, String)>,
}

impl SaslConfig {
    /// The mechanism's name on the wire.
    #[must_use]
    pub fn mechanism(&self) -> &'static str {
        match self {
            Self::Plain { .. } => "PLAIN",
            Self::Scram {
                hash: ScramHash::Sha256,
                ..
            } => "SCRAM-SHA-256",
            Self::Scram {
                hash: ScramHash::Sha512,
                ..
            } => "SCRAM-SHA-512",
            Self::OauthBearer { .. } => "OAUTHBEARER",
            Self::Gssapi(_) => "GSSAPI",
            Self::AwsMskIam(_) => "AWS_MSK_IAM",
        }
    }
}

impl SecurityConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        let problem = |setting, text: String| Err(ConfigError::new(setting, text));
        let name = self.protocol.name();
        if self.protocol.has_sasl() && self.sasl.is_none() {
            return problem(
                "sasl_mechanism",
                format!("is missing; security_protocol={name} needs one"),
            );
        }
        if !self.protocol.has_sasl() && self.sasl.is_some() {
            return problem(
                "sasl_mechanism",
                format!(
                    "is given, but security_protocol={name} does not authenticate; use SASL_SSL or SASL_PLAINTEXT"
                ),
            );
        }
        if !self.protocol.has_tls() && self.tls != TlsConfig::default() {
            return problem(
                "security_protocol",
                format!(
                    "{name} does not encrypt, but a setting that begins with ssl_ is given; use SSL or SASL_SSL"
                ),
            );
        }
        if self.tls.protocols.is_empty() {
            return problem(
                "ssl_enabled_protocols",
                "is empty; name TLSv1.2, TLSv1.3 or both".to_owned(),
            );
        }
        Ok(())
    }
}
