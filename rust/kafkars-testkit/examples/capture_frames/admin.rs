//! Requests about topics, configs, the cluster and its users.

use kafkars_protocol::messages::alter_client_quotas::{
    AlterClientQuotasRequest, EntityData, EntryData, OpData,
};
use kafkars_protocol::messages::create_partitions::{
    CreatePartitionsRequest, CreatePartitionsTopic,
};
use kafkars_protocol::messages::create_topics::{
    CreatableTopic, CreatableTopicConfig, CreateTopicsRequest,
};
use kafkars_protocol::messages::delete_records::{
    DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic,
};
use kafkars_protocol::messages::delete_topics::{DeleteTopicState, DeleteTopicsRequest};
use kafkars_protocol::messages::describe_acls::DescribeAclsRequest;
use kafkars_protocol::messages::describe_client_quotas::{
    ComponentData, DescribeClientQuotasRequest,
};
use kafkars_protocol::messages::describe_cluster::DescribeClusterRequest;
use kafkars_protocol::messages::describe_configs::{
    DescribeConfigsRequest, DescribeConfigsResource,
};
use kafkars_protocol::messages::describe_quorum::{
    DescribeQuorumRequest, PartitionData, TopicData,
};
use kafkars_protocol::messages::describe_topic_partitions::{
    DescribeTopicPartitionsRequest, TopicRequest,
};
use kafkars_protocol::messages::describe_user_scram_credentials::DescribeUserScramCredentialsRequest;
use kafkars_protocol::messages::elect_leaders::ElectLeadersRequest;
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use kafkars_protocol::messages::list_config_resources::ListConfigResourcesRequest;
use kafkars_protocol::messages::list_partition_reassignments::ListPartitionReassignmentsRequest;
use kafkars_protocol::messages::metadata::{MetadataRequest, MetadataRequestTopic};
use kafkars_protocol::{ApiKey, ErrorCode, Uuid};

use crate::connection::{Connection, Outcome};

const TOPIC_RESOURCE: i8 = 2;

/// A topic, which requests name by name, and in newer versions by id.
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) id: Uuid,
}

/// Creates one topic per version of CreateTopics, and describes them.
pub(crate) fn topics(connection: &mut Connection) -> Outcome<Topic> {
    connection.ask(|version| CreateTopicsRequest {
        topics: vec![
            CreatableTopic {
                name: format!("frames-{version}"),
                num_partitions: 2,
                replication_factor: 1,
                configs: vec![CreatableTopicConfig {
                    name: "retention.ms".to_owned(),
                    value: Some("-1".to_owned()),
                }],
                ..Default::default()
            },
            CreatableTopic {
                name: "not/valid".to_owned(),
                num_partitions: 1,
                replication_factor: 1,
                ..Default::default()
            },
        ],
        timeout_ms: 10_000,
        validate_only: false,
    })?;
    let name = format!("frames-{}", ApiKey::CreateTopics.versions().max);
    let wanted = named(&name);
    let ready = connection.wait_for(&wanted, |response| {
        response
            .topics
            .iter()
            .all(|topic| topic.error_code == 0 && topic.partitions.len() == 2)
    })?;
    connection.ask(|version| {
        let topics = if version == 0 { Some(Vec::new()) } else { None };
        MetadataRequest {
            topics,
            ..Default::default()
        }
    })?;
    connection.ask(|_| named("missing"))?;
    Ok(Topic {
        name,
        id: ready.topics[0].topic_id,
    })
}

fn named(name: &str) -> MetadataRequest {
    MetadataRequest {
        topics: Some(vec![MetadataRequestTopic {
            name: Some(name.to_owned()),
            ..Default::default()
        }]),
        allow_auto_topic_creation: true,
        ..Default::default()
    }
}

/// Describes the cluster, the configs of a topic, and users.
pub(crate) fn settings(connection: &mut Connection, topic: &Topic) -> Outcome<()> {
    connection.ask(|_| DescribeClusterRequest::default())?;
    connection.ask(|version| DescribeConfigsRequest {
        resources: vec![DescribeConfigsResource {
            resource_type: TOPIC_RESOURCE,
            resource_name: topic.name.clone(),
            configuration_keys: Some(vec!["retention.ms".to_owned(), "cleanup.policy".to_owned()]),
        }],
        include_synonyms: true,
        include_documentation: version >= 3,
    })?;
    connection.ask(|_| IncrementalAlterConfigsRequest {
        resources: vec![AlterConfigsResource {
            resource_type: TOPIC_RESOURCE,
            resource_name: topic.name.clone(),
            configs: vec![AlterableConfig {
                name: "retention.bytes".to_owned(),
                config_operation: 0,
                value: Some("x".to_owned()),
            }],
        }],
        validate_only: false,
    })?;
    connection.ask(|version| CreatePartitionsRequest {
        topics: vec![CreatePartitionsTopic {
            name: topic.name.clone(),
            count: 3 + i32::from(version),
            assignments: None,
        }],
        timeout_ms: 10_000,
        validate_only: false,
    })?;
    connection.ask(|_| DescribeTopicPartitionsRequest {
        topics: vec![TopicRequest {
            name: topic.name.clone(),
        }],
        response_partition_limit: 1,
        cursor: None,
    })?;
    connection.ask(|_| DescribeAclsRequest {
        resource_type_filter: 1,
        pattern_type_filter: 1,
        operation: 1,
        permission_type: 1,
        ..Default::default()
    })?;
    quotas(connection)?;
    connection.ask(|_| DescribeUserScramCredentialsRequest { users: None })?;
    connection.ask(|_| ListConfigResourcesRequest::default())?;
    connection.ask(|_| ListPartitionReassignmentsRequest {
        topics: None,
        ..Default::default()
    })?;
    connection.ask(|_| ElectLeadersRequest {
        topic_partitions: None,
        ..Default::default()
    })?;
    connection.ask(|_| DescribeQuorumRequest {
        topics: vec![TopicData {
            topic_name: "__cluster_metadata".to_owned(),
            partitions: vec![PartitionData { partition_index: 0 }],
        }],
    })?;
    Ok(())
}

fn quotas(connection: &mut Connection) -> Outcome<()> {
    connection.ask(|version| AlterClientQuotasRequest {
        entries: vec![EntryData {
            entity: vec![EntityData {
                entity_type: "client-id".to_owned(),
                entity_name: Some(format!("client-{version}")),
            }],
            ops: vec![OpData {
                key: "producer_byte_rate".to_owned(),
                value: 1e9,
                remove: false,
            }],
        }],
        validate_only: false,
    })?;
    let all = DescribeClientQuotasRequest {
        components: vec![ComponentData {
            entity_type: "client-id".to_owned(),
            match_type: 2,
            r#match: None,
        }],
        strict: false,
    };
    connection.wait_for(&all, |response| {
        response
            .entries
            .as_ref()
            .is_some_and(|entries| !entries.is_empty())
    })?;
    connection.ask(|_| all.clone())?;
    Ok(())
}

/// Deletes records, and the topics of [`topics`].
pub(crate) fn removal(connection: &mut Connection, topic: &Topic) -> Outcome<()> {
    connection.ask(|_| DeleteRecordsRequest {
        topics: vec![DeleteRecordsTopic {
            name: topic.name.clone(),
            partitions: vec![DeleteRecordsPartition {
                partition_index: 0,
                offset: 1,
            }],
        }],
        timeout_ms: 10_000,
    })?;
    let deleted = connection.ask(|version| {
        let name = format!("frames-{}", version + 1);
        let request = DeleteTopicsRequest {
            timeout_ms: 10_000,
            ..Default::default()
        };
        if version < 6 {
            return DeleteTopicsRequest {
                topic_names: vec![name],
                ..request
            };
        }
        let topics = vec![DeleteTopicState {
            name: Some(name),
            topic_id: Uuid::ZERO,
        }];
        DeleteTopicsRequest { topics, ..request }
    })?;
    let code = deleted.map_or(0, |deleted| deleted.responses[0].error_code);
    ErrorCode::check(code)?;
    Ok(())
}
