use kafkars_broker::{BrokerConfig, EmbeddedBrokerError, NewTopic};
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsTopic,
};
use kafkars_protocol::messages::create_topics::{
    CreatableReplicaAssignment, CreatableTopic, CreatableTopicConfig, CreatableTopicResult,
    CreateTopicsRequest,
};
use kafkars_protocol::messages::delete_topics::{DeleteTopicState, DeleteTopicsRequest};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::support::*;

fn topic(name: &str, num_partitions: i32, replication_factor: i16) -> CreatableTopic {
    CreatableTopic {
        name: name.to_owned(),
        num_partitions,
        replication_factor,
        ..Default::default()
    }
}

fn create(wire: &mut Wire, topics: &[CreatableTopic]) -> Vec<CreatableTopicResult> {
    let request = CreateTopicsRequest {
        topics: topics.to_vec(),
        timeout_ms: 1000,
        validate_only: false,
    };
    wire.call(&request, 7).topics
}

fn code(wire: &mut Wire, wanted: CreatableTopic) -> i16 {
    create(wire, &[wanted])[0].error_code
}

#[test]
fn topics_are_created_in_every_version() {
    let broker = start(BrokerConfig {
        nodes: 2,
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    for version in 2..=7 {
        let name = format!("v{version}");
        let request = CreateTopicsRequest {
            topics: vec![topic(&name, 3, 2)],
            timeout_ms: 1000,
            validate_only: false,
        };
        let created = &wire.call(&request, version).topics[0];
        assert_eq!(
            (created.error_code, created.name.as_str()),
            (0, name.as_str())
        );
        let described = &wire.metadata(&[&name]).topics[0];
        assert_eq!(described.partitions.len(), 3);
        assert_eq!(described.partitions[0].replica_nodes.len(), 2);
    }
}

#[test]
fn defaults_fill_in_what_is_not_said() {
    let broker = start(BrokerConfig {
        default_partitions: 4,
        ..BrokerConfig::default()
    });
    let created = create(&mut Wire::to(&broker), &[topic("d", -1, -1)]).remove(0);
    assert_eq!(
        (
            created.error_code,
            created.num_partitions,
            created.replication_factor
        ),
        (0, 4, 1)
    );
    let configs = created.configs.unwrap();
    assert!(configs.iter().any(|config| config.name == "retention.ms"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    assert_eq!(
        code(&mut wire, topic("t", 1, 1)),
        ErrorCode::TopicAlreadyExists.code()
    );
    assert_eq!(
        code(&mut wire, topic("a b", 1, 1)),
        ErrorCode::InvalidTopicException.code()
    );
    assert_eq!(
        code(&mut wire, topic("x", 0, 1)),
        ErrorCode::InvalidPartitions.code()
    );
    assert_eq!(
        code(&mut wire, topic("x", -2, 1)),
        ErrorCode::InvalidPartitions.code()
    );
    assert_eq!(
        code(&mut wire, topic("x", 1, 2)),
        ErrorCode::InvalidReplicationFactor.code()
    );
    assert_eq!(
        code(&mut wire, topic("x", i32::MAX, 1)),
        ErrorCode::PolicyViolation.code()
    );
    let config = CreatableTopicConfig {
        name: "no.such".to_owned(),
        value: Some("1".to_owned()),
    };
    let wanted = CreatableTopic {
        configs: vec![config],
        ..topic("x", 1, 1)
    };
    assert_eq!(code(&mut wire, wanted), ErrorCode::InvalidConfig.code());
    assert_eq!(broker.topics(), ["t"]);
}

#[test]
fn names_that_differ_in_dots_and_underscores_collide() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    assert_eq!(code(&mut wire, topic("a.b", 1, 1)), 0);
    assert_eq!(
        code(&mut wire, topic("a_b", 1, 1)),
        ErrorCode::InvalidTopicException.code()
    );
}

#[test]
fn a_topic_named_twice_in_one_request_is_refused() {
    let broker = broker();
    let created = create(
        &mut Wire::to(&broker),
        &[topic("x", 1, 1), topic("y", 1, 1), topic("x", 1, 1)],
    );
    let told: Vec<_> = created
        .iter()
        .map(|result| (result.name.as_str(), result.error_code))
        .collect();
    // Kafka answers once for each name.
    assert_eq!(told, [("x", ErrorCode::InvalidRequest.code()), ("y", 0)]);
    assert_eq!(broker.topics(), ["t", "y"]);
}

#[test]
fn a_dry_run_creates_nothing() {
    let broker = broker();
    let request = CreateTopicsRequest {
        topics: vec![topic("x", 2, 1)],
        timeout_ms: 1000,
        validate_only: true,
    };
    let answer = Wire::to(&broker).call(&request, 7);
    assert_eq!(
        (answer.topics[0].error_code, answer.topics[0].num_partitions),
        (0, 2)
    );
    assert_eq!(broker.topics(), ["t"]);
}

#[test]
fn replicas_are_assigned_by_hand() {
    let broker = start(BrokerConfig {
        nodes: 3,
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    let assign = |assignments: &[(i32, &[i32])]| {
        let each = |(partition_index, nodes): &(i32, &[i32])| CreatableReplicaAssignment {
            partition_index: *partition_index,
            broker_ids: nodes.to_vec(),
        };
        CreatableTopic {
            assignments: assignments.iter().map(each).collect(),
            ..topic("x", -1, -1)
        }
    };
    let invalid = ErrorCode::InvalidReplicaAssignment.code();
    assert_eq!(code(&mut wire, assign(&[(0, &[9])])), invalid);
    assert_eq!(code(&mut wire, assign(&[(1, &[1])])), invalid);
    assert_eq!(code(&mut wire, assign(&[(0, &[1, 1])])), invalid);
    assert_eq!(code(&mut wire, assign(&[(0, &[1]), (1, &[1, 2])])), invalid);
    assert_eq!(code(&mut wire, assign(&[(1, &[2, 1]), (0, &[3, 2])])), 0);
    assert_eq!(
        (
            broker.leader("x", 0).unwrap(),
            broker.leader("x", 1).unwrap()
        ),
        (3, 2)
    );
}

#[test]
fn topics_are_deleted_by_name_and_by_id() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let by_name = DeleteTopicsRequest {
        topic_names: vec!["t".to_owned(), "u".to_owned()],
        timeout_ms: 1000,
        ..Default::default()
    };
    let codes: Vec<i16> = wire
        .call(&by_name, 5)
        .responses
        .iter()
        .map(|result| result.error_code)
        .collect();
    assert_eq!(codes, [0, ErrorCode::UnknownTopicOrPartition.code()]);

    broker.create_topic(&NewTopic::new("t", 1)).unwrap();
    let state = DeleteTopicState {
        name: None,
        topic_id: wire.topic_id("t"),
    };
    let by_id = DeleteTopicsRequest {
        topics: vec![state],
        timeout_ms: 1000,
        ..Default::default()
    };
    let deleted = wire.call(&by_id, 6).responses.remove(0);
    assert_eq!(
        (deleted.error_code, deleted.name.as_deref()),
        (0, Some("t"))
    );
    assert_eq!(
        wire.call(&by_id, 6).responses[0].error_code,
        ErrorCode::UnknownTopicId.code()
    );
    assert!(broker.topics().is_empty());
}

#[test]
fn a_topic_made_again_has_another_id_and_no_records() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let before = wire.topic_id("t");
    wire.produce("t", 0, batch(&["a"]));
    let request = DeleteTopicsRequest {
        topic_names: vec!["t".to_owned()],
        timeout_ms: 1000,
        ..Default::default()
    };
    wire.call(&request, 1);
    assert_eq!(code(&mut wire, topic("t", 1, 1)), 0);
    assert_ne!(wire.topic_id("t"), before);
    assert_eq!(broker.offsets("t", 0).unwrap(), (0, 0));
}

#[test]
fn partitions_are_added_but_never_taken_away() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let mut grow = |name: &str, count| {
        let topic = CreatePartitionsTopic {
            name: name.to_owned(),
            count,
            assignments: None,
        };
        let request = CreatePartitionsRequest {
            topics: vec![topic],
            timeout_ms: 1000,
            validate_only: false,
        };
        wire.call(&request, 3).results[0].error_code
    };
    assert_eq!(grow("t", 3), 0);
    assert_eq!(grow("t", 3), ErrorCode::InvalidPartitions.code());
    assert_eq!(grow("t", 2), ErrorCode::InvalidPartitions.code());
    assert_eq!(grow("t", i32::MAX), ErrorCode::PolicyViolation.code());
    assert_eq!(grow("u", 2), ErrorCode::UnknownTopicOrPartition.code());
    assert_eq!(wire.produce("t", 2, batch(&["a"])).error_code, 0);
}

#[test]
fn a_topic_named_twice_in_one_request_does_not_grow() {
    let broker = broker();
    let topic = |count| CreatePartitionsTopic {
        name: "t".to_owned(),
        count,
        assignments: None,
    };
    let request = CreatePartitionsRequest {
        topics: vec![topic(3), topic(4)],
        timeout_ms: 1000,
        validate_only: false,
    };
    let mut wire = Wire::to(&broker);
    let results = wire.call(&request, 3).results;
    let codes: Vec<_> = results.iter().map(|result| result.error_code).collect();
    assert_eq!(codes, [ErrorCode::InvalidRequest.code()]);
    assert!(broker.offsets("t", 2).is_err());
}

#[test]
fn the_handle_creates_topics_under_the_same_rules() {
    let broker = broker();
    broker.create_topic(&NewTopic::new("u", 2)).unwrap();
    let again = broker.create_topic(&NewTopic::new("u", 2));
    assert!(matches!(
        again,
        Err(EmbeddedBrokerError::Topic {
            code: ErrorCode::TopicAlreadyExists,
            ..
        })
    ));
    assert!(matches!(
        broker.offsets("u", 2),
        Err(EmbeddedBrokerError::UnknownPartition { .. })
    ));
}

#[test]
fn topics_that_are_named_twice_or_not_at_all_are_not_deleted() {
    let broker = broker();
    let delete = |topics: &[(Option<&str>, Uuid)]| {
        let topic = |(name, topic_id): &(Option<&str>, Uuid)| DeleteTopicState {
            name: name.map(str::to_owned),
            topic_id: *topic_id,
        };
        let request = DeleteTopicsRequest {
            topics: topics.iter().map(topic).collect(),
            ..DeleteTopicsRequest::default()
        };
        let answer = Wire::to(&broker).call(&request, 6);
        let codes = answer.responses.iter().map(|topic| topic.error_code);
        codes.collect::<Vec<_>>()
    };
    let (named, invalid) = (Some("t"), ErrorCode::InvalidRequest.code());
    assert_eq!(
        delete(&[(named, Uuid::ZERO), (named, Uuid::ZERO)]),
        [invalid]
    );
    assert_eq!(delete(&[(named, Uuid([1; 16]))]), [invalid]);
    assert_eq!(delete(&[(None, Uuid::ZERO)]), [invalid]);
    assert_eq!(delete(&[(named, Uuid::ZERO)]), [0]);
}
