//! What a caller should do about an error.

/// What a caller should do about an error, which every public error says by its `kind()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Trying again later may work; the client already did so for as long as its settings allow.
    Retriable,
    /// Credentials were refused or have expired.
    Authentication,
    /// The call, its data or a setting must change.
    Invalid,
    /// The transaction is lost; abort it, then it may be tried again.
    Abortable,
    /// This client cannot go on; make a new one.
    Fatal,
}

/// Which part of a TLS or SASL handshake with a broker failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SecurityProblem {
    /// A certificate was not accepted: the broker's by this client, or the client's by the broker.
    Certificate,
    /// TLS failed for another reason.
    Tls,
    /// The broker did not accept the client's credentials, or could not prove that it knows them.
    Authentication,
    /// The broker does not offer the mechanism.
    Mechanism,
    /// A file or function gave no credentials.
    Credentials,
    /// The broker did not answer in the middle of a handshake.
    TimedOut,
}

/// A handshake that failed, with the broker it was with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address}: {cause}")]
pub struct SecurityError {
    /// What kind of failure.
    pub problem: SecurityProblem,
    /// The broker's `host:port`.
    pub address: std::sync::Arc<str>,
    /// A text that says what happened. Never has a secret in it.
    pub cause: std::sync::Arc<str>,
}

impl SecurityError {
    /// What the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.problem {
            SecurityProblem::TimedOut => ErrorKind::Retriable,
            SecurityProblem::Authentication | SecurityProblem::Credentials => {
                ErrorKind::Authentication
            }
            SecurityProblem::Certificate | SecurityProblem::Tls | SecurityProblem::Mechanism => {
                ErrorKind::Invalid
            }
        }
    }
}

/// The message of an error that none of the bootstrap addresses, each with its cause, led to a cluster.
pub fn no_cluster<E: std::fmt::Display>(causes: &[(std::sync::Arc<str>, E)]) -> String {
    if causes.is_empty() {
        return "no bootstrap server is named: there is no cluster to connect to".to_owned();
    }
    format!("no bootstrap server leads to a cluster: {}", list(causes))
}

/// Joins `address: cause` of all, as error messages list what was tried.
pub fn list<E: std::fmt::Display>(causes: &[(std::sync::Arc<str>, E)]) -> String {
    let entries: Vec<String> = causes
        .iter()
        .map(|(address, cause)| format!("{address}: {cause}"))
        .collect();
    entries.join("; ")
}
