//! Whether batches may leave at all, and what becomes of those that may not.

use super::Sender;
use super::identity::Standing;
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::PartitionBuffer;
use crate::produce::sequence::ProducerIdentity;
use crate::transaction::{SendPermission, Transactions};

/// What may happen to waiting batches.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum BatchPermission {
    /// They wait.
    Closed,
    /// They leave, numbered where there is an identity.
    Open(Option<ProducerIdentity>),
    /// They fail, except those that a broker may have already: with `resend` these are tried again until it is known.
    Drop {
        error: ProduceError,
        resend: Option<ProducerIdentity>,
    },
}

impl Sender {
    pub(super) fn batch_permission(&self) -> BatchPermission {
        let Some(transactions) = &self.transactions else {
            return match self.identity.standing() {
                Standing::Unneeded => BatchPermission::Open(None),
                Standing::Known(identity) => BatchPermission::Open(Some(identity)),
                Standing::Awaited => BatchPermission::Closed,
                Standing::Refused(error) => BatchPermission::Drop {
                    error,
                    resend: None,
                },
            };
        };
        let identity = transactions.identity();
        match (transactions.send_permission(), identity) {
            (SendPermission::Closed, _) | (SendPermission::Open, None) => BatchPermission::Closed,
            (SendPermission::Open, Some(_)) => BatchPermission::Open(identity),
            (SendPermission::RetriesOnly(error), resend) => BatchPermission::Drop { error, resend },
            (SendPermission::Shut(error), _) => BatchPermission::Drop {
                error,
                resend: None,
            },
        }
    }

    /// Fails batches that must not leave any more: everywhere the first time, later only what was touched since.
    pub(super) fn sweep(&mut self, error: &ProduceError) {
        if self.dropped_for.as_ref() == Some(error) || self.accumulator.unacknowledged() == 0 {
            return;
        }
        self.dropped_for = Some(error.clone());
        for buffer in self.accumulator.buffers() {
            self.drop_waiting(&buffer, error);
        }
    }

    pub(super) fn drop_waiting(&mut self, buffer: &PartitionBuffer, error: &ProduceError) {
        let keeps_sent = self.transactions.as_ref().is_some_and(keeps_sent);
        let dropped = {
            let mut state = buffer.lock();
            if keeps_sent {
                state.take_unsent()
            } else {
                state.take_all()
            }
        };
        for batch in dropped {
            self.finish(batch, BatchOutcome::Failed(error.clone()));
        }
    }
}

fn keeps_sent(transactions: &Transactions) -> bool {
    matches!(
        transactions.send_permission(),
        SendPermission::RetriesOnly(_)
    )
}
