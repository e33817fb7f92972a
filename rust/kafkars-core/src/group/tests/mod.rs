//! Single steps of a membership, with a coordinator that says what the test says.

mod commits;
mod leaving;
mod rebalancing;
mod reconciling;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kafkars_protocol::messages::consumer_group_heartbeat::{
    Assignment as Target, ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse,
    TopicPartitions,
};
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupResponse, JoinGroupResponseMember,
};
use kafkars_protocol::messages::metadata::{
    MetadataResponse, MetadataResponsePartition, MetadataResponseTopic,
};
use kafkars_protocol::messages::sync_group::{SyncGroupRequest, SyncGroupResponse};
use kafkars_protocol::{ErrorCode, Uuid};

use super::assignor::by_name;
use super::*;
use crate::cluster::{Cluster, Scope};
use crate::config::{GroupConfig, GroupProtocol};

const TOPIC: &str = "orders";
const TOPIC_ID: Uuid = Uuid([7; 16]);
const PARTITIONS: i32 = 4;

/// One member, its clock, and what it has sent and told.
struct TestMember {
    now: Instant,
    membership: Membership,
    sent: VecDeque<GroupCall>,
    told: VecDeque<GroupEvent>,
}

impl TestMember {
    /// A member of the classic protocol that has subscribed.
    fn classic(assignors: &[&str], change: impl FnOnce(&mut GroupConfig)) -> Self {
        let mut member = Self::new(GroupProtocol::Classic, assignors, change);
        member.subscribe(&[TOPIC]);
        member
    }

    /// A member of the consumer protocol that has subscribed.
    fn consumer(change: impl FnOnce(&mut GroupConfig)) -> Self {
        let mut member = Self::new(GroupProtocol::Consumer, &[], change);
        member.subscribe(&[TOPIC]);
        member
    }

    /// A member that has not subscribed.
    fn new(
        group_protocol: GroupProtocol,
        assignors: &[&str],
        change: impl FnOnce(&mut GroupConfig),
    ) -> Self {
        let mut config = GroupConfig {
            group_id: "group".to_owned(),
            group_protocol,
            ..GroupConfig::default()
        };
        change(&mut config);
        let assignors = assignors.iter().map(|name| by_name(name).unwrap());
        let mut member = Self {
            now: Instant::now(),
            membership: Membership::new(config.check().unwrap(), assignors.collect(), 1),
            sent: VecDeque::new(),
            told: VecDeque::new(),
        };
        member.membership.cluster_changed(member.now, &cluster());
        member
    }

    fn subscribe(&mut self, topics: &[&str]) {
        let topics = topics.iter().map(|topic| Arc::from(*topic)).collect();
        let subscription = Subscription::Topics(topics);
        self.membership.subscribe(self.now, subscription).unwrap();
        self.work();
    }

    /// Does what a driver does, with node 1 as coordinator.
    fn work(&mut self) {
        while let Some(action) = self.membership.next_action(self.now) {
            match action {
                Action::FindCoordinator => {
                    self.membership.coordinator_answered(self.now, Ok(1));
                }
                Action::Send(call) => self.sent.push_back(call),
                Action::ResolveTopics { .. } => {
                    self.membership.cluster_changed(self.now, &cluster());
                }
                Action::Assign(work) => {
                    let outcome = work.run();
                    self.membership
                        .assignor_finished(self.now, work.id, outcome);
                }
            }
        }
        while let Some(event) = self.membership.next_event() {
            self.told.push_back(event);
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        self.work();
    }

    /// The next request that was sent; other than heartbeats of the classic protocol, which are dropped.
    fn next(&mut self) -> GroupCall {
        self.try_next().expect("a request")
    }

    fn try_next(&mut self) -> Option<GroupCall> {
        self.sent
            .retain(|sent| !matches!(sent.request, GroupRequest::Heartbeat(_)));
        self.sent.pop_front()
    }

    fn answer(&mut self, to: &GroupCall, response: GroupResponse) {
        self.membership.answered(self.now, to.id, response);
        self.work();
    }

    fn next_join(&mut self) -> (GroupCall, JoinGroupRequest) {
        let sent = self.next();
        match sent.request.clone() {
            GroupRequest::JoinGroup(request) => (sent, request),
            other => panic!("JoinGroup, not {}", other.name()),
        }
    }

    fn next_sync(&mut self) -> (GroupCall, SyncGroupRequest) {
        let sent = self.next();
        match sent.request.clone() {
            GroupRequest::SyncGroup(request) => (sent, request),
            other => panic!("SyncGroup, not {}", other.name()),
        }
    }

    fn next_beat(&mut self) -> (GroupCall, ConsumerGroupHeartbeatRequest) {
        let sent = self.next();
        match sent.request.clone() {
            GroupRequest::ConsumerGroupHeartbeat(request) => (sent, request),
            other => panic!("ConsumerGroupHeartbeat, not {}", other.name()),
        }
    }

    /// Joins as the only member, which leads and assigns everything to itself.
    fn join_alone(&mut self, generation: i32) {
        let (join, request) = self.next_join();
        self.finish_join(&join, &request, generation);
    }

    /// Answers a join, and assigns everything to the member that leads.
    fn finish_join(&mut self, join: &GroupCall, request: &JoinGroupRequest, generation: i32) {
        let chosen = &request.protocols[0];
        let myself = JoinGroupResponseMember {
            member_id: "me".to_owned(),
            metadata: chosen.metadata.clone(),
            ..JoinGroupResponseMember::default()
        };
        let response = JoinGroupResponse {
            leader: "me".to_owned(),
            members: vec![myself],
            ..joined(generation, &chosen.name)
        };
        self.answer(join, GroupResponse::JoinGroup(response));
        let (sync, request) = self.next_sync();
        let assignment = request.assignments[0].assignment.clone();
        self.answer(&sync, synced(assignment));
    }

    /// Learns that the group is rebalancing, and joins again.
    fn rebalance(&mut self) {
        let identity = self.membership.identity().expect("a member");
        self.membership
            .identity_refused(self.now, &identity, ErrorCode::RebalanceInProgress);
        self.work();
    }

    /// Joins and gets these partitions of [`TOPIC`].
    fn take_in(&mut self, epoch: i32, partitions: &[i32]) {
        let (beat, _) = self.next_beat();
        self.answer(&beat, target(epoch, Some(partitions)));
    }

    /// The next change, which is not done yet.
    fn next_change(&mut self) -> Change {
        match self.told.pop_front() {
            Some(GroupEvent::Change(change)) => change,
            other => panic!("a change, not {other:?}"),
        }
    }

    fn done(&mut self, change: &Change) {
        self.membership.change_done(self.now, change.id);
        self.work();
    }
}

fn cluster() -> Cluster {
    cluster_with(TOPIC_ID)
}

/// Metadata in which [`TOPIC`] has this id, as it has another one when it is deleted and created again.
fn cluster_with(topic_id: Uuid) -> Cluster {
    let partitions = (0..PARTITIONS).map(|number| MetadataResponsePartition {
        partition_index: number,
        leader_id: 1,
        ..MetadataResponsePartition::default()
    });
    let topic = MetadataResponseTopic {
        name: Some(TOPIC.to_owned()),
        topic_id,
        partitions: partitions.collect(),
        ..MetadataResponseTopic::default()
    };
    let response = MetadataResponse {
        topics: vec![topic],
        ..MetadataResponse::default()
    };
    Cluster::default()
        .merge(&response, 13, Scope::Named)
        .unwrap()
}

fn joined(generation: i32, strategy: &str) -> JoinGroupResponse {
    JoinGroupResponse {
        generation_id: generation,
        protocol_type: Some("consumer".to_owned()),
        protocol_name: Some(strategy.to_owned()),
        leader: "somebody".to_owned(),
        member_id: "me".to_owned(),
        ..JoinGroupResponse::default()
    }
}

fn synced(assignment: bytes::Bytes) -> GroupResponse {
    GroupResponse::SyncGroup(SyncGroupResponse {
        assignment,
        ..SyncGroupResponse::default()
    })
}

fn target(epoch: i32, partitions: Option<&[i32]>) -> GroupResponse {
    let topics = |partitions: &[i32]| TopicPartitions {
        topic_id: TOPIC_ID,
        partitions: partitions.to_vec(),
    };
    GroupResponse::ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse {
        member_epoch: epoch,
        heartbeat_interval_ms: 1000,
        assignment: partitions.map(|partitions| Target {
            topic_partitions: vec![topics(partitions)],
        }),
        ..ConsumerGroupHeartbeatResponse::default()
    })
}
