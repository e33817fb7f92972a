//! A map whose copies share what did not change.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use foldhash::fast::RandomState;

/// How many shards a map has: a change copies one of them.
const SHARDS: usize = 64;

type Shard<K, V> = Arc<HashMap<K, V, RandomState>>;

/// A map in shards. A clone copies pointers, a change copies one shard: metadata of many topics often comes one topic
/// at a time.
#[derive(Debug, Clone)]
pub(super) struct Sharded<K, V> {
    shards: Arc<[Shard<K, V>; SHARDS]>,
    hasher: RandomState,
    len: usize,
}

impl<K, V> Default for Sharded<K, V> {
    fn default() -> Self {
        let empty = Shard::default();
        Self {
            shards: Arc::new(std::array::from_fn(|_| Arc::clone(&empty))),
            hasher: RandomState::default(),
            len: 0,
        }
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Sharded<K, V> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.shards[self.shard_of(key)].get(key)
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        let at = self.shard_of(&key);
        let shard = Arc::make_mut(&mut Arc::make_mut(&mut self.shards)[at]);
        if shard.insert(key, value).is_none() {
            self.len += 1;
        }
    }

    pub(super) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        self.get(key)?;
        let at = self.shard_of(key);
        let removed = Arc::make_mut(&mut Arc::make_mut(&mut self.shards)[at]).remove(key);
        self.len -= usize::from(removed.is_some());
        removed
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.shards.iter().flat_map(|shard| shard.iter())
    }

    /// Entries of shards that are not those of `earlier`: all that were put in since, and some of their neighbours.
    pub(super) fn since<'a>(&'a self, earlier: &'a Self) -> impl Iterator<Item = (&'a K, &'a V)> {
        let pairs = self.shards.iter().zip(earlier.shards.iter());
        let changed = pairs.filter(|(now, then)| !Arc::ptr_eq(now, then));
        changed.flat_map(|(now, _)| now.iter())
    }

    fn shard_of<Q: Hash + ?Sized>(&self, key: &Q) -> usize {
        // Other bits than those that the shard's own table uses.
        usize::try_from((self.hasher.hash_one(key) >> 32) % SHARDS as u64).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn many() -> Sharded<u32, u32> {
        let mut map = Sharded::default();
        for number in 0..1_000 {
            map.insert(number, number);
        }
        map
    }

    #[test]
    fn copies_do_not_see_later_changes() {
        let before = many();
        let mut after = before.clone();
        after.insert(7, 70);
        assert_eq!(after.remove(&8), Some(8));
        assert_eq!(after.remove(&8), None);
        assert_eq!((before.get(&7), after.get(&7)), (Some(&7), Some(&70)));
        assert_eq!((before.get(&8), after.get(&8)), (Some(&8), None));
        assert_eq!((before.len(), after.len()), (1_000, 999));
        assert_eq!(after.iter().count(), 999);
    }

    #[test]
    fn what_changed_is_found_without_looking_at_everything() {
        let before = many();
        let mut after = before.clone();
        assert_eq!(after.since(&before).count(), 0);
        after.insert(7, 70);
        let looked_at: Vec<_> = after.since(&before).collect();
        assert!(looked_at.contains(&(&7, &70)));
        assert!(looked_at.len() < 100, "{} of 1,000", looked_at.len());
    }

    #[test]
    fn another_map_has_nothing_in_common() {
        let (before, after) = (many(), many());
        assert_eq!(after.since(&before).count(), 1_000);
    }
}
