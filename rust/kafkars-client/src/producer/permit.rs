//! Who may send now: nobody once the producer closes, and only within a transaction where there are transactions.

use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::TransactionError;

/// The leave to send within one transaction. What waits was given it when it was sent, and fails once that transaction
/// has ended: it never becomes part of the next one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SendPermit(u64);

/// Why no record is taken for now, where transactions say so.
#[derive(Default)]
pub(crate) struct Door {
    refusal: Option<TransactionError>,
    /// The number of the transaction that was begun last.
    transaction: u64,
    /// Shut to new records by a commit, before the transaction knows of it: what has a permit is let in.
    is_committing: bool,
}

impl Door {
    /// Refuses a record, unless it may be sent now.
    pub(super) fn check(&self, permit: Option<SendPermit>) -> Result<(), ProduceError> {
        match permit {
            Some(SendPermit(transaction)) if transaction != self.transaction => {
                return Err(ProduceError::Aborted);
            }
            Some(_) if self.is_committing => return Ok(()),
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

    /// Shuts it to new records, where it is open. Returns whether it was.
    pub(super) fn begin_commit(&mut self, refusal: TransactionError) -> bool {
        let was_open = self.refusal.is_none();
        if was_open {
            self.refusal = Some(refusal);
            self.is_committing = true;
        }
        was_open
    }

    /// Takes over what the transaction says. A commit that waits for records keeps it shut meanwhile.
    pub(super) fn set(&mut self, refusal: Option<TransactionError>, transaction: u64) {
        if self.is_committing && refusal.is_none() {
            return;
        }
        self.transaction = transaction;
        self.is_committing = false;
        self.refusal = refusal;
    }

    /// True if [`Door::set`] would change something.
    pub(super) fn differs(&self, refusal: Option<&TransactionError>) -> bool {
        match (self.is_committing, refusal) {
            (true, None) => false,
            (true, Some(_)) => true,
            (false, refusal) => self.refusal.as_ref() != refusal,
        }
    }

    /// A commit has ended while it waited for records: the transaction is open as before.
    pub(super) fn end_commit(&mut self) {
        if self.is_committing {
            self.is_committing = false;
            self.refusal = None;
        }
    }
}
