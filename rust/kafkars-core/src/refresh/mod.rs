//! When to ask for metadata again, and about which topics.
//!
//! There are many reasons for a refresh: a new topic, a leader that moved, age. The plan makes one request at a time of
//! them, pauses after each (longer while responses do not help, KIP-580), and asks only about topics in use.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;

use crate::backoff::{Backoff, Random};
use crate::cluster::Cluster;

/// While a leader cannot be reached the pause doubles only after this many rounds: a pause of 100 ms becomes 200 ms
/// after 6 seconds, and a cluster that elects new leaders after 9 seconds is asked five times a second then.
const ROUNDS_A_DOUBLING: u32 = 64;

/// The state of the plan. The driver asks [`RefreshPlan::next`], does what it says, and reports back.
#[derive(Debug)]
pub struct RefreshPlan {
    backoff: Backoff,
    max_age: Duration,
    random: Random,
    wanted: HashSet<Arc<str>>,
    /// Those that are read now, where that was said.
    used: Option<HashSet<Arc<str>>>,
    /// Wanted and never answered: worth a request at once.
    fresh: HashSet<Arc<str>>,
    /// Known to be out of date: asked after the pause.
    stale: HashSet<Arc<str>>,
    /// Everything is out of date.
    due: bool,
    /// How many callers wait for a topic to appear.
    awaited: HashMap<Arc<str>, usize>,
    /// Rounds in a row that failed or did not settle what they asked.
    fruitless: u32,
    /// Rounds in a row that found nothing amiss but a leader that cannot be reached.
    waiting_for_leader: u32,
    failed: bool,
    allowed_at: Option<Instant>,
    refreshed_at: Option<Instant>,
}

/// What to do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Send this request.
    Ask(Ask),
    /// Do nothing before this moment.
    Wait(Instant),
    /// Do nothing until something is wanted.
    Idle,
}

/// One metadata request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// The topics to name, in no order.
    pub topics: Vec<Arc<str>>,
    /// Whether these are all topics in use.
    pub full: bool,
}

impl RefreshPlan {
    /// Creates a plan that asks for nothing yet.
    #[must_use]
    pub fn new(backoff: Backoff, max_age: Duration, seed: u64) -> Self {
        Self {
            backoff,
            max_age,
            random: Random::new(seed),
            wanted: HashSet::new(),
            used: None,
            fresh: HashSet::new(),
            stale: HashSet::new(),
            due: false,
            awaited: HashMap::new(),
            fruitless: 0,
            waiting_for_leader: 0,
            failed: false,
            allowed_at: None,
            refreshed_at: None,
        }
    }

    /// Adds topics that are in use from now on; returns true if any of them is new.
    pub fn want(&mut self, topics: &[&str]) -> bool {
        let mut any_new = false;
        for &topic in topics {
            if !self.wanted.contains(topic) {
                let topic: Arc<str> = topic.into();
                self.wanted.insert(Arc::clone(&topic));
                self.fresh.insert(topic);
                any_new = true;
            }
        }
        any_new
    }

    /// Removes topics that are no longer in use.
    pub fn forget(&mut self, topics: &[&str]) {
        for &topic in topics {
            self.wanted.remove(topic);
            self.fresh.remove(topic);
            self.stale.remove(topic);
        }
    }

    /// Says which topics are read now, in place of those before.
    pub fn use_only(&mut self, topics: HashSet<Arc<str>>) {
        self.used = Some(topics);
    }

    /// Returns true if the topic may be created by asking for it: it is read now, or a caller waits for it.
    #[must_use]
    pub fn may_create(&self, topic: &str) -> bool {
        let is_used = |used: &HashSet<Arc<str>>| used.contains(topic);
        self.used.as_ref().is_none_or(is_used) || self.awaited.contains_key(topic)
    }

    /// Marks the metadata of these topics as out of date.
    pub fn doubt(&mut self, topics: &[&str]) {
        for &topic in topics {
            if let Some(topic) = self.wanted.get(topic)
                && !self.fresh.contains(topic)
            {
                self.stale.insert(Arc::clone(topic));
            }
        }
    }

    /// Marks the metadata of all topics as out of date.
    pub fn doubt_everything(&mut self) {
        self.due = true;
    }

    /// Notes that a caller waits for this topic: while it is unknown it is asked for again after each pause. Every call
    /// is paired with one of [`RefreshPlan::stop_awaiting`].
    pub fn start_awaiting(&mut self, topic: &str) {
        if !self.want(&[topic]) {
            self.doubt(&[topic]);
        }
        *self.awaited.entry(topic.into()).or_default() += 1;
    }

    /// Notes that a caller that waited has its topic or gave up.
    pub fn stop_awaiting(&mut self, topic: &str) {
        if let Some(count) = self.awaited.get_mut(topic) {
            *count -= 1;
            if *count == 0 {
                self.awaited.remove(topic);
            }
        }
    }

    /// Returns what to do at `now`.
    #[must_use]
    pub fn next(&self, now: Instant) -> Next {
        let allowed_at = self.allowed_at.unwrap_or(now);
        if !self.fresh.is_empty() && !self.failed {
            return Next::Ask(self.ask(allowed_at <= now, now));
        }
        let at = match self.old_at() {
            _ if self.due || !self.stale.is_empty() || !self.fresh.is_empty() => allowed_at,
            Some(old_at) => old_at.max(allowed_at),
            None => return Next::Idle,
        };
        match at <= now {
            true => Next::Ask(self.ask(true, now)),
            false => Next::Wait(at),
        }
    }

    /// Returns when all metadata is out of date by its age.
    fn old_at(&self) -> Option<Instant> {
        self.refreshed_at?.checked_add(self.max_age)
    }

    /// Notes that the response to `ask` is merged into `cluster`. The cluster elects another leader only when the
    /// session of a failed broker is over; until then topics led by one of the `unreachable` nodes are asked for again
    /// and again.
    pub fn succeeded(
        &mut self,
        ask: &Ask,
        cluster: &Cluster,
        unreachable: &HashSet<i32>,
        now: Instant,
    ) {
        if ask.full {
            self.refreshed_at = Some(now);
            self.due = false;
        }
        // The first response has the brokers even if it is about some topics only, so age counts from here.
        self.refreshed_at.get_or_insert(now);
        let mut settled = true;
        let mut reachable = true;
        for topic in &ask.topics {
            self.fresh.remove(topic);
            self.stale.remove(topic);
            if !self.wanted.contains(topic) {
                continue;
            }
            let is_settled = !self.is_unsettled(topic, cluster);
            let is_reachable = !is_led_by(topic, cluster, unreachable);
            if !is_settled || !is_reachable {
                self.stale.insert(Arc::clone(topic));
            }
            settled &= is_settled;
            reachable &= is_reachable;
        }
        self.failed = false;
        self.fruitless = if settled {
            0
        } else {
            self.fruitless.saturating_add(1)
        };
        self.waiting_for_leader = if reachable {
            0
        } else {
            self.waiting_for_leader.saturating_add(1)
        };
        // The pause makes a failover longer than it must be, so it hardly grows during one.
        let rounds = 1 + self.waiting_for_leader / ROUNDS_A_DOUBLING;
        self.pause(now, self.fruitless.max(rounds));
    }

    /// Notes that no broker answered `ask`; it is repeated after a pause.
    pub fn failed(&mut self, ask: &Ask, now: Instant) {
        self.due |= ask.full;
        self.failed = true;
        self.fruitless = self.fruitless.saturating_add(1);
        self.pause(now, self.fruitless);
    }

    fn pause(&mut self, now: Instant, failures: u32) {
        let random = self.random.next();
        self.allowed_at = Some(now + self.backoff.delay(failures, random));
    }

    /// Returns true if the topic is worth another request. One that does not exist is only while a caller waits for it.
    fn is_unsettled(&self, topic: &Arc<str>, cluster: &Cluster) -> bool {
        let Some(known) = cluster.topic(topic) else {
            return self.awaited.contains_key(topic);
        };
        match known.error {
            Some(ErrorCode::UnknownTopicOrPartition) => self.awaited.contains_key(topic),
            _ => known.is_unsettled(),
        }
    }

    fn ask(&self, pause_is_over: bool, now: Instant) -> Ask {
        // A topic that never settles is asked for without end, which must not keep old metadata from being refreshed.
        let is_due = self.due || self.old_at().is_some_and(|old_at| old_at <= now);
        if is_due && pause_is_over || self.refreshed_at.is_none() {
            return self.ask_everything();
        }
        let mut topics: Vec<Arc<str>> = self.fresh.iter().cloned().collect();
        if pause_is_over {
            topics.extend(self.stale.iter().cloned());
        }
        Ask {
            full: topics.len() == self.wanted.len(),
            topics,
        }
    }

    fn ask_everything(&self) -> Ask {
        Ask {
            topics: self.wanted.iter().cloned().collect(),
            full: true,
        }
    }
}

fn is_led_by(topic: &str, cluster: &Cluster, nodes: &HashSet<i32>) -> bool {
    if nodes.is_empty() {
        return false;
    }
    let Some(topic) = cluster.topic(topic) else {
        return false;
    };
    let mut leaders = topic
        .partitions
        .iter()
        .filter_map(|partition| partition.leader);
    leaders.any(|leader| nodes.contains(&leader))
}

#[cfg(test)]
mod tests;
