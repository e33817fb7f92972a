//! What the application hears of its group.

use kafkars_core::group::{Change, CommitError, GroupError, Offsets};

/// Tells one end of a subscription from every other of the same consumer; a later one is greater. Who leaves,
/// subscribes anew and leaves again may hear of the first end only then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaveId(pub u64);

/// Something for the application, in the order in which it happened.
#[derive(Debug)]
pub enum ConsumerEvent {
    /// Partitions come or go. No record is handed out until [`crate::Consumer::finish_change`].
    Change(Change),
    /// A commit with a callback has ended.
    Committed {
        /// The callback's number.
        callback: u64,
        /// What was to be committed.
        offsets: Offsets,
        /// What came of it.
        outcome: Result<(), CommitError>,
    },
    /// Membership failed.
    Failed(GroupError),
    /// The group was left as asked, this time and all times before.
    Left(LeaveId),
}
