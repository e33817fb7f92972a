//! Events of the group for the application.

use kafkars_core::group::{Change, CommitError, GroupError, Offsets};

/// Identifies one leave of a group among all of the same consumer; later ids are greater. An application that leaves,
/// subscribes and leaves again may get the event of the first leave only then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeaveId(pub u64);

/// An event for the application. Events come in the order in which they happened, except that `Failed` comes after all
/// others.
#[derive(Debug)]
pub enum ConsumerEvent {
    /// Partitions come or go. No record is returned until [`crate::Consumer::finish_change`] is called.
    Change(Change),
    /// A commit with a callback has ended.
    Committed {
        /// The callback's number.
        callback: u64,
        /// The offsets that were to be committed.
        offsets: Offsets,
        /// The outcome.
        outcome: Result<(), CommitError>,
    },
    /// The membership failed.
    Failed(GroupError),
    /// The group was left, this time and all times before.
    Left(LeaveId),
}
