//! Settings after their rules held.

use std::ops::Deref;

/// Settings whose rules were checked. Made only by the `check` methods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked<T>(pub(super) T);

impl<T> Deref for Checked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
