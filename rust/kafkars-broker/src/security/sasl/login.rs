//! A mechanism checks a login against a directory, and makes progress or a failure of each message.

use super::mechanism::SaslMechanism;
use crate::scram::ScramCredentials;
use crate::security::users::Passwords;

/// The users that logins are checked against.
pub(crate) struct Directory<'a> {
    pub(crate) passwords: &'a Passwords,
    pub(crate) scram: &'a ScramCredentials,
    /// The broker's clock, in ms since 1970.
    pub(crate) now: i64,
}

/// The progress that a message of the client makes.
#[derive(Debug)]
pub(super) enum LoginProgress {
    /// The client has to go on.
    Challenge(Vec<u8>),
    /// The client is who it says.
    Done {
        user: String,
        answer: Vec<u8>,
        /// The time when the credential ends, in ms since 1970.
        ends_at: Option<i64>,
    },
}

/// The reason why a login fails, in the words that Kafka has for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LoginFailure {
    /// The mechanism's own words.
    Reason(String),
    /// The client hears only that it failed.
    InvalidCredentials,
}

impl LoginFailure {
    pub(super) fn reason(words: &str) -> Self {
        Self::Reason(format!("Authentication failed: {words}"))
    }

    /// The words that the client hears.
    pub(super) fn message(self, mechanism: SaslMechanism) -> String {
        match self {
            Self::Reason(words) => words,
            Self::InvalidCredentials => format!(
                "Authentication failed during authentication due to invalid credentials with SASL mechanism {}",
                mechanism.name()
            ),
        }
    }
}
