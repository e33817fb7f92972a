//! Failures on the way from bootstrap addresses to a cluster.

use std::sync::Arc;

use kafkars_core::error_kind::{SecurityError, SecurityProblem, list};

use super::connect::ConnectCause;

/// Why one bootstrap address did not lead to the cluster.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BootstrapCause {
    /// The connection could not be made.
    #[error(transparent)]
    Connect(#[from] ConnectCause),
    /// The broker answered, but its metadata request failed.
    #[error("connected, but the metadata request failed: {0}")]
    Metadata(Arc<str>),
    /// The broker answered the metadata request without telling where brokers are, as it may when it starts.
    #[error("connected, but the metadata request failed: {0}")]
    Brokerless(Arc<str>),
    /// The address works, but the cluster's advertised listeners cannot be reached.
    #[error(
        "connected, but the advertised listeners are unreachable ({}): check advertised.listeners of the brokers",
        list(.0)
    )]
    AdvertisedListeners(Vec<(Arc<str>, ConnectCause)>),
}

/// Bootstrap addresses with their causes.
pub type BootstrapCauses = Vec<(Arc<str>, BootstrapCause)>;

impl BootstrapCause {
    /// True if only a change of the settings or the brokers can help, not time.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        match self {
            Self::Connect(cause) => cause.is_permanent(),
            Self::AdvertisedListeners(causes) => {
                !causes.is_empty() && causes.iter().all(|(_, cause)| cause.is_permanent())
            }
            Self::Metadata(_) | Self::Brokerless(_) => false,
        }
    }

    /// True if `said` holds for the cause, or for those of all advertised listeners that answer.
    pub(super) fn holds(&self, said: impl Fn(&ConnectCause) -> bool) -> bool {
        match self {
            Self::Connect(cause) => said(cause),
            Self::AdvertisedListeners(causes) => {
                let mut answered = causes
                    .iter()
                    .filter(|(_, cause)| cause.is_answered())
                    .peekable();
                answered.peek().is_some() && answered.all(|(_, cause)| said(cause))
            }
            Self::Metadata(_) | Self::Brokerless(_) => false,
        }
    }

    /// True if a retry is not worth waiting for: time cannot help, or a handshake ran out of its time.
    pub(super) fn is_settled(&self) -> bool {
        let had_its_time = |cause: &ConnectCause| {
            cause.is_permanent() || cause.security() == Some(SecurityProblem::TimedOut)
        };
        self.holds(had_its_time)
    }

    /// True if anything answered at the address.
    pub(super) fn is_answered(&self) -> bool {
        !matches!(self, Self::Connect(cause) if !cause.is_answered())
    }

    pub(super) fn security_at(&self, address: &Arc<str>) -> Option<SecurityError> {
        match self {
            Self::Connect(cause) => cause.security_at(address),
            Self::AdvertisedListeners(causes) => {
                handshakes(causes, ConnectCause::is_answered, |address, cause| {
                    cause.security_at(address)
                })
            }
            Self::Metadata(_) | Self::Brokerless(_) => None,
        }
    }
}

/// The failed handshake among the causes, leaving out addresses that did not answer; `None` unless all that answered
/// failed by a handshake. A host that is away does not make up for a login that the others refuse.
pub(super) fn handshakes<'a, C>(
    causes: &'a [(Arc<str>, C)],
    is_answered: impl Fn(&C) -> bool,
    failed: impl Fn(&'a Arc<str>, &'a C) -> Option<SecurityError>,
) -> Option<SecurityError> {
    let answered = causes.iter().filter(|(_, cause)| is_answered(cause));
    let failures: Option<Vec<SecurityError>> = answered
        .map(|(address, cause)| failed(address, cause))
        .collect();
    // An answer of a broker counts for more than one that did not come in time.
    let said = |failure: &SecurityError| failure.problem == SecurityProblem::TimedOut;
    failures?.into_iter().min_by_key(said)
}
