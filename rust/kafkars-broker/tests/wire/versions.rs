use std::io::Write;

use kafkars_broker::{ApiLimit, BrokerConfig, FaultAction, Intercept};
use kafkars_protocol::messages::api_versions::{ApiVersionsRequest, ApiVersionsResponse};
use kafkars_protocol::messages::consumer_group_describe::ConsumerGroupDescribeRequest;
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;
use kafkars_protocol::messages::create_partitions::CreatePartitionsRequest;
use kafkars_protocol::messages::create_topics::CreateTopicsRequest;
use kafkars_protocol::messages::delete_groups::DeleteGroupsRequest;
use kafkars_protocol::messages::delete_records::DeleteRecordsRequest;
use kafkars_protocol::messages::delete_topics::DeleteTopicsRequest;
use kafkars_protocol::messages::describe_cluster::DescribeClusterRequest;
use kafkars_protocol::messages::describe_configs::DescribeConfigsRequest;
use kafkars_protocol::messages::describe_groups::DescribeGroupsRequest;
use kafkars_protocol::messages::fetch::FetchRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::init_producer_id::InitProducerIdRequest;
use kafkars_protocol::messages::join_group::JoinGroupRequest;
use kafkars_protocol::messages::leave_group::LeaveGroupRequest;
use kafkars_protocol::messages::list_groups::ListGroupsRequest;
use kafkars_protocol::messages::list_offsets::ListOffsetsRequest;
use kafkars_protocol::messages::metadata::MetadataRequest;
use kafkars_protocol::messages::offset_commit::OffsetCommitRequest;
use kafkars_protocol::messages::offset_delete::OffsetDeleteRequest;
use kafkars_protocol::messages::offset_for_leader_epoch::OffsetForLeaderEpochRequest;
use kafkars_protocol::messages::produce::ProduceRequest;
use kafkars_protocol::messages::sync_group::SyncGroupRequest;
use kafkars_protocol::{ApiKey, ErrorCode, Message, Reader, Request, VersionRange};

use crate::support::*;

fn request() -> ApiVersionsRequest {
    ApiVersionsRequest {
        client_software_name: "wire".to_owned(),
        client_software_version: "1.0".to_owned(),
    }
}

fn range(answer: &ApiVersionsResponse, api: ApiKey) -> Option<(i16, i16)> {
    let entry = answer
        .api_keys
        .iter()
        .find(|entry| entry.api_key == api.as_i16())?;
    Some((entry.min_version, entry.max_version))
}

#[test]
fn every_version_lists_what_is_served() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    for version in 0..=4 {
        let answer = wire.call(&request(), version);
        assert_eq!(answer.error_code, 0);
        assert_eq!(range(&answer, ApiKey::Fetch), Some((4, 18)));
        assert_eq!(range(&answer, ApiKey::PushTelemetry), None);
    }
}

#[test]
fn a_version_that_is_too_new_is_answered_in_version_0() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    // Key 18, version 99, correlation id 7, no client id, no tags, and a body nobody knows.
    let header = [0, 18, 0, 99, 0, 0, 0, 7, 0xff, 0xff, 0, 1, 2, 3];
    wire.stream
        .write_all(&[&[0, 0, 0, header.len() as u8][..], &header].concat())
        .unwrap();
    let mut reader = Reader::new(wire.receive_frame());
    assert_eq!(reader.i32("CorrelationId").unwrap(), 7);
    let answer = ApiVersionsResponse::decode(&mut reader, 0).unwrap();
    assert_eq!(answer.error_code, ErrorCode::UnsupportedVersion.code());
    assert_eq!(range(&answer, ApiKey::ApiVersions), Some((0, 4)));
    assert_eq!(answer.api_keys.len(), 1);
    assert_eq!(wire.call(&request(), 4).error_code, 0);
}

#[test]
fn software_names_are_checked() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    for name in ["", "-a", "a b", "ä"] {
        let answer = wire.call(
            &ApiVersionsRequest {
                client_software_name: name.to_owned(),
                ..request()
            },
            3,
        );
        assert_eq!(
            answer.error_code,
            ErrorCode::InvalidRequest.code(),
            "{name}"
        );
    }
}

#[test]
fn limits_narrow_what_is_offered_and_served() {
    let limit = |api, versions| ApiLimit { api, versions };
    let api_limits = vec![
        limit(ApiKey::Metadata, Some(VersionRange { min: 0, max: 5 })),
        limit(ApiKey::FindCoordinator, None),
        limit(ApiKey::Fetch, Some(VersionRange { min: 50, max: 60 })),
    ];
    let broker = start(BrokerConfig {
        api_limits,
        ..BrokerConfig::default()
    });
    let mut wire = Wire::to(&broker);
    let answer = wire.call(&request(), 4);
    assert_eq!(range(&answer, ApiKey::Metadata), Some((0, 5)));
    assert_eq!(range(&answer, ApiKey::FindCoordinator), None);
    assert_eq!(range(&answer, ApiKey::Fetch), None);
    wire.send(&FindCoordinatorRequest::default(), 3);
    wire.assert_closed();
}

#[test]
fn an_api_that_is_not_served_closes_the_connection() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    wire.send(
        &kafkars_protocol::messages::push_telemetry::PushTelemetryRequest::default(),
        0,
    );
    wire.assert_closed();
}

/// Sends a request in every version, handled and refused, and expects an answer each time.
pub(crate) fn answers_in_every_version<R: Request>(request: R) {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let code = ErrorCode::UnknownServerError;
    for version in R::VERSIONS.iter() {
        wire.call(&request, version);
        broker.intercept(Intercept::new(R::API_KEY, FaultAction::Error(code)).times(1));
        wire.call(&request, version);
    }
}

#[test]
fn every_api_is_answered_in_every_version() {
    answers_in_every_version(request());
    answers_in_every_version(MetadataRequest {
        allow_auto_topic_creation: true,
        ..Default::default()
    });
    answers_in_every_version(ListOffsetsRequest {
        topics: vec![Default::default()],
        ..Default::default()
    });
    answers_in_every_version(InitProducerIdRequest::default());
    answers_in_every_version(FindCoordinatorRequest::default());
    answers_in_every_version(OffsetCommitRequest {
        topics: vec![Default::default()],
        ..Default::default()
    });
    answers_in_every_version(ConsumerGroupHeartbeatRequest::default());
    answers_in_every_version(ConsumerGroupDescribeRequest {
        group_ids: vec!["g".to_owned()],
        ..Default::default()
    });
    answers_in_every_version(JoinGroupRequest::default());
    answers_in_every_version(SyncGroupRequest::default());
    answers_in_every_version(HeartbeatRequest::default());
    answers_in_every_version(LeaveGroupRequest::default());
    answers_in_every_version(DescribeGroupsRequest {
        groups: vec!["g".to_owned()],
        ..Default::default()
    });
    answers_in_every_version(ListGroupsRequest::default());
    answers_in_every_version(DeleteGroupsRequest {
        groups_names: vec!["g".to_owned()],
    });
    answers_in_every_version(OffsetDeleteRequest::default());
    answers_in_every_version(DeleteRecordsRequest::default());
    answers_in_every_version(OffsetForLeaderEpochRequest::default());
    answers_in_every_version(DescribeConfigsRequest::default());
    answers_in_every_version(CreatePartitionsRequest::default());
    answers_in_every_version(DescribeClusterRequest::default());
    answers_in_every_version(CreateTopicsRequest::default());
    answers_in_every_version(DeleteTopicsRequest::default());
}

#[test]
fn produce_and_fetch_work_in_every_version() {
    let broker = broker();
    let mut wire = Wire::to(&broker);
    let id = wire.topic_id("t");
    for version in ProduceRequest::VERSIONS.iter() {
        let mut request = produce_request("t", 0, batch(&["a"]));
        if version >= 13 {
            request.topic_data[0].name.clear();
            request.topic_data[0].topic_id = id;
        }
        let answer = wire.call(&request, version);
        assert_eq!(answer.responses[0].partition_responses[0].error_code, 0);
        broker.intercept(
            Intercept::new(
                ApiKey::Produce,
                FaultAction::Error(ErrorCode::KafkaStorageError),
            )
            .times(1),
        );
        let answer = wire.call(&request, version);
        assert_eq!(answer.responses[0].partition_responses[0].error_code, 56);
    }
    for version in FetchRequest::VERSIONS.iter() {
        let mut request = fetch_request("t", 0, 0);
        if version < 7 {
            request.session_epoch = FetchRequest::default().session_epoch;
        }
        if version >= 13 {
            request.topics[0].topic.clear();
            request.topics[0].topic_id = id;
        }
        assert_eq!(read(&only(&wire.call(&request, version)).records).len(), 11);
        broker.intercept(
            Intercept::new(
                ApiKey::Fetch,
                FaultAction::Error(ErrorCode::KafkaStorageError),
            )
            .times(1),
        );
        assert_eq!(only(&wire.call(&request, version)).error_code, 56);
    }
}
