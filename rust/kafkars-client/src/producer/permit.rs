//! Who may send now: nobody once the producer closes, and only within a transaction where there are transactions.

use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::TransactionError;

/// The leave to send within one transaction. What waits was given it when it was sent, and fails once that transaction
/// has ended: it never becomes part of the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendPermit(u64);

impl SendPermit {
    /// The number of the transaction.
    pub(super) fn transaction(self) -> u64 {
        self.0
    }
}

/// Why no record is taken for now, where transactions say so.
#[derive(Default)]
pub(crate) struct Door {
    refusal: Option<TransactionError>,
    /// The number of the transaction that was begun last.
    transaction: u64,
    /// How many commits have shut it to new records before the transaction knows of them: what has a permit is let in.
    committing: u32,
    /// From the call of an abort on: what has a permit is aborted with its transaction.
    is_aborting: bool,
}

impl Door {
    /// Refuses a record, unless it may be sent now.
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

    /// The permit of a record that may be sent now.
    pub(super) fn permit(&self) -> Result<SendPermit, ProduceError> {
        self.check(None).map(|()| SendPermit(self.transaction))
    }

    /// Shuts it to new records, where it is open or another commit has shut it. Returns the transaction that is
    /// committed.
    pub(super) fn begin_commit(&mut self, refusal: TransactionError) -> Option<u64> {
        if self.refusal.is_some() && self.committing == 0 {
            return None;
        }
        self.refusal = Some(refusal);
        self.committing += 1;
        Some(self.transaction)
    }

    /// Whether a commit waits for records.
    pub(super) fn is_committing(&self) -> bool {
        self.committing > 0
    }

    /// Takes over what the transaction says. A commit that waits for records keeps it shut meanwhile.
    pub(super) fn set(&mut self, refusal: Option<TransactionError>, transaction: u64) {
        if self.committing > 0 && refusal.is_none() {
            return;
        }
        self.transaction = transaction;
        self.is_aborting &= refusal.is_some();
        self.committing = 0;
        self.refusal = refusal;
    }

    /// True if [`Door::set`] would change something.
    pub(super) fn differs(&self, refusal: Option<&TransactionError>) -> bool {
        match (self.committing > 0, refusal) {
            (true, None) => false,
            (true, Some(_)) => true,
            (false, refusal) => self.refusal.as_ref() != refusal,
        }
    }

    /// An abort begins, or does not after all.
    pub(super) fn abort(&mut self, is_aborting: bool) {
        self.is_aborting = is_aborting;
    }

    /// A commit has ended while it waited for records: with the last one the transaction is open as before.
    pub(super) fn end_commit(&mut self, transaction: u64) {
        if self.committing > 0 && self.transaction == transaction {
            self.committing -= 1;
            if self.committing == 0 {
                self.refusal = None;
            }
        }
    }
}
