//! Why a broker and this client did not come to trust each other.

use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::SecurityProblem;

/// More than this are not listed; Kafka itself knows six.
const MOST_MECHANISMS: usize = 20;

/// What ended an authentication.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SaslFailure {
    /// The broker does not accept the credentials.
    #[error("{mechanism} authentication failed: {message}")]
    Refused {
        /// What was tried.
        mechanism: &'static str,
        /// The broker's own words.
        message: Arc<str>,
    },
    /// The broker could not prove who it is, or broke the rules of the mechanism.
    #[error("{mechanism} authentication given up, the broker cannot be trusted: {problem}")]
    Distrusted {
        /// What was tried.
        mechanism: &'static str,
        /// What it did.
        problem: Arc<str>,
    },
    /// The broker does not offer the mechanism.
    #[error(
        "the broker does not offer sasl_mechanism={mechanism}; it offers {}",
        if enabled.is_empty() { "none".to_owned() } else { enabled.join(", ") }
    )]
    Mechanism {
        /// What was asked for.
        mechanism: &'static str,
        /// What it offers.
        enabled: Vec<String>,
    },
    /// A file or function gave no credentials.
    #[error("{mechanism}: no credentials: {problem}")]
    Credentials {
        /// What was to be tried.
        mechanism: &'static str,
        /// What it said.
        problem: Arc<str>,
    },
    /// The broker does not authenticate on this port.
    #[error(
        "the broker does not authenticate clients on this port: use the port of a SASL_PLAINTEXT or SASL_SSL listener, or another security_protocol"
    )]
    NotExpected,
    /// The broker hangs up on whoever sends requests without a login.
    #[error(
        "the broker answers ApiVersions and closes the connection on the next request, so it may want a login: set \
         security_protocol to sasl_plaintext or sasl_ssl, and sasl_mechanism"
    )]
    Wanted,
    /// The broker hung up in between. Brokers before 1.0 refuse credentials so.
    #[error("the broker closed the connection during the {mechanism} handshake")]
    Closed {
        /// What was tried.
        mechanism: &'static str,
    },
    /// The same twice in a row, from a broker that has never let this client in.
    #[error("the broker closed the connection during the {mechanism} handshake, twice in a row")]
    NeverAnswers {
        /// What was tried.
        mechanism: &'static str,
    },
    /// The broker answered with something else than the handshake has. Final when it has done so twice in a row.
    #[error(
        "the broker's answer to the {mechanism} handshake is not Kafka's{}: {problem}",
        if *is_repeated { ", twice in a row" } else { "" }
    )]
    Garbled {
        /// What was tried.
        mechanism: &'static str,
        /// What is wrong with the answer.
        problem: Arc<str>,
        /// Whether it is the second time.
        is_repeated: bool,
    },
    /// The broker fell silent in between.
    #[error("no answer to the {mechanism} handshake within {} ms", limit.as_millis())]
    TimedOut {
        /// What was tried.
        mechanism: &'static str,
        /// How long it may take.
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

    /// Whether time alone cannot mend it.
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

    /// The same with what the broker has said passed through `shown`.
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

    /// Which kind of failure it is.
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
