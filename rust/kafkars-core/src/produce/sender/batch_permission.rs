//! Whether waiting batches may be sent, must wait, or fail.

use super::identity::{IdentityLookup, Standing};
use crate::produce::error::ProduceError;
use crate::produce::sequence::ProducerIdentity;
use crate::transaction::{SendPermission, Transactions};

/// What may happen to waiting batches.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BatchPermission {
    /// Batches wait.
    Closed,
    /// Batches are sent, with sequence numbers where there is an identity.
    Open(Option<ProducerIdentity>),
    /// Batches fail, except those that a broker may have already: with `resend` these are sent again until their
    /// outcome is known.
    Drop {
        error: ProduceError,
        resend: Option<ProducerIdentity>,
    },
}

impl BatchPermission {
    /// Returns what the transaction permits, or without transactions what the producer's own identity does.
    pub(super) fn of(identity: &IdentityLookup, transactions: Option<&Transactions>) -> Self {
        let Some(transactions) = transactions else {
            return match identity.standing() {
                Standing::Unneeded => Self::Open(None),
                Standing::Known(identity) => Self::Open(Some(identity)),
                Standing::Awaited => Self::Closed,
                Standing::Refused(error) => Self::Drop {
                    error,
                    resend: None,
                },
            };
        };
        let identity = transactions.identity();
        match (transactions.send_permission(), identity) {
            (SendPermission::Closed, _) | (SendPermission::Open, None) => Self::Closed,
            (SendPermission::Open, Some(_)) => Self::Open(identity),
            (SendPermission::RetriesOnly(error), resend) => Self::Drop { error, resend },
            (SendPermission::Shut(error), _) => Self::Drop {
                error,
                resend: None,
            },
        }
    }
}
