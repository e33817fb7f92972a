//! Formats several causes in one line.

use std::sync::Arc;

pub(super) fn list<E: std::fmt::Display>(causes: &[(Arc<str>, E)]) -> String {
    let lines: Vec<String> = causes
        .iter()
        .map(|(address, cause)| format!("{address}: {cause}"))
        .collect();
    lines.join("; ")
}
