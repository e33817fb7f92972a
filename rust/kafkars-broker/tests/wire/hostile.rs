use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kafkars_broker::BrokerConfig;
use kafkars_protocol::encode_request;
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;

use crate::support::*;

/// Checks that the broker still answers somebody else.
fn assert_serves(broker: &kafkars_broker::EmbeddedBroker) {
    assert_eq!(Wire::to(broker).fetch("t", 0, 0).error_code, 0);
}

fn send_raw(broker: &kafkars_broker::EmbeddedBroker, bytes: &[u8]) -> Wire {
    let mut wire = Wire::to(broker);
    // The broker may have closed before all is written, which is what is to be shown.
    let _ = wire.stream.write_all(bytes);
    wire
}

#[test]
fn impossible_lengths_close_the_connection() {
    let broker = broker();
    for length in [-1, i32::MIN, 0, 3, i32::MAX, 100 * 1024 * 1024 + 1] {
        send_raw(&broker, &length.to_be_bytes()).assert_closed();
    }
    assert_serves(&broker);
}

#[test]
fn other_protocols_close_the_connection() {
    let broker = broker();
    for greeting in [
        &b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"SSH-2.0-x\r\n",
    ] {
        send_raw(&broker, greeting).assert_closed();
    }
    assert_serves(&broker);
}

#[test]
fn an_unknown_api_closes_the_connection() {
    let broker = broker();
    send_raw(
        &broker,
        &[0, 0, 0, 10, 0x7f, 0xff, 0, 0, 0, 0, 0, 1, 0xff, 0xff],
    )
    .assert_closed();
    assert_serves(&broker);
}

#[test]
fn a_request_cut_short_at_any_byte_closes_its_connection() {
    let broker = broker();
    let requests = [
        encode_request(
            &produce_request("t", 0, batch(&["a"])),
            PRODUCE,
            1,
            Some("x"),
        )
        .unwrap()
        .to_bytes(),
        encode_request(&fetch_request("t", 0, 0), FETCH, 1, Some("x"))
            .unwrap()
            .to_bytes(),
    ];
    for request in requests {
        for length in 4..request.len() - 4 {
            let mut cut = (length as u32).to_be_bytes().to_vec();
            cut.extend_from_slice(&request[4..4 + length]);
            let wire = send_raw(&broker, &cut);
            // Some cuts are whole requests of another meaning; none may hang or take the broker down.
            wire.stream.shutdown(std::net::Shutdown::Both).unwrap();
        }
    }
    assert_serves(&broker);
    assert_eq!(broker.offsets("t", 0).unwrap().0, 0);
}

#[test]
fn a_request_with_any_byte_flipped_does_no_harm() {
    let broker = broker();
    let request = encode_request(&fetch_request("t", 0, 0), FETCH, 1, Some("x"))
        .unwrap()
        .to_bytes();
    for position in 4..request.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut flipped = request.to_vec();
            flipped[position] ^= bits;
            let wire = send_raw(&broker, &flipped);
            wire.stream.shutdown(std::net::Shutdown::Both).unwrap();
        }
    }
    assert_serves(&broker);
}

#[test]
fn huge_counts_in_a_small_frame_close_the_connection() {
    let broker = broker();
    // Metadata version 1, client id "x", an array that claims to have two thousand million names.
    let frame = [0, 3, 0, 1, 0, 0, 0, 1, 0, 1, b'x', 0x7f, 0xff, 0xff, 0xff];
    send_raw(
        &broker,
        &[&[0, 0, 0, frame.len() as u8][..], &frame].concat(),
    )
    .assert_closed();
    assert_serves(&broker);
}

#[test]
fn a_request_that_dribbles_in_is_served() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let request = encode_request(&MetadataRequest::default(), 12, 1, Some("x"))
        .unwrap()
        .to_bytes();
    for byte in request {
        wire.stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(wire.receive::<MetadataRequest>(12).0, 1);
}

#[test]
fn a_client_that_says_nothing_is_closed_in_time() {
    let config = BrokerConfig {
        connections_max_idle: Duration::from_millis(50),
        ..BrokerConfig::default()
    };
    let broker = start(config);
    Wire::to(&broker).assert_closed();
    send_raw(&broker, &[0, 0]).assert_closed();
    send_raw(&broker, &[0, 0, 0, 100, 0, 3]).assert_closed();
}

#[test]
fn a_client_that_leaves_ends_its_long_poll() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.send(
        &FetchRequest {
            max_wait_ms: i32::MAX,
            ..fetch_request("t", 0, 0)
        },
        FETCH,
    );
    eventually("the fetch", || broker.requests_seen().len() == 1);
    drop(wire);
    assert_serves(&broker);
}

#[test]
fn thousands_of_connections_come_and_go() {
    let broker = broker();
    let address = broker.address(1).unwrap();
    let started = Instant::now();
    for _ in 0..40 {
        let open: Vec<TcpStream> = (0..50)
            .map(|_| TcpStream::connect(address).unwrap())
            .collect();
        drop(open);
    }
    assert_serves(&broker);
    assert!(started.elapsed() < Duration::from_secs(60));
}
