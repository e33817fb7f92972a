//! Bootstrapping fails with a cause for each address that does not lead to a cluster.

use std::time::Instant;

use kafkars_client::{Client, ClientError, ErrorKind};
use kafkars_protocol::messages::api_versions::{
    ApiVersion, ApiVersionsRequest, ApiVersionsResponse,
};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataResponse};
use kafkars_protocol::{ApiKey, ErrorCode};
use kafkars_testkit::pipe::ScriptedPeer;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::peers::{LIMIT, TinyBroker, causes, checked, client, closed_port, config, listen, soon};

/// Bootstraps from `server` alone and returns the one cause of the failure.
async fn cause(server: String) -> (String, ClientError) {
    let client = client(std::slice::from_ref(&server));
    let error = timeout(LIMIT, client.ready(soon(2_000)))
        .await
        .expect("in time")
        .expect_err("no cluster");
    let causes = causes(error.clone());
    let [(address, cause)] = causes.as_slice() else {
        panic!("one address, not {causes:?}")
    };
    assert_eq!(*address, server);
    (cause.clone(), error)
}

async fn read_request(peer: &mut ScriptedPeer<TcpStream>) {
    peer.frame().await.expect("readable").expect("a request");
}

#[tokio::test]
async fn a_refused_port_is_named() {
    let (cause, error) = cause(closed_port().await.to_string()).await;
    assert!(cause.contains("connection refused"), "{cause}");
    assert_eq!(error.kind(), ErrorKind::Retriable);
}

#[tokio::test]
async fn a_host_that_does_not_exist_is_named() {
    let (cause, _) = cause("no-such-host.invalid:9092".to_owned()).await;
    assert!(cause.contains("cannot be resolved"), "{cause}");
}

#[tokio::test]
async fn a_web_server_is_recognised_at_once() {
    let address = listen(|mut peer: ScriptedPeer<TcpStream>| async move {
        read_request(&mut peer).await;
        peer.raw(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            .await;
        peer.closed().await;
    });
    let client = client(&[address.await.to_string()]);
    let began = Instant::now();
    let error = client.ready(began + LIMIT).await.expect_err("no cluster");
    assert!(began.elapsed() < LIMIT / 2, "waiting cannot mend it");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert!(causes(error)[0].1.contains("answers HTTP"));
}

#[tokio::test]
async fn a_tls_port_is_recognised_at_once() {
    let address = listen(|mut peer: ScriptedPeer<TcpStream>| async move {
        read_request(&mut peer).await;
        // A fatal alert, "unexpected message", as TLS servers answer plain bytes.
        peer.raw(&[0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x0a]).await;
        peer.closed().await;
    });
    let client = client(&[address.await.to_string()]);
    let error = client
        .ready(Instant::now() + LIMIT)
        .await
        .expect_err("no cluster");
    assert!(causes(error)[0].1.contains("set security_protocol to SSL"));
}

#[tokio::test]
async fn a_peer_that_hangs_up_at_once_is_named() {
    let address = listen(|peer: ScriptedPeer<TcpStream>| async move { peer.cut() }).await;
    let (cause, _) = cause(address.to_string()).await;
    assert!(
        cause.contains("closed the connection without an answer"),
        "{cause}"
    );
}

#[tokio::test]
async fn a_silent_peer_is_named() {
    let address =
        listen(|mut peer: ScriptedPeer<TcpStream>| async move { peer.closed().await }).await;
    let (cause, _) = cause(address.to_string()).await;
    assert!(cause.contains("no answer to ApiVersions"), "{cause}");
}

#[tokio::test]
async fn a_peer_that_answers_nonsense_is_named() {
    let address = listen(|mut peer: ScriptedPeer<TcpStream>| async move {
        read_request(&mut peer).await;
        peer.raw(&[0, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]).await;
        peer.closed().await;
    });
    let (cause, _) = cause(address.await.to_string()).await;
    assert!(cause.contains("not Kafka's"), "{cause}");
}

#[tokio::test]
async fn advertised_listeners_that_cannot_be_reached_are_named() {
    let broker = TinyBroker::silent_about_itself().await;
    let nowhere = closed_port().await;
    broker.advertise(&[(1, nowhere)]);
    let (cause, _) = cause(broker.server()).await;
    assert!(cause.contains("advertised.listeners"), "{cause}");
    assert!(cause.contains(&nowhere.to_string()), "{cause}");
    assert!(cause.contains("connection refused"), "{cause}");
}

#[tokio::test]
async fn a_broker_without_brokers_is_named() {
    let broker = TinyBroker::silent_about_itself().await;
    let (cause, _) = cause(broker.server()).await;
    assert!(cause.contains("does not know of any broker"), "{cause}");
}

#[tokio::test]
async fn every_address_is_listed_with_its_own_cause() {
    let refused = closed_port().await.to_string();
    let silent =
        listen(|mut peer: ScriptedPeer<TcpStream>| async move { peer.closed().await }).await;
    let client = client(&[refused.clone(), silent.to_string()]);
    let error = client.ready(soon(600)).await.expect_err("no cluster");
    let causes = causes(error);
    let of = |address: &str| {
        let found = causes.iter().find(|(known, _)| known == address);
        found.map(|(_, cause)| cause.clone()).unwrap_or_default()
    };
    assert_eq!(causes.len(), 2);
    assert!(of(&refused).contains("connection refused"), "{causes:?}");
    assert!(
        of(&silent.to_string()).contains("no answer to ApiVersions"),
        "{causes:?}"
    );
}

#[tokio::test]
async fn one_good_address_is_enough() {
    let broker = TinyBroker::start().await;
    let silent =
        listen(|mut peer: ScriptedPeer<TcpStream>| async move { peer.closed().await }).await;
    let servers = [
        closed_port().await.to_string(),
        silent.to_string(),
        broker.server(),
    ];
    let connected = timeout(LIMIT, Client::connect(checked(config(&servers)))).await;
    let client = connected.expect("in time").expect("a cluster");
    assert_eq!(client.cluster().brokers().len(), 1);
}

#[tokio::test]
async fn a_cluster_that_comes_up_later_is_found() {
    let address = closed_port().await;
    let client = client(&[address.to_string()]);
    let waiting = tokio::spawn({
        let client = client.clone();
        async move { client.ready(Instant::now() + LIMIT).await }
    });
    crate::peers::until(|| client.metrics().connections_failed >= 2).await;
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .expect("the port is still free");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut peer = ScriptedPeer::new(stream);
            peer.greet().await;
            let (header, _) = peer.expect::<MetadataRequest>().await;
            peer.answer(&header, &of_one_broker(address)).await;
        }
    });
    waiting.await.expect("no panic").expect("a cluster");
}

fn of_one_broker(address: std::net::SocketAddr) -> MetadataResponse {
    let broker = kafkars_protocol::messages::metadata::MetadataResponseBroker {
        node_id: 1,
        host: address.ip().to_string(),
        port: address.port().into(),
        ..Default::default()
    };
    MetadataResponse {
        brokers: vec![broker],
        ..MetadataResponse::default()
    }
}

/// The ApiVersions response of a broker with ApiVersions up to version 2 and Metadata up to version 8.
fn old_versions(error: ErrorCode) -> ApiVersionsResponse {
    let api = |api: ApiKey, max_version| ApiVersion {
        api_key: api.as_i16(),
        min_version: 0,
        max_version,
    };
    ApiVersionsResponse {
        error_code: error.code(),
        api_keys: vec![api(ApiKey::ApiVersions, 2), api(ApiKey::Metadata, 8)],
        ..ApiVersionsResponse::default()
    }
}

#[tokio::test]
async fn an_older_broker_is_asked_again_in_its_own_version() {
    let address = closed_port().await;
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .expect("the port is still free");
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a connection");
        let mut peer = ScriptedPeer::new(stream);
        let (header, _) = peer.expect::<ApiVersionsRequest>().await;
        assert!(header.api_version > 2);
        peer.answer_in(&header, 0, &old_versions(ErrorCode::UnsupportedVersion))
            .await;
        let (header, _) = peer.expect::<ApiVersionsRequest>().await;
        assert_eq!(header.api_version, 2);
        peer.answer(&header, &old_versions(ErrorCode::None)).await;
        let (header, _) = peer.expect::<MetadataRequest>().await;
        assert_eq!(header.api_version, 8);
        peer.answer(&header, &of_one_broker(address)).await;
        peer.closed().await;
    });
    let client = client(&[address.to_string()]);
    timeout(LIMIT, client.ready(Instant::now() + LIMIT))
        .await
        .expect("in time")
        .expect("a cluster");
}

#[tokio::test]
async fn a_broker_that_hangs_up_on_a_new_greeting_is_greeted_in_version_0() {
    let address = closed_port().await;
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .expect("the port is still free");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut peer = ScriptedPeer::new(stream);
            let (header, _) = peer.expect::<ApiVersionsRequest>().await;
            if header.api_version > 0 {
                continue;
            }
            peer.answer(&header, &old_versions(ErrorCode::None)).await;
            let (header, _) = peer.expect::<MetadataRequest>().await;
            peer.answer(&header, &of_one_broker(address)).await;
            peer.closed().await;
        }
    });
    let client = client(&[address.to_string()]);
    timeout(LIMIT, client.ready(Instant::now() + LIMIT))
        .await
        .expect("in time")
        .expect("a cluster");
}

#[tokio::test]
async fn a_client_does_nothing_before_it_is_asked() {
    let broker = TinyBroker::start().await;
    let client = client(&[broker.server()]);
    assert_eq!(client.cluster().version, 0);
    tokio::task::yield_now().await;
    assert_eq!(client.metrics().connections_made, 0);
    client.ready(soon(5_000)).await.expect("a cluster");
    // The bootstrap address is the broker's own, so its connection is kept.
    assert_eq!(client.metrics().connections_made, 1);
}
