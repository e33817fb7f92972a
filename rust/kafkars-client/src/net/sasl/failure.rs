//! Failures of SASL authentication.

use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::SecurityProblem;

/// The most mechanisms that an error lists; Kafka itself knows six.
const MOST_MECHANISMS: usize = 20;

/// Why an authentication failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaslFailure {
    /// The broker does not accept the credentials.
    #[error("{mechanism} authentication failed: {message}")]
    Refused {
        /// The SASL mechanism.
        mechanism: &'static str,
        /// The broker's error message.
        message: Arc<str>,
    },
    /// The broker failed to prove its identity, or broke the rules of the mechanism.
    #[error("{mechanism} authentication given up, the broker cannot be trusted: {problem}")]
    Distrusted {
        /// The SASL mechanism.
        mechanism: &'static str,
        /// What the broker did.
        problem: Arc<str>,
    },
    /// The broker does not offer the mechanism.
    #[error(
        "the broker does not offer sasl_mechanism={mechanism}; it offers {}",
        if enabled.is_empty() { "none".to_owned() } else { enabled.join(", ") }
    )]
    Mechanism {
        /// The SASL mechanism.
        mechanism: &'static str,
        /// The mechanisms that it offers.
        enabled: Vec<String>,
    },
    /// A file or function supplied no credentials.
    #[error("{mechanism}: no credentials: {problem}")]
    Credentials {
        /// The SASL mechanism.
        mechanism: &'static str,
        /// The error of the file or function.
        problem: Arc<str>,
    },
    /// The broker does not authenticate on this port.
    #[error(
        "the broker does not authenticate clients on this port: use the port of a SASL_PLAINTEXT or SASL_SSL listener, or another security_protocol"
    )]
    NotExpected,
    /// The broker closes connections on which requests come without a login.
    #[error(
        "the broker answers ApiVersions and closes the connection on the next request, so it may want a login: set \
         security_protocol to sasl_plaintext or sasl_ssl, and sasl_mechanism"
    )]
    Wanted,
    /// The broker closed the connection during authentication. Brokers before 1.0 refuse credentials so.
    #[error("the broker closed the connection during the {mechanism} handshake")]
    Closed {
        /// The SASL mechanism.
        mechanism: &'static str,
    },
    /// The broker closed the connection twice in a row, and has never let this client in.
    #[error("the broker closed the connection during the {mechanism} handshake, twice in a row")]
    NeverAnswers {
        /// The SASL mechanism.
        mechanism: &'static str,
    },
    /// The broker's answer is not of this handshake. Permanent once that has happened twice in a row.
    #[error(
        "the broker's answer to the {mechanism} handshake is not Kafka's{}: {problem}",
        if *is_repeated { ", twice in a row" } else { "" }
    )]
    Garbled {
        /// The SASL mechanism.
        mechanism: &'static str,
        /// What is wrong with the answer.
        problem: Arc<str>,
        /// True from the second time in a row on.
        is_repeated: bool,
    },
    /// The broker did not answer during authentication.
    #[error("no answer to the {mechanism} handshake within {} ms", limit.as_millis())]
    TimedOut {
        /// The SASL mechanism.
        mechanism: &'static str,
        /// The time limit.
        limit: Duration,
    },
}

impl SaslFailure {
    pub(super) fn distrusted(mechanism: &'static str, problem: &str) -> Self {
        Self::Distrusted {
            mechanism,
            problem: problem.into(),
        }
    }

    /// True if only a change of the settings or the broker can help, not time.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::TimedOut { .. } | Self::Closed { .. } => false,
            Self::Garbled { is_repeated, .. } => *is_repeated,
            Self::Refused { .. }
            | Self::Distrusted { .. }
            | Self::Mechanism { .. }
            | Self::Credentials { .. }
            | Self::NotExpected
            | Self::Wanted
            | Self::NeverAnswers { .. } => true,
        }
    }

    /// Returns the same failure with the broker's message passed through `shown`.
    pub(super) fn with_words(self, shown: impl Fn(&str) -> String) -> Self {
        match self {
            Self::Refused { mechanism, message } => Self::Refused {
                mechanism,
                message: shown(&message).into(),
            },
            Self::Distrusted { mechanism, problem } => Self::Distrusted {
                mechanism,
                problem: shown(&problem).into(),
            },
            Self::Mechanism { mechanism, enabled } => Self::Mechanism {
                mechanism,
                enabled: enabled
                    .iter()
                    .take(MOST_MECHANISMS)
                    .map(|name| shown(name))
                    .collect(),
            },
            Self::Credentials { .. }
            | Self::NotExpected
            | Self::Wanted
            | Self::Closed { .. }
            | Self::NeverAnswers { .. }
            | Self::Garbled { .. }
            | Self::TimedOut { .. } => self,
        }
    }

    /// The kind of security problem.
    #[must_use]
    pub fn problem(&self) -> SecurityProblem {
        match self {
            Self::Refused { .. } | Self::Distrusted { .. } => SecurityProblem::Authentication,
            Self::Wanted
            | Self::Closed { .. }
            | Self::NeverAnswers { .. }
            | Self::Garbled { .. } => SecurityProblem::Authentication,
            Self::Mechanism { .. } | Self::NotExpected => SecurityProblem::Mechanism,
            Self::Credentials { .. } => SecurityProblem::Credentials,
            Self::TimedOut { .. } => SecurityProblem::TimedOut,
        }
    }
}
