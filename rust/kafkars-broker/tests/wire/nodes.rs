use std::collections::BTreeMap;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use kafkars_broker::{BrokerConfig, EmbeddedBroker, EmbeddedBrokerError, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::offset_for_leader_epoch::{
    OffsetForLeaderEpochRequest, OffsetForLeaderPartition, OffsetForLeaderTopic,
};

use crate::support::*;

fn three_nodes() -> EmbeddedBroker {
    start(BrokerConfig {
        nodes: 3,
        topics: vec![NewTopic::new("t", 6)],
        ..BrokerConfig::default()
    })
}

#[test]
fn leaders_are_spread_over_the_nodes() {
    let broker = three_nodes();
    let mut led: BTreeMap<i32, i32> = BTreeMap::new();
    for partition in 0..6 {
        *led.entry(broker.leader("t", partition).unwrap())
            .or_default() += 1;
    }
    assert_eq!(led, BTreeMap::from([(1, 2), (2, 2), (3, 2)]));
    for node in broker.nodes() {
        assert_eq!(
            Wire::to_node(&broker, node).metadata(&["t"]).brokers.len(),
            3
        );
    }
}

#[test]
fn a_node_that_does_not_lead_says_who_does() {
    let broker = three_nodes();
    let leader = broker.leader("t", 0).unwrap();
    let other = broker
        .nodes()
        .into_iter()
        .find(|node| *node != leader)
        .unwrap();
    let mut wire = Wire::to_node(&broker, other);
    let not_leader = ErrorCode::NotLeaderOrFollower.code();
    let port = i32::from(broker.address(leader).unwrap().port());

    let answer = wire.call(&produce_request("t", 0, batch(&["a"])), PRODUCE);
    let partition = &answer.responses[0].partition_responses[0];
    assert_eq!(
        (partition.error_code, partition.current_leader.leader_id),
        (not_leader, leader)
    );
    assert_eq!(
        (
            answer.node_endpoints[0].node_id,
            answer.node_endpoints[0].port
        ),
        (leader, port)
    );

    let mut request = fetch_request("", 0, 0);
    request.topics[0].topic_id = wire.topic_id("t");
    let answer = wire.call(&request, 17);
    assert_eq!(
        (
            only(&answer).error_code,
            only(&answer).current_leader.leader_id
        ),
        (not_leader, leader)
    );
    assert_eq!(
        (
            answer.node_endpoints[0].node_id,
            answer.node_endpoints[0].port
        ),
        (leader, port)
    );

    // Older versions have no place for the hint.
    assert_eq!(
        wire.call(&produce_request("t", 0, batch(&["a"])), 9)
            .responses[0]
            .partition_responses[0]
            .error_code,
        not_leader
    );
    assert_eq!(wire.fetch("t", 0, 0).error_code, not_leader);
}

#[test]
fn a_leader_that_moves_takes_its_records_and_a_new_epoch_along() {
    let broker = three_nodes();
    let (old, epoch) = (broker.leader("t", 0).unwrap(), 0);
    let new = broker
        .nodes()
        .into_iter()
        .find(|node| *node != old)
        .unwrap();
    let mut before = Wire::to_node(&broker, old);
    before.produce("t", 0, batch(&["a"]));
    let waiting = FetchRequest {
        max_wait_ms: 60_000,
        ..fetch_request("t", 0, 1)
    };
    before.send(&waiting, FETCH);

    broker.move_leader("t", 0, new).unwrap();
    let (_, answer) = before.receive::<FetchRequest>(FETCH);
    assert_eq!(
        only(&answer).error_code,
        ErrorCode::NotLeaderOrFollower.code()
    );

    let mut after = Wire::to_node(&broker, new);
    assert_eq!(after.produce("t", 0, batch(&["b"])).base_offset, 1);
    assert_eq!(read(&after.fetch("t", 0, 0).records).len(), 2);
    let described = after.metadata(&["t"]).topics[0].partitions[0].clone();
    assert_eq!(
        (described.leader_id, described.leader_epoch),
        (new, epoch + 1)
    );
}

#[test]
fn clients_with_another_epoch_are_fenced() {
    let broker = three_nodes();
    let node = broker.leader("t", 0).unwrap();
    broker.move_leader("t", 0, node).unwrap();
    let mut wire = Wire::to_node(&broker, node);
    let mut code = |current_leader_epoch| {
        let mut request = fetch_request("t", 0, 0);
        request.topics[0].partitions[0].current_leader_epoch = current_leader_epoch;
        only(&wire.call(&request, FETCH)).error_code
    };
    assert_eq!(code(0), ErrorCode::FencedLeaderEpoch.code());
    assert_eq!(code(1), 0);
    assert_eq!(code(2), ErrorCode::UnknownLeaderEpoch.code());
}

#[test]
fn the_ends_of_epochs_are_known() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a", "b"]));
    broker.move_leader("t", 0, 1).unwrap();
    broker.move_leader("t", 0, 1).unwrap();
    wire.produce("t", 0, batch(&["c"]));
    let mut end = |leader_epoch| {
        let partition = OffsetForLeaderPartition {
            partition: 0,
            current_leader_epoch: -1,
            leader_epoch,
        };
        let topic = OffsetForLeaderTopic {
            topic: "t".to_owned(),
            partitions: vec![partition],
        };
        let request = OffsetForLeaderEpochRequest {
            replica_id: -1,
            topics: vec![topic],
        };
        let answer = wire.call(&request, 4).topics[0].partitions[0].clone();
        assert_eq!(answer.error_code, 0);
        (answer.leader_epoch, answer.end_offset)
    };
    assert_eq!(
        [end(0), end(1), end(2), end(3)],
        [(0, 2), (0, 2), (2, 3), (-1, -1)]
    );
}

#[test]
fn a_reader_whose_log_departs_is_told_where() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.produce("t", 0, batch(&["a", "b"]));
    broker.move_leader("t", 0, 1).unwrap();
    wire.produce("t", 0, batch(&["c"]));
    let mut request = fetch_request("t", 0, 3);
    request.topics[0].partitions[0].last_fetched_epoch = 0;
    let answer = wire.call(&request, FETCH);
    let diverging = &only(&answer).diverging_epoch;
    assert_eq!((diverging.epoch, diverging.end_offset), (0, 2));
}

#[test]
fn starting_and_stopping_take_milliseconds_and_leave_nothing_listening() {
    // The least of several, because the machine may be busy with something else for a while.
    let times = (0..5).map(|_| start_and_stop());
    let least = times.min().unwrap_or_default();
    assert!(least < Duration::from_secs(1), "{least:?}");
}

/// Starts three nodes, stops them, looks for what they have left, and returns how long starting and stopping took.
fn start_and_stop() -> Duration {
    let started = Instant::now();
    let broker = three_nodes();
    let addresses: Vec<_> = broker
        .nodes()
        .into_iter()
        .filter_map(|node| broker.address(node))
        .collect();
    let mut wire = Wire::to(&broker);
    wire.metadata(&[]);
    broker.stop();
    broker.stop();
    assert!(!broker.is_running());
    assert!(matches!(
        broker.offsets("t", 0),
        Err(EmbeddedBrokerError::Stopped)
    ));
    let took = started.elapsed();
    wire.assert_closed();
    for address in addresses {
        assert!(TcpStream::connect(address).is_err());
    }
    took
}

#[test]
fn a_broker_that_is_dropped_stops() {
    let broker = broker();
    let address = broker.address(1).unwrap();
    drop(broker);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn a_broker_starts_again_on_its_port() {
    let first = broker();
    let port = first.address(1).unwrap().port();
    Wire::to(&first).metadata(&[]);
    first.stop();
    let second = start(BrokerConfig {
        port,
        ..BrokerConfig::default()
    });
    assert_eq!(second.address(1).unwrap().port(), port);
    Wire::to(&second).metadata(&[]);
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    let taken = broker();
    let port = taken.address(1).unwrap().port();
    let error = |config| EmbeddedBroker::start(config).unwrap_err();
    let default = BrokerConfig::default;
    assert!(matches!(
        error(BrokerConfig { port, ..default() }),
        EmbeddedBrokerError::Listen { .. }
    ));
    assert!(matches!(
        error(BrokerConfig {
            nodes: 0,
            ..default()
        }),
        EmbeddedBrokerError::InvalidSetting {
            setting: "nodes",
            ..
        }
    ));
    assert!(matches!(
        error(BrokerConfig {
            nodes: 3,
            port: 65_534,
            ..default()
        }),
        EmbeddedBrokerError::InvalidSetting {
            setting: "port",
            ..
        }
    ));
    let config = BrokerConfig {
        topics: vec![NewTopic::new("a b", 1)],
        ..default()
    };
    assert!(matches!(
        error(config),
        EmbeddedBrokerError::InvalidSetting {
            setting: "topics",
            ..
        }
    ));
    let topic_defaults = vec![("no.such".to_owned(), "1".to_owned())];
    let config = BrokerConfig {
        topic_defaults,
        ..default()
    };
    assert!(matches!(
        error(config),
        EmbeddedBrokerError::InvalidSetting {
            setting: "topic_defaults",
            ..
        }
    ));
    assert!(matches!(
        taken.move_leader("t", 0, 9),
        Err(EmbeddedBrokerError::UnknownNode(9))
    ));
}
