//! Members of both protocols in one group that nobody else has.
//!
//! With `KAFKARS_WIRE_BROKER=host:port` the same script runs on a real Kafka of one node instead.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use kafkars_broker::{BrokerConfig, EmbeddedBroker};
use kafkars_protocol::messages::consumer_group_describe::{
    ConsumerGroupDescribeRequest, DescribedGroup,
};
use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, TopicPartitions,
};
use kafkars_protocol::messages::consumer_protocol_assignment::{self, ConsumerProtocolAssignment};
use kafkars_protocol::messages::consumer_protocol_subscription::{
    self, ConsumerProtocolSubscription,
};
use kafkars_protocol::messages::create_topics::{CreatableTopic, CreateTopicsRequest};
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
use kafkars_protocol::messages::sync_group::{
    SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse,
};
use kafkars_protocol::{ErrorCode, Message, Reader, Uuid, Writer};

use crate::support::{Wire, start};

pub(crate) const REBALANCE: i16 = 27;
pub(crate) const ALL: &[i32] = &[0, 1, 2, 3];

/// The longest that anything may take.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);
pub(crate) const PARTITIONS: i32 = 4;

/// A broker and a topic and a group that nobody else has.
pub(crate) struct Scene {
    pub(crate) broker: Option<EmbeddedBroker>,
    pub(crate) address: SocketAddr,
    pub(crate) topic: String,
    pub(crate) id: Uuid,
    pub(crate) group: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        match std::env::var("KAFKARS_WIRE_BROKER") {
            Ok(address) => Self::on(None, address.parse().unwrap()),
            Err(_) => Self::with(BrokerConfig::default()),
        }
    }

    /// Starts an embedded broker in any case.
    pub(crate) fn with(config: BrokerConfig) -> Self {
        let broker = start(config);
        let address = broker.address(1).unwrap();
        Self::on(Some(broker), address)
    }

    fn on(broker: Option<EmbeddedBroker>, address: SocketAddr) -> Self {
        let mut wire = Wire::connect(address);
        let unique = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_nanos();
        let topic = format!("conversion-{unique}");
        let creation = CreateTopicsRequest {
            topics: vec![CreatableTopic {
                name: topic.clone(),
                num_partitions: PARTITIONS,
                replication_factor: 1,
                ..CreatableTopic::default()
            }],
            timeout_ms: 10_000,
            ..CreateTopicsRequest::default()
        };
        let created = wire.call(&creation, 7);
        assert_eq!(created.topics[0].error_code, 0, "{created:?}");
        let look = FindCoordinatorRequest {
            coordinator_keys: vec![topic.clone()],
            ..FindCoordinatorRequest::default()
        };
        until("the group has a coordinator", || {
            let found = wire.call(&look, 4).coordinators.remove(0);
            (found.error_code == 0).then_some(())
        });
        let scene = Self {
            broker,
            address,
            group: topic.clone(),
            id: topic_id(&mut wire, &topic),
            topic,
        };
        scene.wait_for_coordinator();
        scene
    }

    /// Waits for the topic: in Kafka the coordinator hears of a topic a moment after its creation: it has when a member
    /// gets its partitions.
    pub(crate) fn wait_for_coordinator(&self) {
        let mut probe = self.consumer("probe");
        until("the coordinator knows the topic", || {
            // Right after its start the coordinator may still be reading its topic.
            let ready = probe.heartbeat().error_code == 0;
            (ready && probe.owned == ALL).then_some(())
        });
        probe.leave();
    }

    pub(crate) fn classic(&self, protocols: &[&str]) -> Classic {
        Classic {
            wire: Wire::connect(self.address),
            topic: self.topic.clone(),
            group: self.group.clone(),
            protocols: protocols.iter().map(|name| (*name).to_owned()).collect(),
            instance: None,
            id: String::new(),
            generation: -1,
            kind: "consumer",
            owned: Vec::new(),
            user_data: None,
            cooperates: false,
            must_join: false,
            assigned: Vec::new(),
            sent: 0,
        }
    }

    pub(crate) fn consumer(&self, id: &str) -> Modern {
        Modern {
            wire: Wire::connect(self.address),
            topic: self.topic.clone(),
            topic_id: self.id,
            group: self.group.clone(),
            id: id.to_owned(),
            instance: None,
            epoch: 0,
            owned: Vec::new(),
        }
    }

    pub(crate) fn describe(&self) -> DescribedGroup {
        let request = ConsumerGroupDescribeRequest {
            group_ids: vec![self.group.clone()],
            ..ConsumerGroupDescribeRequest::default()
        };
        let mut answer = Wire::connect(self.address).call(&request, 1);
        answer.groups.remove(0)
    }

    /// Kafka's names for the group's type and its state.
    pub(crate) fn listed(&self) -> (String, String) {
        let answer = Wire::connect(self.address).call(&ListGroupsRequest::default(), 5);
        let mut groups = answer.groups.into_iter();
        let group = groups.find(|group| group.group_id == self.group).unwrap();
        (group.group_type, group.group_state)
    }
}

/// Asks for the id of a topic, which comes with its metadata once that has spread.
fn topic_id(wire: &mut Wire, topic: &str) -> Uuid {
    until("the topic is known", || {
        let found = wire.metadata(&[topic]).topics.remove(0);
        let led = found.partitions.iter().filter(|it| it.leader_id >= 0);
        (led.count() == PARTITIONS as usize).then_some(found.topic_id)
    })
}

#[expect(
    clippy::disallowed_methods,
    reason = "between two questions to a broker"
)]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + TEST_TIMEOUT;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}: not in {TEST_TIMEOUT:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A member of the classic protocol that does what it is told.
pub(crate) struct Classic {
    pub(crate) wire: Wire,
    pub(crate) topic: String,
    pub(crate) group: String,
    pub(crate) protocols: Vec<String>,
    pub(crate) instance: Option<String>,
    pub(crate) id: String,
    pub(crate) generation: i32,
    pub(crate) kind: &'static str,
    /// The partitions that the member says it has; none where it gives up everything before it joins.
    pub(crate) owned: Vec<i32>,
    /// The user data that the member adds to assignments.
    pub(crate) user_data: Option<Bytes>,
    /// True if the member keeps what it has while it joins.
    pub(crate) cooperates: bool,
    pub(crate) must_join: bool,
    pub(crate) assigned: Vec<i32>,
    pub(crate) sent: i32,
}

impl Classic {
    pub(crate) fn join(&mut self) -> JoinGroupResponse {
        self.send_join();
        let joined = self.wire.receive::<JoinGroupRequest>(9).1;
        if joined.error_code == 0 || joined.error_code == ErrorCode::MemberIdRequired.code() {
            self.id.clone_from(&joined.member_id);
            self.generation = joined.generation_id;
        }
        joined
    }

    /// Joins and fetches its assignment, as a client does that is told to.
    pub(crate) fn follow(&mut self) {
        if !self.must_join && self.generation > 0 {
            let told = self.heartbeat();
            if told == 0 {
                return;
            }
            assert_eq!(told, REBALANCE);
        }
        if self.cooperates {
            self.owned.clone_from(&self.assigned);
        }
        assert_eq!(self.join().error_code, 0);
        let (synced, assigned) = self.sync(&[]);
        self.must_join = synced.error_code == REBALANCE;
        if !self.must_join {
            assert_eq!(synced.error_code, 0);
            self.assigned = assigned;
        }
    }

    pub(crate) fn send_join(&mut self) -> i32 {
        let metadata = subscription(&self.topic, &self.owned);
        let protocol = |name: &String| JoinGroupRequestProtocol {
            name: name.clone(),
            metadata: metadata.clone(),
        };
        let request = JoinGroupRequest {
            group_id: self.group.clone(),
            session_timeout_ms: 10_000,
            rebalance_timeout_ms: 20_000,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            protocol_type: self.kind.to_owned(),
            protocols: self.protocols.iter().map(protocol).collect(),
            ..JoinGroupRequest::default()
        };
        self.sent = self.wire.send(&request, 9);
        self.sent
    }

    pub(crate) fn commit(&mut self) -> i16 {
        let request = OffsetCommitRequest {
            group_id: self.group.clone(),
            generation_id_or_member_epoch: self.generation,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            topics: vec![OffsetCommitRequestTopic {
                name: self.topic.clone(),
                partitions: vec![OffsetCommitRequestPartition::default()],
                ..OffsetCommitRequestTopic::default()
            }],
            ..OffsetCommitRequest::default()
        };
        self.wire.call(&request, 8).topics[0].partitions[0].error_code
    }

    pub(crate) fn sync(&mut self, assignments: &[(&str, &[i32])]) -> (SyncGroupResponse, Vec<i32>) {
        let assignment = |(member, partitions): &(&str, &[i32])| SyncGroupRequestAssignment {
            member_id: (*member).to_owned(),
            assignment: assignment(&self.topic, partitions, self.user_data.clone()),
        };
        let request = SyncGroupRequest {
            group_id: self.group.clone(),
            generation_id: self.generation,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
            protocol_type: Some("consumer".to_owned()),
            protocol_name: Some(self.protocols[0].clone()),
            assignments: assignments.iter().map(assignment).collect(),
        };
        let synced = self.wire.call(&request, 5);
        let partitions = assigned(&synced.assignment);
        (synced, partitions)
    }

    pub(crate) fn heartbeat(&mut self) -> i16 {
        let request = HeartbeatRequest {
            group_id: self.group.clone(),
            generation_id: self.generation,
            member_id: self.id.clone(),
            group_instance_id: self.instance.clone(),
        };
        self.wire.call(&request, 4).error_code
    }

    pub(crate) fn leave(&mut self) -> i16 {
        let request = LeaveGroupRequest {
            group_id: self.group.clone(),
            members: vec![MemberIdentity {
                member_id: self.id.clone(),
                group_instance_id: self.instance.clone(),
                ..MemberIdentity::default()
            }],
            ..LeaveGroupRequest::default()
        };
        self.wire.call(&request, 5).members[0].error_code
    }
}

fn subscription(topic: &str, owned: &[i32]) -> Bytes {
    let mut writer = Writer::new();
    writer.i16(3);
    let owned = (!owned.is_empty()).then(|| consumer_protocol_subscription::TopicPartition {
        topic: topic.to_owned(),
        partitions: owned.to_vec(),
    });
    let subscription = ConsumerProtocolSubscription {
        topics: vec![topic.to_owned()],
        owned_partitions: owned.into_iter().collect(),
        ..ConsumerProtocolSubscription::default()
    };
    subscription.encode(&mut writer, 3).unwrap();
    writer.finish().to_bytes()
}

fn assignment(topic: &str, partitions: &[i32], user_data: Option<Bytes>) -> Bytes {
    let mut writer = Writer::new();
    writer.i16(3);
    let assignment = ConsumerProtocolAssignment {
        assigned_partitions: vec![consumer_protocol_assignment::TopicPartition {
            topic: topic.to_owned(),
            partitions: partitions.to_vec(),
        }],
        user_data,
    };
    assignment.encode(&mut writer, 3).unwrap();
    writer.finish().to_bytes()
}

fn assigned(bytes: &Bytes) -> Vec<i32> {
    if bytes.is_empty() {
        return Vec::new();
    }
    let mut reader = Reader::new(bytes.clone());
    let version = reader.i16("Version").unwrap();
    let assignment = ConsumerProtocolAssignment::decode(&mut reader, version).unwrap();
    let topics = assignment.assigned_partitions.into_iter();
    topics.flat_map(|topic| topic.partitions).collect()
}

/// A member of the consumer protocol that takes what it is given.
pub(crate) struct Modern {
    pub(crate) wire: Wire,
    pub(crate) topic: String,
    pub(crate) topic_id: Uuid,
    pub(crate) group: String,
    pub(crate) id: String,
    pub(crate) instance: Option<String>,
    pub(crate) epoch: i32,
    pub(crate) owned: Vec<i32>,
}

impl Modern {
    pub(crate) fn heartbeat(&mut self) -> ConsumerGroupHeartbeatResponse {
        let joins = self.epoch == 0;
        let owned = (!self.owned.is_empty()).then(|| TopicPartitions {
            topic_id: self.topic_id,
            partitions: self.owned.clone(),
        });
        let request = ConsumerGroupHeartbeatRequest {
            group_id: self.group.clone(),
            member_id: self.id.clone(),
            member_epoch: self.epoch,
            instance_id: self.instance.clone(),
            rebalance_timeout_ms: if joins { 20_000 } else { -1 },
            subscribed_topic_names: joins.then(|| vec![self.topic.clone()]),
            topic_partitions: (self.epoch >= 0).then(|| owned.into_iter().collect()),
            ..ConsumerGroupHeartbeatRequest::default()
        };
        let answer = self.wire.call(&request, 1);
        if answer.error_code == 0 {
            self.epoch = answer.member_epoch;
        }
        if let Some(assignment) = &answer.assignment {
            let topics = assignment.topic_partitions.iter();
            self.owned = topics.flat_map(|topic| topic.partitions.clone()).collect();
            self.owned.sort_unstable();
        }
        answer
    }

    /// Lets the member leave for good.
    pub(crate) fn leave(&mut self) {
        self.epoch = -1;
        assert_eq!(self.heartbeat().error_code, 0);
    }
}

/// Makes a classic group of one member, which has everything.
pub(crate) fn classic_group(scene: &Scene) -> Classic {
    let mut member = scene.classic(&["range"]);
    assert_eq!(member.join().error_code, ErrorCode::MemberIdRequired.code());
    assert_eq!(member.join().error_code, 0);
    let id = member.id.clone();
    let (synced, partitions) = member.sync(&[(&id, ALL)]);
    assert_eq!((synced.error_code, partitions.as_slice()), (0, ALL));
    member
}

/// Lets all members do what they are told until each has so many partitions.
pub(crate) fn settle(classic: &mut [(&mut Classic, usize)], modern: &mut [(&mut Modern, usize)]) {
    until("all have what they are to have", || {
        for (member, _) in &mut *classic {
            member.follow();
        }
        for (member, _) in &mut *modern {
            let answer = member.heartbeat();
            assert_eq!(answer.error_code, 0, "{answer:?}");
        }
        let classic = classic
            .iter()
            .all(|(it, count)| it.assigned.len() == *count);
        let modern = modern.iter().all(|(it, count)| it.owned.len() == *count);
        (classic && modern).then_some(())
    });
}
