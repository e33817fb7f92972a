//! What a membership tells the application.

use super::error::GroupError;
use crate::config::TopicPartition;

/// One event for the application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupEvent {
    /// Partitions are assigned, revoked or lost. Changes are carried out in order; the end of each is reported with
    /// [`super::Membership::change_done`].
    Change(Change),
    /// The consumer left because the application did not poll; it joins again at the next poll. A [`ChangeKind::Lost`]
    /// follows when it owned anything.
    PollIntervalExceeded(GroupError),
    /// The group was left as asked; nothing follows until the next subscription.
    Left,
    /// Membership ended with an error. If its kind is fatal nothing follows; otherwise the next poll tries again.
    Failed(GroupError),
}

/// Identifies a change within its membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeId(pub u64);

/// A change of owned partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// To be passed to [`super::Membership::change_done`].
    pub id: ChangeId,
    /// What happens to the partitions.
    pub kind: ChangeKind,
    /// The partitions, in order of topic and number.
    pub partitions: Vec<TopicPartition>,
    /// Of a revocation: the member gives the partitions up only to join again, which may bring them back. Of an
    /// assignment: it is that of the very next generation, so nobody else has owned what was given up so.
    pub rejoins: bool,
}

/// What happens to the partitions of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// They are new. Reported after every rebalance of the classic protocol and every join of the consumer protocol, so
    /// the list may be empty.
    Assigned,
    /// They are to be given up. They are still owned, and may be committed, until the change is done; the group waits
    /// for it as long as the rebalance timeout.
    Revoked,
    /// They are gone already and may have other owners; commits for them fail. All partitions owned until now are among
    /// them, also those being revoked: no record of any of them may be handed out any more. A [`ChangeKind::Revoked`]
    /// that is not done yet is superseded: nothing waits for its end, and an application that was told of it need not
    /// be told of the loss.
    Lost(GroupError),
}
