//! Requests may name a thing more than once.

use std::collections::BTreeMap;

/// Counts how often each name, or whatever else stands for a thing, occurs.
pub(super) fn times<K: Ord>(named: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut times = BTreeMap::new();
    for name in named {
        *times.entry(name).or_default() += 1;
    }
    times
}
