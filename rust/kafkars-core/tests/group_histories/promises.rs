//! What was accepted is done or reported: every commit that a member's application has made has one outcome before the
//! member has left, and one that is said to be done is.

use std::collections::BTreeSet;

use kafkars_core::group::CommitId;

use crate::coordinator::Offsets;
use crate::member::Member;

/// Looks at outcomes as members hear them.
#[derive(Default)]
pub(crate) struct Promises {
    /// Commits by hand: made, done, and reported not to be done.
    pub(crate) made: u64,
    pub(crate) kept: u64,
    pub(crate) failed: u64,
}

/// Commits that one member's application has made by hand.
#[derive(Debug, Default)]
pub(crate) struct Made {
    open: BTreeSet<CommitId>,
    made: u64,
    kept: u64,
    failed: u64,
}

impl Made {
    pub(crate) fn add(&mut self, id: CommitId) {
        self.open.insert(id);
        self.made += 1;
    }

    /// How many are said not to be done.
    pub(crate) fn failed(&self) -> u64 {
        self.failed
    }

    pub(crate) fn answered(&mut self, id: CommitId, is_done: bool) {
        if self.open.remove(&id) {
            self.kept += u64::from(is_done);
            self.failed += u64::from(!is_done);
        }
    }
}

impl Promises {
    /// After every step of a member.
    pub(crate) fn note(&mut self, member: &mut Member, offsets: &Offsets) -> Result<(), String> {
        for (partition, offset) in std::mem::take(&mut member.confirmed) {
            if offsets.highest(&partition) < offset {
                return Err(format!(
                    "{:?} was told that {offset} of {partition} is committed",
                    member.process
                ));
            }
        }
        Ok(())
    }

    /// A member has left as it wanted.
    pub(crate) fn left(&mut self, member: &Member) -> Result<(), String> {
        self.made += member.made.made;
        self.kept += member.made.kept;
        self.failed += member.made.failed;
        match member.made.open.is_empty() {
            true => Ok(()),
            false => Err(format!(
                "{:?} left and never heard of {:?}",
                member.process, member.made.open
            )),
        }
    }
}
