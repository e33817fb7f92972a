//! Logins by SASL, byte by byte: what is admitted before one, how it fails, how it ends, and what bytes do to it.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_broker::{
    BrokerConfig, ClockMode, EmbeddedBroker, ListenerConfig, SaslMechanism, SecurityProtocol, User,
};
use kafkars_protocol::messages::api_versions::ApiVersionsRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::messages::sasl_authenticate::{
    SaslAuthenticateRequest, SaslAuthenticateResponse,
};
use kafkars_protocol::messages::sasl_handshake::SaslHandshakeRequest;
use kafkars_protocol::{ApiKey, ErrorCode};

use crate::support::{Wire, start};

const SECRET: &str = "Xq7-wonderland";

fn secured(max_reauth: Option<Duration>, login_timeout: Duration) -> EmbeddedBroker {
    start(BrokerConfig {
        listeners: vec![
            ListenerConfig {
                protocol: SecurityProtocol::SaslPlaintext,
                mechanisms: vec![SaslMechanism::Plain, SaslMechanism::ScramSha256],
                max_reauth,
                ..ListenerConfig::default()
            },
            ListenerConfig::default(),
        ],
        users: vec![User {
            name: "alice".to_owned(),
            password: SECRET.to_owned(),
        }],
        login_timeout,
        clock: ClockMode::Manual,
        ..BrokerConfig::default()
    })
}

fn broker() -> EmbeddedBroker {
    secured(None, Duration::from_secs(10))
}

fn handshake(wire: &mut Wire, mechanism: &str, version: i16) -> (i16, Vec<String>) {
    let request = SaslHandshakeRequest {
        mechanism: mechanism.to_owned(),
    };
    let response = wire.call(&request, version);
    (response.error_code, response.mechanisms)
}

fn authenticate(wire: &mut Wire, message: &[u8]) -> SaslAuthenticateResponse {
    let request = SaslAuthenticateRequest {
        auth_bytes: Bytes::copy_from_slice(message),
    };
    wire.call(&request, 2)
}

fn plain(password: &str) -> Vec<u8> {
    format!("\0alice\0{password}").into_bytes()
}

fn log_in(wire: &mut Wire) -> SaslAuthenticateResponse {
    assert_eq!(handshake(wire, "PLAIN", 1).0, 0);
    authenticate(wire, &plain(SECRET))
}

#[test]
fn a_login_opens_the_connection() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let versions = ApiVersionsRequest::default();
    assert_eq!(wire.call(&versions, 0).error_code, 0);
    let (code, offered) = handshake(&mut wire, "PLAIN", 1);
    assert_eq!(
        (code, offered),
        (0, vec!["PLAIN".to_owned(), "SCRAM-SHA-256".to_owned()])
    );
    assert_eq!(authenticate(&mut wire, &plain(SECRET)).error_code, 0);
    // Clients are told the address of the listener that they came to.
    let brokers = wire.metadata(&[]).brokers;
    let address = broker.address(1).unwrap();
    assert_eq!(brokers[0].port, i32::from(address.port()));
    let plain = broker.bootstrap_servers_of("PLAINTEXT").unwrap();
    let mut plain = Wire::connect(plain.parse().unwrap());
    let other = plain.metadata(&[]).brokers[0].port;
    assert_ne!(other, i32::from(address.port()));
}

#[test]
fn nothing_is_answered_before_a_login() {
    let broker = broker();
    for version in [1, 12] {
        let mut wire = Wire::to(&broker);
        wire.send(&MetadataRequest::default(), version);
        wire.assert_closed();
    }
    let mut wire = Wire::to(&broker);
    wire.send(&SaslAuthenticateRequest::default(), 1);
    wire.assert_closed();
    let mut wire = Wire::to(&broker);
    handshake(&mut wire, "PLAIN", 1);
    let refused = wire.call(&MetadataRequest::default(), 0);
    assert_eq!(refused.brokers.len(), 0);
    wire.assert_closed();
}

#[test]
fn a_wrong_password_is_told_late_and_ends_the_connection() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    handshake(&mut wire, "PLAIN", 1);
    let started = Instant::now();
    let refused = authenticate(&mut wire, &plain("guess"));
    assert_eq!(
        refused.error_code,
        ErrorCode::SaslAuthenticationFailed.code()
    );
    let words = "Authentication failed: Invalid username or password";
    assert_eq!(refused.error_message.as_deref(), Some(words));
    assert!(started.elapsed() >= Duration::from_millis(100));
    wire.assert_closed();
}

#[test]
fn a_mechanism_that_is_not_offered_is_refused_with_those_that_are() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let (code, offered) = handshake(&mut wire, "OAUTHBEARER", 1);
    assert_eq!(code, ErrorCode::UnsupportedSaslMechanism.code());
    assert_eq!(offered, ["PLAIN", "SCRAM-SHA-256"]);
    wire.assert_closed();
}

#[test]
fn messages_travel_bare_after_version_0_of_the_handshake() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    assert_eq!(handshake(&mut wire, "PLAIN", 0).0, 0);
    send_bare(&mut wire, &plain(SECRET));
    assert_eq!(wire.receive_frame().len(), 0);
    assert_eq!(wire.metadata(&[]).brokers.len(), 1);
    let mut wire = Wire::to(&broker);
    handshake(&mut wire, "PLAIN", 0);
    send_bare(&mut wire, &plain("guess"));
    wire.assert_closed();
}

fn send_bare(wire: &mut Wire, message: &[u8]) {
    let length = u32::try_from(message.len()).unwrap();
    wire.stream.write_all(&length.to_be_bytes()).unwrap();
    wire.stream.write_all(message).unwrap();
}

#[test]
fn a_login_that_has_ended_is_made_again_or_ends_the_connection() {
    let broker = secured(Some(Duration::from_secs(60)), Duration::from_secs(10));
    let mut renewed = Wire::to(&broker);
    assert_eq!(log_in(&mut renewed).session_lifetime_ms, 60_000);
    let mut forgetful = Wire::to(&broker);
    log_in(&mut forgetful);
    broker.clock().advance(Duration::from_secs(50));
    assert_eq!(log_in(&mut renewed).session_lifetime_ms, 60_000);
    broker.clock().advance(Duration::from_secs(20));
    assert_eq!(renewed.metadata(&[]).brokers.len(), 1);
    forgetful.send(&MetadataRequest::default(), 12);
    forgetful.assert_closed();
}

#[test]
fn users_come_and_go() {
    let broker = broker();
    let bob = User {
        name: "bob".to_owned(),
        password: "builder".to_owned(),
    };
    broker.add_user(&bob).unwrap();
    let mut wire = Wire::to(&broker);
    handshake(&mut wire, "PLAIN", 1);
    assert_eq!(authenticate(&mut wire, b"\0bob\0builder").error_code, 0);
    assert!(broker.remove_user("bob").unwrap());
    assert!(!broker.remove_user("bob").unwrap());
    let mut wire = Wire::to(&broker);
    handshake(&mut wire, "PLAIN", 1);
    assert_ne!(authenticate(&mut wire, b"\0bob\0builder").error_code, 0);
}

#[test]
fn who_stalls_is_cut() {
    let broker = secured(None, Duration::from_millis(200));
    let mut silent = Wire::to(&broker);
    let mut halfway = Wire::to(&broker);
    handshake(&mut halfway, "PLAIN", 1);
    let mut through = Wire::to(&broker);
    log_in(&mut through);
    silent.assert_closed();
    halfway.assert_closed();
    assert_eq!(through.metadata(&[]).brokers.len(), 1);
}

#[test]
fn passwords_are_not_among_the_requests_seen() {
    let broker = broker();
    log_in(&mut Wire::to(&broker));
    let seen = broker.requests_seen();
    let authenticate = |seen: &&kafkars_broker::SeenRequest| seen.api == ApiKey::SaslAuthenticate;
    assert!(seen.iter().find(authenticate).unwrap().body().is_none());
    let shown = format!("{seen:?}{broker:?}");
    assert!(!shown.contains(SECRET) && !shown.contains("wonderland"));
}

/// Every prefix and every single changed byte of a login, and noise: the broker closes or refuses, and goes on.
#[test]
fn no_bytes_let_anybody_in_or_stop_the_broker() {
    let broker = secured(None, Duration::from_secs(10));
    let mut state = 1u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize
    };
    for _ in 0..300 {
        let mut bytes = Vec::new();
        // A handshake for PLAIN in version 1 and a message behind it, each with a length.
        bytes.extend(*b"\0\0\0\x13\0\x11\0\x01\0\0\0\x01\0\x02me\0\x05PLAIN");
        bytes.extend(*b"\0\0\0\x1d\0\x24\0\0\0\0\0\x02\0\x02me\0\0\0\x0d\0alice\0 wrong");
        let changes = random() % 4;
        for _ in 0..changes {
            let index = random() % bytes.len();
            bytes[index] = random() as u8;
        }
        bytes.truncate(random() % (bytes.len() + 1));
        // And a request that only those who are in may make.
        let mut wire = Wire::to(&broker);
        let _ = wire.stream.write_all(&bytes);
        let _ = wire.stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = wire.stream.read_to_end(&mut answer);
        assert!(answer.len() < 1000, "{bytes:?}");
    }
    log_in(&mut Wire::to(&broker));
}
