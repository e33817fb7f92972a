//! The plan alone, without network and with a clock of the test's own.

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

#[test]
fn only_topics_that_are_read_or_waited_for_may_be_created() {
    let mut plan = plan();
    plan.want(&["read", "asked"]);
    assert!(plan.may_create("asked"), "nothing was said of what is read");
    plan.use_only(HashSet::from(["read".into()]));
    assert!(plan.may_create("read"));
    assert!(!plan.may_create("asked"));
    plan.start_awaiting("asked");
    assert!(plan.may_create("asked"));
    plan.stop_awaiting("asked");
    assert!(!plan.may_create("asked"));
    plan.use_only(HashSet::new());
    assert!(!plan.may_create("read"));
}
