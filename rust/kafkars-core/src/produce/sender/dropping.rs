//! Batches that must not be sent any more, and fail.

use super::Sender;
use crate::produce::delivery::BatchOutcome;
use crate::produce::error::ProduceError;
use crate::produce::partition_buffer::PartitionBuffer;
use crate::transaction::{SendPermission, Transactions};

impl Sender {
    /// Fails batches that must not be sent any more: in all partitions the first time, later only in those that changed
    /// since.
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
