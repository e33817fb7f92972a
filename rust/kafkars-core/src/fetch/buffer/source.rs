//! Who is asked for positions.

use std::sync::Arc;

/// Who is asked for a position. Positions that the same one is asked for are looked up together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum LookUpSource {
    /// The group's coordinator knows what was committed.
    Coordinator,
    /// The leader of the partition, by its node id.
    Leader(i32),
    /// The partition of this topic has no leader, or is not known yet.
    NoLeader(Arc<str>),
    /// No broker is asked: the policy of the consumer refuses to look anywhere.
    Policy,
}
