//! Access control: each request is made by somebody who may, and by somebody who may not, with the error where Kafka
//! has it.

use kafkars_broker::{
    Acl, AclOperation, AclSettings, BrokerConfig, EmbeddedBroker, NewTopic, PatternType,
    Permission, ResourceType,
};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::create_acls::{AclCreation, CreateAclsRequest};
use kafkars_protocol::messages::create_topics::{CreatableTopic, CreateTopicsRequest};
use kafkars_protocol::messages::delete_acls::{DeleteAclsFilter, DeleteAclsRequest};
use kafkars_protocol::messages::delete_topics::DeleteTopicsRequest;
use kafkars_protocol::messages::describe_acls::DescribeAclsRequest;
use kafkars_protocol::messages::describe_user_scram_credentials::{
    DescribeUserScramCredentialsRequest, UserName,
};
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::join_group::JoinGroupRequest;
use kafkars_protocol::messages::list_groups::ListGroupsRequest;
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopics,
};
use kafkars_protocol::messages::produce::ProduceRequest;

use crate::support::{FETCH, PRODUCE, Wire, batch, fetch_request, produce_request, start};

const TOPIC: i16 = ErrorCode::TopicAuthorizationFailed.code();
const GROUP: i16 = ErrorCode::GroupAuthorizationFailed.code();
const CLUSTER: i16 = ErrorCode::ClusterAuthorizationFailed.code();
const TRANSACTION: i16 = ErrorCode::TransactionalIdAuthorizationFailed.code();

fn rule(kind: ResourceType, name: &str, operation: AclOperation) -> Acl {
    Acl {
        resource_type: kind,
        resource_name: name.to_owned(),
        pattern_type: PatternType::Literal,
        principal: "User:ANONYMOUS".to_owned(),
        host: "*".to_owned(),
        operation,
        permission: Permission::Allow,
    }
}

/// Topics `mine` and `theirs`; everybody may do what the rules say.
fn guarded(rules: Vec<Acl>) -> EmbeddedBroker {
    start(BrokerConfig {
        topics: vec![NewTopic::new("mine", 1), NewTopic::new("theirs", 1)],
        acls: Some(AclSettings {
            rules,
            ..AclSettings::default()
        }),
        ..BrokerConfig::default()
    })
}

fn both(mut request: ProduceRequest) -> ProduceRequest {
    let other = produce_request("theirs", 0, batch(&["b"]));
    request.topic_data.extend(other.topic_data);
    request
}

#[test]
fn records_are_written_where_that_is_allowed_and_nowhere_else() {
    let broker = guarded(vec![rule(ResourceType::Topic, "mine", AclOperation::Write)]);
    let mut wire = Wire::to(&broker);
    let request = both(produce_request("mine", 0, batch(&["a"])));
    let response = wire.call(&request, PRODUCE);
    let codes: Vec<(&str, i16)> = response
        .responses
        .iter()
        .map(|topic| (topic.name.as_str(), topic.partition_responses[0].error_code))
        .collect();
    assert_eq!(codes, [("mine", 0), ("theirs", TOPIC)]);
    assert_eq!(broker.offsets("mine", 0).unwrap(), (0, 1));
    assert_eq!(broker.offsets("theirs", 0).unwrap(), (0, 0));
    // With acks=0 there is no answer to tell it in.
    let silent = ProduceRequest { acks: 0, ..request };
    wire.send(&silent, PRODUCE);
    wire.assert_closed();
    assert_eq!(broker.offsets("mine", 0).unwrap(), (0, 2));
}

#[test]
fn records_are_read_where_that_is_allowed_and_in_sessions_as_long_as_it_is() {
    let read = rule(ResourceType::Topic, "mine", AclOperation::Read);
    let broker = guarded(vec![read.clone()]);
    let mut wire = Wire::to(&broker);
    let mut request = fetch_request("mine", 0, 0);
    request.topics.extend(fetch_request("theirs", 0, 0).topics);
    request.session_epoch = 0;
    let first = wire.call(&request, FETCH);
    let code = |name: &str| {
        let mut topics = first.responses.iter();
        topics.find(|topic| topic.topic == name).unwrap().partitions[0].error_code
    };
    assert_eq!((code("mine"), code("theirs")), (0, TOPIC));
    // Allowed now, without being asked for again.
    broker
        .add_acl(rule(ResourceType::Topic, "theirs", AclOperation::Read))
        .unwrap();
    broker.remove_acl(&read).unwrap();
    let next = FetchRequest {
        session_id: first.session_id,
        session_epoch: 1,
        topics: Vec::new(),
        ..request
    };
    let second = wire.call(&next, FETCH);
    let codes: Vec<(&str, i16)> = second
        .responses
        .iter()
        .map(|topic| (topic.topic.as_str(), topic.partitions[0].error_code))
        .collect();
    assert!(codes.contains(&("mine", TOPIC)), "{codes:?}");
    assert!(!codes.contains(&("theirs", TOPIC)), "{codes:?}");
}

#[test]
fn metadata_hides_what_may_not_be_described() {
    let broker = guarded(vec![rule(ResourceType::Topic, "mine", AclOperation::Read)]);
    let mut wire = Wire::to(&broker);
    let all = MetadataRequest {
        topics: None,
        include_topic_authorized_operations: true,
        ..MetadataRequest::default()
    };
    let response = wire.call(&all, 12);
    assert_eq!(response.topics.len(), 1);
    // Reading, and describing with it.
    assert_eq!(
        response.topics[0].topic_authorized_operations,
        1 << 3 | 1 << 8
    );
    let named = wire.metadata(&["mine", "theirs", "nowhere"]);
    let codes: Vec<i16> = named.topics.iter().map(|topic| topic.error_code).collect();
    assert_eq!(codes, [0, TOPIC, TOPIC]);
    assert_eq!(named.brokers.len(), 1);
    assert!(named.topics[1].topic_id.is_zero());
    // The oldest version takes no topics for all topics.
    let oldest = MetadataRequest {
        topics: Some(vec![MetadataRequestTopic {
            name: Some("nowhere".to_owned()),
            ..Default::default()
        }]),
        ..MetadataRequest::default()
    };
    let response = wire.call(&oldest, 0);
    assert_eq!(response.topics.len(), 1);
    assert_eq!(response.topics[0].error_code, TOPIC);
    assert_eq!(broker.topics(), ["mine", "theirs"]);
}

#[test]
fn topics_are_created_and_deleted_by_those_who_may() {
    let broker = guarded(vec![
        rule(ResourceType::Topic, "new", AclOperation::Create),
        rule(ResourceType::Topic, "mine", AclOperation::Delete),
    ]);
    let mut wire = Wire::to(&broker);
    let topic = |name: &str| CreatableTopic {
        name: name.to_owned(),
        num_partitions: 1,
        replication_factor: 1,
        ..CreatableTopic::default()
    };
    let create = CreateTopicsRequest {
        topics: vec![topic("new"), topic("other")],
        ..CreateTopicsRequest::default()
    };
    let created = wire.call(&create, 7).topics;
    assert_eq!((created[0].error_code, created[1].error_code), (0, TOPIC));
    assert_eq!(
        (created[0].topic_config_error_code, &created[0].configs),
        (TOPIC, &None)
    );
    let delete = DeleteTopicsRequest {
        topic_names: vec!["mine".to_owned(), "theirs".to_owned()],
        ..DeleteTopicsRequest::default()
    };
    let deleted = wire.call(&delete, 5).responses;
    assert_eq!((deleted[0].error_code, deleted[1].error_code), (0, TOPIC));
    assert_eq!(broker.topics(), ["new", "theirs"]);
}

#[test]
fn groups_are_for_those_who_may_read_with_them() {
    let broker = guarded(vec![
        rule(ResourceType::Group, "ours", AclOperation::Read),
        rule(ResourceType::Topic, "mine", AclOperation::Read),
    ]);
    let mut wire = Wire::to(&broker);
    let keys = FindCoordinatorRequest {
        coordinator_keys: vec!["ours".to_owned(), "others".to_owned()],
        ..FindCoordinatorRequest::default()
    };
    let found = wire.call(&keys, 4).coordinators;
    assert_eq!((found[0].error_code, found[1].error_code), (0, GROUP));
    let one = FindCoordinatorRequest {
        key: "others".to_owned(),
        ..FindCoordinatorRequest::default()
    };
    assert_eq!(wire.call(&one, 2).error_code, GROUP);
    let join = JoinGroupRequest {
        group_id: "others".to_owned(),
        session_timeout_ms: 10_000,
        ..JoinGroupRequest::default()
    };
    assert_eq!(wire.call(&join, 5).error_code, GROUP);
    let commit = |group: &str| OffsetCommitRequest {
        group_id: group.to_owned(),
        generation_id_or_member_epoch: -1,
        topics: ["mine", "theirs"]
            .map(|name| OffsetCommitRequestTopic {
                name: name.to_owned(),
                partitions: vec![OffsetCommitRequestPartition {
                    committed_offset: 7,
                    ..Default::default()
                }],
                ..Default::default()
            })
            .to_vec(),
        ..OffsetCommitRequest::default()
    };
    let codes =
        |topics: Vec<kafkars_protocol::messages::offset_commit::OffsetCommitResponseTopic>| {
            let topics = topics.iter();
            topics
                .map(|topic| topic.partitions[0].error_code)
                .collect::<Vec<i16>>()
        };
    assert_eq!(codes(wire.call(&commit("ours"), 8).topics), [0, TOPIC]);
    assert_eq!(
        codes(wire.call(&commit("others"), 8).topics),
        [GROUP, GROUP]
    );
    let wanted = ["mine", "theirs"].map(|name| OffsetFetchRequestTopics {
        name: name.to_owned(),
        partition_indexes: vec![0],
        ..Default::default()
    });
    let fetch = OffsetFetchRequest {
        groups: ["ours", "others"]
            .map(|group| OffsetFetchRequestGroup {
                group_id: group.to_owned(),
                topics: Some(wanted.to_vec()),
                ..Default::default()
            })
            .to_vec(),
        ..OffsetFetchRequest::default()
    };
    let groups = wire.call(&fetch, 8).groups;
    assert_eq!((groups[0].error_code, groups[1].error_code), (0, GROUP));
    let partition = |index: usize| &groups[0].topics[index].partitions[0];
    assert_eq!(
        (partition(0).committed_offset, partition(1).error_code),
        (7, TOPIC)
    );
    // Listed are the groups that may be described.
    assert_eq!(wire.call(&ListGroupsRequest::default(), 4).groups.len(), 1);
}

#[test]
fn producer_ids_are_for_those_who_may_write_anything() {
    let broker = guarded(vec![rule(
        ResourceType::TransactionalId,
        "ours",
        AclOperation::Write,
    )]);
    let mut wire = Wire::to(&broker);
    let init = |id: Option<&str>| InitProducerIdRequest {
        transactional_id: id.map(str::to_owned),
        transaction_timeout_ms: 1000,
        producer_id: -1,
        producer_epoch: -1,
    };
    assert_eq!(wire.call(&init(Some("ours")), 4).error_code, 0);
    assert_eq!(wire.call(&init(Some("others")), 4).error_code, TRANSACTION);
    assert_eq!(wire.call(&init(None), 4).error_code, CLUSTER);
    broker
        .add_acl(rule(ResourceType::Topic, "mine", AclOperation::Write))
        .unwrap();
    assert_eq!(wire.call(&init(None), 4).error_code, 0);
    let transactional = ProduceRequest {
        transactional_id: Some("others".to_owned()),
        ..produce_request("mine", 0, batch(&["a"]))
    };
    let response = wire.call(&transactional, PRODUCE);
    let code = response.responses[0].partition_responses[0].error_code;
    assert_eq!(code, TRANSACTION);
}

fn creation(name: &str) -> AclCreation {
    AclCreation {
        resource_type: ResourceType::Topic.code(),
        resource_name: name.to_owned(),
        resource_pattern_type: PatternType::Literal.code(),
        principal: "User:bob".to_owned(),
        host: "*".to_owned(),
        operation: AclOperation::Read.code(),
        permission_type: Permission::Allow.code(),
    }
}

fn credentials_of(user: &str) -> DescribeUserScramCredentialsRequest {
    DescribeUserScramCredentialsRequest {
        users: Some(vec![UserName {
            name: user.to_owned(),
        }]),
    }
}

fn everything() -> DescribeAclsRequest {
    DescribeAclsRequest {
        resource_type_filter: 1,
        resource_name_filter: None,
        pattern_type_filter: 1,
        principal_filter: None,
        host_filter: None,
        operation: 1,
        permission_type: 1,
    }
}

#[test]
fn rules_are_made_described_and_deleted_by_who_may_alter_the_cluster() {
    let alter = rule(ResourceType::Cluster, "kafka-cluster", AclOperation::Alter);
    let broker = guarded(vec![alter.clone()]);
    let mut wire = Wire::to(&broker);
    let wrong = AclCreation {
        operation: 1,
        ..creation("t")
    };
    let nameless = AclCreation {
        principal: "bob".to_owned(),
        ..creation("t")
    };
    let create = CreateAclsRequest {
        creations: vec![creation("t"), wrong, nameless],
    };
    let codes: Vec<i16> = wire
        .call(&create, 3)
        .results
        .iter()
        .map(|result| result.error_code)
        .collect();
    let invalid = ErrorCode::InvalidRequest.code();
    assert_eq!(codes, [0, invalid, invalid]);
    let described = wire.call(&everything(), 3);
    assert_eq!((described.error_code, described.resources.len()), (0, 2));
    let delete = DeleteAclsRequest {
        filters: vec![DeleteAclsFilter {
            resource_type_filter: ResourceType::Topic.code(),
            resource_name_filter: None,
            principal_filter: None,
            host_filter: None,
            pattern_type_filter: 1,
            operation: 1,
            permission_type: 1,
        }],
    };
    let deleted = wire.call(&delete, 3).filter_results;
    assert_eq!(deleted[0].matching_acls.len(), 1);
    assert_eq!(broker.acls().unwrap(), std::slice::from_ref(&alter));
    broker.remove_acl(&alter).unwrap();
    assert_eq!(wire.call(&everything(), 3).error_code, CLUSTER);
    let described = wire.call(&credentials_of("bob"), 0);
    assert_eq!(
        (described.error_code, described.results[0].error_code),
        (CLUSTER, CLUSTER)
    );
    assert_eq!(wire.call(&create, 3).results[0].error_code, CLUSTER);
}

#[test]
fn super_users_may_do_everything() {
    let broker = start(BrokerConfig {
        acls: Some(AclSettings {
            super_users: vec!["User:ANONYMOUS".to_owned()],
            ..AclSettings::default()
        }),
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    assert_eq!(wire.call(&everything(), 3).error_code, 0);
    wire.metadata(&["t"]);
    broker.create_topic(&NewTopic::new("t", 1)).unwrap();
    assert_eq!(wire.produce("t", 0, batch(&["a"])).error_code, 0);
}
