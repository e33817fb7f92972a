//! The simulated world: one clock, one queue of events, one source of chance.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::time::{Duration, Instant};

use kafkars_core::backoff::Random;
use kafkars_core::produce::delivery::Delivery;
use kafkars_protocol::ApiKey;

use crate::client::Client;
use crate::cluster::{Cluster, PartitionIndex};
use crate::defect::Defect;
use crate::refusal::Refusal;
use crate::transact::Known;

/// Microseconds since the history began.
pub(crate) type Micros = u64;

pub(crate) const MILLI: Micros = 1_000;
pub(crate) const SECOND: Micros = 1_000_000;

type Event = Box<dyn FnOnce(&mut World)>;

/// Everything there is. The same seed gives the same history.
pub(crate) struct World {
    pub(crate) now: Micros,
    pub(crate) base: Instant,
    queue: BinaryHeap<Reverse<Scheduled>>,
    order: u64,
    random: Random,
    /// Whether faults happen; later the weather clears and everything must end well.
    pub(crate) stormy: bool,
    /// The application takes records back before it ends a transaction.
    pub(crate) purges: bool,
    /// Nodes that cannot be reached are such that refuse the login.
    pub(crate) guarded: bool,
    /// The application closes producers while they commit.
    pub(crate) closes: bool,
    pub(crate) cluster: Cluster,
    pub(crate) clients: Vec<Client>,
    pub(crate) defect: Option<Defect>,
    /// What went wrong.
    pub(crate) violations: Vec<String>,
    /// Records in the order in which they were sent, with their reports.
    pub(crate) sent: Vec<(PartitionIndex, u64, Option<Delivery>)>,
    /// Records that a key has placed, with their topics and when they were sent.
    pub(crate) sent_by_key: Vec<(usize, u64, Micros, Delivery)>,
    /// Those of them, by their index, that have no outcome.
    pub(crate) open: BTreeSet<usize>,
    /// Transactions in the order in which they began, with their producers.
    pub(crate) known: Vec<(usize, Known)>,
    pub(crate) next_value: u64,
    /// Every request, with its time.
    pub(crate) requests: Vec<(Micros, ApiKey)>,
    /// What requests of one kind meet.
    pub(crate) refusal: Option<Refusal>,
    /// The application has what it wanted.
    pub(crate) finished: bool,
}

struct Scheduled {
    at: Micros,
    order: u64,
    event: Event,
}

impl World {
    pub(crate) fn new(seed: u64, level: i16, defect: Option<Defect>) -> Self {
        Self {
            now: 0,
            base: Instant::now(),
            queue: BinaryHeap::new(),
            order: 0,
            random: Random::new(seed),
            stormy: true,
            purges: false,
            guarded: false,
            closes: false,
            cluster: Cluster::new(level),
            clients: Vec::new(),
            defect,
            violations: Vec::new(),
            sent: Vec::new(),
            sent_by_key: Vec::new(),
            open: BTreeSet::new(),
            known: Vec::new(),
            next_value: 0,
            requests: Vec::new(),
            refusal: None,
            finished: false,
        }
    }

    pub(crate) fn instant(&self) -> Instant {
        self.base + Duration::from_micros(self.now)
    }

    pub(crate) fn micros(&self, instant: Instant) -> Micros {
        let since = instant.saturating_duration_since(self.base);
        u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
    }

    pub(crate) fn at(&mut self, at: Micros, event: impl FnOnce(&mut Self) + 'static) {
        self.order += 1;
        self.queue.push(Reverse(Scheduled {
            at: at.max(self.now),
            order: self.order,
            event: Box::new(event),
        }));
    }

    pub(crate) fn after(&mut self, delay: Micros, event: impl FnOnce(&mut Self) + 'static) {
        self.at(self.now + delay, event);
    }

    /// Lets events happen until there are none, or `limit` is reached.
    pub(crate) fn run(&mut self, limit: Micros) {
        while let Some(Reverse(next)) = self.queue.pop() {
            if next.at > limit {
                return;
            }
            self.now = next.at;
            (next.event)(self);
        }
    }

    /// A number from `low` up to, not including, `high`.
    pub(crate) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.random.next() % (high - low).max(1)
    }

    pub(crate) fn chance(&mut self, per_mille: u64) -> bool {
        self.between(0, 1_000) < per_mille
    }

    /// As [`World::chance`], in a storm only.
    pub(crate) fn fault(&mut self, per_mille: u64) -> bool {
        self.stormy && self.chance(per_mille)
    }

    pub(crate) fn has(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    pub(crate) fn violated(&mut self, what: String) {
        self.violations.push(what);
    }
}

impl Ord for Scheduled {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.at, self.order).cmp(&(other.at, other.order))
    }
}

impl PartialOrd for Scheduled {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scheduled {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Scheduled {}
