//! What a membership tells the application.

use super::error::GroupError;
use crate::config::TopicPartition;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupEvent {
    /// Partitions come or go. Changes are carried out in order; the end of each is reported with
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

/// Tells one change from every other of the same membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ChangeId(pub u64);

/// Partitions that come or go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// For [`super::Membership::change_done`].
    pub id: ChangeId,
    /// Whether they come or go.
    pub kind: ChangeKind,
    /// Which; in order of topic and partition.
    pub partitions: Vec<TopicPartition>,
}

/// Whether partitions come or go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// These are new. Comes after every completed rebalance, so it may be empty.
    Assigned,
    /// These are to be given up. They are still owned, and may be committed, until the change is done; the group waits
    /// for it as long as the rebalance timeout.
    Revoked,
    /// These are gone already and may have other owners; commits for them fail. Everything owned until now is among
    /// them, what is being given up too: no record of any of them may be handed out any more. A [`ChangeKind::Revoked`]
    /// that is not done yet is overtaken, so nobody waits for its end; an application that has heard of it need not
    /// hear of the loss.
    Lost(GroupError),
}
