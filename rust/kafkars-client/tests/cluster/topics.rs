//! Topics of a client: waiting for them, following their leaders, giving up on them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_client::config::ClientConfig;
use kafkars_client::{Client, ClientError, ErrorKind};
use kafkars_protocol::ErrorCode;
use tokio::time::timeout;

use crate::peers::{LIMIT, TinyBroker, checked, client, config, soon, until};

#[tokio::test]
async fn a_known_topic_is_described() {
    let broker = TinyBroker::start().await;
    broker.set_topic("orders", ErrorCode::None, &[(1, 4), (-1, 5)]);
    let client = client(&[broker.server()]);
    let topic = client
        .topic("orders", Instant::now() + LIMIT)
        .await
        .expect("it exists");
    assert_eq!(topic.partitions.len(), 2);
    assert_eq!(
        topic.leader(0).map(|leader| (leader.node, leader.epoch)),
        Some((1, 4))
    );
    assert_eq!(topic.leader(1), None);
    assert_eq!(
        broker.state.asked.lock().len(),
        1,
        "one request bootstraps and describes"
    );
}

#[tokio::test]
async fn a_topic_that_appears_later_is_waited_for() {
    let broker = TinyBroker::start().await;
    let client = client(&[broker.server()]);
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.topic("late", Instant::now() + LIMIT).await }
    });
    until(|| broker.state.asked.lock().len() >= 3).await;
    broker.set_topic("late", ErrorCode::LeaderNotAvailable, &[]);
    let asked = broker.state.asked.lock().len();
    until(|| broker.state.asked.lock().len() > asked + 1).await;
    broker.set_topic("late", ErrorCode::None, &[(1, 0)]);
    let topic = waiting.await.expect("no panic").expect("it exists now");
    assert_eq!(topic.partitions.len(), 1);
}

#[tokio::test]
async fn an_unknown_topic_says_whether_it_could_have_been_created() {
    let broker = TinyBroker::start().await;
    for (allowed, words) in [
        (true, "auto.create.topics.enable"),
        (false, "allow_auto_create_topics is off"),
    ] {
        let settings = ClientConfig {
            allow_auto_create_topics: allowed,
            ..config(&[broker.server()])
        };
        let client = Client::new(checked(settings), tokio::runtime::Handle::current());
        let began = Instant::now();
        let error = client
            .topic("nowhere", soon(2_000))
            .await
            .expect_err("unknown");
        assert!(began.elapsed() >= Duration::from_millis(1_990));
        assert_eq!(error.kind(), ErrorKind::Retriable);
        let text = error.to_string();
        assert!(
            text.contains("UNKNOWN_TOPIC_OR_PARTITION") && text.contains(words),
            "{text}"
        );
        let asked = broker.state.asked.lock();
        assert!(
            asked
                .iter()
                .rev()
                .all(|request| request.allow_auto_topic_creation == allowed)
        );
        drop(asked);
        broker.state.asked.lock().clear();
    }
}

#[tokio::test]
async fn a_topic_that_may_not_be_seen_fails_at_once() {
    let broker = TinyBroker::start().await;
    broker.set_topic("secret", ErrorCode::TopicAuthorizationFailed, &[]);
    let client = client(&[broker.server()]);
    let asked = timeout(LIMIT, client.topic("secret", Instant::now() + 2 * LIMIT)).await;
    let error = asked.expect("at once").expect_err("refused");
    let ClientError::Broker { code, topic, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(*code, ErrorCode::TopicAuthorizationFailed);
    assert_eq!(topic.as_deref(), Some("secret"));
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[tokio::test]
async fn an_invalid_name_fails_at_once_and_spoils_nothing() {
    let broker = TinyBroker::start().await;
    broker.set_topic("refused", ErrorCode::InvalidTopicException, &[]);
    broker.set_topic("good", ErrorCode::None, &[(1, 0)]);
    let client = client(&[broker.server()]);
    let long = "x".repeat(40_000);
    client.want_topics(&["no spaces", &long, "good"]);
    for name in ["no spaces", &long, "refused"] {
        let error = client
            .topic(name, Instant::now() + LIMIT)
            .await
            .expect_err("invalid");
        assert_eq!(error, ClientError::InvalidTopic(name.into()));
    }
    assert!(client.topic("good", Instant::now() + LIMIT).await.is_ok());
}

#[tokio::test]
async fn waiting_for_a_topic_without_a_cluster_lists_the_addresses() {
    let address = crate::peers::closed_port().await.to_string();
    let client = client(std::slice::from_ref(&address));
    let error = client
        .topic("orders", soon(2_000))
        .await
        .expect_err("no cluster");
    let causes = crate::peers::causes(error);
    assert_eq!(causes[0].0, address);
    assert!(causes[0].1.contains("connection refused"), "{causes:?}");
}

#[tokio::test]
async fn a_refresh_finds_the_new_leader_in_one_round_trip() {
    let broker = TinyBroker::start().await;
    broker.set_topic("orders", ErrorCode::None, &[(1, 4)]);
    let client = client(&[broker.server()]);
    client
        .topic("orders", Instant::now() + LIMIT)
        .await
        .expect("it exists");
    let mut changed = client.cluster_changed();
    changed.mark_unchanged();
    let asked = broker.state.asked.lock().len();
    broker.set_topic("orders", ErrorCode::None, &[(2, 5)]);
    for _ in 0..10 {
        client.refresh_metadata();
    }
    timeout(LIMIT, changed.changed())
        .await
        .expect("in time")
        .expect("the client lives");
    let leader = client.cluster().leader("orders", 0);
    assert_eq!(
        leader.map(|leader| (leader.node, leader.epoch)),
        Some((2, 5))
    );
    assert_eq!(
        broker.state.asked.lock().len(),
        asked + 1,
        "ten calls, one request"
    );
}

#[tokio::test]
async fn a_leader_hint_needs_no_round_trip() {
    let broker = TinyBroker::start().await;
    broker.set_topic("orders", ErrorCode::None, &[(1, 4)]);
    let client = client(&[broker.server()]);
    client
        .topic("orders", Instant::now() + LIMIT)
        .await
        .expect("it exists");
    let asked = broker.state.asked.lock().len();
    let nodes = [(2, "127.0.0.1".to_owned(), 9093)];
    client.apply_leader_hint("orders", 0, 2, 5, nodes.clone());
    client.apply_leader_hint("orders", 0, 1, 4, nodes);
    let cluster = client.cluster();
    assert_eq!(
        cluster.leader("orders", 0).map(|leader| leader.node),
        Some(2)
    );
    assert_eq!(cluster.broker(2).map(|broker| broker.port), Some(9093));
    assert_eq!(broker.state.asked.lock().len(), asked);
}

#[tokio::test]
async fn only_topics_in_use_are_asked_for() {
    let broker = TinyBroker::start().await;
    for name in ["a", "b", "c"] {
        broker.set_topic(name, ErrorCode::None, &[(1, 0)]);
    }
    let client = client(&[broker.server()]);
    client
        .topic("a", Instant::now() + LIMIT)
        .await
        .expect("it exists");
    client
        .topic("b", Instant::now() + LIMIT)
        .await
        .expect("it exists");
    let named = |request: usize| {
        let asked = broker.state.asked.lock();
        let topics = asked[request].topics.clone().unwrap_or_default();
        topics
            .into_iter()
            .filter_map(|topic| topic.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (named(0), named(1)),
        (vec!["a".to_owned()], vec!["b".to_owned()])
    );
    client.forget_topics(&["a"]);
    assert!(client.cluster().topic("a").is_none());
    client.refresh_metadata();
    until(|| broker.state.asked.lock().len() == 3).await;
    assert_eq!(named(2), ["b"]);
    let all = client.topics(Instant::now() + LIMIT).await.expect("a list");
    assert_eq!(all, ["a", "b", "c"]);
}

#[tokio::test]
async fn old_metadata_is_refreshed_by_itself() {
    let broker = TinyBroker::start().await;
    let settings = ClientConfig {
        metadata_max_age: Duration::from_millis(20),
        ..config(&[broker.server()])
    };
    let client = Client::new(checked(settings), tokio::runtime::Handle::current());
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    until(|| broker.state.asked.lock().len() >= 4).await;
}

#[tokio::test]
async fn a_cluster_that_moved_is_found_through_the_bootstrap_addresses() {
    let mut old = TinyBroker::start().await;
    let new = TinyBroker::start().await;
    new.set_topic("orders", ErrorCode::None, &[(1, 9)]);
    old.set_topic("orders", ErrorCode::None, &[(1, 4)]);
    // The second address is not part of the cluster until the first is gone.
    let gate = TinyBroker::silent_about_itself().await;
    let client = client(&[old.server(), gate.server()]);
    client
        .topic("orders", Instant::now() + LIMIT)
        .await
        .expect("it exists");
    gate.advertise(&[(1, new.address)]);
    gate.set_topic("orders", ErrorCode::None, &[(1, 9)]);
    old.stop().await;
    client.refresh_metadata();
    let moved = || {
        client
            .cluster()
            .leader("orders", 0)
            .map(|leader| leader.epoch)
            == Some(9)
    };
    until(moved).await;
    let broker = client.cluster().broker(1).map(Arc::clone).expect("known");
    assert_eq!(broker.port, new.address.port());
}
