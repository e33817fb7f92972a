//! Errors of talking to a cluster: one try on one connection, reaching the cluster at all, a call of the client.
//!
//! Errors are cheap to clone, because one lost connection fails every request on it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use kafkars_core::error_kind::{ErrorKind, SecurityError, SecurityProblem};
use kafkars_protocol::{
    ApiKey, DecodeError, EncodeError, ErrorCode, ForeignProtocol, FrameError, VersionRange,
};

pub use crate::net::{SaslFailure, TlsFailure, Unanswered};

/// Why one try of one request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttemptError {
    /// No connection could be made.
    #[error("cannot connect to {address}: {cause}")]
    Connect {
        /// The broker's `host:port`.
        address: Arc<str>,
        /// What happened.
        cause: ConnectCause,
    },
    /// The connection was lost before the answer. The broker may or may not have acted on the request.
    #[error("the broker closed the connection before it answered ({0})")]
    Disconnected(Arc<str>),
    /// TLS ended the connection.
    #[error(transparent)]
    Tls(TlsFailure),
    /// No answer in time. The broker may or may not have acted on the request.
    #[error("{0}")]
    TimedOut(Unanswered),
    /// The answer is not what it should be.
    #[error(transparent)]
    Decode(DecodeError),
    /// The request cannot be said in a version that the broker knows.
    #[error(transparent)]
    Encode(EncodeError),
    /// Broker and client share no version of this API.
    #[error(
        "the broker does not speak {} in a version known here ({ours}); it speaks {}",
        api.name(),
        theirs.map_or_else(|| "none".to_owned(), |theirs| theirs.to_string())
    )]
    Unsupported {
        /// The request.
        api: ApiKey,
        /// Versions this client speaks.
        ours: VersionRange,
        /// Versions the broker speaks, if any.
        theirs: Option<VersionRange>,
    },
    /// An answer above `receive_message_max_bytes`.
    #[error(
        "an answer of {length} bytes is above receive_message_max_bytes={limit}; raise it, or lower fetch_max_bytes"
    )]
    FrameTooLarge {
        /// Its length in bytes.
        length: usize,
        /// The setting in bytes.
        limit: usize,
    },
    /// The peer speaks another protocol.
    #[error("{hint}")]
    NotKafka {
        /// What it speaks and what to do about it.
        hint: &'static str,
    },
    /// Answers that break the rules of the protocol: out of order, or with an impossible length.
    #[error("the broker broke the protocol: {0}")]
    Protocol(Arc<str>),
    /// The client was closed.
    #[error("the client is closed")]
    Closed,
    /// The cluster has no such broker, as far as is known.
    #[error("broker {0} is not known in the cluster")]
    UnknownNode(i32),
}

/// Why a connection could not be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectCause {
    /// The host name has no address.
    #[error("the host name cannot be resolved: {0}")]
    Dns(Arc<str>),
    /// Nothing listens on the port.
    #[error("connection refused: nothing listens on that port")]
    Refused,
    /// The host did not answer within `connect_timeout_ms`.
    #[error("no answer to a TCP connection within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// The operating system cannot connect: no route, no descriptor, a firewall of its own.
    #[error("{0}")]
    Unreachable(Arc<str>),
    /// TCP connects, but the peer says nothing.
    #[error(
        "connected, but no answer to ApiVersions within {} ms: is it a listener of a Kafka broker?",
        .0.as_millis()
    )]
    Silent(Duration),
    /// TCP connects, but the peer hangs up on the first request.
    #[error(
        "connected, but the peer closed the connection without an answer to ApiVersions: it may be starting or stopping, or \
         not be a Kafka listener for this security_protocol"
    )]
    ClosedAtOnce,
    /// The peer speaks another protocol.
    #[error("{hint}")]
    NotKafka {
        /// What it speaks and what to do about it.
        hint: &'static str,
    },
    /// The peer answers with something that cannot be understood. Final when it has done so twice in a row.
    #[error("the answer is not Kafka's{}: {problem}", if *is_repeated { ", twice in a row" } else { "" })]
    Garbled {
        /// What is wrong with the answer.
        problem: Arc<str>,
        /// Whether it is the second time.
        is_repeated: bool,
    },
    /// The broker shares no version of a needed API with us.
    #[error("{0}")]
    Version(Arc<str>),
    /// The broker refused the handshake.
    #[error("the broker refused the handshake: {0}")]
    Refusal(ErrorCode),
    /// TLS was not agreed on.
    #[error(transparent)]
    Tls(TlsFailure),
    /// The broker does not believe who we are, or we do not believe it.
    #[error(transparent)]
    Sasl(SaslFailure),
    /// A login or certificate that was refused before, told again because no login is tried for a while.
    #[error(
        "{cause} (that was {} ms ago; logins that are refused are tried again after a pause, the next in {} ms)",
        ago.as_millis(), next_in.as_millis()
    )]
    Earlier {
        /// What the login met.
        cause: Box<Self>,
        /// How long ago.
        ago: Duration,
        /// When the next login is tried.
        next_in: Duration,
    },
    /// Anything else the operating system said.
    #[error("{0}")]
    Io(Arc<str>),
}

/// Why one bootstrap address did not lead to the cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BootstrapCause {
    /// The address itself cannot be used.
    #[error(transparent)]
    Connect(#[from] ConnectCause),
    /// The broker answered, but its metadata request failed.
    #[error("connected, but the metadata request failed: {0}")]
    Metadata(Arc<str>),
    /// The address works, but what the cluster advertises does not.
    #[error(
        "connected, but the advertised listeners are unreachable ({}): check advertised.listeners of the brokers",
        list(.0)
    )]
    AdvertisedListeners(Vec<(Arc<str>, ConnectCause)>),
}

/// Bootstrap addresses with their causes.
pub type BootstrapCauses = Vec<(Arc<str>, BootstrapCause)>;

/// Why a call of the client failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// No bootstrap address led to a cluster; each with its cause.
    #[error("no bootstrap server leads to a cluster: {}", list(.0))]
    Bootstrap(BootstrapCauses),
    /// The deadline passed.
    #[error("{operation} not done within {} ms; last cause: {cause}", waited.as_millis())]
    TimedOut {
        /// What was to be done.
        operation: Arc<str>,
        /// How long the caller waited.
        waited: Duration,
        /// What the last try met.
        cause: Arc<str>,
    },
    /// A broker refused.
    #[error(
        "{}{}: {}",
        code.name(),
        place(topic.as_deref(), *partition),
        message.as_deref().unwrap_or_else(|| code.description())
    )]
    Broker {
        /// What the broker said.
        code: ErrorCode,
        /// The topic it is about.
        topic: Option<Arc<str>>,
        /// The partition it is about.
        partition: Option<i32>,
        /// The broker's own words, where it sent any.
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
    /// One try failed in a way that no other try can mend.
    #[error(transparent)]
    Attempt(#[from] AttemptError),
    /// No broker that could be asked has answered, and some refuse for good.
    #[error("{operation} is not answered by any broker: {}", list(causes))]
    NoBroker {
        /// What was to be done.
        operation: Arc<str>,
        /// The brokers' addresses, each with what it said; the first refusal comes first.
        causes: Vec<(Arc<str>, AttemptError)>,
    },
}

impl AttemptError {
    /// Whether the same request may succeed later or on another connection.
    #[must_use]
    pub fn retriable(&self) -> bool {
        match self {
            // Nothing that this client does will change the credentials or the certificate.
            Self::Connect { cause, .. } => match cause.security() {
                // No broker has heard of those, and the next ones may be there.
                None | Some(SecurityProblem::Credentials) => true,
                Some(_) => !cause.is_permanent(),
            },
            Self::Disconnected(_)
            | Self::Tls(_)
            | Self::TimedOut(_)
            | Self::Protocol(_)
            | Self::UnknownNode(_) => true,
            Self::Decode(_)
            | Self::Encode(_)
            | Self::Unsupported { .. }
            | Self::FrameTooLarge { .. }
            | Self::NotKafka { .. }
            | Self::Closed => false,
        }
    }

    /// Whether fresh metadata may tell of a better place to ask.
    #[must_use]
    pub fn needs_metadata(&self) -> bool {
        match self {
            Self::Connect { .. }
            | Self::Disconnected(_)
            | Self::Tls(_)
            | Self::TimedOut(_)
            | Self::UnknownNode(_) => true,
            Self::Protocol(_)
            | Self::Decode(_)
            | Self::Encode(_)
            | Self::Unsupported { .. }
            | Self::FrameTooLarge { .. }
            | Self::NotKafka { .. }
            | Self::Closed => false,
        }
    }

    /// What ended the stream of a connection.
    pub(crate) fn from_io(error: &io::Error) -> Self {
        match TlsFailure::in_stream(error) {
            Some(failure) => Self::Tls(failure),
            None => Self::Disconnected(error.to_string().into()),
        }
    }

    /// The failed handshake, when that is what this is.
    #[must_use]
    pub fn security(&self) -> Option<SecurityError> {
        match self {
            Self::Connect { address, cause } => cause.security_at(address),
            _ => None,
        }
    }

    /// What the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Connect { cause, .. } => cause.kind(),
            Self::Closed => ErrorKind::Fatal,
            _ if self.retriable() => ErrorKind::Retriable,
            _ => ErrorKind::Invalid,
        }
    }
}

impl ConnectCause {
    /// Whether time cannot mend it: the setting or the broker must change.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::NotKafka { .. } | Self::Version(_) => true,
            Self::Tls(failure) => failure.is_permanent(),
            Self::Sasl(failure) => failure.is_permanent(),
            Self::Earlier { cause, .. } => cause.is_permanent(),
            Self::Garbled { is_repeated, .. } => *is_repeated,
            Self::Dns(_)
            | Self::Refused
            | Self::TimedOut(_)
            | Self::Unreachable(_)
            | Self::Silent(_)
            | Self::ClosedAtOnce
            | Self::Refusal(_)
            | Self::Io(_) => false,
        }
    }

    /// Which handshake failed, if one did.
    #[must_use]
    pub fn security(&self) -> Option<SecurityProblem> {
        match self {
            Self::Tls(failure) => Some(failure.problem()),
            Self::Sasl(failure) => Some(failure.problem()),
            Self::Earlier { cause, .. } => cause.security(),
            _ => None,
        }
    }

    pub(crate) fn security_at(&self, address: &Arc<str>) -> Option<SecurityError> {
        let problem = self.security()?;
        Some(SecurityError {
            problem,
            address: Arc::clone(address),
            cause: self.to_string().into(),
        })
    }

    /// What the caller should do.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.is_permanent() {
            true => ErrorKind::Invalid,
            false => ErrorKind::Retriable,
        }
    }

    pub(crate) fn from_io(error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => Self::Refused,
            _ => Self::Unreachable(error.to_string().into()),
        }
    }

    /// Whether the peer said anything at all. One that hangs up has: it may be a broker that starts.
    pub(crate) fn is_answered(&self) -> bool {
        !matches!(
            self,
            Self::Dns(_)
                | Self::Refused
                | Self::TimedOut(_)
                | Self::Unreachable(_)
                | Self::Silent(_)
        )
    }
}

/// What is left of causes when those are left out that nobody answered for; none unless all of these are handshakes
/// that failed. A host that is away does not make up for a login that the others refuse.
fn handshakes<'a, C>(
    causes: &'a [(Arc<str>, C)],
    is_answered: impl Fn(&C) -> bool,
    failed: impl Fn(&'a Arc<str>, &'a C) -> Option<SecurityError>,
) -> Option<SecurityError> {
    let answered = causes.iter().filter(|(_, cause)| is_answered(cause));
    let failures: Option<Vec<SecurityError>> = answered
        .map(|(address, cause)| failed(address, cause))
        .collect();
    // What a broker says comes before what one has not said in time.
    let said = |failure: &SecurityError| failure.problem == SecurityProblem::TimedOut;
    failures?.into_iter().min_by_key(said)
}

impl BootstrapCause {
    /// Whether time cannot mend it.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Connect(cause) => cause.is_permanent(),
            Self::AdvertisedListeners(causes) => {
                !causes.is_empty() && causes.iter().all(|(_, cause)| cause.is_permanent())
            }
            Self::Metadata(_) => false,
        }
    }

    /// Whether this can be said of the cause, or of those of all listeners that answer.
    fn holds(&self, said: impl Fn(&ConnectCause) -> bool) -> bool {
        match self {
            Self::Connect(cause) => said(cause),
            Self::AdvertisedListeners(causes) => {
                let mut answered = causes
                    .iter()
                    .filter(|(_, cause)| cause.is_answered())
                    .peekable();
                answered.peek().is_some() && answered.all(|(_, cause)| said(cause))
            }
            Self::Metadata(_) => false,
        }
    }

    /// Whether it is settled: time cannot mend it, or a handshake had all of its time.
    fn is_settled(&self) -> bool {
        let had_its_time = |cause: &ConnectCause| {
            cause.is_permanent() || cause.security() == Some(SecurityProblem::TimedOut)
        };
        self.holds(had_its_time)
    }

    /// Whether anything is there at all.
    fn is_answered(&self) -> bool {
        !matches!(self, Self::Connect(cause) if !cause.is_answered())
    }

    fn security_at(&self, address: &Arc<str>) -> Option<SecurityError> {
        match self {
            Self::Connect(cause) => cause.security_at(address),
            Self::AdvertisedListeners(causes) => {
                handshakes(causes, ConnectCause::is_answered, |address, cause| {
                    cause.security_at(address)
                })
            }
            Self::Metadata(_) => None,
        }
    }
}

impl ClientError {
    /// Each bootstrap address with its cause in words, when that is what failed.
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

    /// The failed handshake, when no address that answered failed for another reason.
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

    /// Whether no later try can reach a cluster: a host that is away does not make up for a login that the others
    /// refuse.
    pub(crate) fn is_hopeless(&self) -> bool {
        let Self::Bootstrap(causes) = self else {
            return false;
        };
        let mut answered = causes.iter().filter(|(_, cause)| cause.is_answered());
        causes.iter().all(|(_, cause)| cause.is_permanent())
            || (self.security().is_some()
                && answered.all(|(_, cause)| cause.holds(ConnectCause::is_permanent)))
    }

    /// Whether a call that waits for a cluster hears of it now: no later try can reach one, or every address that
    /// answers at all has let a handshake run out of time.
    pub(crate) fn is_worth_telling(&self) -> bool {
        let Self::Bootstrap(causes) = self else {
            return false;
        };
        let mut answered = causes.iter().filter(|(_, cause)| cause.is_answered());
        self.is_hopeless()
            || (self.security().is_some() && answered.all(|(_, cause)| cause.is_settled()))
    }

    /// What the caller should do.
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

/// A frame that cannot be one, as the error of every request that waits on its connection.
impl From<FrameError> for AttemptError {
    fn from(error: FrameError) -> Self {
        match error {
            FrameError::NotKafka(protocol) => Self::NotKafka {
                hint: hint(protocol),
            },
            FrameError::TooLong { length, limit } => Self::FrameTooLarge { length, limit },
            FrameError::Negative(_) | FrameError::TooShort(_) => {
                Self::Protocol(error.to_string().into())
            }
        }
    }
}

fn hint(protocol: ForeignProtocol) -> &'static str {
    match protocol {
        ForeignProtocol::Tls => {
            "the port answers TLS: set security_protocol to SSL or SASL_SSL, or use the port of a plaintext listener"
        }
        ForeignProtocol::Http => {
            "the port answers HTTP: it is a web server, not a Kafka listener; use the Kafka port"
        }
        ForeignProtocol::Ssh => "the port answers SSH, not Kafka; use the port of a Kafka listener",
    }
}

fn list<E: std::fmt::Display>(causes: &[(Arc<str>, E)]) -> String {
    let lines: Vec<String> = causes
        .iter()
        .map(|(address, cause)| format!("{address}: {cause}"))
        .collect();
    lines.join("; ")
}

fn place(topic: Option<&str>, partition: Option<i32>) -> String {
    match (topic, partition) {
        (Some(topic), Some(partition)) => format!(" for {topic}-{partition}"),
        (Some(topic), None) => format!(" for topic {topic:?}"),
        (None, _) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bootstrap(causes: &[ConnectCause]) -> ClientError {
        let addressed = |cause: &ConnectCause| -> (Arc<str>, _) {
            ("broker:9092".into(), BootstrapCause::Connect(cause.clone()))
        };
        ClientError::Bootstrap(causes.iter().map(addressed).collect())
    }

    /// One address that works, and what listens where its cluster says.
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
        // Something is there that may let us in later.
        let error = bootstrap(&[ConnectCause::ClosedAtOnce, refused]);
        assert!(
            !error.is_hopeless() && error.security().is_none(),
            "{error:?}"
        );
    }
}
