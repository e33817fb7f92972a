//! Share groups (KIP-932): members join, get records and acknowledge them.

use std::time::Duration;

use kafkars_broker::{BrokerConfig, ClockMode, EmbeddedBroker, NewTopic};
use kafkars_protocol::messages::alter_share_group_offsets::{
    AlterShareGroupOffsetsRequest, AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
};
use kafkars_protocol::messages::delete_share_group_offsets::{
    DeleteShareGroupOffsetsRequest, DeleteShareGroupOffsetsRequestTopic,
};
use kafkars_protocol::messages::describe_share_group_offsets::{
    DescribeShareGroupOffsetsRequest, DescribeShareGroupOffsetsRequestGroup,
};
use kafkars_protocol::messages::incremental_alter_configs::{
    AlterConfigsResource, AlterableConfig, IncrementalAlterConfigsRequest,
};
use kafkars_protocol::messages::share_acknowledge::{
    AcknowledgePartition, AcknowledgeTopic, AcknowledgementBatch as Said, ShareAcknowledgeRequest,
};
use kafkars_protocol::messages::share_fetch::{
    AcknowledgementBatch, FetchPartition, FetchTopic, PartitionData, ShareFetchRequest,
    ShareFetchResponse,
};
use kafkars_protocol::messages::share_group_describe::ShareGroupDescribeRequest;
use kafkars_protocol::messages::share_group_heartbeat::{
    ShareGroupHeartbeatRequest, ShareGroupHeartbeatResponse,
};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::support::{Wire, batch, start};

const ACCEPT: i8 = 1;
const RELEASE: i8 = 2;
const REJECT: i8 = 3;
/// Resource type of `IncrementalAlterConfigs`.
const GROUP: i8 = 32;

/// A broker whose group `g` reads topic `t` of two partitions from the beginning.
struct Scene {
    broker: EmbeddedBroker,
    topic: Uuid,
}

impl Scene {
    fn new() -> Self {
        let broker = start(BrokerConfig {
            topics: vec![NewTopic::new("t", 2)],
            clock: ClockMode::Manual,
            ..BrokerConfig::default()
        });
        let scene = Self {
            topic: Wire::to(&broker).topic_id("t"),
            broker,
        };
        scene.set("share.auto.offset.reset", "earliest");
        scene
    }

    fn set(&self, name: &str, value: &str) {
        let request = IncrementalAlterConfigsRequest {
            resources: vec![AlterConfigsResource {
                resource_type: GROUP,
                resource_name: "g".to_owned(),
                configs: vec![AlterableConfig {
                    name: name.to_owned(),
                    value: Some(value.to_owned()),
                    ..AlterableConfig::default()
                }],
            }],
            ..IncrementalAlterConfigsRequest::default()
        };
        let answer = Wire::to(&self.broker).call(&request, 1);
        assert_eq!(answer.responses[0].error_code, 0, "{answer:?}");
    }

    fn produce(&self, values: &[&str]) {
        let mut wire = Wire::to(&self.broker);
        for value in values {
            wire.produce("t", 0, batch(&[*value]));
        }
    }

    fn member(&self, id: &'static str) -> Member {
        Member {
            wire: Wire::to(&self.broker),
            topic: self.topic,
            id,
            epoch: 0,
        }
    }
}

/// A member that fetches partition 0.
struct Member {
    wire: Wire,
    topic: Uuid,
    id: &'static str,
    epoch: i32,
}

/// First and last offset of stretches, and how often each was delivered.
type Acquired = Vec<(i64, i64, i16)>;

impl Member {
    fn heartbeat(&mut self, epoch: i32, names: Option<&[&str]>) -> ShareGroupHeartbeatResponse {
        let names = names.map(|names| names.iter().map(|name| (*name).to_owned()).collect());
        let request = ShareGroupHeartbeatRequest {
            group_id: "g".to_owned(),
            member_id: self.id.to_owned(),
            member_epoch: epoch,
            subscribed_topic_names: names,
            ..ShareGroupHeartbeatRequest::default()
        };
        self.wire.call(&request, 1)
    }

    fn request(&mut self, said: &[(i64, i64, i8)]) -> ShareFetchRequest {
        let batches = said.iter().map(|(first, last, kind)| AcknowledgementBatch {
            first_offset: *first,
            last_offset: *last,
            acknowledge_types: vec![*kind],
        });
        let partition = FetchPartition {
            partition_index: 0,
            acknowledgement_batches: batches.collect(),
        };
        let epoch = self.epoch;
        self.epoch += 1;
        ShareFetchRequest {
            group_id: Some("g".to_owned()),
            member_id: Some(self.id.to_owned()),
            share_session_epoch: epoch,
            max_bytes: 1 << 20,
            max_records: 500,
            batch_size: 500,
            topics: vec![FetchTopic {
                topic_id: self.topic,
                partitions: vec![partition],
            }],
            ..ShareFetchRequest::default()
        }
    }

    fn fetch(&mut self, said: &[(i64, i64, i8)]) -> Acquired {
        let request = self.request(said);
        acquired(&self.wire.call(&request, 2))
    }

    fn acknowledge(&mut self, said: &[(i64, i64, i8)]) -> (i16, i16) {
        let batches = said.iter().map(|(first, last, kind)| Said {
            first_offset: *first,
            last_offset: *last,
            acknowledge_types: vec![*kind],
        });
        let request = ShareAcknowledgeRequest {
            group_id: Some("g".to_owned()),
            member_id: Some(self.id.to_owned()),
            share_session_epoch: self.epoch,
            topics: vec![AcknowledgeTopic {
                topic_id: self.topic,
                partitions: vec![AcknowledgePartition {
                    partition_index: 0,
                    acknowledgement_batches: batches.collect(),
                }],
            }],
            ..ShareAcknowledgeRequest::default()
        };
        let answer = self.wire.call(&request, 2);
        if answer.error_code == 0 {
            self.epoch += 1;
        }
        let one = answer
            .responses
            .first()
            .map(|topic| topic.partitions[0].error_code);
        (answer.error_code, one.unwrap_or(0))
    }

    fn leave_session(&mut self) {
        self.epoch = -1;
        assert_eq!(self.acknowledge(&[]).0, 0);
        self.epoch = 0;
    }
}

fn only(answer: &ShareFetchResponse) -> Option<&PartitionData> {
    assert_eq!(answer.error_code, 0, "{answer:?}");
    let data = answer.responses.first()?.partitions.first()?;
    assert_eq!(
        (data.error_code, data.acknowledge_error_code),
        (0, 0),
        "{data:?}"
    );
    Some(data)
}

fn acquired(answer: &ShareFetchResponse) -> Acquired {
    let data = only(answer).into_iter();
    data.flat_map(|data| &data.acquired_records)
        .map(|it| (it.first_offset, it.last_offset, it.delivery_count))
        .collect()
}

fn code(code: ErrorCode) -> i16 {
    code.code()
}

#[test]
fn members_join_share_the_partitions_and_leave() {
    let scene = Scene::new();
    let (mut one, mut two) = (scene.member("one"), scene.member("two"));
    let joined = one.heartbeat(0, Some(&["t"]));
    assert_eq!((joined.error_code, joined.member_epoch), (0, 1));
    let has = |answer: &ShareGroupHeartbeatResponse| {
        let topics = answer.assignment.iter().flat_map(|it| &it.topic_partitions);
        topics.map(|topic| topic.partitions.len()).sum::<usize>()
    };
    assert_eq!(has(&joined), 2);
    assert_eq!(has(&two.heartbeat(0, Some(&["t"]))), 1);
    let told = one.heartbeat(1, None);
    assert_eq!((told.member_epoch, has(&told)), (2, 1));
    assert!(one.heartbeat(2, None).assignment.is_none(), "no news");
    let ahead = one.heartbeat(7, None);
    assert_eq!(ahead.error_code, code(ErrorCode::FencedMemberEpoch));
    let described = one.wire.call(
        &ShareGroupDescribeRequest {
            group_ids: vec!["g".to_owned(), "none".to_owned()],
            ..ShareGroupDescribeRequest::default()
        },
        1,
    );
    let group = &described.groups[0];
    let state = (group.group_state.as_str(), group.members.len());
    assert_eq!(state, ("Stable", 2));
    let absent = described.groups[1].error_code;
    assert_eq!(absent, code(ErrorCode::GroupIdNotFound));
    assert_eq!(two.heartbeat(-1, None).member_epoch, -1);
    assert_eq!(has(&one.heartbeat(2, None)), 2);
    scene.broker.clock().advance(Duration::from_secs(46));
    let late = one.heartbeat(3, None);
    assert_eq!(late.error_code, code(ErrorCode::UnknownMemberId));
}

#[test]
fn what_is_not_said_properly_is_refused() {
    let scene = Scene::new();
    let mut member = scene.member("m");
    let invalid = code(ErrorCode::InvalidRequest);
    assert_eq!(member.heartbeat(0, None).error_code, invalid);
    assert_eq!(member.heartbeat(-2, None).error_code, invalid);
    let absent = member.heartbeat(3, None).error_code;
    assert_eq!(absent, code(ErrorCode::GroupIdNotFound));
    let without = member.acknowledge(&[]).0;
    assert_eq!(without, code(ErrorCode::InvalidShareSessionEpoch));
    member.epoch = 4;
    let unknown = member.acknowledge(&[]).0;
    assert_eq!(unknown, code(ErrorCode::ShareSessionNotFound));
    member.epoch = 0;
    let early = member.request(&[(0, 0, ACCEPT)]);
    assert_eq!(member.wire.call(&early, 2).error_code, invalid);
}

#[test]
fn records_are_given_out_once_until_they_are_released() {
    let scene = Scene::new();
    scene.produce(&["a", "b", "c"]);
    let (mut one, mut two) = (scene.member("one"), scene.member("two"));
    assert_eq!(one.fetch(&[]), [(0, 2, 1)]);
    assert_eq!(two.fetch(&[]), []);
    assert_eq!(one.acknowledge(&[(0, 0, ACCEPT), (1, 1, RELEASE)]), (0, 0));
    assert_eq!(two.fetch(&[]), [(1, 1, 2)]);
    let stolen = one.acknowledge(&[(1, 1, ACCEPT)]);
    assert_eq!(stolen, (0, code(ErrorCode::InvalidRecordState)));
    assert_eq!(two.acknowledge(&[(1, 1, REJECT)]), (0, 0));
    one.leave_session();
    assert_eq!(two.fetch(&[]), [(2, 2, 2)], "of the member that left");
    assert_eq!(two.fetch(&[(2, 2, ACCEPT)]), []);
}

#[test]
fn records_come_back_when_nothing_is_heard_of_their_member() {
    let scene = Scene::new();
    scene.set("share.record.lock.duration.ms", "15000");
    scene.set("share.delivery.count.limit", "2");
    scene.produce(&["a"]);
    let (mut one, mut two) = (scene.member("one"), scene.member("two"));
    assert_eq!(one.fetch(&[]), [(0, 0, 1)]);
    let mut waiting = two.request(&[]);
    waiting.max_wait_ms = 60_000;
    let sent = two.wire.send(&waiting, 2);
    scene.broker.clock().advance(Duration::from_secs(15));
    let (answered, answer) = two.wire.receive::<ShareFetchRequest>(2);
    assert_eq!((answered, acquired(&answer)), (sent, vec![(0, 0, 2)]));
    assert_eq!(answer.acquisition_lock_timeout_ms, 15_000);
    // Its connection is closed: nobody has it, and it has been given out often enough.
    drop(two);
    scene.broker.clock().advance(Duration::from_secs(15));
    assert_eq!(one.fetch(&[]), []);
}

#[test]
fn a_fetch_waits_for_records() {
    let scene = Scene::new();
    let mut member = scene.member("m");
    assert_eq!(member.fetch(&[]), []);
    let mut waiting = member.request(&[]);
    waiting.max_wait_ms = 60_000;
    member.wire.send(&waiting, 2);
    scene.produce(&["a"]);
    let (_, answer) = member.wire.receive::<ShareFetchRequest>(2);
    assert_eq!(acquired(&answer), [(0, 0, 1)]);
    let records = only(&answer).unwrap().records.clone();
    assert!(!records.is_empty());
}

#[test]
fn a_member_may_say_how_many_records_it_wants() {
    let scene = Scene::new();
    Wire::to(&scene.broker).produce("t", 0, batch(&["a", "b", "c"]));
    scene.produce(&["d"]);
    let mut member = scene.member("m");
    let mut wish = member.request(&[]);
    wish.max_records = 2;
    assert_eq!(
        acquired(&member.wire.call(&wish, 2)),
        [(0, 2, 1)],
        "whole batches"
    );
    let mut limit = member.request(&[(0, 2, RELEASE)]);
    limit.max_records = 2;
    limit.share_acquire_mode = 1;
    assert_eq!(acquired(&member.wire.call(&limit, 2)), [(0, 1, 2)]);
}

#[test]
fn a_group_begins_at_the_end_unless_it_is_told_otherwise() {
    let scene = Scene::new();
    scene.set("share.auto.offset.reset", "latest");
    scene.produce(&["a"]);
    let mut member = scene.member("m");
    assert_eq!(member.fetch(&[]), []);
    scene.produce(&["b"]);
    assert_eq!(member.fetch(&[]), [(1, 1, 1)]);
}

#[test]
fn administrators_move_and_forget_where_a_group_is() {
    let scene = Scene::new();
    scene.produce(&["a", "b", "c"]);
    let mut member = scene.member("m");
    let joined = member.heartbeat(0, Some(&["t"]));
    assert_eq!(joined.error_code, 0);
    member.fetch(&[]);
    assert_eq!(
        member.acknowledge(&[(0, 0, ACCEPT), (2, 2, ACCEPT)]),
        (0, 0)
    );
    let mut wire = Wire::to(&scene.broker);
    let mut describe = || {
        let request = DescribeShareGroupOffsetsRequest {
            groups: vec![DescribeShareGroupOffsetsRequestGroup {
                group_id: "g".to_owned(),
                topics: None,
            }],
        };
        let answer = wire.call(&request, 1);
        assert_eq!(answer.groups[0].error_code, 0, "{answer:?}");
        let topics = answer.groups[0].topics.iter();
        let partitions = topics.flat_map(|topic| topic.partitions.iter());
        partitions
            .map(|it| (it.partition_index, it.start_offset, it.lag))
            .collect::<Vec<_>>()
    };
    assert_eq!(describe(), [(0, 1, 1)]);
    let alter = AlterShareGroupOffsetsRequest {
        group_id: "g".to_owned(),
        topics: vec![AlterShareGroupOffsetsRequestTopic {
            topic_name: "t".to_owned(),
            partitions: vec![AlterShareGroupOffsetsRequestPartition {
                partition_index: 0,
                start_offset: 0,
            }],
        }],
    };
    let refused = member.wire.call(&alter, 0).error_code;
    assert_eq!(refused, code(ErrorCode::NonEmptyGroup));
    member.heartbeat(-1, None);
    member.leave_session();
    let altered = member.wire.call(&alter, 0);
    assert_eq!(
        (
            altered.error_code,
            altered.responses[0].partitions[0].error_code
        ),
        (0, 0)
    );
    assert_eq!(describe(), [(0, 0, 3)]);
    let delete = DeleteShareGroupOffsetsRequest {
        group_id: "g".to_owned(),
        topics: vec![DeleteShareGroupOffsetsRequestTopic {
            topic_name: "t".to_owned(),
        }],
    };
    assert_eq!(member.wire.call(&delete, 0).responses[0].error_code, 0);
    assert_eq!(describe(), []);
}
