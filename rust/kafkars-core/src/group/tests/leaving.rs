//! Leaving, and what may come in between.

use super::*;

fn short(config: &mut GroupConfig) {
    config.max_poll_interval = Duration::from_secs(60);
    config.session_timeout = Duration::from_secs(600);
}

fn leave(member: &mut TestMember) -> Change {
    member.membership.leave(member.now, Leave::default());
    member.work();
    let revoked = member.next_change();
    assert_eq!(revoked.kind, ChangeKind::Revoked);
    revoked
}

/// The application has to be told that it has left, whatever it does meanwhile.
fn hangs_in_its_last_callback(mut member: TestMember) {
    leave(&mut member);
    while member.try_next().is_some() {}
    member.pass(Duration::from_secs(61));

    assert!(matches!(
        member.told.pop_front(),
        Some(GroupEvent::PollIntervalExceeded(_))
    ));
    assert!(matches!(member.next_change().kind, ChangeKind::Lost(_)));
    assert_eq!(member.told.pop_front(), Some(GroupEvent::Left));
    assert_eq!(member.membership.state(), MembershipState::Unsubscribed);
    match member.next().request {
        GroupRequest::LeaveGroup(_) => {}
        GroupRequest::ConsumerGroupHeartbeat(request) => assert_eq!(request.member_epoch, -1),
        other => panic!("a goodbye, not {}", other.name()),
    }
}

#[test]
fn a_classic_member_that_hangs_while_leaving_has_left() {
    let mut member = TestMember::classic(&["range"], short);
    member.join_alone(1);
    let assigned = member.next_change();
    member.done(&assigned);
    hangs_in_its_last_callback(member);
}

#[test]
fn a_consumer_member_that_hangs_while_leaving_has_left() {
    let mut member = TestMember::consumer(short);
    member.take_in(1, &[0, 1]);
    let assigned = member.next_change();
    member.done(&assigned);
    hangs_in_its_last_callback(member);
}

#[test]
fn leaving_gives_up_everything_before_it_says_so() {
    let mut member = TestMember::classic(&["range"], short);
    member.join_alone(1);
    let assigned = member.next_change();
    assert_eq!(assigned.partitions.len(), 4);
    member.done(&assigned);
    let revoked = leave(&mut member);
    assert!(member.try_next().is_none());
    member.done(&revoked);
    let goodbye = member.next();
    assert!(matches!(goodbye.request, GroupRequest::LeaveGroup(_)));
    member.answer(&goodbye, GroupResponse::LeaveGroup(Default::default()));
    assert_eq!(member.told.pop_front(), Some(GroupEvent::Left));
}

/// A member may leave under its own id where the coordinator still has it at a later epoch; its joins wait for a pause.
#[test]
fn a_join_that_is_fenced_frees_its_place_and_pauses() {
    let mut member = TestMember::consumer(short);
    let (beat, request) = member.next_beat();
    assert_eq!(request.member_epoch, 0);
    member.answer(
        &beat,
        GroupResponse::ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse {
            error_code: ErrorCode::FencedMemberEpoch.code(),
            ..ConsumerGroupHeartbeatResponse::default()
        }),
    );
    let (_, goodbye) = member.next_beat();
    assert_eq!(goodbye.member_epoch, -1);
    assert!(member.try_next().is_none());
    member.pass(Duration::from_secs(1));
    let (_, again) = member.next_beat();
    assert_eq!(again.member_epoch, 0);
}

/// Kafka 4.3 says so at times to one heartbeat, and serves the next.
#[test]
fn a_coordinator_that_says_that_it_cannot_serve_is_asked_again() {
    let refusal = || {
        GroupResponse::ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse {
            error_code: ErrorCode::UnsupportedVersion.code(),
            ..ConsumerGroupHeartbeatResponse::default()
        })
    };
    let mut member = TestMember::consumer(short);
    for _ in 0..2 {
        for _ in 0..3 {
            let (beat, _) = member.next_beat();
            member.answer(&beat, refusal());
            assert!(member.try_next().is_none(), "it pauses");
            member.pass(Duration::from_secs(2));
        }
        assert!(member.told.is_empty(), "{:?}", member.told);
        // Served once, it may say so again.
        let (beat, _) = member.next_beat();
        member.answer(&beat, target(1, None));
        member.pass(Duration::from_secs(2));
    }
    for _ in 0..4 {
        let (beat, _) = member.next_beat();
        member.answer(&beat, refusal());
        member.pass(Duration::from_secs(2));
    }
    assert!(is_refused_for_good(&member), "{:?}", member.told);
}

fn is_refused_for_good(member: &TestMember) -> bool {
    let for_good = |event: &GroupEvent| matches!(event, GroupEvent::Failed(GroupError::ForGood(_)));
    member.told.iter().any(for_good)
}

fn refused(code: ErrorCode) -> GroupResponse {
    GroupResponse::ConsumerGroupHeartbeat(ConsumerGroupHeartbeatResponse {
        error_code: code.code(),
        ..ConsumerGroupHeartbeatResponse::default()
    })
}

#[test]
fn who_is_refused_for_good_joins_again_when_it_subscribes_again() {
    for code in [
        ErrorCode::UnsupportedAssignor,
        ErrorCode::GroupMaxSizeReached,
        ErrorCode::GroupAuthorizationFailed,
    ] {
        let mut member = TestMember::consumer(short);
        let (beat, _) = member.next_beat();
        member.answer(&beat, refused(code));
        assert!(is_refused_for_good(&member), "{:?}", member.told);
        for _ in 0..3 {
            member.membership.polled(member.now);
            member.pass(Duration::from_secs(60));
        }
        assert!(member.try_next().is_none());
        member.membership.begin_anew();
        member.subscribe(&[TOPIC]);
        member.pass(Duration::from_secs(2));
        let (beat, request) = member.next_beat();
        assert_eq!(request.member_epoch, 0);
        member.answer(&beat, target(1, None));
        assert!(member.membership.identity().is_some());
    }
}

#[test]
fn who_is_refused_without_a_cause_joins_once_more() {
    let mut member = TestMember::consumer(short);
    let (beat, _) = member.next_beat();
    member.answer(&beat, refused(ErrorCode::InvalidRequest));
    assert!(!is_refused_for_good(&member), "{:?}", member.told);
    member.membership.polled(member.now);
    member.pass(Duration::from_secs(2));
    member.take_in(1, &[]);
    member.pass(Duration::from_secs(2));
    let (beat, _) = member.next_beat();
    member.answer(&beat, refused(ErrorCode::InvalidRequest));
    assert!(!is_refused_for_good(&member), "{:?}", member.told);
    let (_, goodbye) = member.next_beat();
    assert_eq!(goodbye.member_epoch, -1);
    member.membership.polled(member.now);
    member.pass(Duration::from_secs(2));
    let (beat, request) = member.next_beat();
    assert_eq!(request.member_epoch, 0);
    member.answer(&beat, refused(ErrorCode::InvalidRequest));
    assert!(is_refused_for_good(&member), "{:?}", member.told);
}

#[test]
fn who_may_not_find_its_coordinator_looks_for_it_again() {
    let mut member = TestMember::new(GroupProtocol::Consumer, &[], short);
    let topics = vec![Arc::from(TOPIC)];
    let subscription = Subscription::Topics(topics.into_iter().collect());
    member
        .membership
        .subscribe(member.now, subscription)
        .unwrap();
    let search = member.membership.next_action(member.now);
    assert!(
        matches!(search, Some(Action::FindCoordinator)),
        "{search:?}"
    );
    let refusal = RequestFailure::Refused(ErrorCode::GroupAuthorizationFailed, None);
    member
        .membership
        .coordinator_answered(member.now, Err(refusal));
    member.work();
    assert!(!is_refused_for_good(&member), "{:?}", member.told);
    assert_eq!(member.membership.state(), MembershipState::Failed);
    assert!(member.try_next().is_none(), "not before a poll");
    member.membership.polled(member.now);
    member.pass(Duration::from_secs(2));
    member.take_in(1, &[]);
}

/// What an earlier subscription has heard says nothing of the next one.
#[test]
fn a_subscription_is_doubted_as_little_as_the_first() {
    let mut member = TestMember::consumer(short);
    for _ in 0..4 {
        let (beat, _) = member.next_beat();
        member.answer(&beat, refused(ErrorCode::UnsupportedVersion));
        member.pass(Duration::from_secs(2));
    }
    assert!(is_refused_for_good(&member), "{:?}", member.told);
    member.told.clear();
    member.membership.begin_anew();
    member.subscribe(&[TOPIC]);
    member.pass(Duration::from_secs(2));
    let (beat, _) = member.next_beat();
    member.answer(&beat, refused(ErrorCode::UnsupportedVersion));
    member.pass(Duration::from_secs(2));
    for _ in 0..3 {
        let (beat, _) = member.next_beat();
        member.answer(&beat, refused(ErrorCode::InvalidRequest));
        assert!(!is_refused_for_good(&member), "{:?}", member.told);
        member.membership.leave(member.now, Leave::default());
        member.pass(Duration::from_secs(2));
        while let Some(goodbye) = member.try_next() {
            member.answer(&goodbye, refused(ErrorCode::UnknownMemberId));
        }
        member.subscribe(&[TOPIC]);
        member.pass(Duration::from_secs(2));
    }
}

/// The coordinator keeps a place for an id that it has given away: it waits for that member at every rebalance.
#[test]
fn a_classic_member_that_leaves_before_it_has_its_id_gives_up_the_place_that_waits_for_it() {
    let mut member = TestMember::classic(&["range"], short);
    let (join, request) = member.next_join();
    assert_eq!(request.member_id, "");
    member.membership.leave(member.now, Leave::default());
    member.work();
    assert_eq!(member.membership.state(), MembershipState::Leaving);
    assert_eq!(member.told.pop_front(), None, "not before it is named");
    let named = JoinGroupResponse {
        error_code: ErrorCode::MemberIdRequired.code(),
        member_id: "me".to_owned(),
        ..JoinGroupResponse::default()
    };
    member.answer(&join, GroupResponse::JoinGroup(named));
    let goodbye = member.next();
    match &goodbye.request {
        GroupRequest::LeaveGroup(request) => assert_eq!(request.member_id, "me"),
        other => panic!("LeaveGroup, not {}", other.name()),
    }
    member.answer(&goodbye, GroupResponse::LeaveGroup(Default::default()));
    assert_eq!(member.told.pop_front(), Some(GroupEvent::Left));
    member.subscribe(&[TOPIC]);
    assert_eq!(member.next_join().1.member_id, "", "another member");
}

/// The id is waited for only for a while, and not at all where none will come.
#[test]
fn a_classic_member_without_an_id_leaves_soon() {
    let leaving = |change: fn(&mut GroupConfig)| {
        let mut member = TestMember::classic(&["range"], change);
        let (join, _) = member.next_join();
        member.membership.leave(member.now, Leave::default());
        member.work();
        (member, join)
    };
    let has_left = |member: &mut TestMember| {
        assert_eq!(member.told.pop_front(), Some(GroupEvent::Left));
        assert_eq!(member.membership.state(), MembershipState::Unsubscribed);
        assert!(member.try_next().is_none(), "nobody to say goodbye for");
    };

    let (mut member, join) = leaving(short);
    let wake_at = member.membership.wake_at().expect("a limit");
    assert!(wake_at <= member.now + Duration::from_secs(1));
    assert!(wake_at > member.now, "at rest until then");
    member.pass(Duration::from_secs(1));
    has_left(&mut member);
    let late = JoinGroupResponse {
        error_code: ErrorCode::MemberIdRequired.code(),
        member_id: "me".to_owned(),
        ..JoinGroupResponse::default()
    };
    member.answer(&join, GroupResponse::JoinGroup(late));
    assert!(member.try_next().is_none(), "too late");

    let (mut member, join) = leaving(short);
    let failure = RequestFailure::Retriable("disconnected".into());
    member.membership.failed(member.now, join.id, failure);
    member.work();
    has_left(&mut member);

    let (mut member, join) = leaving(short);
    let refused = JoinGroupResponse {
        error_code: ErrorCode::GroupAuthorizationFailed.code(),
        ..JoinGroupResponse::default()
    };
    member.answer(&join, GroupResponse::JoinGroup(refused));
    has_left(&mut member);

    let is_static = |config: &mut GroupConfig| config.group_instance_id = Some("one".to_owned());
    let (mut member, _) = leaving(is_static);
    has_left(&mut member);
}
