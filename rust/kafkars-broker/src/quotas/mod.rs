//! Client quotas: what has been set for whom, what they use, and how long they have to pause (KIP-13, KIP-124, KIP-219,
//! KIP-599).
//!
//! Every client counts as the user [`USER`], also where it has logged in: quotas of other users are kept and described,
//! and limit nobody. Time is the broker's clock, so that a test which stops it stops the windows too.

mod bucket;
pub(crate) mod check;
pub(crate) mod connections;
mod entity;
mod rate;

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use bucket::Bucket;
pub(crate) use entity::{Entity, EntityPart};
use rate::Rate;

/// The user that every client counts as.
pub(crate) const USER: &str = "ANONYMOUS";
/// Entities that may have quotas, so that altering them does not fill the memory.
pub(crate) const MAX_ENTITIES: usize = 1_000;
/// Clients whose use is measured at once. Those that ask for nothing are forgotten first.
const MAX_MEASURED: usize = 2_000;
/// Longest pause for the time that requests take: one window, as in Kafka.
const LONGEST_REQUEST_PAUSE_MS: f64 = 1000.0;

/// The things that a quota limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Limited {
    /// `producer_byte_rate`.
    Produce,
    /// `consumer_byte_rate`.
    Fetch,
    /// `request_percentage`: of one thread's time.
    RequestTime,
}

impl Limited {
    fn key(self) -> &'static str {
        match self {
            Self::Produce => "producer_byte_rate",
            Self::Fetch => "consumer_byte_rate",
            Self::RequestTime => "request_percentage",
        }
    }
}

/// `controller_mutation_rate`: partitions made and deleted.
const MUTATIONS: &str = "controller_mutation_rate";

/// The quotas of one entity by key.
pub(crate) type QuotaValues = BTreeMap<String, f64>;

/// Quotas and the use of them.
#[derive(Debug, Default)]
pub(crate) struct Quotas {
    /// True if there are any quotas: the common case costs one load.
    any: AtomicBool,
    inner: Mutex<QuotaState>,
}

#[derive(Debug, Default)]
struct QuotaState {
    entities: BTreeMap<Entity, QuotaValues>,
    rates: HashMap<(Limited, Share), Rate>,
    buckets: HashMap<Share, Bucket>,
    /// Connections opened by those addresses that have a quota for them.
    connections: HashMap<IpAddr, Rate>,
}

/// The clients that use one allowance together: those that the quota is for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Share {
    user: bool,
    client_id: Option<String>,
}

impl Quotas {
    /// True if there are any quotas at all.
    pub(crate) fn are_set(&self) -> bool {
        self.any.load(Ordering::Relaxed)
    }

    /// Every entity with quotas.
    pub(crate) fn entities(&self) -> Vec<(Entity, QuotaValues)> {
        let inner = self.inner.lock();
        let entities = inner.entities.iter();
        entities
            .map(|(entity, values)| (entity.clone(), values.clone()))
            .collect()
    }

    /// The number of entities with quotas, were this one to have some.
    pub(crate) fn count_with(&self, entity: &Entity) -> usize {
        let inner = self.inner.lock();
        inner.entities.len() + usize::from(!inner.entities.contains_key(entity))
    }

    /// Sets a quota of an entity, or with none takes it back. Both have been checked.
    pub(crate) fn set(&self, entity: &Entity, key: &str, value: Option<f64>) {
        let mut inner = self.inner.lock();
        let values = inner.entities.entry(entity.clone()).or_default();
        match value {
            Some(value) => drop(values.insert(key.to_owned(), value)),
            None => drop(values.remove(key)),
        }
        if values.is_empty() {
            inner.entities.remove(entity);
        }
        self.any
            .store(!inner.entities.is_empty(), Ordering::Relaxed);
    }

    /// Counts what a client has used, and returns how long it has to pause, in ms.
    pub(crate) fn charge(&self, limited: Limited, client_id: &str, amount: f64, now: i64) -> i32 {
        self.measure(limited, client_id, amount, now, true)
    }

    /// Counts a use as `charge` does, unless it is too much: the client does not get it then.
    pub(crate) fn offer(&self, limited: Limited, client_id: &str, amount: f64, now: i64) -> i32 {
        self.measure(limited, client_id, amount, now, false)
    }

    /// Counts the time that a request has kept the thread busy.
    pub(crate) fn charge_time(&self, client_id: &str, busy: Duration, now: i64) -> i32 {
        self.charge(
            Limited::RequestTime,
            client_id,
            busy.as_secs_f64() * 100.0,
            now,
        )
    }

    fn measure(
        &self,
        limited: Limited,
        client_id: &str,
        amount: f64,
        now: i64,
        keeps: bool,
    ) -> i32 {
        if !self.are_set() {
            return 0;
        }
        let mut inner = self.inner.lock();
        let Some((share, limit)) = inner.find(limited.key(), client_id) else {
            return 0;
        };
        inner.make_room(now);
        let rate = inner.rates.entry((limited, share)).or_default();
        rate.record(amount, now);
        let pause = rate.pause_ms(limit, now);
        if pause > 0.0 && !keeps {
            rate.record(-amount, now);
        }
        milliseconds(match limited {
            Limited::RequestTime => pause.min(LONGEST_REQUEST_PAUSE_MS),
            Limited::Produce | Limited::Fetch => pause,
        })
    }

    /// The most that a client may fetch at once: what its quota allows in all its windows.
    pub(crate) fn most_to_fetch(&self, client_id: &str) -> usize {
        if !self.are_set() {
            return usize::MAX;
        }
        let inner = self.inner.lock();
        let found = inner.find(Limited::Fetch.key(), client_id);
        found.map_or(usize::MAX, |(_, limit)| {
            (limit * rate::FULL_SECONDS) as usize
        })
    }

    /// Counts partitions that a client makes or deletes. A `strict` one is refused while it has done too much, the
    /// others have to pause.
    ///
    /// # Errors
    /// How long the client has to pause before it is allowed, in ms.
    pub(crate) fn mutate(
        &self,
        client_id: &str,
        partitions: usize,
        strict: bool,
        now: i64,
    ) -> Result<i32, i32> {
        if !self.are_set() {
            return Ok(0);
        }
        let mut inner = self.inner.lock();
        let Some((share, limit)) = inner.find(MUTATIONS, client_id) else {
            return Ok(0);
        };
        inner.make_room(now);
        let full = || Bucket::full(limit, now);
        let bucket = inner.buckets.entry(share).or_insert_with(full);
        bucket.refill(limit, now);
        let pause = |bucket: &Bucket| milliseconds(bucket.pause_ms(limit));
        if strict && bucket.is_overdrawn() {
            return Err(pause(bucket));
        }
        bucket.take(partitions as f64);
        Ok(if strict { 0 } else { pause(bucket) })
    }
}

impl QuotaState {
    /// The quota that holds for a client, the most particular first, and who shares it.
    fn find(&self, key: &str, client_id: &str) -> Option<(Share, f64)> {
        entity::that_hold_for(USER, client_id).find_map(|entity| {
            let limit = *self.entities.get(&entity)?.get(key)?;
            let share = Share {
                user: entity.user != EntityPart::Absent,
                client_id: (entity.client_id != EntityPart::Absent).then(|| client_id.to_owned()),
            };
            Some((share, limit))
        })
    }

    fn make_room(&mut self, now: i64) {
        if self.rates.len() >= MAX_MEASURED {
            self.rates.retain(|_, rate| rate.is_in_use(now));
        }
        if self.rates.len() >= MAX_MEASURED {
            self.rates.clear();
        }
        if self.buckets.len() >= MAX_MEASURED {
            self.buckets.clear();
        }
    }
}

fn milliseconds(pause: f64) -> i32 {
    // Saturates, and nothing is nothing.
    pause.round().max(0.0) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(client_id: &str) -> Entity {
        Entity::new(EntityPart::Absent, EntityPart::Named(client_id.to_owned()))
    }

    #[test]
    fn a_client_pauses_until_its_rate_is_right() {
        let quotas = Quotas::default();
        assert_eq!(quotas.charge(Limited::Produce, "a", 1e9, 0), 0);
        quotas.set(&client("a"), "producer_byte_rate", Some(1000.0));
        assert_eq!(quotas.charge(Limited::Produce, "a", 10_000.0, 0), 0);
        // 20,000 bytes in windows of 10 seconds: twice as much as allowed.
        assert_eq!(quotas.charge(Limited::Produce, "a", 10_000.0, 0), 10_000);
        assert_eq!(quotas.charge(Limited::Produce, "b", 1e9, 0), 0);
        assert_eq!(quotas.charge(Limited::Fetch, "a", 1e9, 0), 0);
        assert_eq!(quotas.charge(Limited::Produce, "a", 1.0, 20_000), 0);
        quotas.set(&client("a"), "producer_byte_rate", None);
        assert_eq!(quotas.charge(Limited::Produce, "a", 1e9, 0), 0);
    }

    #[test]
    fn what_is_not_handed_out_does_not_count() {
        let quotas = Quotas::default();
        quotas.set(&client("a"), "consumer_byte_rate", Some(100.0));
        assert_eq!(quotas.most_to_fetch("a"), 1000);
        assert_eq!(quotas.offer(Limited::Fetch, "a", 1000.0, 0), 0);
        assert_eq!(quotas.offer(Limited::Fetch, "a", 500.0, 0), 5000);
        assert_eq!(quotas.offer(Limited::Fetch, "a", 500.0, 0), 5000);
        assert_eq!(quotas.offer(Limited::Fetch, "a", 500.0, 11_000), 0);
    }

    #[test]
    fn the_pause_for_time_is_a_second_at_most() {
        let quotas = Quotas::default();
        let everybody = Entity::new(EntityPart::Absent, EntityPart::Default);
        quotas.set(&everybody, "request_percentage", Some(1.0));
        let busy = Duration::from_secs(10);
        assert_eq!(quotas.charge_time("x", busy, 0), 1000);
    }

    #[test]
    fn mutations_are_refused_once_the_bucket_is_empty() {
        let quotas = Quotas::default();
        quotas.set(&client("a"), MUTATIONS, Some(1.0));
        assert_eq!(quotas.mutate("a", 13, true, 0), Ok(0));
        assert_eq!(quotas.mutate("a", 1, true, 0), Err(2000));
        assert_eq!(quotas.mutate("a", 1, false, 0), Ok(3000));
        assert_eq!(quotas.mutate("a", 1, true, 3000), Ok(0));
        assert_eq!(quotas.mutate("b", 100, true, 0), Ok(0));
    }

    #[test]
    fn the_most_particular_quota_holds_and_says_who_shares_it() {
        let quotas = Quotas::default();
        let user = EntityPart::Named(USER.to_owned());
        let all_of_user = Entity::new(user.clone(), EntityPart::Absent);
        quotas.set(&all_of_user, "producer_byte_rate", Some(100.0));
        quotas.set(&client("a"), "producer_byte_rate", Some(1e9));
        assert_eq!(quotas.charge(Limited::Produce, "a", 1000.0, 0), 0);
        assert_eq!(quotas.charge(Limited::Produce, "b", 1000.0, 0), 10_000);
        let one = Entity::new(user, EntityPart::Named("b".to_owned()));
        quotas.set(&one, "producer_byte_rate", Some(1e6));
        assert_eq!(quotas.charge(Limited::Produce, "b", 1000.0, 0), 0);
    }
}
