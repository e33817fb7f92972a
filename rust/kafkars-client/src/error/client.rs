//! The failure of a call of the client.

use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::{ErrorKind, SecurityError, list, no_cluster};
use kafkars_protocol::ErrorCode;

use super::attempt::AttemptError;
use super::bootstrap::{BootstrapCause, BootstrapCauses, handshakes};
use super::connect::ConnectCause;

/// Why a call of the client failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// No bootstrap address led to a cluster; each address has its own cause.
    #[error("{}", no_cluster(.0))]
    Bootstrap(BootstrapCauses),
    /// The deadline passed.
    #[error("{operation} not done within {} ms; last cause: {cause}", waited.as_millis())]
    TimedOut {
        /// The operation that timed out.
        operation: Arc<str>,
        /// How long the caller waited.
        waited: Duration,
        /// What the last try has met; what those before it have met, if the end of the call has cut it off.
        cause: Arc<str>,
    },
    /// A broker answered with an error code.
    #[error(
        "{}{}: {}",
        code.name(),
        place(topic.as_deref(), *partition, subject.as_deref()),
        told(message.as_deref()).unwrap_or_else(|| code.description())
    )]
    Broker {
        /// The error code.
        code: ErrorCode,
        /// The topic it is about.
        topic: Option<Arc<str>>,
        /// The partition it is about.
        partition: Option<i32>,
        /// What it is about where that is no topic, such as `group "g"`.
        subject: Option<Arc<str>>,
        /// The broker's error message, where it sent one.
        message: Option<Arc<str>>,
    },
    /// A name that no topic can have.
    #[error(
        "{0:?} is not a topic name: 1 to 249 characters from a-z, A-Z, 0-9, '.', '_' and '-' are allowed"
    )]
    InvalidTopic(Arc<str>),
    /// The client was closed.
    #[error("the client is closed")]
    Closed,
    /// One try failed in a way that no other try can help.
    #[error(transparent)]
    Attempt(#[from] AttemptError),
    /// No broker that could be asked has answered, and some refuse for good.
    #[error("{operation} is not answered by any broker: {}", list(causes))]
    NoBroker {
        /// The operation that failed.
        operation: Arc<str>,
        /// The brokers' addresses, each with its failure; the first refusal comes first.
        causes: Vec<(Arc<str>, AttemptError)>,
    },
}

/// What brokers send of an unknown topic where they have nothing to add to the code; ours says what to do about it.
const UNKNOWN_TOPIC: &str = "This server does not host this topic-partition.";

fn told(message: Option<&str>) -> Option<&str> {
    message.filter(|message| *message != UNKNOWN_TOPIC)
}

impl ClientError {
    /// The same, where it is a refusal that names nothing: what was asked about.
    pub(crate) fn about(self, what: &str) -> Self {
        match self {
            Self::Broker {
                code,
                topic: None,
                partition,
                subject: None,
                message,
            } => Self::Broker {
                code,
                topic: None,
                partition,
                subject: Some(what.into()),
                message,
            },
            other => other,
        }
    }

    /// The bootstrap addresses, each with its cause as text, if bootstrapping failed.
    #[must_use]
    pub fn bootstrap_causes(&self) -> Option<Vec<(Arc<str>, Arc<str>)>> {
        let Self::Bootstrap(causes) = self else {
            return None;
        };
        let words = |(address, cause): &(Arc<str>, BootstrapCause)| {
            (Arc::clone(address), cause.to_string().into())
        };
        Some(causes.iter().map(words).collect())
    }

    /// The failed handshake, if no address that answered failed for another reason.
    #[must_use]
    pub fn security(&self) -> Option<SecurityError> {
        let Self::Bootstrap(causes) = self else {
            return match self {
                Self::Attempt(error) => error.security(),
                Self::NoBroker { causes, .. } => {
                    let first = causes.first()?.1.security()?;
                    let cause = self.to_string().into();
                    Some(SecurityError { cause, ..first })
                }
                _ => None,
            };
        };
        handshakes(causes, BootstrapCause::is_answered, |address, cause| {
            cause.security_at(address)
        })
    }

    /// True if no later try can reach a cluster: a host that is away does not make up for a login that the others
    /// refuse.
    pub(crate) fn is_hopeless(&self) -> bool {
        let Self::Bootstrap(causes) = self else {
            return false;
        };
        let mut answered = causes.iter().filter(|(_, cause)| cause.is_answered());
        !causes.is_empty() && causes.iter().all(|(_, cause)| cause.is_permanent())
            || (self.security().is_some()
                && answered.all(|(_, cause)| cause.holds(ConnectCause::is_permanent)))
    }

    /// True if a call that waits for a cluster should fail now: no later try can reach one, or every address that
    /// answers at all has let a handshake run out of time.
    pub(crate) fn is_worth_telling(&self) -> bool {
        let Self::Bootstrap(causes) = self else {
            return false;
        };
        let mut answered = causes.iter().filter(|(_, cause)| cause.is_answered());
        self.is_hopeless()
            || (self.security().is_some() && answered.all(|(_, cause)| cause.is_settled()))
    }

    /// True if a broker has answered that does not know of the cluster's brokers yet.
    pub(crate) fn is_brokerless(&self) -> bool {
        let Self::Bootstrap(causes) = self else {
            return false;
        };
        let mut causes = causes.iter().map(|(_, cause)| cause);
        causes.any(|cause| matches!(cause, BootstrapCause::Brokerless(_)))
    }

    /// The kind of error: what the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Bootstrap(_) if self.is_hopeless() => ErrorKind::Invalid,
            Self::Bootstrap(_) | Self::TimedOut { .. } => ErrorKind::Retriable,
            Self::Broker { code, .. } if code.retriable() => ErrorKind::Retriable,
            Self::Broker { .. } | Self::InvalidTopic(_) => ErrorKind::Invalid,
            Self::Closed => ErrorKind::Fatal,
            Self::Attempt(error) => error.kind(),
            Self::NoBroker { causes, .. } => match causes.first() {
                Some((_, first)) => first.kind(),
                None => ErrorKind::Retriable,
            },
        }
    }
}

fn place(topic: Option<&str>, partition: Option<i32>, subject: Option<&str>) -> String {
    match (topic, partition, subject) {
        (Some(topic), Some(partition), _) => format!(" for {topic}-{partition}"),
        (Some(topic), None, _) => format!(" for topic {topic:?}"),
        (None, _, Some(subject)) => format!(" for {subject}"),
        (None, _, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kafkars_core::error_kind::SecurityProblem;

    use crate::error::connect::ConnectCause;
    use crate::net::sasl::failure::SaslFailure;
    use crate::net::tls::failure::TlsFailure;

    fn bootstrap(causes: &[ConnectCause]) -> ClientError {
        let addressed = |cause: &ConnectCause| -> (Arc<str>, _) {
            ("broker:9092".into(), BootstrapCause::Connect(cause.clone()))
        };
        ClientError::Bootstrap(causes.iter().map(addressed).collect())
    }

    /// One bootstrap address that works, and the failures of its cluster's advertised listeners.
    fn listeners(causes: &[ConnectCause]) -> ClientError {
        let addressed = |cause: &ConnectCause| ("broker:9093".into(), cause.clone());
        let listeners = causes.iter().map(addressed).collect();
        let cause = BootstrapCause::AdvertisedListeners(listeners);
        ClientError::Bootstrap(vec![("broker:9092".into(), cause)])
    }

    #[test]
    fn what_is_refused_is_told_before_what_took_too_long() {
        let refused = ConnectCause::Tls(TlsFailure::NeverAnswers);
        let late = ConnectCause::Tls(TlsFailure::TimedOut(Duration::from_secs(10)));
        for causes in [[refused.clone(), late.clone()], [late, refused]] {
            for error in [bootstrap(&causes), listeners(&causes)] {
                let failure = error.security().expect("handshakes failed");
                assert_ne!(failure.problem, SecurityProblem::TimedOut);
                assert!(error.is_worth_telling() && !error.is_hopeless());
            }
        }
        let gone = [ConnectCause::Refused, ConnectCause::Refused];
        assert_eq!(listeners(&gone).security(), None);
    }

    #[test]
    fn a_host_that_is_away_does_not_hide_a_refused_login() {
        let refused = ConnectCause::Sasl(SaslFailure::Refused {
            mechanism: "PLAIN",
            message: "wrong password".into(),
        });
        let gone = [
            ConnectCause::Refused,
            ConnectCause::Dns("no such host".into()),
            ConnectCause::TimedOut(Duration::from_secs(10)),
            ConnectCause::Silent(Duration::from_secs(10)),
            ConnectCause::Unreachable("no route to host".into()),
        ];
        for gone in gone {
            for causes in [
                [gone.clone(), refused.clone()],
                [refused.clone(), gone.clone()],
            ] {
                for error in [bootstrap(&causes), listeners(&causes)] {
                    assert!(
                        error.is_hopeless() && error.security().is_some(),
                        "{error:?}"
                    );
                    assert_eq!(error.kind(), ErrorKind::Invalid);
                }
            }
            let error = bootstrap(&[gone]);
            assert!(
                !error.is_hopeless() && error.security().is_none(),
                "{error:?}"
            );
        }
        // A broker that is starting may let this client in later.
        let error = bootstrap(&[ConnectCause::ClosedAtOnce, refused]);
        assert!(
            !error.is_hopeless() && error.security().is_none(),
            "{error:?}"
        );
    }
}
