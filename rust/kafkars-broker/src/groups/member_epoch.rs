//! Member epochs that mean something besides a number of the group, in consumer and share groups alike.

/// A member joins with this epoch.
pub(crate) const JOINING: i32 = 0;
/// A member leaves with this epoch.
pub(crate) const LEAVING: i32 = -1;
/// A static member that leaves for a while and keeps its partitions has this epoch.
pub(crate) const LEFT_FOR_A_WHILE: i32 = -2;
