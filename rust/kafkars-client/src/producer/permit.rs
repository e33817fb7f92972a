//! Whether records may be sent now: none once the producer closes, and with transactions only within one.

use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::TransactionError;

/// Permits a record to be sent within one transaction. A send that waits got it when it was made, and fails once that
/// transaction has ended: it never becomes part of the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendPermit(u64);

impl SendPermit {
    /// The number of the transaction.
    pub(super) fn transaction(self) -> u64 {
        self.0
    }
}

/// Lets records in, or refuses them with the error of the transaction's state.
#[derive(Default)]
pub(crate) struct SendPermits {
    refusal: Option<TransactionError>,
    /// The number of the transaction that began last.
    transaction: u64,
    /// How many commits keep new records out before the state machine knows of them; records with a permit are let in.
    committing: u32,
    /// True from the call of an abort on: records with a permit are aborted with their transaction.
    is_aborting: bool,
}

impl SendPermits {
    /// Returns the error for a record that may not be sent now.
    pub(super) fn check(&self, permit: Option<SendPermit>) -> Result<(), ProduceError> {
        match permit {
            Some(SendPermit(transaction))
                if transaction != self.transaction || self.is_aborting =>
            {
                return Err(ProduceError::Aborted);
            }
            Some(_) if self.committing > 0 => return Ok(()),
            _ => {}
        }
        match &self.refusal {
            None => Ok(()),
            Some(refusal) => Err(ProduceError::Transaction(refusal.clone())),
        }
    }

    /// Returns a permit for a record that may be sent now.
    pub(super) fn permit(&self) -> Result<SendPermit, ProduceError> {
        self.check(None).map(|()| SendPermit(self.transaction))
    }

    /// Begins to keep new records out for a commit, if they were let in or another commit keeps them out. Returns the
    /// number of the transaction to commit.
    pub(super) fn begin_commit(&mut self, refusal: TransactionError) -> Option<u64> {
        if self.refusal.is_some() && self.committing == 0 {
            return None;
        }
        self.refusal = Some(refusal);
        self.committing += 1;
        Some(self.transaction)
    }

    /// True if a commit waits for records to be appended.
    pub(super) fn is_committing(&self) -> bool {
        self.committing > 0
    }

    /// Takes over the state of the transaction. While a commit waits for records, new ones are kept out all the same.
    pub(super) fn set(&mut self, refusal: Option<TransactionError>, transaction: u64) {
        if self.committing > 0 && refusal.is_none() {
            return;
        }
        self.transaction = transaction;
        self.is_aborting &= refusal.is_some();
        self.committing = 0;
        self.refusal = refusal;
    }

    /// True if [`SendPermits::set`] would change something.
    pub(super) fn differs(&self, refusal: Option<&TransactionError>) -> bool {
        match (self.committing > 0, refusal) {
            (true, None) => false,
            (true, Some(_)) => true,
            (false, refusal) => self.refusal.as_ref() != refusal,
        }
    }

    /// Notes that an abort begins, or with false that it could not.
    pub(super) fn abort(&mut self, is_aborting: bool) {
        self.is_aborting = is_aborting;
    }

    /// Notes that a commit ended while it waited for records: after the last one, records are let in again.
    pub(super) fn end_commit(&mut self, transaction: u64) {
        if self.committing > 0 && self.transaction == transaction {
            self.committing -= 1;
            if self.committing == 0 {
                self.refusal = None;
            }
        }
    }
}
