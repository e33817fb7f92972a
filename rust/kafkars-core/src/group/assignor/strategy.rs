//! The trait of assignment strategies, and what they return.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::view::GroupView;
use crate::config::TopicPartition;

/// An assignment strategy. The members of a group agree on it by name, so two implementations of one name must be
/// compatible.
///
/// It may run on any thread, and keeps no state between calls unless it wants to.
pub trait Assignor: Send + Sync + fmt::Debug {
    /// The name in `partition_assignment_strategy` on the wire, such as `range`.
    fn name(&self) -> &str;

    /// True if it never gives a partition to a new owner before the old one has given it up (KIP-429). Members whose
    /// assignors all do so keep their partitions while they join.
    fn is_cooperative(&self) -> bool {
        false
    }

    /// What the member tells the leader beyond topics and owned partitions.
    fn user_data(&self, _last: &LastAssignment) -> Option<Bytes> {
        None
    }

    /// Gives the group's partitions to its members. A partition may stay without owner; none may have two.
    ///
    /// # Errors
    /// The text for [`crate::group::GroupError::Assignor`].
    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>>;

    /// Called when the member has got its assignment, with the user data that the leader's strategy added.
    fn on_assignment(&self, _last: &LastAssignment, _user_data: Option<&Bytes>) {}
}

/// What a member was assigned last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LastAssignment {
    /// The partitions, in order. Kept after they were given up.
    pub partitions: Vec<TopicPartition>,
    /// The generation of the assignment; -1 before the first.
    pub generation: i32,
}

/// What each member gets, by member id.
pub type Assignment = BTreeMap<Arc<str>, MemberAssignment>;

/// What one member gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberAssignment {
    /// Its partitions.
    pub partitions: Vec<TopicPartition>,
    /// Passed to its [`Assignor::on_assignment`].
    pub user_data: Option<Bytes>,
}

/// Lists of partitions without user data, as an assignment.
pub(super) fn plain(lists: BTreeMap<Arc<str>, Vec<TopicPartition>>) -> Assignment {
    let without_data = |(member, partitions)| {
        let assignment = MemberAssignment {
            partitions,
            user_data: None,
        };
        (member, assignment)
    };
    lists.into_iter().map(without_data).collect()
}
