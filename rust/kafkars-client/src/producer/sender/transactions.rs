//! The transactional part of the sender: it sends requests to the coordinator and ends calls that wait for them.

use std::sync::Arc;

use kafkars_core::produce::error::ProduceError;
use kafkars_core::transaction::{
    Dispatch, NoAnswer, TransactionCall, TransactionCallId, TransactionError, TransactionResponse,
    Transactions,
};

use super::coordinator;
use super::driver::SenderDriver;
use super::event::{SenderEvent, report};
use super::transaction_calls::CallEnd;
use crate::now;

impl SenderDriver {
    /// Runs a transactional call. No record is accepted while it changes whether records may be sent.
    pub(super) fn command<T>(
        &mut self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<T, TransactionError>,
    ) -> Result<T, TransactionError> {
        let Some(transactions) = self.core.transactions() else {
            return Err(TransactionError::NotConfigured { call });
        };
        if self.ended {
            return Err(TransactionError::Closed);
        }
        let mut send_permits = self.shared.send_permits.write();
        let result = command(transactions);
        send_permits.set(transactions.may_send().err(), transactions.number());
        drop(send_permits);
        self.shared.send_permits_changed.notify_waiters();
        result
    }

    /// Runs a transactional call that ends later.
    pub(super) fn call(
        &mut self,
        call: TransactionCall,
        command: impl FnOnce(&mut Transactions) -> Result<TransactionCallId, TransactionError>,
    ) -> Result<CallEnd, TransactionError> {
        let call_id = self.command(call, command)?;
        let ended = self.calls.wait_for(call_id, call);
        // Some calls end at once.
        self.end_calls();
        Ok(ended)
    }

    pub(super) fn transactions(&mut self) -> Option<&Transactions> {
        self.core.transactions().map(|known| &*known)
    }

    /// Leaves the open transaction to end by itself. Returns whether its abort is under way.
    pub(super) fn leave_transaction(&mut self) -> bool {
        let leave = |transactions: &mut Transactions| Ok(transactions.leave());
        // A producer that has ended has nothing to leave.
        let is_aborting = self.command(TransactionCall::Abort, leave).unwrap_or(false);
        self.end_calls();
        is_aborting
    }

    pub(super) fn in_transaction(&mut self) -> bool {
        let transactions = self.core.transactions();
        transactions.is_some_and(|transactions| transactions.is_open())
    }

    /// Notes that a record never reached a batch: one of the open transaction, or of the one with that number.
    pub(super) fn record_refused(&mut self, error: &ProduceError, transaction: Option<u64>) {
        if let Some(transactions) = self.core.transactions()
            && transaction.is_none_or(|number| number == transactions.number())
        {
            transactions.record_refused(error);
            self.transactions_changed();
        }
    }

    /// What a transactional call is waiting for.
    pub(super) fn obstacle(&mut self) -> Option<Arc<str>> {
        let transactions = self.core.transactions();
        transactions.map(|transactions| transactions.obstacle())
    }

    /// Sends a request to the coordinator, or looks for it.
    pub(super) fn coordinate(&self, dispatch: Dispatch) {
        let client = self.shared.client.clone();
        let deadline = now() + self.shared.config.request_timeout;
        let events = self.events.clone();
        self.tasks.spawn(async move {
            let answer = coordinator::ask(&client, dispatch, deadline).await;
            report(&events, SenderEvent::Coordinated(answer));
        });
    }

    pub(super) fn coordinated(&mut self, answer: Result<TransactionResponse, NoAnswer>) {
        if let Some(transactions) = self.core.transactions() {
            transactions.answered(now(), answer);
        }
        self.transactions_changed();
    }

    /// Ends all transactional calls with the producer.
    pub(super) fn close_transactions(&mut self) {
        if let Some(transactions) = self.core.transactions() {
            transactions.close();
        }
        self.transactions_changed();
        self.calls.clear();
    }

    /// Passes the new state of the transaction on to records and to waiting calls.
    pub(super) fn transactions_changed(&mut self) {
        self.permits_changed();
        self.end_calls();
    }

    /// Passes the new state of the transaction on to records.
    pub(super) fn permits_changed(&mut self) {
        let Some(transactions) = self.core.transactions() else {
            return;
        };
        let refusal = transactions.may_send().err();
        if self.shared.send_permits.read().differs(refusal.as_ref()) {
            self.shared
                .send_permits
                .write()
                .set(refusal, transactions.number());
            self.shared.send_permits_changed.notify_waiters();
        }
    }

    fn end_calls(&mut self) {
        if let Some(transactions) = self.core.transactions() {
            self.calls.end(transactions);
        }
    }
}
