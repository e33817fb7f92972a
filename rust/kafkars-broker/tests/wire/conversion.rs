//! Groups that change their protocol while members stay (KIP-848): what `members` says of real brokers holds here.

use std::time::Duration;

use bytes::Bytes;
use kafkars_broker::{BrokerConfig, ClockMode, GroupSettings, MigrationPolicy};
use kafkars_protocol::ErrorCode;
use kafkars_protocol::messages::join_group::{JoinGroupRequest, JoinGroupResponse};

use crate::members::{ALL, REBALANCE, Scene, classic_group, settle, until};

#[test]
fn a_classic_group_becomes_a_consumer_group_while_its_members_stay() {
    let scene = Scene::new();
    let mut old = classic_group(&scene);
    assert_eq!(scene.listed(), ("classic".to_owned(), "Stable".to_owned()));
    let mut new = scene.consumer("new");
    let joined = new.heartbeat();
    assert_eq!((joined.error_code, joined.member_epoch), (0, 2));
    assert!(new.owned.is_empty(), "the old member has everything");
    assert_eq!(scene.listed().0, "consumer");
    let mut described = scene.describe().members;
    described.sort_by_key(|member| member.member_type);
    let kinds: Vec<_> = described
        .iter()
        .map(|it| (it.member_type, it.member_epoch))
        .collect();
    assert_eq!(kinds, [(0, 1), (1, 2)]);
    assert_eq!(described[0].subscribed_topic_regex.as_deref(), Some(""));
    // In its generation it may still commit, but it must join again.
    assert_eq!(old.commit(), 0);
    assert_eq!(old.heartbeat(), REBALANCE);
    assert_eq!(old.sync(&[]).0.error_code, REBALANCE);
    let joined = old.join();
    assert_eq!((joined.error_code, joined.generation_id), (0, 2));
    assert_eq!(joined.protocol_name.as_deref(), Some("range"));
    assert_eq!((joined.leader.as_str(), joined.members.len()), ("", 0));
    old.must_join = true;
    settle(&mut [(&mut old, 2)], &mut [(&mut new, 2)]);
    assert_eq!(old.heartbeat(), 0);
    assert_eq!(scene.describe().group_state, "Stable");
    // The epoch goes on where the generation was.
    assert_eq!(new.epoch, 2);
}

#[test]
fn members_in_the_middle_of_a_rebalance_are_told_to_join_again() {
    let scene = Scene::new();
    let mut old = scene.classic(&["range"]);
    old.join();
    assert_eq!(old.join().error_code, 0);
    let mut follower = scene.classic(&["range"]);
    follower.join();
    let waiting = follower.send_join();
    until("its request is there", || {
        (scene.listed().1 == "PreparingRebalance").then_some(())
    });
    let mut new = scene.consumer("new");
    assert_eq!(new.heartbeat().error_code, 0);
    let told: JoinGroupResponse = follower.wire.receive::<JoinGroupRequest>(9).1;
    assert_eq!((told.error_code, waiting), (REBALANCE, follower.sent));
    let id = old.id.clone();
    assert_eq!(old.sync(&[(&id, ALL)]).0.error_code, REBALANCE);
    old.must_join = true;
    follower.must_join = true;
    until("all are even", || {
        old.follow();
        follower.follow();
        assert_eq!(new.heartbeat().error_code, 0);
        let mut counts = [old.assigned.len(), follower.assigned.len(), new.owned.len()];
        counts.sort_unstable();
        (counts == [1, 1, 2]).then_some(())
    });
}

#[test]
fn members_of_the_classic_protocol_give_up_one_by_one_what_others_are_to_have() {
    let scene = Scene::new();
    let mut new = scene.consumer("new");
    settle(&mut [], &mut [(&mut new, 4)]);
    let mut old = scene.classic(&["cooperative-sticky"]);
    assert_eq!(old.join().error_code, ErrorCode::MemberIdRequired.code());
    old.cooperates = true;
    old.must_join = true;
    settle(&mut [(&mut old, 2)], &mut [(&mut new, 2)]);
    let before = old.assigned.clone();
    let mut other = scene.consumer("other");
    until("there is a member more", || {
        other.heartbeat();
        (old.heartbeat() == REBALANCE).then_some(())
    });
    // It keeps what it may, in the generation that it was in, until it has said what it has given up.
    let generation = old.generation;
    old.owned.clone_from(&before);
    old.join();
    let (synced, kept) = old.sync(&[]);
    assert_eq!(synced.error_code, 0);
    if kept.len() < before.len() {
        assert_eq!(old.generation, generation);
        assert_eq!(old.heartbeat(), REBALANCE);
    }
    old.must_join = true;
    until("all are even", || {
        old.follow();
        new.heartbeat();
        other.heartbeat();
        let mut counts = [old.assigned.len(), new.owned.len(), other.owned.len()];
        counts.sort_unstable();
        (counts == [1, 1, 2]).then_some(())
    });
}

#[test]
fn a_consumer_group_becomes_a_classic_one_when_the_last_member_of_its_protocol_leaves() {
    let scene = Scene::new();
    let mut new = scene.consumer("new");
    settle(&mut [], &mut [(&mut new, 4)]);
    let mut old = scene.classic(&["range", "roundrobin"]);
    old.join();
    old.must_join = true;
    settle(&mut [(&mut old, 2)], &mut [(&mut new, 2)]);
    let epoch = new.epoch;
    new.leave();
    assert_eq!(
        scene.listed(),
        ("classic".to_owned(), "PreparingRebalance".to_owned())
    );
    assert_eq!(old.heartbeat(), REBALANCE);
    let joined = old.join();
    assert_eq!((joined.error_code, joined.generation_id), (0, epoch + 1));
    assert_eq!(joined.leader, old.id, "it leads");
    assert_eq!(joined.members.len(), 1);
    let id = old.id.clone();
    assert_eq!(old.sync(&[(&id, ALL)]).1, ALL);
    assert_eq!(old.heartbeat(), 0);
    assert_eq!(scene.listed(), ("classic".to_owned(), "Stable".to_owned()));
    // And up again.
    let mut newer = scene.consumer("newer");
    assert_eq!(newer.heartbeat().error_code, 0);
    settle(&mut [(&mut old, 2)], &mut [(&mut newer, 2)]);
}

#[test]
fn static_members_change_their_protocol_and_keep_what_they_have() {
    let scene = Scene::new();
    let mut old = scene.classic(&["range"]);
    old.instance = Some("one".to_owned());
    assert_eq!(old.join().error_code, 0);
    let id = old.id.clone();
    assert_eq!(old.sync(&[(&id, ALL)]).1, ALL);
    let mut new = scene.consumer("new");
    new.instance = Some("one".to_owned());
    let joined = new.heartbeat();
    assert_eq!((joined.error_code, joined.member_epoch), (0, 1));
    assert_eq!(new.owned, ALL);
    assert_eq!(scene.listed(), ("consumer".to_owned(), "Stable".to_owned()));
    // Who used the name until now has lost it.
    let fenced = ErrorCode::FencedInstanceId.code();
    assert_eq!(old.heartbeat(), fenced);
    assert_eq!(old.sync(&[]).0.error_code, fenced);
    assert_eq!(old.join().error_code, fenced);
    assert_eq!(old.leave(), fenced);
    let mut next = scene.classic(&["range"]);
    next.instance = Some("one".to_owned());
    let joined = next.join();
    assert_eq!((joined.error_code, joined.generation_id), (0, 1));
    assert_eq!(scene.listed(), ("classic".to_owned(), "Stable".to_owned()));
    assert_eq!(next.sync(&[]).1, ALL);
    assert_eq!(next.heartbeat(), 0);
    let gone = new.heartbeat();
    let message = format!("Group {} is not a consumer group.", scene.group);
    assert_eq!(gone.error_code, ErrorCode::GroupIdNotFound.code());
    assert_eq!(gone.error_message, Some(message));
}

#[test]
fn what_does_not_fit_is_refused() {
    let scene = Scene::new();
    let mut new = scene.consumer("new");
    settle(&mut [], &mut [(&mut new, 4)]);
    let mut old = scene.classic(&["range"]);
    old.kind = "connect";
    let refused = old.join();
    let inconsistent = ErrorCode::InconsistentGroupProtocol.code();
    assert_eq!(refused.error_code, inconsistent);
    old.kind = "consumer";
    old.id = "it may choose its id".to_owned();
    assert_eq!(old.join().error_code, 0);
    let mut other = scene.classic(&["roundrobin"]);
    assert_eq!(other.join().error_code, inconsistent);
    old.protocols = vec!["another".to_owned()];
    assert_eq!(old.sync(&[]).0.error_code, inconsistent);
    old.protocols = vec!["range".to_owned()];
    old.generation += 1;
    let illegal = ErrorCode::IllegalGeneration.code();
    assert_eq!(old.sync(&[]).0.error_code, illegal);
    assert_eq!(old.heartbeat(), illegal);
    assert_eq!(old.commit(), illegal);
    // A member of the consumer protocol is none of the classic one.
    old.id = "new".to_owned();
    let unknown = ErrorCode::UnknownMemberId.code();
    assert_eq!(old.sync(&[]).0.error_code, unknown);
    assert_eq!(old.heartbeat(), unknown);
    other.instance = Some("nobody".to_owned());
    other.id = "somebody".to_owned();
    other.protocols = vec!["range".to_owned()];
    assert_eq!(other.join().error_code, unknown);
}

#[test]
fn groups_that_are_not_of_consumers_stay_classic() {
    let scene = Scene::new();
    let mut worker = scene.classic(&["default"]);
    worker.kind = "connect";
    worker.join();
    assert_eq!(worker.join().error_code, 0);
    let refused = scene.consumer("new").heartbeat();
    assert_eq!(refused.error_code, ErrorCode::GroupIdNotFound.code());
    let message = refused.error_message.unwrap();
    assert!(
        message.ends_with("does not use the consumer embedded protocol."),
        "{message}"
    );
    // Nor do those whose leader assigns more than partitions.
    let scene = Scene::new();
    let mut old = scene.classic(&["range"]);
    old.user_data = Some(Bytes::from_static(b"mine"));
    old.join();
    old.join();
    let id = old.id.clone();
    assert_eq!(old.sync(&[(&id, ALL)]).1, ALL);
    let refused = scene.consumer("new").heartbeat();
    assert_eq!(refused.error_code, ErrorCode::GroupIdNotFound.code());
    let message = refused.error_message.unwrap();
    assert!(
        message.contains("an unsupported custom assignor is in use."),
        "{message}"
    );
    assert_eq!(old.heartbeat(), 0, "nothing has happened");
}

fn with_policy(migration_policy: MigrationPolicy) -> Scene {
    Scene::with(BrokerConfig {
        groups: GroupSettings {
            migration_policy,
            ..GroupSettings::default()
        },
        clock: ClockMode::Manual,
        ..BrokerConfig::default()
    })
}

#[test]
fn a_policy_keeps_classic_groups_what_they_are() {
    for policy in [MigrationPolicy::Downgrade, MigrationPolicy::Disabled] {
        let scene = with_policy(policy);
        let mut old = classic_group(&scene);
        let refused = scene.consumer("new").heartbeat();
        assert_eq!(refused.error_code, ErrorCode::GroupIdNotFound.code());
        let message = refused.error_message.unwrap();
        assert!(
            message.ends_with("because online upgrade is disabled."),
            "{message}"
        );
        assert_eq!(old.heartbeat(), 0);
        // Without members it changes all the same.
        assert_eq!(old.leave(), 0);
        assert_eq!(scene.consumer("new").heartbeat().error_code, 0);
        assert_eq!(scene.listed().0, "consumer");
    }
}

#[test]
fn a_policy_keeps_consumer_groups_what_they_are() {
    let scene = with_policy(MigrationPolicy::Upgrade);
    let mut new = scene.consumer("new");
    settle(&mut [], &mut [(&mut new, 4)]);
    let mut old = scene.classic(&["range"]);
    old.join();
    old.must_join = true;
    settle(&mut [(&mut old, 2)], &mut [(&mut new, 2)]);
    new.leave();
    assert_eq!(scene.listed().0, "consumer");
    settle(&mut [(&mut old, 4)], &mut []);
    let scene = with_policy(MigrationPolicy::Disabled);
    scene.consumer("new").heartbeat();
    let refused = scene.classic(&["range"]).join();
    let inconsistent = ErrorCode::InconsistentGroupProtocol.code();
    assert_eq!(
        (refused.error_code, refused.member_id.as_str()),
        (inconsistent, "")
    );
}

/// A group of a member of each kind.
fn mixed() -> (Scene, crate::members::Classic, crate::members::Modern) {
    let scene = with_policy(MigrationPolicy::Bidirectional);
    let mut new = scene.consumer("new");
    settle(&mut [], &mut [(&mut new, 4)]);
    let mut old = scene.classic(&["range"]);
    old.join();
    old.must_join = true;
    settle(&mut [(&mut old, 2)], &mut [(&mut new, 2)]);
    (scene, old, new)
}

fn advance(scene: &Scene, seconds: u64) {
    let broker = scene.broker.as_ref().unwrap();
    broker.clock().advance(Duration::from_secs(seconds));
}

#[test]
fn silence_of_the_last_member_of_the_consumer_protocol_makes_the_group_classic() {
    let (scene, mut old, _new) = mixed();
    // The session of a member of the consumer protocol is longer than that of the other one.
    for _ in 0..9 {
        advance(&scene, 5);
        old.heartbeat();
    }
    assert_eq!(scene.listed().0, "classic");
    old.must_join = true;
    let joined = old.join();
    assert_eq!((joined.error_code, joined.leader), (0, old.id.clone()));
}

#[test]
fn members_of_the_classic_protocol_lose_their_place_when_they_fall_silent() {
    let (scene, mut old, mut new) = mixed();
    advance(&scene, 9);
    new.heartbeat();
    assert_eq!(old.heartbeat(), 0);
    advance(&scene, 9);
    new.heartbeat();
    assert_eq!(old.heartbeat(), 0);
    advance(&scene, 10);
    assert_eq!(old.heartbeat(), ErrorCode::UnknownMemberId.code());
    settle(&mut [], &mut [(&mut new, 4)]);
}

#[test]
fn members_of_the_classic_protocol_lose_their_place_when_they_do_not_join_again() {
    let (scene, mut old, mut new) = mixed();
    assert_eq!(scene.consumer("another").heartbeat().error_code, 0);
    // The time begins when it is told first.
    for _ in 0..2 {
        assert_eq!(old.heartbeat(), REBALANCE);
        advance(&scene, 9);
        new.heartbeat();
    }
    assert_eq!(old.heartbeat(), REBALANCE);
    advance(&scene, 2);
    assert_eq!(old.heartbeat(), ErrorCode::UnknownMemberId.code());
}

#[test]
fn members_of_the_classic_protocol_lose_their_place_when_they_do_not_fetch_their_assignment() {
    let (scene, mut old, _new) = mixed();
    assert_eq!(old.join().error_code, 0);
    for _ in 0..2 {
        assert_eq!(old.heartbeat(), 0);
        advance(&scene, 9);
    }
    assert_eq!(old.heartbeat(), 0);
    advance(&scene, 2);
    assert_eq!(old.heartbeat(), ErrorCode::UnknownMemberId.code());
}
