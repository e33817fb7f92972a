//! What a member does with its partitions while the group rebalances.

use kafkars_protocol::messages::heartbeat::HeartbeatResponse;

use super::*;
use crate::config::TopicPartition;

/// Lets a heartbeat interval pass, and answers the heartbeat of it with `code`.
fn hear(member: &mut TestMember, code: ErrorCode) {
    member.pass(member.membership.config().heartbeat_interval);
    let beat = member
        .sent
        .iter()
        .rposition(|sent| matches!(sent.request, GroupRequest::Heartbeat(_)));
    let beat = member.sent.remove(beat.expect("a heartbeat")).unwrap();
    let response = HeartbeatResponse {
        error_code: code.code(),
        ..HeartbeatResponse::default()
    };
    member.answer(&beat, GroupResponse::Heartbeat(response));
}

fn joined_member(assignors: &[&str]) -> TestMember {
    let mut member = TestMember::classic(assignors, |config| {
        config.session_timeout = Duration::from_secs(10);
        config.heartbeat_interval = Duration::from_secs(1);
        config.rebalance_timeout = Some(Duration::from_secs(30));
    });
    member.join_alone(1);
    let assigned = member.next_change();
    assert_eq!(assigned.partitions.len(), 4);
    member.done(&assigned);
    member
}

/// The response to SyncGroup with these partitions of [`TOPIC`], from another leader.
fn assignment(partitions: &[i32]) -> GroupResponse {
    let partitions = partitions.iter().map(|number| TopicPartition {
        topic: Arc::from(TOPIC),
        partition: *number,
    });
    let assignment = assignor::MemberAssignment {
        partitions: partitions.collect(),
        user_data: None,
    };
    synced(embedded::encode_assignment(&assignment).unwrap())
}

fn joined_as_follower(member: &mut TestMember, generation: i32, strategy: &str) {
    let (join, _) = member.next_join();
    let response = joined(generation, strategy);
    member.answer(&join, GroupResponse::JoinGroup(response));
}

#[test]
fn an_eager_member_gives_up_everything_before_it_joins() {
    let mut member = joined_member(&["range"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    let revoked = member.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    assert_eq!(revoked.partitions.len(), 4);
    assert!(member.try_next().is_none());
    member.done(&revoked);
    member.next_join();
}

/// The coordinator has not put it out: what it has read can be committed, and its place is still there.
#[test]
fn a_member_whose_heartbeat_is_refused_gives_up_what_it_has_in_order_and_comes_back() {
    let mut member = joined_member(&["range"]);
    hear(&mut member, ErrorCode::UnknownServerError);
    let told = member.told.pop_front();
    assert!(matches!(
        told,
        Some(GroupEvent::Failed(GroupError::Broker { .. }))
    ));
    let revoked = member.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    hear(&mut member, ErrorCode::UnknownServerError);
    assert!(member.told.is_empty(), "it joins already");
    member.done(&revoked);
    let (_, join) = member.next_join();
    assert!(!join.member_id.is_empty());
}

/// Gives up what the member has, because the group rebalances.
fn give_up(member: &mut TestMember) {
    hear(member, ErrorCode::RebalanceInProgress);
    let revoked = member.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    assert!(revoked.rejoins);
    member.done(&revoked);
}

/// Whether the assignment that the member gets in `generation` is known to follow what it has given up.
fn rejoins_in(member: &mut TestMember, generation: i32) -> bool {
    joined_as_follower(member, generation, "range");
    let (sync, _) = member.next_sync();
    member.answer(&sync, assignment(&[0, 1]));
    let assigned = member.next_change();
    assert_eq!(assigned.kind, ChangeKind::Assigned);
    member.done(&assigned);
    assigned.rejoins
}

/// What was read in them may be read on: in the generation between, another member would have had them.
#[test]
fn nobody_else_has_had_partitions_that_come_back_in_the_next_generation() {
    let mut member = TestMember::classic(&["range"], |_| {});
    assert!(!rejoins_in(&mut member, 1), "nothing was given up before");
    for (generation, expected) in [(2, true), (2, true), (3, true), (5, false), (6, true)] {
        give_up(&mut member);
        assert_eq!(
            rejoins_in(&mut member, generation),
            expected,
            "{generation}"
        );
    }
}

#[test]
fn another_generation_or_another_member_between_ends_that() {
    let mut member = joined_member(&["range"]);
    give_up(&mut member);
    joined_as_follower(&mut member, 2, "range");
    let (sync, _) = member.next_sync();
    let refusal = SyncGroupResponse {
        error_code: ErrorCode::RebalanceInProgress.code(),
        ..SyncGroupResponse::default()
    };
    member.answer(&sync, GroupResponse::SyncGroup(refusal));
    assert!(!rejoins_in(&mut member, 3), "others may have synced in 2");

    let mut member = joined_member(&["range"]);
    give_up(&mut member);
    let (join, _) = member.next_join();
    let refusal = JoinGroupResponse {
        error_code: ErrorCode::UnknownMemberId.code(),
        ..JoinGroupResponse::default()
    };
    member.answer(&join, GroupResponse::JoinGroup(refusal));
    member.pass(Duration::from_secs(1));
    let (join, _) = member.next_join();
    let response = JoinGroupResponse {
        member_id: "another".to_owned(),
        ..joined(2, "range")
    };
    member.answer(&join, GroupResponse::JoinGroup(response));
    let (sync, _) = member.next_sync();
    member.answer(&sync, assignment(&[0, 1]));
    assert!(!member.next_change().rejoins);
}

/// KIP-429. One that also offers an eager strategy has to behave as one, because the group may choose that.
#[test]
fn a_cooperative_member_keeps_its_partitions_unless_it_offers_an_eager_strategy_too() {
    let mut member = joined_member(&["cooperative-sticky"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    member.next_join();
    assert!(member.told.is_empty());
    assert_eq!(member.membership.owned().count(), 4);

    let mut member = joined_member(&["cooperative-sticky", "range"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    assert_eq!(member.next_change().partitions.len(), 4);
}

#[test]
fn strategies_are_offered_in_order_of_preference() {
    let mut member = TestMember::classic(&["cooperative-sticky", "range"], |_| {});
    let (_, request) = member.next_join();
    let names: Vec<&str> = request.protocols.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["cooperative-sticky", "range"]);
}

#[test]
fn what_a_cooperative_member_gives_up_makes_the_group_meet_again() {
    let mut member = joined_member(&["cooperative-sticky"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    joined_as_follower(&mut member, 2, "cooperative-sticky");
    let (sync, _) = member.next_sync();
    member.answer(&sync, assignment(&[0, 1]));
    let revoked = member.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    assert_eq!(revoked.partitions.len(), 2);
    assert!(member.next_change().partitions.is_empty());
    member.done(&revoked);
    let (_, request) = member.next_join();
    assert_eq!(request.reason.as_deref(), Some("partitions were given up"));
}

/// The leader has withheld what the join claimed, though its owner has lost it since: only a rebalance frees it.
#[test]
fn what_was_claimed_and_lost_meanwhile_makes_the_group_meet_again() {
    let mut member = joined_member(&["cooperative-sticky"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    let (join, _) = member.next_join();
    hear(&mut member, ErrorCode::UnknownMemberId);
    let lost = member.next_change();
    assert!(matches!(
        &lost.kind,
        ChangeKind::Lost(GroupError::Fenced { .. })
    ));
    member.done(&lost);
    let response = joined(2, "cooperative-sticky");
    member.answer(&join, GroupResponse::JoinGroup(response));
    let (sync, _) = member.next_sync();
    member.answer(&sync, assignment(&[0, 1]));
    assert_eq!(member.next_change().partitions.len(), 2);
    member.next_join();
}

/// The coordinator is looked for again after so long a silence, so a late response of the silent one is of no use.
#[test]
fn a_join_behind_a_silent_coordinator_is_sent_again() {
    let mut member = joined_member(&["cooperative-sticky"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    let (late, _) = member.next_join();
    member.pass(Duration::from_secs(11));
    let lost = member.next_change();
    assert!(matches!(
        &lost.kind,
        ChangeKind::Lost(GroupError::SessionExpired { .. })
    ));
    member.done(&lost);
    let response = || GroupResponse::JoinGroup(joined(2, "cooperative-sticky"));
    member.answer(&late, response());
    member.pass(Duration::from_secs(1));
    let (join, _) = member.next_join();
    member.answer(&join, response());
    let (sync, _) = member.next_sync();
    member.answer(&sync, assignment(&[0, 1]));
    assert_eq!(member.next_change().partitions.len(), 2);
    assert!(member.try_next().is_none());
}

/// Only heartbeats tell that the partitions are still owned: nothing tells whether the join has arrived.
#[test]
fn heartbeats_go_on_while_a_join_waits_and_partitions_are_kept() {
    let mut member = joined_member(&["cooperative-sticky"]);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    member.next_join();
    for _ in 0..25 {
        hear(&mut member, ErrorCode::RebalanceInProgress);
    }
    assert!(member.told.is_empty());
    hear(&mut member, ErrorCode::UnknownMemberId);
    let lost = member.next_change();
    assert!(matches!(
        lost.kind,
        ChangeKind::Lost(GroupError::Fenced { .. })
    ));
}

#[test]
fn a_slow_revocation_ends_with_the_rebalance_timeout() {
    let mut member = joined_member(&["range"]);
    hear(&mut member, ErrorCode::None);
    hear(&mut member, ErrorCode::RebalanceInProgress);
    let revoked = member.next_change();
    for _ in 0..27 {
        hear(&mut member, ErrorCode::RebalanceInProgress);
    }
    assert!(member.told.is_empty());
    member.pass(Duration::from_secs(3));
    let lost = member.next_change();
    assert_eq!(lost.partitions, revoked.partitions);
    let ChangeKind::Lost(GroupError::RebalanceTimeout {
        limit, measured, ..
    }) = lost.kind
    else {
        panic!("the rebalance timeout, not {:?}", lost.kind);
    };
    assert_eq!(limit, Duration::from_secs(30));
    assert!(measured >= limit);
    member.done(&revoked);
    assert!(member.try_next().is_none());
    member.done(&lost);
    member.next_join();
}

/// KIP-568.
#[test]
fn a_forced_rebalance_joins_again_and_says_why() {
    let mut member = joined_member(&["cooperative-sticky"]);
    assert!(
        member
            .membership
            .enforce_rebalance(member.now, "the cache moved")
    );
    member.work();
    let (_, request) = member.next_join();
    assert_eq!(request.reason.as_deref(), Some("the cache moved"));

    let mut member = TestMember::consumer(|_| {});
    assert!(!member.membership.enforce_rebalance(member.now, "no"));
}

/// KIP-345: the place is kept until the session ends.
#[test]
fn a_static_member_leaves_without_a_word_unless_it_is_told_to_give_up_its_place() {
    for (operation, sends) in [
        (LeaveOperation::Default, false),
        (LeaveOperation::LeaveGroup, true),
    ] {
        let mut member = TestMember::classic(&["range"], |config| {
            config.group_instance_id = Some("one".to_owned());
        });
        member.join_alone(1);
        let assigned = member.next_change();
        member.done(&assigned);
        let leave = Leave {
            operation,
            reason: Some("maintenance".to_owned()),
        };
        member.membership.leave(member.now, leave);
        member.work();
        let revoked = member.next_change();
        member.done(&revoked);
        match member.try_next().map(|sent| sent.request) {
            Some(GroupRequest::LeaveGroup(request)) => {
                assert!(sends);
                assert_eq!(request.group_instance_id.as_deref(), Some("one"));
                assert_eq!(request.reason.as_deref(), Some("maintenance"));
                assert_eq!(request.build(5).members[0].reason, request.reason);
            }
            Some(other) => panic!("LeaveGroup, not {}", other.name()),
            None => assert!(!sends && member.told.contains(&GroupEvent::Left)),
        }
    }
}

/// The coordinator names the same generation to a member that joins again as it was: a leader that takes its time costs
/// its followers no rebalance, and an answer that is lost keeps nobody out for `max_poll_interval`.
#[test]
fn a_follower_that_waits_for_long_joins_again_as_it_is_until_the_leader_has_assigned() {
    let mut member = TestMember::classic(&["range"], |config| {
        config.request_timeout = Duration::from_secs(3);
        config.max_poll_interval = Duration::from_secs(300);
    });
    let (join, first) = member.next_join();
    member.answer(&join, GroupResponse::JoinGroup(joined(7, "range")));
    let mut protocols = first.protocols;
    for tries in 1..=20 {
        let (sync, request) = member.next_sync();
        assert_eq!((request.generation_id, &*request.member_id), (7, "me"));
        assert_eq!(sync.timeout, Duration::from_secs(3));
        if tries == 20 {
            member.answer(&sync, assignment(&[0, 1]));
            break;
        }
        let late = RequestFailure::Retriable("it has not answered".into());
        member.membership.failed(member.now, sync.id, late);
        member.pass(Duration::from_secs(2));
        let (join, request) = member.next_join();
        assert_eq!(request.member_id, "me");
        assert!(tries == 1 || request.protocols == protocols);
        protocols = request.protocols;
        member.answer(&join, GroupResponse::JoinGroup(joined(7, "range")));
    }
    let assigned = member.next_change();
    assert_eq!(assigned.kind, ChangeKind::Assigned);
    assert_eq!(assigned.partitions.len(), 2);
    assert!(member.told.is_empty(), "nothing was lost meanwhile");
}
