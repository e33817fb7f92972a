//! The mechanisms that a listener can offer.

/// A way to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// The password travels as it is.
    Plain,
    /// Both sides prove that they know the password (RFC 7677).
    ScramSha256,
    /// SCRAM with SHA-512.
    ScramSha512,
    /// A token that nobody has signed, as Kafka takes them for tests.
    OAuthBearer,
}

impl SaslMechanism {
    /// All that the broker offers.
    pub const ALL: [Self; 4] = [
        Self::Plain,
        Self::ScramSha256,
        Self::ScramSha512,
        Self::OAuthBearer,
    ];

    /// The mechanism's name, such as `SCRAM-SHA-256`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
            Self::OAuthBearer => "OAUTHBEARER",
        }
    }
}
