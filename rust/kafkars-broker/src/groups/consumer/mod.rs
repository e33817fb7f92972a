//! A consumer group of KIP-848: the coordinator assigns, and members are brought to their targets one by one.
//!
//! Three numbers tell how far things are. The group's epoch counts changes of what is to be assigned: members,
//! subscriptions, topics. The assignment epoch is the group's epoch that the targets were made for. Each member's epoch
//! is the one whose target it has reached.

pub(crate) mod assignors;
mod classic_member;
mod classic_protocol;
mod conversion;
mod describe;
mod group;
mod heartbeat;
mod leave;
mod member;
mod subscription;

#[cfg(test)]
mod tests;

pub(crate) use group::ConsumerGroup;
pub(crate) use heartbeat::{Heartbeat, check};
pub(crate) use member::ConsumerMember;
