//! A member's identity in the classic protocol.

use std::sync::Arc;

/// The generation while the consumer is not a member.
pub(super) const NO_GENERATION: i32 = -1;

/// A member as its coordinator knows it.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) id: Arc<str>,
    pub(super) generation: i32,
    /// The strategy that the group chose.
    pub(super) strategy: Option<Arc<str>>,
}

impl Member {
    pub(super) fn nobody() -> Self {
        Self {
            id: "".into(),
            generation: NO_GENERATION,
            strategy: None,
        }
    }
}
