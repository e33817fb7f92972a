//! Logins by SASL: the mechanisms, each a state machine without I/O, and what they have in common.

mod oauthbearer;
mod plain;
mod scram;
pub(crate) mod session;

use crate::scram::ScramCredentials;
use crate::security::hash::ScramHash;
use crate::security::users::Passwords;

/// A way to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaslMechanism {
    /// The password travels as it is.
    Plain,
    /// Both sides prove that they know the password (RFC 7677).
    ScramSha256,
    /// The same with SHA-512.
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

    /// Its name, such as `SCRAM-SHA-256`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "PLAIN",
            Self::ScramSha256 => "SCRAM-SHA-256",
            Self::ScramSha512 => "SCRAM-SHA-512",
            Self::OAuthBearer => "OAUTHBEARER",
        }
    }
}

/// What logins are checked against.
pub(crate) struct Directory<'a> {
    pub(crate) passwords: &'a Passwords,
    pub(crate) scram: &'a ScramCredentials,
    /// The broker's clock, in ms since 1970.
    pub(crate) now: i64,
}

/// What a message of the client comes to.
#[derive(Debug)]
pub(super) enum Progress {
    /// The client has to go on.
    Challenge(Vec<u8>),
    /// The client is who it says.
    Done {
        user: String,
        answer: Vec<u8>,
        /// When the credential ends, in ms since 1970.
        ends_at: Option<i64>,
    },
}

/// Why a login fails, in the words that Kafka has for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// The mechanism's own words.
    Told(String),
    /// The client hears only that it failed.
    Untold,
}

impl Failure {
    pub(super) fn told(words: &str) -> Self {
        Self::Told(format!("Authentication failed: {words}"))
    }

    /// What the client hears.
    pub(super) fn message(self, mechanism: SaslMechanism) -> String {
        match self {
            Self::Told(words) => words,
            Self::Untold => format!(
                "Authentication failed during authentication due to invalid credentials with SASL mechanism {}",
                mechanism.name()
            ),
        }
    }
}

/// One login on its way.
pub(super) enum Exchange {
    Plain,
    Scram(scram::Scram),
    OAuthBearer(oauthbearer::OAuthBearer),
}

impl Exchange {
    pub(super) fn new(mechanism: SaslMechanism) -> Self {
        match mechanism {
            SaslMechanism::Plain => Self::Plain,
            SaslMechanism::ScramSha256 => Self::Scram(scram::Scram::new(ScramHash::Sha256)),
            SaslMechanism::ScramSha512 => Self::Scram(scram::Scram::new(ScramHash::Sha512)),
            SaslMechanism::OAuthBearer => Self::OAuthBearer(oauthbearer::OAuthBearer::default()),
        }
    }

    /// Takes a message of the client.
    pub(super) fn take(
        &mut self,
        message: &[u8],
        directory: &Directory<'_>,
    ) -> Result<Progress, Failure> {
        match self {
            Self::Plain => plain::check(message, directory),
            Self::Scram(scram) => scram.take(message, directory),
            Self::OAuthBearer(oauthbearer) => oauthbearer.take(message, directory),
        }
    }
}

/// A name as it stands in messages of SCRAM and OAUTHBEARER (RFC 5801): `,` and `=` are written as `=2C` and `=3D`.
fn sasl_name(text: &str) -> Option<String> {
    let mut parts = text.split('=');
    let mut name = parts.next()?.to_owned();
    for part in parts {
        let (character, rest) = match part.get(..2)? {
            "2C" => (',', part.get(2..)?),
            "3D" => ('=', part.get(2..)?),
            _ => return None,
        };
        name.push(character);
        name.push_str(rest);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_the_way_they_are_written() {
        assert_eq!(sasl_name("alice").as_deref(), Some("alice"));
        assert_eq!(sasl_name("a=2Cb=3D=2C").as_deref(), Some("a,b=,"));
        for wrong in ["a=", "a=2", "a=2c", "a=é"] {
            assert_eq!(sasl_name(wrong), None, "{wrong}");
        }
    }
}
