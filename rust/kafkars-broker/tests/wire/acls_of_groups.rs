//! Access control of what groups show and read: topics of members' assignments, expressions, and sessions of share
//! groups.

use kafkars_broker::{
    Acl, AclOperation, AclSettings, BrokerConfig, EmbeddedBroker, NewTopic, PatternType,
    Permission, ResourceType,
};
use kafkars_protocol::messages::consumer_group_describe::ConsumerGroupDescribeRequest;
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, TopicPartitions,
};
use kafkars_protocol::messages::share_fetch::{
    AcknowledgementBatch, FetchPartition, FetchTopic, ShareFetchRequest, ShareFetchResponse,
};
use kafkars_protocol::messages::share_group_describe::ShareGroupDescribeRequest;
use kafkars_protocol::messages::share_group_heartbeat::ShareGroupHeartbeatRequest;
use kafkars_protocol::{ErrorCode, Uuid};

use crate::support::{Wire, batch, start};

const DENIED: i16 = ErrorCode::TopicAuthorizationFailed.code();
const HIDDEN: &str =
    "The group has described topic(s) that the client is not authorized to describe.";
const ACCEPT: i8 = 1;

fn rule(resource_type: ResourceType, name: &str, operation: AclOperation) -> Acl {
    Acl {
        resource_type,
        resource_name: name.to_owned(),
        pattern_type: PatternType::Literal,
        principal: "User:ANONYMOUS".to_owned(),
        host: "*".to_owned(),
        operation,
        permission: Permission::Allow,
    }
}

fn read(topic: &str) -> Acl {
    rule(ResourceType::Topic, topic, AclOperation::Read)
}

/// Topics `mine` and `theirs`, of which only the first may be read, and group `g`, with which everything may be done.
struct Scene {
    broker: EmbeddedBroker,
    wire: Wire,
    ids: [Uuid; 2],
}

impl Scene {
    fn new() -> Self {
        let alter = rule(ResourceType::Topic, "*", AclOperation::Describe);
        let broker = start(BrokerConfig {
            topics: vec![NewTopic::new("mine", 1), NewTopic::new("theirs", 1)],
            acls: Some(AclSettings {
                rules: vec![
                    rule(ResourceType::Group, "g", AclOperation::All),
                    read("mine"),
                    alter.clone(),
                ],
                ..AclSettings::default()
            }),
            ..BrokerConfig::default()
        });
        let mut wire = Wire::to(&broker);
        let ids = ["mine", "theirs"].map(|name| wire.topic_id(name));
        broker.remove_acl(&alter).unwrap();
        Self { broker, wire, ids }
    }

    fn allow(&self, topic: &str) {
        self.broker.add_acl(read(topic)).unwrap();
    }

    fn forbid(&self, topic: &str) {
        assert!(self.broker.remove_acl(&read(topic)).unwrap());
    }

    /// The epoch of a member with an expression or names, and the topics that it is assigned, if that is told.
    fn consumer(
        &mut self,
        epoch: i32,
        regex: Option<&str>,
        owned: &[Uuid],
    ) -> (i32, Option<Vec<Uuid>>) {
        let owned = owned.iter().map(|id| TopicPartitions {
            topic_id: *id,
            partitions: vec![0],
        });
        let names = ["mine", "theirs"].map(str::to_owned).to_vec();
        let request = ConsumerGroupHeartbeatRequest {
            group_id: "g".to_owned(),
            member_id: "m".to_owned(),
            member_epoch: epoch,
            rebalance_timeout_ms: 60_000,
            subscribed_topic_names: regex.is_none().then_some(names),
            subscribed_topic_regex: regex.map(str::to_owned),
            topic_partitions: Some(owned.collect()),
            ..ConsumerGroupHeartbeatRequest::default()
        };
        let answer = self.wire.call(&request, 1);
        assert_eq!(answer.error_code, 0, "{answer:?}");
        let topics = answer.assignment.map(|assignment| {
            let topics = assignment.topic_partitions.into_iter();
            topics.map(|topic| topic.topic_id).collect()
        });
        (answer.member_epoch, topics)
    }

    fn join_share_group(&mut self) {
        let request = ShareGroupHeartbeatRequest {
            group_id: "g".to_owned(),
            member_id: "m".to_owned(),
            subscribed_topic_names: Some(vec!["mine".to_owned(), "theirs".to_owned()]),
            ..ShareGroupHeartbeatRequest::default()
        };
        let answer = self.wire.call(&request, 1);
        assert_eq!(answer.error_code, 0, "{answer:?}");
    }

    /// The answers of a session for both topics: the error, how many records were delivered, and the error of
    /// acknowledging.
    fn fetch(
        &mut self,
        epoch: i32,
        topics: &[Uuid],
        acknowledged: Option<i64>,
    ) -> [Option<(i16, usize, i16)>; 2] {
        let batches = acknowledged.map(|offset| AcknowledgementBatch {
            first_offset: offset,
            last_offset: offset,
            acknowledge_types: vec![ACCEPT],
        });
        let partition = FetchPartition {
            partition_index: 0,
            acknowledgement_batches: batches.into_iter().collect(),
        };
        let topics = topics.iter().map(|id| FetchTopic {
            topic_id: *id,
            partitions: vec![partition.clone()],
        });
        let request = ShareFetchRequest {
            group_id: Some("g".to_owned()),
            member_id: Some("m".to_owned()),
            share_session_epoch: epoch,
            max_bytes: 1 << 20,
            max_records: 500,
            batch_size: 500,
            topics: topics.collect(),
            ..ShareFetchRequest::default()
        };
        let answer: ShareFetchResponse = self.wire.call(&request, 2);
        assert_eq!(answer.error_code, 0, "{answer:?}");
        self.ids.map(|id| {
            let topic = answer.responses.iter().find(|topic| topic.topic_id == id)?;
            let [data] = topic.partitions.as_slice() else {
                panic!("{topic:?}")
            };
            let acquired = data.acquired_records.len();
            Some((data.error_code, acquired, data.acknowledge_error_code))
        })
    }
}

#[test]
fn a_consumer_group_is_shown_to_whom_its_topics_may_be_shown() {
    let mut scene = Scene::new();
    scene.allow("theirs");
    let (_, topics) = scene.consumer(0, None, &[]);
    assert_eq!(topics.map(|topics| topics.len()), Some(2));
    let describe = ConsumerGroupDescribeRequest {
        group_ids: vec!["g".to_owned()],
        include_authorized_operations: true,
    };
    let shown = scene.wire.call(&describe, 1).groups.remove(0);
    assert_eq!((shown.error_code, shown.members.len()), (0, 1), "{shown:?}");
    scene.forbid("theirs");
    let hidden = scene.wire.call(&describe, 1).groups.remove(0);
    assert_eq!((hidden.error_code, hidden.members.len()), (DENIED, 0));
    assert_eq!(hidden.error_message.as_deref(), Some(HIDDEN));
    assert_eq!(
        (hidden.group_id.as_str(), hidden.group_state.as_str()),
        ("g", "")
    );
    assert_eq!(hidden.authorized_operations, i32::MIN);
}

#[test]
fn a_share_group_is_shown_to_whom_its_topics_may_be_shown() {
    let mut scene = Scene::new();
    scene.allow("theirs");
    scene.join_share_group();
    let describe = ShareGroupDescribeRequest {
        group_ids: vec!["g".to_owned()],
        include_authorized_operations: true,
    };
    let shown = scene.wire.call(&describe, 1).groups.remove(0);
    assert_eq!((shown.error_code, shown.members.len()), (0, 1), "{shown:?}");
    scene.forbid("theirs");
    let hidden = scene.wire.call(&describe, 1).groups.remove(0);
    assert_eq!((hidden.error_code, hidden.members.len()), (DENIED, 0));
    assert_eq!(hidden.error_message.as_deref(), Some(HIDDEN));
    assert_eq!(hidden.authorized_operations, i32::MIN);
}

#[test]
fn an_expression_takes_the_topics_that_its_member_may_describe() {
    let mut scene = Scene::new();
    let [mine, theirs] = scene.ids;
    let (epoch, topics) = scene.consumer(0, Some(".*"), &[]);
    assert_eq!(topics, Some(vec![mine]));
    // Without a new subscription, at the next heartbeat after the rules have changed.
    scene.allow("theirs");
    let (epoch, topics) = scene.consumer(epoch, Some(".*"), &[mine]);
    let mut both = vec![mine, theirs];
    both.sort_unstable();
    assert_eq!(topics, Some(both.clone()));
    scene.forbid("mine");
    let (_, topics) = scene.consumer(epoch, Some(".*"), &both);
    assert_eq!(topics, Some(vec![theirs]));
}

#[test]
fn a_share_session_gives_what_may_be_read_as_long_as_it_may() {
    let mut scene = Scene::new();
    let [mine, theirs] = scene.ids;
    scene.allow("theirs");
    scene.join_share_group();
    // A group begins at the end: it is opened before there is anything.
    let opened = scene.fetch(0, &[mine, theirs], None);
    assert_eq!(opened, [Some((0, 0, 0)), Some((0, 0, 0))]);
    for topic in ["mine", "theirs"] {
        let write = rule(ResourceType::Topic, topic, AclOperation::Write);
        scene.broker.add_acl(write).unwrap();
        let produced = Wire::to(&scene.broker).produce(topic, 0, batch(&["a"]));
        assert_eq!(produced.error_code, 0);
    }
    scene.forbid("theirs");
    let found = scene.fetch(1, &[], None);
    assert_eq!(found, [Some((0, 1, 0)), Some((DENIED, 0, 0))]);
    // What nobody may read cannot be acknowledged either.
    scene.forbid("mine");
    let found = scene.fetch(2, &[mine], Some(0));
    assert_eq!(found, [Some((DENIED, 0, DENIED)), Some((DENIED, 0, 0))]);
    // Allowed again, without being asked for again.
    scene.allow("mine");
    scene.allow("theirs");
    let found = scene.fetch(3, &[mine], Some(0));
    assert_eq!(found, [Some((0, 0, 0)), Some((0, 1, 0))]);
}
