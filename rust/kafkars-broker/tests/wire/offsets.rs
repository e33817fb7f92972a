use kafkars_broker::{BrokerConfig, EmbeddedBroker, NewTopic};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::delete_topics::DeleteTopicsRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};

use crate::support::*;

fn commit(offset: i64) -> OffsetCommitRequest {
    let partition = OffsetCommitRequestPartition {
        partition_index: 0,
        committed_offset: offset,
        committed_leader_epoch: -1,
        committed_metadata: Some("m".to_owned()),
    };
    let topic = OffsetCommitRequestTopic {
        name: "t".to_owned(),
        partitions: vec![partition],
        ..Default::default()
    };
    OffsetCommitRequest {
        group_id: "g".to_owned(),
        generation_id_or_member_epoch: -1,
        retention_time_ms: -1,
        topics: vec![topic],
        ..Default::default()
    }
}

fn commit_code(wire: &mut Wire, request: &OffsetCommitRequest, version: i16) -> i16 {
    wire.call(request, version).topics[0].partitions[0].error_code
}

/// Asks in one version what is committed: for one partition, or for all.
fn committed(wire: &mut Wire, all: bool, version: i16) -> Vec<i64> {
    let id = wire.topic_id("t");
    if version < 8 {
        let topic = OffsetFetchRequestTopic {
            name: "t".to_owned(),
            partition_indexes: vec![0],
        };
        let topics = (!all).then(|| vec![topic]);
        let request = OffsetFetchRequest {
            group_id: "g".to_owned(),
            topics,
            ..Default::default()
        };
        let answer = wire.call(&request, version);
        assert_eq!(answer.error_code, 0);
        return answer
            .topics
            .iter()
            .flat_map(|topic| &topic.partitions)
            .map(|data| data.committed_offset)
            .collect();
    }
    let mut topic = OffsetFetchRequestTopics {
        name: "t".to_owned(),
        partition_indexes: vec![0],
        ..Default::default()
    };
    if version >= 10 {
        topic = OffsetFetchRequestTopics {
            name: String::new(),
            topic_id: id,
            ..topic
        };
    }
    let topics = (!all).then(|| vec![topic]);
    let group = OffsetFetchRequestGroup {
        group_id: "g".to_owned(),
        topics,
        member_epoch: -1,
        ..Default::default()
    };
    let request = OffsetFetchRequest {
        topics: Some(Vec::new()),
        groups: vec![group],
        ..Default::default()
    };
    let answer = wire.call(&request, version).groups.remove(0);
    assert_eq!(answer.error_code, 0);
    answer
        .topics
        .iter()
        .flat_map(|topic| &topic.partitions)
        .map(|data| data.committed_offset)
        .collect()
}

#[test]
fn offsets_are_committed_and_fetched_in_every_version() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let id = wire.topic_id("t");
    assert_eq!(committed(&mut wire, false, 1), [-1]);
    for version in 2..=10 {
        let mut request = commit(i64::from(version));
        if version >= 10 {
            request.topics[0].name.clear();
            request.topics[0].topic_id = id;
        }
        assert_eq!(commit_code(&mut wire, &request, version), 0);
        assert_eq!(committed(&mut wire, false, version), [i64::from(version)]);
        assert_eq!(committed(&mut wire, true, version), [i64::from(version)]);
    }
}

#[test]
fn what_is_committed_goes_with_its_topic() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    assert_eq!(commit_code(&mut wire, &commit(5), 8), 0);
    let request = DeleteTopicsRequest {
        topic_names: vec!["t".to_owned()],
        timeout_ms: 1000,
        ..Default::default()
    };
    wire.call(&request, 5);
    broker.create_topic(&NewTopic::new("t", 1)).unwrap();
    assert_eq!(committed(&mut wire, false, 8), [-1]);
}

#[test]
fn commits_that_cannot_be_kept_are_refused() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut code = |request| commit_code(&mut wire, &request, 8);
    let member = OffsetCommitRequest {
        member_id: "m".to_owned(),
        ..commit(1)
    };
    assert_eq!(
        code(member),
        0,
        "a generation below 0 is nobody's, and the group is empty"
    );
    let generation = OffsetCommitRequest {
        generation_id_or_member_epoch: 3,
        ..commit(1)
    };
    assert_eq!(code(generation), ErrorCode::UnknownMemberId.code());
    let nameless = OffsetCommitRequest {
        group_id: String::new(),
        ..commit(1)
    };
    assert_eq!(code(nameless), ErrorCode::InvalidGroupId.code());
    let mut unknown = commit(1);
    unknown.topics[0].partitions[0].partition_index = 9;
    assert_eq!(code(unknown), ErrorCode::UnknownTopicOrPartition.code());
    let mut wordy = commit(1);
    wordy.topics[0].partitions[0].committed_metadata = Some("m".repeat(5000));
    assert_eq!(code(wordy), ErrorCode::OffsetMetadataTooLarge.code());
}

/// The coordinator of a group as one version tells it.
fn coordinator(broker: &EmbeddedBroker, group: &str, version: i16) -> i32 {
    let mut request = FindCoordinatorRequest::default();
    if version >= 4 {
        request.coordinator_keys = vec![group.to_owned()];
    } else {
        request.key = group.to_owned();
    }
    let answer = Wire::to(broker).call(&request, version);
    assert_eq!(answer.error_code, 0);
    answer
        .coordinators
        .first()
        .map_or(answer.node_id, |coordinator| coordinator.node_id)
}

#[test]
fn every_group_has_one_coordinator() {
    let topics = vec![NewTopic::new("t", 1)];
    let broker = start(BrokerConfig {
        nodes: 3,
        topics,
        ..BrokerConfig::default()
    });
    let mut nodes: Vec<i32> = ["a", "b", "c"]
        .iter()
        .map(|group| coordinator(&broker, group, 0))
        .collect();
    nodes.sort_unstable();
    assert_eq!(nodes, [1, 2, 3]);
    let home = coordinator(&broker, "g", 3);
    for version in 0..=6 {
        assert_eq!(coordinator(&broker, "g", version), home);
    }
    for node in broker.nodes() {
        let expected = if node == home {
            0
        } else {
            ErrorCode::NotCoordinator.code()
        };
        assert_eq!(
            commit_code(&mut Wire::to_node(&broker, node), &commit(1), 8),
            expected
        );
    }
}
