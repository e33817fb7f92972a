//! What a caller should do about an error.

/// The answer to "what now?", which every public error gives through its `kind()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// Trying again later may work; the client already did so for as long as its settings allow.
    Retriable,
    /// Credentials were refused or have expired.
    Authentication,
    /// The call, its data or a setting must change.
    Invalid,
    /// The transaction is lost; abort it, then it may be tried again.
    Abortable,
    /// This client cannot go on; make a new one.
    Fatal,
}

/// `address: cause` for each, as messages name what was tried.
pub(crate) fn list(causes: &[(std::sync::Arc<str>, std::sync::Arc<str>)]) -> String {
    let entries: Vec<String> = causes
        .iter()
        .map(|(address, cause)| format!("{address}: {cause}"))
        .collect();
    entries.join("; ")
}
