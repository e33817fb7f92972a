//! What the sending half of the producer may do with batches of the transaction, and what it reports of them.

use std::sync::Arc;
use std::time::Instant;

use kafkars_protocol::ErrorCode;

use super::{
    PartitionInTransaction, SendPermission, TransactionError, TransactionPhase, Transactions,
    Version,
};
use crate::produce::error::ProduceError;

impl Transactions {
    /// What the sending half may do with waiting batches.
    pub fn send_permission(&self) -> SendPermission {
        let drop_all = |error: ProduceError| match self.version {
            Version::One => SendPermission::RetriesOnly(error),
            Version::Two => SendPermission::Shut(error),
        };
        match &self.phase {
            TransactionPhase::Uninitialized | TransactionPhase::Initializing => {
                SendPermission::Closed
            }
            // A record that was taken while the transaction ended belongs to none.
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

    /// Whether batches of this partition may leave now. Under the older protocol a partition is first made known to the
    /// coordinator, which [`Transactions::poll`] then does.
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

    /// Whether every partition that was asked for with [`Transactions::admit`] is in the transaction.
    pub fn is_settled(&self) -> bool {
        self.missing == 0
    }

    /// A batch of the transaction leaves: from now on the coordinator may know of it.
    pub fn departs(&mut self, now: Instant) {
        self.started.get_or_insert(now);
    }

    /// A record of the open transaction was not stored.
    pub fn record_failed(&mut self, error: &ProduceError) {
        let dropped_unsent = matches!(error, ProduceError::Aborted | ProduceError::Transaction(_));
        if self.version == Version::One && self.is_open() && !dropped_unsent {
            // Its number may be missing at the broker from now on, also when the transaction is being aborted already.
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
            // What was dropped because of the transaction's own state says nothing new.
            ProduceError::Aborted | ProduceError::Transaction(_) => {}
            _ => self.give_up_transaction(TransactionError::Record(Arc::new(error.clone()))),
        }
    }

    /// A record that the application handed over for the open transaction never reached a batch: what would be
    /// committed is not all that was sent.
    pub fn record_refused(&mut self, error: &ProduceError) {
        match error {
            ProduceError::Aborted | ProduceError::Transaction(_) | ProduceError::Closed => {}
            _ => self.give_up_transaction(TransactionError::Record(Arc::new(error.clone()))),
        }
    }

    /// A Produce request's fate is unknown: it may still arrive.
    pub fn produce_lost(&mut self) {
        self.indefinite = true;
    }
}
