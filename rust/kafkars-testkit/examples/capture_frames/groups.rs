//! Consumer groups of the classic protocol and of KIP-848, and their committed offsets.

use bytes::Bytes;
use kafkars_protocol::messages::consumer_group_describe::ConsumerGroupDescribeRequest;
use kafkars_protocol::messages::consumer_group_heartbeat::ConsumerGroupHeartbeatRequest;
use kafkars_protocol::messages::consumer_protocol_assignment::{
    ConsumerProtocolAssignment, TopicPartition,
};
use kafkars_protocol::messages::consumer_protocol_subscription::ConsumerProtocolSubscription;
use kafkars_protocol::messages::delete_groups::DeleteGroupsRequest;
use kafkars_protocol::messages::describe_groups::DescribeGroupsRequest;
use kafkars_protocol::messages::find_coordinator::FindCoordinatorRequest;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse,
};
use kafkars_protocol::messages::leave_group::{LeaveGroupRequest, MemberIdentity};
use kafkars_protocol::messages::list_groups::ListGroupsRequest;
use kafkars_protocol::messages::offset_commit::{
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic,
};
use kafkars_protocol::messages::offset_delete::{
    OffsetDeleteRequest, OffsetDeleteRequestPartition, OffsetDeleteRequestTopic,
};
use kafkars_protocol::messages::offset_fetch::{
    OffsetFetchRequest, OffsetFetchRequestGroup, OffsetFetchRequestTopic, OffsetFetchRequestTopics,
};
use kafkars_protocol::messages::share_group_describe::ShareGroupDescribeRequest;
use kafkars_protocol::messages::share_group_heartbeat::ShareGroupHeartbeatRequest;
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupRequestAssignment};
use kafkars_protocol::{ApiKey, ErrorCode, Message, Uuid, Writer};

use crate::admin::Topic;
use crate::connection::{Connection, Outcome};

/// Commits without a group, and joins a group of one member in every version of JoinGroup.
pub(crate) fn classic(connection: &mut Connection, topic: &Topic) -> Outcome<()> {
    let by_hand = coordinator(0, "by-hand");
    connection.wait_for(&by_hand, |found| found.coordinators[0].error_code == 0)?;
    connection.ask(|version| FindCoordinatorRequest {
        key: if version < 4 {
            "by-hand".to_owned()
        } else {
            String::new()
        },
        coordinator_keys: if version < 4 {
            Vec::new()
        } else {
            vec!["by-hand".to_owned()]
        },
        key_type: 0,
    })?;
    let commit = |version: i16| OffsetCommitRequest {
        group_id: "by-hand".to_owned(),
        topics: vec![OffsetCommitRequestTopic {
            name: topic.name.clone(),
            topic_id: if version >= 10 { topic.id } else { Uuid::ZERO },
            partitions: vec![OffsetCommitRequestPartition {
                partition_index: 1,
                committed_offset: 42,
                committed_metadata: Some("note".to_owned()),
                ..Default::default()
            }],
        }],
        ..Default::default()
    };
    let newest = connection
        .versions(ApiKey::OffsetCommit)
        .ok_or("no OffsetCommit")?
        .max;
    connection.wait_for(&commit(newest), |done| {
        done.topics[0].partitions[0].error_code == 0
    })?;
    connection.ask(commit)?;
    connection.ask(|version| fetch_offsets(version, topic))?;
    for version in connection
        .versions(ApiKey::JoinGroup)
        .into_iter()
        .flat_map(|range| range.iter())
    {
        live_and_leave(connection, version, topic)?;
    }
    connection.ask(|_| OffsetDeleteRequest {
        group_id: "by-hand".to_owned(),
        topics: vec![OffsetDeleteRequestTopic {
            name: topic.name.clone(),
            partitions: vec![OffsetDeleteRequestPartition { partition_index: 1 }],
        }],
    })?;
    connection.ask(|_| DeleteGroupsRequest {
        groups_names: vec!["by-hand".to_owned()],
    })?;
    Ok(())
}

/// The request that makes the broker create the coordinator's internal topic.
pub(crate) fn coordinator(key_type: i8, key: &str) -> FindCoordinatorRequest {
    FindCoordinatorRequest {
        key_type,
        coordinator_keys: vec![key.to_owned()],
        ..Default::default()
    }
}

fn fetch_offsets(version: i16, topic: &Topic) -> OffsetFetchRequest {
    let partition_indexes = vec![0, 1];
    if version < 8 {
        let topics = vec![OffsetFetchRequestTopic {
            name: topic.name.clone(),
            partition_indexes,
        }];
        return OffsetFetchRequest {
            group_id: "by-hand".to_owned(),
            topics: Some(topics),
            ..Default::default()
        };
    }
    let topics = vec![OffsetFetchRequestTopics {
        name: topic.name.clone(),
        topic_id: if version >= 10 { topic.id } else { Uuid::ZERO },
        partition_indexes,
    }];
    let group = OffsetFetchRequestGroup {
        group_id: "by-hand".to_owned(),
        topics: Some(topics),
        ..Default::default()
    };
    OffsetFetchRequest {
        groups: vec![group],
        ..Default::default()
    }
}

/// Goes through the life of a member. Other APIs are sent in the same version as JoinGroup, or in their own newest.
fn live_and_leave(connection: &mut Connection, version: i16, topic: &Topic) -> Outcome<()> {
    let group = format!("group-{version}");
    let joined = join(connection, version, &group, topic)?;
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: vec![TopicPartition {
            topic: topic.name.clone(),
            partitions: vec![0, 1],
        }],
        user_data: None,
    };
    let at = |connection: &Connection, key: ApiKey| {
        connection
            .versions(key)
            .map_or(0, |range| version.clamp(range.min, range.max))
    };
    let sync = at(connection, ApiKey::SyncGroup);
    connection.ask_at(
        sync,
        &SyncGroupRequest {
            group_id: group.clone(),
            generation_id: joined.generation_id,
            member_id: joined.member_id.clone(),
            protocol_type: (sync >= 5).then(|| "consumer".to_owned()),
            protocol_name: (sync >= 5).then(|| "range".to_owned()),
            assignments: vec![SyncGroupRequestAssignment {
                member_id: joined.member_id.clone(),
                assignment: encoded(&assignment, 3)?,
            }],
            ..Default::default()
        },
    )?;
    connection.ask_at(
        at(connection, ApiKey::Heartbeat),
        &HeartbeatRequest {
            group_id: group.clone(),
            generation_id: joined.generation_id,
            member_id: joined.member_id.clone(),
            ..Default::default()
        },
    )?;
    let describe = DescribeGroupsRequest {
        groups: vec![group.clone(), "nobody".to_owned()],
        ..Default::default()
    };
    connection.ask_at(at(connection, ApiKey::DescribeGroups), &describe)?;
    connection.ask_at(
        at(connection, ApiKey::ListGroups),
        &ListGroupsRequest::default(),
    )?;
    let leave = at(connection, ApiKey::LeaveGroup);
    let member = MemberIdentity {
        member_id: joined.member_id.clone(),
        ..Default::default()
    };
    connection.ask_at(
        leave,
        &LeaveGroupRequest {
            group_id: group.clone(),
            member_id: if leave < 3 {
                joined.member_id
            } else {
                String::new()
            },
            members: if leave < 3 { Vec::new() } else { vec![member] },
        },
    )?;
    let delete = DeleteGroupsRequest {
        groups_names: vec![group],
    };
    connection.ask_at(at(connection, ApiKey::DeleteGroups), &delete)?;
    Ok(())
}

/// Joins a group. Since version 4 the first response only assigns a member id to join with.
fn join(
    connection: &mut Connection,
    version: i16,
    group: &str,
    topic: &Topic,
) -> Outcome<JoinGroupResponse> {
    let subscription = ConsumerProtocolSubscription {
        topics: vec![topic.name.clone()],
        ..Default::default()
    };
    let mut request = JoinGroupRequest {
        group_id: group.to_owned(),
        session_timeout_ms: 10_000,
        rebalance_timeout_ms: if version == 0 { -1 } else { 10_000 },
        protocol_type: "consumer".to_owned(),
        protocols: vec![JoinGroupRequestProtocol {
            name: "range".to_owned(),
            metadata: encoded(&subscription, 3)?,
        }],
        ..Default::default()
    };
    let mut joined = connection.ask_at(version, &request)?;
    if ErrorCode::from_i16(joined.error_code) == ErrorCode::MemberIdRequired {
        request.member_id = joined.member_id;
        joined = connection.ask_at(version, &request)?;
    }
    ErrorCode::check(joined.error_code)?;
    Ok(joined)
}

fn encoded<M: Message>(message: &M, version: i16) -> Outcome<Bytes> {
    let mut writer = Writer::new();
    writer.i16(version);
    message.encode(&mut writer, version)?;
    Ok(writer.finish().to_bytes())
}

/// Sends requests of KIP-848 and of share groups, if the broker has them.
pub(crate) fn next_generation(connection: &mut Connection, topic: &Topic) -> Outcome<()> {
    connection.ask(|version| ConsumerGroupHeartbeatRequest {
        group_id: "next".to_owned(),
        member_id: format!("00000000000000000000-{version}"),
        rebalance_timeout_ms: 10_000,
        subscribed_topic_names: Some(vec![topic.name.clone()]),
        topic_partitions: Some(Vec::new()),
        ..Default::default()
    })?;
    connection.ask(|_| ConsumerGroupDescribeRequest {
        group_ids: vec!["next".to_owned()],
        ..Default::default()
    })?;
    connection.ask(|_| ShareGroupHeartbeatRequest {
        group_id: "share".to_owned(),
        member_id: "AAAAAAAAAAAAAAAAAAAAAQ".to_owned(),
        subscribed_topic_names: Some(vec![topic.name.clone()]),
        ..Default::default()
    })?;
    connection.ask(|_| ShareGroupDescribeRequest {
        group_ids: vec!["share".to_owned()],
        ..Default::default()
    })?;
    Ok(())
}
