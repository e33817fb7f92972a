//! Kafka's security protocols.

/// The `security.protocol` of a client's connections, or of a broker's listener.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecurityProtocol {
    /// No encryption and no authentication: all clients are `ANONYMOUS` to the broker.
    #[default]
    Plaintext,
    /// TLS; a client is authenticated by its certificate, if it presents one.
    Ssl,
    /// Authentication by SASL, without encryption.
    SaslPlaintext,
    /// Authentication by SASL, encrypted by TLS.
    SaslSsl,
}

impl SecurityProtocol {
    /// All security protocols.
    pub const ALL: [Self; 4] = [
        Self::Plaintext,
        Self::Ssl,
        Self::SaslPlaintext,
        Self::SaslSsl,
    ];

    /// Kafka's name, such as `SASL_SSL`.
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

    /// True if clients authenticate by SASL.
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
