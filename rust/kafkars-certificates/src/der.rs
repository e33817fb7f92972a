//! DER one element at a time, where a parser keeps no bytes of what it has read.

use x509_parser::asn1_rs::{Any, FromDer};

/// One element.
pub(crate) struct DerElement<'a> {
    /// All of it.
    pub(crate) whole: &'a [u8],
    /// What it holds.
    pub(crate) content: &'a [u8],
}

/// The first element, and what stands after it; none where none begins.
pub(crate) fn element(bytes: &[u8]) -> Option<(DerElement<'_>, &[u8])> {
    let (rest, any) = Any::from_der(bytes).ok()?;
    let whole = bytes.get(..bytes.len().checked_sub(rest.len())?)?;
    let content = any.data;
    Some((DerElement { whole, content }, rest))
}
