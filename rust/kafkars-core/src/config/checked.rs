//! Settings whose rules were checked.

use std::ops::Deref;

/// Settings whose rules were checked; only the `check` methods make them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T>(pub(super) T);

impl<T> Deref for Checked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
