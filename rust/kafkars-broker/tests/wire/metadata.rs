use kafkars_broker::BrokerConfig;
use kafkars_protocol::messages::describe_cluster::DescribeClusterRequest;
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource,
};
use kafkars_protocol::messages::metadata::{
    MetadataRequest, MetadataRequestTopic, MetadataResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::support::*;

fn named(name: &str) -> MetadataRequest {
    let topic = MetadataRequestTopic {
        name: Some(name.to_owned()),
        ..Default::default()
    };
    MetadataRequest {
        topics: Some(vec![topic]),
        allow_auto_topic_creation: true,
        ..Default::default()
    }
}

fn names(answer: &MetadataResponse) -> Vec<&str> {
    answer
        .topics
        .iter()
        .filter_map(|topic| topic.name.as_deref())
        .collect()
}

#[test]
fn every_version_tells_brokers_and_topics() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    for version in 0..=13 {
        let answer = wire.call(&named("t"), version);
        assert_eq!(answer.brokers.len(), 1);
        assert_eq!(
            answer.brokers[0].port,
            i32::from(broker.address(1).unwrap().port())
        );
        assert_eq!(
            (names(&answer), answer.topics[0].partitions.len()),
            (vec!["t"], 1)
        );
        assert_eq!(answer.topics[0].partitions[0].leader_id, 1);
        assert_eq!(answer.cluster_id.is_some(), version >= 2);
    }
}

#[test]
fn all_topics_are_asked_for_with_null_and_before_version_1_with_none() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let all = MetadataRequest {
        topics: None,
        allow_auto_topic_creation: true,
        ..Default::default()
    };
    let none = MetadataRequest {
        topics: Some(Vec::new()),
        ..all.clone()
    };
    assert_eq!(names(&wire.call(&none, 0)), ["t"]);
    assert_eq!(names(&wire.call(&none, 1)), [""; 0]);
    assert_eq!(names(&wire.call(&all, 1)), ["t"]);
    assert_eq!(names(&wire.call(&all, 12)), ["t"]);
}

#[test]
fn an_unknown_topic_is_created_when_all_agree() {
    let broker = start(BrokerConfig {
        default_partitions: 3,
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    let refusing = MetadataRequest {
        allow_auto_topic_creation: false,
        ..named("new")
    };
    let unknown = ErrorCode::UnknownTopicOrPartition.code();
    assert_eq!(wire.call(&refusing, 12).topics[0].error_code, unknown);
    assert!(broker.topics().is_empty());
    let created = wire.call(&named("new"), 12);
    assert_eq!(
        (
            created.topics[0].error_code,
            created.topics[0].partitions.len()
        ),
        (0, 3)
    );
    assert!(!created.topics[0].topic_id.is_zero());
    assert_eq!(broker.topics(), ["new"]);

    let strict = start(BrokerConfig {
        auto_create_topics: false,
        ..BrokerConfig::default()
    });
    assert_eq!(
        Wire::to(&strict).call(&named("new"), 12).topics[0].error_code,
        unknown
    );
    assert!(strict.topics().is_empty());
}

#[test]
fn invalid_names_are_told() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    for name in ["", "..", "a b", "ä", &"x".repeat(250)] {
        let answer = wire.call(&named(name), 12);
        assert_eq!(
            answer.topics[0].error_code,
            ErrorCode::InvalidTopicException.code(),
            "{name}"
        );
    }
}

#[test]
fn topics_are_found_by_id() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let id = wire.topic_id("t");
    let by_id = |topic_id| {
        let topic = MetadataRequestTopic {
            topic_id,
            name: None,
        };
        MetadataRequest {
            topics: Some(vec![topic]),
            ..named("t")
        }
    };
    assert_eq!(names(&wire.call(&by_id(id), 12)), ["t"]);
    let unknown = wire.call(&by_id(Uuid([7; 16])), 12);
    assert_eq!(
        (unknown.topics[0].error_code, &unknown.topics[0].name),
        (ErrorCode::UnknownTopicId.code(), &None)
    );
}

#[test]
fn what_is_advertised_can_be_wrong_on_purpose() {
    let config = BrokerConfig {
        advertised_host: Some("broker.invalid".to_owned()),
        advertised_port: Some(1),
        ..BrokerConfig::default()
    };
    let broker = start(config);
    let answer = Wire::to(&broker).metadata(&[]);
    assert_eq!(
        (answer.brokers[0].host.as_str(), answer.brokers[0].port),
        ("broker.invalid", 1)
    );
    assert!(broker.bootstrap_servers().starts_with("127.0.0.1:"));
}

#[test]
fn the_cluster_is_described() {
    let broker = start(BrokerConfig {
        nodes: 2,
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    for version in 0..=2 {
        let request = DescribeClusterRequest {
            endpoint_type: 1,
            ..Default::default()
        };
        let answer = wire.call(&request, version);
        assert_eq!((answer.error_code, answer.brokers.len()), (0, 2));
        assert_eq!(answer.cluster_id, broker.cluster_id());
    }
}

#[test]
fn settings_of_topics_and_brokers_are_described() {
    let broker = broker_with("max.message.bytes", "12345");
    let mut wire = Wire::to(&broker);
    let resource = |resource_type, name: &str| DescribeConfigsResource {
        resource_type,
        resource_name: name.to_owned(),
        configuration_keys: Some(vec!["max.message.bytes".to_owned(), "node.id".to_owned()]),
    };
    let resources = vec![
        resource(2, "t"),
        resource(4, "1"),
        resource(2, "nowhere"),
        resource(4, "9"),
    ];
    for version in 1..=4 {
        let answer = wire.call(
            &DescribeConfigsRequest {
                resources: resources.clone(),
                ..Default::default()
            },
            version,
        );
        let values: Vec<_> = answer
            .results
            .iter()
            .map(|result| {
                result
                    .configs
                    .first()
                    .and_then(|config| config.value.as_deref())
            })
            .collect();
        assert_eq!(values, [Some("12345"), Some("1"), None, None]);
        let codes: Vec<i16> = answer
            .results
            .iter()
            .map(|result| result.error_code)
            .collect();
        assert_eq!(
            codes,
            [
                0,
                0,
                ErrorCode::UnknownTopicOrPartition.code(),
                ErrorCode::InvalidRequest.code()
            ]
        );
    }
}
