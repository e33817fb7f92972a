//! `sticky`: an assignment as even as possible that moves as few partitions as possible (KIP-54).

mod balance;
mod claims;
mod user_data;

use std::sync::Arc;

use bytes::Bytes;

pub(super) use self::balance::distribute;
pub(super) use self::claims::{Claims, owned_by};
use super::strategy::{Assignment, Assignor, LastAssignment, plain};
use super::view::GroupView;

/// The assignor `sticky`.
///
/// Members give everything up before they join, so they tell the leader what they had: in user data that the Java
/// client reads and writes too, with the generation since KIP-341.
#[derive(Debug, Clone, Copy)]
pub struct StickyAssignor;

impl StickyAssignor {
    /// As [`Assignor::assign`], of members that say by [`MemberView::owned`](super::MemberView::owned) what they had,
    /// and have given it up.
    #[must_use]
    pub fn assign_by_owned(&self, group: &GroupView) -> Assignment {
        plain(distribute(group, &Claims::of_given_up(group)))
    }
}

impl Assignor for StickyAssignor {
    fn name(&self) -> &str {
        "sticky"
    }

    fn user_data(&self, last: &LastAssignment) -> Option<Bytes> {
        if last.generation < 0 {
            return None;
        }
        user_data::encode(last).ok()
    }

    fn assign(&self, group: &GroupView) -> Result<Assignment, Arc<str>> {
        Ok(plain(distribute(group, &Claims::of_user_data(group))))
    }
}

#[cfg(test)]
mod tests;
