//! Consumer groups by a clock that the test moves, over topics that the test makes.

use std::collections::{BTreeMap, HashMap};

use kafkars_protocol::messages::consumer_group_heartbeat::{
    ConsumerGroupHeartbeatRequest, ConsumerGroupHeartbeatResponse, TopicPartitions,
};
use kafkars_protocol::{ErrorCode, Uuid};

use crate::groups::Groups;
use crate::groups::member_identity::MemberClient;
use crate::partition::Partition;
use crate::refusal::RefusedRequest;
use crate::settings::group::GroupSettings;
use crate::settings::topic::TopicConfig;
use crate::topic::Topic;
use crate::topics::Topics;

const SESSION_MS: i64 = 45_000;
const REBALANCE_MS: i64 = 60_000;

/// One group `g`, the topics there are, and what time it is.
struct Scene {
    groups: Groups,
    topics: BTreeMap<String, Topic>,
    names: HashMap<Uuid, String>,
    created: usize,
    now: i64,
}

/// A client that does what it is told.
struct Member {
    id: &'static str,
    instance: Option<&'static str>,
    epoch: i32,
    has: Vec<(Uuid, i32)>,
}

fn member(id: &'static str) -> Member {
    Member {
        id,
        instance: None,
        epoch: 0,
        has: Vec::new(),
    }
}

fn topic_id(name: &str) -> Uuid {
    let mut id = [7; 16];
    id[..name.len()].copy_from_slice(name.as_bytes());
    Uuid(id)
}

impl Scene {
    fn new() -> Self {
        let mut scene = Self {
            groups: Groups::new(GroupSettings::default()),
            topics: BTreeMap::new(),
            names: HashMap::new(),
            created: 0,
            now: 1_000_000,
        };
        scene.create("t", 4);
        scene
    }

    fn create(&mut self, name: &str, partitions: usize) {
        let config = TopicConfig::default();
        let topic = Topic {
            name: name.to_owned(),
            id: topic_id(name),
            partitions: (0..partitions)
                .map(|_| Partition::new(vec![1], &config))
                .collect(),
            config,
        };
        self.names.insert(topic.id, name.to_owned());
        self.topics.insert(name.to_owned(), topic);
        self.created += 1;
    }

    fn send(
        &mut self,
        request: ConsumerGroupHeartbeatRequest,
        version: i16,
    ) -> Result<ConsumerGroupHeartbeatResponse, RefusedRequest> {
        let topics = Topics::new(&self.topics, &self.names, self.created, None);
        let client = MemberClient::default();
        self.groups
            .consumer_heartbeat(request, version, client, &topics, self.now)
    }

    fn join_with(
        &mut self,
        member: &mut Member,
        change: impl FnOnce(&mut ConsumerGroupHeartbeatRequest),
    ) -> Result<(), RefusedRequest> {
        member.epoch = 0;
        member.has.clear();
        let mut request = ConsumerGroupHeartbeatRequest {
            subscribed_topic_names: Some(vec!["t".to_owned()]),
            rebalance_timeout_ms: REBALANCE_MS as i32,
            topic_partitions: Some(Vec::new()),
            ..request(member)
        };
        change(&mut request);
        let answer = self.send(request, 1)?;
        take(member, answer);
        Ok(())
    }

    fn join(&mut self, member: &mut Member) {
        self.join_with(member, |_| ()).unwrap();
    }

    /// A heartbeat that says nothing new.
    fn beat(&mut self, member: &mut Member) -> Result<(), RefusedRequest> {
        let answer = self.send(request(member), 1)?;
        take(member, answer);
        Ok(())
    }

    /// A heartbeat that confirms what the member has.
    fn confirm(&mut self, member: &mut Member) -> Result<(), RefusedRequest> {
        let owned = member
            .has
            .iter()
            .map(|(topic_id, partition)| TopicPartitions {
                topic_id: *topic_id,
                partitions: vec![*partition],
            });
        let request = ConsumerGroupHeartbeatRequest {
            topic_partitions: Some(owned.collect()),
            ..request(member)
        };
        let answer = self.send(request, 1)?;
        take(member, answer);
        Ok(())
    }

    fn leave(&mut self, member: &Member, epoch: i32) -> Result<(), RefusedRequest> {
        let request = ConsumerGroupHeartbeatRequest {
            member_epoch: epoch,
            ..request(member)
        };
        self.send(request, 1).map(|_| ())
    }

    fn state(&mut self) -> String {
        let topics = Topics::new(&self.topics, &self.names, self.created, None);
        let described = self.groups.describe_consumer("g", &topics, self.now);
        described.map_or("none".to_owned(), |group| group.group_state)
    }

    /// Two members that share topic `t` evenly.
    fn pair(&mut self) -> (Member, Member) {
        let (mut a, mut b) = (member("a"), member("b"));
        self.join(&mut a);
        self.join(&mut b);
        self.beat(&mut a).unwrap();
        self.confirm(&mut a).unwrap();
        self.beat(&mut b).unwrap();
        assert_eq!((a.has.len(), b.has.len()), (2, 2));
        (a, b)
    }
}

fn request(member: &Member) -> ConsumerGroupHeartbeatRequest {
    ConsumerGroupHeartbeatRequest {
        group_id: "g".to_owned(),
        member_id: member.id.to_owned(),
        member_epoch: member.epoch,
        instance_id: member.instance.map(str::to_owned),
        ..ConsumerGroupHeartbeatRequest::default()
    }
}

fn take(member: &mut Member, answer: ConsumerGroupHeartbeatResponse) {
    assert_eq!(answer.member_id.as_deref(), Some(member.id));
    member.epoch = answer.member_epoch;
    if let Some(assignment) = answer.assignment {
        let topics = assignment.topic_partitions.into_iter();
        member.has = topics
            .flat_map(|topic| {
                topic
                    .partitions
                    .into_iter()
                    .map(move |index| (topic.topic_id, index))
            })
            .collect();
    }
}

fn code<T: std::fmt::Debug>(result: Result<T, RefusedRequest>) -> ErrorCode {
    result.unwrap_err().code
}

#[test]
fn partitions_change_hands_one_heartbeat_at_a_time() {
    let mut scene = Scene::new();
    let (mut a, mut b) = (member("a"), member("b"));
    scene.join(&mut a);
    assert_eq!((a.epoch, a.has.len()), (1, 4));
    assert_eq!(scene.state(), "Stable");
    scene.join(&mut b);
    assert_eq!((b.epoch, b.has.len()), (2, 0), "nothing is free yet");
    assert_eq!(scene.state(), "Reconciling");
    scene.beat(&mut a).unwrap();
    assert_eq!((a.epoch, a.has.len()), (1, 2), "asked to give two up");
    scene.beat(&mut b).unwrap();
    assert_eq!(b.has.len(), 0, "they are not given up yet");
    scene.confirm(&mut a).unwrap();
    assert_eq!(a.epoch, 2);
    scene.beat(&mut b).unwrap();
    assert_eq!(b.has.len(), 2);
    assert!(a.has.iter().all(|partition| !b.has.contains(partition)));
    assert_eq!(scene.state(), "Stable");
}

#[test]
fn who_does_not_give_up_what_it_is_asked_to_is_fenced() {
    let mut scene = Scene::new();
    let (mut a, mut b) = (member("a"), member("b"));
    scene.join(&mut a);
    scene.join(&mut b);
    scene.beat(&mut a).unwrap();
    for _ in 0..3 {
        scene.now += REBALANCE_MS / 3;
        let (_, _) = (scene.beat(&mut a), scene.beat(&mut b));
    }
    assert_eq!(code(scene.beat(&mut a)), ErrorCode::UnknownMemberId);
    scene.beat(&mut b).unwrap();
    assert_eq!(b.has.len(), 4);
}

#[test]
fn a_member_that_falls_silent_loses_its_partitions() {
    let mut scene = Scene::new();
    let (mut a, mut b) = scene.pair();
    scene.now += SESSION_MS - 1;
    scene.beat(&mut b).unwrap();
    scene.now += 1;
    assert_eq!(code(scene.beat(&mut a)), ErrorCode::UnknownMemberId);
    scene.beat(&mut b).unwrap();
    assert_eq!(b.has.len(), 4);
}

#[test]
fn a_member_that_leaves_gives_everything_back() {
    let mut scene = Scene::new();
    let (a, mut b) = scene.pair();
    scene.leave(&a, -1).unwrap();
    scene.beat(&mut b).unwrap();
    assert_eq!(b.has.len(), 4);
    scene.leave(&b, -1).unwrap();
    assert_eq!(scene.state(), "Empty");
    assert_eq!(code(scene.leave(&b, -1)), ErrorCode::UnknownMemberId);
}

#[test]
fn epochs_must_be_current_or_the_one_whose_answer_was_lost() {
    let mut scene = Scene::new();
    let (mut a, _) = scene.pair();
    a.epoch += 1;
    assert_eq!(code(scene.beat(&mut a)), ErrorCode::FencedMemberEpoch);
    a.epoch -= 2;
    assert_eq!(
        code(scene.beat(&mut a)),
        ErrorCode::FencedMemberEpoch,
        "it does not say what it has"
    );
    scene.confirm(&mut a).unwrap();
    assert_eq!(a.epoch, 2);
}

#[test]
fn a_static_member_comes_back_to_what_it_had() {
    let mut scene = Scene::new();
    let mut first = Member {
        instance: Some("i"),
        ..member("first")
    };
    scene.join(&mut first);
    let mut second = Member {
        instance: Some("i"),
        ..member("second")
    };
    assert_eq!(
        code(scene.join_with(&mut second, |_| ())),
        ErrorCode::UnreleasedInstanceId
    );
    scene.leave(&first, -2).unwrap();
    let mut other = member("other");
    scene.join(&mut other);
    assert_eq!(
        other.has.len(),
        0,
        "what a static member has is kept for it"
    );
    scene.join(&mut second);
    assert_eq!(code(scene.beat(&mut first)), ErrorCode::FencedInstanceId);
    scene.beat(&mut second).unwrap();
    scene.confirm(&mut second).unwrap();
    scene.beat(&mut other).unwrap();
    assert_eq!((second.has.len(), other.has.len()), (2, 2));
    scene.leave(&second, -2).unwrap();
    scene.now += SESSION_MS - 1;
    scene.beat(&mut other).unwrap();
    assert_eq!(other.has.len(), 2);
    scene.now += 1;
    scene.beat(&mut other).unwrap();
    assert_eq!(other.has.len(), 4, "its session has ended");
}

#[test]
fn new_partitions_and_topics_are_assigned() {
    let mut scene = Scene::new();
    let mut a = member("a");
    scene
        .join_with(&mut a, |request| {
            request.subscribed_topic_names = Some(vec!["t".to_owned(), "later".to_owned()]);
        })
        .unwrap();
    scene.create("t", 6);
    scene.beat(&mut a).unwrap();
    assert_eq!((a.epoch, a.has.len()), (2, 6));
    scene.create("later", 1);
    scene.beat(&mut a).unwrap();
    assert_eq!((a.epoch, a.has.len()), (3, 7));
    scene.topics.remove("t");
    scene.beat(&mut a).unwrap();
    scene.confirm(&mut a).unwrap();
    assert_eq!(a.has, [(topic_id("later"), 0)]);
}

#[test]
fn expressions_follow_the_topics() {
    let mut scene = Scene::new();
    let mut a = member("a");
    let expression = |text: &'static str| {
        move |request: &mut ConsumerGroupHeartbeatRequest| {
            request.subscribed_topic_names = None;
            request.subscribed_topic_regex = Some(text.to_owned());
        }
    };
    let refused = scene.join_with(&mut a, expression("("));
    assert_eq!(code(refused), ErrorCode::InvalidRegularExpression);
    assert_eq!(scene.state(), "none");
    scene.join_with(&mut a, expression("u.*")).unwrap();
    assert!(a.has.is_empty());
    scene.create("u1", 1);
    scene.create("xu", 1);
    scene.beat(&mut a).unwrap();
    assert_eq!(a.has, [(topic_id("u1"), 0)]);
}

#[test]
fn bad_requests_are_refused() {
    let mut scene = Scene::new();
    let mut a = member("a");
    let mut refused =
        |change: fn(&mut ConsumerGroupHeartbeatRequest)| code(scene.join_with(&mut a, change));
    let invalid = ErrorCode::InvalidRequest;
    assert_eq!(refused(|request| request.member_id.clear()), invalid);
    assert_eq!(
        refused(|request| request.rebalance_timeout_ms = -1),
        invalid
    );
    assert_eq!(refused(|request| request.topic_partitions = None), invalid);
    assert_eq!(
        refused(|request| request.subscribed_topic_names = None),
        invalid
    );
    assert_eq!(
        refused(|request| request.instance_id = Some(String::new())),
        invalid
    );
    assert_eq!(refused(|request| request.member_epoch = -3), invalid);
    assert_eq!(refused(|request| request.member_epoch = -2), invalid);
    let assignor = refused(|request| request.server_assignor = Some("best".to_owned()));
    assert_eq!(assignor, ErrorCode::UnsupportedAssignor);
    assert_eq!(
        refused(|request| request.member_epoch = 1),
        ErrorCode::GroupIdNotFound
    );
    assert_eq!(scene.state(), "none");
}

#[test]
fn version_0_gives_out_ids() {
    let mut scene = Scene::new();
    let mut asked = request(&member(""));
    asked.subscribed_topic_names = Some(vec!["t".to_owned()]);
    asked.rebalance_timeout_ms = 1;
    asked.topic_partitions = Some(Vec::new());
    let answer = scene.send(asked, 0).unwrap();
    assert!(answer.member_id.is_some_and(|id| !id.is_empty()));
}

#[test]
fn commits_in_an_old_epoch_are_taken_for_what_the_member_has_had_since() {
    let mut scene = Scene::new();
    let (mut a, _) = scene.pair();
    let mut commit = |member: &str, epoch, version| {
        scene
            .groups
            .check_commit("g", member, None, epoch, version, scene.now)
    };
    assert_eq!(commit("a", 2, 9), Ok(()));
    assert_eq!(commit("a", 2, 8), Err(ErrorCode::UnsupportedVersion));
    assert_eq!(commit("a", 3, 9), Err(ErrorCode::StaleMemberEpoch));
    assert_eq!(commit("x", 2, 9), Err(ErrorCode::UnknownMemberId));
    assert_eq!(commit("", -1, 9), Err(ErrorCode::UnknownMemberId));
    assert_eq!(commit("a", 1, 9), Ok(()));
    let (kept, lost) = (
        a.has[0],
        (0..4)
            .map(|index| (topic_id("t"), index))
            .find(|it| !a.has.contains(it))
            .unwrap(),
    );
    assert_eq!(scene.groups.check_commit_of("g", "a", 1, kept), Ok(()));
    assert_eq!(
        scene.groups.check_commit_of("g", "a", 1, lost),
        Err(ErrorCode::StaleMemberEpoch)
    );
    scene.leave(&a, -1).unwrap();
    scene.join(&mut a);
    assert_eq!(
        scene.groups.check_offset_fetch("g", "a", 1, scene.now),
        Err(ErrorCode::StaleMemberEpoch)
    );
    assert_eq!(
        scene
            .groups
            .check_offset_fetch("g", "a", a.epoch, scene.now),
        Ok(())
    );
}

#[test]
fn an_empty_group_changes_its_kind() {
    let mut scene = Scene::new();
    scene
        .groups
        .check_commit("g", "", None, -1, 9, scene.now)
        .unwrap();
    let mut a = member("a");
    scene.join(&mut a);
    assert_eq!(scene.state(), "Stable");
    assert_eq!(
        scene.groups.delete("g", scene.now),
        Err(ErrorCode::NonEmptyGroup)
    );
    scene.leave(&a, -1).unwrap();
    assert_eq!(scene.groups.delete("g", scene.now), Ok(()));
}
