//! The way from a bootstrap address to the cluster.

use std::sync::Arc;

use kafkars_core::error_kind::{SecurityError, SecurityProblem};

use super::connect::ConnectCause;
use super::list::list;

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
            Self::Metadata(_) => false,
        }
    }

    /// Whether it is settled: time cannot mend it, or a handshake had all of its time.
    pub(super) fn is_settled(&self) -> bool {
        let had_its_time = |cause: &ConnectCause| {
            cause.is_permanent() || cause.security() == Some(SecurityProblem::TimedOut)
        };
        self.holds(had_its_time)
    }

    /// Whether anything is there at all.
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
            Self::Metadata(_) => None,
        }
    }
}

/// What is left of causes when those are left out that nobody answered for; none unless all of these are handshakes
/// that failed. A host that is away does not make up for a login that the others refuse.
pub(super) fn handshakes<'a, C>(
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
