//! The names of the calls that make up transactions.

use std::fmt;

/// The calls that make up transactions, as messages name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransactionCall {
    /// `init_transactions`
    Init,
    /// `begin_transaction`
    Begin,
    /// `send`
    Send,
    /// `send_offsets_to_transaction`
    SendOffsets,
    /// `commit_transaction`
    Commit,
    /// `abort_transaction`
    Abort,
}

impl fmt::Display for TransactionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Init => "init_transactions()",
            Self::Begin => "begin_transaction()",
            Self::Send => "send()",
            Self::SendOffsets => "send_offsets_to_transaction()",
            Self::Commit => "commit_transaction()",
            Self::Abort => "abort_transaction()",
        })
    }
}
