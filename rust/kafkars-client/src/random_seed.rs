//! Seeds of what has to differ between clients: ids of members, back-offs, the partitions where spreading begins.

use std::hash::{BuildHasher, RandomState};

/// A seed that no other client has.
///
/// It comes from the operating system each time. What is kept in the process, as the keys of the standard library's
/// hashers are, is the same in all processes that were forked from one, and the coordinator would take their members
/// for a single one.
pub(crate) fn random_seed() -> u64 {
    // Where the system has none to give, the number of the process is what differs after a fork.
    getrandom::u64().unwrap_or_else(|_| RandomState::new().hash_one(std::process::id()))
}
