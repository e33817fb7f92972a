//! A classic group: its members agree on a generation with `JoinGroup`, and its leader assigns with `SyncGroup`.
//!
//! Time is what callers say it is. What is due happens in [`ClassicGroup::advance`], which every look at a group begins
//! with, so nothing runs beside the requests.

mod conversion;
mod group;
mod heartbeat;
mod join;
mod leave;
mod member;
pub(super) mod metadata;
mod rebalance;
mod refusals;
mod sync;

#[cfg(test)]
mod tests;

pub(crate) use group::{CONSUMER, ClassicGroup, ClassicPhase};
pub(crate) use join::{Join, KNOWN_ID_SINCE};
pub(crate) use member::ClassicMember;
pub(crate) use refusals::{refused_join, refused_sync};
