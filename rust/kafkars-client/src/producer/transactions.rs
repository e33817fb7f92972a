//! Transactional calls of the producer. `kafkars_core::transaction` decides what they do.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::{
    GroupMetadata, OffsetToCommit, TransactionCall, TransactionCallId, TransactionError,
    Transactions,
};

use super::Producer;
use super::permit::SendPermit;
use super::sender::CallEnd;
use crate::client::REFUSAL_CHECK_INTERVAL;
use crate::error::ClientError;
use crate::net::ConnectionKind;
use crate::{after, now};

impl Producer {
    /// Initializes the `transactional_id`: gets a producer id, fences earlier producers with the same id, and ends the
    /// transaction that they left open. To be called once, before anything else. After a time-out the same call waits
    /// on.
    ///
    /// # Errors
    /// [`ProduceError::Transaction`], [`ProduceError::CallTimedOut`] at the deadline, [`ProduceError::Bootstrap`]
    /// without a cluster, or [`ProduceError::Security`] if brokers refuse this client.
    pub async fn init_transactions(&self, deadline: Instant) -> Result<(), ProduceError> {
        self.transaction(TransactionCall::Init, Transactions::init, deadline)
            .await
    }

    /// Begins a transaction; nothing is sent yet.
    ///
    /// # Errors
    /// The state of the producer, if that does not allow it.
    pub fn begin_transaction(&self) -> Result<(), TransactionError> {
        self.sender()
            .command(TransactionCall::Begin, Transactions::begin)
    }

    /// Adds offsets of a consumer group to the transaction (KIP-447).
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`]. The offsets of a member that lost its partitions are refused; then the
    /// transaction has to be aborted, but the producer can go on.
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

    /// Commits the transaction: sends what is waiting, and ends the transaction once all of it is stored. Records that
    /// wait for their topic or for room are part of it; from this call on no other is accepted. After a time-out the
    /// same call waits on. [`Producer::close`] waits for it.
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`]; [`TransactionError::Record`] if a record of the transaction was not
    /// stored, [`TransactionError::Superseded`] if the transaction was aborted while its records waited,
    /// [`ProduceError::Closed`] if a close gave up records that waited, and [`TransactionError::OutcomeUnknown`] if a
    /// close had no time to wait for the coordinator's response.
    pub fn commit_transaction(
        &self,
        deadline: Instant,
    ) -> impl Future<Output = Result<(), ProduceError>> + Send + use<> {
        let committing = Committing::begin(self);
        let last = self.pending.last();
        let call = TransactionCall::Commit;
        // While this waits for records, the transaction may be aborted and another one begin.
        let number = self.sender().ask_transactions(Transactions::number);
        let commit = move |transactions: &mut Transactions| match transactions.number() == number {
            true => transactions.commit(),
            false => Err(TransactionError::Superseded { call }),
        };
        async move {
            let producer = &committing.producer;
            let started = now();
            let entered = tokio::time::timeout_at(deadline.into(), producer.entered(last));
            // A transaction that cannot be committed fails at once.
            if committing.transaction.is_some() && entered.await.is_err() {
                return Err(ProduceError::CallTimedOut {
                    call,
                    waited: now() - started,
                    cause: "records still wait for their topic or for room in buffer_memory".into(),
                });
            }
            // A close that ran out of time has given up waiting records: without them nothing is committed.
            if committing.transaction.is_some() && producer.shared().is_shut() {
                return Err(ProduceError::Closed);
            }
            let ended = producer.begin_call(call, commit)?;
            producer.end_of_call(call, ended, deadline).await
        }
    }

    /// Waits until the records that a commit covers were appended, or until nothing can be committed any more.
    async fn entered(&self, last: u64) {
        loop {
            let moved = self.shared().send_permits_changed.notified();
            if !self.shared().send_permits.read().is_committing() {
                return;
            }
            tokio::select! {
                biased;
                () = self.pending.passed(last) => return,
                () = moved => {}
            }
        }
    }

    /// True if a commit has begun and not ended.
    #[must_use]
    pub fn is_committing(&self) -> bool {
        // In this order: a commit that no longer waits for records is one of the state machine.
        self.shared().send_permits.read().is_committing()
            || self.sender().ask_transactions(Transactions::is_committing)
    }

    /// The state of transactions, by Kafka's name for it.
    #[must_use]
    pub fn transaction_state(&self) -> &'static str {
        if self.is_committing() {
            return "COMMITTING_TRANSACTION";
        }
        let state = self
            .sender()
            .ask_transactions(|transactions| Some(transactions.state()));
        state.unwrap_or("UNINITIALIZED")
    }

    /// Waits for the end of a commit that has begun, whatever its outcome.
    pub(super) async fn join_commit(&self) {
        loop {
            let moved = self.shared().send_permits_changed.notified();
            if self.shared().send_permits.read().is_committing() {
                moved.await;
                continue;
            }
            let call = TransactionCall::Commit;
            match self.sender().call(call, Transactions::join_commit) {
                Ok(ended) => drop(ended.await),
                Err(_) => return,
            }
        }
    }

    /// Leaves the open transaction to end by itself, for a caller that no longer waits: it is aborted, either now or,
    /// if it is being committed, should that fail. Returns true if the abort is under way.
    pub fn leave_transaction(&self) -> bool {
        let is_aborting = self.sender().leave_transaction();
        if is_aborting {
            self.shared().send_permits.write().abort(true);
            self.give_up_pending(&ProduceError::Aborted);
        }
        is_aborting
    }

    /// True if a transaction was left to end by itself, and has not ended.
    #[must_use]
    pub fn has_left_transaction(&self) -> bool {
        self.sender().ask_transactions(Transactions::is_left)
    }

    /// Waits until a transaction that was left has ended, whatever its outcome; returns at once if there is none.
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

    /// Aborts the transaction: drops records that were not sent yet, and ends it so that consumers with
    /// `read_committed` do not read its records. The abort has begun when this returns.
    ///
    /// # Errors
    /// As for [`Producer::init_transactions`].
    pub fn abort_transaction(
        &self,
        deadline: Instant,
    ) -> impl Future<Output = Result<(), ProduceError>> + Send + use<> {
        let producer = self.clone();
        // First, so that no waiting send gets a different error.
        producer.shared().send_permits.write().abort(true);
        let ended = producer.begin_call(TransactionCall::Abort, Transactions::abort);
        match ended {
            Ok(_) => drop(producer.give_up_pending(&ProduceError::Aborted)),
            Err(_) => producer.shared().send_permits.write().abort(false),
        }
        async move {
            producer
                .end_of_call(TransactionCall::Abort, ended?, deadline)
                .await
        }
    }

    /// True if a transaction has begun and was neither committed nor aborted.
    #[must_use]
    pub fn in_transaction(&self) -> bool {
        self.sender().in_transaction()
    }

    /// Notes that a record was handed over and will not be sent: an open transaction cannot be committed any more, as
    /// with Java's producer. Does nothing outside of one. Must not be called with a lock held.
    pub fn record_refused(&self, error: &ProduceError) {
        if self.shared().config.transactional_id.is_some() {
            self.sender().record_refused(error, None);
        }
    }

    /// As [`Producer::record_refused`], for a record that has waited: the transaction that is open by now may not be
    /// its own.
    pub fn waiting_refused(&self, error: &ProduceError, permit: SendPermit) {
        if self.shared().config.transactional_id.is_some() {
            let transaction = Some(permit.transaction());
            self.sender().record_refused(error, transaction);
        }
    }

    async fn transaction(
        &self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<TransactionCallId, TransactionError>,
        deadline: Instant,
    ) -> Result<(), ProduceError> {
        let ended = self.begin_call(call, command)?;
        self.end_of_call(call, ended, deadline).await
    }

    // Begins a call of the state machine, which itself makes batches leave that the call waits for. To ask for that
    // here, before it knows of the call, would send what an abort is about to drop.
    fn begin_call(
        &self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<TransactionCallId, TransactionError>,
    ) -> Result<CallEnd, ProduceError> {
        let begun = self.sender().call(call, command);
        begun.map_err(ProduceError::Transaction)
    }

    async fn end_of_call(
        &self,
        call: TransactionCall,
        ended: CallEnd,
        deadline: Instant,
    ) -> Result<(), ProduceError> {
        let started = now();
        tokio::pin!(ended);
        loop {
            let look = after(now(), REFUSAL_CHECK_INTERVAL).min(deadline);
            match tokio::time::timeout_at(look.into(), &mut ended).await {
                Ok(Ok(result)) => return result.map_err(ProduceError::Transaction),
                Ok(Err(_)) => return Err(ProduceError::Transaction(TransactionError::Closed)),
                Err(_) if look >= deadline => return Err(self.call_timed_out(call, started)),
                Err(_) => {}
            }
            // Nothing can have begun before the cluster is known. Later on other brokers may still bring the call to
            // its end.
            if self.client().cluster().version == 0
                && let Some(refusal) = self.client().refusal()
            {
                return Err(ProduceError::Security(refusal));
            }
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
        // The coordinator, or the brokers that know it, may refuse this client by now. A refusal by any other broker
        // does not concern this call.
        let coordinator = self
            .sender()
            .ask_transactions(Transactions::last_coordinator);
        let needs = |node| (coordinator == Some(node)).then_some(ConnectionKind::Coordinator);
        let refusal = self.client().refusal_of_reads(needs);
        if let Some(failure) = refusal.as_ref().and_then(ClientError::security) {
            return ProduceError::Security(failure);
        }
        let cause = self.silence(waited).or_else(|| self.sender().obstacle());
        ProduceError::CallTimedOut {
            call,
            waited,
            cause: cause.unwrap_or_else(|| "the transaction coordinator has not answered".into()),
        }
    }

    /// Names the broker that owes the response to the request under way, if it is silent.
    fn silence(&self, waited: Duration) -> Option<Arc<str>> {
        let (asked, of) = self.sender().ask_transactions(Transactions::asked)?;
        let is_asked = |node, api| api == asked && of.is_none_or(|of| of == node);
        self.client().silence(waited, is_asked)
    }
}

/// A commit from its call on: no new record is accepted while those that wait are appended. When it ends, the state of
/// the transaction decides again.
struct Committing {
    producer: Producer,
    /// The number of the transaction, if the commit waits for records of it.
    transaction: Option<u64>,
}

impl Committing {
    fn begin(producer: &Producer) -> Self {
        let is_transactional = producer.shared().config.transactional_id.is_some();
        let refusal = TransactionError::committing(TransactionCall::Send);
        let begin = || producer.shared().send_permits.write().begin_commit(refusal);
        Self {
            transaction: is_transactional.then(begin).flatten(),
            producer: producer.clone(),
        }
    }
}

impl Drop for Committing {
    fn drop(&mut self) {
        if let Some(transaction) = self.transaction {
            let shared = self.producer.shared();
            shared.send_permits.write().end_commit(transaction);
            shared.send_permits_changed.notify_waiters();
        }
    }
}
