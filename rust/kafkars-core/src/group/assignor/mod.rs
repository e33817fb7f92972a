//! Assignors: the assignment strategies of the classic protocol, which the group's leader runs.

mod cooperative;
mod range;
mod round_robin;
mod sticky;
mod strategy;
mod view;

use std::sync::Arc;

pub use self::cooperative::CooperativeStickyAssignor;
pub use self::range::RangeAssignor;
pub use self::round_robin::RoundRobinAssignor;
pub use self::sticky::StickyAssignor;
pub use self::strategy::{Assignment, Assignor, LastAssignment, MemberAssignment};
pub use self::view::{GroupView, MemberView, PartitionView, TopicView};

/// The built-in strategy of a name, as in `partition_assignment_strategy`.
#[must_use]
pub fn by_name(name: &str) -> Option<Arc<dyn Assignor>> {
    match name {
        "range" => Some(Arc::new(RangeAssignor)),
        "roundrobin" => Some(Arc::new(RoundRobinAssignor)),
        "sticky" => Some(Arc::new(StickyAssignor)),
        "cooperative-sticky" => Some(Arc::new(CooperativeStickyAssignor)),
        _ => None,
    }
}

/// The default assignors of Kafka's own consumer: range, and cooperative-sticky as the way to move on from it.
#[must_use]
pub fn default_assignors() -> Vec<Arc<dyn Assignor>> {
    vec![Arc::new(RangeAssignor), Arc::new(CooperativeStickyAssignor)]
}
