//! When to ask for metadata again, and about which topics.
//!
//! Many things want a refresh: a new topic, a leader that moved, age. The plan folds them into one request at a time,
//! leaves a pause after each (longer while answers do not help, KIP-580), and asks only about topics in use.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::ErrorCode;

use crate::backoff::{Backoff, Random};
use crate::cluster::Cluster;

/// While a leader cannot be reached the pause doubles only after so many rounds: at 100 ms it is 200 ms after
/// 6 seconds, and a cluster that gives leaders up after 9 seconds is asked five times a second then.
const ROUNDS_A_DOUBLING: u32 = 64;

/// The state behind the decision. The driver asks [`RefreshPlan::next`], does what it says, and reports back.
#[derive(Debug)]
pub struct RefreshPlan {
    backoff: Backoff,
    max_age: Duration,
    random: Random,
    wanted: HashSet<Arc<str>>,
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
    /// Send this.
    Ask(Ask),
    /// Nothing before then.
    Wait(Instant),
    /// Nothing until somebody wants something.
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
    /// A plan that asks for nothing yet.
    #[must_use]
    pub fn new(backoff: Backoff, max_age: Duration, seed: u64) -> Self {
        Self {
            backoff,
            max_age,
            random: Random::new(seed),
            wanted: HashSet::new(),
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

    /// These topics are in use from now on; returns whether any of them is new.
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

    /// These topics are no longer in use.
    pub fn forget(&mut self, topics: &[&str]) {
        for &topic in topics {
            self.wanted.remove(topic);
            self.fresh.remove(topic);
            self.stale.remove(topic);
        }
    }

    /// What is known of these topics is out of date.
    pub fn doubt(&mut self, topics: &[&str]) {
        for &topic in topics {
            if let Some(topic) = self.wanted.get(topic)
                && !self.fresh.contains(topic)
            {
                self.stale.insert(Arc::clone(topic));
            }
        }
    }

    /// What is known of everything is out of date.
    pub fn doubt_everything(&mut self) {
        self.due = true;
    }

    /// Somebody waits for this topic: while it is unknown it is asked for again after each pause. Every call is
    /// paired with one of [`RefreshPlan::stop_awaiting`].
    pub fn start_awaiting(&mut self, topic: &str) {
        if !self.want(&[topic]) {
            self.doubt(&[topic]);
        }
        *self.awaited.entry(topic.into()).or_default() += 1;
    }

    /// The one who waited has an answer or gave up.
    pub fn stop_awaiting(&mut self, topic: &str) {
        if let Some(count) = self.awaited.get_mut(topic) {
            *count -= 1;
            if *count == 0 {
                self.awaited.remove(topic);
            }
        }
    }

    /// What to do at `now`.
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

    /// When everything is out of date by its age.
    fn old_at(&self) -> Option<Instant> {
        self.refreshed_at?.checked_add(self.max_age)
    }

    /// The answer to `ask` arrived and is merged into `cluster`. Brokers give a leader up only when its session is
    /// over; until then topics led by one of the `unreachable` nodes are asked for again and again, because their next
    /// leader is known to nobody else.
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
        // A first answer about some topics also told of the brokers, so age counts from here.
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
        // The pause is what a failover is longer than it must be, so it hardly grows while one is under way.
        let patience = 1 + self.waiting_for_leader / ROUNDS_A_DOUBLING;
        self.pause(now, self.fruitless.max(patience));
    }

    /// Nobody answered `ask`; it is repeated after a pause.
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

    /// A topic that does not exist is only worth asking for while somebody waits for it.
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
        // A topic that never settles is asked for without end; what is only old is not forgotten for it.
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
mod tests {
    use kafkars_protocol::messages::metadata::{
        MetadataResponse, MetadataResponsePartition, MetadataResponseTopic,
    };

    use super::*;
    use crate::cluster::Scope;

    const MAX_AGE: Duration = Duration::from_secs(300);

    fn plan() -> RefreshPlan {
        let backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(1));
        RefreshPlan::new(backoff, MAX_AGE, 1)
    }

    fn names(next: Next) -> Vec<String> {
        let Next::Ask(ask) = next else {
            panic!("expected a request, not {next:?}")
        };
        let mut names: Vec<String> = ask.topics.iter().map(|name| name.to_string()).collect();
        names.sort();
        names
    }

    fn answered(topics: &[(&str, ErrorCode)]) -> Cluster {
        let topics = topics.iter().map(|(name, code)| MetadataResponseTopic {
            name: Some((*name).to_owned()),
            error_code: code.code(),
            partitions: vec![MetadataResponsePartition::default()],
            ..MetadataResponseTopic::default()
        });
        let response = MetadataResponse {
            topics: topics.collect(),
            ..MetadataResponse::default()
        };
        let cluster = Cluster::default().merge(&response, 13, Scope::Named);
        cluster.expect("news")
    }

    fn ask(plan: &RefreshPlan, now: Instant) -> Ask {
        match plan.next(now) {
            Next::Ask(ask) => ask,
            other => panic!("expected a request, not {other:?}"),
        }
    }

    /// Advances to the next request and returns how long that took.
    fn wait(plan: &RefreshPlan, now: &mut Instant) -> Duration {
        let before = *now;
        if let Next::Wait(until) = plan.next(*now) {
            *now = until;
        }
        *now - before
    }

    #[test]
    fn nothing_is_asked_before_anything_is_wanted() {
        assert_eq!(plan().next(Instant::now()), Next::Idle);
    }

    #[test]
    fn a_new_topic_is_asked_at_once_and_alone() {
        let mut plan = plan();
        let now = Instant::now();
        plan.want(&["a", "b"]);
        let first = ask(&plan, now);
        assert_eq!(names(Next::Ask(first.clone())), ["a", "b"]);
        plan.succeeded(
            &first,
            &answered(&[("a", ErrorCode::None), ("b", ErrorCode::None)]),
            &HashSet::new(),
            now,
        );
        plan.want(&["a", "c"]);
        assert_eq!(names(plan.next(now)), ["c"]);
    }

    #[test]
    fn refreshes_are_folded_and_spaced() {
        let mut plan = plan();
        let mut now = Instant::now();
        plan.want(&["a", "b"]);
        let first = ask(&plan, now);
        plan.succeeded(
            &first,
            &answered(&[("a", ErrorCode::None), ("b", ErrorCode::None)]),
            &HashSet::new(),
            now,
        );
        for _ in 0..100 {
            plan.doubt(&["a"]);
        }
        let paused = wait(&plan, &mut now);
        assert!(paused >= Duration::from_millis(80) && paused <= Duration::from_millis(120));
        assert_eq!(names(plan.next(now)), ["a"]);
        plan.doubt_everything();
        assert_eq!(names(plan.next(now)), ["a", "b"]);
    }

    #[test]
    fn old_metadata_is_asked_for_again() {
        let mut plan = plan();
        let mut now = Instant::now();
        plan.want(&["a"]);
        let first = ask(&plan, now);
        plan.succeeded(
            &first,
            &answered(&[("a", ErrorCode::None)]),
            &HashSet::new(),
            now,
        );
        assert_eq!(wait(&plan, &mut now), MAX_AGE);
        assert!(ask(&plan, now).full);
    }

    #[test]
    fn a_topic_that_never_settles_keeps_no_other_from_growing_old() {
        let missing = [
            ("a", ErrorCode::None),
            ("b", ErrorCode::UnknownTopicOrPartition),
        ];
        let leaderless = [("a", ErrorCode::None), ("b", ErrorCode::LeaderNotAvailable)];
        for said in [missing, leaderless] {
            let mut plan = plan();
            let mut now = Instant::now();
            plan.want(&["a"]);
            plan.start_awaiting("b");
            let cluster = answered(&said);
            let (began, mut asked_at) = (now, Vec::new());
            while now < began + MAX_AGE * 3 {
                wait(&plan, &mut now);
                let request = ask(&plan, now);
                plan.succeeded(&request, &cluster, &HashSet::new(), now);
                if request.topics.iter().any(|topic| &**topic == "a") {
                    asked_at.push(now);
                }
            }
            let slack = Duration::from_secs(2);
            let is_in_time = |pair: &[Instant]| pair[1] - pair[0] < MAX_AGE + slack;
            assert!(asked_at.len() >= 3, "{} requests", asked_at.len());
            assert!(asked_at.windows(2).all(is_in_time));
        }
    }

    #[test]
    fn failures_back_off_and_new_topics_wait_with_them() {
        let mut plan = plan();
        let mut now = Instant::now();
        plan.want(&["a"]);
        let mut pauses = Vec::new();
        for _ in 0..6 {
            let request = ask(&plan, now);
            plan.failed(&request, now);
            plan.want(&["b"]);
            pauses.push(wait(&plan, &mut now).as_millis());
        }
        assert!(pauses[0] <= 120 && pauses[5] >= 800, "{pauses:?}");
        assert_eq!(names(plan.next(now)), ["a", "b"]);
    }

    #[test]
    fn an_unknown_topic_is_only_chased_while_somebody_waits() {
        let mut plan = plan();
        let mut now = Instant::now();
        let unknown = answered(&[("a", ErrorCode::UnknownTopicOrPartition)]);
        plan.start_awaiting("a");
        for _ in 0..5 {
            let request = ask(&plan, now);
            plan.succeeded(&request, &unknown, &HashSet::new(), now);
            assert!(wait(&plan, &mut now) <= Duration::from_secs(1));
        }
        plan.stop_awaiting("a");
        let request = ask(&plan, now);
        plan.succeeded(&request, &unknown, &HashSet::new(), now);
        assert_eq!(wait(&plan, &mut now), MAX_AGE);
    }

    #[test]
    fn a_topic_without_leaders_is_chased_until_it_has_them() {
        let mut plan = plan();
        let mut now = Instant::now();
        plan.want(&["a"]);
        let request = ask(&plan, now);
        plan.succeeded(
            &request,
            &answered(&[("a", ErrorCode::LeaderNotAvailable)]),
            &HashSet::new(),
            now,
        );
        assert!(wait(&plan, &mut now) <= Duration::from_millis(120));
        let request = ask(&plan, now);
        plan.succeeded(
            &request,
            &answered(&[("a", ErrorCode::None)]),
            &HashSet::new(),
            now,
        );
        assert_eq!(wait(&plan, &mut now), MAX_AGE);
    }

    #[test]
    fn a_refused_topic_is_left_alone() {
        let mut plan = plan();
        let mut now = Instant::now();
        plan.want(&["a"]);
        let request = ask(&plan, now);
        plan.succeeded(
            &request,
            &answered(&[("a", ErrorCode::InvalidTopicException)]),
            &HashSet::new(),
            now,
        );
        assert_eq!(wait(&plan, &mut now), MAX_AGE);
    }

    #[test]
    fn a_leader_that_cannot_be_reached_is_asked_about_until_there_is_another() {
        let mut plan = plan();
        let mut now = Instant::now();
        plan.want(&["a"]);
        let request = ask(&plan, now);
        let cluster = answered(&[("a", ErrorCode::None)]);
        let dead = HashSet::from([0]);
        plan.succeeded(&request, &cluster, &dead, now);
        let killed_at = now;
        let mut asked = 0;
        while now - killed_at < Duration::from_secs(9) {
            assert!(wait(&plan, &mut now) <= Duration::from_millis(240));
            let request = ask(&plan, now);
            plan.succeeded(&request, &cluster, &dead, now);
            asked += 1;
        }
        assert!((45..=120).contains(&asked), "{asked} requests");
        for _ in 0..400 {
            wait(&plan, &mut now);
            let request = ask(&plan, now);
            plan.succeeded(&request, &cluster, &dead, now);
        }
        assert!(
            wait(&plan, &mut now) >= Duration::from_millis(800),
            "for long: at the longest pause"
        );
        let request = ask(&plan, now);
        plan.succeeded(&request, &cluster, &HashSet::new(), now);
        assert_eq!(wait(&plan, &mut now), MAX_AGE);
    }
}
