//! How a connection is protected.

/// Kafka's `security.protocol`: of a client's connections, or of a broker's listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecurityProtocol {
    /// Neither encrypted nor authenticated: to a broker everybody is `ANONYMOUS`.
    #[default]
    Plaintext,
    /// TLS; a client is who its certificate says, if it shows one.
    Ssl,
    /// A login by SASL, without encryption.
    SaslPlaintext,
    /// A login by SASL inside TLS.
    SaslSsl,
}

impl SecurityProtocol {
    /// All of them.
    pub const ALL: [Self; 4] = [
        Self::Plaintext,
        Self::Ssl,
        Self::SaslPlaintext,
        Self::SaslSsl,
    ];

    /// Kafka's name for it, such as `SASL_SSL`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plaintext => "PLAINTEXT",
            Self::Ssl => "SSL",
            Self::SaslPlaintext => "SASL_PLAINTEXT",
            Self::SaslSsl => "SASL_SSL",
        }
    }

    /// True if connections are encrypted.
    #[must_use]
    pub fn has_tls(self) -> bool {
        matches!(self, Self::Ssl | Self::SaslSsl)
    }

    /// True if clients have to log in.
    #[must_use]
    pub fn has_sasl(self) -> bool {
        matches!(self, Self::SaslPlaintext | Self::SaslSsl)
    }

    /// True if there is neither encryption nor authentication.
    #[must_use]
    pub fn is_plaintext(self) -> bool {
        self == Self::Plaintext
    }
}
