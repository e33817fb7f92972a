//! Classic groups by a clock that the test moves.

use std::collections::{BTreeMap, HashMap};

use bytes::{Bytes, BytesMut};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::heartbeat::HeartbeatRequest;
use kafkars_protocol::messages::join_group::{
    JoinGroupRequest, JoinGroupRequestProtocol, JoinGroupResponse,
};
use kafkars_protocol::messages::leave_group::MemberIdentity;
use kafkars_protocol::messages::sync_group::{
    SyncGroupRequest, SyncGroupRequestAssignment, SyncGroupResponse,
};
use tokio::sync::oneshot::Receiver;

use crate::groups::Groups;
use crate::groups::classic::Join;
use crate::groups::member_identity::MemberClient;
use crate::groups::offsets::CommittedOffset;
use crate::groups::reply::GroupReply;
use crate::settings::group::GroupSettings;
use crate::topics::Topics;

const SESSION_MS: i64 = 10_000;
const REBALANCE_MS: i64 = 60_000;

/// One group `g`, and what time it is.
struct Scene {
    groups: Groups,
    now: i64,
}

/// An answer that may still be on its way.
struct Pending<T>(GroupReply<T>);

impl<T> Pending<T> {
    fn ready(self) -> T {
        match self.0 {
            GroupReply::Now(answer) => answer,
            GroupReply::Later(mut receiver) => {
                receiver.try_recv().expect("the answer is not there")
            }
        }
    }

    fn waits(&mut self) -> bool {
        let empty = |receiver: &mut Receiver<T>| {
            matches!(
                receiver.try_recv(),
                Err(tokio::sync::oneshot::error::TryRecvError::Empty)
            )
        };
        match &mut self.0 {
            GroupReply::Now(_) => false,
            GroupReply::Later(receiver) => empty(receiver),
        }
    }
}

fn request(member: &str) -> JoinGroupRequest {
    let protocol = |name: &str| JoinGroupRequestProtocol {
        name: name.to_owned(),
        metadata: subscription(&["t"]),
    };
    JoinGroupRequest {
        group_id: "g".to_owned(),
        session_timeout_ms: SESSION_MS as i32,
        rebalance_timeout_ms: REBALANCE_MS as i32,
        member_id: member.to_owned(),
        protocol_type: "consumer".to_owned(),
        protocols: vec![protocol("range"), protocol("roundrobin")],
        ..JoinGroupRequest::default()
    }
}

fn subscription(topics: &[&str]) -> Bytes {
    let mut bytes = BytesMut::new();
    bytes.extend_from_slice(&0i16.to_be_bytes());
    bytes.extend_from_slice(&(topics.len() as i32).to_be_bytes());
    for topic in topics {
        bytes.extend_from_slice(&(topic.len() as i16).to_be_bytes());
        bytes.extend_from_slice(topic.as_bytes());
    }
    bytes.extend_from_slice(&(-1i32).to_be_bytes());
    bytes.freeze()
}

fn fixed(member: &str, instance: &str) -> JoinGroupRequest {
    JoinGroupRequest {
        group_instance_id: Some(instance.to_owned()),
        ..request(member)
    }
}

impl Scene {
    fn new() -> Self {
        Self::with(GroupSettings::default())
    }

    fn with(settings: GroupSettings) -> Self {
        Self {
            groups: Groups::new(settings),
            now: 1_000_000,
        }
    }

    fn pass(&mut self, ms: i64) {
        self.now += ms;
        self.groups.advance("g", self.now);
    }

    fn send(&mut self, request: JoinGroupRequest, version: i16) -> Pending<JoinGroupResponse> {
        let client = MemberClient {
            id: "c".to_owned(),
            host: "/127.0.0.1".to_owned(),
        };
        let join = Join {
            request,
            version,
            client,
        };
        let (topics, names) = (BTreeMap::new(), HashMap::new());
        let topics = Topics::new(&topics, &names, 0, None);
        Pending(self.groups.join(join, &topics, self.now))
    }

    /// Joins as clients of today do: asks for an id first.
    fn enter(&mut self) -> (String, Pending<JoinGroupResponse>) {
        let answer = self.send(request(""), 9).ready();
        assert_eq!(answer.error_code, ErrorCode::MemberIdRequired.code());
        let id = answer.member_id;
        let joining = self.send(request(&id), 9);
        (id, joining)
    }

    fn sync(
        &mut self,
        member: &str,
        generation: i32,
        assignments: &[(&str, &'static str)],
    ) -> Pending<SyncGroupResponse> {
        let assignment = |(member, text): &(&str, &'static str)| SyncGroupRequestAssignment {
            member_id: (*member).to_owned(),
            assignment: Bytes::from_static(text.as_bytes()),
        };
        let request = SyncGroupRequest {
            group_id: "g".to_owned(),
            generation_id: generation,
            member_id: member.to_owned(),
            assignments: assignments.iter().map(assignment).collect(),
            ..SyncGroupRequest::default()
        };
        Pending(self.groups.sync(request, self.now))
    }

    fn heartbeat(&mut self, member: &str, generation: i32) -> Result<(), ErrorCode> {
        let request = HeartbeatRequest {
            group_id: "g".to_owned(),
            generation_id: generation,
            member_id: member.to_owned(),
            group_instance_id: None,
        };
        self.groups.heartbeat(&request, self.now)
    }

    fn leave(&mut self, member: &str, instance: Option<&str>) -> Result<(), ErrorCode> {
        let identity = MemberIdentity {
            member_id: member.to_owned(),
            group_instance_id: instance.map(str::to_owned),
            reason: None,
        };
        self.groups.leave("g", &identity, self.now)
    }

    fn commit(&mut self, member: &str, generation: i32, version: i16) -> Result<(), ErrorCode> {
        self.groups
            .check_commit("g", member, None, generation, version, self.now)
    }

    fn state(&mut self) -> String {
        let described = self.groups.describe_classic("g", self.now);
        described.map_or("none".to_owned(), |group| group.group_state)
    }

    /// Two members in a stable generation 2: the leader, and the other.
    fn pair(&mut self) -> (String, String) {
        let (a, first) = self.enter();
        assert_eq!(first.ready().generation_id, 1);
        let (b, mut second) = self.enter();
        assert!(second.waits());
        let again = self.send(request(&a), 9).ready();
        let second = second.ready();
        assert_eq!((again.generation_id, second.generation_id), (2, 2));
        assert_eq!((again.leader.as_str(), second.leader.as_str()), (&*a, &*a));
        assert_eq!((again.members.len(), second.members.len()), (2, 0));
        let other = self.sync(&b, 2, &[]);
        let leader = self.sync(&a, 2, &[(&a, "for a"), (&b, "for b")]).ready();
        assert_eq!(leader.assignment, "for a");
        assert_eq!(other.ready().assignment, "for b");
        assert_eq!(self.state(), "Stable");
        (a, b)
    }
}

#[test]
fn members_join_sync_and_are_told_of_each_other() {
    let mut scene = Scene::new();
    let (a, b) = scene.pair();
    assert_eq!(scene.heartbeat(&a, 2), Ok(()));
    let (_, mut third) = scene.enter();
    assert!(third.waits());
    assert_eq!(scene.heartbeat(&a, 2), Err(ErrorCode::RebalanceInProgress));
    let mut rejoined = scene.send(request(&a), 9);
    assert!(rejoined.waits());
    // Who does not come back within the rebalance timeout has lost its place.
    for _ in 0..(REBALANCE_MS / 5_000) {
        scene.pass(5_000);
        let _ = scene.heartbeat(&b, 2);
    }
    assert_eq!(third.ready().generation_id, 3);
    assert_eq!(rejoined.ready().members.len(), 2);
    assert_eq!(scene.heartbeat(&b, 2), Err(ErrorCode::UnknownMemberId));
}

#[test]
fn old_versions_join_without_an_id_of_their_own() {
    let mut scene = Scene::new();
    let answer = scene.send(request(""), 3).ready();
    assert_eq!((answer.error_code, answer.generation_id), (0, 1));
    assert!(answer.member_id.starts_with("c-"), "{}", answer.member_id);
    assert_eq!(answer.leader, answer.member_id);
    assert_eq!(answer.protocol_name.as_deref(), Some("range"));
}

#[test]
fn an_id_that_was_given_out_and_not_used_is_forgotten() {
    let mut scene = Scene::new();
    let id = scene.send(request(""), 9).ready().member_id;
    scene.pass(SESSION_MS);
    let late = scene.send(request(&id), 9).ready();
    assert_eq!(late.error_code, ErrorCode::UnknownMemberId.code());
}

#[test]
fn the_first_rebalance_waits_for_more_members() {
    let settings = GroupSettings {
        initial_rebalance_delay: std::time::Duration::from_secs(3),
        ..GroupSettings::default()
    };
    let mut scene = Scene::with(settings);
    let (_, mut first) = scene.enter();
    scene.pass(2_000);
    let (_, mut second) = scene.enter();
    scene.pass(1_000);
    assert!(first.waits() && second.waits(), "prolonged by the second");
    scene.pass(3_000);
    assert_eq!(first.ready().generation_id, 1);
    assert_eq!(second.ready().generation_id, 1);
}

#[test]
fn a_member_that_falls_silent_is_removed() {
    let mut scene = Scene::new();
    let (a, b) = scene.pair();
    scene.pass(SESSION_MS - 1);
    assert_eq!(scene.heartbeat(&b, 2), Ok(()));
    scene.pass(1);
    assert_eq!(scene.heartbeat(&a, 2), Err(ErrorCode::UnknownMemberId));
    assert_eq!(scene.heartbeat(&b, 2), Err(ErrorCode::RebalanceInProgress));
    let alone = scene.send(request(&b), 9).ready();
    assert_eq!((alone.generation_id, alone.leader), (3, b));
}

#[test]
fn an_assignment_that_is_not_fetched_in_time_costs_the_place() {
    let mut scene = Scene::new();
    let (a, b) = scene.pair();
    let (c, third) = scene.enter();
    let (again, other) = (scene.send(request(&a), 9), scene.send(request(&b), 9));
    assert_eq!(again.ready().generation_id, 3);
    assert_eq!(
        (other.ready().generation_id, third.ready().generation_id),
        (3, 3)
    );
    let mut waiting = scene.sync(&c, 3, &[]);
    for _ in 0..(REBALANCE_MS / 5_000) {
        assert!(waiting.waits(), "only the leader assigns");
        scene.pass(5_000);
        let _ = (scene.heartbeat(&a, 3), scene.heartbeat(&b, 3));
    }
    assert_eq!(
        waiting.ready().error_code,
        ErrorCode::RebalanceInProgress.code()
    );
    assert_eq!(scene.heartbeat(&a, 3), Err(ErrorCode::UnknownMemberId));
    assert_eq!(scene.heartbeat(&c, 3), Err(ErrorCode::RebalanceInProgress));
}

#[test]
fn leaving_starts_a_rebalance_and_empties_the_group() {
    let mut scene = Scene::new();
    let (a, b) = scene.pair();
    assert_eq!(scene.leave(&a, None), Ok(()));
    assert_eq!(scene.leave(&a, None), Err(ErrorCode::UnknownMemberId));
    assert_eq!(scene.heartbeat(&b, 2), Err(ErrorCode::RebalanceInProgress));
    assert_eq!(scene.leave(&b, None), Ok(()));
    scene.pass(REBALANCE_MS);
    assert_eq!(scene.state(), "Empty");
}

#[test]
fn a_follower_with_nothing_new_may_join_again_and_the_leader_may_ask_for_a_rebalance() {
    let mut scene = Scene::new();
    let (a, b) = scene.pair();
    let same = scene.send(request(&b), 9).ready();
    assert_eq!((same.generation_id, same.members.len()), (2, 0));
    assert_eq!(scene.state(), "Stable");
    let mut leader = scene.send(request(&a), 9);
    assert!(leader.waits());
    assert_eq!(scene.state(), "PreparingRebalance");
    assert_eq!(scene.heartbeat(&b, 2), Err(ErrorCode::RebalanceInProgress));
    assert_eq!(scene.send(request(&b), 9).ready().generation_id, 3);
}

#[test]
fn a_follower_with_something_new_starts_a_rebalance() {
    let mut scene = Scene::new();
    let (_, b) = scene.pair();
    let mut changed = request(&b);
    changed.protocols[0].metadata = subscription(&["t", "u"]);
    assert!(scene.send(changed, 9).waits());
    assert_eq!(scene.state(), "PreparingRebalance");
}

#[test]
fn a_static_member_comes_back_without_a_rebalance() {
    let mut scene = Scene::new();
    let first = scene.send(fixed("", "i"), 9).ready();
    let a = first.member_id;
    assert_eq!(first.error_code, 0, "no id is asked of a static member");
    assert_eq!(scene.sync(&a, 1, &[(&a, "all")]).ready().assignment, "all");
    let back = scene.send(fixed("", "i"), 9).ready();
    assert_eq!((back.generation_id, back.skip_assignment), (1, true));
    assert_ne!(back.member_id, a);
    assert_eq!(back.leader, back.member_id);
    assert_eq!(
        scene.sync(&back.member_id, 1, &[]).ready().assignment,
        "all"
    );
    let fenced = scene.send(fixed(&a, "i"), 9).ready();
    assert_eq!(fenced.error_code, ErrorCode::FencedInstanceId.code());
    let old = scene.send(fixed("", "i"), 8).ready();
    assert_eq!((old.skip_assignment, old.members.len()), (false, 0));
    assert_eq!(
        old.leader, back.member_id,
        "it must not think that it leads"
    );
}

#[test]
fn a_static_member_is_removed_by_its_name() {
    let mut scene = Scene::new();
    let a = scene.send(fixed("", "i"), 9).ready().member_id;
    assert_eq!(
        scene.leave("x", Some("i")),
        Err(ErrorCode::FencedInstanceId)
    );
    assert_eq!(scene.leave("", Some("j")), Err(ErrorCode::UnknownMemberId));
    assert_eq!(scene.leave("", Some("i")), Ok(()));
    assert_eq!(scene.heartbeat(&a, 1), Err(ErrorCode::UnknownMemberId));
}

#[test]
fn protocols_must_be_shared() {
    let mut scene = Scene::new();
    scene.pair();
    let mut other = request("");
    other.protocols.iter_mut().for_each(|it| it.name += "-x");
    let code = scene.send(other, 9).ready().error_code;
    assert_eq!(code, ErrorCode::InconsistentGroupProtocol.code());
    let mut connect = request("");
    connect.protocol_type = "connect".to_owned();
    let code = scene.send(connect, 9).ready().error_code;
    assert_eq!(code, ErrorCode::InconsistentGroupProtocol.code());
}

#[test]
fn a_full_group_takes_nobody() {
    let settings = GroupSettings {
        max_size: 2,
        ..GroupSettings::default()
    };
    let mut scene = Scene::with(settings);
    scene.pair();
    let answer = scene.send(request(""), 9).ready();
    assert_eq!(answer.error_code, ErrorCode::GroupMaxSizeReached.code());
}

#[test]
fn members_take_a_limited_amount_of_memory() {
    let settings = GroupSettings {
        max_bytes: 5_000,
        ..GroupSettings::default()
    };
    let mut scene = Scene::with(settings);
    let (a, _) = scene.pair();
    let mut wordy = request(&a);
    wordy.protocols[0].metadata = Bytes::from(vec![0; 5_000]);
    let code = scene.send(wordy, 9).ready().error_code;
    assert_eq!(code, ErrorCode::GroupMaxSizeReached.code());
    assert_eq!(scene.heartbeat(&a, 2), Ok(()));
}

#[test]
fn commits_come_from_members_of_this_generation_or_into_an_empty_group() {
    let mut scene = Scene::new();
    assert_eq!(scene.commit("", 3, 8), Err(ErrorCode::IllegalGeneration));
    assert_eq!(scene.commit("", 3, 9), Err(ErrorCode::GroupIdNotFound));
    assert_eq!(scene.commit("", -1, 9), Ok(()));
    assert_eq!(scene.state(), "Empty");
    let (a, b) = scene.pair();
    assert_eq!(scene.commit(&a, 2, 9), Ok(()));
    assert_eq!(scene.commit(&a, 1, 9), Err(ErrorCode::IllegalGeneration));
    assert_eq!(scene.commit("x", 2, 9), Err(ErrorCode::UnknownMemberId));
    assert_eq!(scene.commit("", -1, 9), Err(ErrorCode::UnknownMemberId));
    let leader = scene.send(request(&a), 9);
    assert_eq!(
        scene.commit(&b, 2, 9),
        Ok(()),
        "the old generation is valid"
    );
    let other = scene.send(request(&b), 9);
    assert_eq!(
        (leader.ready().generation_id, other.ready().generation_id),
        (3, 3)
    );
    assert_eq!(scene.commit(&b, 3, 9), Err(ErrorCode::RebalanceInProgress));
}

#[test]
fn offsets_expire_when_a_group_has_been_empty_for_long() {
    let mut scene = Scene::new();
    let (a, b) = scene.pair();
    let committed = CommittedOffset {
        offset: 1,
        committed_at: scene.now,
        ..CommittedOffset::default()
    };
    let offsets = &mut scene.groups.offsets;
    offsets.commit("g", "t", 0, committed.clone()).unwrap();
    offsets.commit("g", "unread", 0, committed).unwrap();
    let week = 7 * 24 * 3600 * 1000;
    for _ in 0..=(week / 5_000) {
        scene.now += 5_000;
        let _ = (scene.heartbeat(&a, 2), scene.heartbeat(&b, 2));
    }
    scene.groups.list(scene.now);
    assert!(scene.groups.offsets.committed("g", "t", 0).is_some());
    assert!(scene.groups.offsets.committed("g", "unread", 0).is_none());
    assert_eq!(
        (scene.leave(&a, None), scene.leave(&b, None)),
        (Ok(()), Ok(()))
    );
    scene.now += week - 1;
    scene.groups.list(scene.now);
    assert!(scene.groups.offsets.committed("g", "t", 0).is_some());
    scene.now += 3_600_000;
    assert!(
        scene.groups.list(scene.now).is_empty(),
        "and so does the group"
    );
}

#[test]
fn only_empty_groups_are_deleted() {
    let mut scene = Scene::new();
    assert_eq!(
        scene.groups.delete("g", scene.now),
        Err(ErrorCode::GroupIdNotFound)
    );
    let (a, b) = scene.pair();
    assert_eq!(
        scene.groups.delete("g", scene.now),
        Err(ErrorCode::NonEmptyGroup)
    );
    assert_eq!(
        scene.groups.delete_offset("g", "t", 0),
        Err(ErrorCode::GroupSubscribedToTopic)
    );
    assert_eq!(scene.groups.delete_offset("g", "u", 0), Ok(()));
    assert_eq!(
        (scene.leave(&a, None), scene.leave(&b, None)),
        (Ok(()), Ok(()))
    );
    scene.pass(REBALANCE_MS);
    assert_eq!(scene.groups.delete("g", scene.now), Ok(()));
    assert_eq!(scene.state(), "none");
}

#[test]
fn requests_that_wait_learn_that_the_coordinator_has_moved() {
    let mut scene = Scene::new();
    let (a, _) = scene.pair();
    let joining = scene.send(request(&a), 9);
    scene.groups.coordinator_moved("g", scene.now);
    assert_eq!(joining.ready().error_code, ErrorCode::NotCoordinator.code());
}
