//! Reads DER element by element, where a parser does not keep the bytes that it has read.

use x509_parser::asn1_rs::{Any, FromDer};

pub(crate) struct DerElement<'a> {
    /// The whole element.
    pub(crate) whole: &'a [u8],
    /// Its content.
    pub(crate) content: &'a [u8],
}

/// Reads the first element. Returns it with the bytes after it; `None` if no element begins here.
pub(crate) fn element(bytes: &[u8]) -> Option<(DerElement<'_>, &[u8])> {
    let (rest, any) = Any::from_der(bytes).ok()?;
    let whole = bytes.get(..bytes.len().checked_sub(rest.len())?)?;
    let content = any.data;
    Some((DerElement { whole, content }, rest))
}
