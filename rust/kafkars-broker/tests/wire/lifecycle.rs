use std::net::TcpStream;
use std::time::{Duration, Instant};

use kafkars_broker::{
    BrokerConfig, ClockMode, CoordinatorType, EmbeddedBroker, EmbeddedBrokerError, GroupSettings,
    LinkSettings, NewTopic, NodeState,
};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::describe_groups::DescribeGroupsRequest;
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::join_group::{JoinGroupRequest, JoinGroupRequestProtocol};
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataResponsePartition};
use kafkars_protocol::messages::produce::ProduceRequest;

use crate::support::*;

/// Three nodes; topic `t` has one partition on each, with `replicas` replicas.
fn three_nodes(replicas: i16) -> EmbeddedBroker {
    start(BrokerConfig {
        nodes: 3,
        topics: vec![NewTopic {
            replication_factor: Some(replicas),
            ..NewTopic::new("t", 3)
        }],
        ..BrokerConfig::default()
    })
}

fn described(broker: &EmbeddedBroker, node: i32, partition: usize) -> MetadataResponsePartition {
    Wire::to_node(broker, node).metadata(&["t"]).topics[0].partitions[partition].clone()
}

#[test]
fn leaders_move_off_a_node_that_stops_to_replicas_in_sync() {
    let broker = three_nodes(3);
    let old = broker.leader("t", 0).unwrap();
    let mut wire = Wire::to_node(&broker, old);
    wire.produce("t", 0, batch(&["a"]));
    broker.stop_node(old).unwrap();
    assert_eq!(broker.node_state(old).unwrap(), NodeState::Stopped);
    wire.assert_closed();
    assert!(TcpStream::connect(broker.address(old).unwrap()).is_err());

    let new = broker.leader("t", 0).unwrap();
    assert_ne!(new, old);
    let mut wire = Wire::to_node(&broker, new);
    let metadata = wire.metadata(&["t"]);
    assert!(metadata.brokers.iter().all(|node| node.node_id != old));
    assert_ne!(metadata.controller_id, old);
    for partition in &metadata.topics[0].partitions {
        assert_ne!(partition.leader_id, old);
        assert_eq!(partition.replica_nodes.len(), 3);
        assert_eq!(partition.isr_nodes.len(), 2);
        assert!(!partition.isr_nodes.contains(&old));
        assert_eq!(partition.offline_replicas, [old]);
        // Only a new leader starts a new epoch; a replica that drops out does not.
        let moved = i32::from(partition.partition_index == 0);
        assert_eq!(partition.leader_epoch, moved);
    }
    assert_eq!(read(&wire.fetch("t", 0, 0).records), [(0, "a".to_owned())]);
    assert_eq!(wire.produce("t", 0, batch(&["b"])).base_offset, 1);
}

#[test]
fn a_node_that_comes_back_has_its_port_and_is_in_sync_but_leads_nothing() {
    let broker = three_nodes(3);
    let (old, address) = (1, broker.address(1).unwrap());
    let partition = (0..3)
        .find(|partition| broker.leader("t", *partition).unwrap() == old)
        .unwrap();
    broker.restart_node(old).unwrap();
    assert_eq!(broker.address(old), Some(address));
    let now = described(&broker, old, partition as usize);
    assert_ne!(now.leader_id, old);
    assert_eq!((now.isr_nodes.len(), now.offline_replicas.len()), (3, 0));
    broker.move_leader("t", partition, old).unwrap();
    let mut wire = Wire::to_node(&broker, old);
    assert_eq!(wire.produce("t", partition, batch(&["a"])).error_code, 0);
}

#[test]
fn the_only_replica_leaves_its_partition_without_a_leader_until_it_is_back() {
    let broker = three_nodes(1);
    let only = broker.leader("t", 0).unwrap();
    let other = only % 3 + 1;
    Wire::to_node(&broker, only).produce("t", 0, batch(&["a"]));
    broker.stop_node(only).unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), -1);
    let gone = described(&broker, other, 0);
    let unavailable = ErrorCode::LeaderNotAvailable.code();
    assert_eq!(
        (gone.error_code, gone.leader_id, gone.leader_epoch),
        (unavailable, -1, 1)
    );
    assert_eq!(
        (gone.isr_nodes, gone.offline_replicas),
        (vec![only], vec![only])
    );
    let answer = Wire::to_node(&broker, other).produce("t", 0, batch(&["b"]));
    assert_eq!(answer.error_code, ErrorCode::NotLeaderOrFollower.code());
    assert_eq!(answer.current_leader.leader_id, -1);

    broker.start_node(only).unwrap();
    let back = described(&broker, other, 0);
    assert_eq!(
        (back.error_code, back.leader_id, back.leader_epoch),
        (0, only, 2)
    );
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 1));
}

#[test]
fn the_last_replica_in_sync_is_the_one_that_must_come_back() {
    let broker = three_nodes(2);
    let first = broker.leader("t", 0).unwrap();
    let replicas = described(&broker, first, 0).replica_nodes;
    let (second, third) = (replicas[1], 6 - replicas[0] - replicas[1]);
    broker.stop_node(first).unwrap();
    broker.stop_node(second).unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), -1);
    broker.start_node(first).unwrap();
    assert_eq!(
        broker.leader("t", 0).unwrap(),
        -1,
        "it may have missed records"
    );
    broker.start_node(second).unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), second);
    let mut in_sync = described(&broker, third, 0).isr_nodes;
    in_sync.sort_unstable();
    let mut both = replicas;
    both.sort_unstable();
    assert_eq!(in_sync, both);
}

#[test]
fn an_unclean_election_takes_any_replica() {
    let broker = start(BrokerConfig {
        nodes: 2,
        topics: vec![NewTopic {
            replication_factor: Some(2),
            configs: vec![("unclean.leader.election.enable".into(), "true".into())],
            ..NewTopic::new("t", 1)
        }],
        ..BrokerConfig::default()
    });
    let first = broker.leader("t", 0).unwrap();
    let second = 3 - first;
    broker.stop_node(first).unwrap();
    broker.stop_node(second).unwrap();
    broker.start_node(first).unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), first);
}

#[test]
fn a_paused_node_answers_nothing_and_keeps_its_connections() {
    let broker = broker();
    let mut open = Wire::to(&broker);
    open.metadata(&["t"]);
    broker.pause_node(1).unwrap();
    let produce = produce_request("t", 0, batch(&["a"]));
    open.send(&produce, PRODUCE);
    open.assert_silent();
    // The system takes the connection; the node does not.
    let mut late = Wire::to(&broker);
    late.send(&MetadataRequest::default(), 12);
    late.assert_silent();
    assert_eq!(broker.requests_seen().len(), 1);
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 0));
    broker.start_node(1).unwrap();
    let (_, answer) = open.receive::<ProduceRequest>(PRODUCE);
    assert_eq!(answer.responses[0].partition_responses[0].base_offset, 0);
    late.receive::<MetadataRequest>(12);
}

#[test]
fn a_long_poll_of_a_paused_node_is_answered_when_it_goes_on() {
    let broker = three_nodes(3);
    let node = broker.leader("t", 0).unwrap();
    let mut reader = Wire::to_node(&broker, node);
    let poll = FetchRequest {
        max_wait_ms: 1,
        ..fetch_request("t", 0, 0)
    };
    reader.send(
        &FetchRequest {
            max_wait_ms: 60_000,
            ..poll
        },
        FETCH,
    );
    eventually("the fetch", || broker.requests_seen().len() == 1);
    broker.pause_node(node).unwrap();
    broker.fence_node(node).unwrap();
    let new = broker.leader("t", 0).unwrap();
    assert_ne!(new, node);
    Wire::to_node(&broker, new).produce("t", 0, batch(&["a"]));
    reader.assert_silent();
    broker.start_node(node).unwrap();
    let (_, answer) = reader.receive::<FetchRequest>(FETCH);
    let not_leader = ErrorCode::NotLeaderOrFollower.code();
    assert_eq!(only(&answer).error_code, not_leader);
}

#[test]
fn a_killed_node_still_leads_until_it_is_fenced() {
    let broker = three_nodes(3);
    let node = broker.leader("t", 0).unwrap();
    broker.kill_node(node).unwrap();
    assert_eq!(broker.leader("t", 0).unwrap(), node);
    assert!(TcpStream::connect(broker.address(node).unwrap()).is_err());
    broker.fence_node(node).unwrap();
    assert_ne!(broker.leader("t", 0).unwrap(), node);
}

#[test]
fn nodes_join_and_can_lead() {
    let broker = broker();
    let node = broker.add_node().unwrap();
    assert_eq!((node, broker.nodes()), (2, vec![1, 2]));
    assert_eq!(
        Wire::to_node(&broker, node).metadata(&["t"]).brokers.len(),
        2
    );
    broker.move_leader("t", 0, node).unwrap();
    let answer = Wire::to_node(&broker, node).produce("t", 0, batch(&["a"]));
    assert_eq!(answer.error_code, 0);
    let topic = NewTopic {
        replication_factor: Some(2),
        ..NewTopic::new("both", 2)
    };
    broker.create_topic(&topic).unwrap();
    let leaders = [0, 1].map(|partition| broker.leader("both", partition).unwrap());
    assert_ne!(leaders[0], leaders[1]);
}

#[test]
fn topics_that_are_created_while_a_node_is_down_are_led_by_others() {
    let broker = three_nodes(3);
    broker.stop_node(2).unwrap();
    let topic = NewTopic {
        replication_factor: Some(3),
        ..NewTopic::new("late", 6)
    };
    broker.create_topic(&topic).unwrap();
    let metadata = Wire::to_node(&broker, 1).metadata(&["late"]);
    for partition in &metadata.topics[0].partitions {
        assert_ne!(partition.leader_id, 2);
        assert_eq!(partition.replica_nodes.len(), 3);
        assert!(!partition.isr_nodes.contains(&2));
    }
}

#[test]
fn coordinators_move_on_purpose_and_off_stopped_nodes() {
    let broker = three_nodes(1);
    let kind = CoordinatorType::Group;
    let home = broker.coordinator(kind, "g").unwrap().unwrap();
    let find = |node| {
        let request = FindCoordinatorRequest {
            coordinator_keys: vec!["g".to_owned()],
            ..Default::default()
        };
        let answer = Wire::to_node(&broker, node).call(&request, 4);
        (
            answer.coordinators[0].error_code,
            answer.coordinators[0].node_id,
        )
    };
    assert_eq!(find(1), (0, home));
    let other = home % 3 + 1;
    broker.move_coordinator(kind, "g", other).unwrap();
    assert_eq!(find(1), (0, other));
    broker.stop_node(other).unwrap();
    let alive = other % 3 + 1;
    assert_ne!(find(alive).1, other);
    assert!(matches!(
        broker.move_coordinator(kind, "g", other),
        Err(EmbeddedBrokerError::NodeDown(node)) if node == other
    ));
}

#[test]
fn connections_are_cut_and_new_ones_taken() {
    let broker = three_nodes(1);
    let mut first = Wire::to_node(&broker, 1);
    let mut second = Wire::to_node(&broker, 2);
    first.metadata(&[]);
    second.metadata(&[]);
    broker.cut_connections(Some(1)).unwrap();
    first.assert_closed();
    second.metadata(&[]);
    broker.cut_connections(None).unwrap();
    second.assert_closed();
    Wire::to_node(&broker, 1).metadata(&[]);
}

#[test]
fn latency_delays_answers_without_holding_up_what_follows() {
    let broker = broker();
    let latency = Duration::from_millis(500);
    let link = LinkSettings {
        latency,
        ..LinkSettings::default()
    };
    broker.set_link(Some(1), link).unwrap();
    let mut wire = Wire::to(&broker);
    let started = Instant::now();
    for _ in 0..20 {
        wire.send(&produce_request("t", 0, batch(&["a"])), PRODUCE);
    }
    eventually("the appends", || broker.offsets("t", 0).unwrap().1 == 20);
    for offset in 0..20 {
        let (_, answer) = wire.receive::<ProduceRequest>(PRODUCE);
        assert_eq!(
            answer.responses[0].partition_responses[0].base_offset,
            offset
        );
        assert!(started.elapsed() >= latency);
    }
    // One after the other they would have taken ten seconds.
    assert!(
        started.elapsed() < Duration::from_secs(8),
        "{:?}",
        started.elapsed()
    );
    broker.set_link(None, LinkSettings::default()).unwrap();
    Wire::to(&broker).metadata(&[]);
}

#[test]
fn bandwidth_is_limited_in_both_directions() {
    let broker = broker();
    let value = "x".repeat(50_000);
    let records = batch(&[value.as_str()]);
    let link = LinkSettings {
        bytes_per_second: Some(500_000),
        ..LinkSettings::default()
    };
    broker.set_link(None, link).unwrap();
    let mut wire = Wire::to(&broker);
    let least = Duration::from_millis(95);
    let started = Instant::now();
    wire.produce("t", 0, records);
    let written = started.elapsed();
    assert!(written >= least, "{written:?}");
    assert_eq!(read(&wire.fetch("t", 0, 0).records).len(), 1);
    let fetched = started.elapsed() - written;
    assert!(fetched >= least, "{fetched:?}");
}

#[test]
fn what_cannot_be_done_is_told() {
    let broker = broker();
    assert!(matches!(
        broker.stop_node(2),
        Err(EmbeddedBrokerError::UnknownNode(2))
    ));
    broker.stop_node(1).unwrap();
    broker.stop_node(1).unwrap();
    assert!(matches!(
        broker.move_leader("t", 0, 1),
        Err(EmbeddedBrokerError::NodeDown(1))
    ));
    broker.stop();
    assert!(matches!(
        broker.start_node(1),
        Err(EmbeddedBrokerError::Stopped)
    ));
    assert!(matches!(
        broker.add_node(),
        Err(EmbeddedBrokerError::Stopped)
    ));
}

#[test]
fn who_waits_at_a_coordinator_that_moves_is_told_so() {
    let broker = start(BrokerConfig {
        nodes: 3,
        clock: ClockMode::Manual,
        groups: GroupSettings {
            // Members wait for others for as long as the test likes.
            initial_rebalance_delay: Duration::from_secs(60),
            ..GroupSettings::default()
        },
        ..BrokerConfig::default()
    });
    let kind = CoordinatorType::Group;
    let request = JoinGroupRequest {
        group_id: "g".to_owned(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: 10_000,
        protocol_type: "consumer".to_owned(),
        protocols: vec![JoinGroupRequestProtocol {
            name: "range".to_owned(),
            ..JoinGroupRequestProtocol::default()
        }],
        ..JoinGroupRequest::default()
    };
    let waiting = |broker: &EmbeddedBroker, members: usize| {
        let home = broker.coordinator(kind, "g").unwrap().unwrap();
        let mut wire = Wire::to_node(broker, home);
        wire.send(&request, 3);
        eventually("the member waits", || {
            let describe = DescribeGroupsRequest {
                groups: vec!["g".to_owned()],
                ..DescribeGroupsRequest::default()
            };
            let answer = Wire::to_node(broker, home).call(&describe, 5);
            answer.groups[0].members.len() >= members
        });
        (home, wire)
    };
    let (home, mut wire) = waiting(&broker, 1);
    broker.move_coordinator(kind, "g", home % 3 + 1).unwrap();
    let (_, answer) = wire.receive::<JoinGroupRequest>(3);
    assert_eq!(answer.error_code, ErrorCode::NotCoordinator.code());
    let (home, mut wire) = waiting(&broker, 2);
    broker.fence_node(home).unwrap();
    let (_, answer) = wire.receive::<JoinGroupRequest>(3);
    assert_eq!(answer.error_code, ErrorCode::NotCoordinator.code());
}
