//! Calls of transactions that are under way, and who waits for their ends.

use std::collections::HashMap;

use kafkars_core::transaction::{
    TransactionCall, TransactionCallId, TransactionError, Transactions,
};
use tokio::sync::oneshot;

/// How a call ended; a sender dropped unused means that the producer has.
pub(crate) type CallEnd = oneshot::Receiver<Result<(), TransactionError>>;

/// Calls under way.
#[derive(Default)]
pub(super) struct Calls {
    waiting: HashMap<TransactionCallId, WaitingCall>,
}

/// Who waits for the end of one call.
struct WaitingCall {
    call: TransactionCall,
    ends: Vec<oneshot::Sender<Result<(), TransactionError>>>,
}

impl Calls {
    /// The end of a call, for one more who waits for it.
    pub(super) fn wait_for(&mut self, ticket: TransactionCallId, call: TransactionCall) -> CallEnd {
        let (end, ended) = oneshot::channel();
        let waiting = self.waiting.entry(ticket);
        let new = || WaitingCall {
            call,
            ends: Vec::new(),
        };
        waiting.or_insert_with(new).ends.push(end);
        ended
    }

    /// Tells who waits for calls that have ended.
    pub(super) fn end(&mut self, transactions: &mut Transactions) {
        for outcome in transactions.take_outcomes() {
            let Some(WaitingCall { call, ends }) = self.waiting.remove(&outcome.ticket) else {
                continue;
            };
            let mut is_heard = false;
            for end in ends {
                // The caller may have stopped waiting.
                is_heard |= end.send(outcome.result.clone()).is_ok();
            }
            if !is_heard && outcome.result.is_ok() {
                transactions.nobody_heard(call);
            }
        }
    }

    /// The producer has ended, and no call ends any more.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }
}
