//! What the sender may do with batches of the transaction, and what it reports about them.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use super::{
    PartitionInTransaction, SendPermission, TransactionError, TransactionPhase, Transactions,
    Version,
};
use crate::produce::error::ProduceError;

impl Transactions {
    /// What the sender may do with waiting batches now.
    pub fn send_permission(&self) -> SendPermission {
        let drop_all = |error: ProduceError| match self.version {
            Version::One => SendPermission::RetriesOnly(error),
            Version::Two => SendPermission::Shut(error),
        };
        match &self.phase {
            TransactionPhase::Uninitialized | TransactionPhase::Initializing => {
                SendPermission::Closed
            }
            // A record that was accepted while the transaction ended belongs to none.
            TransactionPhase::Ready => SendPermission::Shut(ProduceError::Aborted),
            TransactionPhase::InTransaction | TransactionPhase::Committing
                if self.identity().is_none() =>
            {
                SendPermission::Closed
            }
            TransactionPhase::InTransaction | TransactionPhase::Committing => SendPermission::Open,
            TransactionPhase::Aborting(None) => drop_all(ProduceError::Aborted),
            TransactionPhase::Aborting(Some(error)) | TransactionPhase::Abortable(error) => {
                drop_all(ProduceError::Transaction(error.clone()))
            }
            TransactionPhase::Fatal(error) => {
                SendPermission::Shut(ProduceError::Transaction(error.clone()))
            }
        }
    }

    /// True if batches of this partition may be sent now. In the older protocol a partition is first added to the
    /// transaction, by a request that [`Transactions::poll`] then returns.
    pub fn admit(&mut self, topic: &Arc<str>, partition: i32) -> bool {
        if self.version == Version::Two {
            return true;
        }
        let partitions = match self.partitions.get_mut(topic) {
            Some(partitions) => partitions,
            None => self.partitions.entry(Arc::clone(topic)).or_default(),
        };
        let missing = &mut self.missing;
        let membership = partitions.entry(partition).or_insert_with(|| {
            *missing += 1;
            PartitionInTransaction::Wanted
        });
        *membership == PartitionInTransaction::Added
    }

    /// True if every partition that was asked for with [`Transactions::admit`] is in the transaction.
    pub fn is_settled(&self) -> bool {
        self.missing == 0
    }

    /// Returns true once after the coordinator has refused a partition that it does not know: metadata may be of a
    /// topic that was made again meanwhile.
    pub fn take_doubt(&mut self) -> bool {
        std::mem::take(&mut self.partitions_in_doubt)
    }

    /// Notes that a batch of the transaction is sent: from now on it may be open at the coordinator.
    pub fn departs(&mut self, now: Instant) {
        self.started.get_or_insert(now);
    }

    /// Notes that a record of the open transaction was not stored.
    pub fn record_failed(&mut self, error: &ProduceError) {
        let dropped_unsent = matches!(error, ProduceError::Aborted | ProduceError::Transaction(_));
        if self.version == Version::One && self.is_open() && !dropped_unsent {
            // Its sequence number may be missing at the broker from now on, also when the transaction is being aborted
            // already.
            self.renewal = true;
        }
        if let ProduceError::Broker { code, .. } = error
            && self.is_fatal_for_records(*code)
        {
            let error = match code {
                ErrorCode::ProducerFenced => TransactionError::Fenced {
                    transactional_id: Arc::clone(&self.config.transactional_id),
                    code: *code,
                    elapsed: None,
                    limit: self.config.transaction_timeout,
                    init_lost: self.init_lost,
                },
                code => self.refused("Produce", *code, None, true),
            };
            self.fail(error);
            return;
        }
        match error {
            // The record was dropped because of the transaction's own state, which is nothing new.
            ProduceError::Aborted | ProduceError::Transaction(_) => {}
            _ => self.give_up_transaction(TransactionError::Record(Arc::new(error.clone()))),
        }
    }

    /// Notes that a record of the open transaction never reached a batch, so that a commit would not have all that was
    /// sent.
    pub fn record_refused(&mut self, error: &ProduceError) {
        match error {
            ProduceError::Aborted | ProduceError::Transaction(_) | ProduceError::Closed => {}
            _ => self.give_up_transaction(TransactionError::Record(Arc::new(error.clone()))),
        }
    }

    /// Notes that the outcome of a Produce request is unknown: it may still arrive.
    pub fn produce_lost(&mut self) {
        self.indefinite = true;
    }
}
