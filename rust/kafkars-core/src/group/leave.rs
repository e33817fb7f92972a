//! How to leave a group.

/// What leaving means to a member (KIP-1092).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LeaveOperation {
    /// A member with an instance id keeps its place until the session ends, others leave at once.
    #[default]
    Default,
    /// Leave at once, with an instance id too.
    LeaveGroup,
    /// Keep the place until the session ends, without an instance id too.
    RemainInGroup,
}

/// A wish to leave.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leave {
    /// Whether the place is given up.
    pub operation: LeaveOperation,
    /// Why, for the broker's log (KIP-800).
    pub reason: Option<String>,
}
