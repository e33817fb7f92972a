//! Transactional calls that are under way, and those who wait for their ends.

use std::collections::HashMap;

use kafkars_core::transaction::{
    TransactionCall, TransactionCallId, TransactionError, Transactions,
};
use tokio::sync::oneshot;

/// Receives the outcome of a call; an error means that the producer has ended.
pub(crate) type CallEnd = oneshot::Receiver<Result<(), TransactionError>>;

/// The calls under way.
#[derive(Default)]
pub(super) struct Calls {
    waiting: HashMap<TransactionCallId, WaitingCall>,
}

/// A call, and those who wait for its end.
struct WaitingCall {
    call: TransactionCall,
    ends: Vec<oneshot::Sender<Result<(), TransactionError>>>,
}

impl Calls {
    /// Adds one who waits for the end of a call.
    pub(super) fn wait_for(
        &mut self,
        call_id: TransactionCallId,
        call: TransactionCall,
    ) -> CallEnd {
        let (end, ended) = oneshot::channel();
        let waiting = self.waiting.entry(call_id);
        let new = || WaitingCall {
            call,
            ends: Vec::new(),
        };
        waiting.or_insert_with(new).ends.push(end);
        ended
    }

    /// Reports calls that have ended.
    pub(super) fn end(&mut self, transactions: &mut Transactions) {
        for outcome in transactions.take_outcomes() {
            let Some(WaitingCall { call, ends }) = self.waiting.remove(&outcome.call_id) else {
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

    /// Forgets all calls: the producer has ended, and none of them ends any more.
    pub(super) fn clear(&mut self) {
        self.waiting.clear();
    }
}
