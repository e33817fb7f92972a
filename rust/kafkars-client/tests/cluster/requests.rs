//! Requests to brokers: kinds of connections, retries, deadlines, and no task left behind.

use std::sync::atomic::{AtomicI16, Ordering};
use std::time::{Duration, Instant};

use kafkars_client::net::ConnectionKind;
use kafkars_client::{AttemptError, ClientError};
use kafkars_protocol::ApiKey;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_testkit::pipe::ScriptedPeer;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::peers::{LIMIT, TinyBroker, client, closed_port, listen, soon, until};

fn metadata() -> MetadataRequest {
    MetadataRequest::default()
}

#[tokio::test]
async fn each_kind_has_one_connection_however_many_ask_for_it() {
    let broker = TinyBroker::start().await;
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    let mut requests = tokio::task::JoinSet::new();
    for kind in [
        ConnectionKind::Data,
        ConnectionKind::Fetch,
        ConnectionKind::Coordinator,
    ] {
        for _ in 0..10 {
            let client = client.clone();
            requests.spawn(async move { client.request(1, kind, metadata(), soon(10_000)).await });
        }
    }
    while let Some(answer) = requests.join_next().await {
        answer.expect("no panic").expect("an answer");
    }
    assert_eq!(client.metrics().connections_made, 3);
    assert_eq!(client.metrics().connections_open, 3);
}

#[tokio::test]
async fn a_request_may_depend_on_its_version() {
    let broker = TinyBroker::start().await;
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    let seen = AtomicI16::new(-1);
    let build = |version| {
        seen.store(version, Ordering::Relaxed);
        metadata()
    };
    let answer = client.request_any_with(build, soon(10_000)).await;
    answer.expect("an answer");
    assert_eq!(seen.into_inner(), ApiKey::Metadata.versions().max);
}

#[tokio::test]
async fn an_unknown_broker_is_an_error_and_a_reason_to_refresh() {
    let broker = TinyBroker::start().await;
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    let answer = client
        .request(9, ConnectionKind::Data, metadata(), soon(10_000))
        .await;
    assert_eq!(answer.expect_err("unknown"), AttemptError::UnknownNode(9));
    until(|| broker.state.asked.lock().len() >= 2).await;
}

#[tokio::test]
async fn a_request_that_any_broker_can_answer_is_tried_again() {
    let broker = TinyBroker::start().await;
    let other = TinyBroker::start().await;
    let dead = closed_port().await;
    broker.advertise(&[(1, broker.address), (2, dead), (3, other.address)]);
    other.advertise(&[(1, broker.address), (2, dead), (3, other.address)]);
    broker.state.refusals.store(2, Ordering::SeqCst);
    other.state.refusals.store(2, Ordering::SeqCst);
    let client = client(&[broker.server()]);
    let answer = client
        .request_any(FindCoordinatorRequest::default(), soon(10_000))
        .await;
    answer.expect("an answer in the end");
}

#[tokio::test]
async fn a_broker_that_refuses_does_not_speak_for_the_others() {
    let brokers = [
        TinyBroker::start().await,
        TinyBroker::start().await,
        TinyBroker::start().await,
    ];
    let dead = closed_port().await;
    let mut nodes: Vec<_> = (1..)
        .zip(brokers.iter().map(|broker| broker.address))
        .collect();
    nodes.push((4, dead));
    for broker in &brokers {
        broker.advertise(&nodes);
    }
    for lacking in &brokers[..2] {
        lacking
            .state
            .lacks_coordinators
            .store(true, Ordering::SeqCst);
    }
    // Which broker is asked first is random.
    for _ in 0..10 {
        let client = client(&[brokers[0].server()]);
        let answer = client
            .request_any(FindCoordinatorRequest::default(), soon(10_000))
            .await;
        answer.expect("the third one answers");
    }
    brokers[2]
        .state
        .lacks_coordinators
        .store(true, Ordering::SeqCst);
    let client = client(&[brokers[0].server()]);
    let began = Instant::now();
    let answer = client
        .request_any(FindCoordinatorRequest::default(), soon(10_000))
        .await;
    let error = answer.expect_err("nobody answers");
    assert!(began.elapsed() < Duration::from_secs(5), "{error}");
    let ClientError::NoBroker { causes, .. } = &error else {
        panic!("{error}")
    };
    assert!(matches!(causes[0].1, AttemptError::Unsupported { .. }));
    for (_, address) in nodes {
        assert!(error.to_string().contains(&address.to_string()), "{error}");
    }
}

#[tokio::test]
async fn trying_again_ends_at_the_deadline_with_the_last_cause() {
    let broker = TinyBroker::start().await;
    broker.state.refusals.store(usize::MAX, Ordering::SeqCst);
    let client = client(&[broker.server()]);
    let began = Instant::now();
    let answer = client
        .request_any(FindCoordinatorRequest::default(), soon(2_000))
        .await;
    let error = answer.expect_err("refused for ever");
    assert!(began.elapsed() >= Duration::from_millis(1_850));
    let ClientError::TimedOut {
        operation, cause, ..
    } = &error
    else {
        panic!("{error}")
    };
    assert_eq!(&**operation, "FindCoordinator");
    assert!(cause.contains("closed the connection"), "{cause}");
}

#[tokio::test]
async fn an_api_that_the_broker_lacks_is_not_tried_again() {
    let address = closed_port().await;
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .expect("the port is still free");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut peer = ScriptedPeer::new(stream);
            let (header, _) = peer
                .expect::<kafkars_protocol::messages::api_versions::ApiVersionsRequest>()
                .await;
            let mut versions = kafkars_testkit::pipe::every_version();
            versions
                .api_keys
                .retain(|api| api.api_key != ApiKey::Heartbeat.as_i16());
            peer.answer(&header, &versions).await;
            let (header, _) = peer.expect::<MetadataRequest>().await;
            let broker = kafkars_protocol::messages::metadata::MetadataResponseBroker {
                node_id: 1,
                host: address.ip().to_string(),
                port: address.port().into(),
                ..Default::default()
            };
            let answer = kafkars_protocol::messages::metadata::MetadataResponse {
                brokers: vec![broker],
                ..Default::default()
            };
            peer.answer(&header, &answer).await;
            peer.closed().await;
        }
    });
    let client = client(&[address.to_string()]);
    let answer = client
        .request_any(HeartbeatRequest::default(), soon(10_000))
        .await;
    let error = answer.expect_err("not spoken");
    assert!(
        matches!(
            &error,
            ClientError::Attempt(AttemptError::Unsupported { theirs: None, .. })
        ),
        "{error}"
    );
}

/// Starts a broker that answers ApiVersions and Metadata, and nothing else.
async fn mute_broker() -> std::net::SocketAddr {
    let address = closed_port().await;
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .expect("the port is still free");
    tokio::spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(async move {
                let mut peer = ScriptedPeer::new(stream);
                peer.greet().await;
                let (header, _) = peer.expect::<MetadataRequest>().await;
                let broker = kafkars_protocol::messages::metadata::MetadataResponseBroker {
                    node_id: 1,
                    host: address.ip().to_string(),
                    port: address.port().into(),
                    ..Default::default()
                };
                let answer = kafkars_protocol::messages::metadata::MetadataResponse {
                    brokers: vec![broker],
                    ..Default::default()
                };
                peer.answer(&header, &answer).await;
                peer.closed().await;
            });
        }
    });
    address
}

#[tokio::test]
async fn a_request_ends_at_its_deadline() {
    let address = mute_broker().await;
    let client = client(&[address.to_string()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    let began = Instant::now();
    let answer = client
        .request(
            1,
            ConnectionKind::Coordinator,
            HeartbeatRequest::default(),
            soon(200),
        )
        .await;
    assert!(
        matches!(answer, Err(AttemptError::TimedOut(_))),
        "{answer:?}"
    );
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn closing_ends_every_task_and_connection_and_answers_everybody() {
    let before = Handle::current().metrics().num_alive_tasks();
    let address = mute_broker().await;
    let broker_tasks = Handle::current().metrics().num_alive_tasks() - before;
    let client = client(&[address.to_string()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    let waiting = tokio::spawn({
        let client = client.clone();
        async move {
            client
                .request(
                    1,
                    ConnectionKind::Coordinator,
                    HeartbeatRequest::default(),
                    soon(60_000),
                )
                .await
        }
    });
    let topic = tokio::spawn({
        let client = client.clone();
        async move { client.topic("orders", soon(60_000)).await }
    });
    until(|| client.metrics().requests_in_flight >= 1).await;
    timeout(LIMIT, client.close()).await.expect("in time");
    let answer = waiting.await.expect("no panic");
    assert_eq!(answer.expect_err("closed"), AttemptError::Closed);
    assert_eq!(
        topic.await.expect("no panic").expect_err("closed"),
        ClientError::Closed
    );
    assert_eq!(client.metrics().connections_open, 0);
    let late = client
        .request(1, ConnectionKind::Data, metadata(), soon(60_000))
        .await;
    assert_eq!(late.expect_err("closed"), AttemptError::Closed);
    assert_eq!(client.ready(soon(60_000)).await, Err(ClientError::Closed));
    assert_eq!(
        client.request_any(metadata(), soon(60_000)).await,
        Err(ClientError::Closed)
    );
    // The listener and its connections see the end of the client's, and end too.
    until(|| Handle::current().metrics().num_alive_tasks() <= before + broker_tasks).await;
    client.close().await;
}

#[tokio::test]
async fn the_last_clone_ends_everything() {
    let broker = TinyBroker::start().await;
    let before = Handle::current().metrics().num_alive_tasks();
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    client
        .request(1, ConnectionKind::Data, metadata(), soon(10_000))
        .await
        .expect("an answer");
    let clone = client.clone();
    drop(client);
    clone
        .request(1, ConnectionKind::Fetch, metadata(), soon(10_000))
        .await
        .expect("still alive");
    assert_eq!(broker.open(), 3);
    drop(clone);
    broker.abandoned().await;
    until(|| Handle::current().metrics().num_alive_tasks() <= before).await;
}

#[tokio::test]
async fn a_dropped_call_leaves_no_task() {
    let silent =
        listen(|mut peer: ScriptedPeer<TcpStream>| async move { peer.closed().await }).await;
    let before = Handle::current().metrics().num_alive_tasks();
    let client = client(&[silent.to_string()]);
    for _ in 0..20 {
        let call = client.topic("orders", soon(60_000));
        assert!(timeout(Duration::from_millis(5), call).await.is_err());
    }
    // The tasks are the metadata task, one try on the address, and both ends of its connection: no more for twenty
    // calls.
    until(|| Handle::current().metrics().num_alive_tasks() <= before + 4).await;
    drop(client);
    until(|| Handle::current().metrics().num_alive_tasks() <= before).await;
}

#[tokio::test]
async fn a_broker_that_comes_back_is_connected_again() {
    let mut broker = TinyBroker::start().await;
    let address = broker.address;
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    broker.stop().await;
    let error = client
        .request(1, ConnectionKind::Data, metadata(), soon(10_000))
        .await
        .expect_err("down");
    assert!(matches!(error, AttemptError::Connect { .. }), "{error}");
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .expect("the port is still free");
    tokio::spawn(async move {
        let mut peers = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            let mut peer = ScriptedPeer::new(stream);
            peer.greet().await;
            peers.push(peer);
        }
    });
    // A call does not wait through a pause between attempts, so one or two may still get the last failure.
    let connected = timeout(LIMIT, async {
        while client
            .connection(1, ConnectionKind::Data, soon(10_000))
            .await
            .is_err()
        {
            tokio::task::yield_now().await;
        }
    });
    assert!(connected.await.is_ok(), "not connected again");
}

#[tokio::test]
async fn a_throttled_connection_leaves_the_others_alone() {
    let broker = TinyBroker::start().await;
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    client
        .request(1, ConnectionKind::Coordinator, metadata(), soon(10_000))
        .await
        .expect("an answer");
    broker.state.metadata.lock().throttle_time_ms = 60_000;
    client
        .request(1, ConnectionKind::Data, metadata(), soon(10_000))
        .await
        .expect("an answer");
    broker.state.metadata.lock().throttle_time_ms = 0;
    let muted = client
        .request(1, ConnectionKind::Data, metadata(), soon(200))
        .await;
    assert!(matches!(muted, Err(AttemptError::TimedOut(_))), "{muted:?}");
    client
        .request(1, ConnectionKind::Coordinator, metadata(), soon(10_000))
        .await
        .expect("an answer");
    assert_eq!(client.metrics().throttle_time_ms, 60_000);
}

/// A broker that asks for a pause is not silent, and means the client (KIP-219).
#[tokio::test]
async fn a_throttled_request_does_not_go_to_the_next_broker() {
    let (broker, other) = (TinyBroker::start().await, TinyBroker::start().await);
    broker.advertise(&[(1, broker.address), (2, other.address)]);
    let client = client(&[broker.server()]);
    client
        .ready(Instant::now() + LIMIT)
        .await
        .expect("a cluster");
    broker.state.metadata.lock().throttle_time_ms = 1_500;
    client
        .request(1, ConnectionKind::Coordinator, metadata(), soon(10_000))
        .await
        .expect("an answer");
    let began = Instant::now();
    client
        .request_any(FindCoordinatorRequest::default(), soon(10_000))
        .await
        .expect("an answer once the pause is over");
    assert!(began.elapsed() > Duration::from_millis(1_400));
    assert_eq!(other.open(), 0);
}
