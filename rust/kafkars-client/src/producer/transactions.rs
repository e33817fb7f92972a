//! Transactions: the producer's calls. What they mean is decided in `kafkars_core::transaction`.

use std::time::Instant;

use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::{
    GroupMetadata, OffsetToCommit, TransactionCall, TransactionCallId, TransactionError,
    Transactions,
};

use super::Producer;
use crate::error::ClientError;
use crate::now;

impl Producer {
    /// Gets a producer id for the `transactional_id`: earlier producers with it are fenced, what they left open is ended.
    /// Once, before anything else. After a time-out the same call waits on.
    ///
    /// # Errors
    /// [`ProduceError::Transaction`], [`ProduceError::CallTimedOut`], or [`ProduceError::Bootstrap`] without a cluster.
    pub async fn init_transactions(&self, deadline: Instant) -> Result<(), ProduceError> {
        self.transaction(TransactionCall::Init, Transactions::init, deadline)
            .await
    }

    /// Opens a transaction; nothing is sent yet.
    ///
    /// # Errors
    /// The state in which the producer is, if that does not allow it.
    pub fn begin_transaction(&self) -> Result<(), TransactionError> {
        self.sender()
            .command(TransactionCall::Begin, Transactions::begin)
    }

    /// Makes positions of a consumer group part of the transaction (KIP-447).
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`]; a member that lost its partitions is refused, which only the transaction does not
    /// survive.
    pub async fn send_offsets_to_transaction(
        &self,
        group: GroupMetadata,
        offsets: Vec<OffsetToCommit>,
        deadline: Instant,
    ) -> Result<(), ProduceError> {
        let send = |transactions: &mut Transactions| transactions.send_offsets(group, offsets);
        self.transaction(TransactionCall::SendOffsets, send, deadline)
            .await
    }

    /// Sends what is waiting, and ends the transaction once all of it is stored. After a time-out the same call waits on.
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`]; also when a record of the transaction was not stored.
    pub async fn commit_transaction(&self, deadline: Instant) -> Result<(), ProduceError> {
        self.transaction(TransactionCall::Commit, Transactions::commit, deadline)
            .await
    }

    /// The same for the transaction of this number, and no other: for a call that had to wait before it could begin.
    ///
    /// # Errors
    /// As for [`Producer::commit_transaction`], and [`TransactionError::Superseded`] where that transaction is over.
    pub async fn commit_numbered(
        &self,
        number: u64,
        deadline: Instant,
    ) -> Result<(), ProduceError> {
        let call = TransactionCall::Commit;
        let commit = |transactions: &mut Transactions| match transactions.number() == number {
            true => transactions.commit(),
            false => Err(TransactionError::Superseded { call }),
        };
        self.transaction(call, commit, deadline).await
    }

    /// How many transactions were begun so far: the number of the open one.
    #[must_use]
    pub fn transaction_number(&self) -> u64 {
        self.sender().ask_transactions(Transactions::number)
    }

    /// Leaves the open transaction to end by itself, for a caller that waits no longer: it is aborted, now or, where it is
    /// being committed, should that fail. Returns whether the abort is under way.
    pub fn leave_transaction(&self) -> bool {
        self.sender().leave_transaction()
    }

    /// Whether a transaction was left to end by itself, and has not.
    #[must_use]
    pub fn has_left_transaction(&self) -> bool {
        self.sender().ask_transactions(Transactions::is_left)
    }

    /// Waits until a transaction that was left has ended, in whatever way; at once where there is none.
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`].
    pub async fn join_left_transaction(&self, deadline: Instant) -> Result<(), ProduceError> {
        loop {
            let join = |transactions: &mut Transactions| Ok(transactions.join_left());
            let joined = self
                .transaction(TransactionCall::Abort, join, deadline)
                .await;
            match joined {
                // A commit that failed is followed by an abort.
                Err(ProduceError::Transaction(_)) if self.has_left_transaction() => {}
                joined => return joined,
            }
        }
    }

    /// Drops what has not left yet, and ends the transaction so that nobody reads its records with `read_committed`.
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`].
    pub async fn abort_transaction(&self, deadline: Instant) -> Result<(), ProduceError> {
        self.transaction(TransactionCall::Abort, Transactions::abort, deadline)
            .await
    }

    /// Whether a transaction is begun and neither committed nor aborted.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.sender().in_transaction()
    }

    /// Says that a record was handed over and will not be sent: an open transaction cannot be committed any more, as with
    /// Java's producer. Nothing happens outside of one. Not to be called with a lock held.
    pub fn record_refused(&self, error: &ProduceError) {
        if self.shared().config.transactional_id.is_some() {
            self.sender().record_refused(error);
        }
    }

    async fn transaction(
        &self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<TransactionCallId, TransactionError>,
        deadline: Instant,
    ) -> Result<(), ProduceError> {
        let started = now();
        // The state machine itself hurries what must leave before the end. Hurrying here, before it knows of the
        // call, would send what an abort is about to drop.
        let ended = self
            .sender()
            .call(call, command)
            .map_err(ProduceError::Transaction)?;
        match tokio::time::timeout_at(deadline.into(), ended).await {
            Ok(Ok(result)) => result.map_err(ProduceError::Transaction),
            Ok(Err(_)) => Err(ProduceError::Transaction(TransactionError::Closed)),
            Err(_) => Err(self.call_timed_out(call, started)),
        }
    }

    fn call_timed_out(&self, call: TransactionCall, started: Instant) -> ProduceError {
        let waited = now() - started;
        let bootstrap = self.client().bootstrap_progress(waited);
        if let Some(failure) = bootstrap.as_ref().and_then(ClientError::security) {
            return ProduceError::Security(failure);
        }
        if let Some(causes) = bootstrap.and_then(|failure| failure.bootstrap_causes()) {
            return ProduceError::Bootstrap { causes };
        }
        // The coordinator, or what leads to it, may have come to refuse who is known already.
        let distrust = self.client().distrust();
        if let Some(failure) = distrust.as_ref().and_then(ClientError::security) {
            return ProduceError::Security(failure);
        }
        let cause = self.sender().obstacle();
        ProduceError::CallTimedOut {
            call,
            waited,
            cause: cause.unwrap_or_else(|| "the transaction coordinator has not answered".into()),
        }
    }
}
