//! Regular expressions that clients send. Like RE2/J in Kafka, they take time that grows with the text only.

use regex::{Error, Regex, RegexBuilder};

/// Memory that one compiled expression may take, and again what it builds up while it matches.
pub(crate) const MAX_BYTES: usize = 256 << 10;

/// An expression that must match the whole of a name.
pub(crate) fn whole(text: &str) -> Result<Regex, Error> {
    RegexBuilder::new(&format!("^(?:{text})$"))
        .size_limit(MAX_BYTES)
        .dfa_size_limit(MAX_BYTES)
        .build()
}
